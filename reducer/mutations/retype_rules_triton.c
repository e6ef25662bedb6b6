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
  if (!integer(op, "axis", &axis))
    return;
  for (int64_t i = 0; i < (int64_t)cul_retype_rank(g, from); i++)
    cul_retype_tie(g, cul_retype_size(g, from, i),
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
