/* Dimensions that go, of IREE's flow tensors: operands say where, one for each
 * dimension.  See retype_rank.h. */
#include "retype_rank.h"

enum { WHOLE, PART, LISTS }; /* the word's arguments */

static MlirValue value_of(const struct cul_retype *g, MlirOperation op,
                          size_t arg) {
  intptr_t n, first = cul_retype_segment(op, cul_retype_arg_number(g, arg), &n);
  return first >= 0 && n == 1 ? mlirOperationGetOperand(op, first)
                              : (MlirValue){NULL};
}

void cul_retype_join_flow(struct cul_retype *g, MlirOperation op) {
  MlirValue whole = value_of(g, op, WHOLE);
  if (!whole.ptr) {
    cul_retype_pin_all(g, op);
    return;
  }
  cul_retype_join_values(g, whole, value_of(g, op, PART));
  cul_retype_join_values(g, whole, mlirOperationGetResult(op, 0));
}

void cul_retype_thin_flow(struct cul_retype *g, MlirOperation op) {
  MlirValue whole = value_of(g, op, WHOLE);
  for (size_t l = LISTS; l < g->word->n_args; l++) {
    intptr_t n, first = cul_retype_segment(op, cul_retype_arg_number(g, l), &n);
    if (first >= 0 && (size_t)n == cul_retype_rank(g, whole))
      cul_retype_thin_operands(g, op, first, whole);
  }
}
