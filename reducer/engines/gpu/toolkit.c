/* Toolkits: see toolkit.h.  They are passed to MLIR in environment variables,
 * because it reads nothing else. */
#include "toolkit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../base/files/file.h"
#include "names.h"

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

int cul_toolkit_cuda(struct cul_err *err) {
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
int cul_toolkit_rocm(struct cul_err *err) {
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
