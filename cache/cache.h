/* The cache ("store"): records by content, verdict memos and job results in one
 * SQLite file in WAL mode, 0600.
 *
 * For runs it keeps records, not verdicts, so that a changed oracle can judge
 * old runs again without running the tool.  Several processes may use one store
 * at a time.
 *
 * A put within 100 ms of the last write waits in memory (64 entries or 4 MiB at
 * most); every other put is written at once, with all waiting entries.  A loop
 * calls cul_cache_flush when it becomes idle; kill -9 then loses only the runs
 * in progress.
 *
 * Every function accepts a NULL cache, which finds and keeps nothing.  A
 * failing store does not end a job: get and put, also of memos, then return 0,
 * and the trouble is reported once as a note of base/status.h.  A damaged file
 * is moved to PATH.damaged (.2, .3) and replaced by a fresh one.  A lock of
 * another process is waited for, 4 s at most.  On a full disk, entries that
 * cannot be written are dropped.  If no store can be opened at all, the job
 * runs without one. */
#ifndef CUL_CACHE_CACHE_H
#define CUL_CACHE_CACHE_H

#include "../base/run.h"

struct cul_cache;

/* Open the store, and create it if necessary.  path: its file; NULL: cache.db
 * in cul_cache_dir(); "": an unnamed store, which ends with this process.  A
 * damaged file is moved aside (PATH.damaged) and replaced by a fresh one, with
 * *note (caller frees; NULL: no message).  Errors: EENV, with advice: the file
 * is not a store or has a newer version, one of the store's files is a link, or
 * others may write to its directory; EINTR: the user interrupts a wait for a
 * lock. */
CUL_MUST_CHECK int cul_cache_open(const char *path, struct cul_cache **out,
                                  char **note, struct cul_err *err);
/* Write pending entries, close, free.  cache may be NULL. */
void cul_cache_close(struct cul_cache *cache);
/* Write the pending batch now.  Errors: EENV, also where an earlier batch could
 * not be written.  (That did not fail its put: it was reported, and lost runs
 * are repeated.) */
CUL_MUST_CHECK int cul_cache_flush(struct cul_cache *cache,
                                   struct cul_err *err);

/* Before entries are written, ask whether what they are about still holds.
 * Once it does not, waiting entries are dropped, and records are not stored any
 * more.  self: borrowed until the cache is closed. */
void cul_cache_guard(struct cul_cache *cache, bool (*holds)(void *self),
                     void *self);

/* The record of request on artefact.  Key: artefact digest, argv template,
 * delivery, cwd when set, env, the passed environment, role, attempt, seed, the
 * flags that change what is run and the tool's identity; limits are not part of
 * the key. found = false for NO_CACHE and for a zero tool identity.  A record
 * cut short by a limit is found only if its limit was at least that of the
 * request: DEADLINE wall_ms, LIMIT cpu_ms and rss_bytes, truncated output
 * out_bytes; and a request with TRACE finds only traced runs. out: overwritten;
 * filled when found (release it), else empty. */
CUL_MUST_CHECK int cul_cache_get(struct cul_cache *cache,
                                 const struct cul_digest *artefact,
                                 const struct cul_request *request,
                                 struct cul_record *out, bool *found,
                                 struct cul_err *err);
/* Store a record.  MACHINE, NOT_STARTED, records that came from a cache, and
 * requests that get would not find, or for which it finds a record already, are
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

/* Call tell with each memo of a space, in no particular order.  data is
 * borrowed for the call, during which the store must not be used.  Errors:
 * EENV. */
CUL_MUST_CHECK int
cul_cache_memo_each(struct cul_cache *cache, const char *space,
                    void (*tell)(void *self, struct cul_bytes data), void *self,
                    struct cul_err *err);

/* Digest of a file, memoised by path, size, mtime and ctime (ns), inode and
 * device once the file is 100 ms old.  Errors: EUSAGE where the file cannot be
 * read. */
CUL_MUST_CHECK int cul_cache_file_digest(struct cul_cache *cache,
                                         const char *path,
                                         struct cul_digest *out,
                                         struct cul_err *err);

/* Note that a job of culprit writes a file or directory at path; where its
 * directory is missing, culprit makes that, too.  What others find by listing
 * its directory does not depend on the name (cul_cache_is_result). */
void cul_cache_note_result(struct cul_cache *cache, const char *path);
/* Was this name in dir (an absolute path without links) noted? */
bool cul_cache_is_result(struct cul_cache *cache, const char *dir,
                         const char *name);

struct cul_cache_stats {
  uint64_t records, memos, bytes; /* rows, rows, file size */
  uint64_t hits, misses;          /* in this process */
};
CUL_MUST_CHECK int cul_cache_stat(struct cul_cache *cache,
                                  struct cul_cache_stats *out,
                                  struct cul_err *err);
/* Drop entries not used for `days` days (negative: any age is kept), then the
 * oldest until the file has at most max_bytes (0 = no limit; an empty store has
 * some 20 KiB); reclaim the space.  *dropped: rows. */
CUL_MUST_CHECK int cul_cache_gc(struct cul_cache *cache, int days,
                                uint64_t max_bytes, uint64_t *dropped,
                                struct cul_err *err);
/* Drop all entries. */
CUL_MUST_CHECK int cul_cache_clear(struct cul_cache *cache,
                                   struct cul_err *err);

#endif
