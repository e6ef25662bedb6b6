/* The numbers of a run: its tensors, and what the engine "jit" reports about
 * them. */
#ifndef CUL_ORACLES_NUMBERS_NUMBERS_H
#define CUL_ORACLES_NUMBERS_NUMBERS_H

#include "../../base/run.h"
#include "../../base/tensor/compare.h"
#include "../signature/signature.h"

struct cul_numbers {
  struct cul_tensors tensors;
  struct cul_tensors noise; /* of a run in f64, by tensor name */
  /* the difference that counted roundings explain, by tensor name; empty: they
   * were not counted */
  struct cul_tensors bounds;
  /* of the narrowest type used in the computation; 0: unknown */
  unsigned digits;
  bool exact; /* nothing is rounded in that type, in any order of evaluation */
  char raised[120];  /* floating-point exceptions, in words, ", " between */
  char outside[160]; /* a read out of bounds, within one allocation; or "" */
};

/* Read the tensor files that the run wrote or, if there are none, its standard
 * output.  Errors: EUSAGE; missing numbers are no error. */
CUL_MUST_CHECK int cul_numbers_read(const struct cul_record *record,
                                    struct cul_numbers *out,
                                    struct cul_err *err);
void cul_numbers_release(struct cul_numbers *numbers);

/* Does the run in f64 have an output of a narrower float type where the
 * reference has the same type?  Then the tool demoted it (as iree-compile
 * demotes f64 to f32). */
bool cul_numbers_demoted(const struct cul_tensors *wide,
                         const struct cul_tensors *reference);
/* Does the reference have an element that is not finite, but is finite in
 * f64? */
bool cul_numbers_overflow(const struct cul_tensors *wide,
                          const struct cul_tensors *reference);
/* The first exception that a raises and b does not; NULL: none.  *len: of its
 * name. */
const char *cul_numbers_raises(const char *a, const char *b, size_t *len);
/* The number of seeds with a mismatch; *n: all seeds.  "result[0/1]" belongs to
 * the second seed; other names belong to the only seed. */
size_t cul_numbers_wrong_seeds(const struct cul_outputs *outputs, size_t *n);

/* Describe the mismatch as a signature: which output, how many elements, in
 * what pattern, and the first of them on both sides.  reference: its numbers,
 * where the outputs were compared with others (f64). */
void cul_numbers_say(const struct cul_outputs *outputs,
                     const struct cul_tensors *reference,
                     struct cul_signature *sig);

#endif
