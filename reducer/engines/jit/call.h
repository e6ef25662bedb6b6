/* A function's arguments and results as compiled code takes them: MLIR's C
 * interface (llvm.emit_c_interface, packed). */
#ifndef CUL_REDUCER_ENGINES_JIT_CALL_H
#define CUL_REDUCER_ENGINES_JIT_CALL_H

#include <mlir-c/ExecutionEngine.h>

#include "../../subject/ir/ir.h"
#include "../plan/recipe.h"

/* One argument or result. */
struct cul_jit_value {
  bool buffer; /* a tensor or memref: by a descriptor */
  bool memref; /* the caller's memory: an output, too */
  enum cul_dtype dtype;
  enum cul_dtype stored; /* an input has the digits of this type only */
  size_t rank;
  uint64_t dims[CUL_TENSOR_MAX_RANK];
};

struct cul_jit_call {
  struct cul_jit_value *args, *results;
  size_t n_args, n_results;
};

/* Beside those of fenv.h: an operand was denormal (x86; 0 elsewhere). */
#ifdef __x86_64__
enum { CUL_JIT_DENORMAL = 2 };
#else
enum { CUL_JIT_DENORMAL = 0 };
#endif

struct cul_jit_inputs {
  struct cul_recipe recipe;
  uint64_t seed;
  uint64_t extent; /* of dynamic dimensions, and every index argument */
  uint64_t stray;  /* not 0: floats are off by a roundoff of the type that they
                      are stored in, up or down; other numbers, other ways */
  bool magnitudes; /* floats: max(1, |x|) */
  const struct cul_tensors *given; /* these instead, one an argument; or NULL */
};

/* What the function type asks for.  Errors: EUSAGE, where a type is none that
 * can be handed over. */
CUL_MUST_CHECK int cul_jit_call_init(struct cul_ir *ir, MlirType function,
                                     uint64_t extent, struct cul_jit_call *out,
                                     struct cul_err *err);
void cul_jit_call_release(struct cul_jit_call *call);

/* Arguments are stored as those of `narrow`, the same function in narrower
 * types. */
void cul_jit_call_store_as(struct cul_jit_call *call,
                           const struct cul_jit_call *narrow);

/* The arguments that it would be called with, appended; they have no names.
 * Errors: EUSAGE (too large; others are given). */
CUL_MUST_CHECK int cul_jit_call_draw(const struct cul_jit_call *call,
                                     const struct cul_jit_inputs *inputs,
                                     struct cul_tensors *out,
                                     struct cul_err *err);

/* Call `name` with generated inputs and append what comes out: the results,
 * then the memrefs among the arguments; they have no names.  raised: NULL, or
 * the floating-point exceptions of the call, as fenv.h has them.  Errors:
 * EUSAGE (no such function; too large; other arguments are given). */
CUL_MUST_CHECK int cul_jit_call_run(const struct cul_jit_call *call,
                                    MlirExecutionEngine jit, const char *name,
                                    const struct cul_jit_inputs *inputs,
                                    struct cul_tensors *out, int *raised,
                                    struct cul_err *err);
/* Append the tensors to text, one a line as cul_tensors_parse_text reads them:
 * "result[PREFIX0]: 4xf32=...", SUFFIX behind the number. */
void cul_jit_print(const struct cul_tensors *tensors, const char *prefix,
                   const char *suffix, struct cul_buf *text);

#endif
