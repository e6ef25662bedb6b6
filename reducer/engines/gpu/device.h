/* Where kernels run, and the code that they become for it. */
#ifndef CUL_REDUCER_ENGINES_GPU_DEVICE_H
#define CUL_REDUCER_ENGINES_GPU_DEVICE_H

#include "../plan/passes.h"
#include "gpu.h"

struct cul_device {
  const struct cul_gpu_stack *stack; /* NULL: emulated on the CPU */
  char chip[32];                     /* of a card: "sm_90", "gfx90a" */
};

/* Read "emul", "cuda", "hip", "cuda:sm_80" ...  The chip says what the kernels
 * become: text for NVIDIA's driver, or code for AMD's.  Errors: EUSAGE. */
CUL_MUST_CHECK int cul_device_parse(const char *text, struct cul_device *out,
                                    struct cul_err *err);

/* Make code of the kernels (gpu.module) for a card, and of what launches them
 * calls of the mgpu functions.  Returns as cul_passes_run, and
 * CUL_ENGINE_MISSING where a part of the vendor's toolkit is missing. */
int cul_device_lower(struct cul_ir *ir, const struct cul_device *device,
                     const struct cul_passes_warm *warm);

#endif
