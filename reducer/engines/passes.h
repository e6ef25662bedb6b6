/* A pass pipeline from text, run as mlir-opt would: shared by the engines. */
#ifndef CUL_REDUCER_ENGINES_PASSES_H
#define CUL_REDUCER_ENGINES_PASSES_H

#include <mlir-c/Pass.h>

#include "../subject/mlir.h"

/* A manager for the pipeline, builtin.module(...); null, with the reason on
 * standard error, where MLIR does not take the text.  The caller destroys. */
MlirPassManager cul_passes_new(MlirContext context, const char *pipeline);

/* Diagnostics of the context go to standard error from now on, as mlir-opt
 * prints them. */
void cul_passes_speak(MlirContext context);

/* Run the manager once on an empty module, in silence: patterns and dialects
 * are loaded then.  False: it fails there. */
bool cul_passes_warm(struct cul_ir *ir, MlirPassManager manager);

#endif
