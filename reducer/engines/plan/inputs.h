/* Values for the arguments of a function under test. */
#ifndef CUL_REDUCER_ENGINES_PLAN_INPUTS_H
#define CUL_REDUCER_ENGINES_PLAN_INPUTS_H

#include "../../../base/tensor/tensor.h"

enum cul_input_kind {
  CUL_INPUTS_INTEGERS, /* -4 to 4 without 0; unsigned 1 to 8 */
  CUL_INPUTS_REALS,    /* floats: evenly in [-1, 1); integers as above */
  CUL_INPUTS_POSITIVE, /* floats: evenly in [0.5, 1.5); integers 1 to 8 */
};

/* "integers", "reals", "positive".  False where it is none. */
bool cul_input_kind_parse(const char *name, enum cul_input_kind *out);

/* Numbers that follow from x alone, all of them alike likely: Vigna's
 * SplitMix64, one step. */
uint64_t cul_inputs_mix(uint64_t x);

/* Fill the tensor, argument number `argument` of the function.  An element is
 * a function of seed, argument and its index alone: where a dimension is made
 * smaller, what is left keeps its values. */
void cul_inputs_fill(enum cul_input_kind kind, uint64_t seed, uint64_t argument,
                     struct cul_tensor *tensor);

#endif
