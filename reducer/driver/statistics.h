/* Statistics of one mutation over a job. */
#ifndef CUL_REDUCER_DRIVER_STATISTICS_H
#define CUL_REDUCER_DRIVER_STATISTICS_H

#include "../../base/digest.h"

/* The kinds of search for which a revision is recorded on which the mutation
 * found nothing: a search that may be left early, one that tries every site,
 * one by numbers. */
enum cul_fruitless {
  CUL_FRUITLESS_DELTA,
  CUL_FRUITLESS_MINIMAL,
  CUL_FRUITLESS_NUMBERS,
  CUL_N_FRUITLESS
};

/* What its searches for cuts and of delta debugging took. */
struct cul_effort {
  uint64_t answers[2]; /* to searches without a result, and with one */
  uint64_t tried_at;   /* operations of the subject when it was last searched */
  size_t passed; /* where the next search by single sites begins: behind so many
                    that have just failed (struct cul_search_limits) */
};

struct cul_statistics {
  char name[48];
  uint32_t kinds, phase, flags; /* of the mutation */
  uint64_t sites, tried, invalid, accepted, ops_removed;
  uint64_t round_removed; /* operations removed in the present round */
  uint64_t round_sites;
  bool left_some;        /* a search ended without giving up; see left */
  size_t left;           /* sites that this search could not remove */
  unsigned unproductive; /* searches in a row that were left early without a
                            result */
  bool is_fine;          /* what it accepted last began at single sites */
  bool is_singly;        /* its sites go one at a time only, until several go
                            at once: it comes last */
  struct cul_effort effort;
  uint64_t last_asked, last_yes; /* points whose "yes" would end the search, and
                                    those that were a "yes" */
  struct cul_digest grown;       /* last revision tried as a growing edit */
  bool dead; /* excluded by the user, or its listing killed the worker */
  struct cul_digest fruitless[CUL_N_FRUITLESS]; /* the last such revision */
  uint32_t searched; /* bits, 1 << kind: such a search once ran to its end */
  uint64_t points[CUL_N_FRUITLESS]; /* asked by the last such search */
  uint64_t skipped;                 /* searches that the user ended early */
};

#endif
