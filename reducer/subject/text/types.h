/* Results of operations of MLIR in a text, and their types, guessed from the
 * usual forms. */
#ifndef CUL_REDUCER_SUBJECT_TEXT_TYPES_H
#define CUL_REDUCER_SUBJECT_TEXT_TYPES_H

#include "text.h"

/* The only result that the item defines, or CUL_TEXT_NONE. */
uint32_t cul_text_only_result(const struct cul_text *text, uint32_t item);
/* The type of the value that token def defines, guessed from the usual
 * forms; for "%x:2 = ..." that of the result with this number.  out:
 * overwritten; false and empty if no type is found. */
bool cul_text_type_of_result(struct cul_text *text, uint32_t def,
                             uint32_t number, struct cul_buf *out);
/* The n of "%x:n =" or of the single "%x =", from token def on. */
uint32_t cul_text_results_of(const struct cul_text *text, uint32_t def);
/* The number in "%x#1"; *number: 0 if there is no suffix.  Returns
 * whether there is one. */
bool cul_text_result_number(const struct cul_text *text, uint32_t use,
                            uint32_t *number);

#endif
