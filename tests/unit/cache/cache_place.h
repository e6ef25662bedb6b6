/* A store in a directory of its own, for the tests of cache/. */
#ifndef CUL_TESTS_UNIT_CACHE_CACHE_PLACE_H
#define CUL_TESTS_UNIT_CACHE_CACHE_PLACE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../../base/files/file.h"
#include "../../../base/status.h"
#include "../../../cache/store.h"

struct place {
  char dir[64];
  char *path;
};

static inline int setup(void **state) {
  struct place *place = cul_xcalloc(1, sizeof(*place));
  strcpy(place->dir, "/tmp/cul-store-XXXXXX");
  assert_non_null(mkdtemp(place->dir));
  place->path = cul_xasprintf("%s/cache.db", place->dir);
  *state = place;
  return 0;
}

static inline int teardown(void **state) {
  struct place *place = *state;
  cul_rmtree(place->dir);
  free(place->path);
  free(place);
  return 0;
}

static inline struct cul_cache *open_at(const char *path, bool *noted) {
  struct cul_cache *cache = NULL;
  struct cul_err err = {0};
  char *note = NULL;
  int rc = cul_cache_open(path, &cache, &note, &err);
  if (rc)
    print_error("%s\n", err.what);
  assert_int_equal(rc, 0);
  if (noted)
    *noted = note != NULL;
  else
    assert_null(note);
  free(note);
  return cache;
}

static inline struct cul_digest number_key(uint64_t number) {
  return cul_digest_of(&number, sizeof(number));
}

static inline int put_number(struct cul_cache *cache, uint64_t number,
                             size_t len, struct cul_err *err) {
  struct cul_digest key = number_key(number);
  char *data = cul_xcalloc(1, len + 8);
  snprintf(data, len + 8, "%llu", (unsigned long long)number);
  int rc = cul_cache_memo_put(cache, "number", &key, data, len, err);
  free(data);
  return rc;
}

static inline void put(struct cul_cache *cache, uint64_t number, size_t len) {
  struct cul_err err = {0};
  assert_int_equal(put_number(cache, number, len, &err), 0);
}

static inline bool has(struct cul_cache *cache, uint64_t number) {
  struct cul_digest key = number_key(number);
  struct cul_buf out = {0};
  struct cul_err err = {0};
  bool found = false;
  assert_int_equal(
      cul_cache_memo_get(cache, "number", &key, &out, &found, &err), 0);
  if (found)
    assert_int_equal(strtoull(cul_buf_str(&out), NULL, 10), number);
  cul_buf_release(&out);
  return found;
}

static inline void fill(const char *path, uint64_t n) {
  struct cul_cache *cache = open_at(path, NULL);
  for (uint64_t i = 0; i < n; i++)
    put(cache, i, 900);
  cul_cache_close(cache);
}

static inline void run_sql(const char *path, const char *sql) {
  sqlite3 *db = NULL;
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
  sqlite3_close(db);
}

/* What is said on the way. */
struct said {
  struct cul_buf text;
  unsigned times;
};

static inline void take_note(void *self, const char *line, uint64_t left_us) {
  struct said *said = self;
  assert_true(left_us == UINT64_MAX); /* however short the job is */
  cul_buf_addf(&said->text, "%s\n", line);
  said->times++;
}

static inline void listen(struct said *said) {
  const struct cul_status_viewer viewer = {.self = said, .note = take_note};
  *said = (struct said){{0}, 0};
  cul_status_view(&viewer);
}

static inline void stop_listening(struct said *said) {
  cul_status_view(NULL);
  cul_buf_release(&said->text);
}

static inline void expect_refused(const char *path, const char *what) {
  struct cul_cache *cache = NULL;
  struct cul_err err = {0};
  char *note = NULL;
  assert_int_equal(cul_cache_open(path, &cache, &note, &err), CUL_EENV);
  assert_null(cache);
  assert_null(note);
  assert_non_null(strstr(err.what, what));
  assert_true(strlen(err.advice) > 0);
}

#endif
