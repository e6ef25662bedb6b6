/* shrink-bounds: give an affine loop fewer steps, start it at 0, or step it by
 * 1; replace computed bounds by constants. */
#include "../../subject/edit/position.h"
#include "../../subject/ir/numbers.h"
#include "../frame/each.h"

#include <mlir-c/AffineMap.h>

enum variant { ONCE, TWICE, HALF, FROM_ZERO, N_VARIANTS };
enum { VARIANT_BITS = 2 };

struct bounds {
  int64_t lower, upper, step;
  bool constant; /* both bounds */
};

/* Read an attribute that is one number, or a map to a constant. */
static bool read_number(MlirOperation op, const char *name, int64_t *out) {
  int64_t numbers[CUL_NUMBERS_MAX];
  if (cul_numbers_named(op, name, numbers) != 1)
    return false;
  *out = numbers[0];
  return true;
}

static bool read_bounds(MlirOperation op, struct bounds *out) {
  *out = (struct bounds){0};
  if (!cul_ir_is(op, "affine.for") || !read_number(op, "step", &out->step))
    return false;
  out->constant = read_number(op, "lowerBoundMap", &out->lower) &&
                  read_number(op, "upperBoundMap", &out->upper);
  return out->step > 0;
}

static int64_t trips_of(const struct bounds *b) {
  return b->upper <= b->lower ? 0
                              : (b->upper - b->lower + b->step - 1) / b->step;
}

/* Make a variant of the bounds; false if it is no simplification. */
static bool vary(const struct bounds *old, enum variant variant,
                 struct bounds *out) {
  int64_t trips = trips_of(old);
  *out = *old;
  if (!old->constant) {
    *out = (struct bounds){0, variant == ONCE ? 1 : 2, 1, true};
    return variant <= TWICE;
  }
  if (variant == FROM_ZERO) {
    *out = (struct bounds){0, trips, 1, true};
    return old->lower != 0 || old->step != 1;
  }
  if (variant == HALF && trips <= 4)
    return false;
  out->upper = out->lower + out->step * (variant == ONCE    ? 1
                                         : variant == TWICE ? 2
                                                            : trips / 2);
  return out->upper < old->upper;
}

static void add_sites(struct cul_ir *ir, const struct cul_ir_item *item,
                      struct cul_sites *out) {
  struct bounds old, made;
  (void)ir;
  if (!read_bounds(item->op, &old))
    return;
  for (int v = 0; v < N_VARIANTS; v++)
    if (vary(&old, (enum variant)v, &made))
      cul_each_add(out, item->op, (uint64_t)v, 1);
}

static MlirAttribute constant_map(struct cul_ir *ir, int64_t value) {
  return mlirAffineMapAttrGet(mlirAffineMapConstantGet(ir->context, value));
}

/* Add the operands of the lower and the upper bound, after which come the
 * inits. */
static bool bound_operands(struct cul_ir *ir, MlirOperation op, intptr_t k,
                           struct cul_position *out) {
  size_t first, n;
  (void)ir;
  (void)k;
  out->sweep = true;
  for (size_t segment = 0; segment < 2; segment++) {
    if (!cul_ir_segment_range(op, segment, &first, &n))
      return false;
    for (size_t i = 0; i < n; i++)
      cul_position_add(out, CUL_PART_OPERAND, op, (intptr_t)(first + i));
  }
  return true;
}

static bool shrink(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  MlirAttribute step = cul_ir_get(op, "step");
  struct bounds old, made;
  if (!read_bounds(op, &old) || !vary(&old, (enum variant)detail, &made))
    return false;
  return cul_ir_set(ir, op, "lowerBoundMap", constant_map(ir, made.lower)) &&
         cul_ir_set(ir, op, "upperBoundMap", constant_map(ir, made.upper)) &&
         cul_ir_set(
             ir, op, "step",
             mlirIntegerAttrGet(mlirAttributeGetType(step), made.step)) &&
         (old.constant || cul_position_drop_one(ir, op, 0, bound_operands));
}

CUL_EACH(shrink_bounds, .list = add_sites, .edit = shrink,
         .variant_bits = VARIANT_BITS);
