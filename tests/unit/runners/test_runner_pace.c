/* Deadlines on a busy machine, and what a tree did when it met one. */
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "../../../runners/tree/pace.h"
#include "runner_fixture.h"

enum { N_BUSY = 8 };

/* Processes that take what processor time they can get. */
static void make_busy(pid_t busy[N_BUSY]) {
  for (int i = 0; i < N_BUSY; i++) {
    busy[i] = fork();
    if (busy[i] == 0)
      for (volatile unsigned long n = 0;; n++)
        ;
    assert_true(busy[i] > 0);
  }
}

static void end_busy(const pid_t busy[N_BUSY]) {
  for (int i = 0; i < N_BUSY; i++) {
    kill(busy[i], SIGKILL);
    waitpid(busy[i], NULL, 0);
  }
}

static const struct cul_record *run_for(void *state, uint64_t wall_ms,
                                        const char *const *argv) {
  const struct cul_request request = {.wall_ms = wall_ms};
  return run_with(state, &(struct cul_command){.argv = argv}, &request);
}

static void spinning(void **state) {
  static const char *const argv[] = {FAKE, "spin", NULL};
  const struct cul_record *r = run_for(*state, 300, argv);
  assert_int_equal(r->end, CUL_DEADLINE);
  assert_int_equal(r->pace, CUL_PACE_SPINNING);
}

static void waiting(void **state) {
  static const char *const argv[] = {FAKE,    "burn",  "100",
                                     "sleep", "99999", NULL};
  const struct cul_record *r = run_for(*state, 300, argv);
  assert_int_equal(r->end, CUL_DEADLINE);
  assert_int_equal(r->pace, CUL_PACE_WAITING);
}

/* Ends once the process has filled the pipe and stands in write(2). */
static void wait_until_full(int fd) {
  int held = 0, before;
  do {
    before = held;
    usleep(50 * 1000);
    assert_int_equal(ioctl(fd, FIONREAD, &held), 0);
  } while (held == 0 || held != before);
}

/* Who prints more than is read yet is not waiting, whoever is late; unless
 * nobody of ours is the reader. */
static void a_writer_is_not_waiting(void **state) {
  struct cul_pace_sample sample;
  struct stat st;
  ino_t pipes[2] = {0, 0};
  int ends[2];
  pid_t pid;
  (void)state;
  assert_int_equal(pipe(ends), 0);
  pid = fork();
  if (pid == 0) {
    dup2(ends[1], 1);
    execlp(FAKE, FAKE, "flood", "99999999999", NULL);
    _exit(1);
  }
  wait_until_full(ends[0]);
  cul_pace_take(pipes, &sample, NULL);
  assert_false(sample.runnable);
  assert_int_equal(fstat(ends[1], &st), 0);
  pipes[1] = st.st_ino;
  cul_pace_take(pipes, &sample, NULL);
  assert_true(sample.runnable);
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
  close(ends[0]);
  close(ends[1]);
}

/* An endless tool that prints, whatever the machine does meanwhile. */
static void a_printer_is_spinning(void **state) {
  static const char *const argv[] = {FAKE, "flood", "99999999999", NULL};
  pid_t busy[N_BUSY];
  const struct cul_record *r;
  make_busy(busy);
  r = run_for(*state, 300, argv);
  end_busy(busy);
  assert_int_equal(r->end, CUL_DEADLINE);
  assert_int_not_equal(r->pace, CUL_PACE_WAITING);
}

/* The shell waits, what it started computes. */
static void a_child_spins(void **state) {
  static const char *const argv[] = {"sh", "-c", FAKE " spin; exit 1", NULL};
  const struct cul_record *r = run_for(*state, 300, argv);
  assert_int_equal(r->end, CUL_DEADLINE);
  assert_int_equal(r->pace, CUL_PACE_SPINNING);
}

static void no_deadline_no_pace(void **state) {
  static const char *const argv[] = {FAKE, "burn", "50", NULL};
  const struct cul_record *r = run_for(*state, 20000, argv);
  assert_int_equal(r->end, CUL_EXITED);
  assert_int_equal(r->pace, CUL_PACE_UNKNOWN);
}

/* 400 ms of processor time within a deadline of 800 ms, though the machine
 * lets it have a fraction only. */
static void load_makes_no_deadline(void **state) {
  static const char *const argv[] = {FAKE, "burn", "400", NULL};
  pid_t busy[N_BUSY];
  bool late = false;
  make_busy(busy);
  for (int i = 0; i < 3; i++) {
    const struct cul_record *r = run_for(*state, 800, argv);
    assert_int_equal(r->end, CUL_EXITED);
    late |= r->wall_us > 800 * 1000;
  }
  end_busy(busy);
  if (!late)
    print_message("the machine is too fast to tell\n");
}

/* What argv does at its deadline on a machine that is more than full. */
static const struct cul_record *run_under_load(void *state,
                                               const char *const *argv) {
  pid_t busy[N_BUSY];
  const struct cul_record *r;
  make_busy(busy);
  r = run_for(state, 400, argv);
  end_busy(busy);
  assert_int_equal(r->end, CUL_DEADLINE);
  return r;
}

/* Known, or it never had its time: ten times the deadline, and no end. */
static void assert_spinning(const struct cul_record *r) {
  if (r->pace == CUL_PACE_UNKNOWN)
    assert_true(r->wall_us >= 4000 * 1000);
  else
    assert_int_equal(r->pace, CUL_PACE_SPINNING);
}

/* A spinner gets its deadline's worth of processor time, and is known. */
static void a_spinner_is_known_under_load(void **state) {
  static const char *const argv[] = {FAKE, "spin", NULL};
  const struct cul_record *r = run_under_load(*state, argv);
  assert_spinning(r);
  if (r->wall_us < 4000 * 1000)
    assert_true(r->cpu_us > 300 * 1000);
}

static void a_waiter_is_known_under_load(void **state) {
  static const char *const argv[] = {FAKE, "sleep", "99999", NULL};
  const struct cul_record *r = run_under_load(*state, argv);
  assert_int_equal(r->pace, CUL_PACE_WAITING);
}

/* However long it stands in the queue each time: it computes for a fiftieth of
 * the time. */
static void a_doze_is_waiting_under_load(void **state) {
  static const char *const argv[] = {FAKE, "doze", "1", NULL};
  const struct cul_record *r = run_under_load(*state, argv);
  assert_int_equal(r->pace, CUL_PACE_WAITING);
}

static void one_of_many_threads_spins(void **state) {
  static const char *const argv[] = {FAKE, "waiters", "8",     "spinners",
                                     "1",  "sleep",   "99999", NULL};
  assert_spinning(run_under_load(*state, argv));
}

/* They stand in each other's way, which is no load: what all of them computed
 * is as much as one would have. */
static void many_spinners_meet_their_deadline(void **state) {
  static const char *const argv[] = {FAKE,    "spinners", "24",
                                     "sleep", "99999",    NULL};
  const struct cul_record *r = run_for(*state, 400, argv);
  assert_int_equal(r->end, CUL_DEADLINE);
  assert_int_equal(r->pace, CUL_PACE_SPINNING);
}

static void all_threads_wait(void **state) {
  static const char *const argv[] = {FAKE,    "waiters", "8",
                                     "sleep", "99999",   NULL};
  const struct cul_record *r = run_under_load(*state, argv);
  assert_int_equal(r->pace, CUL_PACE_WAITING);
}

/* One of two always computes, and none for long. */
static void a_relay_does_not_wait(void **state) {
  static const char *const argv[] = {FAKE, "relay", NULL};
  const struct cul_record *r = run_under_load(*state, argv);
  assert_int_not_equal(r->pace, CUL_PACE_WAITING);
}

enum { N_SAMPLES = 20, STEP = 10 * 1000 };

/* Of 20 samples 10 ms apart: how many could run, how many of those wrote, and
 * what was computed over all. */
static enum cul_pace tell(int runnable, int writes, uint64_t cpu_us) {
  struct cul_pace_sample samples[N_SAMPLES];
  for (int i = 0; i < N_SAMPLES; i++)
    samples[i] = (struct cul_pace_sample){.at_us = 1000000 + (uint64_t)i * STEP,
                                          .cpu_us = 77 + cpu_us * (uint64_t)i /
                                                             (N_SAMPLES - 1),
                                          .runnable = i < runnable,
                                          .writes = i < writes};
  return cul_pace_tell(samples, N_SAMPLES);
}

static void samples_tell(void **state) {
  struct cul_pace_sample one = {.at_us = 1000, .runnable = true};
  (void)state;
  assert_int_equal(tell(20, 0, 190000), CUL_PACE_SPINNING);
  assert_int_equal(tell(20, 0, 0), CUL_PACE_SPINNING); /* always in the queue */
  assert_int_equal(tell(19, 0, 40000), CUL_PACE_SPINNING);
  assert_int_equal(tell(0, 0, 0), CUL_PACE_WAITING);
  assert_int_equal(tell(1, 0, 500), CUL_PACE_WAITING);
  /* A load makes it stand in the queue for longer, and compute no more. */
  assert_int_equal(tell(14, 0, 5000), CUL_PACE_WAITING);
  assert_int_equal(tell(10, 0, 95000), CUL_PACE_MIXED);
  assert_int_equal(tell(19, 0, 100), CUL_PACE_MIXED); /* it had no chance */
  assert_int_equal(tell(20, 20, 0), CUL_PACE_SPINNING);
  assert_int_equal(tell(18, 18, 0), CUL_PACE_SPINNING);
  assert_int_equal(cul_pace_tell(&one, 1), CUL_PACE_UNKNOWN);
}

static void only_load_holds(void **state) {
  struct cul_pace_sample sample = {.at_us = 5000, .queued_us = 900};
  (void)state;
  assert_int_equal(cul_pace_held_us(&sample, 1000), 900);
  sample.cpu_us = 3500; /* of 4000: no more than 500 were lost */
  assert_int_equal(cul_pace_held_us(&sample, 1000), 500);
  sample.cpu_us = 8000; /* on two processors */
  assert_int_equal(cul_pace_held_us(&sample, 1000), 0);
}

int main(void) {
#define TEST(name)                                                             \
  cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)
  const struct CMUnitTest tests[] = {
      TEST(spinning),
      TEST(waiting),
      TEST(a_writer_is_not_waiting),
      TEST(a_printer_is_spinning),
      TEST(a_child_spins),
      TEST(no_deadline_no_pace),
      TEST(load_makes_no_deadline),
      TEST(a_spinner_is_known_under_load),
      TEST(a_waiter_is_known_under_load),
      TEST(a_doze_is_waiting_under_load),
      TEST(one_of_many_threads_spins),
      TEST(many_spinners_meet_their_deadline),
      TEST(all_threads_wait),
      TEST(a_relay_does_not_wait),
      cmocka_unit_test(samples_tell),
      cmocka_unit_test(only_load_holds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
