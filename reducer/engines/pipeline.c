/* The engine "pipeline": a pass pipeline on the module, as mlir-opt runs it,
 * without the tool. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/opt.h"
#include "../subject/mlir_compat.h"
#include "engine.h"
#include "passes.h"

struct options {
  const char *passes;
  bool print;
};

static const struct cul_opt opts[] = {
    {.name = "passes",
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct options, passes),
     .value = "PIPELINE",
     .help = "the passes to run: builtin.module(...)"},
    {.name = "print",
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct options, print),
     .help = "print the module that comes out"},
    {.name = NULL}};

/* A manager that has run, and the text that it is of. */
struct warm {
  char *passes;
  MlirPassManager manager;
};

static bool read_words(int argc, char **argv, struct options *out) {
  const char *file;
  struct cul_operands operands = {.items = &file, .max = 1};
  struct cul_err err = {0};
  *out = (struct options){0};
  if (cul_opt_parse(opts, out, argc, argv, &operands, &err) == 0 && out->passes)
    return true;
  fprintf(stderr, "error: %s\n", err.what[0] ? err.what : "no --passes");
  return false;
}

static int run(struct cul_subject *subject, void *kept, int argc, char **argv) {
  struct cul_ir *ir = cul_ir_of(subject);
  const struct warm *warm = kept;
  struct options options;
  MlirPassManager manager;
  if (!read_words(argc, argv, &options))
    return CUL_ENGINE_USAGE;
  cul_passes_speak(ir->context);
  manager = warm && strcmp(warm->passes, options.passes) == 0
                ? warm->manager
                : cul_passes_new(ir->context, options.passes);
  if (!manager.ptr)
    return CUL_ENGINE_USAGE;
  if (mlirLogicalResultIsFailure(mlirPassManagerRunOnOp(manager, ir->root)))
    return 1;
  if (options.print) {
    struct cul_buf text = {0};
    mlirOperationPrint(ir->root, cul_compat_append, &text);
    printf("%s\n", cul_buf_str(&text));
    cul_buf_release(&text);
  }
  return 0;
}

static void *warm_up(struct cul_subject *subject, int argc, char **argv) {
  struct cul_ir *ir = cul_ir_of(subject);
  struct options options;
  struct warm *warm;
  MlirPassManager manager;
  if (!read_words(argc, argv, &options))
    return NULL;
  manager = cul_passes_new(ir->context, options.passes);
  if (!manager.ptr || !cul_passes_warm(ir, manager))
    return NULL;
  warm = cul_xcalloc(1, sizeof *warm);
  warm->passes = cul_xstrdup(options.passes);
  warm->manager = manager;
  return warm;
}

const struct cul_engine cul_engine_pipeline = {
    .name = "pipeline",
    .summary = "run a pass pipeline on the module",
    .opts = opts,
    .run = run,
    .warm = warm_up,
};
