/* Globals, part of the retype engine: what loads and stores one has its type,
 * and its first value follows. */
#include "fix_up.h"

/* The attribute that is its first value; "type" is its type.  NULL: it is no
 * global. */
static const char *first_value(MlirOperation op) {
  const struct cul_op_word *word = cul_retype_word(op, "global");
  return word ? word->args[0] : NULL;
}

/* Its first value, operand or result, has the type of what it names. */
static bool is_access(MlirOperation op) {
  return cul_retype_word(op, "global-access") && cul_ir_n_values(op) == 1;
}

/* None, not given yet, or a literal that can be made anew. */
static bool can_follow(MlirAttribute value) {
  return !value.ptr || mlirAttributeIsAUnit(value) ||
         mlirAttributeIsAElements(value) || mlirAttributeIsAInteger(value) ||
         mlirAttributeIsAFloat(value);
}

void cul_retype_users(struct cul_retype *g, MlirOperation symbol,
                      struct cul_ir_ops *out) {
  const struct cul_ir_symbols *symbols = cul_ir_all_symbols(g->ir);
  for (size_t i = 0; i < symbols->n_uses; i++) {
    const struct cul_ir_symbol_use *use = &symbols->uses[i];
    MlirOperation user = cul_ir_current(g->ir, use->user);
    if (use->symbol != UINT32_MAX && cul_ir_alive(g->ir, user) &&
        cul_ir_current(g->ir, symbols->items[use->symbol].op).ptr == symbol.ptr)
      cul_ir_ops_add(out, user);
  }
}

static void tie_users(struct cul_retype *g, MlirOperation op, uint32_t slot) {
  struct cul_ir_ops users = {0};
  cul_retype_users(g, op, &users);
  for (size_t i = 0; i < users.n; i++)
    if (is_access(users.items[i]))
      cul_retype_tie_slots(g, slot,
                           cul_retype_slot(g, cul_ir_value(users.items[i], 0)));
    else
      cul_retype_pin_slot(g, slot);
  cul_ir_ops_release(&users);
}

void cul_retype_rule_global(struct cul_retype *g, MlirOperation op) {
  const char *value = first_value(op);
  MlirAttribute type = {NULL};
  MlirValue none = {NULL};
  uint32_t slot;
  if (value)
    type = cul_ir_get(op, "type");
  if (!type.ptr || !mlirAttributeIsAType(type))
    return;
  slot = cul_retype_add_slot(g, none, mlirTypeAttrGetValue(type));
  cul_retype_hold(g, op, slot, 1, 0);
  if (!can_follow(cul_ir_get(op, value)))
    cul_retype_pin_slot(g, slot);
  tie_users(g, op, slot);
}

void cul_retype_rule_global_access(struct cul_retype *g, MlirOperation op) {
  MlirAttribute ref = cul_ir_get(op, cul_retype_arg(g, 0));
  MlirOperation global = {NULL};
  if (ref.ptr)
    global = cul_ir_resolve(g->ir, op, ref);
  for (size_t i = 0; i < cul_ir_n_values(op); i++)
    if (!global.ptr || !first_value(global))
      cul_retype_pin_value(g, cul_ir_value(op, i));
}

/* A buffer's first value is a tensor. */
static MlirType literal_type(MlirType type) {
  int64_t sizes[CUL_RETYPE_MAX];
  intptr_t n;
  if (!mlirTypeIsAMemRef(type))
    return type;
  n = mlirShapedTypeGetRank(type);
  for (intptr_t i = 0; i < n && i < CUL_RETYPE_MAX; i++)
    sizes[i] = mlirShapedTypeGetDimSize(type, i);
  return mlirRankedTensorTypeGet(n < CUL_RETYPE_MAX ? n : CUL_RETYPE_MAX, sizes,
                                 mlirShapedTypeGetElementType(type),
                                 mlirAttributeGetNull());
}

bool cul_retype_write_global(struct cul_retype *g,
                             const struct cul_retype_holder *h) {
  const char *name = first_value(h->op);
  MlirType type = cul_retype_type_now(g, h->first);
  MlirAttribute value;
  if (!name)
    return false;
  value = cul_ir_get(h->op, name);
  (void)cul_ir_set(g->ir, h->op, "type", mlirTypeAttrGet(type));
  if (value.ptr && !mlirAttributeIsAUnit(value))
    value = cul_retype_literal(g->ir, value, literal_type(type));
  if (value.ptr)
    (void)cul_ir_set(g->ir, h->op, name, value);
  return true;
}
