/* Names in a text: where each is defined and used, by the scopes of its
 * language. */
#ifndef CUL_REDUCER_SUBJECT_TEXT_NAMES_H
#define CUL_REDUCER_SUBJECT_TEXT_NAMES_H

#include "text.h"

struct cul_text_names {
  /* Per token: the token that defines its name (a definition: itself), or
   * CUL_TEXT_NONE. */
  uint32_t *def;
  /* Uses of the definition t: uses[first_use[t]] to uses[first_use[t + 1]]
   * (not included), ascending, without t itself. */
  uint32_t *first_use, *uses;
  /* Per definition: the name is defined more than once in the text. */
  bool *shared;
  uint32_t clash; /* a name defined a second time in one scope, or NONE */
  struct cul_nvfuser_shapes *shapes; /* nvFuser: once asked for */
};

/* Names of the text as parsed, without edits; computed once per revision,
 * borrowed. */
const struct cul_text_names *cul_text_names(struct cul_text *text);
/* Use number i of the definition, ascending; false: it has fewer uses. */
bool cul_text_use(struct cul_text *text, uint32_t def, uint32_t i,
                  uint32_t *use);

#endif
