/* Names in a text: which token defines what another one uses.  For languages
 * that mark names with a sigil (MLIR, LLVM IR); others have none. */
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
};

/* Of the text as parsed, edits aside; computed once per revision, borrowed. */
const struct cul_text_names *cul_text_names(struct cul_text *text);
void cul_text_names_free(struct cul_text_names *names);

/* The results that a line defines: tokens [first, *end) before its "=" are
 * names and commas; false where it defines none. */
bool cul_text_results(const struct cul_text *text, uint32_t line,
                      uint32_t *end);

/* MLIR: the only result that the item defines, or CUL_TEXT_NONE. */
uint32_t cul_text_only_result(const struct cul_text *text, uint32_t item);
/* MLIR: the type of what token def defines, guessed from the usual forms.
 * out: overwritten; false and empty where there is none. */
bool cul_text_type_of(const struct cul_text *text, uint32_t def,
                      struct cul_buf *out);
/* The item around (or item itself) whose header has a symbol and an argument
 * list, and that list's opening bracket; false where there is none. */
bool cul_text_function_of(const struct cul_text *text, uint32_t item,
                          uint32_t *function, uint32_t *open);

#endif
