/* LLVM IR as people write it. */
#ifndef CUL_REDUCER_FINISH_PLAIN_LLVM_H
#define CUL_REDUCER_FINISH_PLAIN_LLVM_H

#include "../../base/buf.h"

/* Append the module without what its printer adds and its parser adds again:
 * empty lines, comments, and the attributes of intrinsics, whose
 * declarations have those by their name.  Groups of attributes that nothing
 * refers to then go, too. */
void cul_plain_llvm(struct cul_bytes text, struct cul_buf *out);

#endif
