/* Inside cache/: the one table of entries, and how values are packed.
 *
 * An entry is (space, key, full, body).  Records have the space "" and their
 * whole key text in full; memos have named spaces and an empty full.  Writes
 * wait in memory, so no lock is held between two calls, and every find looks
 * there first. */
#ifndef CUL_CACHE_STORE_H
#define CUL_CACHE_STORE_H

#include <sqlite3.h>
#include <sys/types.h>

#include "cache.h"

#define CUL_STORE_VERSION 1
#define CUL_SPACE_RECORD ""

enum {
  CUL_STORE_BATCH = 64, /* entries at most in one batch */
  CUL_STORE_BATCH_BYTES = 4 << 20,
  CUL_STORE_BATCH_US = 100 * 1000, /* a younger batch may wait */
};

struct cul_pending {
  char *space;
  struct cul_digest key;
  struct cul_buf full, body;
  bool touch; /* only mark as used today */
};

struct cul_cache {
  char *path; /* as given by the caller */
  char *file; /* the same, without links in its directory */
  sqlite3 *db;
  sqlite3_stmt *find, *put, *touch;
  dev_t dev; /* of the open file, which another process may replace */
  ino_t ino;
  struct cul_pending pending[CUL_STORE_BATCH];
  size_t n_pending, pending_bytes;
  uint64_t flushed_us; /* when the last batch was written */
  uint64_t hits, misses;
  struct cul_err trouble; /* the last reported error; code 0: none since */
  uint64_t wait_us;       /* start of a wait for another process's lock */
  /* another process kept the lock: do not write before */
  uint64_t held_until_us;
  unsigned replaced; /* number of times the file was found damaged */
  bool said_wait, said_held, said_lost;
  bool (*holds)(void *self); /* see cul_cache_guard; or NULL */
  void *guard;               /* its self */
  bool over;                 /* it said no: records are not stored any more */
};

/* schema.c: open the file of cache->path, make or check the tables, prepare the
 * statements.  A damaged file is moved to PATH.damaged, with a *note. */
CUL_MUST_CHECK int cul_store_connect(struct cul_cache *cache, bool own_place,
                                     char **note, struct cul_err *err);
/* Move a damaged file aside and connect to a fresh one. */
CUL_MUST_CHECK int cul_store_replace(struct cul_cache *cache, char **note,
                                     struct cul_err *err);
/* db == NULL afterwards: a store that finds nothing and keeps nothing. */
void cul_store_disconnect(struct cul_cache *cache);

/* wait.c: wait between two attempts to get a lock that another process holds;
 * tries: earlier attempts.  After a second it reports which process that is.
 * False: stop waiting, because it took too long (errno EWOULDBLOCK) or the user
 * interrupts (EINTR). */
bool cul_store_wait(struct cul_cache *cache, int tries);
/* Report EENV with the process that holds the lock. */
int cul_store_fail_held(struct cul_cache *cache, struct cul_err *err);

/* store.c: SQLite's message as an error with advice.  A damaged file is
 * replaced by a fresh one first. */
int cul_store_fail(struct cul_cache *cache, int rc, const char *doing,
                   struct cul_err *err);
/* Handle an SQLite error without ending the job: continue with a fresh store if
 * this one is damaged, without one if none can be opened; reported once.  True:
 * the operation may be retried. */
bool cul_store_repair(struct cul_cache *cache, int rc, const char *doing);
CUL_MUST_CHECK int cul_store_exec(struct cul_cache *cache, const char *sql,
                                  struct cul_err *err);
/* Find an entry; true: found, full and body are filled.  A store that cannot be
 * read finds nothing: cul_store_repair. */
bool cul_store_find(struct cul_cache *cache, const char *space,
                    const struct cul_digest *key, struct cul_buf *full,
                    struct cul_buf *body);
/* An entry that cannot be written is lost, which is no error:
 * cul_store_repair. */
void cul_store_put(struct cul_cache *cache, const char *space,
                   const struct cul_digest *key, struct cul_bytes full,
                   struct cul_bytes body);

/* records.c: the whole key text of a record. */
void cul_record_key(const struct cul_digest *artefact,
                    const struct cul_request *request, struct cul_buf *out);

#endif
