/* Transfers of vectors: what is tied, and dimensions that go; see graph.h,
 * rules.h. */
#include "rules.h"

#include <mlir-c/AffineMap.h>

/* vector.transfer_read, vector.transfer_write */
struct transfer {
  MlirValue memory, vector;
  MlirAffineMap map; /* dimensions of memory to those of vector */
  intptr_t first;    /* operand: subscripts of memory */
  bool masked;
};

/* With a mask too little is known of dimensions.  False: there is no map. */
static bool read_transfer(struct cul_retype *g, MlirOperation op,
                          struct transfer *out) {
  MlirAttribute map = cul_ir_get(op, "permutation_map");
  int64_t segments[CUL_RETYPE_MAX];
  size_t n = cul_numbers_named(op, "operandSegmentSizes", segments);
  bool read = cul_retype_arg_number(g, 0) == 0;
  out->memory = mlirOperationGetOperand(op, read ? 0 : 1);
  out->vector =
      read ? mlirOperationGetResult(op, 0) : mlirOperationGetOperand(op, 0);
  out->first = read ? 1 : 2;
  out->masked = n == 0 || segments[n - 1] > 0;
  if (!map.ptr || !mlirAttributeIsAAffineMap(map))
    return false;
  out->map = mlirAffineMapAttrGetValue(map);
  return cul_retype_rank(g, out->memory) <= CUL_RETYPE_MAX;
}

static void rule_transfer(struct cul_retype *g, MlirOperation op) {
  struct transfer t;
  bool known = read_transfer(g, op, &t);
  if (g->ranks && (!known || t.masked))
    cul_retype_pin_all(g, op);
  if (t.first == 2 && mlirOperationGetNumResults(op) > 0)
    cul_retype_tie_values(g, t.memory, mlirOperationGetResult(op, 0));
  for (intptr_t i = 0; known && i < mlirAffineMapGetNumResults(t.map); i++) {
    MlirAffineExpr expr = mlirAffineMapGetResult(t.map, i);
    if (mlirAffineExprIsADim(expr))
      cul_retype_pair(
          g, cul_retype_size(g, t.memory, mlirAffineDimExprGetPosition(expr)),
          cul_retype_size(g, t.vector, i));
  }
}

static void thin_transfer(struct cul_retype *g, MlirOperation op) {
  bool memory[CUL_RETYPE_MAX], vector[CUL_RETYPE_MAX];
  struct transfer t;
  if (!read_transfer(g, op, &t) || t.masked)
    return;
  cul_retype_find_gone(g, t.memory, memory);
  cul_retype_find_gone(g, t.vector, vector);
  cul_retype_thin_entries(g, op, "in_bounds", t.vector);
  (void)cul_ir_set(g->ir, op, "permutation_map",
                   cul_numbers_map_without(g->ir, t.map, memory, vector));
  cul_retype_thin_operands(g, op, t.first, t.memory);
}

const struct cul_retype_meaning cul_retype_transfer_words[] = {
    {"transfer", CUL_WORD_RANKS, rule_transfer, thin_transfer, 0},
    {0},
};
