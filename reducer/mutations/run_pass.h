/* Compiler passes as mutations: one site, the whole module. */
#ifndef CUL_REDUCER_MUTATIONS_RUN_PASS_H
#define CUL_REDUCER_MUTATIONS_RUN_PASS_H

#include "../subject/mlir.h"
#include "mutation.h"

/* One site, where there is a `prefix` only if some operation's name starts with
 * it and is not `but` (may be NULL), terminators aside. */
struct cul_run_pass {
  const char *pipeline; /* textual: "builtin.module(cse)" */
  const char *prefix, *but;
};
/* The frame of a mutation that is a pass and nothing else. */
extern const struct cul_mutation_frame cul_run_pass_frame;

/* Run the pipeline.  Returns 1 where it succeeded, else 0.  Operations are
 * freed and made: no place listed before is valid afterwards.  Native subjects
 * only; the pass may crash. */
size_t cul_run_pass(struct cul_ir *ir, const char *pipeline);

#endif
