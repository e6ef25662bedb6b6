/* Edits of attributes, operands and casts that depend on changed types: see
 * rules.h. */
#include "rules.h"

#include "../../../subject/edit/region.h"

/* ---- attributes ---- */

/* The old and the new types of one operation's values. */
struct renewal {
  struct cul_retype *g;
  MlirType from[2 * CUL_RETYPE_MAX], to[2 * CUL_RETYPE_MAX];
  size_t n;
};

static void add_pair(struct renewal *r, MlirType from, MlirType to) {
  if (r->n < CUL_ARRAY_SIZE(r->from) && !mlirTypeEqual(from, to)) {
    r->from[r->n] = from;
    r->to[r->n++] = to;
  }
}

/* Results first, because a literal has the type of a result. */
static void collect(struct cul_retype *g, MlirOperation op,
                    struct renewal *out) {
  size_t n = cul_ir_n_values(op);
  for (size_t i = n; i-- > 0;) {
    uint32_t slot = cul_retype_slot(g, cul_ir_value(op, i));
    MlirType from, to;
    if (slot == CUL_RETYPE_NONE)
      continue;
    add_pair(out, g->slots.items[slot].type, cul_retype_type_now(g, slot));
    from = g->slots.items[slot].shaped;
    to = cul_retype_shaped_now(g, slot);
    if (!from.ptr || !to.ptr)
      continue;
    add_pair(out, from, to);
    if (mlirTypeIsAShaped(from) && mlirTypeIsAShaped(to))
      add_pair(out, mlirShapedTypeGetElementType(from),
               mlirShapedTypeGetElementType(to));
  }
}

static const MlirType *renew(const struct renewal *r, MlirType type) {
  for (size_t i = 0; i < r->n; i++)
    if (mlirTypeEqual(r->from[i], type))
      return &r->to[i];
  return NULL;
}

static MlirAttribute renew_attr(struct cul_ir *ir, MlirAttribute attr,
                                void *arg) {
  const struct renewal *r = arg;
  const MlirType *type;
  MlirAttribute made;
  if (mlirAttributeIsAType(attr)) {
    type = renew(r, mlirTypeAttrGetValue(attr));
    return type ? mlirTypeAttrGet(*type) : attr;
  }
  if (!mlirAttributeIsAElements(attr) && !mlirAttributeIsAInteger(attr) &&
      !mlirAttributeIsAFloat(attr))
    return attr;
  type = renew(r, mlirAttributeGetType(attr));
  if (!type)
    return attr;
  made = cul_ir_literal_as(ir, attr, *type);
  return made.ptr ? made : attr;
}

/* Is the attribute data, with a type that follows the values?  Integers are
 * data only under these names, and count something elsewhere; an epsilon keeps
 * its width. */
static bool is_data(MlirStringRef name, MlirAttribute attr) {
  if (!mlirAttributeIsAInteger(attr))
    return !cul_ir_str_is(name, "epsilon");
  return cul_ir_str_is_word(
      name, " value values min_val max_val pad_const initial_value ");
}

void cul_retype_fix_up_attributes(struct cul_retype *g, MlirOperation op) {
  struct renewal r = {.g = g};
  collect(g, op, &r);
  if (r.n == 0)
    return;
  CUL_IR_EACH_ATTR(walk, g->ir, op) {
    MlirAttribute old = walk.attr->attr, made = old;
    if (is_data(walk.attr->name, old))
      made = cul_ir_attr_map(g->ir, old, renew_attr, &r);
    if (made.ptr != old.ptr)
      (void)cul_ir_set(g->ir, op, walk.attr->name.data, made);
  }
}

/* ---- dynamic sizes as operands ---- */

/* Drop operands that gave the dynamic sizes of a value, one each, for sizes
 * that are no longer dynamic. */
static void fix_sizes(struct cul_retype *g, MlirOperation op) {
  size_t n, at = cul_retype_arg_operands(g, op, 1, &n);
  MlirValue of = cul_retype_arg_value(g, op, 0);
  bool *keep = cul_retype_all_operands(op);
  n = (size_t)mlirOperationGetNumOperands(op);
  for (size_t i = 0; at < n && i < cul_retype_rank(g, of); i++) {
    uint32_t node = cul_retype_size(g, of, (int64_t)i);
    if (g->node[node].value == CUL_RETYPE_DYNAMIC)
      keep[at++] = cul_retype_now(g, node) == CUL_RETYPE_DYNAMIC;
  }
  cul_retype_keep_operands(g, op, keep);
}

/* ---- casts ---- */

static void fix_up_direction(struct cul_retype *g, MlirOperation op,
                             MlirType from, MlirType to) {
  const struct cul_op_word *narrows = cul_retype_word(op, "narrows");
  const struct cul_op_word *cast =
      narrows ? narrows : cul_retype_word(op, "widens");
  /* these hold in one direction only */
  static const char *const flags[] = {"overflowFlags", "nonNeg", NULL};
  struct cul_ir_change change = {.drop_attrs = flags};
  unsigned a = cul_ir_width(from), b = cul_ir_width(to);
  if (!cast || a == b || (narrows != NULL) == (a > b))
    return;
  change.name = cast->args[0];
  (void)cul_retype_rebuild(g, op, &change);
}

static bool is_cast(MlirOperation op) {
  return cul_retype_word(op, "cast") || cul_retype_word(op, "widens") ||
         cul_retype_word(op, "narrows");
}

void cul_retype_fix_up_cast(struct cul_retype *g, MlirOperation op) {
  MlirValue from, to;
  uint32_t a, b;
  if (!cul_ir_alive(g->ir, op) || !is_cast(op))
    return;
  from = mlirOperationGetOperand(op, 0);
  to = mlirOperationGetResult(op, 0);
  a = cul_retype_slot(g, from);
  b = cul_retype_slot(g, to);
  if (a == CUL_RETYPE_NONE || b == CUL_RETYPE_NONE ||
      (mlirTypeEqual(g->slots.items[a].type, mlirValueGetType(from)) &&
       mlirTypeEqual(g->slots.items[b].type, mlirValueGetType(to))))
    return;
  if (cul_region_same_type(from, to))
    cul_retype_become(g, op, from);
  else
    fix_up_direction(g, op, mlirValueGetType(from), mlirValueGetType(to));
}

/* ---- shapes as operands ---- */

static bool is_static(MlirValue value) {
  MlirType type = mlirValueGetType(value);
  return mlirTypeIsAShaped(type) && mlirShapedTypeHasRank(type) &&
         mlirShapedTypeHasStaticShape(type);
}

/* Drop the last operand, the shape of the result, if that shape is now
 * static. */
static void fix_static(struct cul_retype *g, MlirOperation op) {
  static const char *const known[] = {"known_expanding_dimensions",
                                      "known_nonexpanding_dimensions", NULL};
  bool keep[2] = {true, false};
  intptr_t n = mlirOperationGetNumOperands(op);
  struct cul_ir_change change = {
      .name = cul_retype_arg(g, 0), .keep_operands = keep, .drop_attrs = known};
  MlirOperation maker;
  if (n < 1 || n > 2 || !is_static(mlirOperationGetResult(op, 0)) ||
      !is_static(mlirOperationGetOperand(op, 0)))
    return;
  keep[0] = n == 2;
  maker = cul_ir_defining_op(mlirOperationGetOperand(op, n - 1));
  (void)cul_retype_rebuild(g, op, &change);
  if (maker.ptr && cul_ir_alive(g->ir, maker))
    (void)cul_ir_sweep(g->ir, maker);
}

const struct cul_retype_meaning cul_retype_fix_up_words[] = {
    {"sizes", CUL_WORD_ASIDE | CUL_WORD_ALWAYS, NULL, fix_sizes, 0},
    {"static", CUL_WORD_ASIDE | CUL_WORD_ALWAYS, NULL, fix_static, 0},
    {0},
};
