/* The store: records by content, verdict memos and job results; one SQLite
 * file in WAL mode, 0600.
 *
 * Records, not verdicts, are kept for runs: a changed oracle judges old runs
 * again for free.  Writes are batched; kill -9 loses at most the runs in
 * flight and never what a closed batch held.  Several processes may use one
 * store at a time. */
#ifndef CUL_CACHE_CACHE_H
#define CUL_CACHE_CACHE_H

#include "../base/run.h"

struct cul_cache;

/* Open (and make) the store.  path: file, NULL = cache.db in
 * cul_cache_dir().  A file that is not a store, or of a newer version, is
 * EENV with advice; a damaged one is moved aside (PATH.damaged) and a fresh
 * one made, said on *note (caller frees; NULL when nothing to say). */
CUL_MUST_CHECK int cul_cache_open(const char *path, struct cul_cache **out,
                                  char **note, struct cul_err *err);
/* Write what is pending, close, free.  NULL is fine. */
void cul_cache_close(struct cul_cache *cache);
/* Write the pending batch now. */
CUL_MUST_CHECK int cul_cache_flush(struct cul_cache *cache,
                                   struct cul_err *err);

/* The record of request on artefact.  Key: artefact digest, argv template,
 * delivery, cwd when set, env, values of env_keys, role, attempt, seed,
 * SYMBOLIZE flag and the tool's identity; limits are not part of it.
 * found = false for NO_CACHE and for a zero tool identity.  A stored DEADLINE
 * is found only when it was taken with at least the request's wall_ms. */
CUL_MUST_CHECK int cul_cache_get(struct cul_cache *cache,
                                 const struct cul_digest *artefact,
                                 const struct cul_request *request,
                                 struct cul_record *out, bool *found,
                                 struct cul_err *err);
/* Store.  MACHINE, NOT_STARTED and requests that get would not find are
 * ignored (0). */
CUL_MUST_CHECK int cul_cache_put(struct cul_cache *cache,
                                 const struct cul_digest *artefact,
                                 const struct cul_request *request,
                                 const struct cul_record *record,
                                 struct cul_err *err);

/* A memo: small value by (space, key), e.g. the verdict of a point of one
 * revision in one job, the file list of a tool, a file's digest by (path,
 * size, mtime, inode).  space: a literal such as "point". */
CUL_MUST_CHECK int cul_cache_memo_get(struct cul_cache *cache,
                                      const char *space,
                                      const struct cul_digest *key,
                                      struct cul_buf *out, bool *found,
                                      struct cul_err *err);
CUL_MUST_CHECK int cul_cache_memo_put(struct cul_cache *cache,
                                      const char *space,
                                      const struct cul_digest *key,
                                      const void *data, size_t len,
                                      struct cul_err *err);

/* Digest of a file, memoised by path, size, mtime (ns), inode and device.
 * Errors: EUSAGE where the file cannot be read. */
CUL_MUST_CHECK int cul_cache_file_digest(struct cul_cache *cache,
                                         const char *path,
                                         struct cul_digest *out,
                                         struct cul_err *err);

struct cul_cache_stats {
  uint64_t records, memos, bytes; /* rows, rows, file size */
  uint64_t hits, misses;          /* of this process */
};
CUL_MUST_CHECK int cul_cache_stat(struct cul_cache *cache,
                                  struct cul_cache_stats *out,
                                  struct cul_err *err);
/* Drop what was not used for `days` days, then the oldest until the file is
 * below max_bytes (0 = no bound); reclaim the space.  *dropped: rows. */
CUL_MUST_CHECK int cul_cache_gc(struct cul_cache *cache, int days,
                                uint64_t max_bytes, uint64_t *dropped,
                                struct cul_err *err);
/* Drop everything. */
CUL_MUST_CHECK int cul_cache_clear(struct cul_cache *cache,
                                   struct cul_err *err);

#endif
