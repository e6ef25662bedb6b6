/* What the steps of the work on buckets share; inside this folder only. */
#ifndef CUL_TRIAGE_WORK_WORK_PRIVATE_H
#define CUL_TRIAGE_WORK_WORK_PRIVATE_H

#include "work.h"

/* What was done to reduce one bucket, for another. */
struct cul_lesson {
  json_t *reduced; /* a reference of its own; NULL = there is none */
  int64_t id;      /* of that bucket */
};

/* One step, over all members or buckets; a worker has a copy of its own. */
struct cul_work {
  struct cul_triage *t;
  struct cul_state *state;
  const struct cul_triage_say *say;
  size_t *items; /* by job: index of a member or bucket */
  size_t n;
  struct cul_lesson *lessons; /* by job; NULL = no step that has some */
  json_t *said;               /* in a worker: its lines, for later */
  struct cul_lesson lesson;   /* the same: of its job */
};

/* A line about a bucket. */
void cul_work_say(const struct cul_work *w, const struct cul_bucket *bucket,
                  const char *fmt, ...) CUL_PRINTF(3, 4);
/* check.c: run a member again, where that was not done and can be. */
CUL_MUST_CHECK int cul_work_check(const struct cul_triage *t,
                                  struct cul_member *member,
                                  uint64_t deadline_us, struct cul_err *err);

/* sibling.c: the same request, maybe to another version of the program. */
bool cul_request_same(const json_t *a, const json_t *b);
/* The same message and pass: what reduces the case of one is likely to reduce
 * the other's.  Where neither says anything, the same request as well. */
bool cul_bucket_siblings(const struct cul_triage *t, const struct cul_bucket *a,
                         const struct cul_bucket *b);
/* What is known of how bucket, else a sibling, was reduced; of several the one
 * of the same request, then of the lowest number. */
struct cul_lesson cul_lesson_for(const struct cul_triage *t,
                                 const struct cul_bucket *bucket);

/* reduce.c: the smallest member that fails the same each time, until one of
 * them can be reduced or the budget is spent: fills bucket->reduced.
 * Errors: EINTR. */
CUL_MUST_CHECK int cul_work_reduce(struct cul_work *w,
                                   struct cul_bucket *bucket,
                                   struct cul_err *err);
/* What an earlier run found stands: it was finished, or had as much to spend.
 */
bool cul_work_is_reduced(const struct cul_triage *t,
                         const struct cul_bucket *bucket);
/* The result of an earlier run, as a file of this report.  Errors: EENV. */
CUL_MUST_CHECK int cul_work_keep_reduced(const struct cul_work *w,
                                         struct cul_bucket *bucket,
                                         struct cul_err *err);

/* confirm.c: buckets that are one bug become one, see there.  Errors: EINTR,
 * EENV. */
CUL_MUST_CHECK int cul_work_confirm(struct cul_work *w, size_t *n_merged,
                                    struct cul_err *err);
/* join.c: all of b into a, in state as well; b is empty then.  why: heads the
 * reasons of b's members. */
CUL_MUST_CHECK int cul_work_join(struct cul_work *w, struct cul_bucket *a,
                                 struct cul_bucket *b, const char *why,
                                 struct cul_err *err);

#endif
