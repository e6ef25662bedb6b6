/* A change of a module to f64, after which it computes without rounding to
 * narrower types. */
#ifndef CUL_REDUCER_ENGINES_JIT_WIDEN_H
#define CUL_REDUCER_ENGINES_JIT_WIDEN_H

#include "../../subject/ir/ir.h"

struct cul_widened {
  /* Significant bits of the narrowest float type of the original, including the
   * leading one; 53 without such a type. */
  unsigned digits;
  /* Roundoff of the narrowest type in which the original computes, conversions
   * to narrower types in loops included; 0: it computes no floats. */
  double computed;
  /* The relative error that all other conversions to narrower types add; each
   * element passes each of them once. */
  double converted;
};

/* Change every float type of the module to f64, in values, signatures and
 * attributes; drop conversions between float types; call the runtime's print
 * functions for f64.  stray: move numbers as rounding would, in directions that
 * depend on stray; 0: move none.  Errors: EUSAGE if that changes the meaning:
 * the module reads the bits of a float as another type, or the result does not
 * verify. */
CUL_MUST_CHECK int cul_widen(struct cul_ir *ir, unsigned stray,
                             struct cul_widened *out, struct cul_err *err);

#endif
