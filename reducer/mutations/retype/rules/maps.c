/* Operations with indexing maps: linalg, vector.contract.
 *
 * Sizes that one loop alone subscripts are tied, and removed together.  A size
 * that a sum of loops subscripts (convolution, pooling) must be at least as
 * large as the sum reaches; the verifier requires no more.  A loop is removed
 * along with a dimension that it subscripts.  A named operation exists for some
 * ranks only: it becomes the one of its family that has the remaining maps,
 * else linalg.generic. */
#include <mlir-c/AffineExpr.h>
#include <mlir-c/AffineMap.h>
#include <mlir-c/Dialect/Linalg.h>
#include <string.h>

#include "../../../subject/edit/cfg.h"
#include "../../../subject/ir/compat.h"
#include "rules.h"

/* An affine expression as a linear one. */
struct cul_retype_linear {
  int64_t coef[CUL_RETYPE_MAX]; /* of the dimensions */
  int64_t constant;
};

#define MAPS "indexing_maps"
#define MEMOIZED_MAPS "linalg.memoized_indexing_maps"

static MlirAffineMap map_at(MlirAttribute maps, intptr_t i) {
  return mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, i));
}

static bool are_maps(MlirAttribute attr) {
  if (!attr.ptr || !mlirAttributeIsAArray(attr))
    return false;
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(attr); i++)
    if (!mlirAttributeIsAAffineMap(mlirArrayAttrGetElement(attr, i)))
      return false;
  return true;
}

/* The affine map in an attribute of op; null: there is none, or name is NULL.
 */
static MlirAffineMap map_named(MlirOperation op, const char *name) {
  MlirAttribute attr = {NULL};
  if (name)
    attr = cul_ir_get(op, name);
  return attr.ptr && mlirAttributeIsAAffineMap(attr)
             ? mlirAffineMapAttrGetValue(attr)
             : (MlirAffineMap){NULL};
}

/* The indexing maps of op, or null.  A named operation has them by definition,
 * and its generic form as an attribute. */
MlirAttribute cul_retype_maps(MlirOperation op) {
  MlirAttribute maps = cul_ir_get(op, MAPS);
  if (!maps.ptr)
    maps = cul_ir_get(op, MEMOIZED_MAPS);
  if (!maps.ptr && cul_compat_is_registered(op))
    maps = cul_compat_linalg_maps(op);
  return are_maps(maps) ? maps : (MlirAttribute){NULL};
}

/* ---- affine expressions ---- */

/* Add factor * expr to out; false if it is not linear in the dimensions. */
static bool add_linear(MlirAffineExpr expr, int64_t factor,
                       struct cul_retype_linear *out) {
  MlirAffineExpr a, b;
  if (mlirAffineExprIsADim(expr)) {
    intptr_t d = mlirAffineDimExprGetPosition(expr);
    if (d >= CUL_RETYPE_MAX)
      return false;
    out->coef[d] += factor;
    return true;
  }
  if (mlirAffineExprIsAConstant(expr)) {
    out->constant += factor * mlirAffineConstantExprGetValue(expr);
    return true;
  }
  if (!mlirAffineExprIsAAdd(expr) && !mlirAffineExprIsAMul(expr))
    return false;
  a = mlirAffineBinaryOpExprGetLHS(expr);
  b = mlirAffineBinaryOpExprGetRHS(expr);
  if (mlirAffineExprIsAAdd(expr))
    return add_linear(a, factor, out) && add_linear(b, factor, out);
  return mlirAffineExprIsAConstant(b) &&
         add_linear(a, factor * mlirAffineConstantExprGetValue(b), out);
}

/* Read a linear expression; false if it is none. */
static bool retype_linear_of(MlirAffineExpr expr,
                             struct cul_retype_linear *out) {
  memset(out, 0, sizeof *out);
  return add_linear(expr, 1, out);
}

/* size >= constant + sum of coef * (node - 1) + 1 */
static void retype_relate_reach(struct cul_retype *g, enum cul_retype_kind kind,
                                uint32_t size,
                                const struct cul_retype_linear *sum,
                                const uint32_t *nodes) {
  int64_t constant = sum->constant + 1;
  for (size_t d = 0; d < CUL_RETYPE_MAX; d++) {
    if (sum->coef[d] < 0 || (sum->coef[d] && nodes[d] == CUL_RETYPE_NONE))
      return;
    constant -= sum->coef[d];
  }
  cul_retype_relate(g, kind, size, constant);
  for (size_t d = 0; d < CUL_RETYPE_MAX; d++)
    if (sum->coef[d])
      cul_retype_term(g, nodes[d], sum->coef[d]);
}

/* ---- subscripts ---- */

enum { MOST_SUBSCRIPTS = 4 * CUL_RETYPE_MAX };

/* expr subscripts dimension `at` of an operand. */
struct subscript {
  intptr_t operand, at;
  MlirAffineExpr expr;
  intptr_t loop; /* the loop that is all of expr, or -1 */
};
struct subscripts {
  struct subscript items[MOST_SUBSCRIPTS];
  size_t n;
};

static void list_subscripts(MlirAttribute maps, struct subscripts *out) {
  out->n = 0;
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(maps); i++) {
    MlirAffineMap map = map_at(maps, i);
    for (intptr_t k = 0; k < mlirAffineMapGetNumResults(map); k++) {
      MlirAffineExpr expr = mlirAffineMapGetResult(map, k);
      bool loop = mlirAffineExprIsADim(expr);
      if (out->n < MOST_SUBSCRIPTS)
        out->items[out->n++] = (struct subscript){
            i, k, expr, loop ? mlirAffineDimExprGetPosition(expr) : -1};
    }
  }
}

static uint32_t size_of(const struct cul_retype *g, MlirOperation op,
                        const struct subscript *s) {
  return cul_retype_size(g, mlirOperationGetOperand(op, s->operand), s->at);
}

/* ---- loops ---- */

/* Tie the sizes that one loop subscripts.  A static one becomes the loop's
 * size. */
static void tie_loops(struct cul_retype *g, MlirOperation op,
                      const struct subscripts *all, uint32_t *loops) {
  for (size_t i = 0; i < all->n; i++) {
    const struct subscript *s = &all->items[i];
    uint32_t node = size_of(g, op, s), *loop;
    if (s->loop < 0 || node == CUL_RETYPE_NONE)
      continue;
    loop = &loops[s->loop];
    if (*loop != CUL_RETYPE_NONE)
      cul_retype_pair(g, *loop, node);
    if (*loop == CUL_RETYPE_NONE || g->node[*loop].value == CUL_RETYPE_DYNAMIC)
      *loop = node;
  }
}

/* Tie the operands by their maps; there may be fewer maps than operands. */
static void tie_maps(struct cul_retype *g, MlirOperation op,
                     MlirAttribute maps) {
  intptr_t n = mlirArrayAttrGetNumElements(maps);
  uint32_t loops[CUL_RETYPE_MAX]; /* the size of each loop */
  struct subscripts all;
  memset(loops, 0xff, sizeof loops);
  if (n == 0 || n > mlirOperationGetNumOperands(op) ||
      mlirAffineMapGetNumDims(map_at(maps, 0)) > CUL_RETYPE_MAX)
    return;
  list_subscripts(maps, &all);
  tie_loops(g, op, &all, loops);
  for (size_t i = 0; i < all.n; i++) {
    const struct subscript *s = &all.items[i];
    struct cul_retype_linear sum;
    if (s->loop < 0 && size_of(g, op, s) != CUL_RETYPE_NONE &&
        retype_linear_of(s->expr, &sum))
      retype_relate_reach(g, CUL_RETYPE_AT_LEAST, size_of(g, op, s), &sum,
                          loops);
  }
}

/* ---- bodies ---- */

static MlirBlock body_of(MlirOperation op) {
  return mlirOperationGetNumRegions(op) == 1
             ? mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0))
             : (MlirBlock){NULL};
}

/* The loop whose index linalg.index gives; -1 for other operations. */
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

/* Pin loops whose index is used, or that are added to others: a window without
 * one of its loops need not fit what it slides over. */
static void pin_loops(struct cul_retype *g, MlirOperation op,
                      MlirAttribute maps) {
  bool stays[CUL_RETYPE_MAX] = {false};
  struct subscripts all;
  list_subscripts(maps, &all);
  find_counted(op, stays);
  for (size_t i = 0; i < all.n; i++)
    for (intptr_t d = 0; all.items[i].loop < 0 && d < CUL_RETYPE_MAX; d++)
      stays[d] |= mlirAffineExprIsFunctionOfDim(all.items[i].expr, d);
  for (size_t i = 0; i < all.n; i++) {
    const struct subscript *s = &all.items[i];
    if (s->loop < 0 ? !mlirAffineExprIsAConstant(s->expr) : stays[s->loop])
      cul_retype_pin(g, size_of(g, op, s));
  }
}

void cul_retype_rule_maps(struct cul_retype *g, MlirOperation op) {
  MlirAttribute maps = cul_retype_maps(op);
  intptr_t n = maps.ptr ? mlirArrayAttrGetNumElements(maps) : 0;
  MlirBlock body = body_of(op);
  if (n > 0 && n == mlirOperationGetNumOperands(op) && body.ptr &&
      mlirBlockGetNumArguments(body) == n &&
      mlirAffineMapGetNumDims(map_at(maps, 0)) <= CUL_RETYPE_MAX) {
    tie_maps(g, op, maps);
    pin_loops(g, op, maps);
  } else if (maps.ptr || !cul_retype_word(op, "elementwise")) {
    cul_retype_pin_all(g, op);
  }
}

/* Tie the elements of operands to the arguments of the body, and those of the
 * last operands to the yielded values. */
static void tie_body(struct cul_retype *g, MlirOperation op) {
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  MlirOperation end = cul_cfg_terminator(g->ir, block);
  intptr_t n = mlirOperationGetNumOperands(op);
  intptr_t m = end.ptr ? mlirOperationGetNumOperands(end) : 0;
  for (intptr_t i = 0; i < n; i++)
    cul_retype_tie(g, cul_retype_element(g, mlirOperationGetOperand(op, i)),
                   cul_retype_element(g, cul_ir_argument(block, i)));
  for (intptr_t i = 0; i < m; i++)
    cul_retype_tie(g, cul_retype_element(g, cul_ir_operand(op, n - m + i)),
                   cul_retype_element(g, mlirOperationGetOperand(end, i)));
}

/* Tie each result to its destination, one of the last operands. */
static void tie_destinations(struct cul_retype *g, MlirOperation op) {
  intptr_t n = mlirOperationGetNumOperands(op);
  intptr_t m = mlirOperationGetNumResults(op);
  for (intptr_t i = 0; i < m && m <= n; i++)
    cul_retype_tie_values(g, mlirOperationGetResult(op, i),
                          mlirOperationGetOperand(op, n - m + i));
}

/* Tie an operation without maps: it is not registered, and its generic form
 * lacks them. */
static void tie_without_maps(struct cul_retype *g, MlirOperation op) {
  if (cul_retype_word(op, "elementwise"))
    cul_retype_rule_same(g, op);
  else if (!cul_retype_word(op, "once"))
    cul_retype_rule_by_size(g, op);
}

static void rule_linalg(struct cul_retype *g, MlirOperation op) {
  MlirAttribute maps = cul_retype_maps(op);
  tie_destinations(g, op);
  if (maps.ptr)
    tie_maps(g, op, maps);
  else
    tie_without_maps(g, op);
  if (mlirOperationGetNumRegions(op) == 1)
    tie_body(g, op);
}

/* ---- removed loops ---- */

/* Find the removed loops; returns the maps without them. */
static MlirAttribute thin_all(struct cul_retype *g, MlirOperation op,
                              MlirAttribute maps, bool *loops) {
  MlirAttribute items[CUL_RETYPE_MAX];
  intptr_t n = mlirArrayAttrGetNumElements(maps);
  bool gone[CUL_RETYPE_MAX];
  struct subscripts all;
  list_subscripts(maps, &all);
  for (size_t i = 0; i < all.n; i++) {
    const struct subscript *s = &all.items[i];
    MlirValue value = mlirOperationGetOperand(op, s->operand);
    if (s->loop >= 0 && cul_retype_is_gone(g, value, s->at))
      loops[s->loop] = true;
  }
  for (intptr_t i = 0; i < n && i < CUL_RETYPE_MAX; i++) {
    cul_retype_find_gone(g, mlirOperationGetOperand(op, i), gone);
    items[i] = cul_numbers_map_without(g->ir, map_at(maps, i), loops, gone);
  }
  return mlirArrayAttrGet(g->ir->context, n, items);
}

/* ---- iterators ---- */

/* Does the loop subscript an output? */
static bool is_parallel(MlirOperation op, MlirAttribute maps, intptr_t loop) {
  intptr_t outputs = mlirOperationGetNumResults(op);
  intptr_t first = mlirArrayAttrGetNumElements(maps) - (outputs ? outputs : 1);
  struct subscripts all;
  list_subscripts(maps, &all);
  for (size_t i = 0; i < all.n; i++)
    if (all.items[i].operand >= first && all.items[i].loop == loop)
      return true;
  return false;
}

/* The iterator types that are left; a named operation gets new ones. */
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

/* The operation in whose rule the word "contraction" has these maps: per
 * operand, the loops that subscript it.  NULL if there is none. */
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

/* Is the operation elementwise?  All loops in order then subscript each operand
 * that is subscripted at all. */
static bool is_any_rank(MlirAttribute maps) {
  intptr_t n = mlirArrayAttrGetNumElements(maps);
  for (intptr_t i = 0; i < n; i++)
    if (!mlirAffineMapIsIdentity(map_at(maps, i)) &&
        (i == n - 1 || mlirAffineMapGetNumResults(map_at(maps, i)) > 0))
      return false;
  return true;
}

/* ---- operations without removed loops ---- */

static void write_maps(struct cul_retype *g, MlirOperation op,
                       MlirAttribute maps) {
  static const char *const names[] = {MAPS, MEMOIZED_MAPS};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(names); i++)
    if (cul_ir_get(op, names[i]).ptr)
      (void)cul_ir_set(g->ir, op, names[i], maps);
}

/* Rename op; the maps follow from the name, or are an attribute. */
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

/* ---- bounds ---- */

/* Bounds of loops.  No verifier checks that a loop stays within the memory that
 * its counter subscripts, but a program that ran should not begin to read past
 * its end.  So constant bounds decrease with sizes. */

/* The node of the only number in an attribute of op. */
static uint32_t number_of(struct cul_retype *g, MlirOperation op,
                          const char *name) {
  size_t n;
  uint32_t node = cul_retype_list(g, op, name, true, &n);
  return n == 1 ? node : CUL_RETYPE_NONE;
}

/* The node of a counter's constant upper bound. */
static uint32_t bound_of(struct cul_retype *g, MlirValue counter) {
  MlirOperation loop, constant;
  if (!mlirValueIsABlockArgument(counter) ||
      mlirBlockArgumentGetArgNumber(counter) != 0)
    return CUL_RETYPE_NONE;
  loop = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(counter));
  if (cul_ir_is(loop, "affine.for"))
    return number_of(g, loop, "upperBoundMap");
  if (!cul_ir_is(loop, "scf.for"))
    return CUL_RETYPE_NONE;
  constant = cul_ir_maker(loop, 1);
  return constant.ptr && cul_ir_is(constant, "arith.constant")
             ? number_of(g, constant, "value")
             : CUL_RETYPE_NONE;
}

static void rule_access(struct cul_retype *g, MlirOperation op) {
  const char *name = cul_retype_arg(g, 2);
  MlirValue memory = mlirOperationGetOperand(op, cul_retype_arg_number(g, 0));
  intptr_t first = cul_retype_arg_number(g, 1);
  intptr_t n = mlirOperationGetNumOperands(op) - first;
  uint32_t bounds[CUL_RETYPE_MAX];
  MlirAffineMap map = map_named(op, name);
  for (intptr_t i = 0; i < CUL_RETYPE_MAX; i++)
    bounds[i] = i < n ? bound_of(g, mlirOperationGetOperand(op, first + i))
                      : CUL_RETYPE_NONE;
  for (size_t i = 0; i < cul_retype_rank(g, memory); i++) {
    struct cul_retype_linear sum = {.constant = 0};
    if (!name && i < CUL_RETYPE_MAX)
      sum.coef[i] = 1;
    else if (!map.ptr ||
             !retype_linear_of(mlirAffineMapGetResult(map, (intptr_t)i), &sum))
      continue;
    retype_relate_reach(g, CUL_RETYPE_WISH,
                        cul_retype_size(g, memory, (int64_t)i), &sum, bounds);
  }
}

/* Remove subscripts of removed dimensions, from the map or the operands. */
static void thin_access(struct cul_retype *g, MlirOperation op) {
  const char *name = cul_retype_arg(g, 2);
  MlirValue memory = cul_retype_arg_value(g, op, 0);
  MlirAffineMap map = map_named(op, name);
  intptr_t kept[CUL_RETYPE_MAX], n = 0;
  if (!name && cul_retype_any_gone(g, memory))
    cul_retype_thin_operands(g, op, cul_retype_arg_number(g, 1), memory);
  if (!map.ptr)
    return;
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); i++)
    if (!cul_retype_is_gone(g, memory, i) && n < CUL_RETYPE_MAX)
      kept[n++] = i;
  map = mlirAffineMapGetSubMap(map, n, kept);
  (void)cul_ir_set(g->ir, op, name, mlirAffineMapAttrGet(map));
}

/* ---- a map from dimensions of one value to those of another ---- */

static void rule_map(struct cul_retype *g, MlirOperation op) {
  MlirAffineMap map = map_named(op, cul_retype_arg(g, 0));
  MlirValue from = cul_retype_arg_value(g, op, 1);
  MlirValue to = cul_retype_arg_value(g, op, 2);
  intptr_t n = map.ptr ? mlirAffineMapGetNumResults(map) : 0;
  if (!map.ptr && g->ranks)
    cul_retype_pin_all(g, op);
  for (intptr_t i = 0; i < n; i++) {
    MlirAffineExpr expr = mlirAffineMapGetResult(map, i);
    if (mlirAffineExprIsADim(expr))
      cul_retype_pair(
          g, cul_retype_size(g, from, mlirAffineDimExprGetPosition(expr)),
          cul_retype_size(g, to, i));
  }
}

static void thin_map(struct cul_retype *g, MlirOperation op) {
  const char *name = cul_retype_arg(g, 0);
  bool from[CUL_RETYPE_MAX], to[CUL_RETYPE_MAX];
  cul_retype_find_gone(g, cul_retype_arg_value(g, op, 1), from);
  cul_retype_find_gone(g, cul_retype_arg_value(g, op, 2), to);
  (void)cul_ir_set(
      g->ir, op, name,
      cul_numbers_map_without(g->ir, map_named(op, name), from, to));
}

/* Pin all types if there are such operands, as a mask: the dimensions are not
 * known then. */
static void rule_unless(struct cul_retype *g, MlirOperation op) {
  size_t n = 0;
  if (cul_retype_arg_operands(g, op, 0, &n) == SIZE_MAX || n > 0)
    cul_retype_pin_all(g, op);
}

const struct cul_retype_meaning cul_retype_maps_words[] = {
    {"access", CUL_WORD_RANKS, rule_access, thin_access, 0},
    {"linalg", 0, rule_linalg, NULL, 0},
    {"map", CUL_WORD_RANKS, rule_map, thin_map, 0},
    {"unless", CUL_WORD_ASIDE | CUL_WORD_GOING, rule_unless, NULL, 0},
    {"maps", CUL_WORD_RANKS | CUL_WORD_ASIDE | CUL_WORD_GOING,
     cul_retype_rule_maps, cul_retype_thin_maps, 0},
    {0},
};
