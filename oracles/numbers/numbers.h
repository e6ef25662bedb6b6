/* The numbers of a run: its tensors, and what the engine "jit" reports about
 * them. */
#ifndef CUL_ORACLES_NUMBERS_NUMBERS_H
#define CUL_ORACLES_NUMBERS_NUMBERS_H

#include "../../base/run.h"
#include "../../base/tensor/compare.h"

struct cul_numbers {
  struct cul_tensors tensors;
  struct cul_tensors noise; /* of a run in f64, by tensor name */
  /* the difference that counted roundings explain, by tensor name; empty: they
   * were not counted */
  struct cul_tensors bounds;
  /* of the narrowest type used in the computation; 0: unknown */
  unsigned digits;
  bool exact; /* nothing is rounded in that type, in any order of evaluation */
  char unchanged[120]; /* why the run in f64 computed nothing in f64; or "" */
  char raised[120];    /* floating-point exceptions, in words, ", " between */
  char outside[160];   /* a read out of bounds, within one allocation; or "" */
};

/* Read the tensor files that the run wrote or, if there are none, its standard
 * output.  Errors: EUSAGE; missing numbers are no error. */
CUL_MUST_CHECK int cul_numbers_read(const struct cul_record *record,
                                    struct cul_numbers *out,
                                    struct cul_err *err);
void cul_numbers_release(struct cul_numbers *numbers);

/* Does the reference have an element that is not finite, but is finite in
 * f64? */
bool cul_numbers_overflow(const struct cul_tensors *wide,
                          const struct cul_tensors *reference);

#endif
