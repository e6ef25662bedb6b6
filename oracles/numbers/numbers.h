/* What a run says in numbers: its tensors, and what the engine "jit" says of
 * them. */
#ifndef CUL_ORACLES_NUMBERS_NUMBERS_H
#define CUL_ORACLES_NUMBERS_NUMBERS_H

#include "../../base/run.h"
#include "../../base/tensor/compare.h"
#include "../signature/signature.h"

struct cul_numbers {
  struct cul_tensors tensors;
  struct cul_tensors noise; /* by the names of tensors; of a run in f64 */
  unsigned digits;  /* of the narrowest type that is computed in; 0: unknown */
  bool exact;       /* in that type nothing is rounded, in any order */
  char raised[120]; /* floating-point exceptions, in words, ", " between */
};

/* Tensor files where the run wrote any, else what it printed.  Errors: EUSAGE;
 * none where there are no numbers. */
CUL_MUST_CHECK int cul_numbers_read(const struct cul_record *record,
                                    struct cul_numbers *out,
                                    struct cul_err *err);
void cul_numbers_release(struct cul_numbers *numbers);

/* The same numbers exactly, NaN included. */
bool cul_numbers_equal(const struct cul_tensors *a,
                       const struct cul_tensors *b);
/* Has the run in f64 a float of a type below f64 where the other has the same?
 * Then the tool went back to that type (iree-compile demotes f64 to f32). */
bool cul_numbers_demoted(const struct cul_tensors *wide,
                         const struct cul_tensors *reference);
/* Has the reference an element that is no finite number, and is one in f64? */
bool cul_numbers_overflow(const struct cul_tensors *wide,
                          const struct cul_tensors *reference);
/* Exceptions that a raises and b does not: the first; NULL: none.  *len: of
 * its name. */
const char *cul_numbers_raises(const char *a, const char *b, size_t *len);
/* For how many of n seeds is something off?  "result[0/1]" is of the second;
 * other names are of the only one. */
size_t cul_numbers_wrong_seeds(const struct cul_outputs *outputs, size_t *n);

/* What is off, as a signature: which output, how much of it, in what pattern.
 */
void cul_numbers_say(const struct cul_outputs *outputs,
                     struct cul_signature *sig);

#endif
