/* Values in the text of MLIR: what reads them, what a run of it needs. */
#ifndef CUL_REDUCER_SUBJECT_TEXT_LANGUAGE_MLIR_H
#define CUL_REDUCER_SUBJECT_TEXT_LANGUAGE_MLIR_H

#include "../ops.h"

/* "name: type" of each value that tokens [first, end) use and do not define,
 * as a list; the uses read that name.  What has no known type is left out.
 * like: they are written as its parameters are; or NULL. */
void cul_text_live_ins(struct cul_text *text, uint32_t first, uint32_t end,
                       const struct cul_text_function *like,
                       struct cul_buf *out);

/* A name that the text does not hold: "%_7".  *next: where to go on counting.
 * Heap. */
char *cul_text_fresh_name(const struct cul_text *text, uint32_t *next);

/* Let the use read what token `other` reads or defines by now: "%x" or "%x#1".
 */
void cul_text_read_as(struct cul_text *text, uint32_t use, uint32_t other);
/* Let all uses of the definition do so; of result `number` only where the
 * definition has several. */
void cul_text_all_read_as(struct cul_text *text, uint32_t def, uint32_t number,
                          uint32_t other);

#endif
