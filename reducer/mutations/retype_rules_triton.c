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

/* size = end - start */
void cul_retype_rule_range(struct cul_retype *g, MlirOperation op) {
  int64_t start, end;
  uint32_t node;
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

/* The pointer's own type says what is loaded and stored: it stays. */
void cul_retype_rule_access(struct cul_retype *g, MlirOperation op) {
  cul_retype_rule_same(g, op);
  for (size_t i = 0; i < cul_retype_n_values(op); i++)
    cul_retype_pin(
        g, cul_retype_node(g, cul_retype_value(op, i), CUL_RETYPE_ELEMENT));
}
