/* Dimensions that go, where indexing maps say what is what: see retype_rank.h.
 *
 * A loop that subscripts a dimension that goes, goes itself.  A named
 * operation is made for some ranks only: it becomes the one of its family that
 * has the maps left, else linalg.generic. */
#include "retype_rank.h"

#include <mlir-c/AffineMap.h>
#include <string.h>

#define MAPS "indexing_maps"
#define MEMOIZED_MAPS "linalg.memoized_indexing_maps"

static MlirAffineMap map_at(MlirAttribute maps, intptr_t i) {
  return mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, i));
}

/* ---- joining ---- */

static MlirBlock body_of(MlirOperation op) {
  return mlirOperationGetNumRegions(op) == 1
             ? mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0))
             : (MlirBlock){NULL};
}

/* The loop that an operation of the body counts; -1: it is none. */
static int64_t counted(MlirOperation inner) {
  MlirAttribute dim = cul_ir_get(inner, "dim");
  return cul_ir_is(inner, "linalg.index") && dim.ptr &&
                 mlirAttributeIsAInteger(dim)
             ? mlirIntegerAttrGetValueInt(dim)
             : -1;
}

static void find_counted(MlirOperation op, bool *out) {
  CUL_IR_EACH_OP(inner, body_of(op)) {
    int64_t loop = counted(inner);
    if (loop >= 0 && loop < CUL_RETYPE_MAX)
      out[loop] = true;
  }
}

static void find_summed(MlirAffineMap map, bool *out) {
  for (intptr_t k = 0; k < mlirAffineMapGetNumResults(map); k++) {
    MlirAffineExpr expr = mlirAffineMapGetResult(map, k);
    for (intptr_t d = 0; d < mlirAffineMapGetNumDims(map); d++)
      out[d] |=
          !mlirAffineExprIsADim(expr) && mlirAffineExprIsFunctionOfDim(expr, d);
  }
}

static void join_dims(struct cul_retype *g, MlirValue value, MlirAffineMap map,
                      const bool *stays, uint32_t *first) {
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); i++) {
    MlirAffineExpr expr = mlirAffineMapGetResult(map, i);
    uint32_t node = cul_retype_size(g, value, i);
    bool dim = mlirAffineExprIsADim(expr);
    intptr_t at = dim ? mlirAffineDimExprGetPosition(expr) : 0;
    if (dim ? stays[at] : !mlirAffineExprIsAConstant(expr))
      cul_retype_pin(g, node);
    if (dim && first[at] == CUL_RETYPE_NONE)
      first[at] = node;
    if (dim)
      cul_retype_join_nodes(g, first[at], node);
  }
}

/* Sizes that one loop subscripts go together.  Loops stay that are counted, or
 * added to others: a window alone need not fit what it slides over. */
static void join_loops(struct cul_retype *g, MlirOperation op,
                       MlirAttribute maps) {
  intptr_t n = mlirArrayAttrGetNumElements(maps);
  uint32_t first[CUL_RETYPE_MAX]; /* size that a loop subscripts */
  bool stays[CUL_RETYPE_MAX] = {false};
  memset(first, 0xff, sizeof first);
  find_counted(op, stays);
  for (intptr_t i = 0; i < n; i++)
    find_summed(map_at(maps, i), stays);
  for (intptr_t i = 0; i < n; i++)
    join_dims(g, mlirOperationGetOperand(op, i), map_at(maps, i), stays, first);
}

void cul_retype_join_maps(struct cul_retype *g, MlirOperation op) {
  MlirAttribute maps = cul_retype_maps(op);
  intptr_t n = maps.ptr ? mlirArrayAttrGetNumElements(maps) : 0;
  MlirBlock body = body_of(op);
  bool alike = !maps.ptr && cul_retype_word(op, "elementwise");
  bool known = n > 0 && n == mlirOperationGetNumOperands(op) && body.ptr &&
               mlirBlockGetNumArguments(body) == n &&
               mlirAffineMapGetNumDims(map_at(maps, 0)) <= CUL_RETYPE_MAX;
  if (known)
    join_loops(g, op, maps);
  else if (alike)
    cul_retype_join_all(g, op);
  else
    cul_retype_pin_all(g, op);
}

/* ---- loops that go ---- */

/* Returns the maps that are left. */
static MlirAttribute thin_all(struct cul_retype *g, MlirOperation op,
                              MlirAttribute maps, bool *loops) {
  MlirAttribute items[CUL_RETYPE_MAX];
  intptr_t n = mlirArrayAttrGetNumElements(maps);
  bool gone[CUL_RETYPE_MAX];
  for (intptr_t i = 0; i < n; i++)
    for (intptr_t k = 0; k < mlirAffineMapGetNumResults(map_at(maps, i)); k++) {
      MlirAffineExpr expr = mlirAffineMapGetResult(map_at(maps, i), k);
      if (cul_retype_is_gone(g, mlirOperationGetOperand(op, i), k) &&
          mlirAffineExprIsADim(expr))
        loops[mlirAffineDimExprGetPosition(expr)] = true;
    }
  for (intptr_t i = 0; i < n && i < CUL_RETYPE_MAX; i++) {
    cul_retype_find_gone(g, mlirOperationGetOperand(op, i), gone);
    items[i] = cul_numbers_map_without(g->ir, map_at(maps, i), loops, gone);
  }
  return mlirArrayAttrGet(g->ir->context, n, items);
}

/* ---- iterators ---- */

/* Is the loop among what subscripts the outputs? */
static bool is_parallel(MlirOperation op, MlirAttribute maps, intptr_t loop) {
  intptr_t n = mlirArrayAttrGetNumElements(maps);
  intptr_t outputs = mlirOperationGetNumResults(op);
  if (outputs == 0)
    outputs = 1;
  for (intptr_t i = n - outputs; i < n; i++)
    for (intptr_t k = 0; k < mlirAffineMapGetNumResults(map_at(maps, i)); k++) {
      MlirAffineExpr expr = mlirAffineMapGetResult(map_at(maps, i), k);
      if (mlirAffineExprIsADim(expr) &&
          mlirAffineDimExprGetPosition(expr) == loop)
        return true;
    }
  return false;
}

/* In words where there were none: a named operation's. */
static MlirAttribute thin_iterators(struct cul_retype *g, MlirOperation op,
                                    MlirAttribute maps, const bool *loops) {
  MlirAttribute kinds = cul_ir_get(op, "iterator_types");
  MlirAttribute items[CUL_RETYPE_MAX];
  intptr_t n = 0;
  for (intptr_t d = 0; d < mlirAffineMapGetNumDims(map_at(maps, 0)); d++) {
    if (loops[d])
      continue;
    items[n++] =
        kinds.ptr ? mlirArrayAttrGetElement(kinds, d)
                  : cul_ir_attr_parse(g->ir,
                                      is_parallel(op, maps, d)
                                          ? "#linalg.iterator_type<parallel>"
                                          : "#linalg.iterator_type<reduction>");
  }
  return mlirArrayAttrGet(g->ir->context, n, items);
}

static void renumber_counted(struct cul_retype *g, MlirOperation op,
                             const bool *loops) {
  CUL_IR_EACH_OP(inner, body_of(op)) {
    int64_t loop = counted(inner), less = 0;
    for (int64_t d = 0; d < loop; d++)
      less += loops[d];
    if (less > 0)
      (void)cul_ir_set(
          g->ir, inner, "dim",
          mlirIntegerAttrGet(mlirAttributeGetType(cul_ir_get(inner, "dim")),
                             loop - less));
  }
}

/* ---- named operations ---- */

static bool is_map(MlirAffineMap map, const char *digits) {
  if (mlirAffineMapGetNumResults(map) != (intptr_t)strlen(digits))
    return false;
  for (intptr_t i = 0; digits[i]; i++) {
    MlirAffineExpr expr = mlirAffineMapGetResult(map, i);
    if (!mlirAffineExprIsADim(expr) ||
        mlirAffineDimExprGetPosition(expr) != digits[i] - '0')
      return false;
  }
  return true;
}

/* The name of the rule whose word has these maps: operand by operand the loops
 * that subscript it.  NULL: no named operation does. */
static const char *contraction_of(MlirOperation op, MlirAttribute maps) {
  const struct cul_op_rules *rules = cul_retype_rules();
  intptr_t n = mlirArrayAttrGetNumElements(maps);
  if (!cul_retype_word(op, "contraction"))
    return NULL;
  for (size_t i = 0; i < rules->n; i++) {
    const struct cul_op_word *word =
        cul_retype_word_in(&rules->rules[i], "contraction");
    bool fits = word && word->n_args == (size_t)n;
    for (intptr_t k = 0; fits && k < n; k++)
      fits = is_map(map_at(maps, k), word->args[k]);
    if (fits)
      return rules->rules[i].name;
  }
  return NULL;
}

/* Elementwise: what is subscripted at all is by all loops in order. */
static bool is_any_rank(MlirAttribute maps) {
  intptr_t n = mlirArrayAttrGetNumElements(maps);
  for (intptr_t i = 0; i < n; i++)
    if (!mlirAffineMapIsIdentity(map_at(maps, i)) &&
        (i == n - 1 || mlirAffineMapGetNumResults(map_at(maps, i)) > 0))
      return false;
  return true;
}

/* ---- all ---- */

static void write_maps(struct cul_retype *g, MlirOperation op,
                       MlirAttribute maps) {
  static const char *const names[] = {MAPS, MEMOIZED_MAPS};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(names); i++)
    if (cul_ir_get(op, names[i]).ptr)
      (void)cul_ir_set(g->ir, op, names[i], maps);
}

/* Its maps are its own knowledge, or an attribute. */
static void rename_op(struct cul_retype *g, MlirOperation op, const char *name,
                      MlirAttribute maps, MlirAttribute iterators) {
  static const char *const own[] = {
      MAPS,   MEMOIZED_MAPS,    "strides", "dilations",
      "cast", "iterator_types", NULL};
  struct cul_ir_change change = {.name = name, .drop_attrs = own};
  bool generic = strcmp(name, "linalg.generic") == 0;
  bool had = !generic && cul_ir_get(op, MAPS).ptr &&
             strcmp(name, "linalg.matmul") == 0;
  MlirOperation made = cul_retype_rebuild(g, op, &change);
  if (!made.ptr)
    return;
  if (generic)
    (void)cul_ir_set(g->ir, made, "iterator_types", iterators);
  if (generic || had)
    (void)cul_ir_set(g->ir, made, MAPS, maps);
  else if (cul_ir_is_opaque(g->ir))
    (void)cul_ir_set(g->ir, made, MEMOIZED_MAPS, maps);
}

void cul_retype_thin_maps(struct cul_retype *g, MlirOperation op) {
  MlirAttribute maps = cul_retype_maps(op), left, iterators;
  const char *name;
  bool loops[CUL_RETYPE_MAX] = {false};
  if (!maps.ptr)
    return;
  left = thin_all(g, op, maps, loops);
  if (is_any_rank(maps) && !cul_ir_is(op, "linalg.generic")) {
    write_maps(g, op, left);
    return;
  }
  iterators = thin_iterators(g, op, maps, loops);
  renumber_counted(g, op, loops);
  if (cul_ir_is(op, "linalg.generic")) {
    (void)cul_ir_set(g->ir, op, MAPS, left);
    (void)cul_ir_set(g->ir, op, "iterator_types", iterators);
    return;
  }
  name = contraction_of(op, left);
  rename_op(g, op, name ? name : "linalg.generic", left, iterators);
}
