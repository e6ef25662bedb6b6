/* Drop "private" and "nested" from symbols: declarations need theirs. */
#include "each.h"

static bool may_drop(MlirOperation op) {
  MlirStringRef name;
  return cul_ir_symbol_name(op, &name) &&
         cul_ir_get(op, "sym_visibility").ptr &&
         (!cul_ir_is_function(op) || cul_ir_has_body(op));
}

static int sites(struct cul_subject *subject, struct cul_sites *out,
                 struct cul_err *err) {
  struct cul_ir_list list = {0};
  (void)err;
  cul_ir_list(cul_ir_of(subject)->root, &list);
  for (size_t i = 1; i < list.n; i++)
    if (may_drop(list.items[i].op))
      cul_each_add(out, list.items[i].op, 0, 1);
  cul_ir_list_release(&list);
  return 0;
}

static bool drop(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  struct cul_ir_change change = {.drop_attr = "sym_visibility"};
  (void)detail;
  return may_drop(op) && cul_ir_rebuild(ir, op, &change).ptr;
}

static int apply(struct cul_subject *subject, const struct cul_sites *sites,
                 const uint32_t *ids, size_t n, size_t *applied,
                 struct cul_err *err) {
  (void)err;
  return cul_each_apply(subject, sites, ids, n, applied, drop);
}

const struct cul_mutation cul_mutation_drop_visibility = {
    .name = "drop-visibility",
    .summary = "make private functions and other symbols public",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_FINE,
    .sites = sites,
    .apply = apply,
};
