/* Workers and candidates that die, hang or are left behind. */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "../../../reducer/subject/text/lang.h"
#include "worker_helper.h"

static const char sample[] = "one\ntwo\n";

/* Build a candidate that ends badly; it must fail with this code and text; the
 * worker must live on. */
static void expect_end(uint32_t way, int code, const char *text) {
  struct cul_worker *worker = open_session(TEST_SHOP_DIR, sample);
  const struct cul_edit edit = {DIE, way};
  struct cul_child_built built;
  struct cul_child *child;
  struct cul_err err = {0};
  assert_int_equal(build(worker, &edit, 1, &child, &built, &err), code);
  assert_string_equal(err.what, text);
  cul_child_drop(child);
  assert_int_equal(build(worker, NULL, 0, &child, &built, &err), 0);
  cul_child_drop(child);
  cul_worker_close(worker);
  expect_workers(0);
}

static void expect_death(uint32_t way, const char *text) {
  expect_end(way, CUL_ECHILD, text);
}

static void test_segv(void **state) {
  (void)state;
  expect_death(SEGV, "a candidate died of SIGSEGV");
}

static void test_stack_overflow(void **state) {
  (void)state;
  expect_death(STACK, "a candidate died of SIGSEGV");
}

static void test_abort_tells_the_telling_line(void **state) {
  (void)state;
  expect_death(ABORT, "a candidate died of SIGABRT: LLVM ERROR: out of cheese");
}

static void test_exit(void **state) {
  (void)state;
  expect_death(EXIT, "a candidate called exit(): giving up");
}

static void test_killed(void **state) {
  (void)state;
  expect_end(MUTE, CUL_ELOST, "a candidate was killed");
}

static void test_without_memory(void **state) {
  (void)state;
  expect_end(STARVE, CUL_ELOST,
             "a candidate died of SIGABRT: terminate called");
}

static void test_refusal_is_an_invalid_candidate(void **state) {
  struct cul_worker *worker = open_session(TEST_SHOP_DIR, sample);
  const struct cul_edit edit = {DIE, 1000};
  struct cul_child_built built;
  struct cul_child *child;
  struct cul_err err = {0};
  (void)state;
  assert_int_equal(build(worker, &edit, 1, &child, &built, &err), 0);
  assert_false(built.valid);
  assert_string_equal(built.why, "test-die has no site 1000");
  cul_child_drop(child);
  cul_worker_close(worker);
}

/* Busy in a loop that never ends, it must still go when it is dropped. */
static void test_hanging_candidate_is_dropped(void **state) {
  struct cul_worker *worker = open_session(TEST_SHOP_DIR, sample);
  const struct cul_edit edit = {DIE, HANG};
  struct cul_child *child = begin(worker, &edit, 1);
  struct pollfd ready = {.fd = cul_child_fd(child), .events = POLLIN};
  (void)state;
  assert_int_equal(poll(&ready, 1, 100), 0);
  expect_workers(2);
  cul_child_drop(child);
  expect_workers(1);
  cul_worker_close(worker);
  expect_workers(0);
}

static void test_listing_dies(void **state) {
  struct cul_worker *worker = open_session(TEST_SHOP_DIR, sample);
  const uint32_t wanted = DIE_LISTING;
  struct cul_listed *listed = NULL;
  struct cul_child *child = NULL;
  struct cul_err err = {0};
  size_t n;
  (void)state;
  assert_int_equal(
      cul_worker_sites(worker, &wanted, 1, 5000, &listed, &n, &err),
      CUL_ECHILD);
  assert_string_equal(err.what, "listing sites died of SIGABRT");
  assert_null(listed);
  assert_int_equal(cul_worker_begin(worker, NULL, 0, &child, &err), CUL_ELOST);
  assert_null(child);
  cul_worker_close(worker);
}

static void test_listing_hangs(void **state) {
  struct cul_worker *worker = open_session(TEST_SHOP_DIR, sample);
  const uint32_t wanted = HANG_LISTING;
  struct cul_listed *listed = NULL;
  struct cul_err err = {0};
  size_t n;
  (void)state;
  assert_int_equal(cul_worker_sites(worker, &wanted, 1, 50, &listed, &n, &err),
                   CUL_ECHILD);
  assert_string_equal(err.what, "listing sites gave no answer in 50 ms");
  cul_worker_close(worker);
  expect_workers(0);
}

/* A main program that is killed leaves nothing running, not even a candidate
 * in an endless loop. */
static void test_killed_client_leaves_nothing(void **state) {
  const struct cul_edit edit = {DIE, HANG};
  pid_t client = fork();
  (void)state;
  if (client == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* where this test fails */
    begin(open_session(TEST_SHOP_DIR, sample), &edit, 1);
    for (;;)
      pause();
  }
  expect_workers(2);
  kill(client, SIGKILL);
  waitpid(client, NULL, 0);
  expect_workers(0);
}

/* Children outlive their worker: those already begun still answer. */
static void test_child_outlives_the_worker(void **state) {
  struct cul_worker *worker = open_session(TEST_SHOP_DIR, sample);
  struct cul_child_built built;
  struct cul_buf text = {0};
  struct cul_child *child;
  struct cul_err err = {0};
  (void)state;
  assert_int_equal(build(worker, NULL, 0, &child, &built, &err), 0);
  cul_worker_close(worker);
  expect_workers(1);
  read_child(child, &text);
  assert_string_equal(cul_buf_str(&text), sample);
  cul_buf_release(&text);
  cul_child_drop(child);
  expect_workers(0);
}

/* A program and two forks of it; a fork works on when the program has ended. */
static void test_program_is_started_once(void **state) {
  struct cul_workers workers;
  struct cul_worker *one = NULL, *two = NULL;
  struct cul_child_built built;
  struct cul_child *child;
  struct cul_err err = {0};
  (void)state;
  cul_workers_init(&workers, TEST_SHOP_DIR);
  cul_workers_start(&workers, CUL_FORM_TEXT);
  expect_workers(1);
  assert_int_equal(
      cul_worker_open(&workers,
                      (struct cul_reading){CUL_FORM_TEXT, .check = true},
                      bytes_of(sample), 10000, &one, &err),
      0);
  assert_int_equal(
      cul_worker_open(&workers,
                      (struct cul_reading){CUL_FORM_MLIR_TEXT, .check = true},
                      bytes_of("module {}"), 10000, &two, &err),
      0);
  expect_workers(3);
  cul_worker_close(two);
  cul_workers_release(&workers);
  expect_workers(1);
  assert_int_equal(build(one, NULL, 0, &child, &built, &err), 0);
  cul_child_drop(child);
  cul_worker_close(one);
  expect_workers(0);
}

/* What is left may look like nothing: it is of the job's language all the same,
 * when another worker opens it. */
static void test_little_is_still_of_its_language(void **state) {
  struct cul_workers workers;
  struct cul_worker *worker = NULL;
  struct cul_reading how = {CUL_FORM_MLIR_TEXT, .check = true};
  struct cul_err err = {0};
  (void)state;
  cul_workers_init(&workers, TEST_SHOP_DIR);
  assert_int_equal(
      cul_worker_open(&workers, how, bytes_of("x.frob"), 10000, &worker, &err),
      CUL_EUSAGE);
  how.language = cul_lang_number(cul_lang_named("mlir"));
  assert_int_equal(
      cul_worker_open(&workers, how, bytes_of("x.frob"), 10000, &worker, &err),
      0);
  cul_worker_close(worker);
  cul_workers_release(&workers);
}

static void test_program_that_ended_is_started_again(void **state) {
  struct cul_workers workers;
  struct cul_worker *worker = NULL;
  struct cul_err err = {0};
  (void)state;
  cul_workers_init(&workers, TEST_SHOP_DIR);
  cul_workers_start(&workers, CUL_FORM_TEXT);
  expect_workers(1);
  for (size_t i = 0; i < CUL_N_WORKER_PROGRAMS; i++)
    shutdown(workers.sockets[i], SHUT_RDWR);
  expect_workers(0);
  assert_int_equal(
      cul_worker_open(&workers,
                      (struct cul_reading){CUL_FORM_TEXT, .check = true},
                      bytes_of(sample), 10000, &worker, &err),
      0);
  expect_workers(2);
  cul_worker_close(worker);
  cul_workers_release(&workers);
  expect_workers(0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_segv),
      cmocka_unit_test(test_stack_overflow),
      cmocka_unit_test(test_abort_tells_the_telling_line),
      cmocka_unit_test(test_exit),
      cmocka_unit_test(test_killed),
      cmocka_unit_test(test_without_memory),
      cmocka_unit_test(test_refusal_is_an_invalid_candidate),
      cmocka_unit_test(test_hanging_candidate_is_dropped),
      cmocka_unit_test(test_listing_dies),
      cmocka_unit_test(test_listing_hangs),
      cmocka_unit_test(test_killed_client_leaves_nothing),
      cmocka_unit_test(test_child_outlives_the_worker),
      cmocka_unit_test(test_program_is_started_once),
      cmocka_unit_test(test_little_is_still_of_its_language),
      cmocka_unit_test(test_program_that_ended_is_started_again),
  };
  return cmocka_run_group_tests_name("worker_death", tests, mark_processes,
                                     NULL);
}
