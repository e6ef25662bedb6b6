/* Pass pipelines: see passes.h. */
#include "passes.h"

#include <mlir-c/Diagnostics.h>
#include <stdio.h>
#include <string.h>

#include "../../../base/lives_on.h"
#include "../../subject/ir/compat.h"
#include "../engine.h"

static void to_stderr(MlirStringRef text, void *arg) {
  (void)arg;
  fwrite(text.data, 1, text.length, stderr);
}

/* Returns null if MLIR does not parse the pipeline. */
static MlirPassManager new_manager(MlirContext context, const char *pipeline) {
  MlirPassManager manager = mlirPassManagerCreate(context);
  MlirLogicalResult result =
      mlirParsePassPipeline(mlirPassManagerGetAsOpPassManager(manager),
                            cul_ir_str(pipeline), to_stderr, NULL);
  if (mlirLogicalResultIsSuccess(result))
    return manager;
  mlirPassManagerDestroy(manager);
  return (MlirPassManager){NULL};
}

void cul_passes_place(MlirLocation location, struct cul_buf *out) {
  struct cul_buf text = {0};
  const char *start, *end;
  mlirLocationPrint(location, cul_compat_append, &text);
  start = cul_buf_str(&text);
  if (strncmp(start, "loc(", 4) == 0)
    start += 4, text.data[text.len - 1] = '\0';
  end = *start == '"' ? strchr(start + 1, '"') : NULL;
  if (end)
    cul_buf_addf(out, "%.*s%s", (int)(end - start - 1), start + 1, end + 1);
  else
    cul_buf_adds(out, start);
  cul_buf_release(&text);
}

static void print_place(MlirLocation location) {
  struct cul_buf text = {0};
  cul_passes_place(location, &text);
  fprintf(stderr, "%s: ", cul_buf_str(&text));
  cul_buf_release(&text);
}

static void print_diagnostic(MlirDiagnostic diagnostic) {
  static const char *const names[] = {"error", "warning", "note", "remark"};
  intptr_t n = mlirDiagnosticGetNumNotes(diagnostic);
  print_place(mlirDiagnosticGetLocation(diagnostic));
  fprintf(stderr, "%s: ", names[mlirDiagnosticGetSeverity(diagnostic)]);
  mlirDiagnosticPrint(diagnostic, to_stderr, NULL);
  fputc('\n', stderr);
  for (intptr_t i = 0; i < n; i++)
    print_diagnostic(mlirDiagnosticGetNote(diagnostic, i));
}

static MlirLogicalResult speak(MlirDiagnostic diagnostic, void *arg) {
  (void)arg;
  print_diagnostic(diagnostic);
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult hush(MlirDiagnostic diagnostic, void *arg) {
  (void)diagnostic;
  (void)arg;
  return mlirLogicalResultSuccess();
}

void cul_passes_speak(MlirContext context) {
  mlirContextAttachDiagnosticHandler(context, speak, NULL, NULL);
}

static bool run_on_nothing(struct cul_ir *ir, MlirPassManager manager) {
  MlirModule empty = mlirModuleCreateEmpty(ir->unknown);
  MlirDiagnosticHandlerID id =
      mlirContextAttachDiagnosticHandler(ir->context, hush, NULL, NULL);
  MlirLogicalResult result =
      cul_edit_run_passes(manager, mlirModuleGetOperation(empty));
  mlirContextDetachDiagnosticHandler(ir->context, id);
  cul_edit_destroy_module(empty);
  return mlirLogicalResultIsSuccess(result);
}

bool cul_passes_warm(struct cul_ir *ir, const char *pipeline,
                     struct cul_passes_warm *out) {
  MlirPassManager manager = new_manager(ir->context, pipeline);
  /* Twice: a pass that leaves something in the context, as
   * transform-preload-library does, fails the second time. */
  if (!manager.ptr || !run_on_nothing(ir, manager) ||
      !run_on_nothing(ir, manager))
    return false;
  out->items = cul_xreallocarray(out->items, out->n + 1, sizeof *out->items);
  out->items[out->n++] =
      (struct cul_passes_manager){cul_xstrdup(pipeline), manager};
  return true;
}

static int run_passes(struct cul_ir *ir, MlirOperation module,
                      const char *pipeline, const struct cul_passes_warm *warm,
                      bool verified) {
  MlirPassManager manager = {NULL};
  for (size_t i = 0; warm && i < warm->n; i++)
    if (strcmp(warm->items[i].pipeline, pipeline) == 0)
      manager = warm->items[i].manager;
  if (!manager.ptr)
    manager = new_manager(ir->context, pipeline);
  if (!manager.ptr)
    return CUL_ENGINE_USAGE;
  cul_lives_on(manager.ptr);
  mlirPassManagerEnableVerifier(manager, verified);
  return mlirLogicalResultIsFailure(cul_edit_run_passes(manager, module));
}

int cul_passes_run(struct cul_ir *ir, MlirOperation module,
                   const char *pipeline, const struct cul_passes_warm *warm) {
  return run_passes(ir, module, pipeline, warm, true);
}

int cul_passes_run_unverified(struct cul_ir *ir, MlirOperation module,
                              const char *pipeline,
                              const struct cul_passes_warm *warm) {
  return run_passes(ir, module, pipeline, warm, false);
}
