/* The crash oracle over runs that met a deadline. */
#include "oracle_crash_fixture.h"

static void a_timeout_is_confirmed_alone_with_twice_the_time(void **state) {
  struct fixture *f = *state;
  add(f, CUL_DEADLINE, 0, "");
  learn(f);
  assert_int_equal(f->more.n, 1);
  assert_int_equal(f->more.want[0].flags, CUL_RUN_ALONE);
  assert_true(f->more.want[0].wall_factor == 2);
  add(f, CUL_DEADLINE, 0, "");
  assert_int_equal(learn(f), CUL_SAME);
  assert_int_equal(f->verdict.sig.kind, CUL_KIND_TIMEOUT);
  forget(f);

  add(f, CUL_DEADLINE, 0, "");
  assert_int_equal(judge(f), CUL_UNRESOLVED);
  assert_int_equal(f->more.n, 1);
  assert_int_equal(f->more.want[0].attempt, 1);
  assert_int_equal(f->more.want[0].flags, CUL_RUN_ALONE);
  add(f, CUL_DEADLINE, 0, "");
  assert_int_equal(judge(f), CUL_SAME);
  assert_int_equal(f->more.n, 0);
  forget(f);

  add(f, CUL_DEADLINE, 0, "");
  add(f, CUL_EXITED, 0, "");
  assert_int_equal(judge(f), CUL_PASSES);
  forget(f);
  assert_int_equal(judge_one(f, CUL_EXITED, 1, MESSAGE("toy.a")), CUL_OTHER);
}

/* A first run that computed for more than twice what makes a timeout. */
static void a_long_spin_confirms_itself(void **state) {
  struct fixture *f = *state;
  f->conf.hang.limit_ms = 1000;
  add(f, CUL_DEADLINE, 0, "");
  f->records[0].pace = CUL_PACE_WAITING;
  learn(f);
  assert_int_equal(f->more.n, 1);
  f->records[0].pace = CUL_PACE_SPINNING;
  assert_int_equal(learn(f), CUL_SAME);
  assert_int_equal(f->more.n, 0);
  forget(f);
}

/* ... or for as long as that, where the result is to be proven. */
static void a_hasty_spin_is_believed(void **state) {
  struct fixture *f = *state;
  f->conf.hang.limit_ms = 1000;
  f->conf.hang.hasty = true;
  add(f, CUL_DEADLINE, 0, "");
  f->records[0].pace = CUL_PACE_WAITING;
  assert_int_equal(learn(f), CUL_UNRESOLVED);
  assert_int_equal(f->more.n, 0);
  f->records[0].pace = CUL_PACE_UNKNOWN;
  assert_int_equal(learn(f), CUL_UNRESOLVED);
  f->records[0].pace = CUL_PACE_SPINNING;
  assert_int_equal(learn(f), CUL_SAME);
  assert_int_equal(f->more.n, 0);
  assert_string_equal(f->verdict.sig.title, "timeout: spinning");
  forget(f);

  /* What ends is run again, for as long as without haste. */
  add(f, CUL_SIGNALED, SIGABRT, "");
  learn(f);
  assert_int_equal(f->more.n, 1);
  assert_true(f->more.want[0].wall_factor == 3);
  forget(f);
}

/* It ends well, but has computed for longer than a timeout takes. */
static void a_late_end_is_a_timeout(void **state) {
  struct fixture *f = *state;
  struct cul_record *first;
  f->conf.hang.limit_ms = 1000;
  add(f, CUL_EXITED, 0, "");
  first = &f->records[0];
  first->wall_us = 2500 * 1000;
  first->cpu_us = 2000 * 1000;
  assert_int_equal(cul_late_us(&f->conf, first), 2000 * 1000);
  assert_int_equal(learn(f), CUL_SAME);
  assert_int_equal(f->more.n, 0);
  assert_string_equal(f->verdict.sig.title, "timeout: spinning");
  assert_int_equal(judge(f), CUL_SAME);
  first->cpu_us = 1300 * 1000;
  assert_int_equal(judge(f), CUL_PASSES);
  /* One that waited, was quick, or failed otherwise is none; nor where
   * --timeout says what is one. */
  first->cpu_us = 10 * 1000;
  assert_int_equal(cul_late_us(&f->conf, first), 0);
  first->cpu_us = 5000 * 1000;
  first->wall_us = 900 * 1000;
  assert_int_equal(cul_late_us(&f->conf, first), 0);
  first->wall_us = 2500 * 1000;
  first->status = 1;
  assert_int_equal(cul_late_us(&f->conf, first), 0);
  first->status = 0;
  f->conf.hang.limit_ms = f->conf.timeout_ms;
  assert_int_equal(cul_late_us(&f->conf, first), 0);
  forget(f);
}

static void a_provisional_timeout_is_not_confirmed(void **state) {
  struct fixture *f = *state;
  add(f, CUL_DEADLINE, 0, "");
  add(f, CUL_DEADLINE, 0, "");
  assert_int_equal(learn(f), CUL_SAME);
  forget(f);
  f->conf.hang.provisional = true;
  assert_int_equal(judge_one(f, CUL_DEADLINE, 0, ""), CUL_SAME);
  assert_int_equal(f->more.n, 0);
  f->conf.hang.provisional = false;
  assert_int_equal(judge_one(f, CUL_DEADLINE, 0, ""), CUL_UNRESOLVED);
  assert_int_equal(f->more.n, 1);
}

static enum cul_answer judge_timeout(struct fixture *f, enum cul_pace pace) {
  enum cul_answer answer;
  add(f, CUL_DEADLINE, 0, "");
  add(f, CUL_DEADLINE, 0, "");
  f->records[0].pace = f->records[1].pace = pace;
  answer = judge(f);
  forget(f);
  return answer;
}

static void spinning_is_not_waiting(void **state) {
  struct fixture *f = *state;
  add(f, CUL_DEADLINE, 0, "");
  add(f, CUL_DEADLINE, 0, "");
  f->records[0].pace = f->records[1].pace = CUL_PACE_SPINNING;
  assert_int_equal(learn(f), CUL_SAME);
  assert_string_equal(f->verdict.sig.title, "timeout: spinning");
  forget(f);
  assert_int_equal(judge_timeout(f, CUL_PACE_SPINNING), CUL_SAME);
  assert_int_equal(judge_timeout(f, CUL_PACE_WAITING), CUL_OTHER);
  assert_string_equal(f->verdict.sig.title, "timeout: waiting");
  assert_int_equal(judge_timeout(f, CUL_PACE_UNKNOWN), CUL_UNRESOLVED);
}

/* A kind that cannot be told is either. */
static void a_mixed_hang_is_both(void **state) {
  struct fixture *f = *state;
  add(f, CUL_DEADLINE, 0, "");
  add(f, CUL_DEADLINE, 0, "");
  f->records[0].pace = CUL_PACE_SPINNING;
  f->records[1].pace = CUL_PACE_MIXED;
  assert_int_equal(learn(f), CUL_SAME);
  forget(f);
  assert_int_equal(judge_timeout(f, CUL_PACE_SPINNING), CUL_SAME);
  assert_int_equal(judge_timeout(f, CUL_PACE_MIXED), CUL_SAME);
}

/* Nor is it, where it differs from run to run. */
static void a_hang_of_two_kinds_is_one(void **state) {
  struct fixture *f = *state;
  add(f, CUL_DEADLINE, 0, "");
  add(f, CUL_DEADLINE, 0, "");
  f->records[0].pace = CUL_PACE_SPINNING;
  f->records[1].pace = CUL_PACE_WAITING;
  assert_int_equal(learn(f), CUL_SAME);
  assert_int_equal(f->more.n, 0);
  assert_string_equal(f->verdict.sig.title, "timeout");
  forget(f);
  assert_int_equal(judge_timeout(f, CUL_PACE_SPINNING), CUL_SAME);
  assert_int_equal(judge_timeout(f, CUL_PACE_WAITING), CUL_SAME);
  assert_int_equal(judge_one(f, CUL_EXITED, 0, ""), CUL_PASSES);
}

/* A hasty run waited, and so does one with all its time: that is twice. */
static void what_waited_before_waits(void **state) {
  struct fixture *f = *state;
  f->conf.hang.limit_ms = 1000;
  f->conf.hang.waited = true;
  add(f, CUL_DEADLINE, 0, "");
  f->records[0].pace = CUL_PACE_MIXED;
  learn(f);
  assert_int_equal(f->more.n, 1);
  f->records[0].pace = CUL_PACE_WAITING;
  assert_int_equal(learn(f), CUL_SAME);
  assert_int_equal(f->more.n, 0);
  assert_string_equal(f->verdict.sig.title, "timeout: waiting");
}

static void a_slow_original_needs_more_time(void **state) {
  struct fixture *f = *state;
  add(f, CUL_DEADLINE, 0, "");
  add(f, CUL_EXITED, 0, "");
  f->records[1].wall_us = 4000 * 1000;
  assert_int_equal(learn(f), CUL_UNRESOLVED);
  assert_int_equal(f->more.n, 0);
  assert_non_null(strstr(f->verdict.why, "deadline of 3.0 s"));
  assert_non_null(strstr(f->verdict.why, "more time"));
}

/* The second run ends long before the deadline that the first one met. */
static void a_hang_by_chance_is_not_slow(void **state) {
  struct fixture *f = *state;
  add(f, CUL_DEADLINE, 0, "");
  add(f, CUL_EXITED, 0, "");
  f->records[1].wall_us = 50 * 1000;
  assert_int_equal(learn(f), CUL_UNRESOLVED);
  assert_int_equal(f->more.n, 3);
  assert_int_equal(f->verdict.sig.kind, CUL_KIND_TIMEOUT);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)
  const struct CMUnitTest tests[] = {
      TEST(a_timeout_is_confirmed_alone_with_twice_the_time),
      TEST(a_long_spin_confirms_itself),
      TEST(a_hasty_spin_is_believed),
      TEST(a_late_end_is_a_timeout),
      TEST(a_provisional_timeout_is_not_confirmed),
      TEST(spinning_is_not_waiting),
      TEST(a_mixed_hang_is_both),
      TEST(a_hang_of_two_kinds_is_one),
      TEST(what_waited_before_waits),
      TEST(a_slow_original_needs_more_time),
      TEST(a_hang_by_chance_is_not_slow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
