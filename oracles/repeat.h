/* The decorator around every oracle: failures that show only sometimes.
 *
 * Where the original's first runs agree on a failure, it hands everything
 * through: one run per candidate, none more than without it.  Where they
 * disagree, the original's rate is measured, and candidates are judged by
 * the sequential test of rate.h, or, where it fails often, by the first fail;
 * every run of a candidate is an attempt of its own, so its record is kept
 * like any other. */
#ifndef CUL_ORACLES_REPEAT_H
#define CUL_ORACLES_REPEAT_H

#include "numbers/rate.h"
#include "oracle.h"

/* The decorator; its self is made by cul_repeat_new.  Not in list.h: nobody
 * chooses it. */
extern const struct cul_oracle cul_repeat;

/* Takes inner_self over: cul_repeat.close closes it.
 * conf outlives it.  conf->repeat.runs: 0 = auto; N = runs of the original
 * (five at least where they disagree). */
void *cul_repeat_new(const struct cul_oracle *inner, void *inner_self,
                     const struct cul_oracle_conf *conf);

/* The self that was taken; borrowed. */
const void *cul_repeat_inner(const void *self);
/* The original has been found flaky; *rate: its rate.  rate may be NULL. */
bool cul_repeat_flaky(const void *self, struct cul_rate *rate);
/* Are candidates judged by their first fail?  The rate of what is found is
 * then to be proven: cul_rate_kept. */
bool cul_repeat_by_first(const void *self);
/* From now on they are not, however often the original fails. */
void cul_repeat_be_strict(void *self);
/* cul_oracle.take of the oracle inside; takes_more: it has one. */
bool cul_repeat_takes_more(const void *self);
void cul_repeat_take(void *self, const struct cul_signature *sig);
/* cul_oracle.contrast of the oracle inside; nothing where it has none. */
void cul_repeat_contrast(void *self, const struct cul_record *record);
/* From now on judge only counts, until a candidate has shown the failure in
 * `fails` runs, CUL_RATE_RUNS are had or its rate is measured: SAME where it
 * showed it at all, and confidence is the share of the records.  0: judge as
 * before. */
void cul_repeat_measure(void *self, uint32_t fails);
/* How many runs more learn may ask for after these n, of which none failed,
 * where none fails; again: and then as many of another kind, from the first on.
 * *each_us: what one takes.  0: one failed, or there are too few to tell. */
uint64_t cul_repeat_may_follow(const void *self,
                               const struct cul_record *records, size_t n,
                               bool again, uint64_t *each_us);
/* Later runs contradict the first: the next learn measures the rate. */
void cul_repeat_doubt(void *self);

#endif
