/* Names in a text: which token defines what another one uses.  For languages
 * that mark names with a sigil (MLIR, LLVM IR, PTX); others have none. */
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
};

/* Of the text as parsed, edits aside; computed once per revision, borrowed. */
const struct cul_text_names *cul_text_names(struct cul_text *text);
/* Use number i of the definition, ascending; false: there are fewer. */
bool cul_text_use(struct cul_text *text, uint32_t def, uint32_t i,
                  uint32_t *use);
void cul_text_names_free(struct cul_text_names *names);

/* LLVM IR: its numbered names (%0, 5:, @1) must count up without a hole. Number
 * what is left anew: values, blocks and globals, with all their uses.  Does
 * nothing in other languages, and where no number has to change.  A block
 * without a label takes a number as it does in the parser of LLVM. */
void cul_text_renumber(struct cul_text *text);

/* A name of an attribute or type: #map, !t; of LLVM IR !0, #0. */
bool cul_text_is_alias(const struct cul_text *text, uint32_t token);

/* The results that a line defines: tokens [first, *end) before its "=" are
 * names and commas; false where it defines none. */
bool cul_text_results(const struct cul_text *text, uint32_t line,
                      uint32_t *end);

/* Does this line define the symbol that is its token i?  By its first word: a
 * func, a global ...; a call refers to one. */
bool cul_text_defines_symbol(const struct cul_text *text, uint32_t line,
                             uint32_t i);

/* PTX: is the token a register? */
bool cul_text_is_register(const struct cul_text *text, uint32_t token);

/* MLIR: the only result that the item defines, or CUL_TEXT_NONE. */
uint32_t cul_text_only_result(const struct cul_text *text, uint32_t item);
/* MLIR: the type of what token def defines, guessed from the usual forms; of
 * "%x:2 = ..." that of the result with this number.  out: overwritten; false
 * and empty where there is none. */
bool cul_text_type_of(struct cul_text *text, uint32_t def, struct cul_buf *out);
bool cul_text_type_of_result(struct cul_text *text, uint32_t def,
                             uint32_t number, struct cul_buf *out);
/* MLIR: the n of "%x:n =" or of the single "%x =", from token def on. */
uint32_t cul_text_results_of(const struct cul_text *text, uint32_t def);
/* MLIR: %x#1 uses result 1; *number: 0 where there is no such suffix.  Returns
 * whether there is. */
bool cul_text_result_number(const struct cul_text *text, uint32_t use,
                            uint32_t *number);
/* MLIR: the value stands behind the name of what it is handed to: "a: %x". */
bool cul_text_is_labelled(const struct cul_text *text, uint32_t token);
/* MLIR: "(" of the parameters where the line is the header of a function, else
 * CUL_TEXT_NONE. */
uint32_t cul_text_header(const struct cul_text *text, uint32_t line);

#endif
