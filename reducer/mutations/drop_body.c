/* Make a function a declaration. */
#include "cfg.h"
#include "each.h"

/* A gpu.func has no declarations. */
static bool can_declare(MlirOperation op) {
  return cul_ir_is_function(op) && cul_ir_has_body(op) &&
         !cul_ir_is(op, "gpu.func");
}

static int sites(struct cul_subject *subject, struct cul_sites *out,
                 struct cul_err *err) {
  struct cul_ir_list list = {0};
  (void)err;
  cul_ir_list(cul_ir_of(subject)->root, &list);
  for (size_t i = 1; i < list.n; i++)
    if (can_declare(list.items[i].op) && list.items[i].size > 1)
      cul_each_add(out, list.items[i].op, 0, list.items[i].size - 1);
  cul_ir_list_release(&list);
  return 0;
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

static bool drop(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  (void)detail;
  if (!can_declare(op))
    return false;
  cul_cfg_clear(ir, mlirOperationGetRegion(op, 0));
  set_visibility(ir, op);
  return true;
}

static int apply(struct cul_subject *subject, const struct cul_sites *sites,
                 const uint32_t *ids, size_t n, size_t *applied,
                 struct cul_err *err) {
  (void)err;
  return cul_each_apply(subject, sites, ids, n, applied, drop);
}

const struct cul_mutation cul_mutation_drop_body = {
    .name = "drop-body",
    .summary = "make a function a declaration",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_DELTA,
    .flags = CUL_MUT_SEGMENT,
    .sites = sites,
    .apply = apply,
};
