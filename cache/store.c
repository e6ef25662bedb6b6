/* Entries: lookup, storing, and the batch of entries to be written. An entry is
 * written at once if the last write was some time ago, else together with later
 * ones: a slow run is on disk before the next begins, quick runs share a
 * transaction. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../base/files/file.h"
#include "../base/status.h"
#include "store.h"

#include "../base/clock.h"

enum { DAY_SECONDS = 24 * 60 * 60 };

static const char *advice_for(int rc) {
  switch (rc) {
  case SQLITE_FULL:
    return "make room on that file system, or name another place with "
           "XDG_CACHE_HOME; the job itself is not harmed";
  case SQLITE_CORRUPT:
  case SQLITE_NOTADB:
    return "no action is needed; earlier runs are repeated";
  default:
    return "name another place with XDG_CACHE_HOME; the job itself is not "
           "harmed";
  }
}

static bool is_damage(int rc) {
  return rc == SQLITE_CORRUPT || rc == SQLITE_NOTADB;
}

int cul_store_fail(struct cul_cache *cache, int rc, const char *doing,
                   struct cul_err *err) {
  char *note = NULL;
  rc &= 0xff;
  if (rc == SQLITE_BUSY || rc == SQLITE_LOCKED)
    return cul_status_interrupted()
               ? cul_fail(err, CUL_EINTR, "", "interrupted")
               : cul_store_fail_held(cache, err);
  if (is_damage(rc)) {
    cache->replaced++;
    if (cul_store_replace(cache, &note, err) == 0)
      cul_fail(err, CUL_EENV, advice_for(rc), "%s",
               note ? note : "another process replaced a damaged store");
    free(note);
    return err->code;
  }
  return cul_fail(err, CUL_EENV, advice_for(rc), "cannot %s the store %s: %s",
                  doing, cache->path, sqlite3_errstr(rc));
}

/* Stop replacing stores on a disk that damages each of them. */
enum { MOST_REPLACED = 3 };

/* Report each kind of trouble once: repeated notes are not read. */
static void say(struct cul_cache *cache, int rc, const char *doing,
                struct cul_err *err) {
  bool *said = rc == SQLITE_BUSY ? &cache->said_held : &cache->said_lost;
  cache->trouble = *err;
  if (*said)
    return;
  *said = true;
  if (rc == SQLITE_BUSY)
    cul_status_note(UINT64_MAX,
                    "%s; the job goes on and repeats runs that cannot be %s",
                    err->what, *doing == 'r' ? "looked up" : "stored");
  else
    cul_status_note(UINT64_MAX, "%s\n  %s%s", err->what,
                    cache->db ? "" : "continuing without it; ", err->advice);
}

/* Report that a damaged store was replaced, or could not be. True: it was. */
static bool say_replaced(struct cul_cache *cache, struct cul_err *err) {
  if (!cache->db || cache->replaced > MOST_REPLACED)
    cul_store_disconnect(cache);
  cache->trouble = *err;
  cul_status_note(UINT64_MAX, "%s%s", err->what,
                  cache->db ? "" : "; continuing without one");
  return cache->db != NULL;
}

bool cul_store_repair(struct cul_cache *cache, int rc, const char *doing) {
  struct cul_err err = {0};
  rc &= 0xff;
  if (rc == SQLITE_LOCKED)
    rc = SQLITE_BUSY;
  if (rc == SQLITE_TOOBIG)
    return false; /* a failure of that entry only */
  cul_store_fail(cache, rc, doing, &err);
  if (is_damage(rc))
    return say_replaced(cache, &err);
  if (err.code == CUL_EINTR)
    return false;
  /* A full disk or a lock may be temporary: keep the connection. */
  if (rc != SQLITE_FULL && rc != SQLITE_BUSY)
    cul_store_disconnect(cache);
  say(cache, rc, doing, &err);
  return false;
}

int cul_store_exec(struct cul_cache *cache, const char *sql,
                   struct cul_err *err) {
  if (!cache->db)
    return 0;
  int rc = sqlite3_exec(cache->db, sql, NULL, NULL, NULL);
  return rc == SQLITE_OK ? 0 : cul_store_fail(cache, rc, "write", err);
}

static void bind_key(sqlite3_stmt *stmt, const char *space,
                     const struct cul_digest *key) {
  unsigned char bytes[16];
  for (int i = 0; i < 16; i++)
    bytes[i] = (unsigned char)(key->w[i / 8] >> (8 * (i % 8)));
  sqlite3_bind_text(stmt, 1, space, -1, SQLITE_STATIC);
  sqlite3_bind_blob(stmt, 2, bytes, sizeof(bytes), SQLITE_TRANSIENT);
}

/* A NULL pointer would bind SQL NULL. */
static void bind_bytes(sqlite3_stmt *stmt, int at, struct cul_bytes bytes) {
  sqlite3_bind_blob64(stmt, at, bytes.len ? bytes.data : "", bytes.len,
                      SQLITE_STATIC);
}

static void forget_pending(struct cul_cache *cache) {
  for (size_t i = 0; i < cache->n_pending; i++) {
    free(cache->pending[i].space);
    cul_buf_release(&cache->pending[i].full);
    cul_buf_release(&cache->pending[i].body);
  }
  cache->n_pending = cache->pending_bytes = 0;
}

static int write_one(struct cul_cache *cache, const struct cul_pending *entry,
                     int64_t now) {
  sqlite3_stmt *stmt = entry->touch ? cache->touch : cache->put;
  bind_key(stmt, entry->space, &entry->key);
  if (entry->touch) {
    sqlite3_bind_int64(stmt, 3, now);
  } else {
    bind_bytes(stmt, 3, cul_buf_bytes(&entry->full));
    bind_bytes(stmt, 4, cul_buf_bytes(&entry->body));
    sqlite3_bind_int64(stmt, 5, now);
  }
  sqlite3_step(stmt);
  int rc = sqlite3_reset(stmt);
  sqlite3_clear_bindings(stmt);
  return rc;
}

static int write_batch(struct cul_cache *cache) {
  int64_t now = time(NULL);
  int rc = sqlite3_exec(cache->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
  if (rc != SQLITE_OK)
    return rc;
  for (size_t i = 0; i < cache->n_pending && rc == SQLITE_OK; i++) {
    rc = write_one(cache, &cache->pending[i], now);
    if ((rc & 0xff) == SQLITE_TOOBIG)
      rc = SQLITE_OK; /* skip this entry */
  }
  if (rc == SQLITE_OK)
    rc = sqlite3_exec(cache->db, "COMMIT", NULL, NULL, NULL);
  if (rc != SQLITE_OK)
    sqlite3_exec(cache->db, "ROLLBACK", NULL, NULL, NULL);
  return rc;
}

/* Write the batch. Entries that cannot be written are lost: their runs are made
 * again. */
static void write_pending(struct cul_cache *cache) {
  bool ends = !cache->over && cache->holds && !cache->holds(cache->guard);
  bool again = cache->n_pending > 0 && cache->db && !ends;
  cache->over |= ends;
  while (again) {
    int rc = write_batch(cache);
    again = rc != SQLITE_OK && cul_store_repair(cache, rc, "write");
  }
  forget_pending(cache);
  cache->flushed_us = cul_now_us();
}

void cul_cache_guard(struct cul_cache *cache, bool (*holds)(void *self),
                     void *self) {
  if (!cache)
    return;
  cache->holds = holds;
  cache->guard = self;
}

int cul_cache_flush(struct cul_cache *cache, struct cul_err *err) {
  if (!cache)
    return 0;
  write_pending(cache);
  if (!cache->trouble.code)
    return 0;
  *err = cache->trouble;
  cache->trouble = (struct cul_err){0};
  return err->code;
}

static struct cul_pending *add_pending(struct cul_cache *cache,
                                       const char *space,
                                       const struct cul_digest *key) {
  struct cul_pending *entry = &cache->pending[cache->n_pending++];
  memset(entry, 0, sizeof(*entry));
  entry->space = cul_xstrdup(space);
  entry->key = *key;
  return entry;
}

void cul_store_put(struct cul_cache *cache, const char *space,
                   const struct cul_digest *key, struct cul_bytes full,
                   struct cul_bytes body) {
  struct cul_pending *entry = add_pending(cache, space, key);
  uint64_t now = cul_now_us();
  bool full_up;
  cul_buf_add(&entry->full, full.data, full.len);
  cul_buf_add(&entry->body, body.data, body.len);
  cache->pending_bytes += full.len + body.len;
  full_up = cache->n_pending == CUL_STORE_BATCH ||
            cache->pending_bytes >= CUL_STORE_BATCH_BYTES;
  if (now < cache->held_until_us && full_up)
    forget_pending(cache); /* waiting for the lock at each entry costs more */
  else if (now >= cache->held_until_us &&
           (full_up || now - cache->flushed_us >= CUL_STORE_BATCH_US))
    write_pending(cache);
}

static const struct cul_pending *find_pending(const struct cul_cache *cache,
                                              const char *space,
                                              const struct cul_digest *key) {
  for (size_t i = cache->n_pending; i-- > 0;) {
    const struct cul_pending *entry = &cache->pending[i];
    if (!entry->touch && cul_digest_equal(&entry->key, key) &&
        strcmp(entry->space, space) == 0)
      return entry;
  }
  return NULL;
}

static void add_column(sqlite3_stmt *stmt, int column, struct cul_buf *out) {
  const void *data = sqlite3_column_blob(stmt, column);
  cul_buf_add(out, data, (size_t)sqlite3_column_bytes(stmt, column));
}

/* Only gc needs the time of the last use; a resolution of a day suffices. */
static void mark_used(struct cul_cache *cache, const char *space,
                      const struct cul_digest *key, int64_t used) {
  if (used + DAY_SECONDS < time(NULL) && cache->n_pending + 1 < CUL_STORE_BATCH)
    add_pending(cache, space, key)->touch = true;
}

/* Look up an entry in the file; *found: there is one. Returns SQLite's code. */
static int find_stored(struct cul_cache *cache, const char *space,
                       const struct cul_digest *key, struct cul_buf *full,
                       struct cul_buf *body, bool *found) {
  bind_key(cache->find, space, key);
  *found = sqlite3_step(cache->find) == SQLITE_ROW;
  if (*found) {
    add_column(cache->find, 0, full);
    add_column(cache->find, 1, body);
    mark_used(cache, space, key, sqlite3_column_int64(cache->find, 2));
  }
  return sqlite3_reset(cache->find);
}

bool cul_store_find(struct cul_cache *cache, const char *space,
                    const struct cul_digest *key, struct cul_buf *full,
                    struct cul_buf *body) {
  const struct cul_pending *waiting = find_pending(cache, space, key);
  bool found = false;
  int rc;
  if (waiting) {
    cul_buf_add(full, waiting->full.data, waiting->full.len);
    cul_buf_add(body, waiting->body.data, waiting->body.len);
    return true;
  }
  if (!cache->db)
    return false;
  rc = find_stored(cache, space, key, full, body, &found);
  if (rc == SQLITE_OK)
    return found;
  cul_buf_clear(full);
  cul_buf_clear(body);
  /* A fresh store would have no entry either. */
  (void)cul_store_repair(cache, rc, "read");
  return false;
}
