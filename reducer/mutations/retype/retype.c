/* The retype engine, for mutations: see retype.h.  The rule of an operation
 * ties parts of types while the graph is built, and fixes the operation after
 * its types have changed. */
#include "retype.h"

#include <stdlib.h>
#include <string.h>

#include "../../opmodel/opmodel.h"
#include "../../subject/edit/region.h"
#include "rules/rules.h"

/* ---- layouts of views ---- */

/* The strides of a memref.subview are those of its source times its own, and it
 * starts at its offsets.  A tensor with a layout of Triton that loses a
 * dimension gets a slice of the layout. */

/* a + b * c */
static int64_t plus_times(int64_t a, int64_t b, int64_t c) {
  const int64_t all[] = {a, b, c};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(all); i++)
    if (all[i] == CUL_RETYPE_DYNAMIC ||
        mlirShapedTypeIsDynamicStrideOrOffset(all[i]))
      return mlirShapedTypeGetDynamicStrideOrOffset();
  return a + b * c;
}

static bool is_strided(const struct cul_retype *g, MlirValue value) {
  uint32_t node = cul_retype_node(g, value, CUL_RETYPE_LAYOUT);
  MlirAttribute layout = {NULL};
  if (node != CUL_RETYPE_NONE)
    layout.ptr = (void *)(intptr_t)g->node[node].value;
  return layout.ptr && mlirAttributeIsAStridedLayout(layout);
}

/* The sizes of the remaining dimensions of a value; returns their number. */
static size_t sizes_left(const struct cul_retype *g, MlirValue value,
                         int64_t *out) {
  size_t n = 0;
  for (size_t i = 0; i < cul_retype_rank(g, value); i++)
    if (!cul_retype_is_gone(g, value, (int64_t)i))
      out[n++] = cul_retype_now(g, cul_retype_size(g, value, (int64_t)i));
  return n;
}

/* The layout of a view.  The lists of op still have the entries of removed
 * dimensions.  The result has all dimensions of the view, or lacks some of size
 * 1, the first that fit. */
static MlirAttribute view_layout(const struct cul_retype *g, MlirOperation op,
                                 MlirType source) {
  MlirValue from = mlirOperationGetOperand(op, 0);
  int64_t offsets[CUL_RETYPE_MAX], sizes[CUL_RETYPE_MAX],
      strides[CUL_RETYPE_MAX], old[CUL_RETYPE_MAX], to[CUL_RETYPE_MAX], offset;
  size_t n = cul_numbers_named(op, "static_strides", strides), kept = 0, at = 0;
  size_t rank = sizes_left(g, mlirOperationGetResult(op, 0), to);
  size_t left = sizes_left(g, from, old);
  if (n == 0 || n != cul_retype_rank(g, from) ||
      cul_numbers_named(op, "static_offsets", offsets) != n ||
      cul_numbers_named(op, "static_sizes", sizes) != n ||
      mlirLogicalResultIsFailure(
          mlirMemRefTypeGetStridesAndOffset(source, old, &offset)))
    return (MlirAttribute){NULL};
  for (size_t i = 0; i < n; i++) {
    bool spare = left - at > rank - kept;
    if (cul_retype_is_gone(g, from, (int64_t)i))
      continue;
    offset = plus_times(offset, offsets[i], old[at]);
    if (kept < rank && !(spare && sizes[i] == 1 && to[kept] != 1))
      strides[kept++] = plus_times(0, old[at], strides[i]);
    at++;
  }
  return mlirStridedLayoutAttrGet(g->ir->context, offset, (intptr_t)kept,
                                  strides);
}

/* If op is a view: derive the layout of its class from its source, new offsets
 * and new strides.  Call after the numbers changed and before the types change.
 */
static void derive_layout(struct cul_retype *g, MlirOperation op) {
  MlirAttribute layout = {NULL};
  MlirValue result;
  uint32_t root;
  if (!cul_ir_is(op, "memref.subview"))
    return;
  result = mlirOperationGetResult(op, 0);
  if (is_strided(g, result))
    layout =
        view_layout(g, op,
                    cul_retype_type_now(
                        g, cul_retype_slot(g, mlirOperationGetOperand(op, 0))));
  if (!layout.ptr)
    return;
  /* the pin forbids to choose the layout, not to derive it */
  root = cul_retype_find(g, cul_retype_node(g, result, CUL_RETYPE_LAYOUT));
  g->node[root].now = (int64_t)(intptr_t)layout.ptr;
  g->node[root].set = g->node[root].now != g->node[root].value;
}

/* ---- slices ---- */

static const char *layout_text(const struct cul_retype *g,
                               const struct cul_retype_slot *slot) {
  MlirAttribute layout = {
      (void *)(intptr_t)g->node[slot->first + CUL_RETYPE_LAYOUT].value};
  return layout.ptr ? cul_ir_attr_text(g->ir, layout) : "";
}

/* Does the slot have a layout of Triton, of which it gets a slice when it loses
 * one of two dimensions?  Values that share a layout lose the same one. */
static bool retype_is_sliced(const struct cul_retype *g,
                             const struct cul_retype_slot *slot) {
  bool fits = slot->rank > 1 || (slot->rank == 1 && g->triton);
  const char *text = fits ? layout_text(g, slot) : "";
  return strncmp(text, "#ttg.", 5) == 0 ||
         strncmp(text, "#triton_gpu.", 12) == 0;
}

/* Join the dimensions of values that share a Triton layout.  Removing one of
 * two dimensions leaves a slice of the layout, so all values must lose the same
 * one. */
static void join_slices(struct cul_retype *g) {
  CUL_OWNED(cul_map) first = {0};
  for (size_t s = 0; s < g->slots.n; s++) {
    const struct cul_retype_slot *slot = &g->slots.items[s];
    uint64_t *known;
    void *key =
        (void *)(uintptr_t)(1 + cul_retype_find(g, slot->first +
                                                       CUL_RETYPE_LAYOUT));
    if (!retype_is_sliced(g, slot))
      continue;
    known = cul_map_get(&first, key);
    if (!known) {
      cul_map_put(&first, key, slot->first);
      continue;
    }
    for (uint32_t i = 0; i < slot->rank; i++)
      cul_retype_join_nodes(g, (uint32_t)*known + CUL_RETYPE_SIZE + i,
                            slot->first + CUL_RETYPE_SIZE + i);
  }
}

/* The layout without the removed dimensions; null if all or none of them are,
 * or it has no slices. */
static MlirAttribute slice_of(struct cul_retype *g,
                              const struct cul_retype_slot *slot) {
  bool gone[CUL_RETYPE_MAX] = {false};
  size_t n = 0;
  CUL_HEAP char *text = NULL;
  for (uint32_t i = 0; i < slot->rank && i < CUL_RETYPE_MAX; i++) {
    gone[i] =
        cul_retype_now(g, slot->first + CUL_RETYPE_SIZE + i) == CUL_RETYPE_GONE;
    n += gone[i];
  }
  if (n > 0 && n < slot->rank && retype_is_sliced(g, slot))
    text = cul_ir_text_sliced(layout_text(g, slot), slot->rank, gone);
  return cul_ir_attr_parse(g->ir, text);
}

/* The same as derive_layout, for layouts that are slices of others. */
static void derive_slices(struct cul_retype *g) {
  for (size_t s = 0; g->ranks && s < g->slots.n; s++) {
    const struct cul_retype_slot *slot = &g->slots.items[s];
    uint32_t root = cul_retype_find(g, slot->first + CUL_RETYPE_LAYOUT);
    MlirAttribute made = {NULL};
    if (!g->node[root].set)
      made = slice_of(g, slot);
    if (made.ptr) {
      g->node[root].now = (int64_t)(intptr_t)made.ptr;
      g->node[root].set = true;
    }
  }
}

/* Is the value a view, whose layout is derived from that of its source? */
static bool is_view(MlirValue value) {
  MlirOperation op = cul_ir_defining_op(value);
  return op.ptr && cul_ir_is(op, "memref.subview");
}

/* Does the type's wrapper have lists for one rank? */
static bool counts_dims(const struct cul_retype *g,
                        const struct cul_retype_slot *slot) {
  return slot->wrapper != CUL_RETYPE_NONE &&
         cul_ir_hole_has_lists(&g->wrappers.items[slot->wrapper].around);
}

/* Pin the dimensions of values with a layout or an encoding, which is made for
 * one rank, unless the layout is derived. */
static void pin_layouts(struct cul_retype *g) {
  CUL_HEAP bool *derived = cul_xcalloc(g->n_nodes + 1, sizeof *derived);
  for (size_t s = 0; s < g->slots.n; s++)
    if (is_view(g->slots.items[s].value))
      derived[cul_retype_find(g, g->slots.items[s].first + CUL_RETYPE_LAYOUT)] =
          true;
  for (size_t s = 0; s < g->slots.n; s++) {
    const struct cul_retype_slot *slot = &g->slots.items[s];
    uint32_t layout = cul_retype_find(g, slot->first + CUL_RETYPE_LAYOUT);
    if ((derived[layout] ||
         cul_retype_is_default_layout(g->node[layout].value) ||
         retype_is_sliced(g, slot)) &&
        !counts_dims(g, slot))
      continue;
    cul_retype_pin_dims(g, slot);
  }
}

/* ---- learnt rules ---- */

/* Rules for operations that have none: the parts that are tied, and the
 * dimensions that are removed together, as the verifier has shown (opmodel). */

/* Does the operation have values of other than builtin types?  The op model
 * does not ask about their sizes. */
static bool has_other_sizes(const struct cul_retype *g, MlirOperation op) {
  for (size_t i = 0; i < cul_ir_n_values(op); i++) {
    uint32_t slot = cul_retype_slot(g, cul_ir_value(op, i));
    if (slot == CUL_RETYPE_NONE ||
        g->slots.items[slot].wrapper != CUL_RETYPE_NONE)
      return true;
  }
  return false;
}

static uint32_t node_of(struct cul_retype *g, MlirOperation op,
                        const struct cul_spot *spot) {
  MlirValue value;
  uint32_t first;
  size_t n;
  if (spot->kind == CUL_SPOT_NUMBER) {
    first =
        cul_retype_list(g, op, mlirIdentifierStr(spot->attr).data, false, &n);
    return spot->at < n ? first + spot->at : CUL_RETYPE_NONE;
  }
  if (spot->value >= cul_ir_n_values(op))
    return CUL_RETYPE_NONE;
  value = cul_ir_value(op, spot->value);
  switch (spot->kind) {
  case CUL_SPOT_SIZE:
    return cul_retype_size(g, value, spot->at);
  case CUL_SPOT_LAYOUT:
    return cul_retype_node(g, value, CUL_RETYPE_LAYOUT);
  case CUL_SPOT_SPACE:
    return cul_retype_node(g, value, CUL_RETYPE_SPACE);
  default:
    return cul_retype_element(g, value);
  }
}

/* Are both spots in one set?  Spots in no set are tied to all of their kind
 * that are equal. */
static bool go_together(const struct cul_spot *a, const struct cul_spot *b) {
  return a->set == b->set &&
         (a->set != UINT32_MAX || cul_spots_are_alike(a->kind, b->kind));
}

static bool is_dynamic(const struct cul_retype *g, uint32_t node) {
  return node != CUL_RETYPE_NONE && g->node[node].value == CUL_RETYPE_DYNAMIC;
}

/* Tie parts that the op model does not ask about: elements of other kinds,
 * default layouts, and dynamic sizes. */
static void tie_rest(struct cul_retype *g, MlirValue a, MlirValue b) {
  MlirType element = {NULL};
  uint32_t x = cul_retype_element(g, a);
  if (x != CUL_RETYPE_NONE)
    element.ptr = (const void *)(intptr_t)g->node[x].value;
  if (element.ptr && !mlirTypeIsAInteger(element) && !mlirTypeIsAFloat(element))
    cul_retype_tie(g, x, cul_retype_element(g, b));
  x = cul_retype_node(g, a, CUL_RETYPE_LAYOUT);
  if (x != CUL_RETYPE_NONE && cul_retype_is_default_layout(g->node[x].value))
    cul_retype_tie(g, x, cul_retype_node(g, b, CUL_RETYPE_LAYOUT));
  if (cul_retype_rank(g, a) != cul_retype_rank(g, b))
    return;
  for (size_t d = 0; d < cul_retype_rank(g, a); d++) {
    uint32_t i = cul_retype_size(g, a, (int64_t)d);
    uint32_t k = cul_retype_size(g, b, (int64_t)d);
    if (is_dynamic(g, i) || is_dynamic(g, k))
      cul_retype_tie(g, i, k);
  }
}

static const struct cul_spot *spots_of(const struct cul_retype *g,
                                       MlirOperation op,
                                       enum cul_sets_kind kind, size_t *n) {
  const struct cul_class *class = cul_model_class(g->ir, op);
  return class && mlirOperationGetNumRegions(op) == 0 && !has_other_sizes(g, op)
             ? cul_class_sets(class, kind, n)
             : NULL;
}

/* Tie the parts of op that are learnt to be equal, or relate the dimensions
 * that are removed together.  False if nothing is learnt of op. */
static bool retype_rule_learnt(struct cul_retype *g, MlirOperation op,
                               enum cul_sets_kind kind) {
  bool ranks = kind == CUL_SETS_RANKS;
  uint32_t nodes[CUL_RETYPE_MAX];
  size_t n;
  const struct cul_spot *spots = spots_of(g, op, kind, &n);
  for (size_t i = 0; spots && i < n; i++) {
    nodes[i] = node_of(g, op, &spots[i]);
    if (ranks && spots[i].set == UINT32_MAX)
      cul_retype_pin(g, nodes[i]);
    for (size_t k = 0; k < i; k++)
      if (!ranks && go_together(&spots[i], &spots[k]))
        cul_retype_tie(g, nodes[i], nodes[k]);
      else if (ranks && spots[k].set == spots[i].set &&
               spots[i].set != UINT32_MAX)
        cul_retype_join_nodes(g, nodes[i], nodes[k]);
  }
  for (size_t i = 1; spots && !ranks && i < cul_ir_n_values(op); i++)
    for (size_t k = 0; k < i; k++)
      tie_rest(g, cul_ir_value(op, i), cul_ir_value(op, k));
  return spots != NULL;
}

/* Remove operands and entries of attributes along with dimensions, as
 * learnt. */
static void retype_thin_learnt(struct cul_retype *g, MlirOperation op) {
  size_t n;
  const struct cul_spot *dims = spots_of(g, op, CUL_SETS_RANKS, &n);
  bool *keep;
  uint64_t gone = 0;
  for (size_t i = 0; dims && i < n; i++)
    if (cul_retype_is_gone(g, cul_ir_value(op, dims[i].value), dims[i].at))
      gone |= UINT64_C(1) << i;
  if (!gone)
    return;
  keep = cul_retype_all_operands(op);
  cul_class_thin(g->ir, cul_model_class(g->ir, op), gone, op, keep);
  cul_retype_keep_operands(g, op, keep);
}

/* ---- rules ---- */

/* Does the rule have a word with this flag (is), or one without it (!is)? */
static bool has(const struct cul_op_rule *rule, int flag, bool is) {
  for (size_t i = 0; rule && i < rule->n_words; i++)
    if (((cul_retype_meaning(&rule->words[i])->is & flag) != 0) == is)
      return true;
  return false;
}

static bool is_ruled(const struct cul_op_rule *rule) {
  return has(rule, CUL_WORD_ASIDE, false);
}

static bool knows_ranks(const struct cul_op_rule *rule) {
  return has(rule, CUL_WORD_RANKS, true);
}

bool cul_retype_is_unruled(const void *ptr) {
  MlirOperation op = {(void *)(uintptr_t)ptr};
  const struct cul_op_rule *rule = cul_retype_rule_of(op);
  return !is_ruled(rule) || (!knows_ranks(rule) && !cul_retype_maps(op).ptr &&
                             !cul_retype_word_in(rule, "ranked"));
}

bool cul_retype_is_elementwise(MlirOperation op) {
  const struct cul_op_rule *rule = cul_retype_rule_of(op);
  return cul_retype_word_in(rule, "elementwise") ||
         (cul_retype_word_in(rule, "same") &&
          !cul_retype_word_in(rule, "ranked"));
}

/* Relate the layouts of an operation of Triton: all values have one, or none
 * has. */
static void rule_bare(struct cul_retype *g, MlirOperation op) {
  uint32_t first = CUL_RETYPE_NONE;
  for (size_t i = 0; i < cul_ir_n_values(op); i++) {
    uint32_t node = cul_retype_node(g, cul_ir_value(op, i), CUL_RETYPE_LAYOUT);
    if (node == CUL_RETYPE_NONE || g->node[node].value == 0)
      continue;
    if (first != CUL_RETYPE_NONE &&
        cul_retype_find(g, first) != cul_retype_find(g, node))
      cul_retype_relate_two(g, CUL_RETYPE_BARE, first, node);
    first = node;
  }
}

static void tie_words(struct cul_retype *g, MlirOperation op,
                      const struct cul_op_rule *rule) {
  g->lacks = false;
  for (size_t i = 0; rule && i < rule->n_words; i++) {
    const struct cul_retype_meaning *word = cul_retype_meaning(&rule->words[i]);
    g->word = &rule->words[i];
    if (word->tie && (g->ranks || !(word->is & CUL_WORD_GOING)))
      word->tie(g, op);
  }
}

/* Do only indexing maps, not words, show which dimensions are tied? */
static bool has_only_maps(const struct cul_op_rule *rule, MlirOperation op) {
  return !knows_ranks(rule) && cul_retype_maps(op).ptr;
}

/* Tie dimensions by maps or as learnt, if no word does; else pin them. */
static void tie_dims(struct cul_retype *g, MlirOperation op,
                     const struct cul_op_rule *rule) {
  if (knows_ranks(rule))
    return;
  if (has_only_maps(rule, op))
    cul_retype_rule_maps(g, op);
  else if (!cul_ir_is_function(op) &&
           (cul_retype_word_in(rule, "ranked") ||
            !retype_rule_learnt(g, op, CUL_SETS_RANKS)))
    cul_retype_pin_all(g, op);
}

/* Add the ties of op's rule; without a rule, tie equal sizes. */
static void rule(struct cul_retype *g, MlirOperation op) {
  const struct cul_op_rule *rule = cul_retype_rule_of(op);
  bool ruled = is_ruled(rule);
  bool learnt = !ruled && retype_rule_learnt(g, op, CUL_SETS_TIES);
  if (!learnt && !cul_retype_word_in(rule, "free"))
    cul_retype_tie_types(g, op);
  tie_words(g, op, rule);
  if (cul_ir_is_of(op, "tt."))
    rule_bare(g, op);
  if (!ruled && !learnt && !cul_ir_is_function(op) &&
      !cul_ir_is_terminator(g->ir, op))
    cul_retype_rule_by_size(g, op);
  if (g->ranks)
    tie_dims(g, op, rule);
}

/* ---- fixing ---- */

static bool any_gone(const struct cul_retype *g, MlirOperation op) {
  for (size_t i = 0; i < cul_ir_n_values(op); i++)
    if (cul_retype_any_gone(g, cul_ir_value(op, i)))
      return true;
  return false;
}

/* After all types changed: update what depends on removed dimensions, lists of
 * dynamic sizes, and shapes as values. */
static void fix_up(struct cul_retype *g, MlirOperation op) {
  const struct cul_op_rule *rule;
  bool gone;
  if (!cul_ir_alive(g->ir, op))
    return;
  rule = cul_retype_rule_of(op);
  gone = any_gone(g, op);
  if (gone && has_only_maps(rule, op))
    cul_retype_thin_maps(g, op);
  else if (gone && !knows_ranks(rule))
    retype_thin_learnt(g, op);
  for (size_t i = 0; rule && i < rule->n_words && cul_ir_alive(g->ir, op);
       i++) {
    const struct cul_retype_meaning *word = cul_retype_meaning(&rule->words[i]);
    g->word = &rule->words[i];
    if (word->fix && (gone || word->is & CUL_WORD_ALWAYS))
      word->fix(g, op);
  }
}

/* ---- attributes ---- */

/* The old and the new types of one operation's values. */
struct renewal {
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
static void collect_types(struct cul_retype *g, MlirOperation op,
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

/* Attributes of op with the old type of one of its values get the new type:
 * literals and type attributes.  Call before the types change. */
static void fix_up_attributes(struct cul_retype *g, MlirOperation op) {
  struct renewal r = {.n = 0};
  collect_types(g, op, &r);
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

/* Last: remove a cast or reshape whose two types have become the same. */
static void fix_up_cast(struct cul_retype *g, MlirOperation op) {
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

/* ---- build ---- */

static void add_slots(struct cul_retype *g, MlirOperation op) {
  CUL_IR_EACH_RESULT(value, op)
  cul_retype_add_slot(g, value, mlirValueGetType(value));
  CUL_IR_EACH_BLOCK_OF(block, op)
  CUL_IR_EACH_ARGUMENT(value, block)
  cul_retype_add_slot(g, value, mlirValueGetType(value));
}

void cul_retype_build(struct cul_ir *ir, bool ranks, struct cul_retype *out) {
  CUL_OWNED(cul_ir_list) list = {0};
  *out = (struct cul_retype){.ir = ir, .ranks = ranks};
  cul_model_look_for_ties(ir, cul_retype_is_unruled);
  cul_ir_list(ir->root, &list);
  for (size_t i = 0; i < list.n; i++) {
    add_slots(out, list.items[i].op);
    out->triton |= cul_ir_is(list.items[i].op, "tt.func");
    out->torch |= cul_ir_is_of(list.items[i].op, "torch.");
  }
  for (size_t i = 0; i < list.n; i++) {
    cul_retype_rule_flow(out, list.items[i].op);
    rule(out, list.items[i].op);
  }
  if (out->triton)
    cul_retype_rule_layouts(out);
  if (ranks) {
    join_slices(out);
    pin_layouts(out);
  }
  cul_retype_index(out);
}

/* ---- signatures, numbers ---- */

static void write_signature(struct cul_retype *g,
                            const struct cul_retype_holder *h) {
  CUL_OWNED(cul_ir_signature) sig = {0};
  bool touched = false;
  for (uint32_t i = 0; i < h->n_inputs + h->n_results; i++)
    touched |= cul_retype_is_touched(g, &g->slots.items[h->first + i]);
  if (!touched || cul_retype_write_global(g, h) ||
      !cul_ir_signature_get(g->ir, h->op, &sig))
    return;
  for (uint32_t i = 0; i < h->n_inputs; i++)
    sig.inputs[i] = cul_retype_type_now(g, h->first + i);
  for (uint32_t i = 0; i < h->n_results; i++)
    sig.results[i] = cul_retype_type_now(g, h->first + h->n_inputs + i);
  (void)cul_ir_signature_set(g->ir, h->op, &sig);
}

size_t cul_retype_apply(struct cul_retype *g) {
  CUL_OWNED(cul_ir_list) list = {0};
  size_t n = 0;
  cul_ir_list(g->ir->root, &list);
  cul_retype_write_lists(g);
  for (size_t i = 0; i < list.n; i++)
    derive_layout(g, list.items[i].op);
  derive_slices(g);
  for (size_t i = 0; i < list.n; i++)
    fix_up_attributes(g, list.items[i].op);
  for (uint32_t i = 0; i < g->slots.n; i++) {
    MlirType type = cul_retype_type_now(g, i);
    if (!g->slots.items[i].value.ptr ||
        mlirTypeEqual(type, g->slots.items[i].type))
      continue;
    cul_edit_set_type(g->slots.items[i].value, type);
    n++;
  }
  for (size_t i = 0; i < g->holders.n; i++)
    write_signature(g, &g->holders.items[i]);
  for (size_t i = 0; i < list.n; i++)
    fix_up(g, list.items[i].op);
  for (size_t i = 0; i < list.n; i++)
    fix_up_cast(g, list.items[i].op);
  return n;
}

void cul_retype_derive(struct cul_ir *ir) {
  CUL_OWNED(cul_retype) g = {0};
  cul_retype_build(ir, false, &g);
  (void)cul_retype_apply(&g);
}

/* ---- sites ---- */

/* place: a value of the class; detail: the part of its type, and the target. */
#define TARGET_BITS 3
#define EVERYWHERE (UINT64_C(1) << 63)

/* The number of nodes of types in each class. */
static uint32_t *count_members(const struct cul_retype *g) {
  uint32_t *members = cul_xcalloc(g->n_nodes + 1, sizeof *members);
  for (size_t s = 0; s < g->slots.n; s++)
    for (uint32_t i = 0; i < CUL_RETYPE_SIZE + g->slots.items[s].rank; i++)
      members[cul_retype_find(g, g->slots.items[s].first + i)]++;
  return members;
}

struct lister {
  struct cul_retype *g;
  const struct cul_retype_edit *edit;
  struct cul_sites *out;
  uint32_t *members; /* of each class: nodes of types */
  bool *seen;        /* classes */
  struct cul_map effects;
  struct cul_map values; /* of which all classes were tried */
};

static uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t h = (a ^ b) * UINT64_C(0x9E3779B97F4A7C15);
  return h ^ h >> 32;
}

/* A hash of the values that are set, in any order.  A class that was set twice
 * has two steps; only the first one, with `set` false, counts. */
static uint64_t effect_of(const struct cul_retype *g) {
  uint64_t sum = 0;
  for (size_t k = 0; k < g->trail.n; k++) {
    uint32_t root = g->trail.items[k].root;
    if (!g->trail.items[k].set)
      sum += mix(mix(root + 1, (uint64_t)g->node[root].now), root);
  }
  return sum;
}

/* Add a site for the set values unless another one has the same effect, as
 * classes that determine each other have; then undo them. */
static void add_set(struct lister *l, const struct cul_retype_slot *slot,
                    uint64_t detail) {
  void *effect = (void *)(uintptr_t)(effect_of(l->g) | 1);
  uint32_t weight = 0;
  for (size_t k = 0; k < l->g->trail.n; k++)
    weight += l->members[l->g->trail.items[k].root];
  if (!cul_map_has(&l->effects, effect))
    cul_sites_add(l->out, (void *)(uintptr_t)slot->value.ptr, detail, weight);
  cul_map_put(&l->effects, effect, 1);
  cul_retype_undo(l->g, 0);
}

static void add_class(struct lister *l, const struct cul_retype_slot *slot,
                      uint32_t part) {
  struct cul_retype *g = l->g;
  uint32_t root = cul_retype_find(g, slot->first + part);
  int64_t to[CUL_RETYPE_TARGETS];
  size_t n = l->edit->targets(g, g->node[root].value, to);
  for (size_t i = 0; i < n; i++)
    if (cul_retype_try(g, root, to[i]))
      add_set(l, slot, (uint64_t)part << TARGET_BITS | i);
}

/* ---- all classes of a value ---- */

/* Set all classes of this value as far as possible; returns their number. */
static size_t set_everywhere(struct cul_retype *g, enum cul_retype_part part,
                             int64_t value, int64_t to) {
  size_t n = 0;
  for (size_t s = 0; s < g->slots.n; s++) {
    uint32_t root =
        cul_retype_find(g, g->slots.items[s].first + (uint32_t)part);
    if (g->node[root].value == value && !g->node[root].set)
      n += cul_retype_try(g, root, to);
  }
  return n;
}

static void add_everywhere(struct lister *l,
                           const struct cul_retype_slot *slot) {
  struct cul_retype *g = l->g;
  enum cul_retype_part part = l->edit->part;
  int64_t value =
      g->node[cul_retype_find(g, slot->first + (uint32_t)part)].value;
  int64_t to[CUL_RETYPE_TARGETS];
  void *key = (void *)(intptr_t)value;
  size_t n = l->edit->targets(g, value, to);
  if (n == 0 || cul_map_has(&l->values, key))
    return;
  cul_map_put(&l->values, key, 1);
  for (size_t i = 0; i < n; i++)
    if (set_everywhere(g, part, value, to[i]) > 1)
      add_set(l, slot, EVERYWHERE | (uint64_t)part << TARGET_BITS | i);
    else
      cul_retype_undo(g, 0);
}

static void list_sites(const void *how, struct cul_subject *subject,
                       struct cul_sites *out) {
  const struct cul_retype_edit *edit = how;
  enum cul_retype_part part = edit->part;
  CUL_OWNED(cul_retype) g = {0};
  struct lister l = {.g = &g, .edit = edit, .out = out};
  cul_retype_build(cul_ir_of(subject), edit->ranks, &g);
  l.members = count_members(&g);
  l.seen = cul_xcalloc(g.n_nodes + 1, sizeof *l.seen);
  for (size_t s = 0; edit->everywhere && s < g.slots.n; s++)
    if (g.slots.items[s].value.ptr)
      add_everywhere(&l, &g.slots.items[s]);
  for (size_t s = 0; s < g.slots.n; s++) {
    const struct cul_retype_slot *slot = &g.slots.items[s];
    uint32_t end = part == CUL_RETYPE_SIZE ? CUL_RETYPE_SIZE + slot->rank
                                           : (uint32_t)part + 1;
    for (uint32_t i = part; slot->value.ptr && i < end; i++) {
      uint32_t root = cul_retype_find(&g, slot->first + i);
      if (l.seen[root] || g.node[root].pinned)
        continue;
      l.seen[root] = true;
      add_class(&l, slot, i);
    }
  }
  free(l.seen);
  free(l.members);
  cul_map_release(&l.effects);
  cul_map_release(&l.values);
}

static bool set(struct cul_retype *g, void *place, uint64_t detail,
                const struct cul_retype_edit *edit) {
  uint32_t part = (uint32_t)((detail & ~EVERYWHERE) >> TARGET_BITS);
  size_t target = detail & ((1 << TARGET_BITS) - 1);
  uint32_t node = cul_retype_node(g, (MlirValue){place}, part);
  int64_t to[CUL_RETYPE_TARGETS];
  if (node == CUL_RETYPE_NONE)
    return false;
  node = cul_retype_find(g, node);
  if (target >= edit->targets(g, g->node[node].value, to))
    return false;
  if (detail & EVERYWHERE)
    return set_everywhere(g, edit->part, g->node[node].value, to[target]) > 0;
  return cul_retype_try(g, node, to[target]);
}

static size_t apply_sites(const void *how, struct cul_subject *subject,
                          const struct cul_sites *listed, const uint32_t *ids,
                          size_t n) {
  const struct cul_retype_edit *edit = how;
  struct cul_ir *ir = cul_ir_of(subject);
  CUL_OWNED(cul_retype) g = {0};
  size_t applied = 0;
  cul_retype_build(ir, edit->ranks, &g);
  for (size_t i = 0; i < n; i++)
    applied += set(&g, listed->place[ids[i]], listed->detail[ids[i]], edit);
  if (applied)
    (void)cul_retype_apply(&g);
  cul_ir_commit(ir);
  return applied;
}

const struct cul_mutation_frame cul_retype_frame = {.sites = list_sites,
                                                    .apply = apply_sites};
