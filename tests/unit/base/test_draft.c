/* What a killed process left beside a file goes when that is written next. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../base/buf.h"
#include "../../../base/files/beneath.h"

struct place {
  int in, out;
};

static bool is_text(int dir, const char *name, const char *text) {
  char got[64];
  int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  ssize_t n = fd < 0 ? -1 : read(fd, got, sizeof got - 1);
  if (fd >= 0)
    close(fd);
  got[n > 0 ? n : 0] = '\0';
  return n >= 0 && strcmp(got, text) == 0;
}

/* In a process that is killed as the draft is to take its name. */
static void be_killed_replacing(const struct place *p, const char *name) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_renameat, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {CUL_ARRAY_SIZE(filter), filter};
  int status;
  pid_t pid = fork();
  if (pid == 0) {
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_DUMPABLE, 0); /* no core file */
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0)
      cul_beneath_replace(p->in, name, (struct cul_bytes){"half", 4}, 0600,
                          false, NULL, NULL);
    _exit(0);
  }
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFSIGNALED(status));
}

/* Its name is not known here: what stands beside "f" with its name in front.
 * How many there are; *out: the last. */
static int drafts_of_f(const struct place *p, char out[256]) {
  DIR *dir = fdopendir(openat(p->in, ".", O_RDONLY | O_DIRECTORY));
  const struct dirent *entry;
  int n = 0;
  while ((entry = readdir(dir)))
    if (strncmp(entry->d_name, "f.", 2) == 0) {
      snprintf(out, 256, "%s", entry->d_name);
      n++;
    }
  closedir(dir);
  return n;
}

static void test_drafts_of_the_dead_go(void **state) {
  char top[64] = "culprit-draft-test-XXXXXX", name[256];
  struct place own, *p = &own;
  int fd, above;
  (void)state;
  assert_non_null(mkdtemp(top));
  assert_true((above = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) >= 0);
  mkdirat(above, "in", 0700);
  mkdirat(above, "out", 0700);
  own.in = openat(above, "in", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  own.out = openat(above, "out", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  assert_int_equal(cul_beneath_replace(p->in, "f",
                                       (struct cul_bytes){"mine", 4}, 0600,
                                       false, NULL, NULL),
                   0);
  assert_int_equal(cul_beneath_replace(p->out, "f",
                                       (struct cul_bytes){"precious", 8}, 0600,
                                       false, NULL, NULL),
                   0);
  be_killed_replacing(p, "f");
  assert_int_equal(drafts_of_f(p, name), 1);
  assert_true(is_text(p->in, "f", "mine"));
  /* One of a process that lives stays, and is in nobody's way. */
  assert_true((fd = openat(p->in, name, O_RDONLY | O_CLOEXEC)) >= 0);
  assert_int_equal(flock(fd, LOCK_EX), 0);
  assert_int_equal(cul_beneath_replace(p->in, "f", (struct cul_bytes){"new", 3},
                                       0600, true, NULL, NULL),
                   0);
  assert_int_equal(drafts_of_f(p, name), 1);
  close(fd);
  /* So does what has another name, and what is no plain file. */
  assert_int_equal(linkat(p->in, name, p->out, "second", 0), 0);
  assert_int_equal(cul_beneath_replace(p->in, "f", (struct cul_bytes){"new", 3},
                                       0600, true, NULL, NULL),
                   0);
  assert_int_equal(drafts_of_f(p, name), 1);
  assert_int_equal(unlinkat(p->out, "second", 0), 0);
  assert_int_equal(cul_beneath_replace(p->in, "f", (struct cul_bytes){"new", 3},
                                       0600, true, NULL, NULL),
                   0);
  assert_int_equal(symlinkat("../out/f", p->in, name), 0);
  assert_int_equal(cul_beneath_replace(p->in, "f", (struct cul_bytes){"new", 3},
                                       0600, true, NULL, NULL),
                   0);
  assert_int_equal(drafts_of_f(p, name), 1);
  assert_int_equal(unlinkat(p->in, name, 0), 0);
  assert_int_equal(cul_beneath_replace(p->in, "f",
                                       (struct cul_bytes){"last", 4}, 0600,
                                       true, NULL, NULL),
                   0);
  assert_int_equal(drafts_of_f(p, name), 0);
  assert_true(is_text(p->in, "f", "last"));
  assert_true(is_text(p->out, "f", "precious"));
  close(p->in);
  close(p->out);
  assert_int_equal(cul_beneath_empty(above, NULL), 0);
  close(above);
  assert_int_equal(rmdir(top), 0);
}

/* From now on files without a name are refused, as NFS does. */
static int refuse_tmpfile(void) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
               offsetof(struct seccomp_data, args[2])),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_TMPFILE & ~O_DIRECTORY, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {CUL_ARRAY_SIZE(filter), filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
    return -1;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* Replaces "f" over and over by many times its own letter; what it reads in
 * between is whole, be it another's.  0: each time. */
static int write_and_read(int dir, char letter) {
  enum { LENGTH = 3000, TIMES = 1500 };
  char text[LENGTH], got[LENGTH + 1];
  memset(text, letter, sizeof text);
  if (refuse_tmpfile() < 0)
    return 1;
  for (int i = 0; i < TIMES; i++) {
    int fd;
    ssize_t n;
    if (cul_beneath_replace(dir, "f", (struct cul_bytes){text, sizeof text},
                            0600, false, NULL, NULL) < 0)
      return 2;
    if ((fd = openat(dir, "f", O_RDONLY | O_CLOEXEC)) < 0)
      return 3;
    n = read(fd, got, sizeof got);
    close(fd);
    if (n != LENGTH || memcmp(got, got + 1, LENGTH - 1))
      return 4;
  }
  return 0;
}

static void test_writers_at_once(void **state) {
  enum { WRITERS = 4 };
  char top[64] = "culprit-draft-test-XXXXXX", name[256];
  struct place place = {0};
  pid_t pids[WRITERS];
  (void)state;
  assert_non_null(mkdtemp(top));
  place.in = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  assert_true(place.in >= 0);
  for (int i = 0; i < WRITERS; i++) {
    pids[i] = fork();
    assert_true(pids[i] >= 0);
    if (pids[i] == 0)
      _exit(write_and_read(place.in, (char)('a' + i)));
  }
  for (int i = 0; i < WRITERS; i++) {
    int status;
    assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
    assert_int_equal(status, 0);
  }
  assert_int_equal(drafts_of_f(&place, name), 0);
  assert_int_equal(cul_beneath_empty(place.in, NULL), 0);
  close(place.in);
  assert_int_equal(rmdir(top), 0);
}

/* Time for so many questions. */
static int time_for(const void *self, struct cul_err *err) {
  int *left = *(int *const *)self;
  return (*left)-- > 0 ? 0 : cul_fail(err, CUL_EINTR, "", "enough");
}

/* A write in parts that is ended leaves what was there, and nothing beside. */
static void test_long_writes_end(void **state) {
  enum { LEN = 40 << 20 };
  char top[64] = "culprit-draft-test-XXXXXX", name[256], *data;
  int left, *at = &left;
  const struct cul_patience patience = {time_for, &at}, endless = {0};
  struct cul_err err = {0};
  struct stat st;
  struct place p;
  (void)state;
  assert_non_null(mkdtemp(top));
  assert_true((p.in = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) >= 0);
  data = cul_xcalloc(1, LEN);
  assert_int_equal(cul_beneath_replace(p.in, "f", (struct cul_bytes){"mine", 4},
                                       0600, false, NULL, NULL),
                   0);
  for (int most = 0; most < 4; most++) {
    left = most;
    assert_int_equal(cul_beneath_replace(p.in, "f",
                                         (struct cul_bytes){data, LEN}, 0600,
                                         false, &patience, &err),
                     -1);
    assert_int_equal(errno, ECANCELED);
    assert_int_equal(err.code, CUL_EINTR);
    assert_int_equal(left, -1);
    assert_true(is_text(p.in, "f", "mine"));
    assert_int_equal(drafts_of_f(&p, name), 0);
  }
  /* Nobody is asked for a short one, or once all is written. */
  left = 0;
  assert_int_equal(cul_beneath_replace(p.in, "f", (struct cul_bytes){"new", 3},
                                       0600, false, &patience, &err),
                   0);
  assert_true(is_text(p.in, "f", "new"));
  left = 4;
  assert_int_equal(cul_beneath_replace(p.in, "f", (struct cul_bytes){data, LEN},
                                       0600, false, &patience, &err),
                   0);
  assert_int_equal(left, 0);
  assert_int_equal(cul_beneath_replace(p.in, "f", (struct cul_bytes){data, LEN},
                                       0600, false, &endless, &err),
                   0);
  assert_int_equal(fstatat(p.in, "f", &st, 0), 0);
  assert_int_equal(st.st_size, LEN);
  assert_int_equal(unlinkat(p.in, "f", 0), 0);
  close(p.in);
  assert_int_equal(rmdir(top), 0);
  free(data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_long_writes_end),
      cmocka_unit_test(test_drafts_of_the_dead_go),
      cmocka_unit_test(test_writers_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
