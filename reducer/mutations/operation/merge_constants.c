/* merge-constants: replace a constant by another one of its type in the same
 * function, for failures that need constants, but not so many. */
#include "../frame/each.h"

/* The operation within which constants are shared: the function around op, or
 * the module. */
static MlirOperation scope_of(struct cul_ir *ir, MlirOperation op) {
  MlirOperation function = cul_ir_function_of(ir, op);
  return function.ptr ? function : ir->root;
}

static MlirType type_of(MlirOperation constant) {
  return mlirValueGetType(mlirOperationGetResult(constant, 0));
}

/* The key of a type in a scope.  If two keys are equal by chance, a site too
 * many is listed, which does nothing. */
static const void *key_of(struct cul_ir *ir, MlirOperation op) {
  uintptr_t scope = (uintptr_t)scope_of(ir, op).ptr;
  return (const void *)(scope * 31 + (uintptr_t)type_of(op).ptr);
}

static void sites(struct cul_ir *ir, struct cul_sites *out) {
  CUL_OWNED(cul_map) count = {0};
  CUL_IR_EACH_INNER(walk, ir->root) {
    if (cul_ir_is_constant(walk.op)) {
      const void *key = key_of(ir, walk.op);
      uint64_t *seen = cul_map_get(&count, key);
      cul_map_put(&count, key, seen ? *seen + 1 : 1);
    }
  }
  CUL_IR_EACH_INNER(walk, ir->root) {
    if (cul_ir_is_constant(walk.op) &&
        *cul_map_get(&count, key_of(ir, walk.op)) > 1)
      cul_each_add(out, walk.op, 0, 1);
  }
}

/* The first other constant of op's type in its scope; null: none. */
static MlirOperation other_constant(struct cul_ir *ir, MlirOperation op) {
  MlirOperation scope = scope_of(ir, op);
  CUL_IR_EACH_INNER(other, scope) {
    if (other.op.ptr != op.ptr && cul_ir_is_constant(other.op) &&
        mlirTypeEqual(type_of(other.op), type_of(op)) &&
        scope_of(ir, other.op).ptr == scope.ptr)
      return other.op;
  }
  return (MlirOperation){NULL};
}

static bool merge(struct cul_ir *ir, MlirOperation op) {
  MlirOperation other = other_constant(ir, op);
  MlirBlock entry;
  if (!other.ptr)
    return false;
  /* at the top it dominates every use of both */
  if (!cul_ir_dominates(ir, mlirOperationGetResult(other, 0), op)) {
    entry =
        mlirRegionGetFirstBlock(mlirOperationGetRegion(scope_of(ir, op), 0));
    cul_edit_unlink(other);
    cul_edit_insert_at(entry, 0, other);
  }
  cul_ir_replace_uses(mlirOperationGetResult(op, 0),
                      mlirOperationGetResult(other, 0));
  return cul_ir_discard(ir, op);
}

CUL_EACH(merge_constants, .all = sites, .edit_op = merge);
