/* Where the operations of a module come from: places in the text that was
 * opened. */
#ifndef CUL_REDUCER_SUBJECT_IR_ORIGINS_H
#define CUL_REDUCER_SUBJECT_IR_ORIGINS_H

#include "ir.h"

/* The origins of struct cul_subject_kind. */
void cul_ir_origins(struct cul_subject *subject, struct cul_buf *out);
/* The location for an operation that is made for the sake of op. */
MlirLocation cul_ir_made_for(struct cul_ir *ir, MlirOperation op);

#endif
