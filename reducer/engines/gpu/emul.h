/* GPU kernels emulated on the CPU: they are cut out of their module, compiled
 * separately from the host's code, and run thread by thread when the host
 * launches them.
 *
 * With checks, every access of a kernel to memory is looked up in a shadow of
 * the memory.  Two accesses race if two threads make them, one is a write, not
 * both are atomic, they leave other bytes than were there, and nothing orders
 * them: no barrier of the block, and no atomic operation whose result the later
 * thread uses (happens-before; Flanagan and Freund, FastTrack, PLDI 2009). Each
 * launch is run in several orders of its threads, as what an atomic operation
 * orders depends on who comes first. */
#ifndef CUL_REDUCER_ENGINES_GPU_EMUL_H
#define CUL_REDUCER_ENGINES_GPU_EMUL_H

#include <mlir-c/ExecutionEngine.h>

#include "../../subject/ir/ir.h"
#include "../plan/passes.h"
#include "memory.h"

#define CUL_EMUL_MAX_BUFFERS 16
/* The largest value that threads exchange by one operation, in bytes. */
#define CUL_EMUL_MAX_VALUE 64

/* A buffer of a kernel, shared by the threads of a block or private to each
 * thread.  It is an argument of the kernel after those that the host passes. */
struct cul_emul_buffer {
  bool is_private;
  bool dynamic; /* of the size that the launch gives: one dimension */
  size_t bytes, rank;
  int64_t dims[8];
};

struct cul_emul_kernel {
  char *name;  /* unique: MODULE__KERNEL */
  char *shown; /* its own name */
  struct cul_emul_buffer buffers[CUL_EMUL_MAX_BUFFERS];
  size_t n_buffers;
  void (*code)(void **params); /* NULL until compiled */
};

/* An operation that accesses memory or waits. */
struct cul_emul_site {
  char *op;    /* "memref.load" */
  char *place; /* "k.mlir:3:5"; "" if it has none */
};

/* The last argument of cul_emul_access: the number of the site times
 * CUL_EMUL_KINDS, plus one of these. */
enum cul_emul_access {
  CUL_EMUL_READ,
  CUL_EMUL_WRITE,
  CUL_EMUL_ATOMIC, /* ... whose result is not used */
  CUL_EMUL_ACQUIRE,
  CUL_EMUL_RELAXED, /* atomic, and orders nothing */
  CUL_EMUL_KINDS = 8
};

enum cul_emul_order {
  CUL_EMUL_FORWARD, /* thread 0 first */
  CUL_EMUL_REVERSE,
  CUL_EMUL_SHUFFLED,
  CUL_EMUL_N_ORDERS
};

struct cul_emul_kernels {
  /* set by the caller */
  unsigned warp;             /* threads of a subgroup: 32 or 64 */
  enum cul_emul_order order; /* without checks */
  bool checked; /* look for races and the like, in all orders; the process ends
                   with CUL_JIT_UNSOUND after a launch that has some */
  /* the kernels in the LLVM dialect; null: none */
  MlirModule module;
  struct cul_emul_kernel *items;
  size_t n;
  struct cul_emul_site *sites; /* 0: none */
  size_t n_sites;
};

/* Does the module launch kernels of its own? */
bool cul_emul_has_kernels(struct cul_ir *ir);

/* Cut the kernels of every gpu.module out, and lower them.  Empty kernels with
 * unique names stay there.  Returns 0; a status of cul_passes_run; EUSAGE if a
 * kernel contains something that cannot be emulated. */
CUL_MUST_CHECK int cul_emul_make(struct cul_ir *ir,
                                 const struct cul_passes_warm *warm,
                                 struct cul_emul_kernels *kernels,
                                 struct cul_err *err);

/* The functions that kernels call; name NULL ends.  They use the state of the
 * one kernel that runs. */
extern const struct cul_jit_symbol cul_emul_kernel_symbols[];
/* The mgpu functions for the host's code; name NULL ends.  Call cul_emul_serve
 * first. */
extern const struct cul_jit_symbol cul_emul_host_symbols[];
/* From now on host code launches these kernels, which are compiled, and all
 * memory of compiled code is known to the checks. */
void cul_emul_serve(const struct cul_emul_kernels *kernels);

#endif
