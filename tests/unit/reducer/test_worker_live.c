/* Candidates that are run where they are held: the record says what a process
 * of its own would have said. */
#include <signal.h>
#include <sys/wait.h>

#include "../../../runners/runner.h"
#include "worker_helper.h"

static const char sample[] = "one\ntwo\n";

struct live {
  struct cul_worker *worker;
  struct cul_child *child;
  struct cul_record record;
  char tmp[32];
};

static int setup(void **state) {
  struct live *live = cul_xcalloc(1, sizeof *live);
  struct cul_child_built built;
  struct cul_err err = {0};
  strcpy(live->tmp, "/tmp/culprit-live-XXXXXX");
  assert_non_null(mkdtemp(live->tmp));
  live->worker = open_session(TEST_SHOP_DIR, sample);
  assert_int_equal(build(live->worker, NULL, 0, &live->child, &built, &err), 0);
  *state = live;
  return 0;
}

/* The candidate and its worker are as they were. */
static int teardown(void **state) {
  struct live *live = *state;
  struct cul_buf text = {0};
  read_child(live->child, &text);
  assert_string_equal(cul_buf_str(&text), sample);
  cul_buf_release(&text);
  cul_child_drop(live->child);
  live->child = begin(live->worker, NULL, 0);
  cul_child_drop(live->child);
  cul_worker_close(live->worker);
  expect_workers(0);
  cul_record_release(&live->record);
  cul_rmtree(live->tmp);
  free(live);
  return 0;
}

static const struct cul_record *run_words(struct live *live, const char *way,
                                          uint64_t wall_ms) {
  const char *argv[] = {"culprit", "--run", "test", way, "@@", NULL};
  const struct cul_command cmd = {.argv = argv, .cwd = "/"};
  const struct cul_artefact art = {
      .dir = live->tmp, .file = "text", .live_fd = cul_child_fd(live->child)};
  const struct cul_request request = {.cmd = &cmd, .wall_ms = wall_ms};
  struct cul_err err = {0};
  cul_record_release(&live->record);
  if (cul_run_wait(cul_runner_find("live"), &art, &request, live->tmp, NULL,
                   &live->record, &err) < 0)
    fail_msg("run: %s", err.what);
  return &live->record;
}

static void test_output_and_status(void **state) {
  const struct cul_record *record = run_words(*state, "print", 10000);
  assert_int_equal(record->end, CUL_EXITED);
  assert_int_equal(record->status, 3);
  assert_string_equal(cul_buf_str(&record->out), sample);
  assert_true(record->rss_bytes > 0);
  /* And again: the first run left nothing behind. */
  record = run_words(*state, "print", 10000);
  assert_string_equal(cul_buf_str(&record->out), sample);
}

static void test_a_fault_says_where(void **state) {
  const struct cul_record *record = run_words(*state, "segv", 10000);
  assert_int_equal(record->end, CUL_SIGNALED);
  assert_int_equal(record->status, SIGSEGV);
  assert_non_null(strstr(cul_buf_str(&record->err), "#0 0x"));
  assert_non_null(strstr(cul_buf_str(&record->err), "culprit-worker-text"));
}

static void test_an_abort_says_why_and_where(void **state) {
  const struct cul_record *record = run_words(*state, "abort", 10000);
  assert_int_equal(record->end, CUL_SIGNALED);
  assert_int_equal(record->status, SIGABRT);
  assert_non_null(strstr(cul_buf_str(&record->err), "out of cheese\n#0 0x"));
}

static void test_exit_inside(void **state) {
  const struct cul_record *record = run_words(*state, "exit", 10000);
  assert_int_equal(record->end, CUL_EXITED);
  assert_int_not_equal(record->status, 0);
}

static void test_deadline(void **state) {
  const struct cul_record *record = run_words(*state, "hang", 200);
  assert_int_equal(record->end, CUL_DEADLINE);
  assert_int_equal(record->pace, CUL_PACE_SPINNING);
}

static void test_what_it_leaves_is_killed(void **state) {
  const struct cul_record *record = run_words(*state, "leave", 10000);
  assert_int_equal(record->end, CUL_EXITED);
  assert_int_equal(record->status, 3);
  expect_workers(2); /* server and child */
}

static void test_cancel_kills(void **state) {
  struct live *live = *state;
  const struct cul_runner *runner = cul_runner_find("live");
  const char *argv[] = {"culprit", "--run", "test", "hang", "@@", NULL};
  const struct cul_command cmd = {.argv = argv, .cwd = "/"};
  const struct cul_artefact art = {
      .dir = live->tmp, .file = "text", .live_fd = cul_child_fd(live->child)};
  const struct cul_request request = {.cmd = &cmd};
  struct cul_run *run;
  struct cul_err err = {0};
  assert_int_equal(runner->start(&art, &request, live->tmp, &run, &err), 0);
  expect_workers(4); /* and supervisor and tool */
  runner->cancel(run);
  expect_workers(2);
}

static void test_an_unknown_engine(void **state) {
  struct live *live = *state;
  const char *argv[] = {"culprit", "--run", "none", "@@", NULL};
  const struct cul_command cmd = {.argv = argv, .cwd = "/"};
  const struct cul_artefact art = {
      .dir = live->tmp, .file = "text", .live_fd = cul_child_fd(live->child)};
  const struct cul_request request = {.cmd = &cmd, .wall_ms = 1000};
  struct cul_err err = {0};
  assert_int_equal(cul_run_wait(cul_runner_find("live"), &art, &request,
                                live->tmp, NULL, &live->record, &err),
                   0);
  assert_int_equal(live->record.end, CUL_EXITED);
  assert_int_equal(live->record.status, 2);
  assert_string_equal(cul_buf_str(&live->record.err),
                      "error: --run: no such engine\n");
}

static void test_a_candidate_that_is_gone(void **state) {
  struct live *live = *state;
  struct cul_child *gone = live->child;
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  close(ends[0]);
  /* Nobody listens at this descriptor. */
  const char *argv[] = {"culprit", "--run", "test", "print", "@@", NULL};
  const struct cul_command cmd = {.argv = argv, .cwd = "/"};
  const struct cul_artefact art = {
      .dir = live->tmp, .file = "text", .live_fd = ends[1]};
  const struct cul_request request = {.cmd = &cmd};
  struct cul_err err = {0};
  assert_int_equal(cul_run_wait(cul_runner_find("live"), &art, &request,
                                live->tmp, NULL, &live->record, &err),
                   0);
  assert_int_equal(live->record.end, CUL_MACHINE);
  close(ends[1]);
  live->child = gone;
}

static void warm_then_print(struct live *live, const char *way,
                            const char *expected) {
  const char *const words[] = {"culprit", "--run", "test", way, "@@", NULL};
  struct cul_child_built built;
  struct cul_err err = {0};
  assert_int_equal(cul_worker_warm(live->worker, words, &err), 0);
  cul_child_drop(live->child);
  assert_int_equal(build(live->worker, NULL, 0, &live->child, &built, &err), 0);
  assert_string_equal(cul_buf_str(&run_words(live, "print", 10000)->out),
                      expected);
}

static void test_warm(void **state) {
  warm_then_print(*state, "print", "warm\none\ntwo\n");
}

static void test_warming_that_dies_costs_nothing(void **state) {
  warm_then_print(*state, "segv", sample);
}

static void test_warming_that_refuses(void **state) {
  warm_then_print(*state, "refuse", sample);
}

#define LIVE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      LIVE(test_output_and_status),
      LIVE(test_a_fault_says_where),
      LIVE(test_an_abort_says_why_and_where),
      LIVE(test_exit_inside),
      LIVE(test_deadline),
      LIVE(test_what_it_leaves_is_killed),
      LIVE(test_cancel_kills),
      LIVE(test_an_unknown_engine),
      LIVE(test_a_candidate_that_is_gone),
      LIVE(test_warm),
      LIVE(test_warming_that_dies_costs_nothing),
      LIVE(test_warming_that_refuses),
  };
  return cmocka_run_group_tests(tests, mark_processes, NULL);
}
