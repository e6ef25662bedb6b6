/* unroll-loop: do the work of a loop's body twice, the second time with the
 * values that the first yields.  A failure that needs two iterations may then
 * remain without the loop. */
#include "../../subject/edit/region.h"
#include "../frame/each.h"

/* Can an iteration pass the value to the next one?  The regions of reductions
 * and sorts yield other types. */
static bool goes_around(MlirValue result, MlirValue argument, MlirValue value) {
  MlirType type = mlirValueGetType(value);
  return mlirTypeEqual(mlirValueGetType(result), type) &&
         mlirTypeEqual(mlirValueGetType(argument), type);
}

/* Does the block yield every result, and none of its own arguments?  Arguments
 * that change places would be replaced twice. */
static bool is_plain(const struct cul_ir *ir, MlirOperation op,
                     MlirBlock body) {
  MlirOperation end = cul_cfg_terminator(ir, body);
  intptr_t n = mlirOperationGetNumResults(op);
  intptr_t shift = mlirBlockGetNumArguments(body) - n;
  if (!end.ptr || mlirOperationGetNumOperands(end) != n || shift < 0 ||
      mlirBlockGetFirstOperation(body).ptr == end.ptr)
    return false;
  for (intptr_t i = 0; i < n; i++) {
    MlirValue value = mlirOperationGetOperand(end, i);
    if (!goes_around(mlirOperationGetResult(op, i),
                     mlirBlockGetArgument(body, shift + i), value) ||
        cul_ir_is_argument_of(value, body))
      return false;
  }
  return true;
}

static MlirBlock body_of(const struct cul_ir *ir, MlirOperation op) {
  MlirBlock body = {NULL};
  if (cul_region_is_control(ir, op) && cul_region_is_carried(op) &&
      mlirOperationGetNumRegions(op) == 1)
    body = cul_region_single(mlirOperationGetRegion(op, 0));
  if (body.ptr && !is_plain(ir, op, body))
    body.ptr = NULL;
  return body;
}

static void add_sites(struct cul_ir *ir, const struct cul_ir_item *item,
                      struct cul_sites *out) {
  if (body_of(ir, item->op).ptr)
    cul_each_add(out, item->op, 0, 1);
}

/* Replace old in `first` and in the operations after it in its block. */
static void replace_behind(MlirOperation first, MlirValue old, MlirValue with) {
  for (MlirOperation op = first; op.ptr; op = cul_ir_next_op(op))
    cul_ir_replace_inside(op, old, with);
}

/* Insert copies of the operations of body before end; returns the first
 * copy. */
static MlirOperation copy_body(MlirBlock body, MlirOperation end) {
  MlirOperation op = mlirBlockGetFirstOperation(body), first = {NULL};
  CUL_OWNED(cul_ir_ops) old = {0};
  for (; op.ptr != end.ptr; op = cul_ir_next_op(op))
    cul_ir_ops_add(&old, op);
  for (size_t i = 0; i < old.n; i++) {
    MlirOperation copy = cul_ir_clone(old.items[i]);
    cul_edit_insert_before(body, end, copy);
    if (i == 0)
      first = copy;
  }
  op = first;
  for (size_t i = 0; i < old.n; i++, op = cul_ir_next_op(op))
    for (intptr_t r = 0; r < mlirOperationGetNumResults(op); r++)
      replace_behind(first, mlirOperationGetResult(old.items[i], r),
                     mlirOperationGetResult(op, r));
  return first;
}

static bool unroll(struct cul_ir *ir, MlirOperation op) {
  MlirBlock body = body_of(ir, op);
  CUL_OWNED(cul_ir_values) yielded = {0};
  MlirOperation end, first;
  intptr_t n = mlirOperationGetNumResults(op), shift;
  if (!body.ptr)
    return false;
  end = cul_cfg_terminator(ir, body);
  shift = mlirBlockGetNumArguments(body) - n;
  for (intptr_t i = 0; i < n; i++)
    cul_ir_values_add(&yielded, mlirOperationGetOperand(end, i));
  first = copy_body(body, end);
  for (intptr_t i = 0; i < n; i++)
    replace_behind(first, mlirBlockGetArgument(body, shift + i),
                   yielded.items[i]);
  return true;
}

CUL_EACH(unroll_loop, .list = add_sites, .edit_op = unroll);
