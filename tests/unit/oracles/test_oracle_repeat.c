/* The decorator for flaky failures, over literal records. */
#include "oracle_helper.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "../../../oracles/repeat.h"

#define BUG "LLVM ERROR: cannot lower this\n"
#define OTHER "LLVM ERROR: out of registers\n"
/* A fault of memory after which the stack can be read, or cannot. */
#define HANDLERS                                                               \
  "Stack dump:\n"                                                              \
  " #0 0x00007f0000011fd3 llvm::sys::RunSignalHandlers() "                     \
  "(/usr/lib/libToy.so+0x11fd3)\n"                                             \
  " #1 0x00007f00000124f4 (/usr/lib/libToy.so+0x124f4)\n"                      \
  " #2 0x00007f000013c050 (/lib/libc.so.6+0x3c050)\n"
#define STACK                                                                  \
  HANDLERS                                                                     \
  " #3 0x00007f0000023010 toy::walk(int) (/usr/lib/libToy.so+0x23010)\n"       \
  " #4 0x00007f0000024020 toy::run(int) (/usr/lib/libToy.so+0x24020)\n"

struct fixture {
  struct cul_rules *rules;
  struct cul_oracle_conf conf;
  void *self;
  struct cul_wants more;
  struct cul_verdict verdict;
  struct cul_record records[1000];
  size_t n;
};

static void begin(struct fixture *f) {
  const struct cul_oracle *inner = cul_oracle_choose(&f->conf);
  struct cul_err err;
  void *self;
  assert_int_equal(inner->open(&f->conf, &self, &err), 0);
  f->self = cul_repeat_new(inner, self, &f->conf);
}

static int start(void **state) {
  struct fixture *f = cul_xcalloc(1, sizeof *f);
  f->rules = make_rules();
  f->conf = (struct cul_oracle_conf){
      .rules = f->rules, .exit_code = -1, .timeout_ms = 3000};
  begin(f);
  *state = f;
  return 0;
}

static void forget(struct fixture *f) {
  for (size_t i = 0; i < f->n; i++)
    cul_record_release(&f->records[i]);
  f->n = 0;
}

static int stop(void **state) {
  struct fixture *f = *state;
  forget(f);
  cul_repeat.close(f->self);
  cul_rules_free(f->rules);
  free(f);
  return 0;
}

/* '!' the failure, 'o' another, '.' none, 'd' a deadline; 's', 'm' a fault of
 * memory with a stack or without */
static void add(struct fixture *f, char what) {
  bool fault = what == 's' || what == 'm';
  enum cul_end end = what == '.'   ? CUL_EXITED
                     : what == 'd' ? CUL_DEADLINE
                                   : CUL_SIGNALED;
  f->records[f->n] = make_record(end,
                                 fault                 ? SIGSEGV
                                 : end == CUL_SIGNALED ? SIGABRT
                                                       : 0,
                                 what == '!'   ? BUG
                                 : what == 'o' ? OTHER
                                 : what == 's' ? STACK
                                 : what == 'm' ? HANDLERS
                                               : "");
  f->records[f->n++].wall_us = 10000;
}

/* Feed runs of the pattern, over and over, until no more are wanted; a tool
 * of the pattern's rate.  Attempts must follow one another. */
static enum cul_answer feed(struct fixture *f, const char *pattern,
                            bool learning) {
  struct cul_err err;
  forget(f);
  f->more.n = 1;
  f->more.want[0].attempt = 0;
  while (f->more.n > 0) {
    for (size_t i = 0; i < f->more.n; i++) {
      assert_int_equal(f->more.want[i].attempt, f->n);
      add(f, pattern[f->n % strlen(pattern)]);
    }
    f->verdict = (struct cul_verdict){0};
    assert_int_equal((learning ? cul_repeat.learn(f->self, f->records, f->n,
                                                  &f->more, &f->verdict, &err)
                               : cul_repeat.judge(f->self, f->records, f->n,
                                                  &f->more, &f->verdict, &err)),
                     0);
  }
  return f->verdict.answer;
}

static enum cul_answer learn(struct fixture *f, const char *pattern) {
  return feed(f, pattern, true);
}

static enum cul_answer judge(struct fixture *f, const char *pattern) {
  return feed(f, pattern, false);
}

static void certain_failures_cost_no_run_more(void **state) {
  struct fixture *f = *state;
  assert_int_equal(learn(f, "!"), CUL_SAME);
  assert_int_equal(f->n, 2);
  assert_false(cul_repeat_flaky(f->self, NULL));
  assert_int_equal(judge(f, "!"), CUL_SAME);
  assert_int_equal(f->n, 1);
  assert_int_equal(judge(f, "."), CUL_PASSES);
  assert_int_equal(f->n, 1);
  assert_int_equal(judge(f, "o"), CUL_OTHER);
  assert_int_equal(f->n, 1);
}

/* Found so in a real tool that reads freed memory: all runs died, four of them
 * without a stack, and there was no answer. */
static void faults_with_and_without_a_stack_are_one_failure(void **state) {
  struct fixture *f = *state;
  assert_int_equal(learn(f, "msmmm"), CUL_SAME);
  assert_int_equal(f->n, 5);
  assert_false(cul_repeat_flaky(f->self, NULL));
  assert_int_equal(judge(f, "s"), CUL_SAME);
  assert_int_equal(judge(f, "."), CUL_PASSES);
}

static void a_rate_is_measured(void **state) {
  struct fixture *f = *state;
  struct cul_rate rate;
  assert_int_equal(learn(f, "..!"), CUL_SAME);
  assert_true(cul_repeat_flaky(f->self, &rate));
  assert_true(rate.fails >= 20 && rate.runs <= 70);
  assert_int_equal(f->n, rate.runs);
  assert_string_equal(f->verdict.sig.text, "cannot lower this");
}

/* The failure sought is the most frequent one, not the most frequent end. */
static void the_failure_is_sought_and_not_the_majority(void **state) {
  struct fixture *f = *state;
  assert_int_equal(learn(f, "...o!...!."), CUL_SAME);
  assert_string_equal(f->verdict.sig.text, "cannot lower this");
}

static void candidates_are_run_until_sure(void **state) {
  struct fixture *f = *state;
  learn(f, "..!");
  assert_int_equal(judge(f, "..!"), CUL_SAME);
  assert_true(f->n > 5 && f->n < 60);
  assert_string_equal(f->verdict.sig.text, "cannot lower this");
  assert_int_equal(judge(f, "."), CUL_PASSES);
  assert_true(f->n < 25);
  assert_int_equal(judge(f, "o"), CUL_OTHER);
  assert_string_equal(f->verdict.sig.text, "out of registers");
}

/* Neither "passes" nor the failure: the rate would sink. */
static void rarer_failures_are_not_taken(void **state) {
  struct fixture *f = *state;
  learn(f, "!.");
  assert_int_equal(judge(f, ".......!"), CUL_UNRESOLVED);
  assert_int_equal(judge(f, "!.!"), CUL_SAME);
}

static void deadlines_tell_nothing(void **state) {
  struct fixture *f = *state;
  learn(f, "!.");
  assert_int_equal(judge(f, "d"), CUL_UNRESOLVED);
  assert_int_equal(f->n, 3);
}

static void what_fails_late_is_found(void **state) {
  struct fixture *f = *state;
  char pattern[51] = {0};
  memset(pattern, '.', 50);
  pattern[20] = pattern[29] = pattern[40] = pattern[44] = '!';
  assert_int_equal(learn(f, pattern), CUL_SAME);
  assert_true(cul_repeat_flaky(f->self, NULL));
}

static void what_never_fails_passes(void **state) {
  struct fixture *f = *state;
  assert_int_equal(learn(f, "."), CUL_PASSES);
  assert_int_equal(f->n, CUL_RATE_SILENT);
}

static void slow_runs_that_never_fail_are_fewer(void **state) {
  struct fixture *f = *state;
  struct cul_err err;
  cul_repeat.close(f->self);
  f->conf.timeout_ms = 100 * 1000;
  begin(f);
  do {
    add(f, '.');
    f->records[f->n - 1].wall_us = 500 * 1000;
    assert_int_equal(cul_repeat.learn(f->self, f->records, f->n, &f->more,
                                      &f->verdict, &err),
                     0);
    assert_true(f->n < 20 || f->n + f->more.n <= CUL_RATE_FEW);
  } while (f->more.n > 0 && f->n < 100);
  assert_int_equal(f->verdict.answer, CUL_PASSES);
  assert_int_equal(f->n, CUL_RATE_FEW);
}

/* A cache that the first run fills. */
static void only_the_first_fails(void **state) {
  struct fixture *f = *state;
  char pattern[101] = {0};
  memset(pattern, '.', 100);
  pattern[0] = '!';
  assert_int_equal(learn(f, pattern), CUL_UNRESOLVED);
  assert_non_null(strstr(f->verdict.why, "only the first of"));
  assert_true(f->n > CUL_RATE_SILENT && f->n <= CUL_RATE_SILENT + 8);
}

/* 3 s is the limit of the first run: slow tools are not run sixty times. */
static void what_never_fails_takes_no_longer_than_one_limit(void **state) {
  struct fixture *f = *state;
  struct cul_err err;
  for (int i = 0; i < 2; i++) {
    add(f, '.');
    f->records[i].wall_us = 1600 * 1000;
  }
  assert_int_equal(
      cul_repeat.learn(f->self, f->records, 2, &f->more, &f->verdict, &err), 0);
  assert_int_equal(f->verdict.answer, CUL_PASSES);
  assert_int_equal(f->more.n, 0);
}

static void too_rare_to_decide(void **state) {
  struct fixture *f = *state;
  char pattern[51] = {0};
  memset(pattern, '.', 50);
  pattern[1] = '!';
  assert_int_equal(learn(f, pattern), CUL_UNRESOLVED);
  assert_non_null(strstr(f->verdict.why, "of 2"));
  assert_non_null(strstr(f->verdict.why, "too few"));
}

static void runs_as_asked(void **state) {
  struct fixture *f = *state;
  cul_repeat.close(f->self);
  f->conf.repeat.runs = 12;
  begin(f);
  assert_int_equal(learn(f, "!"), CUL_SAME);
  assert_int_equal(f->n, 12);
  assert_false(cul_repeat_flaky(f->self, NULL));
  assert_int_equal(learn(f, "!!."), CUL_SAME);
  assert_int_equal(f->n, 12);
  assert_true(cul_repeat_flaky(f->self, NULL));
}

/* Two runs agreed by chance; a later one tells. */
static void doubt_measures(void **state) {
  struct fixture *f = *state;
  struct cul_rate rate;
  assert_int_equal(learn(f, "!!."), CUL_SAME);
  assert_int_equal(f->n, 2);
  cul_repeat_doubt(f->self);
  assert_int_equal(learn(f, "!!."), CUL_SAME);
  assert_true(cul_repeat_flaky(f->self, &rate));
  assert_true(rate.fails >= 20 && rate.runs < 40);
}

static void measuring_only_counts(void **state) {
  struct fixture *f = *state;
  learn(f, "!");
  cul_repeat_measure(f->self, 5);
  assert_int_equal(judge(f, "...!"), CUL_SAME);
  assert_int_equal(f->n, 20);
  assert_true(f->verdict.confidence == 0.25);
  assert_int_equal(judge(f, "."), CUL_PASSES);
  assert_int_equal(f->n, CUL_RATE_RUNS);
  cul_repeat_measure(f->self, 0);
  assert_int_equal(judge(f, "."), CUL_PASSES);
  assert_int_equal(f->n, 1);
}

/* Any oracle inside: here an exit status. */
static void other_oracles_repeat_too(void **state) {
  struct fixture *f = *state;
  cul_repeat.close(f->self);
  f->conf.signal = SIGABRT;
  begin(f);
  assert_int_equal(learn(f, "!.."), CUL_SAME);
  assert_true(cul_repeat_flaky(f->self, NULL));
  assert_int_equal(judge(f, "o.."), CUL_SAME);
  assert_int_equal(judge(f, "."), CUL_PASSES);
}

/* A tool that hangs now and then: each deadline is a fail. */
static void hangs_now_and_then(void **state) {
  struct fixture *f = *state;
  assert_int_equal(learn(f, "d.."), CUL_SAME);
  assert_int_equal(f->verdict.sig.kind, CUL_KIND_TIMEOUT);
  assert_int_equal(judge(f, ".d."), CUL_SAME);
  assert_int_equal(judge(f, "."), CUL_PASSES);
}

/* Nearly every run fails: the first fail is enough, and so are two runs
 * without one. */
static void what_fails_often_costs_little(void **state) {
  struct fixture *f = *state;
  struct cul_rate rate;
  assert_int_equal(learn(f, ".!!!!!!!!!!!!!!!!!!!"), CUL_SAME);
  assert_true(cul_repeat_flaky(f->self, &rate));
  assert_true(rate.fails == 10 && rate.runs == 11);
  assert_true(cul_repeat_by_first(f->self));
  assert_int_equal(judge(f, "!"), CUL_SAME);
  assert_int_equal(f->n, 1);
  assert_int_equal(judge(f, ".!"), CUL_SAME);
  assert_int_equal(f->n, 2);
  assert_int_equal(judge(f, "."), CUL_PASSES);
  assert_int_equal(f->n, 2);
  assert_int_equal(judge(f, "do"), CUL_OTHER);
  assert_int_equal(f->n, 4);
  cul_repeat_measure(f->self, CUL_RATE_FAILS);
  assert_int_equal(judge(f, "!"), CUL_SAME);
  assert_int_equal(f->n, 10);
  cul_repeat_measure(f->self, 0);
  cul_repeat_demand(f->self, CUL_DEMAND_RATE);
  assert_int_equal(judge(f, "!"), CUL_SAME);
  assert_true(f->n > 3);
  assert_int_equal(judge(f, "."), CUL_PASSES);
  assert_true(f->n > 2);
}

/* The original always fails, and so must a candidate. */
static void what_always_fails_is_no_matter_of_chance(void **state) {
  struct fixture *f = *state;
  assert_int_equal(learn(f, "!"), CUL_SAME);
  cul_repeat_doubt(f->self);
  assert_int_equal(learn(f, "!"), CUL_SAME);
  assert_int_equal(f->n, CUL_RATE_OFTEN);
  assert_true(cul_repeat_by_first(f->self));
  cul_repeat_demand(f->self, CUL_DEMAND_ALWAYS);
  assert_false(cul_repeat_by_first(f->self));
  assert_int_equal(judge(f, "!"), CUL_SAME);
  assert_int_equal(f->n, CUL_RATE_OFTEN);
  assert_int_equal(judge(f, "."), CUL_PASSES);
  assert_int_equal(f->n, 1);
  assert_int_equal(judge(f, "!."), CUL_UNRESOLVED);
  assert_int_equal(f->n, 3);
  assert_int_equal(judge(f, "!!!!!!!!!."), CUL_UNRESOLVED);
  assert_int_equal(f->n, CUL_RATE_OFTEN);
  cul_repeat_demand(f->self, CUL_DEMAND_ENOUGH);
  assert_int_equal(judge(f, ".!"), CUL_SAME);
}

static void what_fails_less_often_is_judged_by_rate(void **state) {
  struct fixture *f = *state;
  learn(f, ".!!!!!!");
  assert_true(cul_repeat_flaky(f->self, NULL));
  assert_false(cul_repeat_by_first(f->self));
}

static void says_how_often(void **state) {
  struct fixture *f = *state;
  struct cul_buf text = {0};
  learn(f, "!.");
  assert_int_equal(f->n, 43); /* until ten fail, then eight at a time */
  cul_repeat.describe(f->self, &text);
  assert_non_null(strstr(cul_buf_str(&text), "22 of 43"));
  assert_non_null(strstr(cul_buf_str(&text), "37 to 65 %"));
  cul_buf_release(&text);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)
  const struct CMUnitTest tests[] = {
      TEST(certain_failures_cost_no_run_more),
      TEST(faults_with_and_without_a_stack_are_one_failure),
      TEST(a_rate_is_measured),
      TEST(the_failure_is_sought_and_not_the_majority),
      TEST(candidates_are_run_until_sure),
      TEST(rarer_failures_are_not_taken),
      TEST(deadlines_tell_nothing),
      TEST(what_fails_late_is_found),
      TEST(what_never_fails_passes),
      TEST(slow_runs_that_never_fail_are_fewer),
      TEST(only_the_first_fails),
      TEST(what_never_fails_takes_no_longer_than_one_limit),
      TEST(too_rare_to_decide),
      TEST(runs_as_asked),
      TEST(doubt_measures),
      TEST(measuring_only_counts),
      TEST(other_oracles_repeat_too),
      TEST(hangs_now_and_then),
      TEST(what_fails_often_costs_little),
      TEST(what_always_fails_is_no_matter_of_chance),
      TEST(what_fails_less_often_is_judged_by_rate),
      TEST(says_how_often),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
