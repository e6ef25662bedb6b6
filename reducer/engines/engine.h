/* Engines: what a worker runs itself, in a process of its own: on a module
 * that it holds in memory, or on a file where it is started as a program:
 *
 *   culprit-worker-mlir --run ENGINE [options] FILE
 *
 * One const struct per file, in list.h. */
#ifndef CUL_REDUCER_ENGINES_ENGINE_H
#define CUL_REDUCER_ENGINES_ENGINE_H

#include "../../runners/live.h"
#include "../subject/subject.h"

struct cul_engine {
  const char *name, *summary;
  const struct cul_opt *opts; /* of its words, for help */
  /* Run on the subject, which is lost to it; the process ends afterwards, or
   * dies in it.  argv: the words behind --run, its name first, the file's
   * last.  warm: what warm() gave for the same engine, or NULL.  Returns the
   * exit status. */
  int (*run)(struct cul_subject *subject, void *warm, int argc, char **argv);
  /* Prepare for many runs of these words on subjects like this one, which is
   * only read.  May die: it is tried elsewhere first.  NULL: it cannot. */
  void *(*warm)(struct cul_subject *subject, int argc, char **argv);
};

extern const struct cul_engine *const cul_engines[]; /* NULL ends */
const struct cul_engine *cul_engine_find(const char *name);

/* From whatever passes leave to code for this machine's CPU: what the engine
 * "jit" runs behind them, and mlir-opt in the scripts that do without it. To
 * loops, then to LLVM; buffers are not freed, for the passes that see to it
 * refuse operations that they do not know, and the process soon ends.  On what
 * is lowered already it does nothing.  The two halves are apart where the
 * checks at run time go. */
#define CUL_BUFFERIZE                                                          \
  "builtin.module(func.func(tosa-to-linalg-named,tosa-to-linalg,"              \
  "tosa-to-arith,tosa-to-tensor),convert-elementwise-to-linalg,"               \
  "empty-tensor-to-alloc-tensor,one-shot-bufferize{"                           \
  "bufferize-function-boundaries "                                             \
  "function-boundary-type-conversion=identity-layout-map},"                    \
  "convert-bufferization-to-memref)"
#define CUL_LOWER                                                              \
  "builtin.module(func.func(convert-linalg-to-loops,scf-forall-to-for,"        \
  "canonicalize,lower-vector-mask),"                                           \
  "convert-vector-to-scf,lower-affine,convert-scf-to-cf,"                      \
  "expand-strided-metadata,lower-affine,convert-math-to-libm,"                 \
  "convert-complex-to-standard,convert-complex-to-llvm,convert-math-to-llvm,"  \
  "convert-vector-to-llvm,"                                                    \
  "convert-arith-to-llvm,finalize-memref-to-llvm,convert-index-to-llvm,"       \
  "convert-ub-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,"                \
  "reconcile-unrealized-casts)"

#endif
