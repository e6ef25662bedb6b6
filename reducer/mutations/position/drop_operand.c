/* drop-operand: remove an optional operand.  The op model (opmodel.h) learns
 * which ones are; without its ruling, the operations of the input decide. */
#include "../../opmodel/opmodel.h"
#include "../../subject/edit/position.h"
#include "../../subject/ir/compat.h"
#include "../frame/each.h"

#include <stdlib.h>
#include <string.h>

/* The operations of one name with as many results and regions. */
struct shape {
  MlirStringRef name;
  intptr_t results, regions, fewest; /* fewest: operands of one */
};

struct shapes {
  struct shape *items;
  size_t n, cap;
};

static struct shape *find_shape(const struct shapes *shapes, MlirOperation op) {
  MlirStringRef name = cul_ir_name(op);
  for (size_t i = 0; i < shapes->n; i++) {
    struct shape *shape = &shapes->items[i];
    if (mlirStringRefEqual(shape->name, name) &&
        shape->results == mlirOperationGetNumResults(op) &&
        shape->regions == mlirOperationGetNumRegions(op))
      return shape;
  }
  return NULL;
}

/* Find the fewest operands that operations of each shape have.  (Loops with
 * more results have more.)  Required operands, such as a bound or memref, come
 * before optional ones. */
static void take_shapes(struct cul_ir *ir, struct shapes *out) {
  CUL_IR_EACH_INNER(walk, ir->root) {
    struct shape *shape = find_shape(out, walk.op);
    intptr_t n = mlirOperationGetNumOperands(walk.op);
    if (!shape) {
      shape = &CUL_XADD(out->items, out->n, out->cap);
      *shape = (struct shape){cul_ir_name(walk.op),
                              mlirOperationGetNumResults(walk.op),
                              mlirOperationGetNumRegions(walk.op), n};
    }
    if (n < shape->fewest)
      shape->fewest = n;
  }
}

/* Is the operation of a dialect of which nothing is known? */
static bool is_unknown(const struct cul_ir *ir, MlirOperation op) {
  return !cul_ir_is_opaque(ir) && !cul_compat_is_registered(op);
}

/* May operands be removed?  Not those of a terminator, which follow from where
 * it leads, nor arguments of calls and launches, which change-signature
 * handles. */
static bool is_open(struct cul_ir *ir, MlirOperation op) {
  static const char *const closed[] = {"callee", "kernel", "indexing_maps",
                                       "lowerBoundMap", "map"};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(closed); i++)
    if (cul_ir_get(op, closed[i]).ptr)
      return false;
  if (mlirOperationGetNumOperands(op) == 0 || !cul_each_editable(ir, op) ||
      mlirOperationGetNumSuccessors(op) > 0)
    return false;
  return !cul_ir_is_terminator(ir, op) || is_unknown(ir, op);
}

/* The first operand that seems optional by the operations of the input. */
static intptr_t first_open(struct cul_ir *ir, const struct shapes *shapes,
                           MlirOperation op) {
  const struct shape *shape;
  if (is_unknown(ir, op))
    return 0;
  shape = cul_ir_is_opaque(ir) ? find_shape(shapes, op) : NULL;
  return shape ? shape->fewest : mlirOperationGetNumOperands(op);
}

/* Is the operand a token that an operation of gpu waits for?  Any number is
 * valid. */
static bool is_dependency(struct cul_ir *ir, MlirOperation op, intptr_t at) {
  MlirType type = mlirValueGetType(mlirOperationGetOperand(op, at));
  return cul_ir_is_of(op, "gpu.") &&
         strcmp(cul_ir_type_text(ir, type), "!gpu.async.token") == 0;
}

/* Is the operand, of an operation that nothing here verifies, an index into a
 * tensor or memref, or a dynamic size?  Their number depends on the type. */
static bool is_index(struct cul_ir *ir, MlirOperation op, intptr_t at) {
  MlirType type = mlirValueGetType(mlirOperationGetOperand(op, at));
  if (!cul_ir_is_opaque(ir) || !mlirTypeIsAIndex(type))
    return false;
  for (size_t i = 0; i < cul_ir_n_values(op); i++)
    if (mlirTypeIsAShaped(mlirValueGetType(cul_ir_value(op, i))))
      return true;
  return false;
}

/* Does the number of operands depend on other parts?  A variable of OpenMP has
 * an entry in an attribute or a block argument; a loop nest has all its
 * bounds. */
static bool is_counted(struct cul_ir *ir, MlirOperation op, intptr_t at) {
  MlirType type = mlirValueGetType(mlirOperationGetOperand(op, at));
  return cul_ir_is_opaque(ir) && cul_ir_is_of(op, "omp.") &&
         (cul_ir_is(op, "omp.loop_nest") ||
          !(mlirTypeIsAInteger(type) || mlirTypeIsAIndex(type)));
}

/* Is it an argument behind those that a variadic function names? */
static bool is_variadic(struct cul_ir *ir, MlirOperation op, intptr_t at) {
  CUL_OWNED(cul_ir_signature) sig = {0};
  MlirAttribute callee = cul_ir_get(op, "callee");
  MlirOperation function = {NULL};
  if (callee.ptr && cul_ir_get(op, "var_callee_type").ptr)
    function = cul_ir_resolve(ir, op, callee);
  return function.ptr && cul_ir_signature_get(ir, function, &sig) &&
         sig.variadic && at >= (intptr_t)sig.n_inputs;
}

static bool may_go(struct cul_ir *ir, const struct shapes *shapes,
                   MlirOperation op, intptr_t at) {
  const struct cul_class *class = cul_model_class(ir, op);
  enum cul_ruling known =
      class ? cul_class_drop_operand(class, (uint32_t)at) : CUL_UNKNOWN;
  if (!is_open(ir, op))
    return is_dependency(ir, op, at) || is_variadic(ir, op, at);
  if (known != CUL_UNKNOWN)
    return known == CUL_ACCEPTED;
  return is_dependency(ir, op, at) ||
         (at >= first_open(ir, shapes, op) && !is_index(ir, op, at) &&
          !is_counted(ir, op, at));
}

static void sites(struct cul_ir *ir, struct cul_sites *out) {
  struct shapes shapes = {0};
  cul_model_look(ir);
  if (cul_ir_is_opaque(ir))
    take_shapes(ir, &shapes);
  CUL_IR_EACH_INNER(walk, ir->root) {
    intptr_t n = mlirOperationGetNumOperands(walk.op);
    for (intptr_t k = 0; k < n; k++)
      if (may_go(ir, &shapes, walk.op, k))
        cul_each_add(out, walk.op, (uint64_t)k, 1);
  }
  free(shapes.items);
}

static bool drop(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  return cul_position_drop_one(ir, op, (intptr_t)detail, cul_position_operand);
}

CUL_EACH(drop_operand, .all = sites, .edit = drop, .order = CUL_EACH_BACKWARDS);
