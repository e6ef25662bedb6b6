/* Values in the text of MLIR: the uses of a value, and the values that a
 * sequence of operations needs. */
#ifndef CUL_REDUCER_SUBJECT_TEXT_LANGUAGE_MLIR_H
#define CUL_REDUCER_SUBJECT_TEXT_LANGUAGE_MLIR_H

#include "../ops.h"

/* Append "name: type", as a list, for each value that tokens [first, end) use
 * and do not define, and replace the uses by that name.  Values without a known
 * type are left out.  like: write the entries in the form of the parameters of
 * this function; or NULL. */
void cul_text_live_ins(struct cul_text *text, uint32_t first, uint32_t end,
                       const struct cul_text_function *like,
                       struct cul_buf *out);

/* A name that does not occur in the text: "%_7".  *next: the counter, updated.
 * Heap. */
char *cul_text_fresh_name(const struct cul_text *text, uint32_t *next);

/* Replace the use by the value that token `other` reads or defines now: "%x" or
 * "%x#1". */
void cul_text_read_as(struct cul_text *text, uint32_t use, uint32_t other);
/* Do so for all uses of result `number` of the definition. */
void cul_text_all_read_as(struct cul_text *text, uint32_t def, uint32_t number,
                          uint32_t other);

#endif
