/* erase: remove operations; users of their results get a dominating value of
 * the type, else a new function argument, else zero. */
#include "../../subject/edit/omp.h"
#include "../frame/each.h"

static uint32_t weight(struct cul_ir *ir, const struct cul_ir_item *item) {
  if (cul_ir_is_terminator(ir, item->op) ||
      cul_ir_is_free_constant(ir, item->op))
    return 0;
  return item->size;
}

static bool erase(struct cul_ir *ir, MlirOperation op) {
  MlirOperation around = cul_ir_parent(op);
  if (cul_ir_is_named_outside(ir, op) || !cul_ir_erase(ir, op))
    return false;
  cul_omp_fix_up(around);
  return true;
}

CUL_EACH(erase, .weight = weight, .edit_op = erase, .order = CUL_EACH_ERASE);
