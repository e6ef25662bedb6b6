/* The mismatch oracle's parts.  Private to mismatch*.c. */
#ifndef CUL_ORACLES_MISMATCH_H
#define CUL_ORACLES_MISMATCH_H

#include "numbers.h"
#include "oracle.h"

struct mismatch {
  const struct cul_oracle_conf *conf;
  struct cul_tolerance_conf tolerance;
  bool fixed; /* the tolerance is the user's own */
  bool learnt;
  enum cul_error_class class; /* of the original */
  double floor;               /* least severity */
  bool nonfinite;             /* the original's reference is */
  char raised[120];           /* by the original's control */
  size_t seeds;               /* for which the original is wrong */
  bool exact;                 /* nothing is rounded in it */
  char narrow[120];           /* why there is no reference in f64; or "" */
  char warning[120];          /* of the user's tolerance; or "" */
  char unchecked[120];        /* why nothing says that it is defined; or "" */
};

/* What one run said. */
struct said {
  const struct cul_record *record; /* NULL: it has not run */
  struct cul_numbers numbers;
};

struct scene {
  struct said by[CUL_N_ROLES];
  struct cul_outputs outputs; /* of suspect against reference */
};

static inline const struct cul_tensors *
cul_mismatch_tensors(const struct scene *scene, enum cul_run_role role) {
  return &scene->by[role].numbers.tensors;
}

/* True where the run's tensors can be judged; else verdict says why not. */
bool cul_mismatch_take(const struct mismatch *mismatch, struct said *said,
                       const char *who, struct cul_verdict *verdict);
/* The same; one that fails makes the candidate no other failure. */
bool cul_mismatch_take_other(const struct mismatch *mismatch, struct said *said,
                             const char *who, struct cul_verdict *verdict);
void cul_mismatch_ask(struct cul_wants *more, enum cul_run_role role);
/* Are all tensors of `got` within the bound of those of `want`? */
bool cul_mismatch_within(const struct scene *scene, enum cul_run_role got,
                         enum cul_run_role want,
                         const struct cul_tolerance_conf *bound);

/* Has the reference numbers that are none, which in f64 are some?  Then
 * another order of its sums may have others.  verdict says so. */
bool cul_mismatch_overflows(const struct scene *scene,
                            struct cul_verdict *verdict);
/* What the suspect computes depends on memory that nobody wrote, and the
 * reference does not: then that is what is wrong with it.  (A suspect that is
 * right by chance tells nothing of memory.) */
bool cul_mismatch_unwritten(const struct mismatch *mismatch,
                            struct scene *scene);
/* Does the reference mean anything?  False: a run is wanted first, or verdict
 * says why not. */
bool cul_mismatch_sane(const struct mismatch *mismatch, struct scene *scene,
                       struct cul_wants *more, struct cul_verdict *verdict);
/* The floating-point exceptions of the reference, in words, ", " between. */
const char *cul_mismatch_raised(const struct scene *scene);
/* Of the original: why could nobody tell whether it means anything; "" where
 * somebody could. */
void cul_mismatch_unchecked(const struct scene *scene, char *out, size_t size);

#endif
