/* static-operand: an offset, a stride, a padding, a position, a bound that an
 * operand gives becomes a number of the operation: 0 or 1, or what the constant
 * is.  Sizes are static-dimension's: types hold them, too. */
#include "../frame/each.h"
#include "../retype/retype.h"
#include "../retype/rules/rules.h"
#include "position.h"

/* Where the operands for the dynamic entries begin: at `first`, behind all
 * those of `groups` segments; or where rules.h knows. */
static const struct place {
  const char *op, *attr; /* op NULL: any */
  intptr_t first, groups;
  int64_t number;
} places[] = {
    {NULL, "static_offsets", -1, 0, 0},
    {NULL, "static_strides", -1, 0, 1},
    {NULL, "static_low", -1, 0, 0},
    {NULL, "static_high", -1, 0, 0},
    {"vector.extract", "static_position", 1, 0, 0},
    {"vector.insert", "static_position", 2, 0, 0},
    {"affine.delinearize_index", "static_basis", 1, 0, 1},
    {"affine.linearize_index", "static_basis", 0, 1, 1},
    {"scf.forall", "staticLowerBound", 0, 0, 0},
    {"scf.forall", "staticUpperBound", 0, 1, 1},
    {"scf.forall", "staticStep", 0, 2, 1},
};

static size_t first_operand(MlirOperation op, const struct place *place) {
  size_t first, n;
  if (place->first < 0)
    return cul_retype_first_dynamic(op, place->attr);
  if (place->groups == 0)
    return (size_t)place->first;
  return cul_ir_segment_range(op, (size_t)place->groups, &first, &n) ? first
                                                                     : SIZE_MAX;
}

/* The operand of entry `at` of the list; SIZE_MAX: none. */
static size_t operand_of(MlirOperation op, const struct place *place, size_t at,
                         int64_t *numbers, size_t *n) {
  size_t operand;
  *n = 0;
  if (place->op && !cul_ir_is(op, place->op))
    return SIZE_MAX;
  *n = cul_numbers_named(op, place->attr, numbers);
  if (at >= *n || numbers[at] != CUL_RETYPE_DYNAMIC)
    return SIZE_MAX;
  operand = first_operand(op, place);
  for (size_t i = 0; i < at && operand != SIZE_MAX; i++)
    operand += numbers[i] == CUL_RETYPE_DYNAMIC;
  return operand < (size_t)mlirOperationGetNumOperands(op) ? operand : SIZE_MAX;
}

/* What a constant operand is; false: it is none. */
static bool known(MlirOperation op, size_t operand, int64_t *out) {
  int64_t numbers[CUL_RETYPE_MAX];
  size_t n;
  if (!cul_retype_operand(op, (intptr_t)operand, numbers, &n) || n != 1)
    return false;
  *out = numbers[0];
  return true;
}

enum { ENTRY_BITS = 8, KNOWN = 1 << 16 };

/* detail: the place in the table, the entry, whether the constant's number. */
static void add_sites(struct cul_ir *ir, const struct cul_ir_item *item,
                      struct cul_sites *out) {
  int64_t numbers[CUL_RETYPE_MAX], number;
  size_t n = 1;
  (void)ir;
  for (size_t p = 0; p < CUL_ARRAY_SIZE(places); p++) {
    for (size_t i = 0; i == 0 || i < n; i++) {
      size_t operand = operand_of(item->op, &places[p], i, numbers, &n);
      uint64_t detail = p << ENTRY_BITS | i;
      if (operand == SIZE_MAX)
        continue;
      /* The last is done first where all are. */
      (void)cul_each_add(out, item->op, detail, 1);
      if (known(item->op, operand, &number) && number != places[p].number)
        (void)cul_each_add(out, item->op, detail | KNOWN, 1);
    }
  }
}

static bool set(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  const struct place *place = &places[(detail & (KNOWN - 1)) >> ENTRY_BITS];
  size_t at = detail & ((1 << ENTRY_BITS) - 1), n;
  size_t operand;
  int64_t numbers[CUL_RETYPE_MAX], number = place->number;
  MlirAttribute made;
  operand = operand_of(op, place, at, numbers, &n);
  if (operand == SIZE_MAX || (detail & KNOWN && !known(op, operand, &number)))
    return false;
  numbers[at] = number;
  made = cul_numbers_replaced(ir, cul_ir_get(op, place->attr), numbers, n);
  return made.ptr &&
         cul_position_drop_one(ir, op, (intptr_t)operand,
                               cul_position_operand) &&
         cul_ir_set(ir, cul_ir_current(ir, op), place->attr, made);
}

const struct cul_each cul_mutation_static_operand = {
    .list = add_sites,
    .edit = set,
    .order = CUL_EACH_BACKWARDS,
    .after = cul_retype_derive};
