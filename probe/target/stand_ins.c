/* Programs in the place of tools: see stand_ins.h. */
#include "stand_ins.h"

#include "../../base/files/file.h"

const char *const cul_stood_in_names[CUL_N_STOOD_IN] = {
    [CUL_IREE_COMPILE] = "iree-compile",
    [CUL_IREE_RUN_MODULE] = "iree-run-module"};

char *cul_stand_ins_library(void) {
  return cul_own_library("libculprit-stand-in.so");
}
