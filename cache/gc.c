/* Statistics of the store, and removal of old entries. */
#include <string.h>
#include <time.h>

#include "../base/status.h"
#include "store.h"

static int number(struct cul_cache *cache, const char *sql, uint64_t *out,
                  struct cul_err *err) {
  sqlite3_stmt *stmt = NULL;
  int rc = sqlite3_prepare_v2(cache->db, sql, -1, &stmt, NULL);
  if (rc == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW)
    *out = (uint64_t)sqlite3_column_int64(stmt, 0);
  if (rc == SQLITE_OK)
    rc = sqlite3_finalize(stmt);
  return rc == SQLITE_OK ? 0 : cul_store_fail(cache, rc, "read", err);
}

static int size_of(struct cul_cache *cache, uint64_t *bytes,
                   struct cul_err *err) {
  return number(cache,
                "SELECT page_count * page_size FROM pragma_page_count, "
                "pragma_page_size",
                bytes, err);
}

/* Repeat a call after the store was damaged and replaced? A call outside a job
 * reports errors of the store; after a replacement the fresh store can serve.
 * before: cache->replaced before the call. */
static bool again(const struct cul_cache *cache, unsigned before, int rc,
                  const struct cul_err *err) {
  if (rc == 0 || cache->replaced == before || !cache->db)
    return false;
  cul_status_note(UINT64_MAX, "%s", err->what);
  return true;
}

static int stat_once(struct cul_cache *cache, struct cul_cache_stats *out,
                     struct cul_err *err) {
  int rc = cul_cache_flush(cache, err);
  out->hits = cache->hits;
  out->misses = cache->misses;
  if (rc || (rc = number(cache, "SELECT count(*) FROM entry WHERE space = ''",
                         &out->records, err)))
    return rc;
  if ((rc = number(cache, "SELECT count(*) FROM entry WHERE space <> ''",
                   &out->memos, err)))
    return rc;
  return size_of(cache, &out->bytes, err);
}

int cul_cache_stat(struct cul_cache *cache, struct cul_cache_stats *out,
                   struct cul_err *err) {
  unsigned before = cache ? cache->replaced : 0;
  int rc;
  memset(out, 0, sizeof(*out));
  if (!cache || !cache->db)
    return 0;
  rc = stat_once(cache, out, err);
  return again(cache, before, rc, err) ? stat_once(cache, out, err) : rc;
}

/* Return freed pages to the file system. */
static int reclaim(struct cul_cache *cache, struct cul_err *err) {
  return cul_store_exec(cache,
                        "PRAGMA incremental_vacuum; "
                        "PRAGMA wal_checkpoint(TRUNCATE)",
                        err);
}

/* Run a DELETE with one number bound; add the deleted rows to *dropped. */
static int drop(struct cul_cache *cache, const char *sql, int64_t value,
                uint64_t *dropped, struct cul_err *err) {
  sqlite3_stmt *stmt = NULL;
  int rc = sqlite3_prepare_v2(cache->db, sql, -1, &stmt, NULL);
  if (rc == SQLITE_OK) {
    sqlite3_bind_int64(stmt, 1, value);
    sqlite3_step(stmt);
    rc = sqlite3_finalize(stmt);
  }
  if (rc != SQLITE_OK)
    return cul_store_fail(cache, rc, "write", err);
  *dropped += (uint64_t)sqlite3_changes(cache->db);
  return 0;
}

/* Keep the youngest entries whose bytes together are at most ?1. */
static const char drop_oldest_sql[] =
    "DELETE FROM entry WHERE rowid IN (SELECT id FROM (SELECT rowid AS id, "
    "sum(length(full) + length(body) + length(space) + 64) "
    "OVER (ORDER BY used DESC, rowid DESC) AS so_far FROM entry) "
    "WHERE so_far > ?1)";

/* Pages are not filled completely, so the bound on content shrinks until the
 * file fits. */
static int drop_above(struct cul_cache *cache, uint64_t max_bytes,
                      uint64_t *dropped, struct cul_err *err) {
  uint64_t bytes = 0, content = max_bytes;
  for (;;) {
    int rc = size_of(cache, &bytes, err);
    if (rc || bytes <= max_bytes)
      return rc;
    rc = drop(cache, drop_oldest_sql, (int64_t)content, dropped, err);
    if (rc || (rc = reclaim(cache, err)) || content == 0)
      return rc;
    content -= content / 8 + 1;
  }
}

static int gc_once(struct cul_cache *cache, int days, uint64_t max_bytes,
                   uint64_t *dropped, struct cul_err *err) {
  int rc = cul_cache_flush(cache, err);
  if (rc)
    return rc;
  int64_t oldest = (int64_t)time(NULL) - (int64_t)days * 24 * 60 * 60;
  if (days >= 0 && (rc = drop(cache, "DELETE FROM entry WHERE used < ?1",
                              oldest, dropped, err)))
    return rc;
  if ((rc = reclaim(cache, err)) || max_bytes == 0)
    return rc;
  return drop_above(cache, max_bytes, dropped, err);
}

int cul_cache_gc(struct cul_cache *cache, int days, uint64_t max_bytes,
                 uint64_t *dropped, struct cul_err *err) {
  unsigned before = cache ? cache->replaced : 0;
  int rc;
  *dropped = 0;
  if (!cache || !cache->db)
    return 0;
  rc = gc_once(cache, days, max_bytes, dropped, err);
  return again(cache, before, rc, err)
             ? gc_once(cache, days, max_bytes, dropped, err)
             : rc;
}

static int clear_once(struct cul_cache *cache, struct cul_err *err) {
  int rc = cul_cache_flush(cache, err);
  if (rc == 0)
    rc = cul_store_exec(cache, "DELETE FROM entry", err);
  return rc ? rc : reclaim(cache, err);
}

int cul_cache_clear(struct cul_cache *cache, struct cul_err *err) {
  unsigned before = cache ? cache->replaced : 0;
  int rc;
  if (!cache)
    return 0;
  rc = clear_once(cache, err);
  return again(cache, before, rc, err) ? clear_once(cache, err) : rc;
}
