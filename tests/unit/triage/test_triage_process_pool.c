/* triage/pool: jobs in processes of their own, some of which are killed. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../../triage/work/process_pool.h"

enum { N = 12 };

struct log {
  char dir[64];
  int deaths[N]; /* how often the workers of a job die first */
  int taken[N];
};

/* How many workers of the job began before; each leaves a byte. */
static long begun(const struct log *log, size_t job) {
  char path[128];
  snprintf(path, sizeof path, "%s/%zu", log->dir, job);
  int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
  long before = lseek(fd, 0, SEEK_END);
  assert_int_equal(write(fd, "x", 1), 1);
  close(fd);
  return before;
}

static json_t *work(void *self, size_t job, struct cul_err *err) {
  struct log *log = self;
  (void)err;
  if (begun(log, job) < log->deaths[job])
    raise(SIGKILL);
  return json_integer((json_int_t)job * 10);
}

static int take(void *self, size_t job, json_t *result, struct cul_err *err) {
  struct log *log = self;
  (void)err;
  assert_int_equal(json_integer_value(result), job * 10);
  log->taken[job]++;
  return 0;
}

static int run(struct log *log, int workers, struct cul_err *err) {
  const struct cul_triage_conf conf = {0}; /* as long as it takes */
  const struct cul_process_pool pool = {.workers = workers,
                                        .conf = &conf,
                                        .self = log,
                                        .work = work,
                                        .take = take};
  char command[128];
  int rc;
  snprintf(log->dir, sizeof log->dir, "%s", "/tmp/pool-XXXXXX");
  assert_non_null(mkdtemp(log->dir));
  rc = cul_process_pool_run(&pool, N, err);
  snprintf(command, sizeof command, "rm -r %s", log->dir);
  assert_int_equal(system(command), 0);
  return rc;
}

static void each_job_once(void **state) {
  struct cul_err err = {0};
  (void)state;
  for (int workers = 1; workers <= 3; workers++) {
    struct log log = {.deaths = {[0] = 1, [3] = 2, [N - 1] = 1}};
    assert_int_equal(run(&log, workers, &err), 0);
    for (size_t i = 0; i < N; i++)
      assert_int_equal(log.taken[i], 1);
  }
}

static void not_for_ever(void **state) {
  struct cul_err err = {0};
  struct log log = {.deaths = {[5] = 1000}};
  (void)state;
  assert_int_equal(run(&log, 2, &err), CUL_EENV);
  assert_int_equal(log.taken[5], 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_job_once),
      cmocka_unit_test(not_for_ever),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
