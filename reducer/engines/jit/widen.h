/* A module in f64: what it would compute if nothing were rounded to a
 * narrower type on the way. */
#ifndef CUL_REDUCER_ENGINES_JIT_WIDEN_H
#define CUL_REDUCER_ENGINES_JIT_WIDEN_H

#include "../../subject/ir/ir.h"

struct cul_widened {
  unsigned digits; /* bits of fraction, the leading one too, of the narrowest
                      float type there was; 53 where there was none */
};

/* Every float type of the module becomes f64, in values, signatures and
 * attributes; conversions between float types go; the runtime's functions that
 * print floats become those that print f64.  Errors: EUSAGE where that is not
 * what the module would mean: bits of a float are read as something else, or
 * the result does not verify. */
CUL_MUST_CHECK int cul_widen(struct cul_ir *ir, struct cul_widened *out,
                             struct cul_err *err);

#endif
