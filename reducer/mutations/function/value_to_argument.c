/* value-to-argument: results become arguments of the enclosing function, their
 * operation goes.  Callers pass whatever value they have. */
#include "../../subject/edit/edit.h"
#include "../frame/each.h"

static uint32_t weight(struct cul_ir *ir, const struct cul_ir_item *item) {
  if (!cul_ir_has_result_uses(item->op) || cul_ir_is_terminator(ir, item->op) ||
      cul_ir_is_free_constant(ir, item->op) ||
      !cul_ir_function_of(ir, item->op).ptr)
    return 0;
  return item->size;
}

const struct cul_each cul_mutation_value_to_argument = {
    .weight = weight, .from = CUL_IR_FROM_ARGUMENT, .order = CUL_EACH_ERASE};
