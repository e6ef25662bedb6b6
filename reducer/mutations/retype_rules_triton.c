/* Retype rules of Triton's operations, as they come in the opaque form: by
 * name and attributes. */
#include "retype_rules.h"

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
