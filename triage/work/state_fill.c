/* Fills in buckets from earlier runs and changes by hand: see state.h. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../table.h"
#include "state.h"

enum { RECENT = 10 /* a bucket is reported as gone in so many runs */ };

struct filling {
  struct cul_state *state;
  struct cul_triage *t;
  struct cul_table *by_id; /* index + 1 */
  int64_t first;           /* the first run in the histories */
  size_t n_runs;           /* number of earlier runs in the histories */
};

static char *copy_of(sqlite3_stmt *row, int column) {
  const char *text = cul_db_text(row, column);
  return *text ? cul_xstrdup(text) : NULL;
}

static size_t *place_of(struct filling *f, int64_t id) {
  struct cul_digest key = {{(uint64_t)id, 0}};
  return cul_table_at(f->by_id, &key, NULL);
}

/* Add a bucket without members in this run. */
static struct cul_bucket *add_bucket(struct filling *f, int64_t id) {
  struct cul_triage *t = f->t;
  struct cul_bucket *bucket;
  size_t known = 0;
  while (known < f->state->n_known && f->state->known[known].id != id)
    known++;
  if (known == f->state->n_known)
    return NULL;
  t->buckets =
      cul_xreallocarray(t->buckets, t->n_buckets + 1, sizeof *t->buckets);
  bucket = &t->buckets[t->n_buckets++];
  *bucket = (struct cul_bucket){.id = id, .state = CUL_BUCKET_GONE};
  bucket->kind = cul_triage_copy_kind(t, &f->state->known[known].kind);
  *place_of(f, id) = t->n_buckets;
  return bucket;
}

static int fill_bucket(void *arg, sqlite3_stmt *row, struct cul_err *err) {
  struct filling *f = arg;
  int64_t id = sqlite3_column_int64(row, 0);
  size_t at = *place_of(f, id);
  int64_t last = sqlite3_column_int64(row, 5);
  bool recent = !f->t->n_unrun && last && last + RECENT >= f->t->run;
  struct cul_bucket *bucket = at       ? &f->t->buckets[at - 1]
                              : recent ? add_bucket(f, id)
                                       : NULL;
  (void)err;
  if (!bucket)
    return 0;
  if (at && !last)
    bucket->state = CUL_BUCKET_NEW; /* from an earlier start of this run */
  bucket->name = copy_of(row, 1);
  bucket->link = copy_of(row, 2);
  bucket->ignored = sqlite3_column_int64(row, 3) != 0;
  bucket->reduced = json_loads(cul_db_text(row, 4), 0, NULL);
  bucket->history = cul_xcalloc(f->n_runs + 1, sizeof *bucket->history);
  bucket->n_history = f->n_runs;
  return 0;
}

static int fill_seen(void *arg, sqlite3_stmt *row, struct cul_err *err) {
  struct filling *f = arg;
  size_t at = *place_of(f, sqlite3_column_int64(row, 1));
  int64_t run = sqlite3_column_int64(row, 0) - f->first;
  (void)err;
  if (at && f->t->buckets[at - 1].history && run >= 0 &&
      (size_t)run < f->n_runs)
    f->t->buckets[at - 1].history[run] = (uint32_t)sqlite3_column_int64(row, 2);
  return 0;
}

/* Did it disappear and come back twice?  Once may be a bug that was fixed and
 * broken again. */
static bool comes_and_goes(const struct cul_bucket *bucket) {
  bool seen = false, missed = false;
  int returns = 0;
  for (size_t i = 0; i <= bucket->n_history; i++) {
    bool here =
        i < bucket->n_history ? bucket->history[i] != 0 : bucket->n_members > 0;
    returns += seen && missed && here;
    missed = seen && !here;
    seen = seen || here;
  }
  return returns >= 2;
}

/* Was it absent in the last run, but present before? */
static bool came_back(const struct cul_bucket *bucket) {
  return bucket->n_history && bucket->history[bucket->n_history - 1] == 0;
}

static int fill_times(void *arg, sqlite3_stmt *row, struct cul_err *err) {
  struct filling *f = arg;
  size_t at = *place_of(f, sqlite3_column_int64(row, 0));
  (void)err;
  if (at) {
    f->t->buckets[at - 1].first_seen = sqlite3_column_int64(row, 1);
    f->t->buckets[at - 1].last_seen = sqlite3_column_int64(row, 2);
  }
  return 0;
}

/* Record this run as the last one in which the buckets occurred. */
static void note_now(struct cul_triage *t) {
  int64_t now = (int64_t)time(NULL);
  for (size_t i = 0; i < t->n_buckets; i++) {
    struct cul_bucket *bucket = &t->buckets[i];
    if (!bucket->n_members)
      continue;
    bucket->first_seen = bucket->first_seen ? bucket->first_seen : now;
    bucket->last_seen = now;
  }
}

/* Find the last run before this one.  An unfinished run with the same logs
 * counts as this one. */
static int find_run(struct cul_db *db, const struct cul_triage *t,
                    int64_t *last) {
  char logs[CUL_DIGEST_HEX];
  int64_t begun = 0;
  int rc =
      cul_db_number(db, 0, last, "SELECT coalesce(max(id), 0) FROM run", "");
  cul_state_logs(t, logs);
  if (rc == 0)
    rc = cul_db_number(db, 0, &begun,
                       "SELECT count(*) FROM run WHERE id = ? AND NOT done AND "
                       "digest = ?",
                       "it", *last, logs);
  *last -= begun;
  return rc;
}

int cul_state_fill(struct cul_state *state, struct cul_triage *t,
                   struct cul_err *err) {
  struct filling f = {.state = state, .t = t};
  struct cul_db *db = &state->db;
  int64_t last = 0;
  int rc;
  if (!state->open)
    return 0;
  db->err = err;
  rc = find_run(db, t, &last);
  t->run = last + 1;
  f.first = last > CUL_STATE_RUNS ? last - CUL_STATE_RUNS + 1 : 1;
  f.n_runs = (size_t)(last - f.first + 1);
  f.by_id = cul_table_new();
  for (size_t i = 0; i < t->n_buckets; i++)
    if (t->buckets[i].id > 0)
      *place_of(&f, t->buckets[i].id) = i + 1;
  if (rc == 0)
    rc =
        cul_db_rows(db, fill_bucket, &f,
                    "SELECT id, name, link, ignored, reduced, (SELECT "
                    "coalesce(max(run), 0) FROM seen WHERE bucket = id AND run "
                    "< ?) FROM bucket WHERE merged_into IS NULL ORDER BY id",
                    "i", t->run);
  if (rc == 0)
    rc = cul_db_rows(db, fill_seen, &f,
                     "SELECT run, bucket, n FROM seen WHERE run >= ?", "i",
                     f.first);
  if (rc == 0)
    rc = cul_db_rows(db, fill_times, &f,
                     "SELECT bucket, min(started), max(started) FROM seen JOIN "
                     "run ON run.id = seen.run WHERE run < ? GROUP BY bucket",
                     "i", t->run);
  for (size_t i = 0; i < t->n_buckets && rc == 0; i++)
    if (t->buckets[i].state == CUL_BUCKET_KNOWN)
      t->buckets[i].state = comes_and_goes(&t->buckets[i]) ? CUL_BUCKET_FLAKY
                            : came_back(&t->buckets[i])    ? CUL_BUCKET_RETURNED
                                                           : CUL_BUCKET_KNOWN;
  note_now(t);
  cul_table_free(f.by_id);
  return rc;
}
