/* What the worker tests share: a real worker process, and the few steps
 * that every test takes. */
#ifndef CUL_TESTS_UNIT_REDUCER_WORKER_HELPER_H
#define CUL_TESTS_UNIT_REDUCER_WORKER_HELPER_H

/* cmocka.h wants these first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../base/files/file.h"
#include "../../../reducer/mutations/mutation.h"
#include "../../../reducer/worker/worker.h"

/* The worker whose table is worker_mutations.c; the numbers of its
 * mutations, without the one that is not for text. */
#define TEST_SHOP_DIR BINARY_DIR "/unit"
enum { ERASE_LINES, DIE, DIE_LISTING, HANG_LISTING, N_TEST_MUTATIONS };
enum { HANG, SEGV, ABORT, EXIT, STACK, MUTE, STARVE };

static inline struct cul_bytes bytes_of(const char *text) {
  return (struct cul_bytes){text, strlen(text)};
}

static inline struct cul_worker *open_session(const char *dir,
                                              const char *text) {
  struct cul_worker *worker = NULL;
  struct cul_workers workers;
  struct cul_err err = {0};
  cul_workers_init(&workers, dir);
  if (cul_worker_open(&workers,
                      (struct cul_reading){CUL_FORM_TEXT, .check = true},
                      bytes_of(text), 10000, &worker, &err) < 0)
    fail_msg("open: %s", err.what);
  cul_workers_release(&workers);
  return worker;
}

static inline struct cul_child *begin(struct cul_worker *worker,
                                      const struct cul_edit *edits, size_t n) {
  struct cul_child *child = NULL;
  struct cul_err err = {0};
  if (cul_worker_begin(worker, edits, n, &child, &err) < 0)
    fail_msg("begin: %s", err.what);
  return child;
}

/* Begin and wait; the code of cul_child_built. */
static inline int build(struct cul_worker *worker, const struct cul_edit *edits,
                        size_t n, struct cul_child **child,
                        struct cul_child_built *built, struct cul_err *err) {
  *child = begin(worker, edits, n);
  return cul_child_built(*child, built, err);
}

/* What the child writes, in memory. */
static inline void read_child(struct cul_child *child, struct cul_buf *out) {
  char path[] = "/tmp/culprit-test-XXXXXX";
  int fd = mkstemp(path);
  struct cul_err err = {0};
  assert_true(fd >= 0);
  if (cul_child_write(child, fd, path, &err) < 0 ||
      cul_file_read(path, 0, out, &err) < 0)
    fail_msg("write: %s", err.what);
  close(fd);
  unlink(path);
}

static inline size_t count_fds(void) {
  size_t n = 0;
  DIR *dir = opendir("/proc/self/fd");
  while (readdir(dir))
    n++;
  closedir(dir);
  return n;
}

/* Processes that carry this test's mark in their environment. */
static inline size_t count_workers(void) {
  char mark[64];
  size_t n = 0;
  DIR *dir = opendir("/proc");
  snprintf(mark, sizeof mark, "CUL_TEST_MARK=%d", (int)getpid());
  for (struct dirent *entry; (entry = readdir(dir));) {
    char path[300], *env = NULL;
    size_t size = 0;
    FILE *file;
    snprintf(path, sizeof path, "/proc/%s/environ", entry->d_name);
    if (atoi(entry->d_name) <= 0 || atoi(entry->d_name) == (int)getpid())
      continue;
    file = fopen(path, "r");
    while (file && getdelim(&env, &size, 0, file) > 0)
      n += strcmp(env, mark) == 0;
    free(env);
    if (file)
      fclose(file);
  }
  closedir(dir);
  return n;
}

/* Wait until there are so many; a minute, for machines under load.  A program
 * that is being started is none before it is. */
static inline void expect_workers(size_t n) {
  size_t now = count_workers();
  for (int i = 0; i < 6000 && now != n; i++) {
    usleep(10000);
    now = count_workers();
  }
  assert_int_equal(now, n);
}

static inline int mark_processes(void **state) {
  char mark[32];
  (void)state;
  snprintf(mark, sizeof mark, "%d", (int)getpid());
  return setenv("CUL_TEST_MARK", mark, 1);
}

#endif
