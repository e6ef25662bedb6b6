/* A function ends in front of an operation and still returns what its type
 * says: values that are not there yet become what was computed last, of
 * what depends on an argument if there is some.  A chain of values keeps a
 * beginning; so do bodies that return nothing. */
#include "../frame/cfg.h"
#include "../frame/each.h"
#include "return_value.h"

static void sites(struct cul_ir *ir, struct cul_sites *out) {
  cul_return_sites(ir, false, false, out);
}

/* What a value is made of. */
enum depth { NOTHING, CONSTANTS, ARGUMENTS };

static enum depth depth_of(const struct cul_map *depths, MlirValue value) {
  MlirOperation def = cul_ir_defining_op(value);
  uint64_t *known = def.ptr ? cul_map_get(depths, def.ptr) : NULL;
  /* Of another block: computed on some way here. */
  return known ? (enum depth) * known : ARGUMENTS;
}

static enum depth measure(const struct cul_map *depths, MlirOperation op) {
  struct cul_ir_values used = {0};
  enum depth depth = NOTHING;
  cul_ir_live_ins(op, &used);
  for (size_t i = 0; i < used.n; i++) {
    enum depth of = depth_of(depths, used.items[i]);
    if (of == NOTHING)
      of = CONSTANTS;
    if (of > depth)
      depth = of;
  }
  cul_ir_values_release(&used);
  return depth;
}

/* Of the deepest results of this type in front of op the last; null: none. */
static MlirValue latest(MlirOperation op, MlirType type) {
  MlirOperation at = mlirBlockGetFirstOperation(mlirOperationGetBlock(op));
  struct cul_map depths = {0};
  MlirValue found = {NULL};
  enum depth best = NOTHING;
  for (; !mlirOperationEqual(at, op); at = cul_ir_next_op(at)) {
    enum depth depth = measure(&depths, at);
    cul_map_put(&depths, at.ptr, depth);
    if (depth < best)
      continue;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(at); i++) {
      MlirValue result = mlirOperationGetResult(at, i);
      if (!mlirTypeEqual(mlirValueGetType(result), type))
        continue;
      found = result;
      best = depth;
    }
  }
  cul_map_release(&depths);
  return found;
}

/* Or of another block. */
static bool is_in_front(MlirValue value, MlirOperation op) {
  MlirOperation def = cul_ir_defining_op(value);
  if (!def.ptr ||
      !mlirBlockEqual(mlirOperationGetBlock(def), mlirOperationGetBlock(op)))
    return true;
  while ((def = cul_ir_next_op(def)).ptr)
    if (def.ptr == op.ptr)
      return true;
  return false;
}

/* Before anything goes: what is not there in front of op. */
static void return_latest(MlirOperation end, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(end); i++) {
    MlirValue value = mlirOperationGetOperand(end, i), with;
    if (is_in_front(value, op))
      continue;
    with = latest(op, mlirValueGetType(value));
    if (with.ptr)
      cul_edit_set_operand(end, i, with);
  }
}

bool cul_return_early(struct cul_ir *ir, MlirOperation op) {
  MlirOperation end = cul_return_copy(ir, cul_ir_parent(op));
  if (!end.ptr)
    return false;
  return_latest(end, op);
  cul_return_cut(ir, op, end);
  cul_cfg_fix_up(ir, end);
  return true;
}

static bool return_early(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  (void)detail;
  return cul_return_early(ir, op);
}

const struct cul_each cul_mutation_return_early = {.all = sites,
                                                   .edit = return_early};
