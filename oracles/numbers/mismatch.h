/* Types of the mismatch oracle.  Private to mismatch*.c. */
#ifndef CUL_ORACLES_NUMBERS_MISMATCH_H
#define CUL_ORACLES_NUMBERS_MISMATCH_H

#include "../oracle.h"
#include "numbers.h"

struct mismatch {
  const struct cul_oracle_conf *conf;
  struct cul_tolerance_conf tolerance;
  struct cul_pattern *ignore[2]; /* text that is not read for numbers */
  size_t n_ignore;
  bool fixed; /* the tolerance is the user's own */
  bool learnt;
  enum cul_error_class class; /* of the original */
  double floor;               /* least severity */
  bool nonfinite;    /* all differing elements of the original are not finite in
                        the reference, nor in f64 */
  char left[400];    /* elements of the original that are not compared; or "" */
  char raised[120];  /* exceptions raised by the original's control */
  size_t seeds;      /* seeds for which the original is wrong */
  bool exact;        /* the original rounds nothing */
  bool counted;      /* the roundings of the original were counted */
  char narrow[240];  /* the reason why there is no reference in f64; or "" */
  bool elsewise;     /* ... because the reference has another result in f64 */
  char warning[120]; /* of the user's tolerance; or "" */
  char unchecked[240]; /* the reason why undefined behaviour of the original is
                          not checked; or "" */
  char outside[160];   /* a read of the original out of bounds, within one
                          allocation; or "" */
  char assumed[160];   /* --assume-defined: the undefined behaviour of the
                          original; or "" */
};

/* The numbers of one run. */
struct said {
  const struct cul_record *record; /* NULL: not run */
  bool read;                       /* numbers were looked for */
  const struct said *suspect;      /* for other roles: the suspect; borrowed */
  bool cut; /* numbers that the suspect ended too early to print were dropped */
  struct cul_numbers numbers;
};

struct scene {
  struct said by[CUL_N_ROLES];
  struct said again; /* the reference, run once more as it is */
  /* one ui8 tensor per output of the reference, which marks the elements that
   * do not count (enum cul_unsound) */
  struct cul_tensors unsound;
  bool nonfinite; /* elements that are NOT_FINITE count nevertheless */
  struct cul_outputs outputs; /* of suspect against reference */
};

#endif
