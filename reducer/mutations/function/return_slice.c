/* A function returns this value and computes nothing else: what the value
 * does not depend on goes too. */
#include "../../subject/ir/map.h"
#include "../frame/cfg.h"
#include "../frame/each.h"
#include "return_value.h"

struct slice {
  MlirOperation function;
  struct cul_map needed; /* operations of the function's own blocks */
  struct cul_ir_ops todo;
};

static void need(struct slice *slice, MlirOperation op) {
  while (op.ptr && cul_ir_parent(op).ptr != slice->function.ptr)
    op = cul_ir_parent(op);
  if (!op.ptr || cul_map_has(&slice->needed, op.ptr))
    return;
  cul_map_put(&slice->needed, op.ptr, 1);
  cul_ir_ops_add(&slice->todo, op);
}

static void need_terminators(struct cul_ir *ir, struct slice *slice) {
  CUL_IR_EACH_BLOCK(block, mlirOperationGetRegion(slice->function, 0)) {
    MlirOperation end = cul_cfg_terminator(ir, block);
    if (end.ptr)
      need(slice, end);
  }
  while (slice->todo.n > 0) {
    struct cul_ir_values used = {0};
    cul_ir_live_ins(slice->todo.items[--slice->todo.n], &used);
    for (size_t i = 0; i < used.n; i++) {
      MlirOperation def = cul_ir_defining_op(used.items[i]);
      if (def.ptr)
        need(slice, def);
    }
    cul_ir_values_release(&used);
  }
}

static void discard_rest(struct cul_ir *ir, const struct slice *slice) {
  struct cul_ir_ops rest = {0};
  CUL_IR_EACH_BLOCK(block, mlirOperationGetRegion(slice->function, 0))
  CUL_IR_EACH_OP(op, block)
  if (!cul_map_has(&slice->needed, op.ptr))
    cul_ir_ops_add(&rest, op);
  cul_ir_discard_all(ir, &rest);
  cul_ir_ops_release(&rest);
}

static void sites(struct cul_ir *ir, struct cul_sites *out) {
  cul_return_sites(ir, true, false, out);
}

static bool keep_slice(struct cul_ir *ir, MlirOperation op) {
  struct slice slice = {0};
  if (!cul_return_value(ir, op))
    return false;
  slice.function = cul_ir_parent(op);
  need_terminators(ir, &slice);
  discard_rest(ir, &slice);
  cul_map_release(&slice.needed);
  cul_ir_ops_release(&slice.todo);
  return true;
}

/* What comes in front of each place is returned. */
static size_t keep(struct cul_ir *ir, const struct cul_sites *sites,
                   const uint32_t *ids, size_t n) {
  size_t applied = 0;
  for (size_t i = 0; i < n; i++) {
    uint32_t before = sites->items[ids[i]].parent;
    MlirOperation op;
    if (before == CUL_SITE_NONE)
      continue;
    op = cul_each_place(ir, sites, before);
    applied += cul_ir_alive(ir, op) && keep_slice(ir, op);
  }
  return applied;
}

const struct cul_each cul_mutation_return_slice = {.all = sites,
                                                   .edit_all = keep};
