/* generalize-linalg: linalg.matmul and its like become linalg.generic, whose
 * inputs, iterators and body can be edited. */
#include "run_pass.h"

/* The pass takes dead operations away: each result gets a user meanwhile. */
#define KEEPER "culprit.keep"

static void keep_results(struct cul_ir *ir) {
  struct cul_ir_list list = {0};
  cul_ir_list(ir->root, &list);
  for (size_t i = 1; i < list.n; i++) {
    MlirOperation op = list.items[i].op, keeper;
    intptr_t n = mlirOperationGetNumResults(op);
    for (intptr_t r = 0; r < n; r++) {
      MlirValue result = mlirOperationGetResult(op, r);
      struct cul_ir_new what = {KEEPER, &result, 1, NULL, 0};
      keeper = cul_ir_create(ir, &what, op);
      if (keeper.ptr)
        mlirOperationMoveAfter(keeper, op);
    }
  }
  cul_ir_list_release(&list);
}

static void let_go(struct cul_ir *ir) {
  struct cul_ir_list list = {0};
  cul_ir_list(ir->root, &list);
  for (size_t i = 1; i < list.n; i++)
    if (cul_ir_is(list.items[i].op, KEEPER))
      cul_ir_discard(ir, list.items[i].op);
  cul_ir_list_release(&list);
}

static int apply(struct cul_subject *subject, const struct cul_sites *sites,
                 const uint32_t *ids, size_t n, size_t *applied,
                 struct cul_err *err) {
  (void)sites;
  (void)ids;
  (void)n;
  (void)err;
  keep_results(cul_ir_of(subject));
  *applied = cul_run_pass(cul_ir_of(subject),
                          "builtin.module(linalg-generalize-named-ops)");
  let_go(cul_ir_of(subject));
  return 0;
}

const struct cul_mutation cul_mutation_generalize_linalg = {
    .name = "generalize-linalg",
    .summary = "named linalg operations become linalg.generic",
    .kinds = CUL_SUBJECT_NATIVE,
    .phase = CUL_PHASE_PUMP,
    .flags = CUL_MUT_ONCE,
    .frame = &cul_run_pass_frame,
    .how = &(const struct cul_run_pass){.prefix = "linalg.",
                                        .but = "linalg.generic"},
    .apply = apply,
};
