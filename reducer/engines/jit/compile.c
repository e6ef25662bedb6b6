/* Compiling: see compile.h. */
#include "compile.h"

#include <unistd.h>

#include "../../subject/ir/ir.h"

/* Compiled code finds print functions and the like there. */
static const char *const libraries[] = {CULPRIT_C_RUNNER_UTILS,
                                        CULPRIT_RUNNER_UTILS};

void cul_jit_register(MlirExecutionEngine jit,
                      const struct cul_jit_symbol *symbols) {
  for (; jit.ptr && symbols->name; symbols++)
    mlirExecutionEngineRegisterSymbol(jit, cul_ir_str(symbols->name),
                                      symbols->address);
}

MlirExecutionEngine cul_jit_compile(MlirModule module, int level) {
  MlirStringRef paths[CUL_ARRAY_SIZE(libraries)];
  MlirExecutionEngine jit;
  int n = 0;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(libraries); i++)
    if (access(libraries[i], R_OK) == 0)
      paths[n++] = cul_ir_str(libraries[i]);
  jit = mlirExecutionEngineCreate(module, level, n, paths, false, false);
  cul_jit_register(jit, cul_jit_symbols);
  return jit;
}
