/* Changes a module to f64: it then computes the result without rounding to
 * narrower types. */
#ifndef CUL_REDUCER_ENGINES_JIT_WIDEN_H
#define CUL_REDUCER_ENGINES_JIT_WIDEN_H

#include "../../subject/ir/ir.h"

struct cul_widened {
  /* significant bits of the narrowest float type of the original, the leading
   * one included; 53 without one */
  unsigned digits;
  /* Roundoff of the narrowest type in which the original computes, conversions
   * to narrower types in loops included; 0: it computes no floats. */
  double computed;
  /* The addition to the relative error by all other conversions to narrower
   * types, which an element passes once each. */
  double converted;
};

/* Change every float type of the module to f64, in values, signatures and
 * attributes; drop conversions between float types; call the runtime's print
 * functions for f64.  stray: 0, or numbers stray as
 * rounding would make them, each number of it in other directions.  Errors:
 * EUSAGE if the module would mean something else: the bits of a float are read
 * as another type, or the result does not verify. */
CUL_MUST_CHECK int cul_widen(struct cul_ir *ir, unsigned stray,
                             struct cul_widened *out, struct cul_err *err);

#endif
