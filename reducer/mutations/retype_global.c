/* Globals, part of the retype engine: what loads and stores one has its type,
 * and its first value follows. */
#include "retype_mend.h"

struct global {
  const char *name;
  const char *value; /* attribute: the first value; "type" is its type */
};

static const struct global *global_of(MlirOperation op) {
  static const struct global globals[] = {
      {"memref.global", "initial_value"},
      {"ml_program.global", "value"},
      {"util.global", "initial_value"},
  };
  for (size_t i = 0; i < CUL_ARRAY_SIZE(globals); i++)
    if (cul_ir_is(op, globals[i].name))
      return &globals[i];
  return NULL;
}

/* Its first value, operand or result, has the type of what it names. */
static bool is_access(MlirOperation op) {
  static const char *const names[] = {
      "memref.get_global",       "ml_program.global_load",
      "ml_program.global_store", "ml_program.global_load_const",
      "util.global.load",        "util.global.store"};
  return cul_ir_is_among(op, names, CUL_ARRAY_SIZE(names)) &&
         cul_retype_n_values(op) == 1;
}

/* None, not given yet, or a literal that can be made anew. */
static bool can_follow(MlirAttribute value) {
  return !value.ptr || mlirAttributeIsAUnit(value) ||
         mlirAttributeIsAElements(value) || mlirAttributeIsAInteger(value) ||
         mlirAttributeIsAFloat(value);
}

static void tie_users(struct cul_retype *g, MlirOperation op, uint32_t slot) {
  const struct cul_ir_symbols *symbols = cul_ir_all_symbols(g->ir);
  for (size_t i = 0; i < symbols->n_uses; i++) {
    const struct cul_ir_symbol_use *use = &symbols->uses[i];
    MlirOperation user = cul_ir_current(g->ir, use->user);
    if (use->symbol == UINT32_MAX || !cul_ir_alive(g->ir, user) ||
        cul_ir_current(g->ir, symbols->items[use->symbol].op).ptr != op.ptr)
      continue;
    if (is_access(user))
      cul_retype_tie_slots(g, slot,
                           cul_retype_slot(g, cul_retype_value(user, 0)),
                           CUL_RETYPE_TIE_ALL);
    else
      cul_retype_pin_slot(g, slot);
  }
}

void cul_retype_rule_global(struct cul_retype *g, MlirOperation op) {
  const struct global *global = global_of(op);
  MlirAttribute type = {NULL};
  MlirValue none = {NULL};
  uint32_t slot;
  if (global)
    type = cul_ir_get(op, "type");
  if (!type.ptr || !mlirAttributeIsAType(type))
    return;
  slot = cul_retype_add_slot(g, none, mlirTypeAttrGetValue(type));
  cul_retype_hold(g, op, slot, 1, 0);
  if (!can_follow(cul_ir_get(op, global->value)))
    cul_retype_pin_slot(g, slot);
  tie_users(g, op, slot);
}

void cul_retype_rule_access(struct cul_retype *g, MlirOperation op) {
  bool named = cul_ir_is(op, "memref.get_global");
  MlirAttribute ref = cul_ir_get(op, named ? "name" : "global");
  MlirOperation global = {NULL};
  if (ref.ptr)
    global = cul_ir_resolve(g->ir, op, ref);
  for (size_t i = 0; i < cul_retype_n_values(op); i++)
    if (!global.ptr || !global_of(global))
      cul_retype_pin_value(g, cul_retype_value(op, i));
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
  const struct global *global = global_of(h->op);
  MlirType type = cul_retype_type_now(g, h->first);
  MlirAttribute value;
  if (!global)
    return false;
  value = cul_ir_get(h->op, global->value);
  (void)cul_ir_set(g->ir, h->op, "type", mlirTypeAttrGet(type));
  if (value.ptr && !mlirAttributeIsAUnit(value))
    value = cul_retype_literal(g->ir, value, literal_type(type));
  if (value.ptr)
    (void)cul_ir_set(g->ir, h->op, global->value, value);
  return true;
}
