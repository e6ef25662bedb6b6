/* drop-operand: an operation gets along with one operand less.  Which ones may
 * go is learnt (opmodel); where nobody was asked, what the input shows. */
#include "../../opmodel/opmodel.h"
#include "../../subject/ir/compat.h"
#include "../frame/each.h"
#include "position.h"

#include <stdlib.h>
#include <string.h>

/* Operations of one name with as many results and regions. */
struct shape {
  MlirStringRef name;
  intptr_t results, regions, fewest; /* operands */
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

/* How many operands have they where they have the fewest?  (Those of a loop
 * grow with its results.)  What all have comes first: a bound, a memref. */
static void take_shapes(const struct cul_ir_list *list, struct shapes *out) {
  for (size_t i = 1; i < list->n; i++) {
    MlirOperation op = list->items[i].op;
    struct shape *shape = find_shape(out, op);
    intptr_t n = mlirOperationGetNumOperands(op);
    if (!shape) {
      shape = &CUL_XADD(out->items, out->n, out->cap);
      *shape = (struct shape){cul_ir_name(op), mlirOperationGetNumResults(op),
                              mlirOperationGetNumRegions(op), n};
    }
    if (n < shape->fewest)
      shape->fewest = n;
  }
}

/* Of a dialect that nothing is known of. */
static bool is_unknown(const struct cul_ir *ir, MlirOperation op) {
  return !cul_ir_is_opaque(ir) && !cul_compat_is_registered(op);
}

/* What a terminator hands over follows from who takes it; arguments of calls
 * and launches are change-signature's. */
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

/* The first operand that it may do without, as far as the input shows. */
static intptr_t first_open(struct cul_ir *ir, const struct shapes *shapes,
                           MlirOperation op) {
  const struct shape *shape;
  if (is_unknown(ir, op))
    return 0;
  shape = cul_ir_is_opaque(ir) ? find_shape(shapes, op) : NULL;
  return shape ? shape->fewest : mlirOperationGetNumOperands(op);
}

/* What an operation of the GPU waits for: any number, whatever it launches. */
static bool is_dependency(struct cul_ir *ir, MlirOperation op, intptr_t at) {
  MlirType type = mlirValueGetType(mlirOperationGetOperand(op, at));
  return cul_ir_is_of(op, "gpu.") &&
         strcmp(cul_ir_type_text(ir, type), "!gpu.async.token") == 0;
}

/* Where nothing here verifies it: an index into a tensor or memref, or the size
 * of a dimension, of which there are as many as there are dimensions. */
static bool is_index(struct cul_ir *ir, MlirOperation op, intptr_t at) {
  MlirType type = mlirValueGetType(mlirOperationGetOperand(op, at));
  if (!cul_ir_is_opaque(ir) || !mlirTypeIsAIndex(type))
    return false;
  for (intptr_t i = mlirOperationGetNumOperands(op); i-- > 0;)
    if (mlirTypeIsAShaped(mlirValueGetType(mlirOperationGetOperand(op, i))))
      return true;
  for (intptr_t i = mlirOperationGetNumResults(op); i-- > 0;)
    if (mlirTypeIsAShaped(mlirValueGetType(mlirOperationGetResult(op, i))))
      return true;
  return false;
}

/* Variables of OpenMP have an attribute's entry or a block argument each; loops
 * all bounds. */
static bool is_counted(struct cul_ir *ir, MlirOperation op, intptr_t at) {
  MlirType type = mlirValueGetType(mlirOperationGetOperand(op, at));
  return cul_ir_is_opaque(ir) && cul_ir_is_of(op, "omp.") &&
         (cul_ir_is(op, "omp.loop_nest") ||
          !(mlirTypeIsAInteger(type) || mlirTypeIsAIndex(type)));
}

static bool may_go(struct cul_ir *ir, const struct shapes *shapes,
                   MlirOperation op, intptr_t at) {
  const struct cul_class *class = cul_model_class(ir, op);
  enum cul_ruling known =
      class ? cul_class_drop_operand(class, (uint32_t)at) : CUL_UNKNOWN;
  if (!is_open(ir, op))
    return is_dependency(ir, op, at);
  if (known != CUL_UNKNOWN)
    return known == CUL_ACCEPTED;
  return is_dependency(ir, op, at) ||
         (at >= first_open(ir, shapes, op) && !is_index(ir, op, at) &&
          !is_counted(ir, op, at));
}

static void sites(struct cul_ir *ir, struct cul_sites *out) {
  struct cul_ir_list list = {0};
  struct shapes shapes = {0};
  cul_model_look(ir);
  cul_ir_list(ir->root, &list);
  if (cul_ir_is_opaque(ir))
    take_shapes(&list, &shapes);
  for (size_t i = 1; i < list.n; i++) {
    MlirOperation op = list.items[i].op;
    intptr_t n = mlirOperationGetNumOperands(op);
    for (intptr_t k = 0; k < n; k++)
      if (may_go(ir, &shapes, op, k))
        cul_each_add(out, op, (uint64_t)k, 1);
  }
  cul_ir_list_release(&list);
  free(shapes.items);
}

static bool drop(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  return cul_position_drop_one(ir, op, (intptr_t)detail, cul_position_operand);
}

const struct cul_each cul_mutation_drop_operand = {
    .all = sites, .edit = drop, .order = CUL_EACH_BACKWARDS};
