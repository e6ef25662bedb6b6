/* Wrappers for everything that differs between MLIR versions, and for calls of
 * the C API that crash unless made with care. */
#ifndef CUL_REDUCER_SUBJECT_IR_COMPAT_H
#define CUL_REDUCER_SUBJECT_IR_COMPAT_H

#include <mlir-c/ExecutionEngine.h>
#include <mlir-c/IR.h>
#include <mlir-c/IntegerSet.h>
#include <stdbool.h>

#include "../../../base/buf.h"

/* Make a context without threads, because it will be forked, that allows
 * unregistered operations.  native: with all upstream dialects, passes and
 * translations. */
MlirContext cul_compat_context(bool native);

/* From now on diagnostics are not printed: the first error since out was
 * cleared is written to out as "LINE:COLUMN: text", others are dropped.  out
 * must outlive the context. */
void cul_compat_catch(MlirContext context, struct cul_buf *out);

/* The callback for all printers of the C API: append to a struct cul_buf. */
void cul_compat_append(MlirStringRef text, void *buf);

/* Is a before b?  Both must be in the same block. */
bool cul_compat_is_before(MlirOperation a, MlirOperation b);

/* Hash of an operation without its regions: name, attributes, operands and
 * results as values, result types.  cul_compat_has_hash: false if the API has
 * neither this nor predecessors. */
bool cul_compat_has_hash(void);
uint64_t cul_compat_hash(MlirOperation op);
/* The predecessors of a block: one per edge, in no particular order. */
size_t cul_compat_n_predecessors(MlirBlock block);
MlirBlock cul_compat_predecessor(MlirBlock block, size_t i);

/* The integer set of an attribute; false if it has none, or in MLIR 19.
 * cul_compat_set_attr: the attribute of a set that was obtained in this way. */
bool cul_compat_set_of(MlirAttribute attr, MlirIntegerSet *out);
MlirAttribute cul_compat_set_attr(MlirIntegerSet set);

/* The indexing maps that a named operation of linalg has by its name; null in
 * MLIR 19. */
MlirAttribute cul_compat_linalg_maps(MlirOperation op);

/* Does a location contain a scope or a call besides a place?  Always false in
 * MLIR 19. */
bool cul_compat_is_scoped(MlirLocation location);
/* Can the API change a location? */
bool cul_compat_has_locate(void);

/* mlirExecutionEngineCreate without dumping object code. */
MlirExecutionEngine cul_compat_jit(MlirModule module, int level, int n,
                                   const MlirStringRef *paths);

/* Is this a registered operation of a loaded dialect? */
bool cul_compat_is_registered(MlirOperation op);

#endif
