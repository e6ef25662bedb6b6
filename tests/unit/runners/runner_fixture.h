/* What the runner tests share: a scratch directory, one run in one line. */
#ifndef CUL_TESTS_RUNNER_FIXTURE_H
#define CUL_TESTS_RUNNER_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../base/files/file.h"
#include "../../../runners/runner.h"

#define FAKE BINARY_DIR "/fake/fake-tool"
#define PLUGIN(n) BINARY_DIR "/fake/fake-plugin-" #n ".so"

/* A scratch place: dir/ holds the artefact, tmp/ is the run's TMPDIR. */
struct scratch {
  char root[64], dir[80], tmp[80];
  struct cul_record record; /* of the last run */
};

static inline int scratch_setup(void **state) {
  struct scratch *s = calloc(1, sizeof *s);
  snprintf(s->root, sizeof s->root, "/tmp/cul-runner-XXXXXX");
  if (!s || !mkdtemp(s->root))
    return -1;
  snprintf(s->dir, sizeof s->dir, "%s/dir", s->root);
  snprintf(s->tmp, sizeof s->tmp, "%s/tmp", s->root);
  if (mkdir(s->dir, 0700) || mkdir(s->tmp, 0700))
    return -1;
  *state = s;
  return 0;
}

static inline int scratch_teardown(void **state) {
  struct scratch *s = *state;
  cul_record_release(&s->record);
  cul_rmtree(s->root);
  free(s);
  return 0;
}

/* A path below the scratch root; one of 32 rotating buffers. */
static inline const char *at(const struct scratch *s, const char *name) {
  static char text[32][256];
  static int next;
  next = (next + 1) % 32;
  snprintf(text[next], sizeof text[next], "%s/%s", s->root, name);
  return text[next];
}

static inline void put_file(const char *path, const char *text, mode_t mode) {
  struct cul_err err = {0};
  unlink(path);
  assert_int_equal(cul_file_write(path, text, strlen(text), mode, &err), 0);
  assert_int_equal(chmod(path, mode), 0);
}

/* Run argv with the candidate dir/case.mlir; the record is the scratch's. */
static inline const struct cul_record *
run_with(struct scratch *s, const struct cul_command *cmd,
         const struct cul_request *like) {
  const struct cul_runner *runner = cul_runner_find("process");
  const struct cul_artefact artefact = {
      .dir = s->dir, .file = "case.mlir", .live_fd = -1};
  struct cul_request request = like ? *like : (struct cul_request){0};
  struct cul_err err = {0};
  request.cmd = cmd;
  if (!request.wall_ms)
    request.wall_ms = 30000;
  cul_record_release(&s->record);
  s->record = (struct cul_record){0};
  assert_int_equal(
      cul_run_wait(runner, &artefact, &request, s->tmp, NULL, &s->record, &err),
      0);
  return &s->record;
}

/* The same for plain arguments. */
#define RUN(s, ...)                                                            \
  run_with(                                                                    \
      s,                                                                       \
      &(struct cul_command){.argv = (const char *const[]){__VA_ARGS__, NULL}}, \
      NULL)

static inline void assert_out(const struct cul_record *r, const char *text) {
  assert_string_equal(cul_buf_str(&r->out), text);
}

/* The number a fake tool's lingering process wrote to the file; 0 = none. */
static inline pid_t pid_in(const char *path) {
  struct cul_buf text = {0};
  struct cul_err err = {0};
  pid_t pid = 0;
  if (cul_file_read(path, 0, &text, &err) == 0)
    pid = atoi(cul_buf_str(&text));
  cul_buf_release(&text);
  return pid;
}

/* The same, waiting for it up to ten seconds. */
static inline pid_t wait_for_pid(const char *path) {
  for (int i = 0; i < 2000 && !pid_in(path); i++)
    usleep(5000);
  assert_int_not_equal(pid_in(path), 0);
  return pid_in(path);
}

static inline bool alive(pid_t pid) { return kill(pid, 0) == 0; }

#endif
