/* A function's arguments and results as compiled code takes them: MLIR's C
 * interface (llvm.emit_c_interface, packed). */
#ifndef CUL_REDUCER_ENGINES_JIT_CALL_H
#define CUL_REDUCER_ENGINES_JIT_CALL_H

#include <mlir-c/ExecutionEngine.h>

#include "../subject/mlir.h"
#include "inputs.h"

/* One argument or result. */
struct cul_jit_value {
  bool buffer; /* a tensor or memref: by a descriptor */
  bool memref; /* the caller's memory: an output, too */
  enum cul_dtype dtype;
  size_t rank;
  uint64_t dims[CUL_TENSOR_MAX_RANK];
};

struct cul_jit_call {
  struct cul_jit_value *args, *results;
  size_t n_args, n_results;
};

struct cul_jit_inputs {
  enum cul_input_kind kind;
  uint64_t seed;
  uint64_t extent; /* of dynamic dimensions, and every index argument */
};

/* What the function type asks for.  Errors: EUSAGE, where a type is none that
 * can be handed over. */
CUL_MUST_CHECK int cul_jit_call_init(struct cul_ir *ir, MlirType function,
                                     uint64_t extent, struct cul_jit_call *out,
                                     struct cul_err *err);
void cul_jit_call_release(struct cul_jit_call *call);

/* Call `name` with generated inputs and append what comes out to text, one
 * tensor a line as cul_tensors_parse_text reads them: the results, then the
 * memrefs among the arguments.  Errors: EUSAGE (no such function; too large).
 */
CUL_MUST_CHECK int cul_jit_call_run(const struct cul_jit_call *call,
                                    MlirExecutionEngine jit, const char *name,
                                    const struct cul_jit_inputs *inputs,
                                    struct cul_buf *text, struct cul_err *err);

#endif
