/* Operations that cut, join, pad and permute shapes: what is tied, and
 * dimensions that go. */
#include <stdlib.h>
#include <string.h>

#include "../../frame/cfg.h"
#include "rules.h"

/* ---- same elements, other shape ---- */

static int64_t size_at(const struct cul_retype *g, MlirValue value, size_t i) {
  return g->node[cul_retype_size(g, value, (int64_t)i)].value;
}

/* Sizes [first, end) of a value. */
struct run {
  MlirValue value;
  size_t first, end;
};

/* One size is the product of a run. */
static void relate_group(struct cul_retype *g, enum cul_retype_kind kind,
                         uint32_t one, const struct run *many) {
  if (many->end - many->first == 1) {
    cul_retype_tie(g, one,
                   cul_retype_size(g, many->value, (int64_t)many->first));
    return;
  }
  cul_retype_relate(g, kind, one, 1);
  for (size_t i = many->first; i < many->end; i++)
    cul_retype_term(g, cul_retype_size(g, many->value, (int64_t)i), 1);
}

static void rule_groups(struct cul_retype *g, MlirOperation op) {
  MlirAttribute groups = cul_ir_get(op, "reassociation");
  MlirValue from = mlirOperationGetOperand(op, 0);
  MlirValue to = mlirOperationGetResult(op, 0);
  bool expands = cul_retype_rank(g, to) > cul_retype_rank(g, from);
  MlirValue many = expands ? to : from, one = expands ? from : to;
  size_t first = 0;
  uint32_t sizes[CUL_RETYPE_MAX];
  if (!groups.ptr || !mlirAttributeIsAArray(groups) ||
      cul_retype_rank(g, many) > CUL_RETYPE_MAX)
    return;
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(groups); i++) {
    MlirAttribute group = mlirArrayAttrGetElement(groups, i);
    size_t n = mlirAttributeIsAArray(group)
                   ? (size_t)mlirArrayAttrGetNumElements(group)
                   : 0;
    if (first + n > cul_retype_rank(g, many))
      return;
    relate_group(g, CUL_RETYPE_GROUP, cul_retype_size(g, one, i),
                 &(struct run){many, first, first + n});
    first += n;
  }
  for (size_t i = 0; i < cul_retype_rank(g, to); i++)
    sizes[i] = cul_retype_size(g, to, (int64_t)i);
  if (expands)
    cul_retype_bind(g, op, "static_output_shape", sizes,
                    cul_retype_rank(g, to));
}

static uint32_t only(const struct cul_retype *g, const struct run *r) {
  return cul_retype_size(g, r->value, (int64_t)r->first);
}

/* Two runs have one product. */
static void relate_runs(struct cul_retype *g, const struct run *x,
                        const struct run *y) {
  uint32_t product;
  int64_t value = 1;
  if (x->end - x->first == 1) {
    relate_group(g, CUL_RETYPE_PRODUCT, only(g, x), y);
    return;
  }
  if (y->end - y->first == 1) {
    relate_group(g, CUL_RETYPE_PRODUCT, only(g, y), x);
    return;
  }
  for (size_t i = x->first; i < x->end; i++)
    value *= size_at(g, x->value, i);
  product = cul_retype_add_number(g, value, false);
  relate_group(g, CUL_RETYPE_PRODUCT, product, x);
  relate_group(g, CUL_RETYPE_PRODUCT, product, y);
}

static bool is_static(const struct cul_retype *g, MlirValue value) {
  for (size_t i = 0; i < cul_retype_rank(g, value); i++)
    if (size_at(g, value, i) == 0 || size_at(g, value, i) == CUL_RETYPE_DYNAMIC)
      return false;
  return true;
}

/* The end of the run of 1s at i. */
static size_t skip_ones(const struct cul_retype *g, MlirValue v, size_t i) {
  while (i < cul_retype_rank(g, v) && size_at(g, v, i) == 1)
    i++;
  return i;
}

/* Sizes of two runs, none dynamic, are split where their products agree. */
static void relate_elements(struct cul_retype *g, const struct run *x,
                            const struct run *y) {
  size_t a = x->first, b = y->first;
  while ((a = skip_ones(g, x->value, a)) < x->end &&
         (b = skip_ones(g, y->value, b)) < y->end) {
    size_t a_end = a + 1, b_end = b + 1;
    int64_t p = size_at(g, x->value, a), q = size_at(g, y->value, b);
    while (p != q && a_end <= x->end && b_end <= y->end) {
      if (llabs(p) < llabs(q) && a_end < x->end)
        p *= size_at(g, x->value, a_end++);
      else if (llabs(q) < llabs(p) && b_end < y->end)
        q *= size_at(g, y->value, b_end++);
      else
        return;
    }
    relate_runs(g, &(struct run){x->value, a, a_end},
                &(struct run){y->value, b, b_end});
    a = a_end;
    b = b_end;
  }
}

void cul_retype_same_elements(struct cul_retype *g, MlirOperation op) {
  MlirValue x = mlirOperationGetOperand(op, 0);
  MlirValue y = mlirOperationGetResult(op, 0);
  if (is_static(g, x) && is_static(g, y))
    relate_elements(g, &(struct run){x, 0, cul_retype_rank(g, x)},
                    &(struct run){y, 0, cul_retype_rank(g, y)});
  else if (cul_retype_is_unverified(op))
    cul_retype_pin_all(g, op);
}

/* An attribute is the new shape. */
static void rule_elements(struct cul_retype *g, MlirOperation op) {
  MlirValue to = mlirOperationGetResult(op, 0);
  size_t n = cul_retype_rank(g, to);
  uint32_t sizes[CUL_RETYPE_MAX];
  cul_retype_same_elements(g, op);
  if (!cul_retype_arg(g, 0) || !cul_ir_get(op, cul_retype_arg(g, 0)).ptr ||
      n > CUL_RETYPE_MAX)
    return;
  for (size_t i = 0; i < n; i++)
    sizes[i] = cul_retype_size(g, to, (int64_t)i);
  cul_retype_bind(g, op, cul_retype_arg(g, 0), sizes, n);
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
  out->all = (struct run){value, 0, cul_retype_rank(g, value)};
  out->others = 1;
  for (size_t i = 0; i < out->all.end; i++)
    if (size_at(g, value, i) == CUL_RETYPE_DYNAMIC) {
      out->at = i;
      n++;
    } else {
      out->others *= size_at(g, value, i);
    }
  return n == 1 && out->others > 0;
}

static uint32_t open_node(const struct cul_retype *g,
                          const struct open_shape *s) {
  return cul_retype_size(g, s->all.value, (int64_t)s->at);
}

static void pin_others(struct cul_retype *g, const struct open_shape *s) {
  for (size_t i = 0; i < s->all.end; i++)
    if (i != s->at)
      cul_retype_pin(g, cul_retype_size(g, s->all.value, (int64_t)i));
}

/* One dynamic size is so many times the other. */
static void relate_times(struct cul_retype *g, const struct open_shape *x,
                         const struct open_shape *y) {
  cul_retype_relate(g, CUL_RETYPE_EQUAL, open_node(g, x), 0);
  cul_retype_term(g, open_node(g, y), y->others / x->others);
}

static void relate_open(struct cul_retype *g, struct open_shape *x,
                        struct open_shape *y) {
  bool leads = x->at == 0 && y->at == 0;
  bool trails = x->at + 1 == x->all.end && y->at + 1 == y->all.end;
  if (x->others == y->others && (leads || trails)) {
    cul_retype_tie(g, open_node(g, x), open_node(g, y));
    x->all.first = y->all.first = leads;
    x->all.end -= !leads;
    y->all.end -= !leads;
    relate_elements(g, &x->all, &y->all);
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
  MlirValue from = mlirOperationGetOperand(op, 0);
  MlirValue to = mlirOperationGetResult(op, 0);
  struct open_shape x, y;
  if (read_open(g, from, &x) && read_open(g, to, &y))
    relate_open(g, &x, &y);
  else
    cul_retype_same_elements(g, op);
}

/* ---- slices ---- */

/* Which size of small each entry of static_sizes is; small may lack some that
 * are 1: CUL_RETYPE_NONE. */
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

/* Of value N, and a part of it: its sizes are numbers of the operation, and
 * dimensions of the whole.  The layout of a view follows from what it is of:
 * rank.c. */
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

/* What is padded with is an element; a dimension that it is made from stays. */
static void rule_pad(struct cul_retype *g, MlirOperation op) {
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  intptr_t n = g->ranks && block.ptr ? mlirBlockGetNumArguments(block) : 0;
  MlirOperation end =
      block.ptr ? cul_cfg_terminator(g->ir, block) : (MlirOperation){NULL};
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
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    pin_axis(g, op, mlirOperationGetResult(op, i));
}

/* Operands are joined, or those of the list that operand 0 is. */
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

/* ---- dimensions that go: reassociation ---- */

static bool expands(const struct cul_retype *g, MlirOperation op) {
  return cul_retype_rank(g, cul_retype_outcome(op)) >
         cul_retype_rank(g, mlirOperationGetOperand(op, 0));
}

/* Groups that are all gone go. */
static void thin_groups(struct cul_retype *g, MlirOperation op) {
  MlirAttribute groups = cul_ir_get(op, "reassociation");
  MlirAttribute left[CUL_RETYPE_MAX];
  MlirValue from = mlirOperationGetOperand(op, 0), to = cul_retype_outcome(op);
  bool gone[CUL_RETYPE_MAX];
  intptr_t n = 0;
  cul_retype_find_gone(g, expands(g, op) ? to : from, gone);
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

/* ---- of pads ---- */

static MlirBlock padding(MlirOperation op) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
}

static void thin_pad(struct cul_retype *g, MlirOperation op) {
  MlirBlock block = padding(op);
  for (intptr_t i = (intptr_t)cul_retype_rank(g, cul_retype_outcome(op));
       block.ptr && i-- > 0;)
    if (cul_retype_is_gone(g, cul_retype_outcome(op), i))
      cul_edit_erase_argument(block, (unsigned)i);
}

/* ---- lists that number dimensions ---- */

/* MLIR's own verifier falls over a transpose of nothing: that is a copy. */
static void thin_transposed(struct cul_retype *g, MlirOperation op) {
  static const char *const own[] = {"permutation",
                                    "linalg.memoized_indexing_maps", NULL};
  struct cul_ir_change copy = {.name = cul_retype_arg(g, 1), .drop_attrs = own};
  static const int32_t segments[] = {1, 1};
  int64_t order[CUL_RETYPE_MAX];
  MlirOperation made;
  if (cul_numbers_named(op, cul_retype_arg(g, 0), order) > 0)
    return;
  made = cul_retype_rebuild(g, op, &copy);
  if (made.ptr)
    (void)cul_ir_set(g->ir, made, "operandSegmentSizes",
                     mlirDenseI32ArrayGet(g->ir->context, 2, segments));
}

/* Of the first value with dimensions. */
static void thin_numbered(struct cul_retype *g, MlirOperation op) {
  size_t i = 0;
  while (i + 1 < cul_ir_n_values(op) &&
         cul_retype_rank(g, cul_ir_value(op, i)) == 0)
    i++;
  cul_retype_thin_dims(g, op, cul_retype_arg(g, 0), cul_ir_value(op, i));
}

const struct cul_retype_meaning cul_retype_shape_words[] = {
    {"transposed", CUL_WORD_ASIDE, NULL, thin_transposed, 0},
    {"concat", CUL_WORD_RANKS, rule_concat, thin_numbered, 0},
    {"axis", CUL_WORD_ASIDE | CUL_WORD_GOING, rule_axis, thin_numbered, 0},
    {"numbered", CUL_WORD_ASIDE, NULL, thin_numbered, 0},
    {"groups", CUL_WORD_RANKS, rule_groups, thin_groups, 0},
    {"elements", CUL_WORD_RANKS, rule_elements, NULL, 0},
    {"open-elements", CUL_WORD_RANKS, rule_open_elements, NULL, 0},
    {"slice", CUL_WORD_RANKS, rule_slice, NULL, 0},
    {"pad", CUL_WORD_RANKS, rule_pad, thin_pad, 0},
    {0},
};
