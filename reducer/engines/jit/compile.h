/* Compile the LLVM dialect to code in this process. */
#ifndef CUL_REDUCER_ENGINES_JIT_COMPILE_H
#define CUL_REDUCER_ENGINES_JIT_COMPILE_H

#include <mlir-c/ExecutionEngine.h>

#include "../gpu/memory.h"

/* Compile the module; the code can call the runtime's functions and
 * cul_jit_symbols.  level: optimization of the code generator, 0 to 3.  Null if
 * MLIR cannot; the reason is on standard error. */
MlirExecutionEngine cul_jit_compile(MlirModule module, int level);
/* Let the code call these functions too.  jit may be null. */
void cul_jit_register(MlirExecutionEngine jit,
                      const struct cul_jit_symbol *symbols);

#endif
