/* The rule of an operation: its words tie parts of types while the graph is
 * built, and fix the operation after its types have changed. */
#include "rules.h"

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

static uint32_t number_node(struct cul_retype *g, MlirOperation op,
                            const struct cul_spot *spot) {
  size_t n;
  uint32_t first =
      cul_retype_list(g, op, mlirIdentifierStr(spot->attr).data, false, &n);
  return first == CUL_RETYPE_NONE || spot->at >= n ? CUL_RETYPE_NONE
                                                   : first + spot->at;
}

static uint32_t node_of(struct cul_retype *g, MlirOperation op,
                        const struct cul_spot *spot) {
  MlirValue value;
  if (spot->kind == CUL_SPOT_NUMBER)
    return number_node(g, op, spot);
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

void cul_retype_rule(struct cul_retype *g, MlirOperation op) {
  const struct cul_op_rule *rule = cul_retype_rule_of(op);
  bool ruled = is_ruled(rule);
  bool learnt = !ruled && retype_rule_learnt(g, op, CUL_SETS_TIES);
  if (!learnt && !cul_retype_word_in(rule, "free"))
    cul_retype_tie_types(g, op);
  tie_words(g, op, rule);
  if (cul_ir_is_of(op, "tt."))
    cul_retype_rule_bare(g, op);
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

void cul_retype_fix_up(struct cul_retype *g, MlirOperation op) {
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
