/* Where runs stay, by samples of their stacks. */
#include "../../../runners/stacks/stack.h"
#include "../../../runners/tree/stays.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include "runner_fixture.h"

#define STAY BINARY_DIR "/fake/fake-stay"

enum { N_BUSY = 8, LEARN_MS = 1200, LEARN_TRIES = 4, WALL_MS = 8000 };

static const struct cul_record *run_words(void *state, uint64_t wall_ms,
                                          const char *a, const char *b,
                                          const struct cul_stay_wish *wish) {
  const char *const argv[] = {STAY, a, b, NULL};
  const struct cul_command cmd = {.argv = argv};
  const struct cul_request request = {.wall_ms = wall_ms, .stay = wish};
  return run_with(state, &cmd, &request);
}

static void ignore(int sig) { (void)sig; }

/* Learn where a run stays.  Samples take one percent of the time at most, so a
 * slow machine needs a longer run for as many. */
static const struct cul_record *learn_from(void *state, const char *const *argv,
                                           uint64_t wall_ms) {
  const struct cul_stay_wish learning = {.learn = true};
  const struct cul_command cmd = {.argv = argv};
  const struct cul_record *r;
  for (int i = 0; i < LEARN_TRIES; i++, wall_ms *= 2) {
    const struct cul_request request = {.wall_ms = wall_ms, .stay = &learning};
    r = run_with(state, &cmd, &request);
    assert_int_equal(r->end, CUL_DEADLINE);
    assert_false(r->stayed.early);
    if (r->stayed.stay.n > 0)
      break;
  }
  assert_true(r->stayed.stay.n > 0);
  return r;
}

/* The wish for runs that stay where this one does. */
static struct cul_stay_wish learn(void *state, const char *a, const char *b) {
  const char *const argv[] = {STAY, a, b, NULL};
  const struct cul_record *r = learn_from(state, argv, LEARN_MS);
  return (struct cul_stay_wish){
      .stay = r->stayed.stay, .after_us = 200 * 1000, .settled_us = 100 * 1000};
}

/* Of one run for all tests: it stays in the loop "outer". */
static struct cul_stay_wish in_outer(void *state) {
  static struct cul_stay_wish wish;
  if (wish.stay.n == 0)
    wish = learn(state, "outer", NULL);
  return wish;
}

/* A machine under load gives too few samples for an early answer; the next run
 * has twice the time. */
static void expect_early(void *state, const char *a, const char *b,
                         const struct cul_stay_wish *wish) {
  const struct cul_record *r;
  uint64_t wall_ms = WALL_MS;
  for (int i = 0; i < LEARN_TRIES; i++, wall_ms *= 2) {
    r = run_words(state, wall_ms, a, b, wish);
    assert_int_equal(r->end, CUL_DEADLINE);
    if (r->stayed.early)
      break;
  }
  assert_true(r->stayed.early);
  assert_true(r->cpu_us < wall_ms * 1000 * 3 / 4);
  assert_int_equal(r->pace,
                   wish->stay.waiting ? CUL_PACE_WAITING : CUL_PACE_SPINNING);
}

/* Half a second more than an early answer takes on an idle machine. */
static void expect_whole(void *state, const char *a, const char *b,
                         const struct cul_stay_wish *wish) {
  uint64_t wall_ms = wish->after_us / 1000 + 500;
  const struct cul_record *r = run_words(state, wall_ms, a, b, wish);
  assert_int_equal(r->end, CUL_DEADLINE);
  assert_false(r->stayed.early);
  assert_true(r->wall_us >= wall_ms * 1000);
}

static void a_loop(void **state) {
  struct cul_stay_wish wish = in_outer(*state);
  assert_false(wish.stay.waiting);
  assert_true(wish.stay.reached_us < 300 * 1000);
  expect_early(*state, "outer", NULL, &wish);
  /* Another function calls the same ones; and one callee does not return. */
  expect_whole(*state, "other", NULL, &wish);
  expect_whole(*state, "inner", NULL, &wish);
}

/* As a worker does with the code of the compiler (reducer/worker/code.h). */
static void copied_code(void **state) {
  struct cul_stay_wish wish = in_outer(*state);
  expect_early(*state, "copied", "outer", &wish);
}

/* The first function of some programs looks as if it had been called. */
static void a_program_of_another_entry(void **state) {
  static const char *const argv[] = {STAY "-entry", "outer", NULL};
  learn_from(*state, argv, LEARN_MS);
}

static void an_inner_loop(void **state) {
  struct cul_stay_wish wish = learn(*state, "inner", NULL);
  expect_early(*state, "inner", NULL, &wish);
  expect_whole(*state, "outer", NULL, &wish);
}

static void a_late_loop(void **state) {
  const char *const argv[] = {STAY, "start", "500", "outer", NULL};
  const struct cul_record *r = learn_from(*state, argv, 2000);
  assert_true(r->stayed.stay.reached_us > 300 * 1000);
  assert_true(r->stayed.stay.reached_us < 1000 * 1000);
}

static void recursions(void **state) {
  struct cul_stay_wish wish = learn(*state, "recurse", NULL);
  expect_early(*state, "recurse", NULL, &wish);
  wish = learn(*state, "deep", NULL);
  expect_early(*state, "deep", NULL, &wish);
  expect_whole(*state, "outer", NULL, &wish);
}

static void waits(void **state) {
  static const char *const kinds[] = {"pipe", "futex", "poll"};
  for (size_t i = 0; i < 3; i++) {
    struct cul_stay_wish wish = learn(*state, kinds[i], NULL);
    assert_true(wish.stay.waiting);
    wish.after_us = wish.settled_us = 1000 * 1000;
    expect_early(*state, kinds[i], NULL, &wish);
    expect_whole(*state, "nanosleep", NULL, &wish);
    expect_whole(*state, "outer", NULL, &wish);
  }
}

static void threads(void **state) {
  struct cul_stay_wish wish = learn(*state, "threads", NULL);
  assert_false(wish.stay.waiting);
  expect_early(*state, "threads", NULL, &wish);
}

static void signals(void **state) {
  struct cul_stay_wish wish = learn(*state, "signals", NULL);
  expect_early(*state, "signals", NULL, &wish);
}

/* The loop's function is where they agree, wherever it is loaded. */
static void random_addresses(void **state) {
  const char *const argv[] = {STAY, "outer", NULL};
  const struct cul_command cmd = {.argv = argv};
  struct cul_stay_wish wish = in_outer(*state);
  const struct cul_request request = {
      .wall_ms = WALL_MS, .stay = &wish, .flags = CUL_RUN_RANDOMIZE};
  assert_true(run_with(*state, &cmd, &request)->stayed.early);
}

static void one_that_ends_is_not_ended(void **state) {
  struct cul_stay_wish wish = in_outer(*state);
  const struct cul_record *r;
  wish.after_us = 2000 * 1000;
  r = run_words(*state, WALL_MS, "slow", "600", &wish);
  assert_int_equal(r->end, CUL_EXITED);
  assert_int_equal(r->status, 0);
  /* It says for how long it was there. */
  assert_true(r->stayed.longest_us > 300 * 1000);
  assert_true(r->stayed.longest_us < 900 * 1000);
}

static void no_call_is_interrupted(void **state) {
  struct cul_stay_wish wish = in_outer(*state);
  const struct cul_record *r;
  wish.learn = true;
  r = run_words(*state, 60000, "checked", NULL, &wish);
  assert_int_equal(r->end, CUL_EXITED);
  assert_int_equal(r->status, 0);
}

/* End with 0 if no call was interrupted but the last, by a signal. */
static void wait_in_calls(void) {
  struct epoll_event event;
  const struct itimerval later = {{0, 0}, {0, 300 * 1000}};
  const struct timespec t = {0, 300 * 1000 * 1000};
  struct sigaction action = {.sa_handler = ignore};
  int epoll = epoll_create1(0);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, SIGUSR1);
  if (epoll < 0 || sigprocmask(SIG_BLOCK, &one, NULL) ||
      epoll_wait(epoll, &event, 1, 300) != 0)
    _exit(1);
  if (poll(NULL, 0, 300) != 0)
    _exit(2);
  if (sigtimedwait(&one, NULL, &t) >= 0 || errno != EAGAIN)
    _exit(3);
  if (sigaction(SIGALRM, &action, NULL) ||
      setitimer(ITIMER_REAL, &later, NULL) ||
      epoll_wait(epoll, &event, 1, 20000) >= 0 || errno != EINTR)
    _exit(4);
  _exit(0);
}

/* The task computed when it was looked at, and waits when it is stopped.  It
 * waits as long again then, so the stops are further apart. */
static void a_stopped_call_goes_on(void **state) {
#if defined(__x86_64__)
  static struct cul_stack_reader reader; /* ends with the process */
  struct cul_stack stack;
  int status = 0, taken = 0;
  pid_t pid = fork();
  (void)state;
  if (pid == 0)
    wait_in_calls();
  usleep(150 * 1000);
  while (waitpid(pid, &status, WNOHANG) == 0) {
    taken += cul_stack_take(&reader, pid, pid, false, &stack);
    cul_stack_let_held_go(&reader);
    usleep(400 * 1000);
  }
  assert_int_equal(status, 0);
  assert_true(taken > 0);
#else
  (void)state;
  skip();
#endif
}

/* LeakSanitizer traces its own process at its end: a sample at that moment
 * would be its end. */
static void sanitizers_are_left_alone(void **state) {
  const char *const argv[] = {STAY, "shadow", "traced", "300", NULL};
  const struct cul_command cmd = {.argv = argv};
  const struct cul_stay_wish learning = {.learn = true};
  const struct cul_request request = {.wall_ms = 60000, .stay = &learning};
  const struct cul_record *r =
      run_words(*state, 60000, "traced", "30000", &learning);
  assert_int_equal(r->end, CUL_EXITED);
  assert_int_equal(r->status, 1); /* other programs are sampled */
  r = run_with(*state, &cmd, &request);
  assert_int_equal(r->end, CUL_EXITED);
  assert_int_equal(r->status, 0);
}

/* Nor is a hang of such a program unknown. */
static void a_hang_with_shadow_memory(void **state) {
  struct cul_stay_wish wish = learn(*state, "shadow", "outer");
  expect_early(*state, "shadow", "outer", &wish);
}

/* Samples take little: one run of 600 ms of processor time, with and
 * without. */
static void samples_are_cheap(void **state) {
  struct cul_stay_wish wish = in_outer(*state);
  uint64_t with_us, without_us;
  wish.after_us = 10000 * 1000;
  without_us = run_words(*state, WALL_MS, "start", "600", NULL)->cpu_us;
  with_us = run_words(*state, WALL_MS, "start", "600", &wish)->cpu_us;
  assert_true(with_us < without_us + without_us / 10);
}

/* Eight processes beside it: a slow run takes the time of its processor, not
 * that of the clock. */
static void load_settles_nothing(void **state) {
  struct cul_stay_wish wish = in_outer(*state);
  pid_t busy[N_BUSY];
  const struct cul_record *r;
  wish.after_us = 1000 * 1000;
  wish.settled_us = 800 * 1000;
  for (int i = 0; i < N_BUSY; i++) {
    busy[i] = fork();
    if (busy[i] == 0)
      for (volatile unsigned long n = 0;; n++)
        ;
  }
  r = run_words(*state, WALL_MS, "slow", "500", &wish);
  for (int i = 0; i < N_BUSY; i++) {
    kill(busy[i], SIGKILL);
    waitpid(busy[i], NULL, 0);
  }
  assert_int_equal(r->end, CUL_EXITED);
}

/* ---- samples without a process ---- */

static struct cul_stay_sample sample_of(uint64_t at_us, const uint64_t *places,
                                        size_t n) {
  struct cul_stay_sample sample = {
      .at_us = at_us, .cpu_us = at_us, .whole = true};
  cul_stay_sample_add(&sample, places, n);
  return sample;
}

static void the_second_half_tells(void **state) {
  static const uint64_t parse[] = {9, 2, 1},
                        loop[][5] = {{5, 3, 3, 2, 1}, {6, 3, 3, 2, 1}};
  struct cul_stay_sample samples[40];
  struct cul_stay stay;
  (void)state;
  for (size_t i = 0; i < 40; i++)
    samples[i] = i < 10 ? sample_of(i * 100, parse, 3)
                        : sample_of(i * 100, loop[i % 2], 5);
  cul_stay_learn(samples, 40, &stay);
  assert_int_equal(stay.n, 3);
  assert_int_equal(stay.places[0], 3);
  assert_int_equal(stay.places[2], 1);
  /* It was last seen elsewhere then; when it got there is not known. */
  assert_int_equal(stay.reached_us, 900);
  samples[15].waiting = true; /* one elsewhere */
  cul_stay_learn(samples, 40, &stay);
  assert_int_equal(stay.reached_us, 900);
  for (size_t i = 0; i < 40; i++)
    samples[i].whole = i % 3 == 0; /* most are unknown */
  cul_stay_learn(samples, 40, &stay);
  assert_int_equal(stay.n, 0);
  cul_stay_learn(samples, 0, &stay);
  assert_int_equal(stay.n, 0);
}

static void a_stay_begins_anew(void **state) {
  static const uint64_t in[][3] = {{5, 3, 1}, {6, 3, 1}}, out[] = {7, 1};
  struct cul_stay_wish wish = {
      .stay = {.n = 2, .places = {3, 1}}, .after_us = 1000, .settled_us = 900};
  struct cul_stay_match match = {0};
  struct cul_stay_sample sample;
  (void)state;
  for (uint64_t at = 0; at < 3000; at += 50) {
    sample = at == 1500 || at == 1550 ? sample_of(at, out, 2)
                                      : sample_of(at, in[at / 50 % 2], 3);
    cul_stay_follow(&match, &wish, &sample);
    assert_int_equal(cul_stay_is_settled(&match, &wish),
                     (at >= 1150 && at < 1500) || at >= 2750);
  }
  assert_int_equal(match.longest_us, 1450);
}

/* It was seen in the loop, and has got stuck further in. */
static void stuck_further_in(void **state) {
  static const uint64_t loop[] = {3, 1}, stuck[] = {5, 3, 1};
  struct cul_stay_wish wish = {.stay = {.n = 2, .places = {3, 1}}};
  struct cul_stay_match match = {0};
  (void)state;
  for (uint64_t at = 0; at < 5000; at += 50) {
    struct cul_stay_sample sample =
        at == 0 ? sample_of(at, loop, 2) : sample_of(at, stuck, 3);
    cul_stay_follow(&match, &wish, &sample);
    assert_false(cul_stay_is_settled(&match, &wish));
  }
}

/* One sample in sixteen says nothing, whatever it shows. */
static void strays_do_not_count(void **state) {
  static const uint64_t loop[][3] = {{5, 3, 1}, {6, 3, 1}}, stray[] = {8};
  struct cul_stay_wish wish = {.after_us = 1000, .settled_us = 900};
  struct cul_stay_sample samples[320];
  struct cul_stay_match match = {0};
  (void)state;
  for (size_t i = 0; i < 320; i++)
    samples[i] = i % 16 == 7 ? sample_of(i * 50, stray, 1)
                             : sample_of(i * 50, loop[i % 3 == 0], 3);
  samples[41] = samples[42] = samples[39]; /* three in a row */
  cul_stay_learn(samples, 320, &wish.stay);
  assert_int_equal(wish.stay.n, 2);
  assert_int_equal(wish.stay.places[0], 3);
  assert_false(wish.stay.many);
  assert_int_equal(wish.stay.reached_us, 0);
  for (size_t i = 60; i < 119; i++)
    cul_stay_follow(&match, &wish, &samples[i]);
  assert_true(cul_stay_is_settled(&match, &wish));
  /* Every eighth is no stray. */
  for (size_t i = 3; i < 320; i += 8)
    samples[i] = samples[7];
  cul_stay_learn(samples, 320, &wish.stay);
  assert_int_equal(wish.stay.n, 0);
}

/* A run of which the first sample came late, on a busy machine: nothing is
 * known of the time before. */
static void a_late_sample_says_nothing(void **state) {
  static const uint64_t loop[] = {3, 1};
  struct cul_stay_sample samples[32];
  struct cul_stay stay;
  (void)state;
  for (size_t i = 0; i < 32; i++)
    samples[i] = sample_of(1500000 + i * 100000, loop, 2);
  cul_stay_learn(samples, 32, &stay);
  assert_int_equal(stay.n, 2);
  assert_int_equal(stay.reached_us, 0);
}

/* ---- machines that refuse ---- */

/* From here on these calls fail in this process and its children. */
static void refuse_tracing(void) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {CUL_ARRAY_SIZE(code), code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
    _exit(2);
}

/* No early answer, and nothing else is different. */
static void a_machine_may_refuse(void **state) {
  static const char *const words[] = {"outer", "pipe"};
  struct cul_stay_wish wishes[] = {in_outer(*state),
                                   learn(*state, words[1], NULL)};
  int status = 0;
  pid_t pid = fork();
  if (pid == 0) {
    refuse_tracing();
    for (size_t i = 0; i < 2; i++) {
      struct cul_stay_wish wish = wishes[i];
      const struct cul_record *r;
      wish.learn = true;
      r = run_words(*state, 1200, words[i], NULL, &wish);
      if (r->end != CUL_DEADLINE || r->stayed.early || r->wall_us < 1200 * 1000)
        _exit(3);
      if (i == 0 && r->stayed.stay.n)
        _exit(4);
    }
    _exit(0);
  }
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_int_equal(status, 0);
}

int main(void) {
#define TEST(name)                                                             \
  cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)
  const struct CMUnitTest tests[] = {
      TEST(a_loop),
      TEST(copied_code),
      TEST(a_program_of_another_entry),
      TEST(an_inner_loop),
      TEST(a_late_loop),
      TEST(recursions),
      TEST(waits),
      TEST(threads),
      TEST(signals),
      TEST(random_addresses),
      TEST(one_that_ends_is_not_ended),
      TEST(no_call_is_interrupted),
      cmocka_unit_test(a_stopped_call_goes_on),
      TEST(sanitizers_are_left_alone),
      TEST(a_hang_with_shadow_memory),
      TEST(samples_are_cheap),
      TEST(load_settles_nothing),
      cmocka_unit_test(the_second_half_tells),
      cmocka_unit_test(a_stay_begins_anew),
      cmocka_unit_test(stuck_further_in),
      cmocka_unit_test(strays_do_not_count),
      cmocka_unit_test(a_late_sample_says_nothing),
      TEST(a_machine_may_refuse),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
