/* Opens the store's file: creates, checks and prepares it, and moves a damaged
 * one aside. All of this happens under a lock on PATH.lock, so that two
 * processes neither create the tables twice nor pair the fresh file of one with
 * the old write-ahead log of the other. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/check.h"
#include "../base/files/file.h"
#include "../base/status.h"
#include "store.h"

enum {
  APPLICATION_ID = 0x63756c70, /* "culp" */
  MOST_ENTRY =
      512 << 20, /* bytes: the most that a damaged file can make us allocate */
};

static const char create_sql[] =
    "PRAGMA auto_vacuum = INCREMENTAL;"
    "BEGIN IMMEDIATE;"
    "CREATE TABLE entry("
    " space TEXT NOT NULL, key BLOB NOT NULL, full BLOB NOT NULL,"
    " body BLOB NOT NULL, used INTEGER NOT NULL," /* unix seconds */
    " UNIQUE(space, key));"
    "PRAGMA application_id = 0x63756c70;"
    "PRAGMA user_version = 1;"
    "COMMIT;";

static const char *const another_place =
    "name another place with XDG_CACHE_HOME, or make this one writable";

static int fail_open(const char *path, const char *doing, struct cul_err *err) {
  return cul_fail(err, CUL_EENV, another_place, "cannot %s the store %s: %s",
                  doing, path, strerror(errno));
}

/* ---- files ---- */

/* Resolve links in the directory, which are the user's; then SQLite need not
 * follow any link. */
static int find_file(struct cul_cache *cache, struct cul_err *err) {
  const char *slash = strrchr(cache->path, '/');
  size_t n = slash ? (size_t)(slash - cache->path) : 0;
  char *dir = cul_xstrndup(slash ? cache->path : ".", slash ? n ? n : 1 : 1);
  char *real = realpath(dir, NULL);
  int rc = real ? 0 : fail_open(cache->path, "make", err);
  free(cache->file);
  cache->file = real
                    ? cul_xasprintf("%s/%s", strcmp(real, "/") == 0 ? "" : real,
                                    cul_basename(cache->path))
                    : NULL;
  free(real);
  free(dir);
  return rc;
}

/* Refuse a link in place of the store or beside it: another file would be
 * overwritten. */
static int check_file(const char *path, struct cul_err *err) {
  static const char advice[] =
      "remove it, or name another place with XDG_CACHE_HOME";
  struct stat st;
  if (lstat(path, &st) < 0)
    return errno == ENOENT ? 0 : fail_open(path, "open", err);
  if (S_ISLNK(st.st_mode))
    return cul_fail(
        err, CUL_EENV, advice,
        "%s, a file of the store, is a link: its target would be overwritten",
        path);
  if (!S_ISREG(st.st_mode))
    return cul_fail(err, CUL_EENV, advice,
                    "%s, a file of the store, is not a plain file", path);
  if (st.st_nlink > 1)
    return cul_fail(err, CUL_EENV, advice,
                    "%s, a file of the store, has another name (a hard link), "
                    "which would be overwritten too",
                    path);
  if (st.st_uid != geteuid() && geteuid() != 0)
    return cul_fail(err, CUL_EENV, advice,
                    "%s, a file of the store, belongs to user %u", path,
                    (unsigned)st.st_uid);
  return 0;
}

static int check_files(const struct cul_cache *cache, struct cul_err *err) {
  static const char *const suffix[] = {"", "-wal", "-shm", "-journal", ".lock"};
  int rc = 0;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(suffix) && rc == 0; i++) {
    char *path = cul_xasprintf("%s%s", cache->file, suffix[i]);
    rc = check_file(path, err);
    free(path);
  }
  return rc;
}

static int fail_lock(struct cul_cache *cache, struct cul_err *err) {
  if (errno == EINTR)
    return cul_fail(err, CUL_EINTR, "", "interrupted");
  if (errno == EWOULDBLOCK)
    return cul_store_fail_held(cache, err);
  return cul_fail(err, CUL_EENV, "name another place with XDG_CACHE_HOME",
                  "cannot lock the store %s: %s", cache->path, strerror(errno));
}

/* The lock of a store. */
struct lock {
  char *name; /* heap */
  int fd;
  bool made; /* by this process */
};

static int open_lock(const char *name, int flags) {
  return TEMP_FAILURE_RETRY(open(
      name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | flags,
      0600));
}

/* Was the locked file removed, or replaced, before it was locked? */
static bool is_gone(const struct lock *lock) {
  struct stat mine, named;
  return fstat(lock->fd, &mine) == 0 &&
         (lstat(lock->name, &named) < 0 || named.st_dev != mine.st_dev ||
          named.st_ino != mine.st_ino);
}

static void unlock(struct lock *lock) {
  if (lock->fd >= 0)
    close(lock->fd);
  free(lock->name);
  *lock = (struct lock){.fd = -1};
}

/* Unlock a place where no store was opened; nothing is left there. */
static void unlock_refused(struct lock *lock) {
  if (lock->made)
    unlink(lock->name); /* a lock left behind harms nobody */
  unlock(lock);
}

static int take_lock(struct cul_cache *cache, struct lock *lock,
                     struct cul_err *err) {
  int tries = 0, got;
  lock->fd = open_lock(lock->name, O_CREAT | O_EXCL);
  lock->made = lock->fd >= 0;
  if (lock->fd < 0 && errno == EEXIST)
    lock->fd = open_lock(lock->name, O_CREAT);
  if (lock->fd < 0)
    return fail_open(cache->path, "write", err);
  while ((got = flock(lock->fd, LOCK_EX | LOCK_NB)) < 0 &&
         (errno == EINTR || errno == EWOULDBLOCK) &&
         cul_store_wait(cache, tries++))
    ;
  return got < 0 ? fail_lock(cache, err) : 0;
}

static int lock_store(struct cul_cache *cache, struct lock *lock,
                      struct cul_err *err) {
  int rc;
  *lock =
      (struct lock){.name = cul_xasprintf("%s.lock", cache->file), .fd = -1};
  while ((rc = take_lock(cache, lock, err)) == 0 && is_gone(lock))
    close(lock->fd);
  if (rc)
    unlock(lock);
  return rc;
}

/* The first free name of "PATH.damaged", ".damaged.2", ...; if all are taken,
 * the last one, whose file is overwritten. */
static char *aside_name(const char *path) {
  enum { KEPT = 3 };
  char *name = cul_xasprintf("%s.damaged", path);
  struct stat st;
  for (int i = 2; i <= KEPT && lstat(name, &st) == 0; i++) {
    free(name);
    name = cul_xasprintf("%s.damaged.%d", path, i);
  }
  return name;
}

/* Move all files: a log left under its name would be applied to the fresh
 * store. */
static int move_aside(struct cul_cache *cache, char **note,
                      struct cul_err *err) {
  static const char *const suffix[] = {"-wal", "-journal", "-shm", ""};
  char *name = aside_name(cache->file);
  bool moved = true;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(suffix) && moved; i++) {
    char *from = cul_xasprintf("%s%s", cache->file, suffix[i]);
    char *to = cul_xasprintf("%s%s", name, suffix[i]);
    moved = rename(from, to) == 0 || errno == ENOENT;
    free(from);
    free(to);
  }
  if (moved) {
    free(*note);
    *note = cul_xasprintf("the store %s was damaged; it was moved to %s and a "
                          "fresh one is used",
                          cache->path, name);
  }
  free(name);
  return moved ? 0
               : cul_fail(err, CUL_EENV, "remove the file",
                          "the store %s is damaged and cannot be moved aside: "
                          "%s",
                          cache->path, strerror(errno));
}

/* Set the mode through an O_PATH descriptor. Closing any other descriptor of an
 * existing store would drop the POSIX locks of all connections in this
 * process. */
static bool take_rights(const char *path) {
  struct stat st;
  if (lstat(path, &st) < 0 || !(st.st_mode & 077))
    return true;
  int fd = TEMP_FAILURE_RETRY(open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC));
  char *name = cul_xasprintf("/proc/self/fd/%d", fd);
  bool done = fd >= 0 && chmod(name, 0600) == 0;
  int error = errno;
  free(name);
  if (fd >= 0)
    close(fd);
  errno = error;
  return done;
}

static int make_file(struct cul_cache *cache, struct cul_err *err) {
  int fd = TEMP_FAILURE_RETRY(
      open(cache->file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  int rc;
  if (fd >= 0)
    close(fd);
  else if (errno != EEXIST)
    return fail_open(cache->path, "make", err);
  if ((rc = check_files(cache, err)))
    return rc;
  return access(cache->file, R_OK | W_OK) < 0
             ? fail_open(cache->path, "write", err)
             : 0;
}

/* ---- tables ---- */

/* The first column of the first row as a number. */
static int ask_number(sqlite3 *db, const char *sql, int *out) {
  sqlite3_stmt *stmt = NULL;
  int rc = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);
  if (rc == SQLITE_OK)
    rc = sqlite3_step(stmt);
  if (rc == SQLITE_ROW) {
    *out = sqlite3_column_int(stmt, 0);
    rc = SQLITE_OK;
  }
  sqlite3_finalize(stmt);
  return rc;
}

static int prepare(struct cul_cache *cache) {
  const struct {
    sqlite3_stmt **stmt;
    const char *sql;
  } table[] = {
      {&cache->find,
       "SELECT full, body, used FROM entry WHERE space = ?1 AND key = ?2"},
      {&cache->put, "INSERT INTO entry(space, key, full, body, used) "
                    "VALUES(?1, ?2, ?3, ?4, ?5) "
                    "ON CONFLICT(space, key) DO UPDATE SET full = "
                    "excluded.full, body = excluded.body, used = "
                    "excluded.used"},
      {&cache->touch,
       "UPDATE entry SET used = ?3 WHERE space = ?1 AND key = ?2"},
  };
  int rc = SQLITE_OK;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(table) && rc == SQLITE_OK; i++)
    rc = sqlite3_prepare_v3(cache->db, table[i].sql, -1,
                            SQLITE_PREPARE_PERSISTENT, table[i].stmt, NULL);
  return rc;
}

static int wait_busy(void *self, int tries) {
  return cul_store_wait(self, tries);
}

/* Treat the contents of the file as untrusted data: disable triggers and views,
 * and check sizes. */
static void guard(struct cul_cache *cache) {
  sqlite3_busy_handler(cache->db, wait_busy, cache);
  sqlite3_extended_result_codes(cache->db, 0);
  sqlite3_limit(cache->db, SQLITE_LIMIT_LENGTH, MOST_ENTRY);
  sqlite3_db_config(cache->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config(cache->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  sqlite3_db_config(cache->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
  sqlite3_db_config(cache->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
  sqlite3_exec(cache->db, "PRAGMA cell_size_check = ON", NULL, NULL, NULL);
}

/* Returns SQLite's code; *id and *version identify foreign and newer files. */
static int open_tables(struct cul_cache *cache, int *id, int *version) {
  int tables = 0;
  int rc = sqlite3_open_v2(
      cache->file, &cache->db,
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW, NULL);
  if (rc != SQLITE_OK)
    return rc;
  guard(cache);
  if ((rc = ask_number(cache->db, "PRAGMA application_id", id)) ||
      (rc = ask_number(cache->db, "PRAGMA user_version", version)) ||
      (rc = ask_number(cache->db, "SELECT count(*) FROM sqlite_schema",
                       &tables)))
    return rc;
  /* Nothing is changed of somebody else's file. */
  if (*id != APPLICATION_ID && (*id != 0 || tables > 0))
    return SQLITE_OK;
  if (!take_rights(cache->file))
    return SQLITE_PERM;
  if (*id == 0) {
    if ((rc = sqlite3_exec(cache->db, create_sql, NULL, NULL, NULL)))
      return rc;
    *id = APPLICATION_ID;
    *version = CUL_STORE_VERSION;
  }
  if (*version != CUL_STORE_VERSION)
    return SQLITE_OK;
  rc = sqlite3_exec(cache->db,
                    "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL",
                    NULL, NULL, NULL);
  return rc ? rc : prepare(cache);
}

static int fail_foreign(struct cul_cache *cache, struct cul_err *err) {
  cul_store_disconnect(cache);
  return cul_fail(err, CUL_EENV,
                  "name another file, or remove this one if it is not needed",
                  "%s is not a store of culprit", cache->path);
}

static int check_owner(struct cul_cache *cache, int id, int version,
                       struct cul_err *err) {
  if (id != APPLICATION_ID)
    return fail_foreign(cache, err);
  if (version == CUL_STORE_VERSION)
    return 0;
  cul_store_disconnect(cache);
  return cul_fail(err, CUL_EENV,
                  "use the newer culprit, or name another place with "
                  "XDG_CACHE_HOME",
                  "the store %s is of version %d; this culprit knows %d",
                  cache->path, version, CUL_STORE_VERSION);
}

static bool is_damage(int rc) {
  return rc == SQLITE_CORRUPT || rc == SQLITE_NOTADB;
}

static int fail_tables(struct cul_cache *cache, int said, struct cul_err *err) {
  if (said == SQLITE_BUSY && cul_status_interrupted())
    return cul_fail(err, CUL_EINTR, "", "interrupted");
  if (said == SQLITE_BUSY)
    return cul_store_fail_held(cache, err);
  return cul_fail(err, CUL_EENV, another_place, "cannot open the store %s: %s",
                  cache->path, sqlite3_errstr(said));
}

static int connect_locked(struct cul_cache *cache, bool own_place, char **note,
                          struct cul_err *err) {
  int id = 0, version = 0;
  for (int attempt = 0;; attempt++) {
    int rc = make_file(cache, err);
    if (rc)
      return rc;
    int said = open_tables(cache, &id, &version);
    if (said == SQLITE_OK)
      break;
    if (said == SQLITE_NOTADB && !own_place)
      return fail_foreign(cache, err);
    if (!is_damage(said) || attempt > 0) {
      rc = fail_tables(cache, said, err);
      cul_store_disconnect(cache);
      return rc;
    }
    cul_store_disconnect(cache);
    if ((rc = move_aside(cache, note, err)))
      return rc;
  }
  return check_owner(cache, id, version, err);
}

/* Open a store without a name: SQLite removes its file at once. */
static int connect_nameless(struct cul_cache *cache, struct cul_err *err) {
  int id = 0, version = 0, said;
  cul_store_disconnect(cache);
  free(cache->file);
  cache->file = cul_xstrdup("");
  said = open_tables(cache, &id, &version);
  if (said == SQLITE_OK)
    return 0;
  cul_store_disconnect(cache);
  return cul_fail(err, CUL_EENV, "set TMPDIR to a directory with room",
                  "cannot open a store: %s", sqlite3_errstr(said));
}

static bool same_file(const struct cul_cache *cache) {
  struct stat st;
  return lstat(cache->file, &st) == 0 && st.st_dev == cache->dev &&
         st.st_ino == cache->ino;
}

int cul_store_connect(struct cul_cache *cache, bool own_place, char **note,
                      struct cul_err *err) {
  struct lock lock;
  struct stat st;
  int rc;
  if (!*cache->path)
    return connect_nameless(cache, err);
  rc = find_file(cache, err);
  if (rc == 0)
    rc = check_files(cache, err);
  if (rc == 0)
    rc = lock_store(cache, &lock, err);
  if (rc)
    return rc;
  rc = connect_locked(cache, own_place, note, err);
  if (rc == 0 && lstat(cache->file, &st) == 0) {
    cache->dev = st.st_dev;
    cache->ino = st.st_ino;
  }
  if (rc)
    unlock_refused(&lock);
  else
    unlock(&lock);
  return rc;
}

int cul_store_replace(struct cul_cache *cache, char **note,
                      struct cul_err *err) {
  struct lock lock;
  int rc;
  if (!*cache->path)
    return connect_nameless(cache, err);
  rc = lock_store(cache, &lock, err);
  if (rc)
    return rc;
  cul_store_disconnect(cache);
  /* Another process may have replaced the file already. */
  if (same_file(cache))
    rc = move_aside(cache, note, err);
  unlock(&lock);
  return rc ? rc : cul_store_connect(cache, true, note, err);
}

void cul_store_disconnect(struct cul_cache *cache) {
  int rc;
  sqlite3_finalize(cache->find);
  sqlite3_finalize(cache->put);
  sqlite3_finalize(cache->touch);
  cache->find = cache->put = cache->touch = NULL;
  rc = sqlite3_close(cache->db);
  cul_check(rc == SQLITE_OK); /* all statements are finalized */
  (void)rc;
  cache->db = NULL;
}
