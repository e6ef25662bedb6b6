/* Engines: programs that a worker contains.  Each runs in a process of its own,
 * on the module that the worker holds in memory, or on a file:
 *
 *   culprit-worker-mlir --run ENGINE [options] FILE
 *
 * One const struct per file, listed in list.h. */
#ifndef CUL_REDUCER_ENGINES_ENGINE_H
#define CUL_REDUCER_ENGINES_ENGINE_H

#include "../../runners/live.h"
#include "../subject/subject.h"

struct cul_engine {
  const char *name, *summary;
  const struct cul_opt *opts; /* its options, for help */
  /* Run on the subject, which it may destroy; the process ends afterwards, or
   * dies in the run.  argv: the words after --run: the engine's name first, the
   * file's last.  warm: a result of warm() of this engine, or NULL.  Returns
   * the exit status. */
  int (*run)(struct cul_subject *subject, void *warm, int argc, char **argv);
  /* Prepare for many runs of these words on subjects like this one, which is
   * only read.  May die, so the caller tries it in another process first.
   * Returns NULL if it cannot; the member may be NULL. */
  void *(*warm)(struct cul_subject *subject, int argc, char **argv);
};

extern const struct cul_engine *const cul_engines[]; /* NULL ends */
/* The engine of this name; NULL: there is none. */
const struct cul_engine *cul_engine_find(const char *name);

/* The pipelines from the output of any passes to code for this machine's CPU:
 * first to loops, then to LLVM.  The engine "jit" runs them after the user's
 * passes, mlir-opt in the scripts that work without culprit.  Buffers are not
 * freed: the deallocation passes refuse operations that they do not know, and
 * the process soon ends.  A module that is lowered already is not changed.
 * There are two pipelines because checks at run time are inserted between
 * them. */
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
