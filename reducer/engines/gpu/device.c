/* Devices: see device.h. */
#include "device.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../base/files/file.h"
#include "../../../runners/live.h"
#include "names.h"

/* ---- toolkit ---- */

/* Find the parts of a vendor's toolkit that MLIR needs to compile kernels, at
 * places where MLIR would not look. */

static const char libdevice[] = "nvvm/libdevice/libdevice.10.bc";

/* The value of the first variable that is set, which MLIR uses; NULL: none. */
static const char *set_one(const char *const *names, const char **name) {
  for (; *names; names++)
    if (getenv(*names) && *getenv(*names)) {
      *name = *names;
      return getenv(*names);
    }
  return NULL;
}

static bool has(const char *dir, const char *file) {
  char *path = cul_xasprintf("%s/%s", dir, file);
  bool found = access(path, R_OK) == 0;
  free(path);
  return found;
}

/* Point MLIR to libdevice, unless the environment does.  Without libdevice,
 * only kernels that call no mathematical function can be compiled.  Errors:
 * EENV if the environment names a place without it. */
static int toolkit_cuda(struct cul_err *err) {
  static const char *const names[] = {CUL_CUDA_VARIABLES};
  const char *name, *given = set_one(names, &name);
  const char *place = CUL_CUDA_PLACE;
  char *own;
  if (given)
    return has(given, libdevice)
               ? 0
               : cul_fail(err, CUL_EENV,
                          "name a CUDA toolkit, or unset it: one in "
                          "/usr/local/cuda is found",
                          "%s=%s has no %s", name, given, libdevice);
  own = cul_own_dir(CUL_CUDA_OWN);
  if (own && has(own, libdevice))
    place = own;
  if (has(place, libdevice))
    setenv("CUDA_HOME", place, 1);
  free(own);
  return 0;
}

/* Is there a ptxas for MLIR, in PATH or in the toolkit? */
static int check_ptxas(struct cul_err *err) {
  static const char *const names[] = {CUL_CUDA_VARIABLES};
  char *found = cul_find_program("ptxas");
  const char *name, *home = set_one(names, &name);
  bool is_there = found || (home && has(home, "bin/ptxas"));
  free(found);
  return is_there
             ? 0
             : cul_fail(err, CUL_EENV,
                        "install a CUDA toolkit, and name it (CUDA_HOME=DIR) "
                        "where it is not in /usr/local/cuda",
                        "kernels for NVIDIA's cards cannot be assembled: there "
                        "is no ptxas");
}

static int check_rocm(const char *dir, struct cul_err *err) {
  static const struct {
    const char *file, *advice;
  } parts[] = {
      {"llvm/bin/ld.lld", "install lld-22, or set ROCM_PATH to ROCm's place"},
      {"amdgcn/bitcode/ocml.bc",
       "install rocm-device-libs, or set ROCM_PATH to ROCm's place"}};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(parts); i++)
    if (!has(dir, parts[i].file))
      return cul_fail(err, CUL_EENV, parts[i].advice,
                      "kernels for AMD's cards cannot be made: no %s/%s", dir,
                      parts[i].file);
  return 0;
}

/* Debian installs the parts at separate places: links next to this program
 * (CMakeLists.txt) arrange them as ROCm does. */
static int toolkit_rocm(struct cul_err *err) {
  static const char *const names[] = {"ROCM_PATH", "ROCM_ROOT", "ROCM_HOME",
                                      NULL};
  const char *name, *given = set_one(names, &name);
  char *own;
  int rc;
  if (given)
    return check_rocm(given, err);
  if (has("/opt/rocm", "llvm/bin/ld.lld"))
    return check_rocm("/opt/rocm", err);
  own = cul_own_dir("rocm");
  if (!own) /* a wheel, which can hold no links */
    return cul_fail(err, CUL_EENV,
                    "set ROCM_PATH to ROCm's place, or to a directory with "
                    "links llvm/bin/ld.lld and amdgcn/bitcode to such",
                    "kernels for AMD's cards cannot be made: no ROCm is in "
                    "/opt/rocm, and this culprit has no links to its parts");
  rc = check_rocm(own, err);
  if (rc == 0)
    setenv("ROCM_PATH", own, 1);
  free(own);
  return rc;
}

/* ---- device ---- */

static const struct {
  const char *name, *chip;
  const struct cul_gpu_stack *stack;
} devices[] = {{"emul", "32", NULL},
               {"cuda", "sm_90", &cul_gpu_cuda},
               {"hip", "gfx90a", &cul_gpu_hip}};

/* Is the text a plain chip name?  It becomes part of a pipeline.  HIP drives
 * NVIDIA's cards too.  An emulated one has subgroups of that many threads. */
static bool is_chip(const struct cul_gpu_stack *stack, const char *text) {
  size_t n = 0;
  if (!stack)
    return strcmp(text, "32") == 0 || strcmp(text, "64") == 0;
  while (isalnum((unsigned char)text[n]) || text[n] == '_')
    n++;
  return n < sizeof((struct cul_device *)0)->chip && text[n] == '\0' &&
         (strncmp(text, "sm_", 3) == 0 ||
          (stack == &cul_gpu_hip && strncmp(text, "gfx", 3) == 0));
}

int cul_device_parse(const char *text, struct cul_device *out,
                     struct cul_err *err) {
  static const char compile[] = ",compile";
  size_t all = strlen(text), tail = sizeof compile - 1;
  bool compiles = all > tail && strcmp(text + all - tail, compile) == 0;
  char *device = cul_xstrndup(text, compiles ? all - tail : all);
  size_t len = strcspn(device, ":");
  bool found = false;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(devices) && !found; i++) {
    const struct cul_gpu_stack *stack = devices[i].stack;
    const char *chip = device[len] ? device + len + 1 : devices[i].chip;
    if (strlen(devices[i].name) != len ||
        strncmp(device, devices[i].name, len) != 0)
      continue;
    if ((device[len] && !is_chip(stack, chip)) || (compiles && !stack))
      break;
    found = true;
    out->stack = stack;
    out->compile = compiles;
    snprintf(out->chip, sizeof out->chip, "%s", chip);
  }
  free(device);
  return found
             ? 0
             : cul_fail(err, CUL_EUSAGE, "",
                        "--device: unknown device \"%s\"; emul, cuda or hip is "
                        "one; a chip may follow the last two (cuda:sm_80, "
                        "hip:gfx942), then \",compile\" to run nothing; "
                        "emul:64 has subgroups of 64 threads, not 32",
                        text);
}

/* The oldest PTX version that has the chip, so that older drivers accept it. */
static const char *ptx_of(const char *chip) {
  long number = strtol(chip + strlen("sm_"), NULL, 10);
  return number >= 120 ? "+ptx87" : number >= 100 ? "+ptx86" : "+ptx80";
}

/* The pipeline that makes PTX text, which the driver compiles, or code by
 * ptxas. */
static char *nvidia(const struct cul_device *device) {
  return cul_xasprintf(
      "builtin.module(expand-strided-metadata,lower-affine,"
      "gpu-lower-to-nvvm-pipeline{cubin-chip=%s cubin-features=%s "
      "cubin-format=%s})",
      device->chip, ptx_of(device->chip), device->compile ? "bin" : "isa");
}

/* The pipeline that makes a code object.  ABI 5: drivers from ROCm 5.7 on.  The
 * allowed dialects do not include math: its patterns would generate LLVM
 * intrinsics, which AMD's back end does not have. */
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
  int rc = is_amd ? toolkit_rocm(&err) : toolkit_cuda(&err);
  if (rc == 0 && !is_amd && device->compile)
    rc = check_ptxas(&err);
  if (rc < 0) {
    fprintf(stderr, "error: %s; %s\n", err.what, err.advice);
    return CUL_ENGINE_MISSING;
  }
  pipeline = is_amd ? amd(device->chip) : nvidia(device);
  rc = cul_passes_run(ir, ir->root, pipeline, warm);
  free(pipeline);
  return rc;
}
