/* The mismatch oracle's parts.  Private to mismatch*.c. */
#ifndef CUL_ORACLES_NUMBERS_MISMATCH_H
#define CUL_ORACLES_NUMBERS_MISMATCH_H

#include "../oracle.h"
#include "numbers.h"

struct mismatch {
  const struct cul_oracle_conf *conf;
  struct cul_tolerance_conf tolerance;
  bool fixed; /* the tolerance is the user's own */
  bool learnt;
  enum cul_error_class class; /* of the original */
  double floor;               /* least severity */
  bool nonfinite;    /* all that differs in the original is no finite number in
                        the reference, and none in f64 */
  char left[400];    /* of the original: what is not compared; or "" */
  char raised[120];  /* by the original's control */
  size_t seeds;      /* for which the original is wrong */
  bool exact;        /* nothing is rounded in it */
  char narrow[120];  /* why there is no reference in f64; or "" */
  bool elsewise;     /* ... for what differs is something else there */
  char warning[120]; /* of the user's tolerance; or "" */
  char unchecked[120]; /* why nothing says that it is defined; or "" */
};

/* What one run said. */
struct said {
  const struct cul_record *record; /* NULL: it has not run */
  struct cul_numbers numbers;
};

/* Why an element of the reference is no measure. */
enum cul_unsound {
  CUL_SOUND,
  CUL_NOT_FINITE, /* NaN or infinite, in f64 too (or nobody knows) */
  CUL_OVERFLOWS,  /* NaN or infinite, and a number in f64 */
  CUL_ELSEWISE,   /* a number, but another than in f64 */
  CUL_AT_EDGE,    /* rounding decides whether it overflows, and the suspect's
                     does */
  CUL_N_UNSOUND
};

struct scene {
  struct said by[CUL_N_ROLES];
  struct cul_tensors unsound; /* by output of the reference: ui8, as above */
  bool nonfinite;             /* what is NOT_FINITE counts all the same */
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

/* Is the suspect measured by the reference's run in f64? */
bool cul_mismatch_is_wide(const struct mismatch *mismatch,
                          const struct scene *scene);
/* What numbers are compared by that were not proven exact; scene is borrowed.
 */
struct cul_tolerance_conf cul_mismatch_bound(const struct mismatch *mismatch,
                                             const struct scene *scene);
/* Fill scene->unsound.  False: the run in f64 has other outputs. */
bool cul_mismatch_mark(const struct mismatch *mismatch, struct scene *scene);
/* What is NOT_FINITE counts from now on; false: nothing is. */
bool cul_mismatch_count_nonfinite(struct scene *scene);
/* Does the suspect differ where the reference is unsound?  differs: by why, or
 * NULL; out: appended, "3 of 12 elements of lines[0] overflow in the
 * reference". */
bool cul_mismatch_differs_unsound(const struct mismatch *mismatch,
                                  const struct scene *scene,
                                  bool differs[CUL_N_UNSOUND],
                                  struct cul_buf *out);
/* The same of all elements that are unsound, each with "; " before it and
 * "and are not compared" behind. */
void cul_mismatch_say_left(const struct scene *scene, struct cul_buf *out);
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
