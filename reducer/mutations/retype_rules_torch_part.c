/* Retype rules of the torch dialect for what takes a part, a window, or the
 * mean of what it is given: see retype_torch.h. */
#include "retype_torch.h"

static MlirValue operand(MlirOperation op, intptr_t i) {
  return mlirOperationGetOperand(op, i);
}

static MlirValue outcome(MlirOperation op) {
  return mlirOperationGetResult(op, 0);
}

static int64_t rank_of(const struct cul_retype *g, MlirValue value) {
  return (int64_t)cul_retype_rank(g, value);
}

static void tie(struct cul_retype *g, MlirValue a, int64_t i, MlirValue b,
                int64_t k) {
  cul_retype_pair(g, cul_retype_size(g, a, i), cul_retype_size(g, b, k));
}

/* x = step * y + what it is more than that: the remainder stays. */
static void relate_steps(struct cul_retype *g, uint32_t x, uint32_t y,
                         int64_t step) {
  cul_retype_relate(g, CUL_RETYPE_EQUAL, x, g->value[x] - step * g->value[y]);
  cul_retype_term(g, y, step);
}

/* ---- a part along one dimension: operand 1 ---- */

/* Start, end and step behind it.  One that ends in the middle stays as long as
 * it is. */
static void relate_slice(struct cul_retype *g, MlirOperation op, int64_t dim) {
  uint32_t x = cul_retype_size(g, operand(op, 0), dim);
  uint32_t y = cul_retype_size(g, outcome(op), dim);
  int64_t start, end, step;
  if (mlirOperationGetNumOperands(op) > 4 &&
      cul_torch_int(operand(op, 2), -1, &start) && start >= 0 &&
      cul_torch_int(operand(op, 3), -1, &end) && end >= g->value[x] &&
      cul_torch_int(operand(op, 4), -1, &step) && step > 0 && g->value[x] > 0 &&
      g->value[y] > 0) {
    if (start == 0 && step == 1)
      cul_retype_tie(g, x, y);
    else
      relate_steps(g, x, y, step);
    return;
  }
  cul_retype_pin(g, x);
  cul_retype_pin(g, y);
}

/* operand 2: which one; the first is there whatever the size. */
static void relate_select(struct cul_retype *g, MlirOperation op, int64_t dim) {
  int64_t at;
  if (!cul_torch_int(operand(op, 2), -1, &at) || at != 0)
    cul_retype_pin(g, cul_retype_size(g, operand(op, 0), dim));
}

static void rule_part(struct cul_retype *g, MlirOperation op,
                      enum cul_torch_kind kind) {
  MlirValue from = operand(op, 0), to = outcome(op);
  int64_t rank = rank_of(g, from), dim;
  if (mlirOperationGetNumOperands(op) < 3 ||
      !cul_torch_int(operand(op, 1), rank, &dim) || dim < 0 || dim >= rank) {
    cul_retype_pin_all(g, op);
    return;
  }
  for (int64_t i = 0; i < rank; i++)
    if (i != dim)
      tie(g, from, i, to, i - (kind == CUL_TORCH_SELECT && i > dim));
  if (kind == CUL_TORCH_SELECT)
    relate_select(g, op, dim);
  else if (kind == CUL_TORCH_SLICE)
    relate_slice(g, op, dim);
  else
    tie(g, operand(op, 2), 0, to, dim);
}

/* Rows of operand 0, where operand 1 says which. */
static void rule_rows(struct cul_retype *g, MlirOperation op) {
  int64_t n = rank_of(g, operand(op, 1));
  for (int64_t i = 0; i < n; i++)
    tie(g, operand(op, 1), i, outcome(op), i);
  tie(g, operand(op, 0), 1, outcome(op), n);
}

/* ---- windows ---- */

/* Kernel and strides: operands 1, 2; no strides are those of the kernel. */
static void rule_pool(struct cul_retype *g, MlirOperation op) {
  MlirValue x = operand(op, 0), y = outcome(op);
  int64_t rank = rank_of(g, x), step[CUL_RETYPE_MAX];
  size_t n = 0;
  if (rank != rank_of(g, y) || mlirOperationGetNumOperands(op) < 3 ||
      !cul_torch_ints(operand(op, 2), -1, step, &n) ||
      (n == 0 && !cul_torch_ints(operand(op, 1), -1, step, &n)) ||
      (int64_t)n >= rank) {
    cul_retype_pin_all(g, op);
    return;
  }
  for (int64_t i = 0; i < rank; i++) {
    int64_t at = i - (rank - (int64_t)n);
    uint32_t a = cul_retype_size(g, x, i), b = cul_retype_size(g, y, i);
    if (at < 0)
      cul_retype_tie(g, a, b);
    else if (step[at] > 0 && g->value[a] > 0 && g->value[b] > 0)
      relate_steps(g, a, b, step[at]);
    else
      cul_retype_pin_all(g, op);
  }
}

/* Operand 1 says what size comes out. */
static void rule_adaptive(struct cul_retype *g, MlirOperation op) {
  MlirValue x = operand(op, 0), y = outcome(op);
  int64_t rank = rank_of(g, x), sizes[CUL_RETYPE_MAX];
  size_t n;
  if (rank != rank_of(g, y) || !cul_torch_ints(operand(op, 1), -1, sizes, &n) ||
      (int64_t)n >= rank) {
    cul_retype_pin_all(g, op);
    return;
  }
  for (int64_t i = 0; i < rank; i++)
    if (i < rank - (int64_t)n) {
      tie(g, x, i, y, i);
    } else {
      /* All that does not divide by it is another lowering. */
      if (sizes[i - (rank - (int64_t)n)] != 1)
        cul_retype_pin(g, cul_retype_size(g, x, i));
      cul_retype_pin(g, cul_retype_size(g, y, i));
    }
}

/* ---- norms ---- */

/* One weight per channel, dimension 1. */
static void rule_channels(struct cul_retype *g, MlirOperation op) {
  MlirValue x = operand(op, 0);
  cul_retype_pair_values(g, x, outcome(op));
  for (intptr_t i = 1; i < mlirOperationGetNumOperands(op); i++)
    if (rank_of(g, operand(op, i)) == 1)
      tie(g, operand(op, i), 0, x, 1);
}

/* Operand 1, a list, is how x ends, and what the weights are. */
static void rule_ends(struct cul_retype *g, MlirOperation op) {
  MlirValue x = operand(op, 0);
  int64_t rank = rank_of(g, x);
  cul_retype_pair_values(g, x, outcome(op));
  for (intptr_t o = 2; o < mlirOperationGetNumOperands(op); o++) {
    int64_t n = rank_of(g, operand(op, o));
    for (int64_t i = 1; i <= n && i <= rank; i++)
      tie(g, operand(op, o), n - i, x, rank - i);
  }
}

void cul_torch_rule_part(struct cul_retype *g, MlirOperation op,
                         enum cul_torch_kind kind) {
  switch (kind) {
  case CUL_TORCH_SELECT:
  case CUL_TORCH_SLICE:
  case CUL_TORCH_PICK:
    rule_part(g, op, kind);
    return;
  case CUL_TORCH_ROWS:
    rule_rows(g, op);
    return;
  case CUL_TORCH_POOL:
    rule_pool(g, op);
    return;
  case CUL_TORCH_ADAPT:
    rule_adaptive(g, op);
    return;
  case CUL_TORCH_CHANNELS:
    rule_channels(g, op);
    return;
  case CUL_TORCH_GROUPS:
    rule_channels(g, op);
    cul_retype_pin(g, cul_retype_size(g, operand(op, 0), 1));
    return;
  case CUL_TORCH_ENDS:
    rule_ends(g, op);
    return;
  default:
    return;
  }
}
