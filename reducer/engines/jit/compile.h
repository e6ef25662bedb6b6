/* From the LLVM dialect to code in this process. */
#ifndef CUL_REDUCER_ENGINES_JIT_COMPILE_H
#define CUL_REDUCER_ENGINES_JIT_COMPILE_H

#include <mlir-c/ExecutionEngine.h>

#include "../gpu/memory.h"

/* The code finds the runtime's functions and cul_jit_symbols.  level: of the
 * code generator, 0 to 3.  Null where MLIR cannot; standard error says why. */
MlirExecutionEngine cul_jit_compile(MlirModule module, int level);
/* It finds these, too.  jit may be null. */
void cul_jit_register(MlirExecutionEngine jit,
                      const struct cul_jit_symbol *symbols);

#endif
