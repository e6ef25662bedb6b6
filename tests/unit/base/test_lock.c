/* Lock files: one holder at a time, also while holders remove the file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../base/files/lock.h"

enum { PROCESSES = 8, TURNS = 400 };

static char dir[] = "/tmp/culprit-lock-XXXXXX";
static char lock[64], inside[64];

static int make_dir(void **state) {
  (void)state;
  if (!mkdtemp(dir))
    return -1;
  snprintf(lock, sizeof lock, "%s/lock", dir);
  snprintf(inside, sizeof inside, "%s/inside", dir);
  return 0;
}

static int remove_dir(void **state) {
  (void)state;
  return rmdir(dir); /* empty: no lock file is left behind */
}

/* Takes the lock again and again; 1: it was not alone. */
static int compete(void) {
  for (int turn = 0; turn < TURNS; turn++) {
    int fd, mark;
    while ((fd = cul_lock_take(lock, "x")) < 0) {
      if (errno != EWOULDBLOCK)
        return 2;
      sched_yield();
    }
    mark = open(inside, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    if (mark < 0)
      return 1;
    close(mark);
    sched_yield();
    unlink(inside);
    cul_lock_drop(lock, fd);
  }
  return 0;
}

static void test_who_holds(void **state) {
  int fd;
  (void)state;
  assert_false(cul_lock_is_held(lock));
  assert_int_equal(access(lock, F_OK), -1); /* asking makes none */
  fd = cul_lock_take(lock, "x");
  assert_true(fd >= 0);
  assert_true(cul_lock_is_held(lock));
  cul_lock_drop(lock, fd);
  fd = open(lock, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  assert_true(fd >= 0); /* left behind by one that was killed */
  assert_false(cul_lock_is_held(lock));
  close(fd);
  unlink(lock);
}

static void test_one_holder_at_a_time(void **state) {
  (void)state;
  for (int i = 0; i < PROCESSES; i++)
    if (fork() == 0)
      _exit(compete());
  for (int i = 0; i < PROCESSES; i++) {
    int status;
    assert_true(wait(&status) > 0);
    assert_int_equal(status, 0);
  }
}

static void test_shared(void **state) {
  int one, other;
  (void)state;
  one = cul_lock_share(lock, "x");
  other = cul_lock_share(lock, "x");
  assert_true(one >= 0 && other >= 0);
  assert_int_equal(cul_lock_take(lock, "x"), -1);
  assert_int_equal(errno, EWOULDBLOCK);
  close(one);
  assert_int_equal(cul_lock_take(lock, "x"), -1);
  close(other);
  one = cul_lock_take(lock, "x");
  assert_true(one >= 0);
  assert_int_equal(cul_lock_share(lock, "x"), -1);
  assert_int_equal(errno, EWOULDBLOCK);
  cul_lock_drop(lock, one);
}

static void test_who_comes_second(void **state) {
  int fd = cul_lock_take(lock, "x");
  (void)state;
  assert_true(fd >= 0);
  assert_int_equal(cul_lock_take(lock, "x"), -1);
  assert_int_equal(errno, EWOULDBLOCK);
  assert_int_equal(access(lock, F_OK), 0);
  cul_lock_drop(lock, fd);
  assert_int_equal(access(lock, F_OK), -1);
  assert_int_equal(cul_lock_take("/nonexistent/lock", "x"), -1);
  assert_int_equal(errno, ENOENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_shared),
      cmocka_unit_test(test_who_comes_second),
      cmocka_unit_test(test_who_holds),
      cmocka_unit_test(test_one_holder_at_a_time),
  };
  return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
