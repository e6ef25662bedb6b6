/* Operations that cut, join, pad and permute shapes, and shapes and dimensions
 * that values give: ties, and removed dimensions. */
#include <stdlib.h>
#include <string.h>

#include "../../../subject/edit/cfg.h"
#include "rules.h"

/* ---- same elements, other shape ---- */

/* Adjacent sizes of a value: nodes. */
struct run {
  uint32_t first;
  size_t n;
};

static struct run sizes_of(const struct cul_retype *g, MlirValue value) {
  return (struct run){cul_retype_size(g, value, 0), cul_retype_rank(g, value)};
}

static struct run part(struct run of, size_t first, size_t end) {
  return (struct run){of.first + (uint32_t)first, end - first};
}

static int64_t size_at(const struct cul_retype *g, struct run r, size_t i) {
  return g->node[r.first + i].value;
}

/* Relate one size to the product of a run. */
static void relate_group(struct cul_retype *g, enum cul_retype_kind kind,
                         uint32_t one, struct run many) {
  if (many.n == 1) {
    cul_retype_tie(g, one, many.first);
    return;
  }
  cul_retype_relate(g, kind, one, 1);
  for (uint32_t i = 0; i < many.n; i++)
    cul_retype_term(g, many.first + i, 1);
}

static void rule_groups(struct cul_retype *g, MlirOperation op) {
  MlirAttribute groups = cul_ir_get(op, "reassociation");
  struct run from = sizes_of(g, mlirOperationGetOperand(op, 0));
  struct run to = sizes_of(g, mlirOperationGetResult(op, 0));
  struct run many = to.n > from.n ? to : from, one = to.n > from.n ? from : to;
  size_t first = 0;
  if (!groups.ptr || !mlirAttributeIsAArray(groups))
    return;
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(groups); i++) {
    size_t n = (size_t)cul_ir_array_size(mlirArrayAttrGetElement(groups, i));
    if (first + n > many.n || (size_t)i >= one.n)
      return;
    relate_group(g, CUL_RETYPE_GROUP, one.first + (uint32_t)i,
                 part(many, first, first + n));
    first += n;
  }
  if (to.n > from.n)
    cul_retype_bind(g, op, "static_output_shape", to.first, to.n);
}

/* Relate two runs that have the same product. */
static void relate_runs(struct cul_retype *g, struct run x, struct run y) {
  int64_t value = 1;
  uint32_t product = x.n == 1 ? x.first : y.first;
  if (x.n == 1 || y.n == 1) {
    relate_group(g, CUL_RETYPE_PRODUCT, product, x.n == 1 ? y : x);
    return;
  }
  for (size_t i = 0; i < x.n; i++)
    value *= size_at(g, x, i);
  product = cul_retype_add_number(g, value, false);
  relate_group(g, CUL_RETYPE_PRODUCT, product, x);
  relate_group(g, CUL_RETYPE_PRODUCT, product, y);
}

static bool is_static(const struct cul_retype *g, struct run r) {
  for (size_t i = 0; i < r.n; i++)
    if (size_at(g, r, i) == 0 || size_at(g, r, i) == CUL_RETYPE_DYNAMIC)
      return false;
  return true;
}

/* The index after the 1s at i. */
static size_t skip_ones(const struct cul_retype *g, struct run r, size_t i) {
  while (i < r.n && size_at(g, r, i) == 1)
    i++;
  return i;
}

/* Relate the sizes of two static runs, split where their products agree. */
static void relate_elements(struct cul_retype *g, struct run x, struct run y) {
  size_t a = 0, b = 0;
  while ((a = skip_ones(g, x, a)) < x.n && (b = skip_ones(g, y, b)) < y.n) {
    size_t a_end = a + 1, b_end = b + 1;
    int64_t p = size_at(g, x, a), q = size_at(g, y, b);
    while (p != q && a_end <= x.n && b_end <= y.n) {
      if (llabs(p) < llabs(q) && a_end < x.n)
        p *= size_at(g, x, a_end++);
      else if (llabs(q) < llabs(p) && b_end < y.n)
        q *= size_at(g, y, b_end++);
      else
        return;
    }
    relate_runs(g, part(x, a, a_end), part(y, b, b_end));
    a = a_end;
    b = b_end;
  }
}

void cul_retype_same_elements(struct cul_retype *g, MlirOperation op) {
  struct run x = sizes_of(g, mlirOperationGetOperand(op, 0));
  struct run y = sizes_of(g, mlirOperationGetResult(op, 0));
  if (is_static(g, x) && is_static(g, y))
    relate_elements(g, x, y);
  else if (cul_retype_is_unverified(op))
    cul_retype_pin_all(g, op);
}

/* An attribute may list the new shape. */
static void rule_elements(struct cul_retype *g, MlirOperation op) {
  struct run to = sizes_of(g, mlirOperationGetResult(op, 0));
  const char *shape = cul_retype_arg(g, 0);
  cul_retype_same_elements(g, op);
  if (shape && cul_ir_get(op, shape).ptr)
    cul_retype_bind(g, op, shape, to.first, to.n);
}

/* A shape with one dynamic size. */
struct open_shape {
  struct run all;
  size_t at;      /* the dynamic size */
  int64_t others; /* the product of the others */
};

static bool read_open(const struct cul_retype *g, MlirValue value,
                      struct open_shape *out) {
  size_t n = 0;
  *out = (struct open_shape){.all = sizes_of(g, value), .others = 1};
  for (size_t i = 0; i < out->all.n; i++)
    if (size_at(g, out->all, i) == CUL_RETYPE_DYNAMIC) {
      out->at = i;
      n++;
    } else {
      out->others *= size_at(g, out->all, i);
    }
  return n == 1 && out->others > 0;
}

static uint32_t open_node(const struct open_shape *s) {
  return s->all.first + (uint32_t)s->at;
}

static void pin_others(struct cul_retype *g, const struct open_shape *s) {
  for (uint32_t i = 0; i < s->all.n; i++)
    if (i != s->at)
      cul_retype_pin(g, s->all.first + i);
}

/* Relate two dynamic sizes, the first a multiple of the second. */
static void relate_times(struct cul_retype *g, const struct open_shape *x,
                         const struct open_shape *y) {
  cul_retype_relate(g, CUL_RETYPE_EQUAL, open_node(x), 0);
  cul_retype_term(g, open_node(y), y->others / x->others);
}

static void relate_open(struct cul_retype *g, const struct open_shape *x,
                        const struct open_shape *y) {
  bool leads = x->at == 0 && y->at == 0;
  bool trails = x->at + 1 == x->all.n && y->at + 1 == y->all.n;
  if (x->others == y->others && (leads || trails)) {
    cul_retype_tie(g, open_node(x), open_node(y));
    relate_elements(g, part(x->all, leads, x->all.n - !leads),
                    part(y->all, leads, y->all.n - !leads));
    return;
  }
  pin_others(g, x);
  pin_others(g, y);
  if (y->others % x->others == 0)
    relate_times(g, x, y);
  else if (x->others % y->others == 0)
    relate_times(g, y, x);
}

static void rule_open_elements(struct cul_retype *g, MlirOperation op) {
  struct open_shape x, y;
  if (read_open(g, mlirOperationGetOperand(op, 0), &x) &&
      read_open(g, mlirOperationGetResult(op, 0), &y))
    relate_open(g, &x, &y);
  else
    cul_retype_same_elements(g, op);
}

/* ---- slices ---- */

/* The size of small for each entry of static_sizes; CUL_RETYPE_NONE for a 1
 * that small lacks. */
static void slice_sizes(const struct cul_retype *g, MlirOperation op,
                        MlirValue small, uint32_t *out) {
  int64_t sizes[CUL_RETYPE_MAX];
  size_t n = cul_numbers_named(op, "static_sizes", sizes);
  size_t rank = cul_retype_rank(g, small), k = 0;
  for (size_t i = 0; i < n; i++) {
    uint32_t node = cul_retype_size(g, small, (int64_t)k);
    out[i] = CUL_RETYPE_NONE;
    if (k >= rank || g->node[node].value != sizes[i])
      continue;
    out[i] = node;
    k++;
  }
}

/* Relate value N and a part of it: the sizes of the part are numbers of the
 * operation, its dimensions those of the whole.  The layout of a view is
 * derived from its source: ../retype.c. */
static void rule_slice(struct cul_retype *g, MlirOperation op) {
  MlirValue whole = cul_retype_arg_value(g, op, 0);
  MlirValue part = cul_retype_arg_value(g, op, 1);
  uint32_t of[CUL_RETYPE_MAX], sizes;
  size_t n;
  if (cul_retype_word(op, "view"))
    cul_retype_pin(g, cul_retype_node(g, part, CUL_RETYPE_LAYOUT));
  sizes = cul_retype_list(g, op, "static_sizes", false, &n);
  if (n == 0 || n != cul_retype_rank(g, whole))
    return;
  slice_sizes(g, op, part, of);
  for (uint32_t i = 0; i < n; i++) {
    cul_retype_tie(g, sizes + i, of[i]);
    if (g->ranks)
      cul_retype_join_nodes(g, cul_retype_size(g, whole, i), of[i]);
  }
}

/* ---- pad, concat ---- */

/* Tie the padding to the elements; pin a dimension whose index it uses. */
static void rule_pad(struct cul_retype *g, MlirOperation op) {
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  intptr_t n = g->ranks && block.ptr ? mlirBlockGetNumArguments(block) : 0;
  MlirOperation end = cul_cfg_terminator(g->ir, block);
  if (end.ptr && mlirOperationGetNumOperands(end) == 1)
    cul_retype_tie(g, cul_retype_element(g, mlirOperationGetOperand(end, 0)),
                   cul_retype_element(g, mlirOperationGetResult(op, 0)));
  for (intptr_t i = 0; i < n; i++)
    if (cul_ir_has_uses(mlirBlockGetArgument(block, i)))
      cul_retype_pin(g, cul_retype_size(g, mlirOperationGetResult(op, 0), i));
}

static void pin_axis(struct cul_retype *g, MlirOperation op, MlirValue value) {
  int64_t axis[CUL_RETYPE_MAX];
  size_t n;
  if (cul_retype_dims(g, op, cul_retype_arg(g, 0), cul_retype_rank(g, value),
                      axis, &n) &&
      n == 1)
    cul_retype_pin(g, cul_retype_size(g, value, axis[0]));
  else
    cul_retype_pin_sizes(g, value);
}

static void rule_axis(struct cul_retype *g, MlirOperation op) {
  MlirOperation of = cul_retype_joined(op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(of); i++)
    pin_axis(g, op, mlirOperationGetOperand(of, i));
  CUL_IR_EACH_RESULT(result, op) pin_axis(g, op, result);
}

/* Relate the joined values: the operands, or those of the list in operand 0. */
static void rule_concat(struct cul_retype *g, MlirOperation op) {
  MlirValue to = mlirOperationGetResult(op, 0);
  MlirOperation of = cul_retype_joined(op);
  intptr_t n = mlirOperationGetNumOperands(of);
  int64_t axis[CUL_RETYPE_MAX];
  size_t rank = cul_retype_rank(g, to), one;
  if (!cul_retype_dims(g, op, cul_retype_arg(g, 0), rank, axis, &one) ||
      one != 1) {
    cul_retype_pin_all(g, op);
    return;
  }
  for (int64_t d = 0; d < (int64_t)rank; d++)
    for (intptr_t i = 0; d != axis[0] && i < n; i++)
      cul_retype_pair(g, cul_retype_size(g, to, d),
                      cul_retype_size(g, mlirOperationGetOperand(of, i), d));
  if (g->ranks)
    rule_axis(g, op);
  if (cul_retype_size(g, to, axis[0]) == CUL_RETYPE_NONE)
    return;
  cul_retype_relate(g, CUL_RETYPE_EQUAL, cul_retype_size(g, to, axis[0]), 0);
  for (intptr_t i = 0; i < n; i++)
    cul_retype_term(
        g, cul_retype_size(g, mlirOperationGetOperand(of, i), axis[0]), 1);
}

/* ---- removed dimensions: reassociation ---- */

/* Drop removed dimensions from the groups, and groups without any left. */
static void thin_groups(struct cul_retype *g, MlirOperation op) {
  MlirAttribute groups = cul_ir_get(op, "reassociation");
  MlirAttribute left[CUL_RETYPE_MAX];
  MlirValue from = mlirOperationGetOperand(op, 0), to = cul_retype_outcome(op);
  bool gone[CUL_RETYPE_MAX];
  intptr_t n = 0;
  cul_retype_find_gone(
      g, cul_retype_rank(g, to) > cul_retype_rank(g, from) ? to : from, gone);
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(groups); i++) {
    MlirAttribute group =
        cul_numbers_without(g->ir, mlirArrayAttrGetElement(groups, i), gone);
    if (mlirArrayAttrGetNumElements(group) > 0 && n < CUL_RETYPE_MAX)
      left[n++] = group;
  }
  (void)cul_ir_set(g->ir, op, "reassociation",
                   mlirArrayAttrGet(g->ir->context, n, left));
  cul_retype_thin_entries(g, op, "static_output_shape", to);
}

/* ---- removed dimensions: pads ---- */

static void thin_pad(struct cul_retype *g, MlirOperation op) {
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  for (intptr_t i = (intptr_t)cul_retype_rank(g, cul_retype_outcome(op));
       block.ptr && i-- > 0;)
    if (cul_retype_is_gone(g, cul_retype_outcome(op), i))
      cul_edit_erase_argument(block, (unsigned)i);
}

/* ---- lists that number dimensions ---- */

/* Fix a list of dimensions of the first value that has any. */
static void thin_numbered(struct cul_retype *g, MlirOperation op) {
  size_t i = 0;
  while (i + 1 < cul_ir_n_values(op) &&
         cul_retype_rank(g, cul_ir_value(op, i)) == 0)
    i++;
  cul_retype_thin_dims(g, op, cul_retype_arg(g, 0), cul_ir_value(op, i));
}

/* ---- tensor.dim ---- */

static void rule_dim(struct cul_retype *g, MlirOperation op) {
  int64_t at[CUL_RETYPE_MAX];
  size_t n;
  if (!cul_retype_operand(op, 1, at, &n))
    cul_retype_pin_sizes(g, mlirOperationGetOperand(op, 0));
}

/* Replace the size of a removed dimension by its old number; by 1 if it had
 * none. */
static void thin_dim(struct cul_retype *g, MlirOperation op) {
  MlirValue of = mlirOperationGetOperand(op, 0);
  int64_t at[CUL_RETYPE_MAX], was;
  size_t n;
  if (!cul_retype_operand(op, 1, at, &n))
    return;
  if (!cul_retype_is_gone(g, of, at[0])) {
    cul_retype_thin_dims(g, op, "@1", of);
    return;
  }
  was = g->node[cul_retype_size(g, of, at[0])].value;
  cul_retype_become(
      g, op,
      cul_retype_constant(g, cul_ir_maker(op, 1), was > 0 ? was : 1, op));
}

/* ---- conditions ---- */

static bool is_given(const struct cul_retype *g, MlirOperation op, size_t arg) {
  const char *text = cul_retype_arg(g, arg), *least, *most;
  int64_t numbers[CUL_RETYPE_MAX], value;
  const char *entry = strchr(text, '[');
  size_t i = entry ? (size_t)(entry[1] - '0') : 0, n;
  if (!cul_retype_operand(op, text[0] - '0', numbers, &n) || i >= n)
    return false;
  value = numbers[i];
  least = cul_retype_arg(g, arg + 1);
  most = cul_retype_arg(g, arg + 2);
  if (*least == '@') {
    MlirValue of = mlirOperationGetOperand(op, 0);
    uint32_t node;
    if (!cul_retype_dims(g, op, least, cul_retype_rank(g, of), numbers, &n))
      return false;
    node = cul_retype_size(g, of, numbers[0]);
    return node != CUL_RETYPE_NONE && value >= g->node[node].value;
  }
  return value >= cul_retype_arg_number(g, arg + 1) &&
         (!*most || value <= cul_retype_arg_number(g, arg + 2));
}

static void rule_given(struct cul_retype *g, MlirOperation op) {
  g->lacks = false;
  for (size_t arg = 0; arg + 2 < g->word->n_args; arg += 3)
    g->lacks |= !is_given(g, op, arg);
}

/* ---- shapes that operands give ---- */

/* The dimension of the result at which the list of its sizes begins, which may
 * be a list of its last ones only; -1: it is no such list. */
static int64_t first_size(const struct cul_retype *g, MlirOperation op,
                          int64_t *out, size_t *n) {
  size_t rank;
  if (mlirOperationGetNumResults(op) == 0 ||
      !cul_retype_read(g, op, cul_retype_arg(g, 0), out, n))
    return -1;
  rank = cul_retype_rank(g, cul_retype_outcome(op));
  return *n == rank || (*n < rank && cul_retype_arg(g, 1))
             ? (int64_t)(rank - *n)
             : -1;
}

/* Check the list, in which -1 stands for the size that is left.  Dimensions
 * stay if the list may be one of the last ones only. */
static void rule_shape(struct cul_retype *g, MlirOperation op) {
  int64_t sizes[CUL_RETYPE_MAX];
  size_t n;
  int64_t first = first_size(g, op, sizes, &n);
  bool is = first >= 0, stays = g->ranks && cul_retype_arg(g, 1);
  for (size_t i = 0; first >= 0 && i < n; i++) {
    uint32_t node =
        cul_retype_size(g, cul_retype_outcome(op), first + (int64_t)i);
    is &= sizes[i] == -1 || sizes[i] == CUL_RETYPE_DYNAMIC ||
          sizes[i] == g->node[node].value;
    if (stays)
      cul_retype_pin(g, node);
  }
  if (!is && cul_retype_is_unverified(op))
    cul_retype_pin_all(g, op);
}

static void fix_shape(struct cul_retype *g, MlirOperation op) {
  int64_t old[CUL_RETYPE_MAX], now[CUL_RETYPE_MAX];
  size_t n;
  int64_t first = first_size(g, op, old, &n);
  for (size_t i = 0; first >= 0 && i < n; i++) {
    now[i] = cul_retype_now(
        g, cul_retype_size(g, cul_retype_outcome(op), first + (int64_t)i));
    if (now[i] == CUL_RETYPE_DYNAMIC ||
        (now[i] != CUL_RETYPE_GONE &&
         (old[i] == -1 || old[i] == CUL_RETYPE_DYNAMIC)))
      now[i] = old[i];
  }
  if (first >= 0)
    cul_retype_write(g, op, cul_retype_arg(g, 0), now, n);
}

/* ---- types that operands give ---- */

/* Pin the element type if a number gives it; None gives none. */
static void rule_typed(struct cul_retype *g, MlirOperation op) {
  MlirOperation maker = cul_ir_maker(op, cul_retype_arg_number(g, 0));
  if (maker.ptr && !cul_ir_is(maker, "torch.constant.none"))
    cul_retype_pin(g, cul_retype_element(g, cul_retype_outcome(op)));
}

/* Pin the types of a list of tensors if its type repeats theirs. */
static void rule_repeats(struct cul_retype *g, MlirOperation op) {
  if (strchr(cul_ir_type_text(g->ir, mlirValueGetType(cul_retype_outcome(op))),
             '['))
    cul_retype_rule_pinned(g, op);
}

/* ---- custom_call ---- */

/* Drop removed dimensions from the word's lists, of operands and of results,
 * which have an entry per value: the order of its dimensions in memory. */
static void thin_orders(struct cul_retype *g, MlirOperation op) {
  size_t first = 0;
  for (size_t l = 0; l < g->word->n_args; l++) {
    MlirAttribute list = cul_ir_get(op, cul_retype_arg(g, l)), order;
    intptr_t n = cul_ir_array_size(list);
    for (intptr_t i = 0; i < n; i++) {
      bool gone[CUL_RETYPE_MAX];
      cul_retype_find_gone(g, cul_ir_value(op, first + (size_t)i), gone);
      order =
          cul_numbers_without(g->ir, mlirArrayAttrGetElement(list, i), gone);
      if (order.ptr)
        list = cul_ir_entry_with(g->ir, list, i, order);
    }
    if (n > 0)
      (void)cul_ir_set(g->ir, op, cul_retype_arg(g, l), list);
    first = (size_t)mlirOperationGetNumOperands(op);
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

/* ---- shapes as operands ---- */

static bool has_static_shape(MlirValue value) {
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
  if (n < 1 || n > 2 || !has_static_shape(mlirOperationGetResult(op, 0)) ||
      !has_static_shape(mlirOperationGetOperand(op, 0)))
    return;
  keep[0] = n == 2;
  maker = cul_ir_maker(op, n - 1);
  (void)cul_retype_rebuild(g, op, &change);
  if (maker.ptr && cul_ir_alive(g->ir, maker))
    (void)cul_ir_sweep(g->ir, maker);
}

const struct cul_retype_meaning cul_retype_shape_words[] = {
    {"concat", CUL_WORD_RANKS, rule_concat, thin_numbered, 0},
    {"axis", CUL_WORD_ASIDE | CUL_WORD_GOING, rule_axis, thin_numbered, 0},
    {"numbered", CUL_WORD_ASIDE, NULL, thin_numbered, 0},
    {"groups", CUL_WORD_RANKS, rule_groups, thin_groups, 0},
    {"elements", CUL_WORD_RANKS, rule_elements, NULL, 0},
    {"open-elements", CUL_WORD_RANKS, rule_open_elements, NULL, 0},
    {"slice", CUL_WORD_RANKS, rule_slice, NULL, 0},
    {"pad", CUL_WORD_RANKS, rule_pad, thin_pad, 0},
    {"dim", CUL_WORD_RANKS | CUL_WORD_GOING, rule_dim, thin_dim, 0},
    {"given", CUL_WORD_ASIDE, rule_given, NULL, 0},
    {"shape", CUL_WORD_RANKS | CUL_WORD_ALWAYS, rule_shape, fix_shape, 0},
    {"repeats", CUL_WORD_RANKS, rule_repeats, NULL, 0},
    {"typed", CUL_WORD_ASIDE, rule_typed, NULL, 0},
    {"orders", CUL_WORD_RANKS | CUL_WORD_ASIDE, NULL, thin_orders, 0},
    {"sizes", CUL_WORD_ASIDE | CUL_WORD_ALWAYS, NULL, fix_sizes, 0},
    {"static", CUL_WORD_ASIDE | CUL_WORD_ALWAYS, NULL, fix_static, 0},
    {0},
};
