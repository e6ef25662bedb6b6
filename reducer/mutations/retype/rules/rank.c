/* Layouts that follow dimensions, and words about shapes and dimensions that
 * values give: see rules.h. */
#include "rules.h"

#include <mlir-c/AffineMap.h>
#include <stdlib.h>
#include <string.h>

/* ---- layout ---- */

/* Layouts of views: part of the retype engine.  The strides of a memref.subview
 * are those of its source times its own, and it starts at its offsets.  A
 * tensor with a layout of Triton that loses a dimension gets a slice of the
 * layout. */

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

void cul_retype_derive_layout(struct cul_retype *g, MlirOperation op) {
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

void cul_retype_join_slices(struct cul_retype *g) {
  struct cul_map first = {0};
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
  cul_map_release(&first);
}

/* A layout, and the dimensions that slices have cut from it, in this order. */
struct slices {
  struct cul_bytes dialect, base; /* "#ttg." */
  size_t cut[CUL_RETYPE_MAX], n;
};

/* The number of the i-th dimension that is not cut. */
static size_t nth_left(const struct slices *s, size_t i) {
  size_t dim = 0;
  for (;; dim++) {
    bool cut = false;
    for (size_t k = 0; k < s->n; k++)
      cut |= s->cut[k] == dim;
    if (!cut && i-- == 0)
      return dim;
  }
}

/* Read nested slices: "slice<{dim = 1, parent = slice<{dim = 2, parent =
 * base}>}>" has lost dimension 2 first. */
static bool read_slices(const char *text, size_t rank, struct slices *out) {
  static const char word[] = "slice<{dim = ", parent[] = ", parent = ";
  size_t dims[CUL_RETYPE_MAX], n = 0, dialect = strcspn(text, ".");
  dialect += text[dialect] == '.';
  *out = (struct slices){.dialect = {text, dialect}};
  while (n + rank < CUL_RETYPE_MAX &&
         strncmp(text, out->dialect.data, dialect) == 0 &&
         strncmp(text + dialect, word, strlen(word)) == 0) {
    char *end;
    dims[n] = strtoul(text + dialect + strlen(word), &end, 10);
    if (dims[n++] >= CUL_RETYPE_MAX ||
        strncmp(end, parent, strlen(parent)) != 0)
      return false;
    text = end + strlen(parent);
  }
  if (n + rank >= CUL_RETYPE_MAX || strlen(text) < n * strlen("}>"))
    return false;
  out->base = (struct cul_bytes){text, strlen(text) - n * strlen("}>")};
  for (; n > 0; out->n++)
    out->cut[out->n] = nth_left(out, dims[--n]);
  return true;
}

/* The base in a slice for each cut dimension, the last one outermost. */
static MlirAttribute write_slices(struct cul_retype *g,
                                  const struct slices *s) {
  struct cul_buf text = {0};
  MlirAttribute attr;
  for (size_t i = s->n; i-- > 0;) {
    size_t dim = s->cut[i];
    for (size_t k = 0; k < i; k++)
      dim -= s->cut[k] < s->cut[i];
    cul_buf_add(&text, s->dialect.data, s->dialect.len);
    cul_buf_addf(&text, "slice<{dim = %zu, parent = ", dim);
  }
  cul_buf_add(&text, s->base.data, s->base.len);
  for (size_t i = 0; i < s->n; i++)
    cul_buf_adds(&text, "}>");
  attr = cul_ir_attr_parse(g->ir, cul_buf_str(&text));
  cul_buf_release(&text);
  return attr;
}

/* The slice without the removed dimensions.  The base loses these first, from
 * the last on, and then those that it had lost before, so that a slice remains
 * a slice of what its parent becomes. */
static MlirAttribute slice_of(struct cul_retype *g,
                              const struct cul_retype_slot *slot) {
  struct slices old, made;
  if (!read_slices(layout_text(g, slot), slot->rank, &old))
    return (MlirAttribute){NULL};
  made = (struct slices){.dialect = old.dialect, .base = old.base};
  for (uint32_t i = slot->rank; i-- > 0;)
    if (cul_retype_now(g, slot->first + CUL_RETYPE_SIZE + i) == CUL_RETYPE_GONE)
      made.cut[made.n++] = nth_left(&old, i);
  for (size_t i = 0; i < old.n; i++)
    made.cut[made.n++] = old.cut[i];
  return write_slices(g, &made);
}

static size_t count_gone(const struct cul_retype *g,
                         const struct cul_retype_slot *slot) {
  size_t n = 0;
  for (uint32_t i = 0; i < slot->rank; i++)
    n +=
        cul_retype_now(g, slot->first + CUL_RETYPE_SIZE + i) == CUL_RETYPE_GONE;
  return n;
}

void cul_retype_derive_slices(struct cul_retype *g) {
  for (size_t s = 0; g->ranks && s < g->slots.n; s++) {
    const struct cul_retype_slot *slot = &g->slots.items[s];
    uint32_t root = cul_retype_find(g, slot->first + CUL_RETYPE_LAYOUT);
    size_t gone = count_gone(g, slot);
    MlirAttribute made;
    if (gone == 0 || gone == slot->rank || g->node[root].set ||
        !retype_is_sliced(g, slot))
      continue;
    made = slice_of(g, slot);
    if (!made.ptr)
      continue;
    g->node[root].now = (int64_t)(intptr_t)made.ptr;
    g->node[root].set = true;
  }
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
  MlirValue of = mlirOperationGetOperand(op, 0), size;
  int64_t at[CUL_RETYPE_MAX], was;
  size_t n;
  if (!cul_retype_operand(op, 1, at, &n))
    return;
  if (!cul_retype_is_gone(g, of, at[0])) {
    cul_retype_thin_dims(g, op, "@1", of);
    return;
  }
  was = g->node[cul_retype_size(g, of, at[0])].value;
  size =
      cul_retype_constant(g, cul_ir_defining_op(mlirOperationGetOperand(op, 1)),
                          was > 0 ? was : 1, op);
  cul_retype_become(g, op, size);
}

/* ---- layouts ---- */

/* Is the value a view, whose layout is derived from that of its source? */
static bool is_view(MlirValue value) {
  MlirOperation op =
      value.ptr ? cul_ir_defining_op(value) : (MlirOperation){NULL};
  return op.ptr && cul_ir_is(op, "memref.subview");
}

/* Does the type's wrapper have lists for one rank? */
static bool counts_dims(const struct cul_retype *g,
                        const struct cul_retype_slot *slot) {
  return slot->wrapper != CUL_RETYPE_NONE &&
         cul_ir_hole_has_lists(&g->wrappers.items[slot->wrapper].around);
}

void cul_retype_pin_layouts(struct cul_retype *g) {
  bool *derived = cul_xcalloc(g->n_nodes + 1, sizeof *derived);
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
    for (uint32_t i = 0; i < slot->rank; i++)
      cul_retype_pin(g, slot->first + CUL_RETYPE_SIZE + i);
  }
  free(derived);
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
  MlirOperation maker = cul_ir_defining_op(
      mlirOperationGetOperand(op, cul_retype_arg_number(g, 0)));
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
        list = cul_ir_array_with(g->ir, list, i, order);
    }
    if (n > 0)
      (void)cul_ir_set(g->ir, op, cul_retype_arg(g, l), list);
    first = (size_t)mlirOperationGetNumOperands(op);
  }
}

const struct cul_retype_meaning cul_retype_rank_words[] = {
    {"dim", CUL_WORD_RANKS | CUL_WORD_GOING, rule_dim, thin_dim, 0},
    {"given", CUL_WORD_ASIDE, rule_given, NULL, 0},
    {"shape", CUL_WORD_RANKS | CUL_WORD_ALWAYS, rule_shape, fix_shape, 0},
    {"repeats", CUL_WORD_RANKS, rule_repeats, NULL, 0},
    {"typed", CUL_WORD_ASIDE, rule_typed, NULL, 0},
    {"orders", CUL_WORD_RANKS | CUL_WORD_ASIDE, NULL, thin_orders, 0},
    {0},
};
