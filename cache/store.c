/* Entries: find, put, and the batch that waits between.
 *
 * A put is written at once when the last write is old, and waits for
 * company otherwise: slow runs are on disk before the next begins, quick
 * ones share a transaction. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../base/file.h"
#include "store.h"

enum { DAY_SECONDS = 24 * 60 * 60 };

static const char *advice_for(int rc) {
  switch (rc) {
  case SQLITE_FULL:
    return "make room on that file system, or name another place with "
           "XDG_CACHE_HOME; the job itself is not harmed";
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
    return "another process holds it; wait, or name another place with "
           "XDG_CACHE_HOME";
  case SQLITE_CORRUPT:
  case SQLITE_NOTADB:
    return "nothing has to be done; runs made before are run again";
  default:
    return "name another place with XDG_CACHE_HOME; the job itself is not "
           "harmed";
  }
}

int cul_store_fail(struct cul_cache *cache, int rc, const char *doing,
                   struct cul_err *err) {
  char *note = NULL;
  rc &= 0xff;
  if (rc == SQLITE_CORRUPT || rc == SQLITE_NOTADB) {
    if (cul_store_replace(cache, &note, err) == 0)
      cul_fail(err, CUL_EENV, advice_for(rc), "%s",
               note ? note : "another process replaced a damaged store");
    free(note);
    return err->code;
  }
  return cul_fail(err, CUL_EENV, advice_for(rc), "cannot %s the store %s: %s",
                  doing, cache->path, sqlite3_errstr(rc));
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
  for (size_t i = 0; i < cache->n_pending && rc == SQLITE_OK; i++)
    rc = write_one(cache, &cache->pending[i], now);
  if (rc == SQLITE_OK)
    rc = sqlite3_exec(cache->db, "COMMIT", NULL, NULL, NULL);
  if (rc != SQLITE_OK)
    sqlite3_exec(cache->db, "ROLLBACK", NULL, NULL, NULL);
  return rc;
}

static int write_pending(struct cul_cache *cache, struct cul_err *err) {
  int rc = SQLITE_OK;
  if (cache->n_pending > 0 && cache->db)
    rc = write_batch(cache);
  forget_pending(cache);
  cache->flushed_us = cul_now_us();
  return rc == SQLITE_OK ? 0 : cul_store_fail(cache, rc, "write", err);
}

int cul_cache_flush(struct cul_cache *cache, struct cul_err *err) {
  struct cul_err trouble;
  int rc;
  if (!cache)
    return 0;
  rc = write_pending(cache, err);
  trouble = cache->trouble;
  cache->trouble = (struct cul_err){0};
  if (rc == 0 && trouble.code)
    *err = trouble;
  return rc ? rc : (int)trouble.code;
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
  struct cul_err trouble = {0};
  struct cul_pending *entry = add_pending(cache, space, key);
  cul_buf_add(&entry->full, full.data, full.len);
  cul_buf_add(&entry->body, body.data, body.len);
  cache->pending_bytes += full.len + body.len;
  if (cache->n_pending < CUL_STORE_BATCH &&
      cache->pending_bytes < CUL_STORE_BATCH_BYTES &&
      cul_now_us() - cache->flushed_us < CUL_STORE_BATCH_US)
    return;
  if (write_pending(cache, &trouble) < 0)
    cache->trouble = trouble;
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

/* When an entry was used matters to gc alone; a day is fine enough. */
static void mark_used(struct cul_cache *cache, const char *space,
                      const struct cul_digest *key, int64_t used) {
  if (used + DAY_SECONDS < time(NULL) && cache->n_pending + 1 < CUL_STORE_BATCH)
    add_pending(cache, space, key)->touch = true;
}

int cul_store_find(struct cul_cache *cache, const char *space,
                   const struct cul_digest *key, struct cul_buf *full,
                   struct cul_buf *body, bool *found, struct cul_err *err) {
  const struct cul_pending *waiting = find_pending(cache, space, key);
  *found = waiting != NULL;
  if (waiting) {
    cul_buf_add(full, waiting->full.data, waiting->full.len);
    cul_buf_add(body, waiting->body.data, waiting->body.len);
    return 0;
  }
  if (!cache->db)
    return 0;
  bind_key(cache->find, space, key);
  *found = sqlite3_step(cache->find) == SQLITE_ROW;
  if (*found) {
    add_column(cache->find, 0, full);
    add_column(cache->find, 1, body);
    mark_used(cache, space, key, sqlite3_column_int64(cache->find, 2));
  }
  int rc = sqlite3_reset(cache->find);
  if (rc == SQLITE_OK)
    return 0;
  *found = false;
  return cul_store_fail(cache, rc, "read", err);
}
