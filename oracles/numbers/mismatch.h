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

struct scene {
  struct said by[CUL_N_ROLES];
  struct cul_tensors unsound; /* by output of the reference: ui8, as above */
  bool nonfinite;             /* what is NOT_FINITE counts all the same */
  struct cul_outputs outputs; /* of suspect against reference */
};

#endif
