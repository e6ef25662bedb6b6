/* Changes of buckets by hand: merge, unmerge, split, rename, ignore, link. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "state.h"

struct hand {
  struct cul_db db;
  const char *const *words;
  size_t n;
  struct cul_buf *out;
  struct cul_err *err;
};

/* Parse "B12" or "12", the number of an existing bucket.  For a merged bucket,
 * *id is the bucket into which it was merged. */
static int parse_bucket(struct hand *h, const char *word, int64_t *id) {
  char *end;
  const char *digits = *word == 'B' || *word == 'b' ? word + 1 : word;
  int64_t found = 0, into = 0;
  int rc;
  *id = strtoll(digits, &end, 10);
  if (!*digits || *end || *id < 1)
    return cul_fail(h->err, CUL_EUSAGE, "buckets are called B1, B2 ...",
                    "\"%s\" is not a bucket", word);
  rc = cul_db_number(&h->db, 0, &found, "SELECT id FROM bucket WHERE id = ?",
                     "i", *id);
  if (rc == 0 && !found)
    return cul_fail(h->err, CUL_EUSAGE, "see the report of the last triage",
                    "%s has no bucket %s", h->db.path, word);
  if (rc == 0)
    rc = cul_db_number(&h->db, 0, &into,
                       "SELECT coalesce(merged_into, 0) FROM bucket WHERE id "
                       "= ?",
                       "i", *id);
  if (rc == 0 && into)
    return cul_fail(h->err, CUL_EUSAGE, "name that one",
                    "%s was merged into B%lld", word, (long long)into);
  return rc;
}

static int need(struct hand *h, size_t n, const char *usage) {
  return h->n >= n ? 0
                   : cul_fail(h->err, CUL_EUSAGE, usage, "%s is missing",
                              n == 1 ? "a bucket" : "a word");
}

/* Move everything of bucket `from` to bucket `to`. */
static int move_all(struct cul_db *db, int64_t from, int64_t to) {
  static const char *const steps[] = {
      "INSERT INTO merged SELECT key, ?1 FROM key WHERE bucket = ?1 AND level "
      "= 2 AND ?2",
      "UPDATE key SET bucket = ?2, level = CASE level WHEN 2 THEN 4 ELSE level "
      "END WHERE bucket = ?1",
      "UPDATE member SET bucket = ?2 WHERE bucket = ?1",
      ("INSERT INTO seen SELECT run, ?2, n FROM seen WHERE bucket = ?1 "
       "ON CONFLICT DO UPDATE SET n = n + excluded.n"),
      "DELETE FROM seen WHERE bucket = ?1 AND ?2",
      "UPDATE bucket SET merged_into = ?2 WHERE id = ?1 OR merged_into = ?1"};
  int rc = 0;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(steps) && rc == 0; i++)
    rc = cul_db_run(db, steps[i], "ii", from, to);
  return rc;
}

int cul_state_merge(struct cul_state *state, int64_t from, int64_t to,
                    struct cul_err *err) {
  int rc;
  if (!state->open)
    return 0;
  state->db.err = err;
  rc = move_all(&state->db, from, to);
  return rc ? rc : cul_db_commit(&state->db);
}

static int merge(struct hand *h) {
  int64_t to = 0, from = 0;
  int rc = need(h, 2, "culprit triage merge --db FILE B1 B2...");
  if (rc == 0)
    rc = parse_bucket(h, h->words[0], &to);
  for (size_t i = 1; i < h->n && rc == 0; i++) {
    rc = parse_bucket(h, h->words[i], &from);
    if (rc == 0 && from == to)
      rc = cul_fail(h->err, CUL_EUSAGE, "name two different ones",
                    "%s cannot be merged into itself", h->words[i]);
    if (rc == 0)
      rc = move_all(&h->db, from, to);
    if (rc == 0)
      cul_buf_addf(h->out, "B%lld is part of B%lld now\n", (long long)from,
                   (long long)to);
  }
  return rc;
}

/* ---- unmerge ---- */

/* Parse the number of a bucket that was merged.  *into: the bucket into which
 * it was merged. */
static int parse_merged(struct hand *h, const char *word, int64_t *id,
                        int64_t *into) {
  const char *digits = *word == 'B' || *word == 'b' ? word + 1 : word;
  char *end;
  int rc;
  *id = strtoll(digits, &end, 10);
  if (!*digits || *end || *id < 1)
    return cul_fail(h->err, CUL_EUSAGE, "buckets are called B1, B2 ...",
                    "\"%s\" is not a bucket", word);
  rc = cul_db_number(&h->db, 0, into,
                     "SELECT coalesce(merged_into, 0) FROM bucket WHERE id = ?",
                     "i", *id);
  if (rc == 0 && !*into)
    rc = cul_fail(h->err, CUL_EUSAGE, "name one that was merged",
                  "bucket %s is not part of another one", word);
  return rc;
}

/* Map the keys of the merged bucket to itself again.  Its members move in the
 * next run. */
static int unmerge(struct hand *h) {
  static const char *const steps[] = {
      "UPDATE key SET bucket = ?1, level = 2 WHERE bucket = ?2 AND level = 4 "
      "AND key IN (SELECT key FROM merged WHERE bucket = ?1)",
      "UPDATE member SET bucket = ?1 WHERE bucket = ?2 AND key3 IN (SELECT "
      "key3 FROM key WHERE bucket = ?1)",
      "INSERT OR IGNORE INTO seen SELECT run, ?1, 1 FROM seen WHERE bucket = "
      "?2", /* the dates are only known for both together */
      "UPDATE bucket SET merged_into = NULL WHERE id = ?1 AND ?2",
      "DELETE FROM merged WHERE bucket = ?1 AND ?2"};
  int rc = need(h, 1, "culprit triage unmerge --db FILE B2...");
  for (size_t i = 0; i < h->n && rc == 0; i++) {
    int64_t id = 0, into = 0;
    rc = parse_merged(h, h->words[i], &id, &into);
    for (size_t k = 0; k < CUL_ARRAY_SIZE(steps) && rc == 0; k++)
      rc = cul_db_run(&h->db, steps[k], "ii", id, into);
    if (rc == 0)
      cul_buf_addf(h->out, "B%lld is no longer a part of B%lld\n",
                   (long long)id, (long long)into);
  }
  return rc;
}

/* ---- split ---- */

struct row {
  char *log, *test, key3[CUL_DIGEST_HEX], key2[CUL_DIGEST_HEX];
  bool chosen;
};

struct rows {
  struct row *items;
  size_t n;
};

static int add_row(void *arg, sqlite3_stmt *stmt, struct cul_err *err) {
  struct rows *rows = arg;
  struct row *row;
  (void)err;
  rows->items =
      cul_xreallocarray(rows->items, rows->n + 1, sizeof *rows->items);
  row = &rows->items[rows->n++];
  *row = (struct row){.log = cul_xstrdup(cul_db_text(stmt, 0)),
                      .test = cul_xstrdup(cul_db_text(stmt, 1))};
  memcpy(row->key3, cul_db_text(stmt, 2), CUL_DIGEST_HEX - 1);
  memcpy(row->key2, cul_db_text(stmt, 3), CUL_DIGEST_HEX - 1);
  return 0;
}

static void free_rows(struct rows *rows) {
  for (size_t i = 0; i < rows->n; i++) {
    free(rows->items[i].log);
    free(rows->items[i].test);
  }
  free(rows->items);
}

static int choose(struct hand *h, struct rows *rows, const char *pattern) {
  size_t n = 0;
  for (size_t i = 0; i < rows->n; i++) {
    struct row *row = &rows->items[i];
    bool fits = !fnmatch(pattern, row->log, 0) ||
                (row->test[0] && !fnmatch(pattern, row->test, 0));
    row->chosen = row->chosen || fits;
    n += fits;
  }
  if (n)
    return 0;
  return cul_fail(h->err, CUL_EUSAGE,
                  "give names of logs as in the report, or a pattern with *",
                  "no log of bucket %s is called %s", h->words[0], pattern);
}

static int fail_alike(struct hand *h, const struct row *a,
                      const struct row *b) {
  return cul_fail(h->err, CUL_EUSAGE,
                  "split off both, or add a rule ($CULPRIT_RULES) that tells "
                  "them apart",
                  "%s%s%s and %s%s%s have the same message and frames", a->log,
                  a->test[0] ? ": " : "", a->test, b->log,
                  b->test[0] ? ": " : "", b->test);
}

/* *apart: no level 2 key of the chosen rows occurs outside them. */
static int compare_rows(struct hand *h, const struct rows *rows, bool *apart) {
  *apart = true;
  for (size_t i = 0; i < rows->n; i++)
    for (size_t k = 0; k < rows->n; k++) {
      const struct row *a = &rows->items[i], *b = &rows->items[k];
      if (!a->chosen || b->chosen)
        continue;
      if (!strcmp(a->key3, b->key3))
        return fail_alike(h, a, b);
      *apart = *apart && strcmp(a->key2, b->key2) != 0;
    }
  return 0;
}

/* Map the level 3 key, which has precedence, and the level 2 key if it
 * distinguishes the two sides. */
static int move_row(struct hand *h, const struct row *row, bool apart,
                    int64_t to) {
  int rc = cul_db_run(&h->db, "INSERT OR REPLACE INTO key VALUES(?2,3,?1,?2)",
                      "it", to, row->key3);
  if (rc == 0 && apart)
    rc = cul_db_run(&h->db,
                    "UPDATE key SET bucket = ?1 WHERE key = ?2 AND level = 2",
                    "it", to, row->key2);
  if (rc == 0)
    rc = cul_db_run(&h->db,
                    "UPDATE member SET bucket = ? WHERE log = ? AND test = ?",
                    "itt", to, row->log, row->test);
  return rc;
}

static int split_rows(struct hand *h, int64_t from, struct rows *rows) {
  int64_t to = 0;
  size_t n = 0;
  bool apart;
  int rc = compare_rows(h, rows, &apart);
  for (size_t i = 0; i < rows->n; i++)
    n += rows->items[i].chosen;
  if (rc == 0 && n == rows->n)
    rc = cul_fail(h->err, CUL_EUSAGE, "leave at least one of its logs",
                  "nothing would be left of bucket %s", h->words[0]);
  if (rc == 0)
    rc = cul_db_number(&h->db, 1, &to, "SELECT max(id) + 1 FROM bucket", "");
  if (rc == 0)
    rc = cul_db_run(&h->db, "INSERT INTO bucket(id) VALUES(?)", "i", to);
  for (size_t i = 0; i < rows->n && rc == 0; i++)
    if (rows->items[i].chosen)
      rc = move_row(h, &rows->items[i], apart, to);
  if (rc == 0)
    rc = cul_db_run(&h->db,
                    "INSERT INTO seen SELECT max(run), ?2, ?3 FROM seen WHERE "
                    "bucket = ?1",
                    "iii", from, to, (int64_t)n);
  if (rc == 0)
    cul_buf_addf(h->out, "%zu of %zu log%s of B%lld %s B%lld now\n", n, rows->n,
                 cul_s(rows->n), (long long)from, n == 1 ? "is" : "are",
                 (long long)to);
  return rc;
}

static int split(struct hand *h) {
  struct rows rows = {0};
  int64_t from = 0;
  int rc = need(h, 2, "culprit triage split --db FILE B1 LOG...");
  if (rc == 0)
    rc = parse_bucket(h, h->words[0], &from);
  if (rc == 0)
    rc = cul_db_rows(&h->db, add_row, &rows,
                     "SELECT log, test, key3, key2 FROM member JOIN form "
                     "USING(key3) WHERE bucket = ? ORDER BY log, test",
                     "i", from);
  for (size_t i = 1; i < h->n && rc == 0; i++)
    rc = choose(h, &rows, h->words[i]);
  if (rc == 0)
    rc = split_rows(h, from, &rows);
  free_rows(&rows);
  return rc;
}

/* ---- one column ---- */

static int set_text(struct hand *h, const char *sql, const char *usage,
                    const char *what) {
  int64_t id = 0;
  const char *text;
  int rc = need(h, 2, usage);
  if (rc == 0)
    rc = parse_bucket(h, h->words[0], &id);
  if (rc < 0)
    return rc;
  text = h->words[1];
  rc = cul_db_run(&h->db, sql, "ti", *text ? text : NULL, id);
  if (rc == 0)
    cul_buf_addf(h->out, "B%lld %s: %s\n", (long long)id, what,
                 *text ? text : "(none)");
  return rc;
}

static int set_ignored(struct hand *h, bool ignored) {
  int64_t id = 0;
  int rc = need(h, 1, "culprit triage ignore --db FILE B1...");
  for (size_t i = 0; i < h->n && rc == 0; i++) {
    rc = parse_bucket(h, h->words[i], &id);
    if (rc == 0)
      rc = cul_db_run(&h->db, "UPDATE bucket SET ignored = ? WHERE id = ?",
                      "ii", (int64_t)ignored, id);
    if (rc == 0)
      cul_buf_addf(h->out, "B%lld is %s\n", (long long)id,
                   ignored ? "ignored from now on" : "no longer ignored");
  }
  return rc;
}

static int act(struct hand *h, enum cul_hand what) {
  switch (what) {
  case CUL_HAND_MERGE:
    return merge(h);
  case CUL_HAND_UNMERGE:
    return unmerge(h);
  case CUL_HAND_SPLIT:
    return split(h);
  case CUL_HAND_RENAME:
    return set_text(h, "UPDATE bucket SET name = ? WHERE id = ?",
                    "culprit triage rename --db FILE B1 NAME", "is called");
  case CUL_HAND_LINK:
    return set_text(h, "UPDATE bucket SET link = ? WHERE id = ?",
                    "culprit triage link --db FILE B1 URL", "is linked to");
  case CUL_HAND_IGNORE:
    return set_ignored(h, true);
  case CUL_HAND_UNIGNORE:
    return set_ignored(h, false);
  }
  cul_bug("no such action");
}

int cul_state_by_hand(const char *path, enum cul_hand what,
                      const char *const *words, size_t n, struct cul_buf *out,
                      struct cul_err *err) {
  struct hand h = {.words = words, .n = n, .out = out, .err = err};
  int rc = cul_db_open(&h.db, path, true, err);
  if (rc == 0)
    rc = act(&h, what);
  if (rc == 0)
    rc = cul_db_commit(&h.db);
  cul_db_close(&h.db);
  return rc;
}
