/* The store: damaged, foreign and newer files, collisions, a full disk. */
#include "cache_place.h"

#include <fcntl.h>

static void overwrite(const char *path, off_t at, size_t len) {
  int fd = open(path, O_WRONLY);
  assert_true(fd >= 0);
  char *junk = cul_xmalloc(len);
  memset(junk, 0xa5, len);
  assert_int_equal(pwrite(fd, junk, len, at), (ssize_t)len);
  free(junk);
  close(fd);
}

static bool exists(const char *path, const char *suffix) {
  char *name = cul_xasprintf("%s%s", path, suffix);
  bool there = access(name, F_OK) == 0;
  free(name);
  return there;
}

static void test_damage_seen_when_opening(void **state) {
  struct place *place = *state;
  fill(place->path, 200);
  overwrite(place->path, 100, 3000); /* the table of tables */
  bool noted = false;
  struct cul_cache *cache = open_at(place->path, &noted);
  assert_true(noted);
  assert_true(exists(place->path, ".damaged"));
  assert_false(has(cache, 1));
  put(cache, 1, 10);
  assert_true(has(cache, 1));
  cul_cache_close(cache);
}

static void test_cut_off_file(void **state) {
  struct place *place = *state;
  fill(place->path, 200);
  assert_int_equal(truncate(place->path, 8192), 0);
  bool noted = false;
  struct cul_cache *cache = open_at(place->path, &noted);
  struct cul_err err = {0};
  struct cul_buf out = {0};
  bool found = true;
  for (uint64_t i = 0; i < 200 && !noted; i++) {
    struct cul_digest key = number_key(i);
    noted = cul_cache_memo_get(cache, "number", &key, &out, &found, &err) < 0;
    assert_false(found);
  }
  assert_true(noted);
  cul_buf_release(&out);
  put(cache, 1, 10);
  cul_cache_close(cache);
  cache = open_at(place->path, NULL);
  assert_true(has(cache, 1));
  cul_cache_close(cache);
}

static void test_damage_seen_when_reading(void **state) {
  struct place *place = *state;
  fill(place->path, 400);
  struct stat st;
  assert_int_equal(stat(place->path, &st), 0);
  overwrite(place->path, 8192, (size_t)st.st_size - 8192);
  struct cul_cache *cache = open_at(place->path, NULL);
  struct cul_err err = {0};
  struct cul_buf out = {0};
  struct cul_digest key = number_key(7);
  bool found = true;
  assert_int_equal(
      cul_cache_memo_get(cache, "number", &key, &out, &found, &err), CUL_EENV);
  assert_false(found);
  assert_non_null(strstr(err.what, ".damaged"));
  assert_true(strlen(err.advice) > 0);
  assert_true(exists(place->path, ".damaged"));
  /* It goes on with a fresh one, and says nothing again. */
  put(cache, 7, 10);
  assert_true(has(cache, 7));
  cul_cache_close(cache);
  cache = open_at(place->path, NULL);
  assert_true(has(cache, 7));
  cul_cache_close(cache);
  cul_buf_release(&out);
}

/* A flipped bit that SQLite cannot see is a miss, not another record. */
static void test_flipped_bit_in_a_record(void **state) {
  struct place *place = *state;
  struct cul_cache *cache = open_at(place->path, NULL);
  static const char *const argv[] = {"tool", NULL};
  struct cul_command cmd = {.argv = argv};
  struct cul_request request = {
      .role = "suspect", .cmd = &cmd, .tool = {{1, 1}}};
  struct cul_digest artefact = {{5, 5}};
  struct cul_record record = {0};
  struct cul_err err = {0};
  bool found = false;
  cul_buf_adds(&record.out, "the quick brown fox");
  assert_int_equal(cul_cache_put(cache, &artefact, &request, &record, &err), 0);
  cul_cache_close(cache);
  struct cul_buf file = {0};
  assert_int_equal(cul_file_read(place->path, 0, &file, &err), 0);
  char *at = memmem(file.data, file.len, "quick", 5);
  assert_non_null(at);
  overwrite(place->path, at - file.data, 1);
  cul_buf_release(&file);
  cul_record_release(&record);
  cache = open_at(place->path, NULL);
  assert_int_equal(
      cul_cache_get(cache, &artefact, &request, &record, &found, &err), 0);
  assert_false(found);
  cul_cache_close(cache);
}

/* Equal digests of different keys must not be taken for the same run. */
static void test_collision_is_a_miss(void **state) {
  struct place *place = *state;
  struct cul_cache *cache = open_at(place->path, NULL);
  static const char *const argv[] = {"tool", NULL};
  struct cul_command cmd = {.argv = argv};
  struct cul_request request = {
      .role = "suspect", .cmd = &cmd, .tool = {{1, 1}}};
  struct cul_digest one = {{5, 5}}, two = {{6, 6}};
  struct cul_record record = {.status = 1}, back = {0};
  struct cul_buf full = {0}, stored = {0}, body = {0};
  struct cul_err err = {0};
  bool found = false;
  assert_int_equal(cul_cache_put(cache, &one, &request, &record, &err), 0);
  cul_record_key(&one, &request, &full);
  struct cul_digest key = cul_digest_of(full.data, full.len);
  assert_int_equal(cul_store_find(cache, CUL_SPACE_RECORD, &key, &stored, &body,
                                  &found, &err),
                   0);
  assert_true(found);
  /* What one wrote, under the digest of two. */
  cul_buf_clear(&full);
  cul_record_key(&two, &request, &full);
  key = cul_digest_of(full.data, full.len);
  cul_store_put(cache, CUL_SPACE_RECORD, &key, cul_buf_bytes(&stored),
                cul_buf_bytes(&body));
  assert_int_equal(cul_cache_get(cache, &two, &request, &back, &found, &err),
                   0);
  assert_false(found);
  cul_buf_release(&full);
  cul_buf_release(&stored);
  cul_buf_release(&body);
  cul_cache_close(cache);
}

static void expect_refused(const char *path, const char *what) {
  struct cul_cache *cache = NULL;
  struct cul_err err = {0};
  char *note = NULL;
  assert_int_equal(cul_cache_open(path, &cache, &note, &err), CUL_EENV);
  assert_null(cache);
  assert_null(note);
  assert_non_null(strstr(err.what, what));
  assert_true(strlen(err.advice) > 0);
}

static void test_newer_version(void **state) {
  struct place *place = *state;
  fill(place->path, 3);
  run_sql(place->path, "PRAGMA user_version = 2");
  expect_refused(place->path, "version 2");
  assert_false(exists(place->path, ".damaged"));
  run_sql(place->path, "PRAGMA user_version = 1");
  struct cul_cache *cache = open_at(place->path, NULL);
  assert_true(has(cache, 2));
  cul_cache_close(cache);
}

static void test_foreign_files(void **state) {
  struct place *place = *state;
  struct cul_err err = {0};
  struct cul_buf after = {0};
  const char *text = "these are the notes of somebody else\n";
  assert_int_equal(cul_file_write(place->path, text, strlen(text), 0600, &err),
                   0);
  expect_refused(place->path, "not a store");
  assert_int_equal(cul_file_read(place->path, 0, &after, &err), 0);
  assert_string_equal(after.data, text);
  cul_buf_release(&after);
  assert_int_equal(unlink(place->path), 0);
  run_sql(place->path, "CREATE TABLE other(x)");
  expect_refused(place->path, "not a store");
  assert_int_equal(unlink(place->path), 0);
  assert_int_equal(mkdir(place->path, 0700), 0);
  expect_refused(place->path, "not a plain file");
  expect_refused("/nonexistent/cache.db", "/nonexistent/cache.db");
}

static void test_full_disk(void **state) {
  struct place *place = *state;
  struct cul_cache *cache = open_at(place->path, NULL);
  struct cul_err err = {0};
  put(cache, 1, 100);
  assert_int_equal(cul_cache_flush(cache, &err), 0);
  assert_int_equal(
      sqlite3_exec(cache->db, "PRAGMA max_page_count = 6", NULL, NULL, NULL),
      SQLITE_OK);
  /* A put of its own accord ends no job; the next flush says what happened. */
  cache->flushed_us = 0;
  assert_int_equal(put_number(cache, 2, 100000, &err), 0);
  assert_int_equal(cache->n_pending, 0);
  assert_int_equal(cul_cache_flush(cache, &err), CUL_EENV);
  assert_non_null(strstr(err.what, "full"));
  assert_non_null(strstr(err.advice, "make room"));
  /* What was there stays, and small things still go in. */
  assert_true(has(cache, 1));
  assert_false(has(cache, 2));
  put(cache, 3, 10);
  assert_int_equal(cul_cache_flush(cache, &err), 0);
  assert_true(has(cache, 3));
  cul_cache_close(cache);
}

int main(void) {
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
  const struct CMUnitTest tests[] = {
      CASE(test_damage_seen_when_opening),
      CASE(test_cut_off_file),
      CASE(test_damage_seen_when_reading),
      CASE(test_flipped_bit_in_a_record),
      CASE(test_collision_is_a_miss),
      CASE(test_newer_version),
      CASE(test_foreign_files),
      CASE(test_full_disk),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
