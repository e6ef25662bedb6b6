/* The decorator around every oracle: failures that show only sometimes.
 *
 * If the original's first runs agree on a failure, the decorator passes all
 * calls through: one run per candidate, as without it.  If they disagree, it
 * measures the original's rate and judges candidates by the sequential test of
 * rate.h or, if the original fails often, by the first fail.  Every run of a
 * candidate is a separate attempt, so its record is cached like any other. */
#ifndef CUL_ORACLES_REPEAT_H
#define CUL_ORACLES_REPEAT_H

#include "numbers/rate.h"
#include "oracle.h"

/* The decorator; its self is made by cul_repeat_new.  Not in list.h, because it
 * cannot be chosen. */
extern const struct cul_oracle cul_repeat;

/* Takes over inner_self: cul_repeat.close closes it.  conf must outlive it.
 * conf->repeat.runs: 0 = auto; N = runs of the original (at least five if they
 * disagree). */
void *cul_repeat_new(const struct cul_oracle *inner, void *inner_self,
                     const struct cul_oracle_conf *conf);

/* The inner_self; borrowed. */
const void *cul_repeat_inner(const void *self);
/* Was the original found flaky?  *rate: its rate; rate may be NULL. */
bool cul_repeat_flaky(const void *self, struct cul_rate *rate);
/* Are candidates judged by their first fail?  The rate of the result must then
 * be verified: cul_rate_kept. */
bool cul_repeat_by_first(const void *self);
enum cul_repeat_demand {
  CUL_DEMAND_ENOUGH, /* one fail where the original fails often, or else: */
  CUL_DEMAND_RATE,   /* the original's rate, by the sequential test */
  CUL_DEMAND_ALWAYS, /* a fail in each of CUL_RATE_OFTEN runs; for an original
                        that always fails */
};
/* The demand on candidates from now on, if the original is flaky or was
 * doubted; at first CUL_DEMAND_ENOUGH. */
void cul_repeat_demand(void *self, enum cul_repeat_demand demand);
/* cul_oracle.take of the inner oracle; takes_more: does it have one? */
bool cul_repeat_takes_more(const void *self);
void cul_repeat_take(void *self, const struct cul_signature *sig);
/* cul_oracle.contrast of the inner oracle; does nothing if it has none. */
void cul_repeat_contrast(void *self, const struct cul_record *record);
/* From now on judge only measures: it ends when a candidate has failed in
 * `fails` runs, after CUL_RATE_RUNS runs, or when its rate is measured.  The
 * answer is SAME if it failed at all, and confidence is the share of failing
 * records. fails 0: judge as before. */
void cul_repeat_measure(void *self, uint32_t fails);
/* The number of further runs that learn may request after these n, of which
 * none failed, if none of them fails either.  *each_us: duration of one run.
 * 0: some run failed, or n is too small to tell. */
uint64_t cul_repeat_may_follow(const void *self,
                               const struct cul_record *records, size_t n,
                               uint64_t *each_us);
/* Later runs contradict the first ones: make the next learn measure the
 * rate. */
void cul_repeat_doubt(void *self);

#endif
