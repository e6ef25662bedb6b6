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

struct seeking {
  const struct cul_ir *ir;
  bool found;
};

static MlirWalkResult seek(MlirOperation op, void *self) {
  struct seeking *seeking = self;
  MlirLocation location = mlirOperationGetLocation(op);
  seeking->found = seeking->ir->llvm || !cul_compat_has_locate()
                       ? has_info(op)
                       : !mlirLocationEqual(location, seeking->ir->unknown);
  return seeking->found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

/* List whole functions: the location of a function contains the scope of the
 * operations in it. */
static void list_one(struct cul_ir *ir, const struct cul_ir_item *item,
                     struct cul_sites *out) {
  struct seeking seeking = {.ir = ir};
  if ((!ir->llvm && !ir->located) || !cul_ir_is_function(item->op))
    return;
  mlirOperationWalk(item->op, seek, &seeking, MlirWalkPreOrder);
  if (seeking.found)
    cul_each_add(out, item->op, 0, 1);
}

static void forget_arguments(MlirBlock block, MlirLocation unknown) {
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++)
    cul_edit_set_argument_location(mlirBlockGetArgument(block, i), unknown);
}

static MlirWalkResult forget(MlirOperation op, void *self) {
  MlirLocation unknown = *(MlirLocation *)self;
  cul_edit_set_location(op, unknown);
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); i++) {
    CUL_IR_EACH_BLOCK(block, mlirOperationGetRegion(op, i)) {
      forget_arguments(block, unknown);
    }
  }
  return MlirWalkResultAdvance;
}

static bool drop(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  MlirLocation unknown = ir->unknown;
  struct cul_ir_list list = {0};
  (void)detail;
  cul_ir_list(op, &list);
  for (size_t i = 1; i < list.n; i++)
    if (cul_ir_is_of(list.items[i].op, "llvm.intr.dbg."))
      cul_ir_discard(ir, list.items[i].op);
  cul_ir_list_release(&list);
  mlirOperationWalk(op, forget, &unknown, MlirWalkPreOrder);
  return true;
}

const struct cul_each cul_mutation_drop_debug_info = {.list = list_one,
                                                      .edit = drop};
