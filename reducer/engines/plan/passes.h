/* Pass pipelines given as text, run as mlir-opt runs them. */
#ifndef CUL_REDUCER_ENGINES_PLAN_PASSES_H
#define CUL_REDUCER_ENGINES_PLAN_PASSES_H

#include <mlir-c/Pass.h>

#include "../../subject/ir/ir.h"

/* From now on, diagnostics of the context are printed to standard error as
 * mlir-opt prints them. */
void cul_passes_speak(MlirContext context);

/* Append a location as mlir-opt prints it: a location in a file without loc()
 * and quotes. */
void cul_passes_place(MlirLocation location, struct cul_buf *out);

/* Pass managers that have run once, by pipeline. */
struct cul_passes_warm {
  struct cul_passes_manager {
    char *pipeline;
    MlirPassManager manager;
  } *items;
  size_t n;
};

/* Make a manager for the pipeline, run it silently on an empty module, and keep
 * it in out: patterns and dialects are then loaded.  False: it fails, or
 * changes the context so that it cannot run again. */
bool cul_passes_warm(struct cul_ir *ir, const char *pipeline,
                     struct cul_passes_warm *out);

/* Run the pipeline, builtin.module(...), on a module of ir's context.  warm:
 * NULL, or managers to use.  Returns 0; CUL_ENGINE_USAGE if MLIR does not parse
 * the pipeline; 1 if a pass fails.  The reason is on standard error. */
int cul_passes_run(struct cul_ir *ir, MlirOperation module,
                   const char *pipeline, const struct cul_passes_warm *warm);
/* The same without a verifier after each pass (--verify-each=0). */
int cul_passes_run_unverified(struct cul_ir *ir, MlirOperation module,
                              const char *pipeline,
                              const struct cul_passes_warm *warm);

#endif
