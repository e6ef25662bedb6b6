/* What a triage remembers: buckets, the keys that lead to them, and the runs
 * in which they were seen.
 *
 * Rules change: then every stored sample is read again, and the keys that it
 * has now lead to its bucket as the old ones do. */
#ifndef CUL_TRIAGE_WORK_STATE_H
#define CUL_TRIAGE_WORK_STATE_H

#include "../db.h"
#include "../triage.h"

enum { CUL_STATE_RUNS = 30 }; /* runs that a history goes back */

/* Open conf->db, or nothing where it is NULL.  See cul_db_open. */
struct cul_state {
  struct cul_db db;
  bool open;
  struct cul_known *known;
  size_t n_known;
  int64_t next_id;
};
CUL_MUST_CHECK int cul_state_open(struct cul_state *state, const char *path,
                                  struct cul_rules *rules, struct cul_err *err);
/* After grouping: names, links, histories and states of the buckets, and those
 * that are gone. */
CUL_MUST_CHECK int cul_state_fill(struct cul_state *state, struct cul_triage *t,
                                  struct cul_err *err);
/* After ordering: this run becomes part of the state, on disk. */
CUL_MUST_CHECK int cul_state_save(struct cul_state *state, struct cul_triage *t,
                                  struct cul_err *err);
/* What the logs of this run are, as hex digits. */
void cul_state_logs(const struct cul_triage *t, char hex[CUL_DIGEST_HEX]);
/* The run has done all that was asked of it.  One that never came so far is
 * gone on with where the same logs are given again: its buckets stay new. */
CUL_MUST_CHECK int cul_state_finish(struct cul_state *state,
                                    const struct cul_triage *t,
                                    struct cul_err *err);
/* The result of work on a bucket, on disk at once. */
CUL_MUST_CHECK int cul_state_save_reduced(struct cul_state *state,
                                          const struct cul_bucket *bucket,
                                          struct cul_err *err);
/* Bucket from becomes part of bucket to, on disk at once. */
CUL_MUST_CHECK int cul_state_merge(struct cul_state *state, int64_t from,
                                   int64_t to, struct cul_err *err);
void cul_state_close(struct cul_state *state);

/* ---- by hand ---- */

enum cul_hand {
  CUL_HAND_MERGE, /* words: buckets that become part of the first */
  CUL_HAND_SPLIT, /* a bucket, then logs of it (patterns): a bucket of theirs */
  CUL_HAND_RENAME,   /* a bucket and its name; "" takes it back */
  CUL_HAND_IGNORE,   /* buckets */
  CUL_HAND_UNIGNORE, /* buckets: no longer ignored */
  CUL_HAND_LINK,     /* a bucket and an URL; "" takes it back */
};
/* Returns 0 and a line for people in out, appended.  Errors: EUSAGE. */
CUL_MUST_CHECK int cul_state_by_hand(const char *path, enum cul_hand what,
                                     const char *const *words, size_t n,
                                     struct cul_buf *out, struct cul_err *err);

#endif
