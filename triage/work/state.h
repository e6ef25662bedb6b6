/* The stored state of a triage: buckets, their keys, and the runs in which they
 * were seen.
 *
 * When rules change, every stored sample is read again, and its new keys are
 * added to its bucket's old ones. */
#ifndef CUL_TRIAGE_WORK_STATE_H
#define CUL_TRIAGE_WORK_STATE_H

#include "../db.h"
#include "../triage.h"

enum { CUL_STATE_RUNS = 30 }; /* length of a history, runs */

/* Open the database at path; nothing if it is NULL.  See cul_db_open. */
struct cul_state {
  struct cul_db db;
  bool open;
  struct cul_known *known;
  size_t n_known;
  int64_t next_id;
};
CUL_MUST_CHECK int cul_state_open(struct cul_state *state, const char *path,
                                  struct cul_rules *rules, struct cul_err *err);
/* After grouping: fill in names, links, histories and states of the buckets,
 * and add those that are gone. */
CUL_MUST_CHECK int cul_state_fill(struct cul_state *state, struct cul_triage *t,
                                  struct cul_err *err);
/* After ordering: save this run as part of the state, on disk. */
CUL_MUST_CHECK int cul_state_save(struct cul_state *state, struct cul_triage *t,
                                  struct cul_err *err);
/* Mark the run as complete.  A run that was not completed is continued when the
 * same logs are given again: its buckets stay new. */
CUL_MUST_CHECK int cul_state_finish(struct cul_state *state,
                                    const struct cul_triage *t,
                                    struct cul_err *err);
/* Save the result of work on a bucket, on disk at once. */
CUL_MUST_CHECK int cul_state_save_reduced(struct cul_state *state,
                                          const struct cul_bucket *bucket,
                                          struct cul_err *err);
/* Merge bucket from into bucket to, on disk at once. */
CUL_MUST_CHECK int cul_state_merge(struct cul_state *state, int64_t from,
                                   int64_t to, struct cul_err *err);
void cul_state_close(struct cul_state *state);

/* ---- by hand ---- */

enum cul_hand {
  CUL_HAND_MERGE,   /* words: buckets that become part of the first */
  CUL_HAND_UNMERGE, /* buckets that were merged: each is one again */
  CUL_HAND_SPLIT,   /* a bucket, then logs of it (patterns), which get their own
                       bucket */
  CUL_HAND_RENAME,  /* a bucket and its name; "" removes the name */
  CUL_HAND_IGNORE,  /* buckets */
  CUL_HAND_UNIGNORE, /* buckets: no longer ignored */
  CUL_HAND_LINK,     /* a bucket and a URL; "" removes the link */
};
/* Apply a change by hand.  Returns 0 and appends a line for people to out.
 * Errors: EUSAGE. */
CUL_MUST_CHECK int cul_state_by_hand(const char *path, enum cul_hand what,
                                     const char *const *words, size_t n,
                                     struct cul_buf *out, struct cul_err *err);

#endif
