/* Compiling: see compile.h. */
#include "compile.h"

#include <stdlib.h>
#include <unistd.h>

#include "../../../base/files/file.h"
#include "../../subject/ir/compat.h"
#include "../../subject/ir/ir.h"

/* The runtime: libraries with print functions and the like. */
static const char *const libraries[] = {CULPRIT_C_RUNNER_UTILS,
                                        CULPRIT_RUNNER_UTILS};
enum { N_LIBRARIES = CUL_ARRAY_SIZE(libraries) };

void cul_jit_register(MlirExecutionEngine jit,
                      const struct cul_jit_symbol *symbols) {
  for (; jit.ptr && symbols->name; symbols++)
    mlirExecutionEngineRegisterSymbol(jit, cul_ir_str(symbols->name),
                                      symbols->address);
}

MlirExecutionEngine cul_jit_compile(MlirModule module, int level) {
  char *prefix = cul_llvm_prefix(CULPRIT_LLVM_PREFIX);
  char *files[N_LIBRARIES];
  MlirStringRef paths[N_LIBRARIES];
  MlirExecutionEngine jit;
  int n = 0;
  for (size_t i = 0; i < N_LIBRARIES; i++) {
    files[i] = cul_xasprintf("%s/lib/%s", prefix, libraries[i]);
    if (access(files[i], R_OK) == 0)
      paths[n++] = cul_ir_str(files[i]);
  }
  jit = cul_compat_jit(module, level, n, paths);
  for (size_t i = 0; i < N_LIBRARIES; i++)
    free(files[i]);
  free(prefix);
  cul_jit_register(jit, cul_jit_symbols);
  return jit;
}
