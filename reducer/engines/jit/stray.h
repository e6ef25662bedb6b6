/* Let the numbers of a module in f64 stray as rounding would make them: what
 * its results do then is the effect of rounding.
 *
 * A number that the original rounds moves by about a roundoff of its type, up or
 * down; one that its type holds exactly stays, so that what is whole on the way
 * has no noise.  Inputs and lists of constants are rounded by nobody; but sums
 * within one operation, which round on the way, move with their terms.  So these
 * move, too, where they have more than half the digits of their type: what has
 * fewer is summed exactly. */
#ifndef CUL_REDUCER_ENGINES_JIT_STRAY_H
#define CUL_REDUCER_ENGINES_JIT_STRAY_H

#include "../../subject/ir/ir.h"

/* The values of a module that stray; {0} is empty. */
struct cul_strays {
  struct cul_stray {
    MlirValue value;
    unsigned digits; /* of its type, the leading one included */
  } *items;
  size_t n, cap;
};

/* Is what the operation computes rounded?  Movements are not. */
typedef bool cul_stray_rounds(MlirOperation op);

/* List the values of narrower float types than f64 that an operation rounds, or
 * that a function is called with from outside; the module is as it was given.
 * Left out: what has dynamic dimensions, complex numbers, and operations inside
 * of those that read them as a pattern (the sum of a reduction). */
void cul_strays_find(struct cul_ir *ir, cul_stray_rounds *rounds,
                     struct cul_strays *out);
/* Let them stray, after the module was changed to f64.  way: 1 or more; each
 * chooses other directions. */
void cul_strays_insert(struct cul_ir *ir, const struct cul_strays *strays,
                       unsigned way);
void cul_strays_release(struct cul_strays *strays);

/* Element i of a list of constants of a type with so many digits. */
double cul_stray_constant(double value, unsigned digits, unsigned way,
                          uint64_t i);

#endif
