/* The device that runs kernels, and the lowering of kernels for it. */
#ifndef CUL_REDUCER_ENGINES_GPU_DEVICE_H
#define CUL_REDUCER_ENGINES_GPU_DEVICE_H

#include "../../../base/err.h"
#include "../plan/passes.h"
#include "gpu.h"

struct cul_device {
  const struct cul_gpu_stack *stack; /* NULL: emulated on the CPU */
  /* "sm_90", "gfx90a"; if emulated, the threads of a subgroup, "32" or "64" */
  char chip[32];
  bool compile; /* generate code, and run nothing: no card is needed */
};

/* Parse "emul", "emul:64", "cuda", "hip", "cuda:sm_80", "hip:gfx942,compile"
 * ...  The chip determines the output for kernels: PTX text for NVIDIA's
 * driver, or code for AMD's; with "compile" code for both, NVIDIA's by ptxas.
 * Errors: EUSAGE. */
CUL_MUST_CHECK int cul_device_parse(const char *text, struct cul_device *out,
                                    struct cul_err *err);

/* Compile the kernels (gpu.module) for a card, and lower their launches to
 * calls of the mgpu functions.  Returns as cul_passes_run, or
 * CUL_ENGINE_MISSING if a part of the vendor's toolkit is missing.  The reason
 * is on standard error. */
int cul_device_lower(struct cul_ir *ir, const struct cul_device *device,
                     const struct cul_passes_warm *warm);

#endif
