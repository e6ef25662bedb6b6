/* Compiler passes as mutations: see run_pass.h. */
#include "run_pass.h"

#include <mlir-c/Pass.h>
#include <string.h>

#include "../subject/mlir.h"

int cul_run_pass_sites(struct cul_subject *subject, struct cul_sites *out,
                       struct cul_err *err) {
  struct cul_ir *ir = cul_ir_of(subject);
  (void)err;
  cul_sites_add(out, ir->root.ptr, 0, 1);
  return 0;
}

int cul_run_pass_where(struct cul_subject *subject, const char *prefix,
                       const char *but, struct cul_sites *out) {
  struct cul_ir *ir = cul_ir_of(subject);
  struct cul_ir_list list = {0};
  cul_ir_list(ir->root, &list);
  for (size_t i = 1; i < list.n && out->n == 0; i++) {
    MlirOperation op = list.items[i].op;
    if (cul_ir_is_of(op, prefix) && !cul_ir_is_terminator(ir, op) &&
        !(but && cul_ir_is(op, but)))
      cul_sites_add(out, ir->root.ptr, 0, 1);
  }
  cul_ir_list_release(&list);
  return 0;
}

static void ignore(MlirStringRef text, void *arg) {
  (void)text;
  (void)arg;
}

int cul_run_pass(struct cul_subject *subject, const char *pipeline,
                 size_t *applied) {
  struct cul_ir *ir = cul_ir_of(subject);
  MlirPassManager manager =
      mlirPassManagerCreateOnOperation(ir->context, cul_ir_name(ir->root));
  MlirLogicalResult result =
      mlirParsePassPipeline(mlirPassManagerGetAsOpPassManager(manager),
                            cul_ir_str(pipeline), ignore, NULL);
  *applied = 0;
  /* What it leaves behind is checked like any other edit. */
  mlirPassManagerEnableVerifier(manager, false);
  if (mlirLogicalResultIsSuccess(result)) {
    result = mlirPassManagerRunOnOp(manager, ir->root);
    *applied = mlirLogicalResultIsSuccess(result);
  }
  cul_buf_clear(&ir->diagnostic);
  cul_ir_forget(ir);
  mlirPassManagerDestroy(manager);
  return 0;
}
