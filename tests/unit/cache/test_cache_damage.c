/* The store: damaged, foreign and newer files, collisions, a full disk. */
#include "cache_place.h"

#include <dirent.h>
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
  struct said said;
  fill(place->path, 200);
  assert_int_equal(truncate(place->path, 8192), 0);
  bool noted = false;
  listen(&said);
  struct cul_cache *cache = open_at(place->path, &noted);
  for (uint64_t i = 0; i < 200; i++)
    assert_false(has(cache, i));
  assert_int_equal(said.times + noted, 1);
  stop_listening(&said);
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
  struct said said;
  listen(&said);
  struct cul_cache *cache = open_at(place->path, NULL);
  assert_false(has(cache, 7));
  assert_non_null(strstr(cul_buf_str(&said.text), ".damaged"));
  assert_non_null(strstr(cul_buf_str(&said.text), "a fresh one is used"));
  assert_true(exists(place->path, ".damaged"));
  /* It goes on with a fresh one, and says nothing again. */
  put(cache, 7, 10);
  assert_true(has(cache, 7));
  assert_int_equal(said.times, 1);
  cul_cache_close(cache);
  cache = open_at(place->path, NULL);
  assert_true(has(cache, 7));
  cul_cache_close(cache);
  stop_listening(&said);
}

/* Damage that first shows when something is written: the batch is in the fresh
 * store. */
static void test_damage_seen_when_writing(void **state) {
  struct place *place = *state;
  struct said said;
  struct cul_err err = {0};
  fill(place->path, 400);
  struct cul_cache *cache = open_at(place->path, NULL);
  struct stat st;
  assert_int_equal(stat(place->path, &st), 0);
  overwrite(place->path, 4096, (size_t)st.st_size - 4096);
  listen(&said);
  put(cache, 1000, 10);
  (void)!cul_cache_flush(cache, &err);
  assert_int_equal(said.times, 1);
  assert_true(has(cache, 1000));
  cul_cache_close(cache);
  cache = open_at(place->path, NULL);
  assert_true(has(cache, 1000));
  assert_false(has(cache, 1));
  cul_cache_close(cache);
  stop_listening(&said);
}

/* Any byte of it, changed before a job or in the middle of one: what is found
 * is what was put, whatever becomes of the store. */
static void test_flipped_bytes_anywhere(void **state) {
  struct place *place = *state;
  struct said said;
  uint32_t dice = 1;
  listen(&said);
  for (int round = 0; round < 120; round++) {
    struct cul_cache *cache;
    struct stat st;
    bool noted;
    cul_rmtree(place->dir);
    assert_int_equal(mkdir(place->dir, 0700), 0);
    fill(place->path, 40);
    assert_int_equal(stat(place->path, &st), 0);
    cache = round % 2 ? open_at(place->path, NULL) : NULL;
    for (int i = 0; i < 1 + round % 7 * 40; i++) {
      dice = dice * 1664525 + 1013904223;
      overwrite(place->path, dice % (uint32_t)st.st_size, 1);
    }
    if (!cache) {
      struct cul_err err = {0};
      char *note = NULL;
      noted = cul_cache_open(place->path, &cache, &note, &err) < 0 || note;
      assert_true(!noted || note || err.what[0]);
      free(note);
    }
    for (uint64_t i = 0; i < 40; i++)
      (void)!has(cache, i); /* a wrong one ends the test */
    for (uint64_t i = 100; i < 110 && cache; i++)
      put(cache, i, 2000);
    if (cache)
      assert_int_equal(has(cache, 105), cache->db != NULL);
    cul_cache_close(cache);
  }
  stop_listening(&said);
}

static size_t count_damaged(const char *dir) {
  struct dirent **entries = NULL;
  int n = scandir(dir, &entries, NULL, NULL);
  size_t found = 0;
  for (int i = 0; i < n; i++) {
    const char *end = strstr(entries[i]->d_name, ".damaged");
    found += end && !strchr(end, '-');
    free(entries[i]);
  }
  free(entries);
  return found;
}

static void test_few_damaged_are_kept(void **state) {
  struct place *place = *state;
  char *first = cul_xasprintf("%s.damaged", place->path);
  struct stat st, now;
  for (int i = 0; i < 6; i++) {
    bool noted = false;
    unlink(place->path);
    fill(place->path, 200);
    overwrite(place->path, 100, 3000);
    cul_cache_close(open_at(place->path, &noted));
    assert_true(noted);
    assert_int_equal(stat(first, i ? &now : &st), 0);
    if (i)
      assert_true(now.st_ino == st.st_ino); /* the oldest stays */
  }
  assert_int_equal(count_damaged(place->dir), 3);
  free(first);
}

/* A log that another store left. */
static void test_foreign_log(void **state) {
  struct place *place = *state;
  char *other = cul_xasprintf("%s/other.db", place->dir);
  char *from = cul_xasprintf("%s-wal", other);
  char *to = cul_xasprintf("%s-wal", place->path);
  struct cul_buf log = {0};
  struct cul_err err = {0};
  struct said said;
  bool noted;
  fill(place->path, 100);
  struct cul_cache *cache = open_at(other, NULL);
  for (uint64_t i = 0; i < 300; i++)
    put(cache, i + 7000, 3000);
  assert_int_equal(cul_cache_flush(cache, &err), 0);
  assert_int_equal(cul_file_read(from, 0, &log, &err), 0);
  assert_true(log.len > 0);
  cul_cache_close(cache);
  assert_int_equal(cul_file_write(to, log.data, log.len, 0600, &err), 0);
  listen(&said);
  cache = open_at(place->path, &noted);
  for (uint64_t i = 0; i < 100; i++)
    (void)!has(cache, i);
  put(cache, 5, 10);
  assert_true(has(cache, 5));
  cul_cache_close(cache);
  stop_listening(&said);
  cul_buf_release(&log);
  free(other);
  free(from);
  free(to);
}

/* A flipped bit in a memo that SQLite cannot see. */
static void test_flipped_bit_in_a_memo(void **state) {
  struct place *place = *state;
  struct cul_cache *cache = open_at(place->path, NULL);
  struct cul_digest key = number_key(1);
  struct cul_err err = {0};
  struct cul_buf file = {0}, out = {0};
  bool found = true;
  assert_int_equal(
      cul_cache_memo_put(cache, "number", &key, "the quick", 9, &err), 0);
  cul_cache_close(cache);
  assert_int_equal(cul_file_read(place->path, 0, &file, &err), 0);
  char *at = memmem(file.data, file.len, "quick", 5);
  assert_non_null(at);
  overwrite(place->path, at - file.data, 1);
  cul_buf_release(&file);
  cache = open_at(place->path, NULL);
  assert_int_equal(
      cul_cache_memo_get(cache, "number", &key, &out, &found, &err), 0);
  assert_false(found);
  assert_int_equal(out.len, 0);
  cul_cache_close(cache);
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
  assert_true(cul_store_find(cache, CUL_SPACE_RECORD, &key, &stored, &body));
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
  struct said said;
  listen(&said);
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
  assert_int_equal(said.times, 1);
  assert_non_null(strstr(err.what, "full"));
  assert_non_null(strstr(err.advice, "make room"));
  /* What was there stays, and small things still go in. */
  assert_true(has(cache, 1));
  assert_false(has(cache, 2));
  put(cache, 3, 10);
  assert_int_equal(cul_cache_flush(cache, &err), 0);
  assert_true(has(cache, 3));
  cul_cache_close(cache);
  stop_listening(&said);
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
      CASE(test_damage_seen_when_writing),
      CASE(test_flipped_bytes_anywhere),
      CASE(test_few_damaged_are_kept),
      CASE(test_foreign_log),
      CASE(test_flipped_bit_in_a_memo),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
