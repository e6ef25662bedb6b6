/* Dimensions that go: see rank.h.  Operations of any rank, subscripts,
 * and what the other rules share. */
#include "rank.h"

#include <mlir-c/AffineMap.h>
#include <stdlib.h>
#include <string.h>

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

void cul_retype_join_values(struct cul_retype *g, MlirValue a, MlirValue b) {
  size_t rank = cul_retype_rank(g, a);
  for (size_t i = 0; rank == cul_retype_rank(g, b) && i < rank; i++)
    cul_retype_join_nodes(g, cul_retype_size(g, a, (int64_t)i),
                          cul_retype_size(g, b, (int64_t)i));
}

void cul_retype_pin_sizes(struct cul_retype *g, MlirValue value) {
  for (size_t i = 0; i < cul_retype_rank(g, value); i++)
    cul_retype_pin(g, cul_retype_size(g, value, (int64_t)i));
}

void cul_retype_pin_all(struct cul_retype *g, MlirOperation op) {
  for (size_t i = 0; i < cul_ir_n_values(op); i++)
    cul_retype_pin_sizes(g, cul_ir_value(op, i));
}

/* All values have one shape. */
void cul_retype_rule_alike(struct cul_retype *g, MlirOperation op) {
  for (size_t i = 1; i < cul_ir_n_values(op); i++)
    cul_retype_join_values(g, cul_ir_value(op, 0), cul_ir_value(op, i));
}

/* ---- thinning ---- */

void cul_retype_thin_dims(struct cul_retype *g, MlirOperation op,
                          const char *name, MlirValue of) {
  MlirAttribute dims = cul_ir_get(op, name);
  bool gone[CUL_RETYPE_MAX];
  if (*name == '@')
    cul_retype_thin_operand(g, op, name[1] - '0', of);
  if (!dims.ptr)
    return;
  cul_retype_find_gone(g, of, gone);
  dims = cul_numbers_without(g->ir, dims, gone);
  if (dims.ptr)
    (void)cul_ir_set(g->ir, op, name, dims);
}

void cul_retype_keep_operands(struct cul_retype *g, MlirOperation op,
                              const bool *keep) {
  struct cul_ir_ops makers = {0};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirOperation maker = cul_ir_defining_op(mlirOperationGetOperand(op, i));
    if (!keep[i] && maker.ptr)
      cul_ir_ops_add(&makers, maker);
  }
  (void)cul_ir_keep_operands(g->ir, op, keep);
  for (size_t i = 0; i < makers.n; i++)
    if (cul_ir_alive(g->ir, makers.items[i]))
      (void)cul_ir_sweep(g->ir, makers.items[i]);
  cul_ir_ops_release(&makers);
}

/* Entries of `name` from the end of operandSegmentSizes; 0: no segment. */
static size_t segment_from_end(const char *name) {
  static const struct {
    const char *name;
    size_t from_end;
  } lists[] = {{"static_offsets", 3},
               {"static_sizes", 2},
               {"static_strides", 1},
               {"static_low", 2},
               {"static_high", 1}};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(lists); i++)
    if (strcmp(name, lists[i].name) == 0)
      return lists[i].from_end;
  return 0;
}

size_t cul_retype_first_dynamic(MlirOperation op, const char *name) {
  size_t back = segment_from_end(name), known = cul_ir_n_segments(op);
  size_t first, n;
  if (strcmp(name, "static_output_shape") == 0)
    return 1;
  return back > 0 && known >= back &&
                 cul_ir_segment_range(op, known - back, &first, &n)
             ? first
             : SIZE_MAX;
}

void cul_retype_thin_entries(struct cul_retype *g, MlirOperation op,
                             const char *name, MlirValue of) {
  int64_t numbers[CUL_RETYPE_MAX];
  size_t n = cul_numbers_named(op, name, numbers), kept = 0;
  size_t at = cul_retype_first_dynamic(op, name);
  size_t n_operands = (size_t)mlirOperationGetNumOperands(op);
  size_t rank = cul_retype_rank(g, of), each = rank && n > rank ? n / rank : 1;
  bool *keep = cul_xcalloc(n_operands + n + 1, sizeof *keep);
  memset(keep, true, n_operands + n);
  for (size_t i = 0; i < n; i++) {
    bool gone = cul_retype_is_gone(g, of, (int64_t)(i / each));
    bool operand = numbers[i] == CUL_RETYPE_DYNAMIC && at != SIZE_MAX;
    if (operand)
      keep[at++] = !gone;
    if (!gone)
      numbers[kept++] = numbers[i];
  }
  if (kept < n) {
    (void)cul_ir_set(
        g->ir, op, name,
        cul_numbers_replaced(g->ir, cul_ir_get(op, name), numbers, kept));
    cul_retype_keep_operands(g, op, keep);
  }
  free(keep);
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

/* ---- subscripts ---- */

static void thin_map(struct cul_retype *g, MlirOperation op, MlirValue memory,
                     const char *name) {
  MlirAttribute attr = cul_ir_get(op, name);
  intptr_t kept[CUL_RETYPE_MAX], n = 0;
  MlirAffineMap map;
  if (!attr.ptr || !mlirAttributeIsAAffineMap(attr))
    return;
  map = mlirAffineMapAttrGetValue(attr);
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); i++)
    if (!cul_retype_is_gone(g, memory, i) && n < CUL_RETYPE_MAX)
      kept[n++] = i;
  map = mlirAffineMapGetSubMap(map, n, kept);
  (void)cul_ir_set(g->ir, op, name, mlirAffineMapAttrGet(map));
}

/* Operands from first on, one for each dimension of `of`. */
void cul_retype_thin_operands(struct cul_retype *g, MlirOperation op,
                              intptr_t first, MlirValue of) {
  size_t n = (size_t)mlirOperationGetNumOperands(op);
  bool *keep = cul_xcalloc(n + 1, sizeof *keep);
  for (size_t i = 0; i < n; i++)
    keep[i] = !cul_retype_is_gone(g, of, (int64_t)i - first);
  cul_retype_keep_operands(g, op, keep);
  free(keep);
}

void cul_retype_thin_access(struct cul_retype *g, MlirOperation op) {
  const char *map = cul_retype_arg(g, 2);
  MlirValue memory = mlirOperationGetOperand(op, cul_retype_arg_number(g, 0));
  if (!cul_retype_any_gone(g, memory))
    return;
  if (map)
    thin_map(g, op, memory, map);
  else
    cul_retype_thin_operands(g, op, cul_retype_arg_number(g, 1), memory);
}

/* ---- tensor.dim ---- */

void cul_retype_rule_dim(struct cul_retype *g, MlirOperation op) {
  int64_t at[CUL_RETYPE_MAX];
  size_t n;
  if (!cul_retype_operand(op, 1, at, &n))
    cul_retype_pin_sizes(g, mlirOperationGetOperand(op, 0));
}

/* The size of what has gone is the number it was, or 1. */
void cul_retype_thin_dim(struct cul_retype *g, MlirOperation op) {
  MlirValue of = mlirOperationGetOperand(op, 0), size;
  struct cul_ir_ops one = {.items = &op, .n = 1, .cap = 1};
  int64_t at[CUL_RETYPE_MAX], was;
  size_t n;
  if (!cul_retype_operand(op, 1, at, &n))
    return;
  if (!cul_retype_is_gone(g, of, at[0])) {
    cul_retype_thin_operand(g, op, 1, of);
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
         cul_retype_is_sliced(g, slot)) &&
        !counts_dims(g, slot))
      continue;
    for (uint32_t i = 0; i < slot->rank; i++)
      cul_retype_pin(g, slot->first + CUL_RETYPE_SIZE + i);
  }
  free(derived);
}
