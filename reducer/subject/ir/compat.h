/* The one place that knows MLIR versions, and the calls of the C API that
 * crash unless they are made with care. */
#ifndef CUL_REDUCER_SUBJECT_IR_COMPAT_H
#define CUL_REDUCER_SUBJECT_IR_COMPAT_H

#include <mlir-c/ExecutionEngine.h>
#include <mlir-c/IR.h>
#include <mlir-c/IntegerSet.h>
#include <stdbool.h>

#include "../../../base/buf.h"

/* A context without threads (it will be forked), unregistered operations
 * allowed.  native: all upstream dialects, passes and translations. */
MlirContext cul_compat_context(bool native);

/* First error of each burst goes to out as "LINE:COLUMN: text", the rest is
 * dropped: nothing is printed.  out must outlive the context. */
void cul_compat_catch(MlirContext context, struct cul_buf *out);

/* The callback of all C API printers: append to a struct cul_buf. */
void cul_compat_append(MlirStringRef text, void *buf);

/* a and b in one block: does a come first? */
bool cul_compat_is_before(MlirOperation a, MlirOperation b);

/* Can values of this floating-point type be zero?  (f8E8M0FNU cannot.) */
bool cul_compat_has_zero(MlirType type);

/* Hash of an operation without its regions: name, attributes, operands and
 * results as values, result types.  has: false where the API lacks it, and
 * predecessors too. */
bool cul_compat_has_hash(void);
uint64_t cul_compat_hash(MlirOperation op);
/* One per edge, in no order. */
size_t cul_compat_n_predecessors(MlirBlock block);
MlirBlock cul_compat_predecessor(MlirBlock block, size_t i);

/* Integer sets: false, where the attribute holds none, or the API cannot say
 * which (19).  The attribute of one that was read so. */
bool cul_compat_set_of(MlirAttribute attr, MlirIntegerSet *out);
MlirAttribute cul_compat_set_attr(MlirIntegerSet set);

/* The maps that a named operation of linalg has by its name; 19: none. */
MlirAttribute cul_compat_linalg_maps(MlirOperation op);

/* Does a location say more than a place: a scope, or a call?  19: never. */
bool cul_compat_is_scoped(MlirLocation location);
/* Can the API set another location? */
bool cul_compat_has_locate(void);

/* Element i of a dense attribute of index type. */
int64_t cul_compat_index_at(MlirAttribute attr, intptr_t i);

/* mlirExecutionEngineCreate; nothing is dumped. */
MlirExecutionEngine cul_compat_jit(MlirModule module, int level, int n,
                                   const MlirStringRef *paths);

/* Is this a registered operation of a loaded dialect? */
bool cul_compat_is_registered(MlirOperation op);

#endif
