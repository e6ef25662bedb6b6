/* Checks at run time, inserted before and after operations whose behaviour may
 * be undefined.
 *
 * Immediate undefined behaviour (a division by zero, an access out of bounds)
 * ends the process.  A result that is only poison (a shift by too much, an
 * overflow despite nsw, a float that does not fit into the integer) becomes a
 * number chosen by cul_sound_set: a program may drop it, for example by a
 * select, and is then correct.  If two choices give two results, the result
 * depends on poison.  Checks raise the floating-point exceptions that compiled
 * code does not, because it rounds to f16 and bf16 in software, or computes the
 * number at compile time.  Definitions: LangRef, llvm.org; the dialects arith,
 * index and vector, mlir.llvm.org. */
#ifndef CUL_REDUCER_ENGINES_SOUND_SOUND_H
#define CUL_REDUCER_ENGINES_SOUND_SOUND_H

#include "../../subject/ir/ir.h"
#include "../gpu/memory.h"

/* Insert checks into every function of the module, except at operations that
 * have some.  Operations on tensors are checked only after bufferization.  An
 * assertion of runtime verification that a memref.load is in bounds becomes a
 * check that ends the process only if the load leaves the allocation of its
 * memory (gpu/memory.h). */
void cul_sound_check(struct cul_ir *ir);
/* Fill memref.alloca and uninitialized globals with this byte; for heap memory
 * see gpu/memory.h. */
void cul_sound_fill(struct cul_ir *ir, unsigned char byte);

/* The functions that the checks call. */
extern const struct cul_jit_symbol cul_sound_symbols[]; /* name NULL ends */
/* Make this byte every byte of poison values from now on, and forget the poison
 * met so far. */
void cul_sound_set(unsigned char byte);
/* A description of the first poison met since cul_sound_set; NULL if none was
 * met. */
const char *cul_sound_met(void);
/* Print "error: undefined behaviour: WHAT" to standard error and end the
 * process with CUL_JIT_UNSOUND. */
_Noreturn void cul_sound_end(const char *what);

/* ---- private to sound*.c ---- */

/* The place of a check. */
struct cul_sound_at {
  struct cul_ir *ir;
  MlirOperation op;     /* the checked operation */
  MlirOperation before; /* new operations are inserted before this one */
};
enum cul_sound_kind {
  CUL_SOUND_ENDS,   /* immediate undefined behaviour */
  CUL_SOUND_POISON, /* the result is poison */
  CUL_SOUND_RAISES, /* a floating-point exception is raised */
};
struct cul_sound_rule {
  const char *name; /* of the operation */
  enum cul_sound_kind kind;
  /* Make the condition, i1 or a vector of it; null if it is never true. */
  MlirValue (*bad)(const struct cul_sound_at *at);
  const char *what; /* "by" */
  /* The operand that the message prints, or -1; for RAISES, the exception as a
   * flag of fenv.h. */
  int number;
};
extern const struct cul_sound_rule cul_sound_rules[];  /* name NULL ends */
extern const struct cul_sound_rule cul_sound_bounds[]; /* the same */
extern const struct cul_sound_rule cul_sound_floats[]; /* the same */

/* A constant of the type with all elements equal to number, which must fit. */
MlirValue cul_sound_number(const struct cul_sound_at *at, MlirType type,
                           int64_t number);
/* Make an operation with one result; at most three operands, a null value ends
 * them. */
MlirValue cul_sound_make(const struct cul_sound_at *at, const char *name,
                         MlirType type, const MlirValue operands[3]);
enum cul_sound_order { /* predicates of arith.cmpi */
                       CUL_SOUND_EQ,
                       CUL_SOUND_NE,
                       CUL_SOUND_SLT,
                       CUL_SOUND_UGT = 8,
                       CUL_SOUND_UGE
};
MlirValue cul_sound_compare(const struct cul_sound_at *at,
                            enum cul_sound_order order, MlirValue a,
                            MlirValue b);
/* arith.cmpf with the constant b; predicate: of arith.cmpf. */
MlirValue cul_sound_compare_float(const struct cul_sound_at *at,
                                  int64_t predicate, MlirValue a, double b);
/* The bits of f16, bf16, f32, f64, or of the elements of a vector of them with
 * fixed length; else 0. */
unsigned cul_sound_float_bits(MlirType type);
/* Combine two conditions; cul_sound_or accepts null for "never". */
MlirValue cul_sound_or(const struct cul_sound_at *at, MlirValue a, MlirValue b);
MlirValue cul_sound_and(const struct cul_sound_at *at, MlirValue a,
                        MlirValue b);
/* The element type, or a vector of it in the shape of `shape`. */
MlirType cul_sound_like(MlirType shape, MlirType element);
MlirType cul_sound_element(MlirType type);
/* The bits of a signless integer, 64 for index, or of the elements of a vector
 * of them; 0 for other types, more than 64 bits, or a scalable vector. */
unsigned cul_sound_bits(MlirType type);

#endif
