/* Dimensions that go: which operations can lose one, and what they lose with
 * it.  Part of the retype engine. */
#include <mlir-c/AffineExpr.h>
#include <mlir-c/AffineMap.h>
#include <stdlib.h>
#include <string.h>

#include "retype_mend.h"

/* ---- operations of any rank ---- */

static bool is_one_of(MlirOperation op, const char *const *names, size_t n) {
  MlirStringRef name = cul_ir_name(op);
  for (size_t i = 0; i < n; i++) {
    size_t len = strlen(names[i]);
    if (name.length >= len && memcmp(name.data, names[i], len) == 0 &&
        (name.length == len || names[i][len - 1] == '.'))
      return true;
  }
  return false;
}

static bool has_any_rank(MlirOperation op) {
  static const char *const names[] = {"arith.",
                                      "math.",
                                      "complex.",
                                      "func.",
                                      "cf.",
                                      "scf.for",
                                      "scf.if",
                                      "scf.while",
                                      "scf.yield",
                                      "scf.condition",
                                      "scf.execute_region",
                                      "affine.for",
                                      "affine.if",
                                      "affine.yield",
                                      "builtin.unrealized_conversion_cast",
                                      "ub.poison",
                                      "tensor.empty",
                                      "tensor.splat",
                                      "tensor.cast",
                                      "memref.alloc",
                                      "memref.alloca",
                                      "memref.dealloc",
                                      "memref.copy",
                                      "memref.cast",
                                      "bufferization.to_tensor",
                                      "bufferization.to_buffer",
                                      "bufferization.alloc_tensor",
                                      "bufferization.dealloc_tensor",
                                      "gpu.launch_func",
                                      "gpu.return",
                                      "linalg.fill",
                                      "linalg.copy",
                                      "linalg.yield",
                                      "tosa.const",
                                      "tosa.yield"};
  return is_one_of(op, names, CUL_ARRAY_SIZE(names)) || cul_ir_is_function(op);
}

/* ---- which cannot ---- */

static void pin_sizes(struct cul_retype *g, MlirValue value) {
  for (size_t i = 0; i < cul_retype_rank(g, value); i++)
    cul_retype_pin(g, cul_retype_size(g, value, (int64_t)i));
}

static bool uses_index(MlirOperation op) {
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  bool found = false;
  if (block.ptr)
    CUL_IR_EACH_OP(inner, block)
  found |= cul_ir_is(inner, "linalg.index");
  return found;
}

static MlirAffineMap map_at(MlirAttribute maps, intptr_t i) {
  return mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, i));
}

/* All sizes that a loop subscripts are one class, or it stays; so do sizes
 * that are no loop's. */
static void pin_loops(struct cul_retype *g, MlirOperation op,
                      MlirAttribute maps) {
  uint32_t loop[CUL_RETYPE_MAX];
  intptr_t n = mlirArrayAttrGetNumElements(maps);
  memset(loop, 0xff, sizeof loop);
  for (intptr_t i = 0; i < n; i++)
    for (intptr_t k = 0; k < mlirAffineMapGetNumResults(map_at(maps, i)); k++) {
      MlirAffineExpr expr = mlirAffineMapGetResult(map_at(maps, i), k);
      uint32_t node = cul_retype_size(g, mlirOperationGetOperand(op, i), k);
      uint32_t *first;
      if (!mlirAffineExprIsADim(expr) || node == CUL_RETYPE_NONE) {
        cul_retype_pin(g, node);
        continue;
      }
      first = &loop[mlirAffineDimExprGetPosition(expr)];
      if (*first == CUL_RETYPE_NONE)
        *first = node;
      if (cul_retype_find(g, *first) == cul_retype_find(g, node))
        continue;
      cul_retype_pin(g, *first);
      cul_retype_pin(g, node);
    }
}

static bool pin_generic(struct cul_retype *g, MlirOperation op) {
  MlirAttribute maps = cul_ir_get(op, "indexing_maps");
  if (!cul_ir_is(op, "linalg.generic") || !maps.ptr || uses_index(op) ||
      mlirArrayAttrGetNumElements(maps) != mlirOperationGetNumOperands(op) ||
      mlirAffineMapGetNumDims(map_at(maps, 0)) > CUL_RETYPE_MAX)
    return false;
  pin_loops(g, op, maps);
  return true;
}

/* Slices that keep the rank: a dimension that is taken whole may go. */
static bool is_thin_slice(const struct cul_retype *g, MlirOperation op) {
  static const char *const names[] = {"tensor.extract_slice",
                                      "tensor.insert_slice"};
  intptr_t other = cul_ir_is(op, names[0]) ? 0 : 1;
  return is_one_of(op, names, 2) &&
         cul_retype_rank(g, mlirOperationGetResult(op, 0)) ==
             cul_retype_rank(g, mlirOperationGetOperand(op, 0)) &&
         cul_retype_rank(g, mlirOperationGetOperand(op, other)) ==
             cul_retype_rank(g, mlirOperationGetResult(op, 0));
}

/* What is not taken whole stays. */
static void pin_slice(struct cul_retype *g, MlirOperation op) {
  MlirValue a = mlirOperationGetOperand(op, 0);
  MlirValue b = mlirOperationGetResult(op, 0);
  for (size_t i = 0; i < cul_retype_rank(g, a); i++) {
    uint32_t x = cul_retype_size(g, a, (int64_t)i);
    uint32_t y = cul_retype_size(g, b, (int64_t)i);
    if (cul_retype_find(g, x) == cul_retype_find(g, y))
      continue;
    cul_retype_pin(g, x);
    cul_retype_pin(g, y);
  }
}

static void pin_op(struct cul_retype *g, MlirOperation op) {
  if (is_thin_slice(g, op)) {
    pin_slice(g, op);
    return;
  }
  if (has_any_rank(op) || cul_retype_access_of(op) || pin_generic(g, op))
    return;
  for (size_t i = 0; i < cul_retype_n_values(op); i++)
    pin_sizes(g, cul_retype_value(op, i));
}

/* A layout or an encoding is made for one rank. */
static void pin_layouts(struct cul_retype *g) {
  for (size_t s = 0; s < g->n_slots; s++) {
    const struct cul_retype_slot *slot = &g->slots[s];
    if (!cul_retype_is_default_layout(
            g->value[slot->first + CUL_RETYPE_LAYOUT]))
      for (uint32_t i = 0; i < slot->rank; i++)
        cul_retype_pin(g, slot->first + CUL_RETYPE_SIZE + i);
  }
}

void cul_retype_pin_ranks(struct cul_retype *g) {
  struct cul_ir_list list = {0};
  cul_ir_list(g->ir->root, &list);
  for (size_t i = 0; i < list.n; i++)
    pin_op(g, list.items[i].op);
  pin_layouts(g);
  cul_ir_list_release(&list);
}

/* ---- what goes with it ---- */

static bool is_gone(const struct cul_retype *g, MlirValue value, int64_t i) {
  uint32_t node = cul_retype_size(g, value, i);
  return node != CUL_RETYPE_NONE && cul_retype_now(g, node) == CUL_RETYPE_GONE;
}

static bool any_gone(const struct cul_retype *g, MlirValue value) {
  for (size_t i = 0; i < cul_retype_rank(g, value); i++)
    if (is_gone(g, value, (int64_t)i))
      return true;
  return false;
}

static void thin_map(struct cul_retype *g, MlirOperation op, MlirValue memory,
                     const char *name) {
  MlirAttribute attr = cul_ir_get(op, name);
  intptr_t kept[CUL_RETYPE_MAX], n = 0;
  MlirAffineMap map;
  if (!attr.ptr || !mlirAttributeIsAAffineMap(attr))
    return;
  map = mlirAffineMapAttrGetValue(attr);
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); i++)
    if (!is_gone(g, memory, i) && n < CUL_RETYPE_MAX)
      kept[n++] = i;
  map = mlirAffineMapGetSubMap(map, n, kept);
  (void)cul_ir_set(g->ir, op, name, mlirAffineMapAttrGet(map));
}

static void thin_access(struct cul_retype *g, MlirOperation op,
                        const struct cul_retype_access *a) {
  MlirValue memory = mlirOperationGetOperand(op, a->memory);
  size_t n = (size_t)mlirOperationGetNumOperands(op);
  bool *keep;
  if (!any_gone(g, memory))
    return;
  if (a->map) {
    thin_map(g, op, memory, a->map);
    return;
  }
  keep = cul_xcalloc(n + 1, sizeof *keep);
  for (size_t i = 0; i < n; i++)
    keep[i] =
        (intptr_t)i < a->first || !is_gone(g, memory, (int64_t)i - a->first);
  (void)cul_ir_keep_operands(g->ir, op, keep);
  free(keep);
}

static void thin_numbers(struct cul_retype *g, MlirOperation op,
                         MlirValue whole, const char *name) {
  int64_t numbers[CUL_RETYPE_MAX];
  size_t n = cul_retype_attr_numbers(op, name, numbers), kept = 0;
  for (size_t i = 0; i < n; i++)
    if (!is_gone(g, whole, (int64_t)i))
      numbers[kept++] = numbers[i];
  if (kept < n)
    (void)cul_ir_set(
        g->ir, op, name,
        cul_retype_with_numbers(g->ir, cul_ir_get(op, name), numbers, kept));
}

/* ---- loops that go ---- */

struct loops {
  bool gone[CUL_RETYPE_MAX];
  intptr_t n, left;
  MlirAffineMap renumber; /* old loops as expressions of those left */
};

static void find_loops(const struct cul_retype *g, MlirOperation op,
                       MlirAttribute maps, struct loops *out) {
  MlirAffineExpr exprs[CUL_RETYPE_MAX];
  memset(out, 0, sizeof *out);
  out->n = mlirAffineMapGetNumDims(map_at(maps, 0));
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(maps); i++)
    for (intptr_t k = 0; k < mlirAffineMapGetNumResults(map_at(maps, i)); k++)
      if (is_gone(g, mlirOperationGetOperand(op, i), k))
        out->gone[mlirAffineDimExprGetPosition(
            mlirAffineMapGetResult(map_at(maps, i), k))] = true;
  for (intptr_t d = 0; d < out->n; d++)
    exprs[d] = out->gone[d] ? mlirAffineConstantExprGet(g->ir->context, 0)
                            : mlirAffineDimExprGet(g->ir->context, out->left++);
  out->renumber = mlirAffineMapGet(g->ir->context, out->left, 0, out->n, exprs);
}

static MlirAttribute thin_indexing(struct cul_retype *g, MlirAffineMap map,
                                   MlirValue value, const struct loops *loops) {
  MlirAffineExpr exprs[CUL_RETYPE_MAX];
  intptr_t n = 0;
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); i++)
    if (!is_gone(g, value, i) && n < CUL_RETYPE_MAX)
      exprs[n++] = mlirAffineExprCompose(mlirAffineMapGetResult(map, i),
                                         loops->renumber);
  return mlirAffineMapAttrGet(
      mlirAffineMapGet(g->ir->context, loops->left, 0, n, exprs));
}

static void thin_generic(struct cul_retype *g, MlirOperation op) {
  MlirAttribute maps = cul_ir_get(op, "indexing_maps");
  MlirAttribute kinds = cul_ir_get(op, "iterator_types");
  MlirAttribute items[CUL_RETYPE_MAX];
  struct loops loops;
  intptr_t n = mlirArrayAttrGetNumElements(maps), left = 0;
  find_loops(g, op, maps, &loops);
  if (loops.left == loops.n || n > CUL_RETYPE_MAX)
    return;
  for (intptr_t i = 0; i < n; i++)
    items[i] = thin_indexing(g, map_at(maps, i), mlirOperationGetOperand(op, i),
                             &loops);
  (void)cul_ir_set(g->ir, op, "indexing_maps",
                   mlirArrayAttrGet(g->ir->context, n, items));
  for (intptr_t d = 0; d < loops.n; d++)
    if (!loops.gone[d])
      items[left++] = mlirArrayAttrGetElement(kinds, d);
  (void)cul_ir_set(g->ir, op, "iterator_types",
                   mlirArrayAttrGet(g->ir->context, left, items));
}

void cul_retype_mend_rank(struct cul_retype *g, MlirOperation op) {
  const struct cul_retype_access *access = cul_retype_access_of(op);
  bool touched = false;
  for (size_t i = 0; i < cul_retype_n_values(op); i++)
    touched |= any_gone(g, cul_retype_value(op, i));
  if (!touched)
    return;
  if (access)
    thin_access(g, op, access);
  else if (cul_ir_is(op, "linalg.generic"))
    thin_generic(g, op);
  else if (is_thin_slice(g, op)) {
    MlirValue whole = mlirOperationGetOperand(op, 0);
    thin_numbers(g, op, whole, "static_offsets");
    thin_numbers(g, op, whole, "static_sizes");
    thin_numbers(g, op, whole, "static_strides");
  }
}
