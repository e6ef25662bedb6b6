/* The crash oracle over literal records. */
#include "oracle_crash_fixture.h"

static void the_original_is_run_twice(void **state) {
  struct fixture *f = *state;
  add(f, CUL_EXITED, 1, MESSAGE("toy.a"));
  learn(f);
  assert_int_equal(f->more.n, 1);
  assert_int_equal(f->more.want[0].attempt, 1);
  assert_int_equal(f->more.want[0].flags, 0);
  add(f, CUL_EXITED, 1, MESSAGE("toy.a"));
  assert_int_equal(learn(f), CUL_SAME);
  assert_int_equal(f->more.n, 0);
  assert_true(f->verdict.confidence == 1);
  assert_string_equal(f->verdict.sig.text, "'toy.a' op is bad");
}

static void runs_that_disagree_ask_for_more(void **state) {
  struct fixture *f = *state;
  add(f, CUL_EXITED, 1, MESSAGE("toy.a"));
  add(f, CUL_EXITED, 1, MESSAGE("toy.b"));
  learn(f);
  assert_int_equal(f->more.n, 3);
  assert_int_equal(f->more.want[0].attempt, 2);
  assert_int_equal(f->more.want[2].attempt, 4);
  add(f, CUL_EXITED, 1, MESSAGE("toy.b"));
  add(f, CUL_EXITED, 0, "");
  add(f, CUL_EXITED, 1, MESSAGE("toy.b"));
  assert_int_equal(learn(f), CUL_UNRESOLVED);
  assert_int_equal(f->more.n, 0);
  assert_true(f->verdict.confidence == 0.6);
  assert_string_equal(f->verdict.sig.text, "'toy.b' op is bad");
  assert_non_null(strstr(f->verdict.why, "3 of 5 runs agree"));
  forget(f);
  /* What most runs show can be judged by all the same. */
  assert_int_equal(judge_one(f, CUL_EXITED, 1, MESSAGE("toy.b")), CUL_SAME);
}

static void a_failure_goes_before_none(void **state) {
  struct fixture *f = *state;
  add(f, CUL_EXITED, 0, "");
  add(f, CUL_EXITED, 1, MESSAGE("toy.a"));
  learn(f);
  assert_int_equal(f->verdict.sig.kind, CUL_KIND_VERIFIER);
}

/* What the original ends with, by chance, is all its failure. */
static void several_exit_statuses_may_be_one_failure(void **state) {
  struct fixture *f = *state;
  learn_twice(f, CUL_EXITED, 1, MESSAGE("toy.a"));
  assert_int_equal(judge_one(f, CUL_EXITED, 2, MESSAGE("toy.a")), CUL_OTHER);
  assert_string_equal(f->verdict.why, "exit status: '2', not '1'");
  add(f, CUL_EXITED, 1, MESSAGE("toy.a"));
  add(f, CUL_EXITED, 2, MESSAGE("toy.a"));
  learn(f);
  assert_int_equal(f->more.n, 3);
  add(f, CUL_EXITED, 2, MESSAGE("toy.a"));
  add(f, CUL_EXITED, 1, MESSAGE("toy.a"));
  add(f, CUL_EXITED, 2, MESSAGE("toy.a"));
  assert_int_equal(learn(f), CUL_SAME);
  assert_int_equal(f->more.n, 0);
  forget(f);
  assert_int_equal(judge_one(f, CUL_EXITED, 1, MESSAGE("toy.a")), CUL_SAME);
  assert_int_equal(judge_one(f, CUL_EXITED, 2, MESSAGE("toy.a")), CUL_SAME);
  assert_int_equal(judge_one(f, CUL_EXITED, 3, MESSAGE("toy.a")), CUL_OTHER);
  assert_int_equal(judge_one(f, CUL_EXITED, 2, MESSAGE("toy.b")), CUL_OTHER);
  assert_int_equal(judge_one(f, CUL_SIGNALED, SIGABRT, MESSAGE("toy.a")),
                   CUL_OTHER);
}

/* One that ends with any number at all. */
static void an_exit_status_may_be_chance(void **state) {
  struct fixture *f = *state;
  for (int i = 0; i < 5; i++)
    add(f, CUL_EXITED, 3 + 7 * i, "tool: cannot go on\n");
  assert_int_equal(learn(f), CUL_SAME);
  forget(f);
  assert_int_equal(judge_one(f, CUL_EXITED, 99, "tool: cannot go on\n"),
                   CUL_SAME);
  assert_int_equal(judge_one(f, CUL_EXITED, 3, "tool: no input\n"), CUL_OTHER);
}

static void an_original_that_passes(void **state) {
  struct fixture *f = *state;
  add(f, CUL_EXITED, 0, "");
  add(f, CUL_EXITED, 0, "");
  assert_int_equal(learn(f), CUL_PASSES);
}

static void a_tool_that_does_not_start(void **state) {
  struct fixture *f = *state;
  add(f, CUL_NOT_STARTED, 2, "no such tool: toy-opt\nmore");
  assert_int_equal(learn(f), CUL_BROKEN);
  assert_int_equal(f->more.n, 0);
  assert_string_equal(
      f->verdict.why,
      "did not start: No such file or directory: no such tool: toy-opt");
}

static void an_original_stopped_by_our_limit(void **state) {
  struct fixture *f = *state;
  add(f, CUL_LIMIT, SIGXCPU, "");
  add(f, CUL_LIMIT, SIGXCPU, "");
  assert_int_equal(learn(f), CUL_UNRESOLVED);
  assert_non_null(strstr(f->verdict.why, "SIGXCPU"));
}

static void candidates_are_judged(void **state) {
  struct fixture *f = *state;
  learn_twice(f, CUL_EXITED, 1, MESSAGE("toy.a"));
  assert_int_equal(judge_one(f, CUL_EXITED, 1, MESSAGE("toy.a")), CUL_SAME);
  assert_int_equal(judge_one(f, CUL_EXITED, 0, ""), CUL_PASSES);
  assert_int_equal(judge_one(f, CUL_EXITED, 1, MESSAGE("toy.b")), CUL_OTHER);
  assert_non_null(strstr(f->verdict.why, "message: ''toy.b' op is bad'"));
  assert_int_equal(judge_one(f, CUL_SIGNALED, SIGSEGV, ""), CUL_OTHER);
  assert_string_equal(f->verdict.why, "kind: 'signal', not 'verifier error'");
  assert_int_equal(judge_one(f, CUL_DEADLINE, 0, MESSAGE("toy.a")),
                   CUL_UNRESOLVED);
  assert_int_equal(judge_one(f, CUL_LIMIT, SIGKILL, ""), CUL_UNRESOLVED);
  assert_int_equal(judge_one(f, CUL_MACHINE, 0, "fork: no memory"), CUL_BROKEN);
  assert_int_equal(judge_one(f, CUL_NOT_STARTED, 13, ""), CUL_BROKEN);
  assert_int_equal(f->more.n, 0);
}

static void it_says_what_it_preserves(void **state) {
  struct fixture *f = *state;
  struct cul_buf text = {0};
  oracle()->describe(f->self, &text);
  assert_string_equal(cul_buf_str(&text),
                      "the failure that the first run shows");
  cul_buf_clear(&text);
  learn_twice(f, CUL_EXITED, 1, MESSAGE("toy.a"));
  oracle()->describe(f->self, &text);
  assert_string_equal(cul_buf_str(&text),
                      "the same failure: verifier error: 'toy.a' op is bad");
  cul_buf_release(&text);
}

static void judging_before_learning_is_a_defect(void **state) {
  struct fixture *f = *state;
  struct cul_err err = {0};
  add(f, CUL_EXITED, 1, "");
  assert_int_equal(
      oracle()->judge(f->self, f->records, 1, &f->more, &f->verdict, &err),
      CUL_EINTERNAL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

#define HANDLER                                                                \
  "Stack dump without symbol names:\n"                                         \
  "0  libLLVM.so.22.1 0x00007ffff0000786 "                                     \
  "llvm::sys::PrintStackTrace(llvm::raw_ostream&, int) + 54\n"                 \
  "1  libLLVM.so.22.1 0x00007ffff0000fd3 llvm::sys::RunSignalHandlers() + "    \
  "131\n"
#define PLACE                                                                  \
  "2  libMLIR.so.22.1 0x00007fffe0000100 mlir::Some::place(int) + 16\n"

/* A stack with nothing on it: the signal is all there is to hold on to, and
 * another signal is another failure. */
static void wild_crash_holds_its_signal(void **state) {
  struct fixture *f = *state;
  learn_twice(f, CUL_SIGNALED, SIGSEGV, HANDLER);
  add(f, CUL_SIGNALED, SIGSEGV, HANDLER PLACE);
  assert_int_equal(judge(f), CUL_SAME);
  forget(f);
  add(f, CUL_SIGNALED, SIGABRT, HANDLER);
  assert_int_equal(judge(f), CUL_OTHER);
}

/* A place that is known is held on to. */
static void known_place_does_not_become_wild(void **state) {
  struct fixture *f = *state;
  learn_twice(f, CUL_SIGNALED, SIGSEGV, HANDLER PLACE);
  add(f, CUL_SIGNALED, SIGSEGV, HANDLER);
  assert_int_equal(judge(f), CUL_OTHER);
}

#define RAISED_IN(file, line)                                                  \
  "Traceback (most recent call last):\n"                                       \
  "  File \"/tmp/x/" file "\", line " line ", in lower\n"                      \
  "ValueError: no\n"

/* A line of the candidate's own text moves while it shrinks. */
static void lines_of_the_candidate_do_not_count(void **state) {
  struct fixture *f = *state;
  learn_twice(f, CUL_EXITED, 1, RAISED_IN("k.py", "9"));
  assert_int_equal(judge_one(f, CUL_EXITED, 1, RAISED_IN("k.py", "4")),
                   CUL_SAME);
}

static void lines_of_the_tool_count(void **state) {
  struct fixture *f = *state;
  learn_twice(f, CUL_EXITED, 1, RAISED_IN("tool.py", "9"));
  assert_int_equal(judge_one(f, CUL_EXITED, 1, RAISED_IN("tool.py", "4")),
                   CUL_OTHER);
}

static void last_words_count(void **state) {
  struct fixture *f = *state;
  learn_twice(f, CUL_EXITED, 1, "toy: no rule\n");
  assert_int_equal(judge_one(f, CUL_EXITED, 1, "toy: too deep\n"), CUL_OTHER);
}

/* ... unless they are chance. */
static void last_words_that_vary_do_not_count(void **state) {
  struct fixture *f = *state;
  add(f, CUL_EXITED, 1, "toy: worker a died\n");
  add(f, CUL_EXITED, 1, "toy: worker b died\n");
  assert_int_equal(learn(f), CUL_SAME);
  forget(f);
  assert_int_equal(judge_one(f, CUL_EXITED, 1, "toy: worker c died\n"),
                   CUL_SAME);
  assert_int_equal(judge_one(f, CUL_EXITED, 2, "toy: worker a died\n"),
                   CUL_OTHER);
}

/* A plain run that does not show the fault is asked in each heap, until one
 * does; where none does, the plain one counts. */
static void a_fault_may_show_in_a_heap(void **state) {
  static const char stack[] = "Stack dump:\n #0 0x1 fold(int) (/t+0x10)\n"
                              " #1 0x2 run(int) (/t+0x20)\n";
  struct fixture *f = *state;
  learn_twice(f, CUL_SIGNALED, SIGSEGV, stack);
  f->conf.crash.layouts = CUL_RUN_LAYOUT << 1 | CUL_RUN_LAYOUT << 2;
  assert_int_equal(judge_one(f, CUL_SIGNALED, SIGSEGV, stack), CUL_SAME);
  assert_int_equal(f->more.n, 0);

  add(f, CUL_EXITED, 0, "");
  assert_int_equal(judge(f), CUL_UNRESOLVED);
  assert_int_equal(f->more.n, 1);
  assert_int_equal(f->more.want[0].flags, CUL_RUN_LAYOUT << 1);
  add(f, CUL_EXITED, 0, "");
  assert_int_equal(judge(f), CUL_UNRESOLVED);
  assert_int_equal(f->more.want[0].flags, CUL_RUN_LAYOUT << 2);
  add(f, CUL_SIGNALED, SIGSEGV, stack);
  assert_int_equal(judge(f), CUL_SAME);
  assert_int_equal(f->more.n, 0);
  forget(f);

  add(f, CUL_EXITED, 1, MESSAGE("toy.a"));
  add(f, CUL_EXITED, 0, "");
  add(f, CUL_SIGNALED, SIGABRT, "");
  assert_int_equal(judge(f), CUL_OTHER);
  assert_int_equal(f->verdict.sig.kind, CUL_KIND_VERIFIER);
  assert_int_equal(f->more.n, 0);
  forget(f);
  assert_int_equal(judge_one(f, CUL_NOT_STARTED, 13, ""), CUL_BROKEN);
  assert_int_equal(f->more.n, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(the_original_is_run_twice),
      TEST(runs_that_disagree_ask_for_more),
      TEST(a_failure_goes_before_none),
      TEST(several_exit_statuses_may_be_one_failure),
      TEST(an_exit_status_may_be_chance),
      TEST(an_original_that_passes),
      TEST(a_tool_that_does_not_start),
      TEST(an_original_stopped_by_our_limit),
      TEST(candidates_are_judged),
      TEST(it_says_what_it_preserves),
      TEST(judging_before_learning_is_a_defect),
      TEST(wild_crash_holds_its_signal),
      TEST(known_place_does_not_become_wild),
      TEST(lines_of_the_candidate_do_not_count),
      TEST(lines_of_the_tool_count),
      TEST(last_words_count),
      TEST(last_words_that_vary_do_not_count),
      TEST(a_fault_may_show_in_a_heap),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
