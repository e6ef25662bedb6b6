/* What a module must not do: checks in front of, and behind, the operations
 * that may mean nothing.
 *
 * Undefined behaviour of the moment (a division by zero, an access out of
 * bounds) ends the process.  What is only poison (a shift by too much, a sum
 * that overflows though it says that it does not, a float that the integer
 * cannot hold) becomes a number of cul_sound_set's choice: it may be dropped,
 * as by a select, and does no harm then.  Two choices, two results: the result
 * depends on it.  Floating-point exceptions are raised where compiled code
 * would not, which rounds to f16 and bf16 in software, or has the number at
 * compile time.  Definitions: LangRef, llvm.org; the dialects arith, index
 * and vector, mlir.llvm.org. */
#ifndef CUL_REDUCER_ENGINES_SOUND_SOUND_H
#define CUL_REDUCER_ENGINES_SOUND_SOUND_H

#include "../../subject/ir/ir.h"
#include "../gpu/memory.h"

/* Put checks into every function of the module, where there are none yet;
 * what is of tensors gets none before it is bufferized. */
void cul_sound_check(struct cul_ir *ir);
/* What memref.alloca and globals that nobody has initialised hold is this
 * byte; heap memory is memory.h's. */
void cul_sound_fill(struct cul_ir *ir, unsigned char byte);

/* What the checks call. */
extern const struct cul_jit_symbol cul_sound_symbols[]; /* name NULL ends */
/* Every byte of poison is this one from now on; none has been met. */
void cul_sound_set(unsigned char byte);
/* The poison that was met first since then, in words; NULL: none was. */
const char *cul_sound_met(void);
/* "error: undefined behaviour: WHAT" on standard error; the process ends with
 * CUL_JIT_UNSOUND. */
_Noreturn void cul_sound_end(const char *what);

/* ---- private to sound*.c ---- */

/* Where a check stands. */
struct cul_sound_at {
  struct cul_ir *ir;
  MlirOperation op;     /* that is checked */
  MlirOperation before; /* new operations go in front of this one */
};
enum cul_sound_kind {
  CUL_SOUND_ENDS,   /* it must not be done */
  CUL_SOUND_POISON, /* what it computes is poison */
  CUL_SOUND_RAISES, /* it raises a floating-point exception */
};
struct cul_sound_rule {
  const char *name; /* of the operation */
  enum cul_sound_kind kind;
  /* When does it mean nothing?  i1, or a vector of it; null: never. */
  MlirValue (*bad)(const struct cul_sound_at *at);
  const char *what; /* "by" */
  int number; /* of the operand that is told; -1: none; RAISES: the exception
                 as fenv.h has it */
};
extern const struct cul_sound_rule cul_sound_rules[];  /* name NULL ends */
extern const struct cul_sound_rule cul_sound_bounds[]; /* the same */
extern const struct cul_sound_rule cul_sound_floats[]; /* the same */

/* Numbers of a type that fits, its elements alike; null where the type has
 * none. */
MlirValue cul_sound_number(const struct cul_sound_at *at, MlirType type,
                           int64_t number);
/* An operation of at most three operands (null ends them). */
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
/* arith.cmpf with a number; predicate: arith.cmpf's. */
MlirValue cul_sound_compare_float(const struct cul_sound_at *at,
                                  int64_t predicate, MlirValue a, double b);
/* f16, bf16, f32, f64, or a vector of them whose length is known: bits; else
 * 0. */
unsigned cul_sound_float_bits(MlirType type);
MlirValue cul_sound_or(const struct cul_sound_at *at, MlirValue a, MlirValue b);
MlirValue cul_sound_and(const struct cul_sound_at *at, MlirValue a,
                        MlirValue b);
/* The element's type in the shape of `shape`. */
MlirType cul_sound_like(MlirType shape, MlirType element);
MlirType cul_sound_element(MlirType type);
/* Bits of an integer, 64 of index; 0: neither that nor a vector of them, or of
 * more bits, or of a length that is not known. */
unsigned cul_sound_bits(MlirType type);

#endif
