/* Opening, locking, and statements with their arguments: see db.h. */
#include "db.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/files/file.h"
#include "../base/files/lock.h"

enum { APPLICATION_ID = 0x63756c74 /* "cult" */ };

/* A form is a class of identical failures, identified by the level 3 key; a key
 * maps a form to a bucket. */
static const char create_sql[] =
    "CREATE TABLE bucket(id INTEGER PRIMARY KEY, name TEXT, link TEXT,"
    " ignored INTEGER NOT NULL DEFAULT 0, merged_into INTEGER, reduced TEXT);"
    "CREATE TABLE form(key3 TEXT PRIMARY KEY, key2 TEXT NOT NULL,"
    " sig TEXT NOT NULL, own TEXT NOT NULL, corrupted INTEGER NOT NULL,"
    " sample TEXT);"
    "CREATE TABLE key(key TEXT NOT NULL, level INTEGER NOT NULL,"
    " bucket INTEGER NOT NULL, key3 TEXT NOT NULL, PRIMARY KEY(key, level));"
    "CREATE TABLE run(id INTEGER PRIMARY KEY, started INTEGER NOT NULL,"
    " logs INTEGER NOT NULL, failures INTEGER NOT NULL,"
    " digest TEXT NOT NULL, done INTEGER NOT NULL DEFAULT 0);"
    "CREATE TABLE seen(run INTEGER NOT NULL, bucket INTEGER NOT NULL,"
    " n INTEGER NOT NULL, PRIMARY KEY(run, bucket));"
    "CREATE TABLE member(log TEXT NOT NULL, test TEXT NOT NULL,"
    " bucket INTEGER NOT NULL, key3 TEXT NOT NULL, PRIMARY KEY(log, test));"
    "CREATE TABLE rules(digest TEXT NOT NULL);"
    "PRAGMA application_id = 0x63756c74;"
    "PRAGMA user_version = 1;";

/* The keys of merged buckets, with the buckets from which they came.  An older
 * database gets this table when it is opened. */
static const char merged_sql[] =
    "CREATE TABLE IF NOT EXISTS merged(key TEXT NOT NULL, bucket INTEGER NOT "
    "NULL);";

static int fail(struct cul_db *db, const char *doing) {
  int rc = sqlite3_errcode(db->db) & 0xff;
  const char *advice =
      rc == SQLITE_FULL || rc == SQLITE_IOERR
          ? "make room on that file system; nothing in the file has changed"
      : rc == SQLITE_NOTADB || rc == SQLITE_CORRUPT
          ? "name another file with --db, or restore this one from a copy"
          : "name another file with --db; nothing in this one has changed";
  return cul_fail(db->err, CUL_EENV, advice, "cannot %s the database %s: %s",
                  doing, db->path, sqlite3_errmsg(db->db));
}

static int open_lock(const char *name, int flags) {
  return TEMP_FAILURE_RETRY(open(
      name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | flags,
      0600));
}

static int fail_lock(const struct cul_db *db, const char *lock) {
  CUL_OWNED(cul_buf) holder = {0};
  cul_lock_holder(lock, &holder);
  return cul_fail(db->err, CUL_EENV,
                  "wait until it has ended, or name another file with --db",
                  "another triage job uses the database %s%s", db->path,
                  cul_buf_str(&holder));
}

/* *made: the file of the lock was not there. */
static int lock(struct cul_db *db, bool *made) {
  char *name = cul_xasprintf("%s.lock", db->path);
  int rc = 0;
  db->lock = open_lock(name, O_CREAT | O_EXCL);
  *made = db->lock >= 0;
  if (db->lock < 0 && errno == EEXIST)
    db->lock = open_lock(name, O_CREAT);
  if (db->lock < 0)
    rc = cul_fail(db->err, CUL_EENV, "name a place that can be written",
                  "cannot write %s: %s", name, strerror(errno));
  else if (cul_lock_hold(db->lock, db->path) < 0)
    rc = fail_lock(db, name);
  free(name);
  return rc;
}

static int check_owner(struct cul_db *db) {
  int64_t id = 0, version = 0, tables = 0;
  int rc = cul_db_number(db, 0, &id, "PRAGMA application_id", "");
  if (rc == 0)
    rc = cul_db_number(db, 0, &version, "PRAGMA user_version", "");
  if (rc == 0)
    rc =
        cul_db_number(db, 0, &tables, "SELECT count(*) FROM sqlite_schema", "");
  if (rc < 0)
    return rc;
  if (id == 0 && tables == 0)
    return sqlite3_exec(db->db, create_sql, NULL, NULL, NULL) ||
                   sqlite3_exec(db->db, merged_sql, NULL, NULL, NULL)
               ? fail(db, "make")
               : 0;
  if (id != APPLICATION_ID)
    return cul_fail(db->err, CUL_EENV, "name another file with --db",
                    "%s is not a database of triage", db->path);
  if (version > CUL_DB_VERSION)
    return cul_fail(db->err, CUL_EENV,
                    "use the newer culprit, or name another file with --db",
                    "the database %s is of version %lld; this culprit knows "
                    "%d",
                    db->path, (long long)version, CUL_DB_VERSION);
  return sqlite3_exec(db->db, merged_sql, NULL, NULL, NULL) ? fail(db, "write")
                                                            : 0;
}

/* Nothing is left beside a file that is no database. */
static void remove_lock(const char *path) {
  CUL_HEAP char *name = cul_xasprintf("%s.lock", path);
  unlink(name);
}

int cul_db_open(struct cul_db *db, const char *path, bool must_exist,
                struct cul_err *err) {
  bool made = false;
  struct stat st;
  int rc;
  *db = (struct cul_db){.path = cul_xstrdup(path), .lock = -1, .err = err};
  if (must_exist && stat(path, &st) < 0)
    return cul_fail(err, CUL_EUSAGE,
                    "name the file that was given to culprit triage --db",
                    "cannot find database %s: %s", path, strerror(errno));
  rc = cul_file_check_later(path, false, err);
  if (rc == 0)
    rc = lock(db, &made);
  if (rc == 0 && (sqlite3_open_v2(path, &db->db,
                                  SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
                                      SQLITE_OPEN_NOMUTEX,
                                  NULL) ||
                  sqlite3_exec(db->db, "BEGIN IMMEDIATE", NULL, NULL, NULL)))
    rc = fail(db, "open");
  if (rc == 0)
    rc = check_owner(db);
  if (rc < 0 && made)
    remove_lock(path);
  return rc;
}

int cul_db_commit(struct cul_db *db) {
  return sqlite3_exec(db->db, "COMMIT", NULL, NULL, NULL) ? fail(db, "write")
                                                          : 0;
}

/* Begin a transaction if none is open.  It begins with the next statement after
 * a commit, so that a successful commit cannot fail because of what follows. */
static int begin(struct cul_db *db) {
  if (!sqlite3_get_autocommit(db->db))
    return 0;
  return sqlite3_exec(db->db, "BEGIN IMMEDIATE", NULL, NULL, NULL)
             ? fail(db, "write")
             : 0;
}

void cul_db_close(struct cul_db *db) {
  sqlite3_close(db->db); /* rolls an open transaction back */
  if (db->lock >= 0)
    close(db->lock);
  free(db->path);
  *db = (struct cul_db){.lock = -1};
}

static void bind(sqlite3_stmt *stmt, const char *types, va_list args) {
  for (int i = 0; types[i]; i++)
    if (types[i] == 'i')
      sqlite3_bind_int64(stmt, i + 1, va_arg(args, int64_t));
    else
      sqlite3_bind_text(stmt, i + 1, va_arg(args, const char *), -1,
                        SQLITE_TRANSIENT);
}

static int ask(struct cul_db *db, const char *sql, const char *types,
               va_list args, cul_db_row *row, void *arg) {
  sqlite3_stmt *stmt = NULL;
  int rc = begin(db), step;
  if (rc < 0)
    return rc;
  if (sqlite3_prepare_v2(db->db, sql, -1, &stmt, NULL))
    return fail(db, "read");
  bind(stmt, types, args);
  while ((step = sqlite3_step(stmt)) == SQLITE_ROW && rc == 0)
    rc = row ? row(arg, stmt, db->err) : 0;
  if (rc == 0 && step != SQLITE_DONE)
    rc = fail(db, "write");
  sqlite3_finalize(stmt);
  return rc;
}

int cul_db_run(struct cul_db *db, const char *sql, const char *types, ...) {
  va_list args;
  int rc;
  va_start(args, types);
  rc = ask(db, sql, types, args, NULL, NULL);
  va_end(args);
  return rc;
}

int cul_db_rows(struct cul_db *db, cul_db_row *row, void *arg, const char *sql,
                const char *types, ...) {
  va_list args;
  int rc;
  va_start(args, types);
  rc = ask(db, sql, types, args, row, arg);
  va_end(args);
  return rc;
}

static int take_number(void *arg, sqlite3_stmt *row, struct cul_err *err) {
  (void)err;
  *(int64_t *)arg = sqlite3_column_int64(row, 0);
  return 0;
}

int cul_db_number(struct cul_db *db, int64_t other, int64_t *out,
                  const char *sql, const char *types, ...) {
  va_list args;
  int rc;
  *out = other;
  va_start(args, types);
  rc = ask(db, sql, types, args, take_number, out);
  va_end(args);
  return rc;
}

const char *cul_db_text(sqlite3_stmt *row, int column) {
  const unsigned char *text = sqlite3_column_text(row, column);
  return text ? (const char *)text : "";
}
