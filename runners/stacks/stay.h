/* Where a run stays: sets of functions that are on the stack in all samples
 * from one moment on.  Plain data; no process is looked at. */
#ifndef CUL_RUNNERS_STACKS_STAY_H
#define CUL_RUNNERS_STACKS_STAY_H

#include <stddef.h>

#include "../../base/stay.h"

/* The functions of one sample, of all its tasks together. */
struct cul_stay_sample {
  uint64_t at_us; /* since the start, without time held up by other load */
  bool waiting;   /* no task could run */
  bool many;      /* several tasks ran */
  bool whole;     /* every stack was unwound */
  size_t n;
  uint64_t places[CUL_STAY_MOST_FRAMES]; /* distinct, innermost first */
};

/* Add the places of one stack; those that do not fit are left out. */
void cul_stay_sample_add(struct cul_stay_sample *sample, const uint64_t *places,
                         size_t n);

/* Where did the run stay, from these samples of the whole of it, in order?  The
 * second half tells.  out->n is 0 where the samples have nothing in common, are
 * fewer than eight, or too many are not whole; of waiting and computing ones
 * only those count that are more. */
void cul_stay_learn(const struct cul_stay_sample *samples, size_t n,
                    struct cul_stay *out);
/* Keep in `stay` what it has in common with another run's. */
void cul_stay_merge(struct cul_stay *stay, const struct cul_stay *other);

/* A run that is compared with a stay while it goes on; {0} at first. */
struct cul_stay_match {
  size_t n, partial;             /* samples of the present stay */
  uint64_t since_us, last_us;    /* its first and last one */
  uint64_t longest_us;           /* stay so far */
  struct cul_stay_sample common; /* what those samples have in common */
};

/* Take the next sample. */
void cul_stay_follow(struct cul_stay_match *match,
                     const struct cul_stay_wish *wish,
                     const struct cul_stay_sample *sample);
/* Has the run settled: is it past after_us, has it stayed for settled_us in all
 * functions of the stay, and (where one task ran) in no other one that is
 * further in?  The latter: a run that stays in one callee of the loop is not in
 * the loop. */
bool cul_stay_is_settled(const struct cul_stay_match *match,
                         const struct cul_stay_wish *wish);

#endif
