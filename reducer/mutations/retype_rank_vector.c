/* Dimensions that go, of vectors and what they are read from: see
 * retype_rank.h. */
#include "retype_rank.h"

#include <mlir-c/AffineMap.h>

/* vector.transfer_read, vector.transfer_write */
struct transfer {
  MlirValue memory, vector;
  MlirAffineMap map; /* dimensions of memory to those of vector */
  intptr_t first;    /* operand: subscripts of memory */
};

static bool read_transfer(struct cul_retype *g, MlirOperation op,
                          struct transfer *out) {
  MlirAttribute map = cul_ir_get(op, "permutation_map");
  MlirAttribute masks = cul_ir_get(op, "operandSegmentSizes");
  bool read = cul_retype_arg_number(g, 0) == 0;
  intptr_t n = masks.ptr ? mlirDenseArrayGetNumElements(masks) : 0;
  if (!map.ptr || !mlirAttributeIsAAffineMap(map) || n == 0 ||
      mlirDenseI32ArrayGetElement(masks, n - 1) > 0)
    return false;
  out->memory = mlirOperationGetOperand(op, read ? 0 : 1);
  out->vector =
      read ? mlirOperationGetResult(op, 0) : mlirOperationGetOperand(op, 0);
  out->map = mlirAffineMapAttrGetValue(map);
  out->first = read ? 1 : 2;
  return cul_retype_rank(g, out->memory) <= CUL_RETYPE_MAX;
}

/* With a mask too little is known. */
void cul_retype_join_transfer(struct cul_retype *g, MlirOperation op) {
  struct transfer t;
  if (!read_transfer(g, op, &t))
    cul_retype_pin_all(g, op);
}

void cul_retype_thin_transfer(struct cul_retype *g, MlirOperation op) {
  bool memory[CUL_RETYPE_MAX], vector[CUL_RETYPE_MAX];
  struct transfer t;
  if (!read_transfer(g, op, &t))
    return;
  cul_retype_find_gone(g, t.memory, memory);
  cul_retype_find_gone(g, t.vector, vector);
  for (intptr_t i = mlirAffineMapGetNumResults(t.map); i-- > 0;)
    if (vector[i])
      (void)cul_ir_drop_entry(g->ir, op, "in_bounds", (size_t)i);
  (void)cul_ir_set(g->ir, op, "permutation_map",
                   cul_numbers_map_without(g->ir, t.map, memory, vector));
  cul_retype_thin_operands(g, op, t.first, t.memory);
}
