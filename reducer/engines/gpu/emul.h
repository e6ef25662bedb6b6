/* GPU kernels emulated on the CPU: they are cut out of their module, compiled
 * separately from the host's code, and run thread by thread when the host
 * launches them. */
#ifndef CUL_REDUCER_ENGINES_GPU_EMUL_H
#define CUL_REDUCER_ENGINES_GPU_EMUL_H

#include <mlir-c/ExecutionEngine.h>

#include "../../subject/ir/ir.h"
#include "memory.h"

#define CUL_EMUL_MAX_BUFFERS 16

/* A buffer of a kernel, shared by the threads of a block or private to each
 * thread.  It is an argument of the kernel after those that the host passes. */
struct cul_emul_buffer {
  bool is_private;
  size_t bytes, rank;
  int64_t dims[8];
};

struct cul_emul_kernel {
  char *name; /* unique: MODULE__KERNEL */
  struct cul_emul_buffer buffers[CUL_EMUL_MAX_BUFFERS];
  size_t n_buffers;
  void (*code)(void **params); /* NULL until compiled */
};

struct cul_emul_kernels {
  /* the kernels as functions without GPU operations; null: none */
  MlirModule module;
  struct cul_emul_kernel *items;
  size_t n;
};

/* Cut the kernels of every gpu.module out.  Empty kernels with unique names
 * stay there.  Errors: EUSAGE if a kernel contains something that cannot be
 * emulated. */
CUL_MUST_CHECK int cul_emul_cut(struct cul_ir *ir, struct cul_emul_kernels *out,
                                struct cul_err *err);

/* The functions that kernels call; name NULL ends.  They use the state of the
 * one kernel that runs. */
extern const struct cul_jit_symbol cul_emul_kernel_symbols[];
/* The mgpu functions for the host's code; name NULL ends.  Call cul_emul_serve
 * first. */
extern const struct cul_jit_symbol cul_emul_host_symbols[];
/* From now on host code launches these kernels, which are compiled. */
void cul_emul_serve(const struct cul_emul_kernels *kernels);

#endif
