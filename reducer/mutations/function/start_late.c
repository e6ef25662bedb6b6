/* A function starts behind an operation: what was computed before becomes an
 * argument that the function has, of the same type.  Its own type stays,
 * unlike outline-segment's: for functions that are called, and entry points
 * that a test calls with arguments of its own.  What no argument can stand for
 * stays with what it uses; so do constants. */
#include "../frame/each.h"
#include "return_value.h"

struct start {
  MlirBlock entry;       /* of the function: its arguments */
  struct cul_map fate;   /* of each operation in front of the start */
  struct cul_map number; /* type -> values that got an argument of it */
};

enum fate { STAYS, GOES };

static void sites(struct cul_ir *ir, struct cul_sites *out) {
  cul_return_sites(ir, false, true, out);
}

static bool goes(const struct start *start, MlirOperation op) {
  uint64_t *fate = cul_map_get(&start->fate, op.ptr);
  return fate && *fate == GOES;
}

/* Of the arguments of this type the number-th, around the end; null: none. */
static MlirValue argument_of(const struct start *start, MlirType type,
                             uint64_t number) {
  intptr_t n = mlirBlockGetNumArguments(start->entry);
  MlirValue found = {NULL};
  uint64_t seen = 0;
  do {
    for (intptr_t i = 0; i < n; i++) {
      MlirValue arg = mlirBlockGetArgument(start->entry, i);
      if (!mlirTypeEqual(mlirValueGetType(arg), type))
        continue;
      found = arg;
      if (seen++ == number)
        return found;
    }
  } while (found.ptr);
  return found;
}

static bool must_stay(const struct start *start, MlirOperation op) {
  bool given = mlirOperationGetNumOperands(op) == 0 &&
               mlirOperationGetNumRegions(op) == 0;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
    MlirValue result = mlirOperationGetResult(op, i);
    if (cul_ir_used_outside(&start->fate, result) &&
        (given || !argument_of(start, mlirValueGetType(result), 0).ptr))
      return true;
  }
  return false;
}

static void replace(struct start *start, MlirValue value) {
  MlirType type = mlirValueGetType(value);
  uint64_t *number = cul_map_get(&start->number, type.ptr);
  uint64_t k = number ? *number : 0;
  cul_ir_replace_uses(value, argument_of(start, type, k));
  cul_map_put(&start->number, type.ptr, k + 1);
}

/* From the last to the first: what uses a result has its fate by then. */
static void decide(struct start *start, const struct cul_ir_ops *front) {
  for (size_t i = front->n; i-- > 0;)
    cul_map_put(&start->fate, front->items[i].ptr, GOES);
  for (size_t i = front->n; i-- > 0;)
    if (must_stay(start, front->items[i]))
      cul_map_put(&start->fate, front->items[i].ptr, STAYS);
}

static bool discard(struct cul_ir *ir, struct start *start,
                    const struct cul_ir_ops *front) {
  struct cul_ir_ops gone = {0};
  bool done;
  for (size_t i = front->n; i-- > 0;) {
    MlirOperation op = front->items[i];
    if (!goes(start, op))
      continue;
    for (intptr_t k = 0; k < mlirOperationGetNumResults(op); k++)
      if (cul_ir_used_outside(&start->fate, mlirOperationGetResult(op, k)))
        replace(start, mlirOperationGetResult(op, k));
    cul_ir_ops_add(&gone, op);
  }
  done = gone.n > 0 && cul_ir_discard_all(ir, &gone);
  cul_ir_ops_release(&gone);
  return done;
}

static bool start_late(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  MlirOperation at = mlirBlockGetFirstOperation(mlirOperationGetBlock(op));
  struct cul_ir_ops front = {0};
  struct start start = {0};
  bool done;
  (void)detail;
  if (!cul_return_is_statement(ir, op))
    return false;
  start.entry = cul_ir_entry(cul_ir_parent(op));
  for (; at.ptr != op.ptr; at = cul_ir_next_op(at))
    cul_ir_ops_add(&front, at);
  cul_ir_ops_add(&front, op);
  decide(&start, &front);
  done = discard(ir, &start, &front);
  cul_ir_ops_release(&front);
  cul_map_release(&start.fate);
  cul_map_release(&start.number);
  return done;
}

const struct cul_each cul_mutation_start_late = {.all = sites,
                                                 .edit = start_late};
