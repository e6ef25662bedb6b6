/* drop-attributes: remove discardable attributes, and rebuild an operation
 * without an inherent one, which then is absent or has its default.  The op
 * model (opmodel.h) learns which attributes an operation can lose. */
#include "../../opmodel/opmodel.h"
#include "../frame/each.h"

/* May the attribute be dropped although the op model has no ruling on it?  If
 * libMLIR crashes on that, it crashes on a candidate. */
static bool may_drop_unasked(struct cul_ir *ir, MlirOperation op,
                             const struct cul_class *class,
                             const struct cul_ir_attr *attr) {
  if (!cul_ir_is_opaque(ir) && cul_class_is_asked(class))
    return false;
  if (!attr->inherent)
    return true;
  return op.ptr != ir->root.ptr && cul_model_is_verified(ir) &&
         !cul_ir_is_common(ir, op, attr->name);
}

/* detail: the struct cul_spot, which the subject keeps. */
static void add_sites(struct cul_ir *ir, const struct cul_ir_item *item,
                      struct cul_sites *out) {
  const struct cul_class *class;
  if (item->op.ptr == ir->root.ptr) /* the first */
    cul_model_look(ir);
  class = cul_model_class(ir, item->op);
  if (!class)
    return;
  CUL_IR_EACH_ATTR(walk, ir, item->op) {
    const struct cul_spot *how = NULL;
    enum cul_ruling known = cul_class_drop(class, walk.attr->name, &how);
    if (known == CUL_ACCEPTED ||
        (known == CUL_UNKNOWN &&
         may_drop_unasked(ir, item->op, class, walk.attr)))
      cul_each_add_sibling(out, item, (uintptr_t)how, 1);
  }
}

/* Rebuild the operation without the attribute; false if it still has it. */
static bool drop_inherent(struct cul_ir *ir, MlirOperation op,
                          const char *name) {
  struct cul_ir_change change = {.drop_attr = name};
  MlirAttribute old = cul_ir_get(op, name);
  MlirOperation made = cul_ir_rebuild(ir, op, &change);
  return made.ptr && cul_ir_get(made, name).ptr != old.ptr;
}

static bool drop_one(struct cul_ir *ir, MlirOperation op, const char *name) {
  bool done = cul_ir_remove_discardable(op, name);
  return done || (cul_ir_get(op, name).ptr && drop_inherent(ir, op, name));
}

static bool drop(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  const struct cul_spot *how = (const void *)(uintptr_t)detail;
  bool done = drop_one(ir, op, mlirIdentifierStr(how->attr).data);
  op = cul_ir_current(ir, op);
  if (done && how->with.ptr && cul_ir_alive(ir, op))
    (void)drop_one(ir, op, mlirIdentifierStr(how->with).data);
  return done;
}

CUL_EACH(drop_attributes, .list = add_sites, .edit = drop);
