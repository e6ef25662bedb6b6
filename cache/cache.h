/* The store: records by content, verdict memos and job results; one SQLite
 * file in WAL mode, 0600.
 *
 * Records, not verdicts, are kept for runs: a changed oracle judges old runs
 * again for free.  Several processes may use one store at a time.
 *
 * A put within 100 ms of the last write waits in memory for company (64
 * entries or 4 MiB at most); every other put is written at once, with all
 * that waits.  A loop that goes idle calls cul_cache_flush, and then kill -9
 * loses only the runs in flight.
 *
 * Every function takes a NULL cache as a store that finds and keeps nothing.
 * A store that fails ends no job: get and put, of memos too, return 0 then, and
 * what became of it is said once, as a note of base/status.h.  Found damaged,
 * it is moved to PATH.damaged (.2, .3) and a fresh one is used; locked by
 * another process, it is waited for, 4 s at most; on a full disk what could not
 * be written is dropped; and one that cannot be had at all is done without. */
#ifndef CUL_CACHE_CACHE_H
#define CUL_CACHE_CACHE_H

#include "../base/run.h"

struct cul_cache;

/* Open (and make) the store.  path: file, NULL = cache.db in
 * cul_cache_dir(), "" = one without a name, which ends with this process.  A
 * file that is not a store, or of a newer version, is
 * EENV with advice, and so is one of which a file is a link, or whose place
 * others may write; a damaged one is moved aside (PATH.damaged) and a fresh one
 * made, said on *note (caller frees; NULL when nothing to say).  EINTR where
 * the user asks to end while a lock is waited for. */
CUL_MUST_CHECK int cul_cache_open(const char *path, struct cul_cache **out,
                                  char **note, struct cul_err *err);
/* Write what is pending, close, free.  NULL is fine. */
void cul_cache_close(struct cul_cache *cache);
/* Write the pending batch now.  Errors: EENV, also where a batch before it
 * could not be written, which ends no put: what is lost is run again, and has
 * been said. */
CUL_MUST_CHECK int cul_cache_flush(struct cul_cache *cache,
                                   struct cul_err *err);

/* The record of request on artefact.  Key: artefact digest, argv template,
 * delivery, cwd when set, env, the environment that is passed, role, attempt,
 * seed, the flags that change what runs and the tool's identity; limits are
 * not part of it. found = false for NO_CACHE and for a zero tool identity.
 * What a limit cut short is found only when taken with at least the request's
 * limit: DEADLINE wall_ms, LIMIT cpu_ms and rss_bytes, truncated output
 * out_bytes; and a request with TRACE finds only traced runs. out: overwritten;
 * filled when found (release it), else empty. */
CUL_MUST_CHECK int cul_cache_get(struct cul_cache *cache,
                                 const struct cul_digest *artefact,
                                 const struct cul_request *request,
                                 struct cul_record *out, bool *found,
                                 struct cul_err *err);
/* Store.  MACHINE, NOT_STARTED, records that came from a cache, and requests
 * that get would not find, or for which it finds a record already, are
 * ignored (0). */
CUL_MUST_CHECK int cul_cache_put(struct cul_cache *cache,
                                 const struct cul_digest *artefact,
                                 const struct cul_request *request,
                                 const struct cul_record *record,
                                 struct cul_err *err);

/* A memo: small value by (space, key), e.g. the verdict of a point of one
 * revision in one job, the file list of a tool, a file's digest by (path,
 * size, mtime, inode).  space: a literal such as "point"; not empty.
 * out: appended. */
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

/* Tell of each memo of a space, in no order; data is borrowed for the call, in
 * which the store must not be used.  Errors: EENV. */
CUL_MUST_CHECK int
cul_cache_memo_each(struct cul_cache *cache, const char *space,
                    void (*tell)(void *self, struct cul_bytes data), void *self,
                    struct cul_err *err);

/* Digest of a file, memoised by path, size, mtime and ctime (ns), inode and
 * device, once it is 100 ms old.
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
/* Drop what was not used for `days` days (negative: no bound on age), then the
 * oldest until the file is at most max_bytes (0 = no bound; an empty store has
 * some 20 KiB); reclaim the space.  *dropped: rows. */
CUL_MUST_CHECK int cul_cache_gc(struct cul_cache *cache, int days,
                                uint64_t max_bytes, uint64_t *dropped,
                                struct cul_err *err);
/* Drop everything. */
CUL_MUST_CHECK int cul_cache_clear(struct cul_cache *cache,
                                   struct cul_err *err);

#endif
