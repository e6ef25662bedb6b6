/* Dimensions that go, of IREE's flow tensors: operands say where, one for each
 * dimension.  See retype_rank.h. */
#include "retype_rank.h"

#include <stdlib.h>
#include <string.h>

/* Which parts of operandSegmentSizes. */
struct flow_op {
  const char *name;
  int whole, part; /* one value each; -1: none */
  int where[2];    /* lists with an entry per dimension of whole; 0: no more */
};

static const struct flow_op flow_ops[] = {
    {"flow.tensor.slice", 0, -1, {2, 3}},
    {"flow.tensor.update", 0, 3, {2, 0}},
    {"flow.tensor.load", 0, -1, {2, 0}},
    {"flow.tensor.store", 1, -1, {3, 0}},
};

static const struct flow_op *find(MlirOperation op) {
  for (size_t i = 0; i < CUL_ARRAY_SIZE(flow_ops); i++)
    if (cul_ir_is(op, flow_ops[i].name))
      return &flow_ops[i];
  return NULL;
}

/* Where part number `part` of the operands begins; *n: how many it has. */
static intptr_t begin(MlirOperation op, int part, intptr_t *n) {
  int64_t sizes[CUL_RETYPE_MAX];
  size_t known = cul_numbers_named(op, "operandSegmentSizes", sizes);
  intptr_t first = 0;
  *n = 0;
  if (part < 0 || (size_t)part >= known)
    return -1;
  for (int i = 0; i < part; i++)
    first += (intptr_t)sizes[i];
  *n = (intptr_t)sizes[part];
  return first + *n <= mlirOperationGetNumOperands(op) ? first : -1;
}

static MlirValue value_of(MlirOperation op, int part) {
  intptr_t n, first = begin(op, part, &n);
  return first >= 0 && n == 1 ? mlirOperationGetOperand(op, first)
                              : (MlirValue){NULL};
}

static void join_flow(struct cul_retype *g, MlirOperation op,
                      const struct cul_retype_rank_rule *rule) {
  const struct flow_op *flow = find(op);
  MlirValue whole = flow ? value_of(op, flow->whole) : (MlirValue){NULL};
  (void)rule;
  if (!flow || !whole.ptr) {
    cul_retype_pin_all(g, op);
    return;
  }
  cul_retype_join_values(g, whole, value_of(op, flow->part));
  cul_retype_join_values(g, whole, mlirOperationGetResult(op, 0));
}

static void thin_flow(struct cul_retype *g, MlirOperation op,
                      const struct cul_retype_rank_rule *rule) {
  const struct flow_op *flow = find(op);
  MlirValue whole = flow ? value_of(op, flow->whole) : (MlirValue){NULL};
  size_t n = (size_t)mlirOperationGetNumOperands(op);
  bool *keep = cul_xcalloc(n + 1, sizeof *keep);
  (void)rule;
  memset(keep, true, n);
  for (size_t l = 0; flow && l < CUL_ARRAY_SIZE(flow->where); l++) {
    intptr_t count, first = -1;
    if (flow->where[l] > 0)
      first = begin(op, flow->where[l], &count);
    for (intptr_t i = 0; first >= 0 && i < count; i++)
      keep[first + i] = !cul_retype_is_gone(g, whole, i);
  }
  cul_retype_keep_operands(g, op, keep);
  free(keep);
}

const struct cul_retype_rank_rule *cul_retype_rank_flow(MlirOperation op) {
  static const struct cul_retype_rank_rule rule = {.join = join_flow,
                                                   .thin = thin_flow};
  return find(op) ? &rule : NULL;
}
