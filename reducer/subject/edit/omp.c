/* OpenMP: see omp.h. */
#include "omp.h"

/* The only operation in op's only region; null if there is not exactly one. */
static MlirOperation only_inside(MlirOperation op) {
  MlirOperation first = {NULL};
  if (mlirOperationGetNumRegions(op) == 1) {
    MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
    if (block.ptr && !cul_ir_next_block(block).ptr)
      first = mlirBlockGetFirstOperation(block);
  }
  if (first.ptr && mlirOperationGetNextInBlock(first).ptr)
    first.ptr = NULL;
  return first;
}

bool cul_omp_is_wrapper(MlirOperation op) {
  while (op.ptr && cul_ir_is_of(op, "omp.")) {
    op = only_inside(op);
    if (op.ptr && cul_ir_is(op, "omp.loop_nest"))
      return true;
  }
  return false;
}

bool cul_omp_is_wrapped(MlirOperation op) {
  MlirOperation parent = cul_ir_parent(op);
  return parent.ptr && cul_omp_is_wrapper(parent);
}

bool cul_omp_is_last_wrapper(MlirOperation op) {
  return cul_omp_is_wrapper(op) && !cul_omp_is_wrapped(op) &&
         cul_ir_is(only_inside(op), "omp.loop_nest");
}

MlirOperation cul_omp_frame(MlirOperation op) {
  if (cul_ir_is(op, "omp.section"))
    return cul_ir_parent(op);
  while (cul_omp_is_wrapped(op))
    op = cul_ir_parent(op);
  return op;
}

/* Is op composite: a wrapper inside or around another wrapper, or an
 * omp.parallel around an omp.distribute? */
static bool is_composite(MlirOperation op) {
  if (cul_omp_is_wrapper(op))
    return cul_omp_is_wrapped(op) ||
           !cul_ir_is(only_inside(op), "omp.loop_nest");
  CUL_IR_EACH_BLOCK(block, mlirOperationGetRegion(op, 0))
  CUL_IR_EACH_OP(inner, block)
  if (cul_ir_is(inner, "omp.distribute"))
    return true;
  return false;
}

void cul_omp_fix_up(MlirOperation op) {
  if (op.ptr && cul_ir_is_of(op, "omp.") &&
      mlirOperationGetNumRegions(op) > 0 && !is_composite(op))
    (void)cul_ir_remove_discardable(op, "omp.composite");
}

bool cul_omp_needs(MlirOperation op, MlirStringRef name) {
  return cul_ir_is_of(op, "omp.") &&
         (cul_ir_str_is_word(name,
                             " data_sharing_type element_type map_capture_type "
                             "map_type omp.composite schedule_kind type "
                             "var_type ") ||
          cul_ir_str_ends(name, "_byref") || cul_ir_str_ends(name, "_kinds") ||
          cul_ir_str_ends(name, "_syms"));
}
