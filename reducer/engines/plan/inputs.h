/* Generated values for the arguments of the entry function. */
#ifndef CUL_REDUCER_ENGINES_PLAN_INPUTS_H
#define CUL_REDUCER_ENGINES_PLAN_INPUTS_H

#include "../../../base/tensor/tensor.h"

enum cul_input_kind {
  /* -4 to 4 without 0; unsigned 1 to 8; fewer in narrow types */
  CUL_INPUTS_INTEGERS,
  CUL_INPUTS_REALS,    /* floats: uniform in [-1, 1); integers as above */
  CUL_INPUTS_POSITIVE, /* floats: uniform in [0.5, 1.5); integers 1 to 8 */
};

/* Parse "integers", "reals" or "positive"; false: it is none of them. */
bool cul_input_kind_parse(const char *name, enum cul_input_kind *out);

/* A hash of x, uniform over 64 bits: one step of Vigna's SplitMix64. */
uint64_t cul_inputs_mix(uint64_t x);

/* Fill the tensor for argument number `argument` of the function.  An element
 * depends only on seed, argument and its index, so the elements left keep their
 * values when a dimension shrinks. */
void cul_inputs_fill(enum cul_input_kind kind, uint64_t seed, uint64_t argument,
                     struct cul_tensor *tensor);

#endif
