/* unwrap-module: replace a nested module by its symbols. */
#include "../../subject/edit/cfg.h"
#include "../../subject/edit/region.h"
#include "../frame/each.h"

/* Is op a nested builtin.module?  Other kinds must hold their contents, as
 * gpu.module must hold gpu.func. */
static bool is_nested_module(const struct cul_ir *ir, MlirOperation op) {
  return op.ptr != ir->root.ptr && cul_ir_is(op, "builtin.module") &&
         cul_region_single(mlirOperationGetRegion(op, 0)).ptr;
}

/* Does module have attributes that the module around it lacks?  give: set them
 * there. */
static bool hand_up(struct cul_ir *ir, MlirOperation module, bool give) {
  MlirOperation around = cul_ir_parent(module);
  bool any = false;
  if (!cul_ir_is(around, "builtin.module"))
    return false;
  CUL_IR_EACH_ATTR(walk, ir, module) {
    MlirStringRef name = walk.attr->name;
    if (!walk.attr->inherent && !cul_ir_str_is(name, "sym_name") &&
        !cul_ir_str_is(name, "sym_visibility") &&
        !cul_ir_get(around, name.data).ptr)
      any |= !give || cul_ir_set(ir, around, name.data, walk.attr->attr);
  }
  return any;
}

/* detail: 1 if the attributes move up, which the contents may need. */
static void add_sites(struct cul_ir *ir, const struct cul_ir_item *item,
                      struct cul_sites *out) {
  MlirOperation op = item->op;
  if (!is_nested_module(ir, op))
    return;
  cul_each_add(out, op, 0, 1);
  if (hand_up(ir, op, false))
    cul_each_add(out, op, 1, 1);
}

/* Rename symbols of module whose names are taken around it. */
static void make_unique(struct cul_ir *ir, MlirOperation module,
                        MlirBlock body) {
  MlirOperation around = cul_ir_parent(module);
  CUL_IR_EACH_OP(op, body) {
    MlirStringRef name;
    CUL_HEAP char *old = NULL, *fresh = NULL;
    if (!cul_ir_symbol_name(op, &name))
      continue;
    old = cul_xstrndup(name.data, name.length);
    fresh = cul_ir_fresh_name(around, old);
    if (!cul_ir_str_is(name, fresh)) {
      cul_ir_rename_uses(ir, module, cul_ir_str(old), cul_ir_str(fresh));
      cul_ir_set_string(ir, op, "sym_name", fresh);
    }
  }
}

/* Shorten @module::@x::@y to @x::@y.  module: the name, a MlirStringRef. */
static MlirAttribute shorten(struct cul_ir *ir, MlirAttribute attr,
                             void *module) {
  intptr_t n;
  CUL_HEAP MlirAttribute *rest = NULL;
  MlirStringRef root;
  if (!mlirAttributeIsASymbolRef(attr))
    return attr;
  n = mlirSymbolRefAttrGetNumNestedReferences(attr);
  root = mlirSymbolRefAttrGetRootReference(attr);
  if (n == 0 || !mlirStringRefEqual(root, *(MlirStringRef *)module))
    return attr;
  rest = cul_xcalloc((size_t)n, sizeof *rest);
  for (intptr_t i = 0; i < n; i++)
    rest[i] = mlirSymbolRefAttrGetNestedReference(attr, i);
  return mlirSymbolRefAttrGet(
      ir->context, mlirFlatSymbolRefAttrGetValue(rest[0]), n - 1, rest + 1);
}

static void shorten_references(struct cul_ir *ir, MlirOperation root,
                               MlirStringRef module) {
  CUL_IR_EACH_ITEM(user, root) {
    CUL_IR_EACH_ATTR(walk, ir, user.op) {
      MlirAttribute old = walk.attr->attr;
      MlirAttribute made = cul_ir_attr_map(ir, old, shorten, &module);
      if (made.ptr != old.ptr)
        cul_ir_set(ir, user.op, walk.attr->name.data, made);
    }
  }
}

static bool unwrap(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  MlirBlock body = cul_region_single(mlirOperationGetRegion(op, 0));
  MlirStringRef name;
  if (!body.ptr)
    return false;
  if (detail)
    (void)hand_up(ir, op, true);
  make_unique(ir, op, body);
  if (cul_ir_symbol_name(op, &name))
    shorten_references(ir, cul_ir_parent(op), name);
  cul_region_move_before(ir, body, op);
  cul_cfg_discard(op);
  cul_ir_tell(ir, CUL_IR_SYMBOLS);
  return true;
}

CUL_EACH(unwrap_module, .list = add_sites, .edit = unwrap);
