/* drop-body: make a function a declaration; keep-bodies does so with all
 * functions outside a run of them.  If functions call each other, no run of
 * symbols can be removed without its callees, but the bodies of the callees may
 * not matter. */
#include "../../subject/edit/cfg.h"
#include "../frame/each.h"

/* Can the operation be a declaration?  A gpu.func cannot, nor can a sequence
 * with arguments, whose body shows how they are used. */
static bool can_declare(MlirOperation op) {
  return cul_ir_is_function(op) && cul_ir_has_body(op) &&
         !cul_ir_is(op, "gpu.func") &&
         !(cul_ir_is(op, "transform.named_sequence") &&
           mlirBlockGetNumArguments(cul_ir_entry(op)) > 0);
}

static void list_one(struct cul_ir *ir, const struct cul_ir_item *item,
                     struct cul_sites *out) {
  if (item->op.ptr != ir->root.ptr && can_declare(item->op) && item->size > 1)
    cul_each_add(out, item->op, 0, item->size - 1);
}

/* A declaration is private (func and its like) or external (llvm). */
static void set_visibility(struct cul_ir *ir, MlirOperation op) {
  MlirAttribute linkage = cul_ir_get(op, "linkage");
  if (!linkage.ptr)
    cul_ir_set_string(ir, op, "sym_visibility", "private");
  else if ((linkage = cul_ir_attr_parse(ir, "#llvm.linkage<external>")).ptr)
    cul_ir_set(ir, op, "linkage", linkage);
}

/* Make a spirv.func an import, the form of its declarations. */
static bool import(struct cul_ir *ir, MlirOperation op) {
  CUL_OWNED(cul_buf) text = {0};
  MlirStringRef name;
  MlirAttribute linkage;
  if (!cul_ir_symbol_name(op, &name))
    return false;
  cul_buf_addf(&text,
               "#spirv.linkage_attributes<linkage_name = \"%.*s\", "
               "linkage_type = <Import>>",
               (int)name.length, name.data);
  linkage = cul_ir_attr_parse(ir, cul_buf_str(&text));
  return linkage.ptr && cul_ir_set(ir, op, "linkage_attributes", linkage);
}

/* Remove bufferization.writable: a declaration does not write to its
 * arguments. */
static MlirAttribute without_writable(struct cul_ir *ir, MlirAttribute attr,
                                      void *unused) {
  intptr_t n = mlirAttributeIsADictionary(attr)
                   ? mlirDictionaryAttrGetNumElements(attr)
                   : 0;
  (void)unused;
  for (intptr_t i = n; i-- > 0;)
    if (cul_ir_str_is(
            mlirIdentifierStr(mlirDictionaryAttrGetElement(attr, i).name),
            "bufferization.writable"))
      return cul_ir_entry_with(ir, attr, i, (MlirAttribute){NULL});
  return attr;
}

static void drop_writable(struct cul_ir *ir, MlirOperation op) {
  MlirAttribute said = cul_ir_get(op, "arg_attrs");
  if (said.ptr)
    cul_ir_set(ir, op, "arg_attrs",
               cul_ir_attr_map(ir, said, without_writable, NULL));
}

static bool drop(struct cul_ir *ir, MlirOperation op) {
  if (!can_declare(op))
    return false;
  if (cul_ir_is(op, "spirv.func") && !import(ir, op))
    return false;
  cul_cfg_clear(ir, mlirOperationGetRegion(op, 0));
  drop_writable(ir, op);
  if (!cul_ir_is(op, "spirv.func"))
    set_visibility(ir, op);
  return true;
}

CUL_EACH(drop_body, .list = list_one, .edit_op = drop);

CUL_EACH(keep_bodies, .list = list_one, .edit_op = drop, .others = true);
