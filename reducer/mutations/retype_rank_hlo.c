/* Dimensions that go, of StableHLO as it comes in the opaque form: see
 * retype_rank.h. */
#include "retype_rank.h"

#include <stdlib.h>
#include <string.h>

static MlirValue outcome(MlirOperation op) {
  return mlirOperationGetResult(op, 0);
}

/* ---- entries of lists, and scalars as subscripts ---- */

/* All lists of the word: of as many entries for each dimension. */
void cul_retype_thin_listed(struct cul_retype *g, MlirOperation op) {
  size_t rank = cul_retype_rank(g, outcome(op));
  int64_t numbers[CUL_RETYPE_MAX];
  bool gone[CUL_RETYPE_MAX] = {false};
  for (size_t i = 0; i < rank && i < CUL_RETYPE_MAX; i++)
    gone[i] = cul_retype_is_gone(g, outcome(op), (int64_t)i);
  for (size_t i = 0; i < g->word->n_args; i++) {
    const char *name = cul_retype_arg(g, i);
    size_t n = cul_numbers_named(op, name, numbers);
    if (n > rank)
      cul_retype_thin_list(g, op, name, gone, n / rank);
    else
      cul_retype_thin_entries(g, op, name, outcome(op));
  }
}

/* One scalar per dimension, the last operands. */
void cul_retype_thin_starts(struct cul_retype *g, MlirOperation op) {
  intptr_t n = mlirOperationGetNumOperands(op);
  intptr_t first = n - (intptr_t)cul_retype_rank(g, outcome(op));
  bool *keep = cul_xcalloc((size_t)n + 1, sizeof *keep);
  for (intptr_t i = 0; i < n; i++)
    keep[i] = i < first || !cul_retype_is_gone(g, outcome(op), i - first);
  cul_retype_keep_operands(g, op, keep);
  free(keep);
}

/* ---- batches ---- */

/* The last two dimensions stay: matrices. */
void cul_retype_join_matrices(struct cul_retype *g, MlirOperation op) {
  cul_retype_join_all(g, op);
  for (size_t i = 0; i < cul_retype_n_values(op); i++) {
    MlirValue value = cul_retype_value(op, i);
    int64_t rank = (int64_t)cul_retype_rank(g, value);
    cul_retype_pin(g, cul_retype_size(g, value, rank - 1));
    cul_retype_pin(g, cul_retype_size(g, value, rank - 2));
  }
}

/* ---- custom_call: what it does nobody knows ---- */

/* An entry per value: in which order its dimensions lie. */
static void thin_orders(struct cul_retype *g, MlirOperation op,
                        const char *name, size_t first) {
  MlirAttribute list = cul_ir_get(op, name), made[CUL_RETYPE_MAX];
  intptr_t n = list.ptr && mlirAttributeIsAArray(list)
                   ? mlirArrayAttrGetNumElements(list)
                   : 0;
  if (n == 0 || n > CUL_RETYPE_MAX)
    return;
  for (intptr_t i = 0; i < n; i++) {
    MlirValue of = cul_retype_value(op, first + (size_t)i);
    int64_t order[CUL_RETYPE_MAX];
    size_t kept = 0, m;
    made[i] = mlirArrayAttrGetElement(list, i);
    m = cul_numbers(made[i], order);
    for (size_t k = 0; k < m; k++)
      if (!cul_retype_is_gone(g, of, order[k]))
        order[kept++] = cul_retype_renumber(g, of, order[k]);
    if (kept < m)
      made[i] = cul_numbers_replaced(g->ir, made[i], order, kept);
    if (!made[i].ptr)
      return;
  }
  (void)cul_ir_set(g->ir, op, name, mlirArrayAttrGet(g->ir->context, n, made));
}

void cul_retype_thin_orders(struct cul_retype *g, MlirOperation op) {
  thin_orders(g, op, cul_retype_arg(g, 0), 0);
  thin_orders(g, op, cul_retype_arg(g, 1),
              (size_t)mlirOperationGetNumOperands(op));
}
