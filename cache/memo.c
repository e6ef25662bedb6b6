/* Memos with a checksum, so that a bad byte on disk is a miss and never a wrong
 * answer; and digests of files, memoised by their stat data. */
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "../base/files/file.h"
#include "store.h"

static uint64_t sum_of(const char *space, const struct cul_digest *key,
                       const void *data, size_t len) {
  struct cul_hasher *hasher = cul_hasher_new();
  cul_hasher_field(hasher, space);
  cul_hasher_u64(hasher, key->w[0]);
  cul_hasher_u64(hasher, key->w[1]);
  cul_hasher_add(hasher, data, len);
  return cul_hasher_finish(hasher).w[0];
}

/* Append the data to out if its checksum, which follows it, is right. */
static bool take_summed(const struct cul_buf *body, const char *space,
                        const struct cul_digest *key, struct cul_buf *out) {
  uint64_t sum;
  size_t len;
  if (body->len < sizeof sum)
    return false;
  len = body->len - sizeof sum;
  memcpy(&sum, body->data + len, sizeof sum);
  if (sum != sum_of(space, key, body->data, len))
    return false;
  cul_buf_add(out, body->data, len);
  return true;
}

int cul_cache_memo_get(struct cul_cache *cache, const char *space,
                       const struct cul_digest *key, struct cul_buf *out,
                       bool *found, struct cul_err *err) {
  struct cul_buf full = {0}, body = {0};
  (void)err;
  *found = cache && cul_store_find(cache, space, key, &full, &body) &&
           take_summed(&body, space, key, out);
  cul_buf_release(&full);
  cul_buf_release(&body);
  return 0;
}

int cul_cache_memo_put(struct cul_cache *cache, const char *space,
                       const struct cul_digest *key, const void *data,
                       size_t len, struct cul_err *err) {
  struct cul_bytes none = {NULL, 0};
  struct cul_buf body = {0};
  uint64_t sum;
  (void)err;
  if (!cache)
    return 0;
  if (!*space)
    cul_bug("a memo needs the name of a space");
  sum = sum_of(space, key, data, len);
  cul_buf_add(&body, data, len);
  cul_buf_add(&body, &sum, sizeof sum);
  cul_store_put(cache, space, key, none, cul_buf_bytes(&body));
  cul_buf_release(&body);
  return 0;
}

/* Read a key in the byte order of store.c; false: the column has another
 * size. */
static bool read_key(sqlite3_stmt *stmt, int column, struct cul_digest *key) {
  const unsigned char *bytes = sqlite3_column_blob(stmt, column);
  *key = (struct cul_digest){{0, 0}};
  if (sqlite3_column_bytes(stmt, column) != 16)
    return false;
  for (int i = 0; i < 16; i++)
    key->w[i / 8] |= (uint64_t)bytes[i] << (8 * (i % 8));
  return true;
}

/* Call tell with the data of one row if its checksum is right. */
static void tell_row(sqlite3_stmt *stmt, const char *space,
                     void (*tell)(void *self, struct cul_bytes data),
                     void *self) {
  struct cul_digest key;
  struct cul_buf body = {0}, data = {0};
  if (!read_key(stmt, 0, &key))
    return;
  cul_buf_add(&body, sqlite3_column_blob(stmt, 1),
              (size_t)sqlite3_column_bytes(stmt, 1));
  if (take_summed(&body, space, &key, &data))
    tell(self, cul_buf_bytes(&data));
  cul_buf_release(&body);
  cul_buf_release(&data);
}

int cul_cache_memo_each(struct cul_cache *cache, const char *space,
                        void (*tell)(void *self, struct cul_bytes data),
                        void *self, struct cul_err *err) {
  static const char sql[] = "SELECT key, body FROM entry WHERE space = ?";
  sqlite3_stmt *stmt = NULL;
  int rc;
  if (!cache || !cache->db)
    return 0;
  if (cul_cache_flush(cache, err) < 0)
    return err->code;
  rc = sqlite3_prepare_v2(cache->db, sql, -1, &stmt, NULL);
  if (rc == SQLITE_OK)
    sqlite3_bind_text(stmt, 1, space, -1, SQLITE_STATIC);
  while (rc == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW)
    tell_row(stmt, space, tell, self);
  if (rc == SQLITE_OK)
    rc = sqlite3_reset(stmt);
  sqlite3_finalize(stmt);
  return rc == SQLITE_OK ? 0 : cul_store_fail(cache, rc, "read", err);
}

static void add_time(struct cul_hasher *hasher, struct timespec time) {
  cul_hasher_u64(hasher, (uint64_t)time.tv_sec);
  cul_hasher_u64(hasher, (uint64_t)time.tv_nsec);
}

/* Includes the change time: unlike mtime, tools do not set it back. */
static struct cul_digest stat_key(const char *path, const struct stat *st) {
  struct cul_hasher *hasher = cul_hasher_new();
  cul_hasher_field(hasher, path);
  cul_hasher_u64(hasher, (uint64_t)st->st_size);
  cul_hasher_u64(hasher, (uint64_t)st->st_ino);
  cul_hasher_u64(hasher, (uint64_t)st->st_dev);
  add_time(hasher, st->st_mtim);
  add_time(hasher, st->st_ctim);
  return cul_hasher_finish(hasher);
}

/* Is the change old enough? A file changed within the clock tick of its file
 * system may change again without a new time. */
static bool is_settled(struct timespec changed) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  int64_t age_ms = (int64_t)(now.tv_sec - changed.tv_sec) * 1000 +
                   (now.tv_nsec - changed.tv_nsec) / 1000000;
  return age_ms > (changed.tv_nsec ? 100 : 2000);
}

static bool same_stat(const char *path, const struct cul_digest *key) {
  struct stat st;
  if (stat(path, &st) < 0 || !is_settled(st.st_mtim) || !is_settled(st.st_ctim))
    return false;
  struct cul_digest now = stat_key(path, &st);
  return cul_digest_equal(&now, key);
}

int cul_cache_file_digest(struct cul_cache *cache, const char *path,
                          struct cul_digest *out, struct cul_err *err) {
  struct stat st;
  struct cul_buf memo = {0};
  bool found = false;
  if (!cache || stat(path, &st) < 0)
    return cul_file_digest(path, out, err);
  struct cul_digest key = stat_key(path, &st);
  int rc = cul_cache_memo_get(cache, "file", &key, &memo, &found, err);
  found = rc == 0 && found && memo.len == sizeof(*out);
  if (found)
    memcpy(out, memo.data, sizeof(*out));
  cul_buf_release(&memo);
  if (rc || found)
    return rc;
  rc = cul_file_digest(path, out, err);
  if (rc == 0 && same_stat(path, &key))
    rc = cul_cache_memo_put(cache, "file", &key, out, sizeof(*out), err);
  return rc;
}
