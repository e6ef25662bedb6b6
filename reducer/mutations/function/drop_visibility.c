/* drop-visibility: drop "private" and "nested" from symbols, except from
 * declarations, which need them. */
#include "../frame/each.h"

static bool may_drop(MlirOperation op) {
  MlirStringRef name;
  return cul_ir_symbol_name(op, &name) &&
         cul_ir_get(op, "sym_visibility").ptr &&
         (!cul_ir_is_function(op) || cul_ir_has_body(op));
}

static void add_sites(struct cul_ir *ir, const struct cul_ir_item *item,
                      struct cul_sites *out) {

  if (item->op.ptr != ir->root.ptr && may_drop(item->op))
    cul_each_add(out, item->op, 0, 1);
}

static bool drop(struct cul_ir *ir, MlirOperation op) {
  struct cul_ir_change change = {.drop_attr = "sym_visibility"};
  return may_drop(op) && cul_ir_rebuild(ir, op, &change).ptr;
}

CUL_EACH(drop_visibility, .list = add_sites, .edit_op = drop);
