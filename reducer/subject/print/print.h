/* Printing with the print cache, for the kind of subject that has one; inside,
 * see cache.h. */
#ifndef CUL_REDUCER_SUBJECT_PRINT_PRINT_H
#define CUL_REDUCER_SUBJECT_PRINT_PRINT_H

#include "../ir/ir.h"

/* Keep the text of every operation (cache.h), or, if it is kept
 * already, make the current module the base for the next edits.  Does nothing
 * if the cache's text would differ from the printer's. */
void cul_print_cache_keep(struct cul_ir *ir);
/* List the operations to verify after an edit: those directly in functions that
 * were changed, themselves or inside.  False: everything must be verified. The
 * next print uses the states set here, so the module must not be changed before
 * it. */
bool cul_print_cache_touched(struct cul_ir *ir, struct cul_ir_ops *out);
/* The number of operations of the module, root included. */
size_t cul_print_cache_count(const struct cul_ir *ir);
/* Append the printed module; false: it cannot be printed, and nothing was
 * appended. */
bool cul_print_cache_print(struct cul_ir *ir, struct cul_buf *out);

#endif
