/* The engine "pipeline": run a pass pipeline on the module in this process, as
 * mlir-opt does. */
#include <stdio.h>
#include <stdlib.h>

#include "../../../base/options/opt.h"
#include "../../subject/ir/compat.h"
#include "../engine.h"
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

static int run(struct cul_subject *subject, void *warm, int argc, char **argv) {
  struct cul_ir *ir = cul_ir_of(subject);
  struct options options;
  struct cul_buf text = {0};
  int rc;
  if (!read_words(argc, argv, &options))
    return CUL_ENGINE_USAGE;
  cul_passes_speak(ir->context);
  rc = cul_passes_run(ir, ir->root, options.passes, warm);
  if (rc || !options.print)
    return rc;
  mlirOperationPrint(ir->root, cul_compat_append, &text);
  printf("%s\n", cul_buf_str(&text));
  cul_buf_release(&text);
  return 0;
}

static void *warm_up(struct cul_subject *subject, int argc, char **argv) {
  struct cul_passes_warm *warm = cul_xcalloc(1, sizeof *warm);
  struct options options;
  if (read_words(argc, argv, &options) &&
      cul_passes_warm(cul_ir_of(subject), options.passes, warm))
    return warm;
  free(warm);
  return NULL;
}

const struct cul_engine cul_engine_pipeline = {
    .name = "pipeline",
    .summary = "run a pass pipeline on the module",
    .opts = opts,
    .run = run,
    .warm = warm_up,
};
