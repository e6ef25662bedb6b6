/* The store: memos, several processes, sudden death, age and size. */
#include "../../../base/files/fd.h"
#include "cache_place.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

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

struct told {
  unsigned n;
  uint64_t sum;
};

static void tell(void *self, struct cul_bytes data) {
  struct told *told = self;
  uint32_t value;
  assert_int_equal(data.len, sizeof value);
  memcpy(&value, data.data, sizeof value);
  told->n++;
  told->sum += value;
}

/* Those of the space, pending or not, and no other's. */
static void test_each_memo_of_a_space(void **state) {
  struct place *place = *state;
  struct cul_cache *cache = open_at(place->path, NULL);
  struct cul_err err = {0};
  struct told told = {0};
  for (uint32_t i = 1; i <= 100; i++) {
    struct cul_digest key = cul_digest_of(&i, sizeof i);
    assert_int_equal(cul_cache_memo_put(cache, i % 2 ? "odd" : "even", &key, &i,
                                        sizeof i, &err),
                     0);
  }
  assert_int_equal(cul_cache_memo_each(cache, "odd", tell, &told, &err), 0);
  assert_int_equal(told.n, 50);
  assert_int_equal(told.sum, 2500);
  assert_int_equal(cul_cache_memo_each(NULL, "odd", tell, &told, &err), 0);
  assert_int_equal(told.n, 50);
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
      CASE(test_file_digest),
      CASE(test_gc_by_age),
      CASE(test_gc_by_size),
      CASE(test_clear),
      CASE(test_each_memo_of_a_space),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
