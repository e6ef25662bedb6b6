/* The store's file: several processes, sudden death, damage, age, size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../base/file.h"
#include "../../cache/store.h"

struct place {
  char dir[64];
  char *path;
};

static int setup(void **state) {
  struct place *place = cul_xcalloc(1, sizeof(*place));
  strcpy(place->dir, "/tmp/cul-store-XXXXXX");
  assert_non_null(mkdtemp(place->dir));
  place->path = cul_xasprintf("%s/cache.db", place->dir);
  *state = place;
  return 0;
}

static int teardown(void **state) {
  struct place *place = *state;
  cul_rmtree(place->dir);
  free(place->path);
  free(place);
  return 0;
}

static struct cul_cache *open_at(const char *path, bool *noted) {
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

static struct cul_digest number_key(uint64_t number) {
  return cul_digest_of(&number, sizeof(number));
}

static int put_number(struct cul_cache *cache, uint64_t number, size_t len,
                      struct cul_err *err) {
  struct cul_digest key = number_key(number);
  char *data = cul_xcalloc(1, len + 8);
  snprintf(data, len + 8, "%llu", (unsigned long long)number);
  int rc = cul_cache_memo_put(cache, "number", &key, data, len, err);
  free(data);
  return rc;
}

static void put(struct cul_cache *cache, uint64_t number, size_t len) {
  struct cul_err err = {0};
  assert_int_equal(put_number(cache, number, len, &err), 0);
}

static bool has(struct cul_cache *cache, uint64_t number) {
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

static void test_memo(void **state) {
  struct place *place = *state;
  struct cul_cache *cache = open_at(place->path, NULL);
  struct cul_digest key = number_key(1), other = number_key(2);
  struct cul_buf out = {0};
  struct cul_err err = {0};
  bool found = true;
  assert_int_equal(cul_cache_memo_get(cache, "a", &key, &out, &found, &err), 0);
  assert_false(found);
  assert_int_equal(cul_cache_memo_put(cache, "a", &key, "one", 3, &err), 0);
  assert_int_equal(cul_cache_memo_put(cache, "b", &key, NULL, 0, &err), 0);
  assert_int_equal(cul_cache_memo_put(cache, "a", &key, "t\0o", 3, &err), 0);
  for (int pass = 0; pass < 2; pass++) {
    cul_buf_clear(&out);
    assert_int_equal(cul_cache_memo_get(cache, "a", &key, &out, &found, &err),
                     0);
    assert_true(found);
    assert_int_equal(out.len, 3);
    assert_memory_equal(out.data, "t\0o", 3);
    cul_buf_clear(&out);
    assert_int_equal(cul_cache_memo_get(cache, "b", &key, &out, &found, &err),
                     0);
    assert_true(found);
    assert_int_equal(out.len, 0);
    assert_int_equal(cul_cache_memo_get(cache, "a", &other, &out, &found, &err),
                     0);
    assert_false(found);
    assert_int_equal(cul_cache_flush(cache, &err), 0);
  }
  cul_buf_release(&out);
  cul_cache_close(cache);
}

static void test_files_are_private(void **state) {
  struct place *place = *state;
  mode_t mask = umask(0);
  struct cul_cache *cache = open_at(place->path, NULL);
  static const char *const suffix[] = {"", "-wal", "-shm", ".lock"};
  put(cache, 1, 10);
  struct cul_err err = {0};
  assert_int_equal(cul_cache_flush(cache, &err), 0);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(suffix); i++) {
    char *name = cul_xasprintf("%s%s", place->path, suffix[i]);
    struct stat st;
    assert_int_equal(stat(name, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    free(name);
  }
  cul_cache_close(cache);
  assert_int_equal(chmod(place->path, 0644), 0);
  cul_cache_close(open_at(place->path, NULL));
  struct stat st;
  assert_int_equal(stat(place->path, &st), 0);
  assert_int_equal(st.st_mode & 0777, 0600);
  umask(mask);
}

static void test_default_place(void **state) {
  struct place *place = *state;
  char *path = cul_xasprintf("%s/culprit/cache.db", place->dir);
  struct stat st;
  setenv("XDG_CACHE_HOME", place->dir, 1);
  cul_cache_close(open_at(NULL, NULL));
  assert_int_equal(stat(path, &st), 0);
  /* In our own place a file that is no store is in the way. */
  struct cul_err err = {0};
  bool noted = false;
  assert_int_equal(cul_file_write(path, "garbage, not a store", 20, 0600, &err),
                   0);
  cul_cache_close(open_at(NULL, &noted));
  assert_true(noted);
  unsetenv("XDG_CACHE_HOME");
  free(path);
}

static void
test_own_pending_is_seen_and_other_handle_after_flush(void **state) {
  struct place *place = *state;
  struct cul_cache *a = open_at(place->path, NULL);
  struct cul_cache *b = open_at(place->path, NULL);
  struct cul_err err = {0};
  assert_int_equal(cul_cache_flush(a, &err), 0);
  put(a, 1, 10);
  put(a, 2, 10);
  assert_true(has(a, 1));
  assert_int_equal(cul_cache_flush(a, &err), 0);
  assert_true(has(b, 1));
  assert_true(has(b, 2));
  /* A full batch goes out by itself. */
  for (uint64_t i = 10; i < 10 + 2 * CUL_STORE_BATCH; i++)
    put(a, i, 10);
  assert_true(has(b, 10));
  /* So does a lone entry after a quiet time. */
  assert_int_equal(cul_cache_flush(a, &err), 0);
  usleep(CUL_STORE_BATCH_US + 20000);
  put(a, 1000, 10);
  assert_true(has(b, 1000));
  cul_cache_close(a);
  cul_cache_close(b);
}

/* In a child: put numbers first.. until told to stop by a signal, and say
 * after every flush how far it got. */
static void write_forever(const char *path, int fd) {
  struct cul_cache *cache = NULL;
  struct cul_err err = {0};
  char *note = NULL;
  if (cul_cache_open(path, &cache, &note, &err))
    _exit(1);
  for (uint64_t i = 0;; i++) {
    if (put_number(cache, i, 200 + i % 5000, &err))
      _exit(1);
    if (i % 7 != 6)
      continue;
    if (cul_cache_flush(cache, &err) || write(fd, &i, sizeof(i)) < 0)
      _exit(1);
  }
}

static void test_killed_while_writing(void **state) {
  struct place *place = *state;
  for (unsigned round = 0; round < 12; round++) {
    int fd[2];
    uint64_t last = 0, got = 0;
    assert_int_equal(pipe(fd), 0);
    pid_t pid = fork();
    if (pid == 0)
      write_forever(place->path, fd[1]);
    close(fd[1]);
    assert_int_equal(cul_read_all(fd[0], &last, sizeof(last)), 1);
    usleep(1000 * round + 137 * round);
    kill(pid, SIGKILL);
    while (cul_read_all(fd[0], &got, sizeof(got)) == 1)
      last = got;
    close(fd[0]);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    struct cul_cache *cache = open_at(place->path, NULL);
    for (uint64_t i = 0; i <= last; i++)
      assert_true(has(cache, i));
    cul_cache_close(cache);
  }
}

static void write_share(const char *path, uint64_t first, uint64_t n) {
  struct cul_cache *cache = NULL;
  struct cul_err err = {0};
  char *note = NULL;
  int rc = cul_cache_open(path, &cache, &note, &err);
  for (uint64_t i = first; rc == 0 && i < first + n; i++) {
    rc = put_number(cache, i, 300, &err);
    if (rc == 0 && i % 5 == 0)
      rc = cul_cache_flush(cache, &err);
  }
  if (rc == 0)
    rc = cul_cache_flush(cache, &err);
  cul_cache_close(cache);
  if (rc)
    fprintf(stderr, "%s\n", err.what);
  _exit(rc ? 1 : 0);
}

static void test_several_processes_at_once(void **state) {
  struct place *place = *state;
  enum { PROCESSES = 4, EACH = 300 };
  for (uint64_t i = 0; i < PROCESSES; i++)
    if (fork() == 0)
      write_share(place->path, i * EACH, EACH);
  for (int i = 0; i < PROCESSES; i++) {
    int status = -1;
    assert_true(wait(&status) > 0);
    assert_int_equal(status, 0);
  }
  struct cul_cache *cache = open_at(place->path, NULL);
  for (uint64_t i = 0; i < PROCESSES * EACH; i++)
    assert_true(has(cache, i));
  cul_cache_close(cache);
}

static void overwrite(const char *path, off_t at, size_t len) {
  int fd = open(path, O_WRONLY);
  assert_true(fd >= 0);
  char *junk = cul_xmalloc(len);
  memset(junk, 0xa5, len);
  assert_int_equal(pwrite(fd, junk, len, at), (ssize_t)len);
  free(junk);
  close(fd);
}

static void fill(const char *path, uint64_t n) {
  struct cul_cache *cache = open_at(path, NULL);
  for (uint64_t i = 0; i < n; i++)
    put(cache, i, 900);
  cul_cache_close(cache);
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
  assert_int_equal(cul_store_put(cache, CUL_SPACE_RECORD, &key,
                                 cul_buf_bytes(&stored), cul_buf_bytes(&body),
                                 &err),
                   0);
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

static void run_sql(const char *path, const char *sql) {
  sqlite3 *db = NULL;
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
  sqlite3_close(db);
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
  int rc = put_number(cache, 2, 100000, &err);
  if (rc == 0)
    rc = cul_cache_flush(cache, &err);
  assert_int_equal(rc, CUL_EENV);
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

static void test_file_digest(void **state) {
  struct place *place = *state;
  struct cul_cache *cache = open_at(place->path, NULL);
  struct cul_cache_stats stats;
  char *name = cul_xasprintf("%s/tool", place->dir);
  struct cul_digest want, got;
  struct cul_err err = {0};
  struct stat st;
  assert_int_equal(cul_file_write(name, "abcd", 4, 0755, &err), 0);
  usleep(150000);
  want = cul_digest_of("abcd", 4);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(cul_cache_file_digest(cache, name, &got, &err), 0);
    assert_true(cul_digest_equal(&want, &got));
    assert_int_equal(cul_cache_stat(cache, &stats, &err), 0);
    assert_int_equal(stats.memos, 1);
  }
  /* Same size, same inode, and the modification time set back. */
  assert_int_equal(stat(name, &st), 0);
  int fd = open(name, O_WRONLY);
  assert_int_equal(write(fd, "abce", 4), 4);
  struct timespec times[2] = {st.st_atim, st.st_mtim};
  assert_int_equal(futimens(fd, times), 0);
  close(fd);
  want = cul_digest_of("abce", 4);
  assert_int_equal(cul_cache_file_digest(cache, name, &got, &err), 0);
  assert_true(cul_digest_equal(&want, &got));
  /* Changed again at once: a young file is not remembered. */
  fd = open(name, O_WRONLY);
  assert_int_equal(write(fd, "abcf", 4), 4);
  close(fd);
  want = cul_digest_of("abcf", 4);
  assert_int_equal(cul_cache_file_digest(cache, name, &got, &err), 0);
  assert_true(cul_digest_equal(&want, &got));
  assert_int_equal(cul_cache_stat(cache, &stats, &err), 0);
  assert_int_equal(stats.memos, 1);
  assert_int_equal(unlink(name), 0);
  assert_int_equal(cul_cache_file_digest(cache, name, &got, &err), CUL_EUSAGE);
  free(name);
  cul_cache_close(cache);
}

static uint64_t file_size(const char *path) {
  struct stat st;
  assert_int_equal(stat(path, &st), 0);
  return (uint64_t)st.st_size;
}

static void test_gc_by_age(void **state) {
  struct place *place = *state;
  fill(place->path, 20);
  run_sql(place->path, "UPDATE entry SET used = used - 40 * 86400 "
                       "WHERE rowid <= 12");
  struct cul_cache *cache = open_at(place->path, NULL);
  struct cul_err err = {0};
  uint64_t dropped = 0;
  /* Using an old one makes it young. */
  assert_true(has(cache, 3));
  assert_int_equal(cul_cache_gc(cache, 30, 0, &dropped, &err), 0);
  assert_int_equal(dropped, 11);
  assert_true(has(cache, 3));
  assert_false(has(cache, 0));
  assert_true(has(cache, 15));
  assert_int_equal(cul_cache_gc(cache, -1, 0, &dropped, &err), 0);
  assert_int_equal(dropped, 0);
  cul_cache_close(cache);
}

static void test_gc_by_size(void **state) {
  struct place *place = *state;
  fill(place->path, 2000);
  struct cul_cache *cache = open_at(place->path, NULL);
  struct cul_err err = {0};
  uint64_t dropped = 0, bound = 200 << 10;
  assert_true(file_size(place->path) > 8 * bound);
  assert_int_equal(cul_cache_gc(cache, -1, bound, &dropped, &err), 0);
  assert_true(file_size(place->path) <= bound);
  assert_true(file_size(place->path) > bound / 2);
  assert_true(dropped > 1500 && dropped < 2000);
  /* The youngest stay. */
  assert_true(has(cache, 1999));
  assert_false(has(cache, 0));
  assert_int_equal(cul_cache_gc(cache, -1, 1, &dropped, &err), 0);
  assert_false(has(cache, 1999));
  cul_cache_close(cache);
}

static void test_clear(void **state) {
  struct place *place = *state;
  fill(place->path, 500);
  struct cul_cache *cache = open_at(place->path, NULL);
  struct cul_err err = {0};
  struct cul_cache_stats stats;
  put(cache, 1000, 10);
  assert_int_equal(cul_cache_clear(cache, &err), 0);
  assert_false(has(cache, 1));
  assert_false(has(cache, 1000));
  assert_int_equal(cul_cache_stat(cache, &stats, &err), 0);
  assert_int_equal(stats.records + stats.memos, 0);
  assert_true(file_size(place->path) < 40 << 10);
  cul_cache_close(cache);
}

int main(void) {
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
  const struct CMUnitTest tests[] = {
      CASE(test_memo),
      CASE(test_files_are_private),
      CASE(test_default_place),
      CASE(test_own_pending_is_seen_and_other_handle_after_flush),
      CASE(test_killed_while_writing),
      CASE(test_several_processes_at_once),
      CASE(test_damage_seen_when_opening),
      CASE(test_cut_off_file),
      CASE(test_damage_seen_when_reading),
      CASE(test_flipped_bit_in_a_record),
      CASE(test_collision_is_a_miss),
      CASE(test_newer_version),
      CASE(test_foreign_files),
      CASE(test_full_disk),
      CASE(test_file_digest),
      CASE(test_gc_by_age),
      CASE(test_gc_by_size),
      CASE(test_clear),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
