/* drop-body: make a function a declaration; keep-bodies does so with all
 * functions outside a run of them.  If functions call each other, no run of
 * symbols can be removed without its callees, but the bodies of the callees may
 * not matter. */
#include <stdlib.h>

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
  if (!linkage.ptr) {
    MlirStringRef word = cul_ir_str("private");
    cul_ir_set(ir, op, "sym_visibility", mlirStringAttrGet(ir->context, word));
    return;
  }
  linkage = cul_ir_attr_parse(ir, "#llvm.linkage<external>");
  if (linkage.ptr)
    cul_ir_set(ir, op, "linkage", linkage);
}

/* Make a spirv.func an import, the form of its declarations. */
static bool import(struct cul_ir *ir, MlirOperation op) {
  struct cul_buf text = {0};
  MlirStringRef name;
  MlirAttribute linkage;
  if (!cul_ir_symbol_name(op, &name))
    return false;
  cul_buf_addf(&text,
               "#spirv.linkage_attributes<linkage_name = \"%.*s\", "
               "linkage_type = <Import>>",
               (int)name.length, name.data);
  linkage = cul_ir_attr_parse(ir, cul_buf_str(&text));
  cul_buf_release(&text);
  return linkage.ptr && cul_ir_set(ir, op, "linkage_attributes", linkage);
}

/* Remove bufferization.writable: a declaration does not write to its
 * arguments. */
static MlirAttribute without_writable(struct cul_ir *ir, MlirAttribute attr,
                                      void *unused) {
  intptr_t n, kept = 0;
  MlirNamedAttribute *items;
  (void)unused;
  if (!mlirAttributeIsADictionary(attr))
    return attr;
  n = mlirDictionaryAttrGetNumElements(attr);
  items = cul_xcalloc((size_t)n + 1, sizeof *items);
  for (intptr_t i = 0; i < n; i++) {
    items[kept] = mlirDictionaryAttrGetElement(attr, i);
    kept += !cul_ir_str_is(mlirIdentifierStr(items[kept].name),
                           "bufferization.writable");
  }
  attr = mlirDictionaryAttrGet(ir->context, kept, items);
  free(items);
  return attr;
}

static void drop_writable(struct cul_ir *ir, MlirOperation op) {
  MlirAttribute said = cul_ir_get(op, "arg_attrs");
  if (said.ptr)
    cul_ir_set(ir, op, "arg_attrs",
               cul_ir_attr_map(ir, said, without_writable, NULL));
}

static bool drop(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  (void)detail;
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

const struct cul_each cul_mutation_drop_body = {.list = list_one, .edit = drop};

const struct cul_each cul_mutation_keep_bodies = {
    .list = list_one, .edit = drop, .others = true};
