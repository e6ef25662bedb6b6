/* Devices: see device.h. */
#include "device.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../runners/live.h"
#include "toolkit.h"

static const struct {
  const char *name, *chip;
  const struct cul_gpu_stack *stack;
} devices[] = {{"emul", "", NULL},
               {"cuda", "sm_90", &cul_gpu_cuda},
               {"hip", "gfx90a", &cul_gpu_hip}};

/* Is the text a plain chip name?  It becomes part of a pipeline.  HIP drives
 * NVIDIA's cards too. */
static bool is_chip(const struct cul_gpu_stack *stack, const char *text) {
  size_t n = 0;
  while (isalnum((unsigned char)text[n]) || text[n] == '_')
    n++;
  return n < sizeof((struct cul_device *)0)->chip && text[n] == '\0' &&
         (strncmp(text, "sm_", 3) == 0 ||
          (stack == &cul_gpu_hip && strncmp(text, "gfx", 3) == 0));
}

int cul_device_parse(const char *text, struct cul_device *out,
                     struct cul_err *err) {
  size_t len = strcspn(text, ":");
  for (size_t i = 0; i < CUL_ARRAY_SIZE(devices); i++) {
    const char *chip = text[len] ? text + len + 1 : devices[i].chip;
    if (strlen(devices[i].name) != len ||
        strncmp(text, devices[i].name, len) != 0)
      continue;
    if (text[len] && !(devices[i].stack && is_chip(devices[i].stack, chip)))
      break;
    out->stack = devices[i].stack;
    snprintf(out->chip, sizeof out->chip, "%s", chip);
    return 0;
  }
  return cul_fail(err, CUL_EUSAGE, "",
                  "--device: unknown device \"%s\"; emul, cuda or hip, the "
                  "last two with a chip if need be: cuda:sm_80, hip:gfx942",
                  text);
}

/* The oldest PTX version that has the chip, so that older drivers accept it. */
static const char *ptx_of(const char *chip) {
  long number = strtol(chip + strlen("sm_"), NULL, 10);
  return number >= 120 ? "+ptx87" : number >= 100 ? "+ptx86" : "+ptx80";
}

/* PTX text, which the driver compiles. */
static char *nvidia(const char *chip) {
  return cul_xasprintf(
      "builtin.module(expand-strided-metadata,lower-affine,"
      "gpu-lower-to-nvvm-pipeline{cubin-chip=%s cubin-features=%s "
      "cubin-format=isa})",
      chip, ptx_of(chip));
}

/* A code object.  ABI 5: drivers from ROCm 5.7 on.  The allowed dialects do not
 * include math: its patterns would generate LLVM intrinsics, which AMD's back
 * end does not have. */
static char *amd(const char *chip) {
  return cul_xasprintf(
      "builtin.module(expand-strided-metadata,lower-affine,"
      "rocdl-attach-target{chip=%s abi=500 O=2},convert-scf-to-cf,"
      "gpu.module(convert-gpu-to-rocdl{index-bitwidth=64 chipset=%s "
      "allowed-dialects=arith,cf,complex,func,index,memref,ub,vector},"
      "canonicalize,cse,reconcile-unrealized-casts),gpu-to-llvm,"
      "reconcile-unrealized-casts,gpu-module-to-binary{format=bin})",
      chip, chip);
}

int cul_device_lower(struct cul_ir *ir, const struct cul_device *device,
                     const struct cul_passes_warm *warm) {
  bool is_amd = strncmp(device->chip, "gfx", 3) == 0;
  struct cul_err err = {0};
  char *pipeline;
  int rc = is_amd ? cul_toolkit_rocm(&err) : cul_toolkit_cuda(&err);
  if (rc < 0) {
    fprintf(stderr, "error: %s; %s\n", err.what, err.advice);
    return CUL_ENGINE_MISSING;
  }
  pipeline = is_amd ? amd(device->chip) : nvidia(device->chip);
  rc = cul_passes_run(ir, ir->root, pipeline, warm);
  free(pipeline);
  return rc;
}
