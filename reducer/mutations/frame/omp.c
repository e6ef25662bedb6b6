/* See omp.h. */
#include "omp.h"

#include <string.h>

#include "region.h"

/* The only operation that op's only region holds; null: there are more. */
static MlirOperation only_inside(MlirOperation op) {
  MlirOperation first = {NULL};
  if (mlirOperationGetNumRegions(op) == 1) {
    MlirBlock block = cul_region_single(mlirOperationGetRegion(op, 0));
    if (block.ptr)
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

/* omp.parallel around omp.distribute, wrappers of more than a loop nest. */
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

static bool ends_in(MlirStringRef name, const char *end) {
  size_t n = strlen(end);
  return name.length >= n && memcmp(name.data + name.length - n, end, n) == 0;
}

bool cul_omp_needs(MlirOperation op, MlirStringRef name) {
  static const char *const names[] = {"data_sharing_type",
                                      "element_type",
                                      "map_capture_type",
                                      "map_type",
                                      "omp.composite",
                                      "schedule_kind",
                                      "type",
                                      "var_type"};
  if (!cul_ir_is_of(op, "omp."))
    return false;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(names); i++)
    if (cul_ir_str_is(name, names[i]))
      return true;
  return ends_in(name, "_byref") || ends_in(name, "_kinds") ||
         ends_in(name, "_syms");
}
