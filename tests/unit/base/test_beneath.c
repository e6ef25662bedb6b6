/* Files below a held directory: links are refused by both ways of looking
 * names up, files are plain, trees go whatever they are, and what lies outside
 * stays as it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../base/files/beneath.h"
#include "../../../base/files/fd.h"
#include "../../../base/files/file.h"

enum { NOBODY = 65534 };

/* Each test's own: "in" is held, "out" is somebody else's. */
struct place {
  char top[64];
  int in, out;
};

static void make_file(int dir, const char *name, const char *text) {
  int fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  assert_true(fd >= 0);
  assert_int_equal(cul_write_all(fd, text, strlen(text)), 0);
  close(fd);
}

static void make_dir(int dir, const char *name) {
  assert_int_equal(mkdirat(dir, name, 0700), 0);
}

static int open_dir(int dir, const char *name) {
  int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  assert_true(fd >= 0);
  return fd;
}

static bool is_text(int dir, const char *name, const char *want) {
  char text[256];
  int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
  if (fd >= 0)
    close(fd);
  text[n < 0 ? 0 : n] = '\0';
  return n >= 0 && strcmp(text, want) == 0;
}

static bool is_there(int dir, const char *name) {
  struct stat st;
  return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

static int set_up(void **state) {
  struct place *p = cul_xcalloc(1, sizeof *p);
  int top;
  /* In memory where there is: 100,000 files take seconds on a disk. */
  snprintf(p->top, sizeof p->top, "%s/culprit-beneath-XXXXXX",
           access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
  if (!mkdtemp(p->top))
    return -1;
  top = open(p->top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  make_dir(top, "in");
  make_dir(top, "out");
  p->in = open_dir(top, "in");
  p->out = open_dir(top, "out");
  close(top);
  make_file(p->in, "f", "mine");
  make_dir(p->in, "sub");
  make_dir(p->in, "sub/deep");
  make_file(p->in, "sub/deep/f", "deep");
  make_file(p->out, "f", "precious");
  symlinkat("../out", p->in, "away");
  symlinkat("../out/f", p->in, "file-away");
  symlinkat("f", p->in, "near");
  symlinkat("../../out", p->in, "sub/away");
  symlinkat("nowhere", p->in, "dangling");
  *state = p;
  return 0;
}

/* What is outside is as it was, whatever the test did. */
static int tear_down(void **state) {
  struct place *p = *state;
  bool kept = is_text(p->out, "f", "precious");
  close(p->in);
  close(p->out);
  cul_rmtree(p->top);
  kept = kept && access(p->top, F_OK) < 0;
  free(p);
  return kept ? 0 : -1;
}

typedef int look_up_fn(int dir, const char *path, int flags, mode_t mode);

static const struct {
  const char *path;
  int error, other_error; /* 0: is opened */
} look_ups[] = {
    {"f", 0, 0},
    {"./f", 0, 0},
    {"sub/deep/f", 0, 0},
    {"sub//deep/f", 0, 0},
    {"none", ENOENT, 0},
    {"sub/none/f", ENOENT, 0},
    {"f/f", ENOTDIR, 0},
    {"", ENOENT, 0},
    {"near", ELOOP, 0},
    {"file-away", ELOOP, 0},
    {"dangling", ELOOP, 0},
    {"away/f", ELOOP, ENOTDIR},
    {"sub/away/f", ELOOP, ENOTDIR},
    {"../out/f", EXDEV, 0},
    {"sub/../f", EXDEV, 0},
    {"sub/..", EXDEV, 0},
    {"..", EXDEV, 0},
    {"/etc/passwd", EXDEV, 0},
};

/* The number of look-ups that do otherwise than the table says. */
static int count_wrong(look_up_fn *look_up, int dir) {
  int wrong = 0;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(look_ups); i++) {
    int fd = look_up(dir, look_ups[i].path, O_RDONLY, 0);
    int error = fd < 0 ? errno : 0;
    if (fd >= 0)
      close(fd);
    if (error == look_ups[i].error ||
        (error && error == look_ups[i].other_error))
      continue;
    wrong++;
    fprintf(stderr, "%s: %s\n", look_ups[i].path, strerror(error));
  }
  return wrong;
}

static void test_links_are_refused(void **state) {
  struct place *p = *state;
  assert_int_equal(count_wrong(cul_beneath_open, p->in), 0);
  assert_int_equal(count_wrong(cul_beneath_steps, p->in), 0);
}

/* openat2 answers error from here on. */
static bool filter_openat2(int error) {
#ifdef SYS_openat2
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog program = {CUL_ARRAY_SIZE(code), code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
#else
  (void)error;
  return true;
#endif
}

static void test_without_openat2(void **state) {
  static const int errors[] = {ENOSYS, EPERM};
  struct place *p = *state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(errors); i++) {
    int status;
    pid_t pid = fork();
    if (pid == 0)
      _exit(!filter_openat2(errors[i]) ? 77
                                       : count_wrong(cul_beneath_open, p->in));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77)
      skip(); /* no filters here */
    assert_int_equal(WEXITSTATUS(status), 0);
  }
}

static int error_of(int dir, const char *path, int flags) {
  int fd = cul_beneath_open(dir, path, flags, 0600);
  if (fd < 0)
    return errno;
  close(fd);
  return 0;
}

static void make_socket(const struct place *p, const char *name) {
  struct sockaddr_un at = {.sun_family = AF_UNIX};
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  snprintf(at.sun_path, sizeof at.sun_path, "%s/in/%s", p->top, name);
  assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
  close(fd);
}

static void test_files_are_plain(void **state) {
  struct place *p = *state;
  alarm(20); /* a pipe without a reader would be waited for */
  assert_int_equal(mkfifoat(p->in, "pipe", 0600), 0);
  make_socket(p, "socket");
  assert_int_equal(linkat(p->out, "f", p->in, "hard", 0), 0);
  assert_int_equal(error_of(p->in, "pipe", O_RDONLY), ENXIO);
  assert_int_equal(error_of(p->in, "pipe", O_WRONLY), ENXIO);
  assert_int_equal(error_of(p->in, "pipe", O_RDWR | O_CREAT), ENXIO);
  assert_int_equal(error_of(p->in, "socket", O_RDONLY), ENXIO);
  assert_int_equal(error_of(p->in, "sub", O_RDONLY), EISDIR);
  assert_int_equal(error_of(p->in, "hard", O_RDONLY), 0);
  assert_int_equal(error_of(p->in, "hard", O_WRONLY | O_TRUNC), EMLINK);
  assert_int_equal(error_of(p->in, "hard", O_RDWR | O_CREAT), EMLINK);
  assert_int_equal(error_of(p->in, "f", O_WRONLY | O_CREAT | O_EXCL), EEXIST);
  assert_int_equal(error_of(p->in, "dangling", O_WRONLY | O_CREAT), ELOOP);
  assert_int_equal(error_of(p->in, "dangling", O_WRONLY | O_CREAT | O_EXCL),
                   EEXIST);
  assert_int_equal(error_of(p->in, "sub/new", O_WRONLY | O_CREAT | O_EXCL), 0);
  assert_true(is_text(p->in, "sub/new", ""));
  assert_int_equal(error_of(p->in, "f", O_WRONLY | O_TRUNC), 0);
  assert_true(is_text(p->in, "f", ""));
  alarm(0);
}

static void test_own_directories(void **state) {
  struct place *p = *state;
  char path[96];
  int fd;
  snprintf(path, sizeof path, "%s/in/sub", p->top);
  assert_true((fd = cul_beneath_hold(path)) >= 0);
  close(fd);
  snprintf(path, sizeof path, "%s/in/away", p->top);
  assert_int_equal(cul_beneath_hold(path), -1);
  snprintf(path, sizeof path, "%s/in/f", p->top);
  assert_int_equal(cul_beneath_hold(path), -1);
  if (geteuid() == 0) {
    assert_int_equal(fchownat(p->in, "sub", NOBODY, (gid_t)-1, 0), 0);
    snprintf(path, sizeof path, "%s/in/sub", p->top);
    assert_int_equal(cul_beneath_hold(path), -1);
    assert_int_equal(errno, EPERM);
  }
}

static void test_directories_are_made(void **state) {
  struct place *p = *state;
  const char *name;
  int fd = cul_beneath_mkdirs(p->in, "a/b/c", 0700);
  assert_true(fd >= 0);
  make_file(fd, "f", "new");
  close(fd);
  assert_true(is_text(p->in, "a/b/c/f", "new"));
  assert_true((fd = cul_beneath_mkdirs(p->in, "a/b", 0700)) >= 0);
  close(fd);
  assert_int_equal(cul_beneath_mkdirs(p->in, "away/b", 0700), -1);
  assert_int_equal(cul_beneath_mkdirs(p->in, "f/b", 0700), -1);
  assert_int_equal(cul_beneath_mkdirs(p->in, "../b", 0700), -1);
  assert_false(is_there(p->out, "b"));
  assert_true((fd = cul_beneath_dir(p->in, "sub/deep")) >= 0);
  assert_true(is_text(fd, "f", "deep"));
  close(fd);
  assert_int_equal(cul_beneath_dir(p->in, "sub/away"), -1);
  assert_int_equal(cul_beneath_dir(p->in, "f"), -1);
  assert_true((fd = cul_beneath_parent(p->in, "sub/deep/x", &name)) >= 0);
  assert_string_equal(name, "x");
  assert_true(is_text(fd, "f", "deep"));
  close(fd);
  assert_int_equal(cul_beneath_parent(p->in, "sub/..", &name), -1);
  assert_int_equal(cul_beneath_parent(p->in, "/x", &name), -1);
  assert_int_equal(cul_beneath_parent(p->in, "away/x", &name), -1);
}

static void test_directories_are_claimed(void **state) {
  static const char *const names[] = {"f",         "away", "dangling",
                                      "file-away", "new",  "sub"};
  struct place *p = *state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(names); i++) {
    struct stat st, same;
    int fd = cul_beneath_claim(p->in, names[i]);
    assert_true(fd >= 0);
    assert_int_equal(fstat(fd, &st), 0);
    assert_int_equal(fstatat(p->in, names[i], &same, AT_SYMLINK_NOFOLLOW), 0);
    assert_true(S_ISDIR(same.st_mode) && same.st_ino == st.st_ino);
    close(fd);
  }
  assert_true(is_there(p->in, "sub/deep")); /* what was ours is kept */
}

static void test_files_are_replaced(void **state) {
  static const char *const names[] = {"f",        "new",       "near",
                                      "dangling", "file-away", "hard",
                                      "pipe",     "sub/deep/f"};
  struct place *p = *state;
  alarm(20);
  for (int round = 0; round < 2; round++) {
    unlinkat(p->in, "hard", 0);
    unlinkat(p->in, "pipe", 0);
    linkat(p->out, "f", p->in, "hard", 0);
    mkfifoat(p->in, "pipe", 0600);
    for (size_t i = 0; i < CUL_ARRAY_SIZE(names); i++) {
      int rc = round ? cul_beneath_put(p->in, names[i], "text", 4, 0600)
                     : cul_beneath_replace(p->in, names[i],
                                           (struct cul_bytes){"text", 4}, 0600,
                                           true, NULL, NULL);
      assert_int_equal(rc, 0);
      assert_true(is_text(p->in, names[i], "text"));
    }
  }
  alarm(0);
  assert_int_equal(cul_beneath_replace(p->in, "sub", (struct cul_bytes){"", 0},
                                       0600, true, NULL, NULL),
                   -1);
  assert_int_equal(errno, EISDIR);
  assert_int_equal(cul_beneath_put(p->in, "away/f", "no", 2, 0600), -1);
  assert_int_equal(cul_beneath_replace(p->in, "away/f",
                                       (struct cul_bytes){"no", 2}, 0600, true,
                                       NULL, NULL),
                   -1);
  assert_int_equal(cul_beneath_put(p->in, "sub", "text", 4, 0600), 0);
  assert_true(is_text(p->in, "sub", "text"));
  assert_int_equal(cul_beneath_remove(p->in, "sub"), 0);
  assert_int_equal(cul_beneath_put(p->in, "away", "text", 4, 0600), 0);
  assert_int_equal(cul_beneath_empty(p->in, "away"), 0);
  assert_true(is_text(p->in, "away", "text")); /* nothing was left beside */
}

/* An empty directory goes at once: the failed call before the right one is no
 * error of the whole. */
static void test_empty_directories_go(void **state) {
  struct place *p = *state;
  int above;
  assert_int_equal(mkdirat(p->in, "above", 0700), 0);
  assert_int_equal(mkdirat(p->in, "above/empty", 0700), 0);
  above = openat(p->in, "above", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  assert_true(above >= 0);
  assert_int_equal(cul_beneath_empty(above, NULL), 0);
  assert_false(is_there(above, "empty"));
  close(above);
}

static void test_trees_go(void **state) {
  struct place *p = *state;
  linkat(p->out, "f", p->in, "sub/hard", 0);
  mkfifoat(p->in, "sub/pipe", 0600);
  assert_int_equal(cul_beneath_remove(p->in, "none"), 0);
  assert_int_equal(cul_beneath_remove(p->in, "none/f"), 0);
  assert_int_equal(cul_beneath_remove(p->in, "away"), 0);
  assert_int_equal(cul_beneath_remove(p->in, "sub"), 0);
  assert_int_equal(cul_beneath_remove(p->in, ".."), -1);
  assert_int_equal(cul_beneath_remove(p->in, "../out"), -1);
  assert_false(is_there(p->in, "sub") || is_there(p->in, "away"));
  assert_int_equal(cul_beneath_empty(p->in, "f"), 0);
  assert_true(is_text(p->in, "f", "mine"));
  assert_false(is_there(p->in, "file-away"));
}

/* Deeper than any path is long, and than descriptors there are. */
static void test_deep_trees_go(void **state) {
  enum { DEPTH = 5000 };
  struct place *p = *state;
  int dir = dup(p->in);
  for (int i = 0; i < DEPTH; i++) {
    int next;
    make_dir(dir, "d");
    if (i % 100 == 0)
      make_file(dir, "f", "");
    next = open_dir(dir, "d");
    close(dir);
    dir = next;
  }
  close(dir);
  assert_int_equal(cul_beneath_remove(p->in, "d"), 0);
  assert_false(is_there(p->in, "d"));
}

static void test_full_directories_go(void **state) {
  enum { FILES = 100000 };
  struct place *p = *state;
  char name[16];
  int dir = open_dir(p->in, "sub");
  for (int i = 0; i < FILES; i++) {
    snprintf(name, sizeof name, "%d", i);
    assert_int_equal(mknodat(dir, name, S_IFREG | 0600, 0), 0);
  }
  close(dir);
  assert_int_equal(cul_beneath_remove(p->in, "sub"), 0);
  assert_false(is_there(p->in, "sub"));
}

/* Root may do anything: as somebody else, where there is another user. */
static int lock_out(struct place *p) {
  int dir;
  if (geteuid() == 0 &&
      (setgroups(0, NULL) < 0 || setresgid(NOBODY, NOBODY, NOBODY) < 0 ||
       setresuid(NOBODY, NOBODY, NOBODY) < 0))
    return 77;
  make_dir(p->in, "own");
  make_dir(p->in, "own/shut");
  make_dir(p->in, "own/shut/in");
  make_file(p->in, "own/shut/in/f", "");
  make_dir(p->in, "own/blind");
  make_file(p->in, "own/blind/f", "");
  if (fchmodat(p->in, "own/shut/in", 0500, 0) < 0 ||
      fchmodat(p->in, "own/shut", 0, 0) < 0 ||
      fchmodat(p->in, "own/blind", 0300, 0) < 0 ||
      fchmodat(p->in, "own", 0, 0) < 0)
    return 2;
  dir = cul_beneath_claim(p->in, "own");
  if (dir < 0 || cul_beneath_empty(dir, NULL) < 0 || is_there(dir, "shut"))
    return 3;
  /* The directory above it is locked as well, and it is gone. */
  if (cul_beneath_remove(p->in, "own") < 0 || fchmod(p->in, 0) < 0)
    return 4;
  dir = cul_beneath_claim(p->in, "own");
  return dir < 0 || !is_there(p->in, "own") ? 5 : 0;
}

static void test_locked_directories_go(void **state) {
  struct place *p = *state;
  int status;
  pid_t pid;
  if (geteuid() == 0) {
    assert_int_equal(chmod(p->top, 0711), 0);
    assert_int_equal(fchown(p->in, NOBODY, NOBODY), 0);
  }
  pid = fork();
  if (pid == 0)
    _exit(lock_out(p));
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77)
    skip();
  assert_int_equal(WEXITSTATUS(status), 0);
}

/* A process that makes "flip" a directory, then a link to what is outside. */
static pid_t start_swapper(const struct place *p) {
  pid_t pid = fork();
  if (pid != 0)
    return pid;
  alarm(60);
  for (;;) {
    symlinkat("../out", p->in, "link");
    renameat(p->in, "flip", p->in, "flop");
    renameat(p->in, "link", p->in, "flip");
    unlinkat(p->in, "flip", 0);
    renameat(p->in, "flop", p->in, "flip");
    mkdirat(p->in, "flip", 0700);
    unlinkat(p->in, "link", 0);
  }
}

static void test_swapped_directories(void **state) {
  enum { ROUNDS = 2000, SYNCED = 100 };
  struct place *p = *state;
  int status, fd;
  pid_t pid = start_swapper(p);
  for (int i = 0; i < ROUNDS; i++) {
    cul_beneath_put(p->in, "flip/f", "mine", 4, 0600);
    if (i % SYNCED == 0)
      cul_beneath_replace(p->in, "flip/g", (struct cul_bytes){"mine", 4}, 0600,
                          true, NULL, NULL);
    cul_beneath_remove(p->in, "flip/f");
    if ((fd = cul_beneath_claim(p->in, "flip")) >= 0) {
      cul_beneath_empty(fd, NULL);
      close(fd);
    }
    cul_beneath_remove(p->in, "flip");
  }
  kill(pid, SIGKILL);
  waitpid(pid, &status, 0);
  assert_true(is_text(p->out, "f", "precious"));
  assert_false(is_there(p->out, "g"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_links_are_refused),     TEST(test_without_openat2),
      TEST(test_files_are_plain),       TEST(test_own_directories),
      TEST(test_directories_are_made),  TEST(test_directories_are_claimed),
      TEST(test_files_are_replaced),

      TEST(test_empty_directories_go),  TEST(test_trees_go),
      TEST(test_deep_trees_go),         TEST(test_full_directories_go),
      TEST(test_locked_directories_go), TEST(test_swapped_directories),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
