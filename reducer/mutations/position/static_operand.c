/* static-operand: turn an operand for an offset, stride, padding, position or
 * bound into a number of the operation: 0 or 1, or that of the constant.
 * static-dimension handles sizes, which types contain, too. */
#include "../../subject/edit/position.h"
#include "../frame/each.h"
#include "../retype/retype.h"
#include "../retype/rules/rules.h"

/* Lists whose dynamic entries are operands (rules.h), and their new numbers. */
static const struct list {
  const char *attr;
  int64_t number;
} lists[] = {
    {"static_offsets", 0},   {"static_strides", 1},   {"static_low", 0},
    {"static_high", 0},      {"static_position", 0},  {"static_basis", 1},
    {"staticLowerBound", 0}, {"staticUpperBound", 1}, {"staticStep", 1}};

/* The number of a constant operand; false for other operands. */
static bool known(MlirOperation op, size_t operand, int64_t *out) {
  int64_t numbers[CUL_RETYPE_MAX];
  size_t n;
  if (!cul_retype_operand(op, (intptr_t)operand, numbers, &n) || n != 1)
    return false;
  *out = numbers[0];
  return true;
}

enum { ENTRY_BITS = 8, KNOWN = 1 << 16 };

/* detail: list, entry, and KNOWN to use the number of the constant. */
static void add_sites(struct cul_ir *ir, const struct cul_ir_item *item,
                      struct cul_sites *out) {
  (void)ir;
  for (size_t l = 0; l < CUL_ARRAY_SIZE(lists); l++) {
    int64_t numbers[CUL_RETYPE_MAX], number;
    size_t n = cul_numbers_named(item->op, lists[l].attr, numbers);
    for (size_t i = 0; i < n; i++) {
      size_t operand = cul_retype_dynamic_operand(item->op, lists[l].attr, i);
      uint64_t detail = l << ENTRY_BITS | i;
      if (operand == SIZE_MAX)
        continue;
      /* Sites are applied backwards: KNOWN comes first if both are chosen. */
      (void)cul_each_add(out, item->op, detail, 1);
      if (known(item->op, operand, &number) && number != lists[l].number)
        (void)cul_each_add(out, item->op, detail | KNOWN, 1);
    }
  }
}

static bool set(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  const struct list *list = &lists[(detail & (KNOWN - 1)) >> ENTRY_BITS];
  size_t at = detail & ((1 << ENTRY_BITS) - 1);
  size_t operand = cul_retype_dynamic_operand(op, list->attr, at), n;
  int64_t numbers[CUL_RETYPE_MAX], number = list->number;
  MlirAttribute made;
  if (operand == SIZE_MAX || (detail & KNOWN && !known(op, operand, &number)))
    return false;
  n = cul_numbers_named(op, list->attr, numbers);
  numbers[at] = number;
  made = cul_numbers_replaced(ir, cul_ir_get(op, list->attr), numbers, n);
  return made.ptr &&
         cul_position_drop_one(ir, op, (intptr_t)operand,
                               cul_position_operand) &&
         cul_ir_set(ir, cul_ir_current(ir, op), list->attr, made);
}

CUL_EACH(static_operand, .list = add_sites, .edit = set,
         .order = CUL_EACH_BACKWARDS, .after = cul_retype_derive);
