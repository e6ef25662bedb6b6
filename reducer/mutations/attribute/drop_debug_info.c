/* drop-debug-info: set the locations in a function to unknown and discard its
 * debug intrinsics, in LLVM IR and where the tool needs locations.  Other
 * modules are printed without locations. */
#include "../frame/each.h"

#include "../../subject/ir/compat.h"

/* Does the operation have debug info of LLVM IR: a location with a scope or a
 * call, or a debug intrinsic? */
static bool has_info(MlirOperation op) {
  MlirLocation location = mlirOperationGetLocation(op);
  return cul_compat_is_scoped(location) || cul_ir_is_of(op, "llvm.intr.dbg.");
}

/* Does an operation of the function have any? */
static bool is_described(const struct cul_ir *ir, MlirOperation function) {
  CUL_IR_EACH_ITEM(walk, function) {
    if (ir->llvm || !cul_compat_has_locate()
            ? has_info(walk.op)
            : !mlirLocationEqual(mlirOperationGetLocation(walk.op),
                                 ir->unknown))
      return true;
  }
  return false;
}

/* List whole functions: the location of a function contains the scope of the
 * operations in it. */
static void list_one(struct cul_ir *ir, const struct cul_ir_item *item,
                     struct cul_sites *out) {
  if ((ir->llvm || ir->located) && cul_ir_is_function(item->op) &&
      is_described(ir, item->op))
    cul_each_add(out, item->op, 0, 1);
}

static void forget(MlirOperation op, MlirLocation unknown) {
  cul_edit_set_location(op, unknown);
  CUL_IR_EACH_BLOCK_OF(block, op) {
    CUL_IR_EACH_ARGUMENT(argument, block)
    cul_edit_set_argument_location(argument, unknown);
  }
}

static bool drop(struct cul_ir *ir, MlirOperation op) {
  CUL_IR_EACH_INNER(walk, op) {
    if (cul_ir_is_of(walk.op, "llvm.intr.dbg."))
      cul_ir_discard(ir, walk.op);
  }
  CUL_IR_EACH_ITEM(walk, op) { forget(walk.op, ir->unknown); }
  return true;
}

CUL_EACH(drop_debug_info, .list = list_one, .edit_op = drop);
