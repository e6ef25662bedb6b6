/* Layouts of views: part of the retype engine.  A memref.subview's result has
 * the strides of its source times its own, and starts at its offsets.  Of
 * Triton's layouts slices are left. */
#include <stdlib.h>
#include <string.h>

#include "rank.h"

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

bool cul_retype_is_sliced(const struct cul_retype *g,
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
    if (!cul_retype_is_sliced(g, slot))
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
        !cul_retype_is_sliced(g, slot))
      continue;
    made = slice_of(g, slot);
    if (!made.ptr)
      continue;
    g->nodes.now[root] = (int64_t)(intptr_t)made.ptr;
    g->nodes.set[root] = true;
  }
}
