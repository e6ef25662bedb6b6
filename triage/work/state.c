/* Reads the state, saves a run, fills in what earlier runs and changes by hand
 * say of it: see state.h. */
#include "state.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../oracles/rules/rules.h"
#include "../table.h"

/* ---- keys ---- */

struct rekey {
  struct cul_state *state;
  struct cul_rules *rules;
};

static void digest_text(const struct cul_digest *digest, char *hex) {
  cul_digest_hex(digest, hex);
}

static int add_known(void *arg, sqlite3_stmt *row, struct cul_err *err) {
  struct cul_state *state = ((struct rekey *)arg)->state;
  struct cul_known *known;
  json_t *json = json_loads(cul_db_text(row, 2), 0, NULL);
  (void)err;
  if ((state->n_known & (state->n_known - 1)) == 0)
    state->known =
        cul_xreallocarray(state->known, state->n_known ? 2 * state->n_known : 1,
                          sizeof *state->known);
  known = &state->known[state->n_known];
  *known = (struct cul_known){.id = sqlite3_column_int64(row, 0),
                              .by_hand = sqlite3_column_int64(row, 1) == 3,
                              .joined = sqlite3_column_int64(row, 1) == 1,
                              .merged = sqlite3_column_int64(row, 1) == 4};
  if (cul_signature_parse(json, &known->kind.sig)) {
    known->kind.corrupted = sqlite3_column_int64(row, 4) != 0;
    cul_signature_seal(((struct rekey *)arg)->rules, &known->kind.sig);
    cul_keys_of(&known->kind.sig, cul_db_text(row, 3), known->kind.corrupted,
                &known->kind.keys);
    state->n_known++;
  }
  json_decref(json);
  return 0;
}

static int add_form(struct cul_db *db, const struct cul_kind_of *kind,
                    const char *own, const char *sample) {
  char key2[CUL_DIGEST_HEX], key3[CUL_DIGEST_HEX];
  json_t *json = cul_signature_json(&kind->sig);
  char *text = json_dumps(json, JSON_COMPACT);
  int rc;
  digest_text(&kind->keys.level[2], key2);
  digest_text(&kind->keys.level[3], key3);
  rc = cul_db_run(db,
                  "INSERT INTO form VALUES(?,?,?,?,?,?) ON CONFLICT DO UPDATE "
                  "SET sample = coalesce(sample, excluded.sample)",
                  "ttttit", key3, key2, text, own, (int64_t)kind->corrupted,
                  sample);
  free(text);
  json_decref(json);
  return rc;
}

/* A stored sample, to be read again with the current rules. */
struct stored {
  char *key3, *own, *sample;
  struct stored *next;
};

static int take_stored(void *arg, sqlite3_stmt *row, struct cul_err *err) {
  struct stored **list = arg, *item = cul_xcalloc(1, sizeof *item);
  (void)err;
  item->key3 = cul_xstrdup(cul_db_text(row, 0));
  item->own = cul_xstrdup(cul_db_text(row, 1));
  item->sample = cul_xstrdup(cul_db_text(row, 2));
  item->next = *list;
  *list = item;
  return 0;
}

/* Map the keys that the sample has under the current rules to the bucket of its
 * old keys. */
static int rekey_one(struct rekey *r, const struct stored *item) {
  struct cul_bytes text = {item->sample, strlen(item->sample)};
  struct cul_kind_of kind = {0};
  struct cul_log_failure told;
  struct cul_db *db = &r->state->db;
  char key2[CUL_DIGEST_HEX], key3[CUL_DIGEST_HEX];
  int rc;
  cul_signature_read_log(r->rules, text, &told);
  if (!told.found)
    return 0;
  kind.sig = told.sig;
  cul_keys_of(&kind.sig, item->own, false, &kind.keys);
  digest_text(&kind.keys.level[2], key2);
  digest_text(&kind.keys.level[3], key3);
  rc = add_form(db, &kind, item->own, item->sample);
  if (rc == 0)
    rc = cul_db_run(
        db,
        "INSERT OR IGNORE INTO key SELECT CASE WHEN level IN (2, 4) "
        "THEN ?2 ELSE ?1 END, level, bucket, ?1 FROM key WHERE key3 = "
        "?3",
        "ttt", key3, key2, item->key3);
  if (rc == 0)
    rc = cul_db_run(db, "UPDATE member SET key3 = ?1 WHERE key3 = ?2", "tt",
                    key3, item->key3);
  return rc;
}

static int rekey(struct rekey *r, const char *digest) {
  struct cul_db *db = &r->state->db;
  struct stored *list = NULL;
  int rc = cul_db_rows(db, take_stored, &list,
                       "SELECT key3, own, sample FROM form WHERE sample IS "
                       "NOT NULL AND NOT corrupted",
                       "");
  while (list) {
    struct stored *item = list;
    if (rc == 0)
      rc = rekey_one(r, item);
    list = item->next;
    free(item->key3);
    free(item->own);
    free(item->sample);
    free(item);
  }
  if (rc == 0)
    rc = cul_db_run(db, "DELETE FROM rules", "");
  if (rc == 0)
    rc = cul_db_run(db, "INSERT INTO rules VALUES(?)", "t", digest);
  return rc;
}

int cul_state_open(struct cul_state *state, const char *path,
                   struct cul_rules *rules, struct cul_err *err) {
  struct rekey r = {state, rules};
  struct cul_digest digest = cul_rules_digest(rules);
  char hex[CUL_DIGEST_HEX];
  int64_t same = 0;
  int rc;
  *state = (struct cul_state){.next_id = 1, .db = {.lock = -1}};
  if (!path)
    return 0;
  state->open = true;
  rc = cul_db_open(&state->db, path, false, err);
  digest_text(&digest, hex);
  if (rc == 0)
    rc = cul_db_number(&state->db, 0, &same,
                       "SELECT count(*) FROM rules WHERE digest = ?", "t", hex);
  if (rc == 0 && !same)
    rc = rekey(&r, hex);
  if (rc == 0)
    rc = cul_db_number(&state->db, 1, &state->next_id,
                       "SELECT coalesce(max(id), 0) + 1 FROM bucket", "");
  if (rc == 0)
    rc = cul_db_rows(&state->db, add_known, &r,
                     "SELECT bucket, level, sig, own, corrupted FROM key JOIN "
                     "form USING(key3) ORDER BY bucket, key.rowid",
                     "");
  return rc;
}

void cul_state_close(struct cul_state *state) {
  if (state->open)
    cul_db_close(&state->db);
  free(state->known);
  *state = (struct cul_state){0};
}

/* ---- a run ---- */

static int save_member(struct cul_db *db, const struct cul_triage *t,
                       const struct cul_member *member) {
  const struct cul_kind_of *kind = t->kinds[member->kind];
  int64_t id = t->buckets[member->bucket].id;
  char key2[CUL_DIGEST_HEX], key3[CUL_DIGEST_HEX];
  char *own = cul_member_own(member->log, member->test);
  int rc = add_form(db, kind, own, member->sample);
  free(own);
  digest_text(&kind->keys.level[2], key2);
  digest_text(&kind->keys.level[3], key3);
  if (rc == 0)
    rc = cul_db_run(db,
                    "INSERT OR IGNORE INTO key SELECT ?1, ?2, ?3, ?4 WHERE NOT "
                    "EXISTS (SELECT 1 FROM key WHERE key = ?1 AND level = 4)",
                    "tiit", member->joined ? key3 : key2,
                    (int64_t)(member->joined ? 1 : 2), id, key3);
  if (rc == 0)
    rc = cul_db_run(db, "INSERT OR REPLACE INTO member VALUES(?,?,?,?)", "ttit",
                    member->log, member->test, id, key3);
  return rc;
}

static int save_bucket(struct cul_db *db, const struct cul_triage *t,
                       const struct cul_bucket *bucket) {
  int rc = cul_db_run(db, "INSERT OR IGNORE INTO bucket(id) VALUES(?)", "i",
                      bucket->id);
  if (rc == 0 && bucket->n_members)
    rc = cul_db_run(db, "INSERT INTO seen VALUES(?,?,?)", "iii", t->run,
                    bucket->id, (int64_t)bucket->n_members);
  return rc;
}

/* The digest of this run's logs as hex digits. */
static void state_logs(const struct cul_triage *t, char hex[CUL_DIGEST_HEX]) {
  struct cul_hasher *h = cul_hasher_new();
  struct cul_digest digest;
  for (size_t i = 0; i < t->n_members; i++) {
    cul_hasher_field(h, t->members[i].log);
    cul_hasher_u64(h, t->members[i].content.w[0]);
  }
  digest = cul_hasher_finish(h);
  cul_digest_hex(&digest, hex);
}

int cul_state_finish(struct cul_state *state, const struct cul_triage *t,
                     struct cul_err *err) {
  int rc;
  if (!state->open)
    return 0;
  state->db.err = err;
  rc = cul_db_run(&state->db, "UPDATE run SET done = 1 WHERE id = ?", "i",
                  t->run);
  return rc ? rc : cul_db_commit(&state->db);
}

int cul_state_save(struct cul_state *state, struct cul_triage *t,
                   struct cul_err *err) {
  char logs[CUL_DIGEST_HEX];
  struct cul_db *db = &state->db;
  int rc;
  if (!state->open)
    return 0;
  db->err = err;
  state_logs(t, logs);
  rc = cul_db_run(db, "INSERT OR REPLACE INTO run VALUES(?,?,?,?,?,0)", "iiiit",
                  t->run, (int64_t)time(NULL), (int64_t)t->n_logs,
                  (int64_t)t->n_members, logs);
  if (rc == 0)
    rc = cul_db_run(db, "DELETE FROM seen WHERE run = ?", "i", t->run);
  for (size_t i = 0; i < t->n_buckets && rc == 0; i++)
    rc = save_bucket(db, t, &t->buckets[i]);
  for (size_t i = 0; i < t->n_members && rc == 0; i++)
    rc = save_member(db, t, &t->members[i]);
  return rc ? rc : cul_db_commit(db);
}

int cul_state_save_reduced(struct cul_state *state,
                           const struct cul_bucket *bucket,
                           struct cul_err *err) {
  char *text;
  int rc;
  if (!state->open)
    return 0;
  state->db.err = err;
  text = json_dumps(bucket->reduced, JSON_COMPACT);
  rc = cul_db_run(&state->db, "UPDATE bucket SET reduced = ? WHERE id = ?",
                  "ti", text, bucket->id);
  free(text);
  return rc ? rc : cul_db_commit(&state->db);
}

/* ---- buckets of earlier runs, and changes by hand ---- */

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
  state_logs(t, logs);
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
