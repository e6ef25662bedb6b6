/* The database of a triage: one SQLite file, locked while it is in use. */
#ifndef CUL_TRIAGE_DB_H
#define CUL_TRIAGE_DB_H

#include <sqlite3.h>

#include "../base/buf.h"

#define CUL_DB_VERSION 1

struct cul_db {
  char *path;
  sqlite3 *db;
  int lock;            /* descriptor of PATH.lock */
  struct cul_err *err; /* of the current call */
};

/* Open the database, made if missing unless must_exist is set, and begin a
 * transaction.  db: caller's storage, filled also on error (close it).  Errors:
 * EENV (another process uses it, a newer version, not a database of triage, no
 * room), EUSAGE (missing). */
CUL_MUST_CHECK int cul_db_open(struct cul_db *db, const char *path,
                               bool must_exist, struct cul_err *err);
/* Commit the changes.  Without this call cul_db_close rolls them back. */
CUL_MUST_CHECK int cul_db_commit(struct cul_db *db);
void cul_db_close(struct cul_db *db);

/* Run one statement; types: a letter for each argument: i int64_t, t text (NULL
 * is null).  Errors are written to db->err. */
CUL_MUST_CHECK int cul_db_run(struct cul_db *db, const char *sql,
                              const char *types, ...);
/* The same for every row of the answer; row returns 0 or an error. */
typedef int cul_db_row(void *arg, sqlite3_stmt *row, struct cul_err *err);
CUL_MUST_CHECK int cul_db_rows(struct cul_db *db, cul_db_row *row, void *arg,
                               const char *sql, const char *types, ...);
/* *out: the first number of the first row; other if there is no row. */
CUL_MUST_CHECK int cul_db_number(struct cul_db *db, int64_t other, int64_t *out,
                                 const char *sql, const char *types, ...);
/* Text of a column, never NULL; borrowed until the next row. */
const char *cul_db_text(sqlite3_stmt *row, int column);

#endif
