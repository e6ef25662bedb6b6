/* Opening the store's file: create, check, prepare, and move aside.
 *
 * All of it happens under a lock on PATH.lock, so that two processes neither
 * create the tables twice nor pair one's fresh file with the other's old
 * write-ahead log. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store.h"

enum { APPLICATION_ID = 0x63756c70 /* "culp" */, BUSY_MS = 10000 };

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

static int lock_path(const char *path, int *fd, struct cul_err *err) {
  char *name = cul_xasprintf("%s.lock", path);
  int rc = 0;
  *fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  while (*fd >= 0 && flock(*fd, LOCK_EX) < 0 && errno == EINTR)
    ;
  if (*fd < 0)
    rc = cul_fail(err, CUL_EENV, another_place, "cannot write the store %s: %s",
                  path, strerror(errno));
  free(name);
  return rc;
}

/* Under SQLite's own names the log would be taken for the fresh file's. */
static int move_aside(const char *path, char **note, struct cul_err *err) {
  static const char *const suffix[] = {"-wal", "-journal", "-shm", ""};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(suffix); i++) {
    char *from = cul_xasprintf("%s%s", path, suffix[i]);
    char *to = cul_xasprintf("%s.damaged%s", path, suffix[i]);
    bool moved = rename(from, to) == 0 || errno == ENOENT;
    free(from);
    free(to);
    if (!moved)
      return cul_fail(err, CUL_EENV, "remove the file",
                      "the store %s is damaged and cannot be moved aside: %s",
                      path, strerror(errno));
  }
  free(*note);
  *note = cul_xasprintf("the store %s was damaged; it was moved to "
                        "%s.damaged and a fresh one is used",
                        path, path);
  return 0;
}

/* Never open(2) an existing store beside SQLite: closing that descriptor
 * would drop the POSIX locks of every connection in this process. */
static int make_private(const char *path, struct cul_err *err) {
  int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  struct stat st;
  if (fd >= 0)
    close(fd);
  else if (errno != EEXIST)
    return cul_fail(err, CUL_EENV, another_place,
                    "cannot make the store %s: %s", path, strerror(errno));
  if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
    return cul_fail(err, CUL_EENV, another_place,
                    "the store %s is not a plain file", path);
  if (access(path, R_OK | W_OK) < 0)
    return cul_fail(err, CUL_EENV, another_place,
                    "cannot write the store %s: %s", path, strerror(errno));
  if ((st.st_mode & 077) && chmod(path, 0600) < 0)
    return cul_fail(err, CUL_EENV, another_place,
                    "cannot make the store %s private: %s", path,
                    strerror(errno));
  return 0;
}

/* The first column of the first row, as a number. */
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

/* SQLite's code; what is foreign or newer is told apart by *id, *version. */
static int open_tables(struct cul_cache *cache, int *id, int *version) {
  int tables = 0;
  int rc = sqlite3_open_v2(cache->path, &cache->db,
                           SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
  if (rc != SQLITE_OK)
    return rc;
  sqlite3_busy_timeout(cache->db, BUSY_MS);
  sqlite3_extended_result_codes(cache->db, 0);
  if ((rc = ask_number(cache->db, "PRAGMA application_id", id)) ||
      (rc = ask_number(cache->db, "PRAGMA user_version", version)) ||
      (rc = ask_number(cache->db, "SELECT count(*) FROM sqlite_schema",
                       &tables)))
    return rc;
  if (*id == 0 && tables == 0) {
    if ((rc = sqlite3_exec(cache->db, create_sql, NULL, NULL, NULL)))
      return rc;
    *id = APPLICATION_ID;
    *version = CUL_STORE_VERSION;
  }
  if (*id != APPLICATION_ID || *version != CUL_STORE_VERSION)
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

static int connect_locked(struct cul_cache *cache, bool own_place, char **note,
                          struct cul_err *err) {
  int id = 0, version = 0;
  for (int attempt = 0;; attempt++) {
    int rc = make_private(cache->path, err);
    if (rc)
      return rc;
    int said = open_tables(cache, &id, &version);
    if (said == SQLITE_OK)
      break;
    if (said == SQLITE_NOTADB && !own_place)
      return fail_foreign(cache, err);
    if (!is_damage(said) || attempt > 0) {
      rc =
          cul_fail(err, CUL_EENV, another_place, "cannot open the store %s: %s",
                   cache->path, sqlite3_errstr(said));
      cul_store_disconnect(cache);
      return rc;
    }
    cul_store_disconnect(cache);
    if ((rc = move_aside(cache->path, note, err)))
      return rc;
  }
  return check_owner(cache, id, version, err);
}

static bool same_file(const struct cul_cache *cache) {
  struct stat st;
  return stat(cache->path, &st) == 0 && st.st_dev == cache->dev &&
         st.st_ino == cache->ino;
}

int cul_store_connect(struct cul_cache *cache, bool own_place, char **note,
                      struct cul_err *err) {
  struct stat st;
  int fd = -1, rc = lock_path(cache->path, &fd, err);
  if (rc)
    return rc;
  rc = connect_locked(cache, own_place, note, err);
  if (rc == 0 && stat(cache->path, &st) == 0) {
    cache->dev = st.st_dev;
    cache->ino = st.st_ino;
  }
  close(fd);
  return rc;
}

int cul_store_replace(struct cul_cache *cache, char **note,
                      struct cul_err *err) {
  int fd = -1, rc = lock_path(cache->path, &fd, err);
  if (rc)
    return rc;
  cul_store_disconnect(cache);
  /* Another process may have replaced it already. */
  if (same_file(cache))
    rc = move_aside(cache->path, note, err);
  close(fd);
  return rc ? rc : cul_store_connect(cache, true, note, err);
}

void cul_store_disconnect(struct cul_cache *cache) {
  sqlite3_finalize(cache->find);
  sqlite3_finalize(cache->put);
  sqlite3_finalize(cache->touch);
  cache->find = cache->put = cache->touch = NULL;
  sqlite3_close(cache->db);
  cache->db = NULL;
}
