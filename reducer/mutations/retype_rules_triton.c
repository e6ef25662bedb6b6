/* Retype rules of Triton's operations, as they come in the opaque form: by
 * name and attributes. */
#include "retype_rules.h"

static bool integer(MlirOperation op, const char *name, int64_t *out) {
  MlirAttribute attr = cul_ir_get(op, name);
  if (!attr.ptr || !mlirAttributeIsAInteger(attr))
    return false;
  *out = mlirIntegerAttrGetValueInt(attr);
  return true;
}

/* size = end - start, of i32 always */
void cul_retype_rule_range(struct cul_retype *g, MlirOperation op) {
  int64_t start, end;
  uint32_t node;
  cul_retype_pin(
      g, cul_retype_node(g, mlirOperationGetResult(op, 0), CUL_RETYPE_ELEMENT));
  if (!integer(op, "start", &start) || !integer(op, "end", &end))
    return;
  node = cul_retype_add_number(g, end, false);
  cul_retype_bind(g, op, "end", &node, 1);
  cul_retype_relate(g, CUL_RETYPE_EQUAL,
                    cul_retype_size(g, mlirOperationGetResult(op, 0), 0),
                    -start);
  cul_retype_term(g, node, 1);
}

/* The result has a 1 more, at the axis. */
void cul_retype_rule_expand(struct cul_retype *g, MlirOperation op) {
  MlirValue from = mlirOperationGetOperand(op, 0);
  MlirValue to = mlirOperationGetResult(op, 0);
  int64_t axis;
  if (!integer(op, cul_retype_arg(g, 0), &axis))
    return;
  for (int64_t i = 0; i < (int64_t)cul_retype_rank(g, from); i++)
    cul_retype_pair(g, cul_retype_size(g, from, i),
                    cul_retype_size(g, to, i + (i >= axis)));
}

/* The result is the first operand, of the second's shape and layout: what an
 * address points to has nothing to do with what it is counted in. */
void cul_retype_rule_address(struct cul_retype *g, MlirOperation op) {
  MlirValue to = mlirOperationGetResult(op, 0);
  cul_retype_rule_same(g, op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue from = mlirOperationGetOperand(op, i);
    cul_retype_tie(g, cul_retype_node(g, from, CUL_RETYPE_LAYOUT),
                   cul_retype_node(g, to, CUL_RETYPE_LAYOUT));
    if (i == 0 && mlirTypeEqual(mlirValueGetType(from), mlirValueGetType(to)))
      cul_retype_tie_values(g, from, to, CUL_RETYPE_TIE_TYPE);
  }
}

/* What an operation of Triton takes and gives has layouts, or none has. */
void cul_retype_rule_bare(struct cul_retype *g, MlirOperation op) {
  uint32_t first = CUL_RETYPE_NONE;
  for (size_t i = 0; i < cul_retype_n_values(op); i++) {
    uint32_t node =
        cul_retype_node(g, cul_retype_value(op, i), CUL_RETYPE_LAYOUT);
    if (node == CUL_RETYPE_NONE || g->value[node] == 0)
      continue;
    if (first != CUL_RETYPE_NONE &&
        cul_retype_find(g, first) != cul_retype_find(g, node)) {
      cul_retype_relate(g, CUL_RETYPE_BARE, first, 0);
      cul_retype_term(g, node, 1);
    }
    first = node;
  }
}

static uint32_t element(const struct cul_retype *g, MlirValue value) {
  return cul_retype_node(g, value, CUL_RETYPE_ELEMENT);
}

/* Another layout, nothing else. */
void cul_retype_rule_layout(struct cul_retype *g, MlirOperation op) {
  cul_retype_rule_same(g, op);
  cul_retype_tie(g, element(g, mlirOperationGetOperand(op, 0)),
                 element(g, mlirOperationGetResult(op, 0)));
}

/* The bits stay, hence the widths; of pointers, whose widths are one, too
 * little is known. */
void cul_retype_rule_bits(struct cul_retype *g, MlirOperation op) {
  cul_retype_rule_address(g, op);
  cul_retype_pin(g, element(g, mlirOperationGetOperand(op, 0)));
  cul_retype_pin(g, element(g, mlirOperationGetResult(op, 0)));
}

/* Matrices, or as many of them as the first dimension says. */
void cul_retype_rule_dot(struct cul_retype *g, MlirOperation op) {
  MlirValue a = mlirOperationGetOperand(op, 0);
  MlirValue b = mlirOperationGetOperand(op, 1);
  MlirValue c = mlirOperationGetOperand(op, 2);
  int64_t m = (int64_t)cul_retype_rank(g, a) - 2;
  if (m < 0 || cul_retype_rank(g, b) != cul_retype_rank(g, a) ||
      cul_retype_rank(g, c) != cul_retype_rank(g, a))
    return;
  cul_retype_tie(g, cul_retype_size(g, a, m + 1), cul_retype_size(g, b, m));
  cul_retype_tie(g, cul_retype_size(g, a, m), cul_retype_size(g, c, m));
  cul_retype_tie(g, cul_retype_size(g, b, m + 1), cul_retype_size(g, c, m + 1));
  for (int64_t i = 0; i < m; i++) {
    cul_retype_tie(g, cul_retype_size(g, a, i), cul_retype_size(g, b, i));
    cul_retype_tie(g, cul_retype_size(g, a, i), cul_retype_size(g, c, i));
  }
  if (mlirOperationGetNumResults(op) > 0)
    cul_retype_tie_values(g, c, mlirOperationGetResult(op, 0),
                          CUL_RETYPE_TIE_ALL);
}

/* An instruction of the machine: of 64 rows and 8 columns at least. */
void cul_retype_rule_warp_dot(struct cul_retype *g, MlirOperation op) {
  cul_retype_relate(g, CUL_RETYPE_AT_LEAST,
                    cul_retype_size(g, mlirOperationGetResult(op, 0), 0), 64);
  cul_retype_relate(g, CUL_RETYPE_AT_LEAST,
                    cul_retype_size(g, mlirOperationGetResult(op, 0), 1), 8);
}

/* The smaller shape is the end of the larger one; counters and strides are of
 * given types. */
void cul_retype_rule_memory(struct cul_retype *g, MlirOperation op) {
  MlirValue first = cul_retype_value(op, 0);
  size_t n = cul_retype_rank(g, first);
  for (size_t i = 1; i < cul_retype_n_values(op); i++) {
    size_t m = cul_retype_rank(g, cul_retype_value(op, i));
    for (size_t k = 1; k <= n && k <= m; k++)
      cul_retype_tie(
          g, cul_retype_size(g, first, (int64_t)(n - k)),
          cul_retype_size(g, cul_retype_value(op, i), (int64_t)(m - k)));
  }
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (mlirTypeIsAInteger(mlirValueGetType(value)))
      cul_retype_pin(g, element(g, value));
  }
}

/* Two of one length become one of twice that. */
void cul_retype_rule_cat(struct cul_retype *g, MlirOperation op) {
  uint32_t a = cul_retype_size(g, mlirOperationGetOperand(op, 0), 0);
  uint32_t to = cul_retype_size(g, mlirOperationGetResult(op, 0), 0);
  if (mlirOperationGetNumOperands(op) != 2 || a == CUL_RETYPE_NONE ||
      to == CUL_RETYPE_NONE)
    return;
  cul_retype_tie(g, a, cul_retype_size(g, mlirOperationGetOperand(op, 1), 0));
  cul_retype_relate(g, CUL_RETYPE_EQUAL, to, 0);
  cul_retype_term(g, a, 2);
}

/* One side has a 2 more, the last. */
void cul_retype_rule_pairs(struct cul_retype *g, MlirOperation op) {
  MlirValue first = cul_retype_value(op, 0);
  for (size_t i = 0; i < cul_retype_n_values(op); i++) {
    MlirValue value = cul_retype_value(op, i);
    size_t rank = cul_retype_rank(g, value);
    size_t less = rank < cul_retype_rank(g, first) ? rank : 0;
    for (size_t k = 0; k < rank && k < cul_retype_rank(g, first); k++)
      cul_retype_pair(g, cul_retype_size(g, first, (int64_t)k),
                      cul_retype_size(g, value, (int64_t)k));
    if (less)
      cul_retype_pin(g, cul_retype_size(g, first, (int64_t)less));
    else if (rank > cul_retype_rank(g, first))
      cul_retype_pin(g, cul_retype_size(g, value, (int64_t)rank - 1));
  }
}

/* With a layout the result's follows from the sizes. */
void cul_retype_rule_reshape(struct cul_retype *g, MlirOperation op) {
  cul_retype_same_elements(g, op);
  for (size_t i = 0; i < cul_retype_n_values(op); i++) {
    MlirValue value = cul_retype_value(op, i);
    uint32_t layout = cul_retype_node(g, value, CUL_RETYPE_LAYOUT);
    for (size_t k = 0; layout != CUL_RETYPE_NONE && g->value[layout] != 0 &&
                       k < cul_retype_rank(g, value);
         k++)
      cul_retype_pin(g, cul_retype_size(g, value, (int64_t)k));
  }
}
