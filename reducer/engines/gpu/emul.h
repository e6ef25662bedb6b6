/* GPU kernels on the CPU: cut out of their module, compiled beside the host's
 * code, and run thread by thread when that launches them. */
#ifndef CUL_REDUCER_ENGINES_GPU_EMUL_H
#define CUL_REDUCER_ENGINES_GPU_EMUL_H

#include <mlir-c/ExecutionEngine.h>

#include "../../subject/ir/ir.h"
#include "memory.h"

#define CUL_EMUL_MAX_BUFFERS 16

/* A buffer that the threads of one block share, or that each thread has: an
 * argument of the kernel behind those that the host passes. */
struct cul_emul_buffer {
  bool is_private;
  size_t bytes, rank;
  int64_t dims[8];
};

struct cul_emul_kernel {
  char *name; /* unique: MODULE__KERNEL */
  struct cul_emul_buffer buffers[CUL_EMUL_MAX_BUFFERS];
  size_t n_buffers;
  void (*code)(void **params); /* once compiled */
};

struct cul_emul_kernels {
  MlirModule module; /* of functions without GPU operations; null: none */
  struct cul_emul_kernel *items;
  size_t n;
};

/* Cut the kernels of every gpu.module out; what stays there is empty, under
 * unique names.  Errors: EUSAGE, where one holds what cannot be emulated. */
CUL_MUST_CHECK int cul_emul_cut(struct cul_ir *ir, struct cul_emul_kernels *out,
                                struct cul_err *err);

/* What a kernel calls; name NULL ends.  They know of one kernel that runs. */
extern const struct cul_jit_symbol cul_emul_kernel_symbols[];
/* The mgpu functions that the host's code calls.  Before: cul_emul_serve. */
extern const struct cul_jit_symbol cul_emul_host_symbols[];
/* These kernels, compiled, are what host code launches from now on. */
void cul_emul_serve(const struct cul_emul_kernels *kernels);

#endif
