/* Pass pipelines: see passes.h. */
#include "passes.h"

#include <mlir-c/Diagnostics.h>
#include <stdio.h>
#include <string.h>

#include "../subject/mlir_compat.h"

static void to_stderr(MlirStringRef text, void *arg) {
  (void)arg;
  fwrite(text.data, 1, text.length, stderr);
}

MlirPassManager cul_passes_new(MlirContext context, const char *pipeline) {
  MlirPassManager manager = mlirPassManagerCreate(context);
  MlirLogicalResult result =
      mlirParsePassPipeline(mlirPassManagerGetAsOpPassManager(manager),
                            cul_ir_str(pipeline), to_stderr, NULL);
  if (mlirLogicalResultIsSuccess(result))
    return manager;
  mlirPassManagerDestroy(manager);
  return (MlirPassManager){NULL};
}

/* As mlir-opt has it: a location in a file without loc() and quotes. */
static void print_place(MlirLocation location) {
  struct cul_buf text = {0};
  const char *start, *end;
  mlirLocationPrint(location, cul_compat_append, &text);
  start = cul_buf_str(&text);
  if (strncmp(start, "loc(", 4) == 0)
    start += 4, text.data[text.len - 1] = '\0';
  end = *start == '"' ? strchr(start + 1, '"') : NULL;
  if (end)
    fprintf(stderr, "%.*s%s: ", (int)(end - start - 1), start + 1, end + 1);
  else
    fprintf(stderr, "%s: ", start);
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

bool cul_passes_warm(struct cul_ir *ir, MlirPassManager manager) {
  MlirModule empty = mlirModuleCreateEmpty(ir->unknown);
  MlirDiagnosticHandlerID id =
      mlirContextAttachDiagnosticHandler(ir->context, hush, NULL, NULL);
  MlirLogicalResult result =
      mlirPassManagerRunOnOp(manager, mlirModuleGetOperation(empty));
  mlirContextDetachDiagnosticHandler(ir->context, id);
  mlirModuleDestroy(empty);
  return mlirLogicalResultIsSuccess(result);
}
