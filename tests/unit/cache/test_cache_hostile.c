/* The store: planted links, places that others may write, locks that somebody
 * holds, a store that goes away. */
#include "../../../base/clock.h"
#include "cache_place.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>

static void link_to(const struct place *place, const char *suffix, bool hard) {
  char *name = cul_xasprintf("%s%s", place->path, suffix);
  char *target = cul_xasprintf("%s/precious", place->dir);
  if (hard)
    assert_int_equal(link(target, name), 0);
  else
    assert_int_equal(symlink(target, name), 0);
  free(name);
  free(target);
}

/* Nothing is written through a link that stands in the place of a file. */
static void test_planted_links(void **state) {
  static const char *const suffix[] = {"", "-wal", "-shm", "-journal", ".lock"};
  struct place *place = *state;
  char *precious = cul_xasprintf("%s/precious", place->dir);
  struct cul_err err = {0};
  for (size_t i = 0; i < 2 * CUL_ARRAY_SIZE(suffix); i++) {
    struct cul_buf now = {0};
    bool hard = i % 2;
    cul_rmtree(place->dir);
    assert_int_equal(mkdir(place->dir, 0700), 0);
    if (*suffix[i / 2])
      fill(place->path, 3);
    if (i / 2 == 4) { /* left from making it */
      char *lock = cul_xasprintf("%s.lock", place->path);
      unlink(lock);
      free(lock);
    }
    assert_int_equal(cul_file_write(precious, "mine", 4, 0600, &err), 0);
    link_to(place, suffix[i / 2], hard);
    expect_refused(place->path, hard ? "hard link" : "is a link");
    assert_int_equal(cul_file_read(precious, 0, &now, &err), 0);
    assert_string_equal(cul_buf_str(&now), "mine");
    cul_buf_release(&now);
  }
  free(precious);
}

/* A link in the directory's name is the user's own. */
static void test_directory_by_link(void **state) {
  struct place *place = *state;
  char *real = cul_xasprintf("%s/real", place->dir);
  char *by = cul_xasprintf("%s/by", place->dir);
  char *path = cul_xasprintf("%s/cache.db", by);
  assert_int_equal(mkdir(real, 0700), 0);
  assert_int_equal(symlink("real", by), 0);
  fill(path, 3);
  struct cul_cache *cache = open_at(path, NULL);
  assert_true(has(cache, 2));
  cul_cache_close(cache);
  free(real);
  free(by);
  free(path);
}

static void test_place_of_others(void **state) {
  struct place *place = *state;
  char *dir = cul_xasprintf("%s/culprit", place->dir);
  char *made = NULL;
  struct cul_err err = {0};
  struct stat st;
  setenv("XDG_CACHE_HOME", place->dir, 1);
  assert_int_equal(cul_cache_dir_make(&made, &err), 0);
  assert_string_equal(made, dir);
  free(made);
  assert_int_equal(stat(dir, &st), 0);
  assert_int_equal(st.st_mode & 0777, 0700);
  assert_int_equal(chmod(dir, 0707), 0);
  assert_int_equal(cul_cache_dir_make(&made, &err), CUL_EENV);
  assert_null(made);
  assert_non_null(strstr(err.what, "others may write"));
  expect_refused(NULL, "others may write");
  assert_int_equal(rmdir(dir), 0);
  assert_int_equal(symlink("/tmp", dir), 0);
  assert_int_equal(cul_cache_dir_make(&made, &err), CUL_EENV);
  assert_non_null(strstr(err.what, "is a link"));
  assert_int_equal(unlink(dir), 0);
  assert_int_equal(cul_file_write(dir, "x", 1, 0600, &err), 0);
  assert_int_equal(cul_cache_dir_make(&made, &err), CUL_EENV);
  unsetenv("XDG_CACHE_HOME");
  free(dir);
}

/* Holds a write lock until it is killed. */
static pid_t hold(const char *path) {
  int ends[2];
  char byte;
  assert_int_equal(pipe(ends), 0);
  pid_t pid = fork();
  if (pid == 0) {
    sqlite3 *db = NULL;
    if (sqlite3_open(path, &db) ||
        sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL) ||
        write(ends[1], "x", 1) != 1)
      _exit(1);
    for (;;)
      pause();
  }
  close(ends[1]);
  assert_int_equal(read(ends[0], &byte, 1), 1);
  close(ends[0]);
  return pid;
}

static void let_go(pid_t pid) {
  assert_int_equal(kill(pid, SIGKILL), 0);
  assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* It is waited for, and who holds it is said; then the job goes on. */
static void test_held_store(void **state) {
  struct place *place = *state;
  struct cul_err err = {0};
  struct said said;
  fill(place->path, 3);
  struct cul_cache *cache = open_at(place->path, NULL);
  pid_t pid = hold(place->path);
  char *name = cul_xasprintf("process %d", (int)pid);
  FILE *locks = fopen("/proc/locks", "r");
  listen(&said);
  assert_true(has(cache, 2)); /* readers need not wait */
  put(cache, 5, 10);
  (void)!cul_cache_flush(cache, &err);
  assert_non_null(strstr(cul_buf_str(&said.text), "waiting for "));
  if (locks) {
    fclose(locks);
    assert_non_null(strstr(cul_buf_str(&said.text), name));
  }
  assert_int_equal(said.times, 2);
  uint64_t before = cul_now_us();
  for (uint64_t i = 10; i < 200; i++) /* no more waiting, nothing said again */
    put(cache, i, 10);
  assert_true(cul_now_us() - before < 3000000);
  assert_int_equal(said.times, 2);
  let_go(pid);
  cache->held_until_us = 0;
  put(cache, 6, 10);
  assert_int_equal(cul_cache_flush(cache, &err), 0);
  assert_true(has(cache, 6));
  cul_cache_close(cache);
  stop_listening(&said);
  free(name);
}

/* Ctrl-C during the wait. */
static void test_interrupted_wait(void **state) {
  static volatile int interrupted;
  struct place *place = *state;
  struct cul_cache *cache = NULL;
  struct cul_err err = {0};
  char *note = NULL, *name = cul_xasprintf("%s.lock", place->path);
  int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  uint64_t before = cul_now_us();
  assert_int_equal(flock(fd, LOCK_EX), 0);
  interrupted = 1;
  cul_status_watch(&interrupted);
  assert_int_equal(cul_cache_open(place->path, &cache, &note, &err), CUL_EINTR);
  cul_status_watch(NULL);
  assert_true(cul_now_us() - before < 3000000);
  close(fd);
  free(name);
}

/* The directory goes away in the middle: the job does without, said once. */
static void test_store_goes_away(void **state) {
  struct place *place = *state;
  struct cul_err err = {0};
  struct said said;
  struct cul_cache *cache = open_at(place->path, NULL);
  put(cache, 1, 10);
  assert_int_equal(cul_cache_flush(cache, &err), 0);
  listen(&said);
  cul_store_repair(cache, SQLITE_IOERR, "write");
  assert_null(cache->db);
  assert_int_equal(said.times, 1);
  assert_non_null(strstr(cul_buf_str(&said.text), "continuing without it"));
  put(cache, 2, 10);
  assert_false(has(cache, 1));
  cul_store_repair(cache, SQLITE_IOERR, "write");
  assert_int_equal(said.times, 1);
  cul_cache_close(cache);
  stop_listening(&said);
}

/* One that no tool can reach. */
static void test_nameless(void **state) {
  struct cul_err err = {0};
  struct cul_cache *cache = open_at("", NULL);
  (void)state;
  put(cache, 1, 10);
  assert_int_equal(cul_cache_flush(cache, &err), 0);
  assert_true(has(cache, 1));
  assert_true(cul_store_repair(cache, SQLITE_CORRUPT, "read"));
  assert_false(has(cache, 1));
  put(cache, 2, 10);
  assert_int_equal(cul_cache_flush(cache, &err), CUL_EENV); /* of before */
  assert_true(has(cache, 2));
  cul_cache_close(cache);
}

int main(void) {
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
  const struct CMUnitTest tests[] = {
      CASE(test_planted_links),    CASE(test_directory_by_link),
      CASE(test_place_of_others),  CASE(test_held_store),
      CASE(test_interrupted_wait), CASE(test_store_goes_away),
      CASE(test_nameless),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
