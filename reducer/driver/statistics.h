/* What is known of one mutation over a job. */
#ifndef CUL_REDUCER_DRIVER_STATISTICS_H
#define CUL_REDUCER_DRIVER_STATISTICS_H

#include "../../base/digest.h"

/* On which revision it found nothing: as one that is left early, as one of
 * which every site is tried, by numbers. */
enum cul_fruitless {
  CUL_FRUITLESS_DELTA,
  CUL_FRUITLESS_MINIMAL,
  CUL_FRUITLESS_NUMBERS,
  CUL_N_FRUITLESS
};

struct cul_statistics {
  char name[48];
  uint32_t kinds, phase, flags; /* of the mutation */
  uint64_t sites, tried, invalid, accepted, ops_removed;
  uint64_t round_removed; /* operations in the present round */
  uint64_t round_sites;
  bool left_some;                /* it was searched to the end ... */
  size_t left;                   /* ... and so many sites could not go */
  uint64_t last_asked, last_yes; /* points that end its search by a "yes" */
  struct cul_digest grown; /* last revision it was tried on as a growing edit */
  bool dead; /* left out on demand, or its listing killed the worker */
  struct cul_digest fruitless[CUL_N_FRUITLESS]; /* the last such revision */
  uint32_t searched; /* bits, 1 << kind: to its end, at some time; by then */
  uint64_t points[CUL_N_FRUITLESS]; /* were asked, the last time */
  uint64_t skipped;                 /* searches that were left on demand */
};

#endif
