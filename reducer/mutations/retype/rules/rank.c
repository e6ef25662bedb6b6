/* Dimensions that go: see rules.h.  Operations of any rank, subscripts,
 * and what the other rules share. */
#include "rules.h"

#include <mlir-c/AffineMap.h>
#include <stdlib.h>
#include <string.h>

/* ---- layout ---- */

/* Layouts of views: part of the retype engine. A memref.subview's result has
 * the strides of its source times its own, and starts at its offsets. Of
 * Triton's layouts slices are left. */

static bool is_dynamic(int64_t number) {
  return number == CUL_RETYPE_DYNAMIC ||
         mlirShapedTypeIsDynamicStrideOrOffset(number);
}

static int64_t times(int64_t a, int64_t b) {
  return is_dynamic(a) || is_dynamic(b)
             ? mlirShapedTypeGetDynamicStrideOrOffset()
             : a * b;
}

static int64_t plus(int64_t a, int64_t b) {
  return is_dynamic(a) || is_dynamic(b)
             ? mlirShapedTypeGetDynamicStrideOrOffset()
             : a + b;
}

struct view {
  int64_t offsets[CUL_RETYPE_MAX], sizes[CUL_RETYPE_MAX],
      strides[CUL_RETYPE_MAX];            /* of the operation */
  int64_t source[CUL_RETYPE_MAX], offset; /* of the source */
  size_t n;
};

/* Dimensions of the source that have gone: their entries are still there. */
static void drop_gone(const struct cul_retype *g, MlirValue source,
                      struct view *v) {
  size_t kept = 0;
  for (size_t i = 0; i < v->n; i++) {
    uint32_t node = cul_retype_size(g, source, (int64_t)i);
    if (cul_retype_now(g, node) == CUL_RETYPE_GONE)
      continue;
    v->offsets[kept] = v->offsets[i];
    v->sizes[kept] = v->sizes[i];
    v->strides[kept++] = v->strides[i];
  }
  v->n = kept;
}

static bool read_view(struct cul_retype *g, MlirOperation op,
                      struct view *out) {
  uint32_t from = cul_retype_slot(g, mlirOperationGetOperand(op, 0));
  MlirType type = cul_retype_type_now(g, from);
  out->n = cul_numbers_named(op, "static_strides", out->strides);
  if (out->n == 0 || out->n != g->slots.items[from].rank ||
      cul_numbers_named(op, "static_offsets", out->offsets) != out->n ||
      cul_numbers_named(op, "static_sizes", out->sizes) != out->n)
    return false;
  drop_gone(g, mlirOperationGetOperand(op, 0), out);
  return mlirLogicalResultIsSuccess(
      mlirMemRefTypeGetStridesAndOffset(type, out->source, &out->offset));
}

/* Which dimensions of the view the result has: all, or all but some of size 1,
 * the first that fit. */
static size_t result_strides(const struct cul_retype *g, const struct view *v,
                             MlirValue result, int64_t *out) {
  int64_t sizes[CUL_RETYPE_MAX];
  size_t rank = 0, k = 0;
  for (size_t i = 0; i < cul_retype_rank(g, result); i++) {
    uint32_t node = cul_retype_size(g, result, (int64_t)i);
    if (cul_retype_now(g, node) != CUL_RETYPE_GONE)
      sizes[rank++] = cul_retype_now(g, node);
  }
  for (size_t i = 0; i < v->n && k < rank; i++) {
    bool spare = v->n - i > rank - k;
    if (spare && v->sizes[i] == 1 && sizes[k] != 1)
      continue;
    out[k++] = times(v->source[i], v->strides[i]);
  }
  return k;
}

static bool is_strided(const struct cul_retype *g, MlirValue value) {
  uint32_t node = cul_retype_node(g, value, CUL_RETYPE_LAYOUT);
  MlirAttribute layout = {NULL};
  if (node != CUL_RETYPE_NONE)
    layout.ptr = (void *)(intptr_t)g->nodes.value[node];
  return layout.ptr && mlirAttributeIsAStridedLayout(layout);
}

void cul_retype_derive_layout(struct cul_retype *g, MlirOperation op) {
  int64_t strides[CUL_RETYPE_MAX], offset;
  MlirAttribute layout;
  MlirValue result;
  struct view v;
  uint32_t root;
  size_t n;
  if (!cul_ir_is(op, "memref.subview"))
    return;
  result = mlirOperationGetResult(op, 0);
  if (!is_strided(g, result) || !read_view(g, op, &v))
    return;
  offset = v.offset;
  for (size_t i = 0; i < v.n; i++)
    offset = plus(offset, times(v.offsets[i], v.source[i]));
  n = result_strides(g, &v, result, strides);
  layout =
      mlirStridedLayoutAttrGet(g->ir->context, offset, (intptr_t)n, strides);
  /* Pinned against choices, not against what follows from them. */
  root = cul_retype_find(g, cul_retype_node(g, result, CUL_RETYPE_LAYOUT));
  g->nodes.now[root] = (int64_t)(intptr_t)layout.ptr;
  g->nodes.set[root] = g->nodes.now[root] != g->nodes.value[root];
}

/* ---- slices ---- */

static const char *layout_text(const struct cul_retype *g,
                               const struct cul_retype_slot *slot) {
  MlirAttribute layout = {
      (void *)(intptr_t)g->nodes.value[slot->first + CUL_RETYPE_LAYOUT]};
  return layout.ptr ? cul_ir_attr_text(g->ir, layout) : "";
}

/* A layout of Triton's tensors: what is left of one that has two dimensions
 * when one goes is a slice of it.  Those that share one lose the same. */
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

/* A layout and which of its dimensions a tensor has: what slices of it leave.
 */
struct slices {
  struct cul_buf base;
  struct cul_bytes dialect;          /* "#ttg." */
  size_t cut[CUL_RETYPE_MAX], n_cut; /* dimensions of base, in this order */
  size_t left[CUL_RETYPE_MAX], n;    /* the others */
};

/* Cut what stands at place i of those that are left. */
static void cut(struct slices *s, size_t i) {
  s->cut[s->n_cut++] = s->left[i];
  s->n--;
  memmove(&s->left[i], &s->left[i + 1], (s->n - i) * sizeof *s->left);
}

/* Slices nest: "slice<{dim = 1, parent = slice<{dim = 2, parent = base}>}>"
 * has lost dimension 2 first. */
static bool read_slices(const char *text, size_t rank, struct slices *out) {
  static const char word[] = "slice<{dim = ", parent[] = ", parent = ";
  size_t dims[CUL_RETYPE_MAX], n = 0, dialect = strcspn(text, ".");
  dialect += text[dialect] == '.';
  out->dialect = (struct cul_bytes){text, dialect};
  while (n + rank < CUL_RETYPE_MAX &&
         strncmp(text, out->dialect.data, dialect) == 0 &&
         strncmp(text + dialect, word, strlen(word)) == 0) {
    char *end;
    dims[n++] = strtoul(text + dialect + strlen(word), &end, 10);
    if (strncmp(end, parent, strlen(parent)) != 0)
      return false;
    text = end + strlen(parent);
  }
  if (n + rank >= CUL_RETYPE_MAX || strlen(text) < n * strlen("}>"))
    return false;
  cul_buf_add(&out->base, text, strlen(text) - n * strlen("}>"));
  out->n = n + rank;
  for (size_t i = 0; i < out->n; i++)
    out->left[i] = i;
  while (n-- > 0) {
    if (dims[n] >= out->n)
      return false;
    cut(out, dims[n]);
  }
  return true;
}

/* One slice more, around what is there. */
static void add_slice(struct cul_buf *text, const struct slices *s,
                      size_t dim) {
  struct cul_buf inner = *text;
  *text = (struct cul_buf){0};
  cul_buf_add(text, s->dialect.data, s->dialect.len);
  cul_buf_addf(text, "slice<{dim = %zu, parent = %s}>", dim,
               cul_buf_str(&inner));
  cul_buf_release(&inner);
}

static size_t place_of(const struct slices *s, size_t dim) {
  size_t i = 0;
  while (i < s->n && s->left[i] != dim)
    i++;
  return i;
}

/* The base loses what has gone, the last first, then what it had lost before:
 * so a slice stays one of what its parent becomes. */
static MlirAttribute slice_of(struct cul_retype *g,
                              const struct cul_retype_slot *slot) {
  struct slices old = {.n = 0}, made = {.n = 0};
  struct cul_buf text = {0};
  MlirAttribute attr = {NULL};
  if (read_slices(layout_text(g, slot), slot->rank, &old)) {
    cul_buf_adds(&text, cul_buf_str(&old.base));
    made.dialect = old.dialect;
    made.n = slot->rank + old.n_cut;
    for (size_t i = 0; i < made.n; i++)
      made.left[i] = i;
    for (uint32_t i = slot->rank; i-- > 0;)
      if (cul_retype_now(g, slot->first + CUL_RETYPE_SIZE + i) ==
          CUL_RETYPE_GONE) {
        add_slice(&text, &made, place_of(&made, old.left[i]));
        cut(&made, place_of(&made, old.left[i]));
      }
    for (size_t i = 0; i < old.n_cut; i++) {
      add_slice(&text, &made, place_of(&made, old.cut[i]));
      cut(&made, place_of(&made, old.cut[i]));
    }
    attr = cul_ir_attr_parse(g->ir, cul_buf_str(&text));
  }
  cul_buf_release(&text);
  cul_buf_release(&old.base);
  return attr;
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
    if (gone == 0 || gone == slot->rank || g->nodes.set[root] ||
        !retype_is_sliced(g, slot))
      continue;
    made = slice_of(g, slot);
    if (!made.ptr)
      continue;
    g->nodes.now[root] = (int64_t)(intptr_t)made.ptr;
    g->nodes.set[root] = true;
  }
}

/* ---- asking ---- */

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

bool cul_retype_any_gone(const struct cul_retype *g, MlirValue value) {
  for (size_t i = 0; i < cul_retype_rank(g, value); i++)
    if (cul_retype_is_gone(g, value, (int64_t)i))
      return true;
  return false;
}

int64_t cul_retype_renumber(const struct cul_retype *g, MlirValue value,
                            int64_t i) {
  int64_t less = 0;
  for (int64_t k = 0; k < i; k++)
    less += cul_retype_is_gone(g, value, k);
  return i - less;
}

/* ---- joining ---- */

MlirValue cul_retype_outcome(MlirOperation op) {
  return mlirOperationGetNumResults(op) > 0
             ? mlirOperationGetResult(op, 0)
             : mlirOperationGetOperand(op, mlirOperationGetNumOperands(op) - 1);
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

/* ---- tensor.dim ---- */

static void rule_dim(struct cul_retype *g, MlirOperation op) {
  int64_t at[CUL_RETYPE_MAX];
  size_t n;
  if (!cul_retype_operand(op, 1, at, &n))
    cul_retype_pin_sizes(g, mlirOperationGetOperand(op, 0));
}

/* The size of what has gone is the number it was, or 1. */
static void thin_dim(struct cul_retype *g, MlirOperation op) {
  MlirValue of = mlirOperationGetOperand(op, 0), size;
  struct cul_ir_ops one = {.items = &op, .n = 1, .cap = 1};
  int64_t at[CUL_RETYPE_MAX], was;
  size_t n;
  if (!cul_retype_operand(op, 1, at, &n))
    return;
  if (!cul_retype_is_gone(g, of, at[0])) {
    cul_retype_thin_dims(g, op, "@1", of);
    return;
  }
  was = g->nodes.value[cul_retype_size(g, of, at[0])];
  size =
      cul_retype_constant(g, cul_ir_defining_op(mlirOperationGetOperand(op, 1)),
                          was > 0 ? was : 1, op);
  cul_ir_replace_uses(mlirOperationGetResult(op, 0), size);
  (void)cul_ir_discard_sweep(g->ir, &one);
}

/* ---- layouts ---- */

/* A view's follows from what it is of. */
static bool is_view(MlirValue value) {
  MlirOperation op =
      value.ptr ? cul_ir_defining_op(value) : (MlirOperation){NULL};
  return op.ptr && cul_ir_is(op, "memref.subview");
}

/* Is the type's wrapper made for one rank? */
static bool counts_dims(const struct cul_retype *g,
                        const struct cul_retype_slot *slot) {
  return slot->wrapper != CUL_RETYPE_NONE &&
         cul_retype_hole_has_lists(&g->wrappers.items[slot->wrapper].around);
}

void cul_retype_pin_layouts(struct cul_retype *g) {
  bool *derived = cul_xcalloc(g->nodes.n + 1, sizeof *derived);
  for (size_t s = 0; s < g->slots.n; s++)
    if (is_view(g->slots.items[s].value))
      derived[cul_retype_find(g, g->slots.items[s].first + CUL_RETYPE_LAYOUT)] =
          true;
  for (size_t s = 0; s < g->slots.n; s++) {
    const struct cul_retype_slot *slot = &g->slots.items[s];
    uint32_t layout = cul_retype_find(g, slot->first + CUL_RETYPE_LAYOUT);
    if ((derived[layout] ||
         cul_retype_is_default_layout(g->nodes.value[layout]) ||
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
    return node != CUL_RETYPE_NONE && value >= g->nodes.value[node];
  }
  return value >= cul_retype_arg_number(g, arg + 1) &&
         (!*most || value <= cul_retype_arg_number(g, arg + 2));
}

static void rule_given(struct cul_retype *g, MlirOperation op) {
  g->lacks = false;
  for (size_t arg = 0; arg + 2 < g->word->n_args; arg += 3)
    g->lacks |= !is_given(g, op, arg);
}

/* ---- a shape: operand N of the word ---- */

/* How the list begins among the sizes of the result that it is the last of.
 * -1: it is no list of them. */
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

/* -1 is whatever is left.  What only ends so has these dimensions. */
static void rule_shape(struct cul_retype *g, MlirOperation op) {
  int64_t sizes[CUL_RETYPE_MAX];
  size_t n;
  int64_t first = first_size(g, op, sizes, &n);
  bool is = first >= 0, stays = g->ranks && cul_retype_arg(g, 1);
  for (size_t i = 0; first >= 0 && i < n; i++) {
    uint32_t node =
        cul_retype_size(g, cul_retype_outcome(op), first + (int64_t)i);
    is &= sizes[i] == -1 || sizes[i] == CUL_RETYPE_DYNAMIC ||
          sizes[i] == g->nodes.value[node];
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

/* ---- what is typed by them ---- */

/* A number that is the element type, or None: without a value. */
static void rule_typed(struct cul_retype *g, MlirOperation op) {
  MlirOperation maker = cul_ir_defining_op(
      mlirOperationGetOperand(op, cul_retype_arg_number(g, 0)));
  if (maker.ptr && !cul_ir_is(maker, "torch.constant.none"))
    cul_retype_pin(
        g, cul_retype_node(g, cul_retype_outcome(op), CUL_RETYPE_ELEMENT));
}

/* A list of tensors says nothing of them, or repeats their type. */
static void rule_repeats(struct cul_retype *g, MlirOperation op) {
  if (strchr(cul_ir_type_text(g->ir, mlirValueGetType(cul_retype_outcome(op))),
             '['))
    cul_retype_rule_pinned(g, op);
}

/* ---- custom_call: what it does nobody knows ---- */

/* An entry per value: in which order its dimensions lie. */
static void thin_orders(struct cul_retype *g, MlirOperation op,
                        const char *name, size_t first) {
  MlirAttribute list = cul_ir_get(op, name), made[CUL_RETYPE_MAX];
  intptr_t n = list.ptr && mlirAttributeIsAArray(list)
                   ? mlirArrayAttrGetNumElements(list)
                   : 0;
  if (n == 0 || n > CUL_RETYPE_MAX)
    return;
  for (intptr_t i = 0; i < n; i++) {
    bool gone[CUL_RETYPE_MAX];
    cul_retype_find_gone(g, cul_ir_value(op, first + (size_t)i), gone);
    made[i] =
        cul_numbers_without(g->ir, mlirArrayAttrGetElement(list, i), gone);
    if (!made[i].ptr)
      return;
  }
  (void)cul_ir_set(g->ir, op, name, mlirArrayAttrGet(g->ir->context, n, made));
}

static void thin_orders_word(struct cul_retype *g, MlirOperation op) {
  thin_orders(g, op, cul_retype_arg(g, 0), 0);
  thin_orders(g, op, cul_retype_arg(g, 1),
              (size_t)mlirOperationGetNumOperands(op));
}

const struct cul_retype_meaning cul_retype_rank_words[] = {
    {"dim", CUL_WORD_RANKS | CUL_WORD_GOING, rule_dim, thin_dim, 0},
    {"given", CUL_WORD_ASIDE, rule_given, NULL, 0},
    {"shape", CUL_WORD_RANKS | CUL_WORD_ALWAYS, rule_shape, fix_shape, 0},
    {"repeats", CUL_WORD_RANKS, rule_repeats, NULL, 0},
    {"typed", CUL_WORD_ASIDE, rule_typed, NULL, 0},
    {"orders", CUL_WORD_RANKS | CUL_WORD_ASIDE, NULL, thin_orders_word, 0},
    {0},
};
