/* Dimensions that go, of IREE's flow tensors: operands say where, one for each
 * dimension.  See retype_rank.h. */
#include "retype_rank.h"

#include <stdlib.h>
#include <string.h>

enum { WHOLE, PART, LISTS }; /* the word's arguments */

/* Where part number `part` of the operands begins; *n: how many it has. */
static intptr_t begin(MlirOperation op, intptr_t part, intptr_t *n) {
  int64_t sizes[CUL_RETYPE_MAX];
  size_t known = cul_numbers_named(op, "operandSegmentSizes", sizes);
  intptr_t first = 0;
  *n = 0;
  if (part < 0 || (size_t)part >= known)
    return -1;
  for (intptr_t i = 0; i < part; i++)
    first += (intptr_t)sizes[i];
  *n = (intptr_t)sizes[part];
  return first + *n <= mlirOperationGetNumOperands(op) ? first : -1;
}

static MlirValue value_of(const struct cul_retype *g, MlirOperation op,
                          size_t arg) {
  intptr_t n, first = begin(op, cul_retype_arg_number(g, arg), &n);
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
  size_t n = (size_t)mlirOperationGetNumOperands(op);
  bool *keep = cul_xcalloc(n + 1, sizeof *keep);
  memset(keep, true, n);
  for (size_t l = LISTS; l < g->word->n_args; l++) {
    intptr_t count, first = begin(op, cul_retype_arg_number(g, l), &count);
    for (intptr_t i = 0; first >= 0 && i < count; i++)
      keep[first + i] = !cul_retype_is_gone(g, whole, i);
  }
  cul_retype_keep_operands(g, op, keep);
  free(keep);
}
