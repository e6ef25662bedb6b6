/* Call a compiled function through MLIR's C interface (llvm.emit_c_interface,
 * packed): its arguments and results. */
#ifndef CUL_REDUCER_ENGINES_JIT_CALL_H
#define CUL_REDUCER_ENGINES_JIT_CALL_H

#include <mlir-c/ExecutionEngine.h>

#include "../../subject/ir/ir.h"
#include "../plan/recipe.h"

/* The type of one argument or result. */
struct cul_jit_value {
  bool buffer; /* a tensor or memref: passed by a descriptor */
  bool memref; /* the caller's memory, so an argument is also an output */
  enum cul_dtype dtype;
  enum cul_dtype stored; /* values of an argument are rounded to this type */
  size_t rank;
  uint64_t dims[CUL_TENSOR_MAX_RANK];
};

struct cul_jit_call {
  struct cul_jit_value *args, *results;
  size_t n_args, n_results;
};

/* A flag besides those of fenv.h: an operand was denormal (x86; 0
 * elsewhere). */
#ifdef __x86_64__
enum { CUL_JIT_DENORMAL = 2 };
#else
enum { CUL_JIT_DENORMAL = 0 };
#endif

/* The values of the arguments. */
struct cul_jit_inputs {
  struct cul_recipe recipe;
  uint64_t seed;
  uint64_t extent; /* of dynamic dimensions; value of scalar index arguments */
  /* not 0: each float is moved up or down by one roundoff of its stored type;
   * the number selects the directions */
  uint64_t stray;
  bool magnitudes; /* replace each float x by max(1, |x|) */
  /* these values instead, one tensor per argument; or NULL */
  const struct cul_tensors *given;
};

/* Read the types of a function.  Release out, also after an error.  Errors:
 * EUSAGE for a type that cannot be passed. */
CUL_MUST_CHECK int cul_jit_call_init(struct cul_ir *ir, MlirType function,
                                     uint64_t extent, struct cul_jit_call *out,
                                     struct cul_err *err);
void cul_jit_call_release(struct cul_jit_call *call);

/* Round arguments to the types of `narrow`, the same function in narrower
 * types. */
void cul_jit_call_store_as(struct cul_jit_call *call,
                           const struct cul_jit_call *narrow);

/* Append the arguments for a call; they have no names.  Errors: EUSAGE (too
 * large; the given values have other types). */
CUL_MUST_CHECK int cul_jit_call_draw(const struct cul_jit_call *call,
                                     const struct cul_jit_inputs *inputs,
                                     struct cul_tensors *out,
                                     struct cul_err *err);

/* Call the function `name` and append its outputs: the results, then the
 * memrefs among the arguments; they have no names.  raised: NULL, or set to the
 * floating-point exceptions of the call, as flags of fenv.h.  Errors: EUSAGE
 * (no such function; too large; the given values do not fit). */
CUL_MUST_CHECK int cul_jit_call_run(const struct cul_jit_call *call,
                                    MlirExecutionEngine jit, const char *name,
                                    const struct cul_jit_inputs *inputs,
                                    struct cul_tensors *out, int *raised,
                                    struct cul_err *err);
/* Append the tensors to text, one per line as cul_tensors_parse_text reads
 * them: "result[PREFIX0SUFFIX]: 4xf32=...". */
void cul_jit_print(const struct cul_tensors *tensors, const char *prefix,
                   const char *suffix, struct cul_buf *text);

#endif
