/* A pass pipeline from text, run as mlir-opt would: shared by the engines. */
#ifndef CUL_REDUCER_ENGINES_PLAN_PASSES_H
#define CUL_REDUCER_ENGINES_PLAN_PASSES_H

#include <mlir-c/Pass.h>

#include "../../subject/ir/ir.h"

/* Diagnostics of the context go to standard error from now on, as mlir-opt
 * prints them. */
void cul_passes_speak(MlirContext context);

/* As mlir-opt has it, a location in a file without loc() and quotes; appended.
 */
void cul_passes_place(MlirLocation location, struct cul_buf *out);

/* Managers that have run, and the pipelines that they are of. */
struct cul_passes_warm {
  struct cul_passes_manager {
    char *pipeline;
    MlirPassManager manager;
  } *items;
  size_t n;
};

/* Run a manager for the pipeline on an empty module, in silence, and keep it:
 * patterns and dialects are loaded then.  False: it fails there, or changes
 * the context so that it cannot run again. */
bool cul_passes_warm(struct cul_ir *ir, const char *pipeline,
                     struct cul_passes_warm *out);

/* Run the pipeline, builtin.module(...), on a module of ir's context; warm:
 * NULL, or what may have a manager for it.  0; CUL_ENGINE_USAGE where MLIR does
 * not take the text, 1 where a pass fails: standard error says why. */
int cul_passes_run(struct cul_ir *ir, MlirOperation module,
                   const char *pipeline, const struct cul_passes_warm *warm);

#endif
