/* Retype rules that operations of many dialects follow. */
#include "rules.h"

#include <stdlib.h>

#include "../../../subject/edit/cfg.h"

bool cul_retype_is_unverified(MlirOperation op) {
  return cul_ir_is_of(op, "torch.");
}

/* ---- removed dimensions, and replacements of operations ---- */

bool cul_retype_is_gone(const struct cul_retype *g, MlirValue value,
                        int64_t i) {
  uint32_t node = cul_retype_size(g, value, i);
  return node != CUL_RETYPE_NONE && cul_retype_now(g, node) == CUL_RETYPE_GONE;
}

void cul_retype_find_gone(const struct cul_retype *g, MlirValue value,
                          bool *out) {
  for (int64_t i = 0; i < CUL_RETYPE_MAX; i++)
    out[i] = cul_retype_is_gone(g, value, i);
}

int64_t cul_retype_renumber(const struct cul_retype *g, MlirValue value,
                            int64_t i) {
  int64_t less = 0;
  for (int64_t k = 0; k < i; k++)
    less += cul_retype_is_gone(g, value, k);
  return i - less;
}

size_t cul_retype_left(const struct cul_retype *g, MlirValue value) {
  int64_t rank = (int64_t)cul_retype_rank(g, value);
  return (size_t)cul_retype_renumber(g, value, rank);
}

bool cul_retype_any_gone(const struct cul_retype *g, MlirValue value) {
  return cul_retype_left(g, value) < cul_retype_rank(g, value);
}

MlirValue cul_retype_outcome(MlirOperation op) {
  return mlirOperationGetNumResults(op) > 0
             ? mlirOperationGetResult(op, 0)
             : mlirOperationGetOperand(op, mlirOperationGetNumOperands(op) - 1);
}

void cul_retype_become(struct cul_retype *g, MlirOperation op,
                       MlirValue value) {
  struct cul_ir_ops one = {.items = &op, .n = 1, .cap = 1};
  cul_ir_replace_uses(mlirOperationGetResult(op, 0), value);
  (void)cul_ir_discard_sweep(g->ir, &one);
}

MlirOperation cul_retype_rebuild(struct cul_retype *g, MlirOperation op,
                                 const struct cul_ir_change *change) {
  uint32_t slots[CUL_RETYPE_MAX];
  intptr_t n = mlirOperationGetNumResults(op);
  MlirOperation made;
  for (intptr_t i = 0; i < n && i < CUL_RETYPE_MAX; i++)
    slots[i] = cul_retype_slot(g, mlirOperationGetResult(op, i));
  made = cul_ir_rebuild(g->ir, op, change);
  for (intptr_t i = 0; made.ptr && i < n && i < CUL_RETYPE_MAX; i++) {
    MlirValue result = mlirOperationGetResult(made, i);
    if (slots[i] == CUL_RETYPE_NONE)
      continue;
    g->slots.items[slots[i]].value = result;
    cul_map_put(&g->slots.of, result.ptr, slots[i]);
  }
  return made;
}

/* ---- common rules ---- */

void cul_retype_pin_sizes(struct cul_retype *g, MlirValue value) {
  uint32_t slot = cul_retype_slot(g, value);
  if (slot != CUL_RETYPE_NONE)
    cul_retype_pin_dims(g, &g->slots.items[slot]);
}

void cul_retype_pin_all(struct cul_retype *g, MlirOperation op) {
  for (size_t i = 0; i < cul_ir_n_values(op); i++)
    cul_retype_pin_sizes(g, cul_ir_value(op, i));
}

void cul_retype_rule_pinned(struct cul_retype *g, MlirOperation op) {
  for (size_t i = 0; i < cul_ir_n_values(op); i++)
    cul_retype_pin_value(g, cul_ir_value(op, i));
}

/* Tie the elements to those of region arguments, scalars or tensors of one. */
static void tie_region_elements(struct cul_retype *g, MlirOperation op,
                                MlirValue value) {
  uint32_t element = cul_retype_element(g, value);
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++) {
    MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
    for (intptr_t i = 0; block.ptr && i < mlirBlockGetNumArguments(block); i++)
      cul_retype_tie(g, element,
                     cul_retype_element(g, mlirBlockGetArgument(block, i)));
  }
}

static void tie_parts(struct cul_retype *g, MlirValue a, MlirValue b,
                      bool layouts) {
  if (layouts) {
    cul_retype_tie_type(g, a, b);
    return;
  }
  cul_retype_tie(g, cul_retype_element(g, a), cul_retype_element(g, b));
  cul_retype_tie(g, cul_retype_node(g, a, CUL_RETYPE_SPACE),
                 cul_retype_node(g, b, CUL_RETYPE_SPACE));
}

/* Tie equal element types, encodings and spaces. */
void cul_retype_tie_types(struct cul_retype *g, MlirOperation op) {
  size_t n = cul_ir_n_values(op);
  bool layouts = !cul_retype_word(op, "view");
  if (n > CUL_RETYPE_MAX)
    n = CUL_RETYPE_MAX;
  for (size_t i = 1; i < n; i++)
    for (size_t k = 0; k < i; k++)
      tie_parts(g, cul_ir_value(op, i), cul_ir_value(op, k), layouts);
  for (size_t i = 0; i < n; i++)
    tie_region_elements(g, op, cul_ir_value(op, i));
}

/* ---- two values ---- */

/* The parts to relate: types; sizes from the first or from the last one on,
 * which are tied, removed together, or both (pairs). */
enum relating { TYPES, PAIRS, JOINS, LAST_TIES, LAST_PAIRS };
/* The values to relate: each to the first, operands to their results, operands
 * to the only result, or the two that the word names. */
enum partners { OTHERS, EACH, RESULT, NAMED };

static void relate(struct cul_retype *g, MlirValue a, MlirValue b,
                   enum relating how) {
  int64_t n = (int64_t)cul_retype_rank(g, a);
  int64_t m = (int64_t)cul_retype_rank(g, b);
  bool last = how == LAST_TIES || how == LAST_PAIRS;
  if (how == TYPES)
    cul_retype_tie_values(g, a, b);
  for (int64_t i = 1; how != TYPES && (last || n == m) && i <= n && i <= m;
       i++) {
    uint32_t x = cul_retype_size(g, a, last ? n - i : i - 1);
    uint32_t y = cul_retype_size(g, b, last ? m - i : i - 1);
    if (how != JOINS)
      cul_retype_tie(g, x, y);
    if (how != LAST_TIES && g->ranks)
      cul_retype_join_nodes(g, x, y);
  }
}

/* Tie all shapes size by size. */
void cul_retype_rule_same(struct cul_retype *g, MlirOperation op) {
  size_t n = cul_ir_n_values(op);
  for (size_t i = 1; i < n && i < CUL_RETYPE_MAX; i++)
    for (size_t k = 0; k < i; k++)
      relate(g, cul_ir_value(op, i), cul_ir_value(op, k), PAIRS);
}

static void rule_relate(struct cul_retype *g, MlirOperation op) {
  int how = cul_retype_meaning(g->word)->how;
  enum partners with = (enum partners)(how / 8);
  size_t n = (size_t)mlirOperationGetNumOperands(op);
  size_t end = with == OTHERS ? cul_ir_n_values(op) : with == NAMED ? 1 : n;
  for (size_t i = with == OTHERS; i < end; i++) {
    size_t to = with == OTHERS ? 0 : with == EACH ? n + i : n;
    MlirValue a = cul_ir_value(op, i);
    if (with == NAMED)
      relate(g, cul_retype_arg_value(g, op, 0), cul_retype_arg_value(g, op, 1),
             how % 8);
    else if (to < cul_ir_n_values(op))
      relate(g, a, cul_ir_value(op, to), how % 8);
  }
}

/* ---- pins ---- */

enum keeping {
  WHOLE_TYPES,
  SIZES,
  FIRST_SIZES,
  ELEMENTS,
  INTEGERS, /* elements that are integers */
  SCALARS,  /* integers without a shape */
  LAYOUTS,
  COUNTS /* elements: they must not become i1 */
};

/* Does the word name value i?  "N": value N; "N+": operands from N on; "r":
 * results; all if it names none. */
static bool names(const struct cul_op_word *word, MlirOperation op, size_t i) {
  size_t n = (size_t)mlirOperationGetNumOperands(op);
  for (size_t k = 0; k < word->n_args; k++) {
    char *end;
    size_t at = strtoul(word->args[k], &end, 10);
    if (*end == 'r' ? i >= n : i == at || (*end == '+' && at < i && i < n))
      return true;
  }
  return word->n_args == 0;
}

bool cul_retype_is_shape(const struct cul_ir *ir, MlirValue value) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value);
       cul_ir_is_opaque(ir) && !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    const struct cul_op_word *lengths = cul_retype_word(user, "lengths");
    if (lengths &&
        names(lengths, user, (size_t)mlirOpOperandGetOperandNumber(use)))
      return true;
  }
  return false;
}

static void keep(struct cul_retype *g, MlirValue value, enum keeping what) {
  uint32_t node = cul_retype_node(
      g, value, what == LAYOUTS ? CUL_RETYPE_LAYOUT : CUL_RETYPE_ELEMENT);
  if (node == CUL_RETYPE_NONE ||
      (what == INTEGERS && !mlirTypeIsAInteger((MlirType){
                               (void *)(intptr_t)g->node[node].value})) ||
      (what == SCALARS && !mlirTypeIsAInteger(mlirValueGetType(value))))
    return;
  if (what == WHOLE_TYPES)
    cul_retype_pin_value(g, value);
  else if (what == SIZES)
    cul_retype_pin_sizes(g, value);
  else if (what == FIRST_SIZES)
    cul_retype_pin(g, cul_retype_size(g, value, 0));
  else if (what == COUNTS)
    cul_retype_counts(g, node);
  else
    cul_retype_pin(g, node);
}

static void rule_keep(struct cul_retype *g, MlirOperation op) {
  for (size_t i = 0; i < cul_ir_n_values(op); i++)
    if (names(g->word, op, i))
      keep(g, cul_ir_value(op, i),
           (enum keeping)cul_retype_meaning(g->word)->how);
}

/* Pin what the regions work on: an attribute gives its type. */
static void rule_inside(struct cul_retype *g, MlirOperation op) {
  CUL_IR_EACH_BLOCK_OF(block, op) {
    MlirOperation end = cul_cfg_terminator(g->ir, block);
    CUL_IR_EACH_ARGUMENT(argument, block) cul_retype_pin_value(g, argument);
    for (intptr_t i = 0; end.ptr && i < mlirOperationGetNumOperands(end); i++)
      cul_retype_pin_value(g, mlirOperationGetOperand(end, i));
  }
}

/* ---- equal sizes ---- */

/* List the sizes of values [first, end), at most MOST_SIZES; returns their
 * number. */
enum { MOST_SIZES = 4 * CUL_RETYPE_MAX };

static size_t list_sizes(const struct cul_retype *g, MlirOperation op,
                         size_t first, size_t end, uint32_t *out) {
  size_t n = 0;
  for (size_t i = first; i < end; i++)
    for (size_t k = 0; k < cul_retype_rank(g, cul_ir_value(op, i)); k++)
      if (n < MOST_SIZES)
        out[n++] = cul_retype_size(g, cul_ir_value(op, i), (int64_t)k);
  return n;
}

/* Tie sizes of an unknown operation: all that are equal, but dynamic ones and 1
 * only position by position. */
void cul_retype_rule_by_size(struct cul_retype *g, MlirOperation op) {
  uint32_t nodes[MOST_SIZES];
  size_t n = list_sizes(g, op, 0, cul_ir_n_values(op), nodes);
  cul_retype_rule_same(g, op);
  for (size_t i = 0; i < n; i++) {
    int64_t size = g->node[nodes[i]].value;
    for (size_t k = 0; (size > 1 || cul_retype_is_scalable(size)) && k < i; k++)
      if (g->node[nodes[k]].value == size)
        cul_retype_tie(g, nodes[k], nodes[i]);
  }
}

/* Pin nodes that have no equal among the others. */
static void pin_alone(struct cul_retype *g, const uint32_t *nodes, size_t n,
                      const uint32_t *others, size_t m) {
  for (size_t i = 0; i < n; i++) {
    size_t k = 0;
    while (k < m && g->node[others[k]].value != g->node[nodes[i]].value)
      k++;
    if (k == m)
      cul_retype_pin(g, nodes[i]);
  }
}

/* The same, but pin sizes that only operands or only results have. */
static void rule_shared(struct cul_retype *g, MlirOperation op) {
  size_t n_operands = (size_t)mlirOperationGetNumOperands(op), n, m;
  uint32_t from[MOST_SIZES], to[MOST_SIZES];
  cul_retype_rule_by_size(g, op);
  n = list_sizes(g, op, 0, n_operands, from);
  m = list_sizes(g, op, n_operands, cul_ir_n_values(op), to);
  if (n_operands == 0)
    return;
  pin_alone(g, from, n, to, m);
  pin_alone(g, to, m, from, n);
}

const struct cul_retype_meaning cul_retype_rules_words[] = {
    {"same", CUL_WORD_RANKS, cul_retype_rule_same, NULL, 0},
    {"by-size", 0, cul_retype_rule_by_size, NULL, 0},
    {"shared", 0, rule_shared, NULL, 0},
    {"inside", 0, rule_inside, NULL, 0},
    {"ranks-alike", CUL_WORD_RANKS | CUL_WORD_ASIDE | CUL_WORD_GOING,
     rule_relate, NULL, 8 * OTHERS + JOINS},
    {"ends", 0, rule_relate, NULL, 8 * OTHERS + LAST_TIES},
    {"each", CUL_WORD_RANKS, rule_relate, NULL, 8 * EACH + TYPES},
    {"spread", CUL_WORD_RANKS, rule_relate, NULL, 8 * RESULT + LAST_PAIRS},
    {"like", 0, rule_relate, NULL, 8 * NAMED + TYPES},
    {"trailing", 0, rule_relate, NULL, 8 * NAMED + LAST_TIES},
    {"joined", CUL_WORD_RANKS | CUL_WORD_ASIDE | CUL_WORD_GOING, rule_relate,
     NULL, 8 * NAMED + JOINS},
    {"pinned", 0, rule_keep, NULL, WHOLE_TYPES},
    {"sized", 0, rule_keep, NULL, SIZES},
    {"ranked", CUL_WORD_ASIDE | CUL_WORD_GOING, rule_keep, NULL, SIZES},
    {"widths", 0, rule_keep, NULL, ELEMENTS},
    {"integers", 0, rule_keep, NULL, INTEGERS},
    {"scalars", CUL_WORD_ASIDE, rule_keep, NULL, SCALARS},
    {"layouts", 0, rule_keep, NULL, LAYOUTS},
    {"counts", CUL_WORD_ASIDE, rule_keep, NULL, COUNTS},
    {"lengths", CUL_WORD_ASIDE, rule_keep, NULL, FIRST_SIZES},
    {0},
};
