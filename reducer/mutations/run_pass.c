/* Compiler passes as mutations: see run_pass.h. */
#include "run_pass.h"

#include <mlir-c/Pass.h>

static bool is_user(const struct cul_ir *ir, const struct cul_run_pass *pass,
                    MlirOperation op) {
  return cul_ir_is_of(op, pass->prefix) && !cul_ir_is_terminator(ir, op) &&
         !(pass->but && cul_ir_is(op, pass->but));
}

static void sites(const void *how, struct cul_subject *subject,
                  struct cul_sites *out) {
  const struct cul_run_pass *pass = how;
  struct cul_ir *ir = cul_ir_of(subject);
  struct cul_ir_list list = {0};
  bool found = !pass->prefix;
  cul_ir_list(ir->root, &list);
  for (size_t i = 1; i < list.n && !found; i++)
    found = is_user(ir, pass, list.items[i].op);
  if (found)
    cul_sites_add(out, ir->root.ptr, 0, 1);
  cul_ir_list_release(&list);
}

static void ignore(MlirStringRef text, void *arg) {
  (void)text;
  (void)arg;
}

size_t cul_run_pass(struct cul_ir *ir, const char *pipeline) {
  MlirPassManager manager =
      mlirPassManagerCreateOnOperation(ir->context, cul_ir_name(ir->root));
  MlirLogicalResult result =
      mlirParsePassPipeline(mlirPassManagerGetAsOpPassManager(manager),
                            cul_ir_str(pipeline), ignore, NULL);
  bool done = false;
  /* What it leaves behind is checked like any other edit. */
  mlirPassManagerEnableVerifier(manager, false);
  if (mlirLogicalResultIsSuccess(result)) {
    result = mlirPassManagerRunOnOp(manager, ir->root);
    done = mlirLogicalResultIsSuccess(result);
  }
  cul_buf_clear(&ir->diagnostic);
  cul_ir_forget(ir);
  mlirPassManagerDestroy(manager);
  return done;
}

static size_t apply(const void *how, struct cul_subject *subject,
                    const struct cul_sites *sites, const uint32_t *ids,
                    size_t n) {
  const struct cul_run_pass *pass = how;
  (void)sites;
  (void)ids;
  (void)n;
  return cul_run_pass(cul_ir_of(subject), pass->pipeline);
}

const struct cul_mutation_frame cul_run_pass_frame = {.sites = sites,
                                                      .apply = apply};
