/* Of a program that prints what it computes: a value is printed right behind
 * its operation, and the function ends there.  What stood between a wrong
 * value and the print that showed it is cut off. */
#include "../frame/each.h"
#include "return_value.h"

/* Scalars, and vectors of them: what vector.print takes everywhere. */
static bool may_print(MlirType type) {
  if (mlirTypeIsAVector(type))
    type = mlirShapedTypeGetElementType(type);
  return mlirTypeIsAIndex(type) || mlirTypeIsAInteger(type) ||
         mlirTypeIsAF32(type) || mlirTypeIsAF64(type);
}

/* The first result that can be printed; null: there is none. */
static MlirValue printable(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    if (may_print(mlirValueGetType(mlirOperationGetResult(op, i))))
      return mlirOperationGetResult(op, i);
  return (MlirValue){NULL};
}

/* vector.print, or a function of the runner's library: printMemrefF32. */
static bool is_print(MlirOperation op) {
  MlirAttribute symbol;
  if (cul_ir_is(op, "vector.print"))
    return true;
  if (!cul_ir_is_function(op) || cul_ir_has_body(op))
    return false;
  symbol = cul_ir_get(op, "sym_name");
  if (!symbol.ptr || !mlirAttributeIsAString(symbol))
    return false;
  return cul_ir_str_starts(mlirStringAttrGetValue(symbol), "print");
}

static bool is_site(const struct cul_ir *ir, MlirOperation op) {
  MlirOperation next = cul_ir_next_op(op);
  return cul_return_is_statement(ir, op) && printable(op).ptr && next.ptr &&
         !cul_ir_is(next, "vector.print");
}

static void sites(struct cul_ir *ir, struct cul_sites *out) {
  struct cul_ir_list list = {0};
  bool prints = false;
  cul_ir_list(ir->root, &list);
  for (size_t i = 0; i < list.n && !prints; i++)
    prints = is_print(list.items[i].op);
  for (size_t i = 1; i < list.n && prints; i++) {
    const struct cul_ir_item *item = &list.items[i];
    if (is_site(ir, item->op))
      cul_each_add_sibling(out, item, 0, item->size);
  }
  cul_ir_list_release(&list);
}

/* Of several values the last: what is behind it goes. */
static size_t print(struct cul_ir *ir, const struct cul_sites *sites,
                    const uint32_t *ids, size_t n) {
  MlirOperation op = cul_each_place(ir, sites, ids[n - 1]), next;
  MlirValue value;
  if (!cul_ir_alive(ir, op) || !is_site(ir, op))
    return 0;
  value = printable(op);
  next = cul_ir_next_op(op);
  return cul_ir_create(
             ir, &(struct cul_ir_new){"vector.print", &value, 1, NULL, 0}, next)
             .ptr &&
         cul_return_early(ir, next);
}

const struct cul_each cul_mutation_print_value = {.all = sites,
                                                  .edit_all = print};
