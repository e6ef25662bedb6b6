/* The oracles that need no comparison: script, match, exit, signal,
 * any-crash; and the table they stand in. */
#include "oracle_helper.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

static struct cul_rules *rules;

static int start(void **state) {
  (void)state;
  rules = make_rules();
  return 0;
}

static int stop(void **state) {
  (void)state;
  cul_rules_free(rules);
  return 0;
}

static struct cul_oracle_conf nothing(void) {
  return (struct cul_oracle_conf){.rules = rules, .exit_code = -1};
}

/* What the oracle that conf asks for says of one run. */
struct said {
  enum cul_answer answer;
  char why[200];
};

static struct said ask_both(const struct cul_oracle_conf *conf,
                            enum cul_end end, int status, const char *out,
                            const char *text) {
  const struct cul_oracle *oracle = cul_oracle_choose(conf);
  struct cul_record record = make_record(end, status, text);
  struct cul_verdict verdict = {0};
  struct cul_wants more;
  struct cul_err err;
  struct said said;
  void *self;
  cul_buf_adds(&record.out, out);
  assert_int_equal(oracle->open(conf, &self, &err), 0);
  assert_int_equal(oracle->judge(self, &record, 1, &more, &verdict, &err), 0);
  assert_int_equal(more.n, 0);
  oracle->close(self);
  cul_record_release(&record);
  said.answer = verdict.answer;
  memcpy(said.why, verdict.why, sizeof said.why);
  return said;
}

static struct said ask(const struct cul_oracle_conf *conf, enum cul_end end,
                       int status, const char *text) {
  return ask_both(conf, end, status, "", text);
}

static void the_configuration_chooses(void **state) {
  struct cul_oracle_conf conf = nothing();
  (void)state;
  assert_string_equal(cul_oracle_choose(&conf)->name, "crash");
  conf.any_crash = true;
  assert_string_equal(cul_oracle_choose(&conf)->name, "any-crash");
  conf.signal = SIGSEGV;
  assert_string_equal(cul_oracle_choose(&conf)->name, "signal");
  conf.exit_code = 0;
  assert_string_equal(cul_oracle_choose(&conf)->name, "exit");
  conf.match = "x";
  assert_string_equal(cul_oracle_choose(&conf)->name, "match");
  conf.script.wanted = true;
  assert_string_equal(cul_oracle_choose(&conf)->name, "script");
  conf.all_of = true;
  assert_string_equal(cul_oracle_choose(&conf)->name, "all-of");
}

static void every_oracle_is_complete(void **state) {
  (void)state;
  for (size_t i = 0; cul_oracles[i]; i++) {
    const struct cul_oracle *o = cul_oracles[i];
    assert_int_equal(o->abi, CUL_ORACLE_ABI);
    assert_true(o->name && o->summary && o->wanted && o->open && o->learn &&
                o->judge && o->describe && o->close);
    for (size_t k = 0; k < i; k++)
      assert_string_not_equal(cul_oracles[k]->name, o->name);
  }
}

static void a_scripts_statuses(void **state) {
  struct cul_oracle_conf conf = nothing();
  struct said said;
  (void)state;
  conf.script.wanted = true;
  assert_int_equal(ask(&conf, CUL_EXITED, 0, "").answer, CUL_SAME);
  assert_int_equal(ask(&conf, CUL_EXITED, 1, "").answer, CUL_PASSES);
  assert_int_equal(ask(&conf, CUL_EXITED, 124, "").answer, CUL_PASSES);
  assert_int_equal(ask(&conf, CUL_EXITED, 125, "").answer, CUL_UNRESOLVED);
  said = ask(&conf, CUL_EXITED, 127, "sh: toy: not found\nmore\n");
  assert_int_equal(said.answer, CUL_BROKEN);
  assert_string_equal(said.why,
                      "the script ended with status 127: sh: toy: not found");
  assert_int_equal(ask(&conf, CUL_EXITED, 126, "").answer, CUL_BROKEN);
  said = ask(&conf, CUL_SIGNALED, SIGSEGV, "");
  assert_int_equal(said.answer, CUL_BROKEN);
  assert_string_equal(said.why, "the script died of SIGSEGV");
  /* Its last command died, not the script. */
  assert_int_equal(ask(&conf, CUL_EXITED, 139, "").answer, CUL_PASSES);
  said = ask(&conf, CUL_NOT_STARTED, ENOEXEC, "");
  assert_int_equal(said.answer, CUL_BROKEN);
  assert_int_equal(ask(&conf, CUL_DEADLINE, 0, "").answer, CUL_UNRESOLVED);
}

static void the_other_sense_of_a_script(void **state) {
  struct cul_oracle_conf conf = nothing();
  (void)state;
  conf.script.wanted = true;
  conf.script.sense = CUL_SENSE_NONZERO;
  assert_int_equal(ask(&conf, CUL_EXITED, 0, "").answer, CUL_PASSES);
  assert_int_equal(ask(&conf, CUL_EXITED, 1, "").answer, CUL_SAME);
  assert_int_equal(ask(&conf, CUL_EXITED, 139, "").answer, CUL_SAME);
  assert_int_equal(ask(&conf, CUL_EXITED, 255, "").answer, CUL_SAME);
  assert_int_equal(ask(&conf, CUL_EXITED, 125, "").answer, CUL_UNRESOLVED);
  assert_int_equal(ask(&conf, CUL_EXITED, 126, "").answer, CUL_BROKEN);
  assert_int_equal(ask(&conf, CUL_EXITED, 127, "").answer, CUL_BROKEN);
  assert_int_equal(ask(&conf, CUL_SIGNALED, SIGSEGV, "").answer, CUL_BROKEN);
  conf.script.sense = CUL_SENSE_BISECT;
  assert_int_equal(ask(&conf, CUL_EXITED, 0, "").answer, CUL_PASSES);
  assert_int_equal(ask(&conf, CUL_EXITED, 124, "").answer, CUL_SAME);
  assert_int_equal(ask(&conf, CUL_EXITED, 125, "").answer, CUL_UNRESOLVED);
  assert_int_equal(ask(&conf, CUL_EXITED, 128, "").answer, CUL_BROKEN);
}

static void the_senses_have_names(void **state) {
  (void)state;
  for (int i = CUL_SENSE_UNKNOWN; i <= CUL_SENSE_BISECT; i++)
    assert_int_equal(cul_sense_parse(cul_sense_name((enum cul_sense)i)), i);
  assert_int_equal(cul_sense_parse("odd"), CUL_SENSE_UNKNOWN);
  assert_int_equal(cul_sense_parse(NULL), CUL_SENSE_UNKNOWN);
}

static void the_sense_may_come_later(void **state) {
  struct cul_oracle_conf conf = nothing();
  const struct cul_oracle *oracle;
  struct cul_record record = make_record(CUL_EXITED, 1, "");
  struct cul_verdict verdict = {0};
  struct cul_wants more;
  struct cul_err err;
  void *self;
  (void)state;
  conf.script.wanted = true;
  oracle = cul_oracle_choose(&conf);
  assert_int_equal(oracle->open(&conf, &self, &err), 0);
  assert_int_equal(oracle->judge(self, &record, 1, &more, &verdict, &err), 0);
  assert_int_equal(verdict.answer, CUL_PASSES);
  conf.script.sense = CUL_SENSE_NONZERO;
  assert_int_equal(oracle->judge(self, &record, 1, &more, &verdict, &err), 0);
  assert_int_equal(verdict.answer, CUL_SAME);
  oracle->close(self);
  cul_record_release(&record);
}

static void also_interesting(void **state) {
  struct cul_oracle_conf conf = nothing();
  struct cul_record record = make_record(CUL_EXITED, 77, "");
  struct cul_verdict verdict = {0};
  struct cul_wants more;
  struct cul_err err;
  void *self;
  (void)state;
  conf.script.wanted = true;
  assert_int_equal(ask(&conf, CUL_EXITED, 77, "").answer, CUL_PASSES);
  conf.script.also = 77;
  assert_int_equal(ask(&conf, CUL_EXITED, 77, "").answer, CUL_OTHER);
  assert_int_equal(ask(&conf, CUL_EXITED, 78, "").answer, CUL_PASSES);
  assert_int_equal(ask(&conf, CUL_EXITED, 0, "").answer, CUL_SAME);
  conf.script.sense = CUL_SENSE_NONZERO;
  assert_int_equal(ask(&conf, CUL_EXITED, 77, "").answer, CUL_OTHER);
  assert_int_equal(ask(&conf, CUL_EXITED, 78, "").answer, CUL_SAME);
  /* A lead has a name. */
  assert_int_equal(cul_oracle_choose(&conf)->open(&conf, &self, &err), 0);
  assert_int_equal(
      cul_oracle_choose(&conf)->judge(self, &record, 1, &more, &verdict, &err),
      0);
  assert_string_equal(verdict.sig.title, "also interesting (exit status 77)");
  assert_false(cul_digest_is_zero(&verdict.sig.key));
  cul_oracle_choose(&conf)->close(self);
  cul_record_release(&record);
}

static void all_of(void **state) {
  struct cul_oracle_conf conf = nothing();
  (void)state;
  conf.all_of = true;
  conf.match = "odd";
  conf.any_crash = true;
  assert_int_equal(ask(&conf, CUL_SIGNALED, SIGSEGV, "odd").answer, CUL_SAME);
  assert_int_equal(ask(&conf, CUL_SIGNALED, SIGSEGV, "even").answer, CUL_OTHER);
  assert_int_equal(ask(&conf, CUL_EXITED, 0, "odd").answer, CUL_PASSES);
  assert_int_equal(ask(&conf, CUL_EXITED, 0, "even").answer, CUL_PASSES);
  assert_int_equal(ask(&conf, CUL_DEADLINE, 0, "odd").answer, CUL_UNRESOLVED);
  conf.any_crash = false;
  conf.exit_code = 3;
  conf.signal = 0;
  assert_int_equal(ask(&conf, CUL_EXITED, 3, "odd").answer, CUL_SAME);
  assert_int_equal(ask(&conf, CUL_EXITED, 2, "odd").answer, CUL_OTHER);
  conf.exit_code = -1;
  conf.script.wanted = true;
  assert_int_equal(ask(&conf, CUL_EXITED, 0, "odd").answer, CUL_SAME);
  assert_int_equal(ask(&conf, CUL_EXITED, 1, "odd").answer, CUL_PASSES);
  assert_int_equal(ask(&conf, CUL_EXITED, 0, "even").answer, CUL_PASSES);
  assert_int_equal(ask(&conf, CUL_EXITED, 127, "odd").answer, CUL_BROKEN);
}

static void an_exit_status(void **state) {
  struct cul_oracle_conf conf = nothing();
  (void)state;
  conf.exit_code = 3;
  assert_int_equal(ask(&conf, CUL_EXITED, 3, "").answer, CUL_SAME);
  assert_int_equal(ask(&conf, CUL_EXITED, 0, "").answer, CUL_PASSES);
  assert_int_equal(ask(&conf, CUL_EXITED, 4, "").answer, CUL_OTHER);
  assert_int_equal(ask(&conf, CUL_SIGNALED, 3, "").answer, CUL_OTHER);
  assert_int_equal(ask(&conf, CUL_DEADLINE, 0, "").answer, CUL_UNRESOLVED);
  conf.exit_code = 0;
  assert_int_equal(ask(&conf, CUL_EXITED, 0, "").answer, CUL_SAME);
  assert_int_equal(ask(&conf, CUL_EXITED, 1, "").answer, CUL_OTHER);
}

static void a_signal(void **state) {
  struct cul_oracle_conf conf = nothing();
  (void)state;
  conf.signal = SIGSEGV;
  assert_int_equal(ask(&conf, CUL_SIGNALED, SIGSEGV, "").answer, CUL_SAME);
  assert_int_equal(ask(&conf, CUL_EXITED, 139, "").answer, CUL_SAME);
  assert_int_equal(ask(&conf, CUL_SIGNALED, SIGABRT, "").answer, CUL_OTHER);
  assert_string_equal(ask(&conf, CUL_SIGNALED, SIGABRT, "").why,
                      "died of SIGABRT, not SIGSEGV");
  assert_int_equal(ask(&conf, CUL_EXITED, 0, "").answer, CUL_PASSES);
  assert_int_equal(ask(&conf, CUL_EXITED, 1, "").answer, CUL_OTHER);
  assert_int_equal(ask(&conf, CUL_LIMIT, SIGKILL, "").answer, CUL_UNRESOLVED);
}

static void any_crash(void **state) {
  struct cul_oracle_conf conf = nothing();
  (void)state;
  conf.any_crash = true;
  assert_int_equal(ask(&conf, CUL_SIGNALED, SIGSEGV, "").answer, CUL_SAME);
  assert_int_equal(ask(&conf, CUL_EXITED, 1, "LLVM ERROR: x\n").answer,
                   CUL_SAME);
  assert_int_equal(ask(&conf, CUL_EXITED, 1, "a.mlir:1:1: error: odd\n").answer,
                   CUL_OTHER);
  assert_int_equal(ask(&conf, CUL_EXITED, 1, "").answer, CUL_OTHER);
  assert_int_equal(ask(&conf, CUL_EXITED, 0, "").answer, CUL_PASSES);
}

static void output_that_matches(void **state) {
  struct cul_oracle_conf conf = nothing();
  (void)state;
  conf.match = "^wheel \\d+ fell off$";
  assert_int_equal(ask(&conf, CUL_EXITED, 0, "a\nwheel 3 fell off\n").answer,
                   CUL_SAME);
  assert_int_equal(
      ask_both(&conf, CUL_EXITED, 1, "wheel 9 fell off", "").answer, CUL_SAME);
  assert_int_equal(ask(&conf, CUL_EXITED, 0, "wheel fell off\n").answer,
                   CUL_PASSES);
  assert_int_equal(ask(&conf, CUL_SIGNALED, SIGSEGV, "").answer, CUL_OTHER);
  /* Said before the deadline is said. */
  assert_int_equal(ask(&conf, CUL_DEADLINE, 0, "wheel 3 fell off\n").answer,
                   CUL_SAME);
  assert_int_equal(ask(&conf, CUL_DEADLINE, 0, "").answer, CUL_UNRESOLVED);
  assert_int_equal(ask(&conf, CUL_NOT_STARTED, 2, "wheel 3 fell off").answer,
                   CUL_BROKEN);
}

static void a_match_with_an_end(void **state) {
  struct cul_oracle_conf conf = nothing();
  (void)state;
  conf.match = "odd";
  conf.exit_code = 3;
  assert_int_equal(ask(&conf, CUL_EXITED, 3, "odd").answer, CUL_SAME);
  assert_int_equal(ask(&conf, CUL_EXITED, 2, "odd").answer, CUL_OTHER);
  conf.exit_code = -1;
  conf.signal = SIGABRT;
  assert_int_equal(ask(&conf, CUL_EXITED, 134, "odd").answer, CUL_SAME);
  assert_int_equal(ask(&conf, CUL_EXITED, 1, "odd").answer, CUL_OTHER);
}

static void a_match_that_never_ends_is_unresolved(void **state) {
  struct cul_oracle_conf conf = nothing();
  struct cul_buf text = {0};
  (void)state;
  conf.match = "^(a|b|ab)*[cd]$";
  for (int i = 0; i < 3000; i++)
    cul_buf_adds(&text, "ab");
  assert_int_equal(ask(&conf, CUL_EXITED, 1, cul_buf_str(&text)).answer,
                   CUL_UNRESOLVED);
  cul_buf_release(&text);
}

static void refuse(struct cul_oracle_conf conf, const char *what,
                   const char *advice) {
  struct cul_err err = {0};
  void *self = NULL;
  assert_int_equal(cul_oracle_choose(&conf)->open(&conf, &self, &err),
                   CUL_EUSAGE);
  if (!strstr(err.what, what))
    fail_msg("'%s' does not say '%s'", err.what, what);
  if (!strstr(err.advice, advice))
    fail_msg("'%s' does not advise '%s'", err.advice, advice);
}

static void what_cannot_be_is_refused(void **state) {
  struct cul_oracle_conf conf = nothing();
  (void)state;
  conf.match = "fell (off";
  refuse(conf, "missing closing parenthesis at offset 9", "\\Q and \\E");
  conf.match = "a**b";
  conf.match = "fell[ off";
  refuse(conf, "at offset 9", "Perl syntax");
  conf = nothing();
  conf.exit_code = 256;
  refuse(conf, "--exit 256", "0 to 255");
  conf = nothing();
  conf.signal = 99;
  refuse(conf, "--signal 99", "SIGSEGV");
}

/* learn of oracle over exit statuses. */
static struct cul_verdict learn(const struct cul_oracle_conf *conf,
                                const int *statuses, size_t n,
                                struct cul_wants *more) {
  const struct cul_oracle *oracle = cul_oracle_choose(conf);
  struct cul_record records[CUL_MAX_WANTS];
  struct cul_verdict verdict = {0};
  struct cul_err err;
  void *self;
  for (size_t i = 0; i < n; i++)
    records[i] = make_record(CUL_EXITED, statuses[i], "");
  assert_int_equal(oracle->open(conf, &self, &err), 0);
  assert_int_equal(oracle->learn(self, records, n, more, &verdict, &err), 0);
  oracle->close(self);
  for (size_t i = 0; i < n; i++)
    cul_record_release(&records[i]);
  return verdict;
}

static void learning_repeats(void **state) {
  struct cul_oracle_conf conf = nothing();
  struct cul_wants more;
  struct cul_verdict verdict;
  (void)state;
  conf.script.wanted = true;
  learn(&conf, (int[]){0}, 1, &more);
  assert_int_equal(more.n, 1);
  assert_int_equal(more.want[0].attempt, 1);
  verdict = learn(&conf, (int[]){0, 0}, 2, &more);
  assert_int_equal(more.n, 0);
  assert_int_equal(verdict.answer, CUL_SAME);
  verdict = learn(&conf, (int[]){0, 1}, 2, &more);
  assert_int_equal(more.n, 3);
  assert_int_equal(more.want[2].attempt, 4);
  verdict = learn(&conf, (int[]){0, 1, 0, 0, 0}, 5, &more);
  assert_int_equal(more.n, 0);
  assert_int_equal(verdict.answer, CUL_UNRESOLVED);
  assert_true(verdict.confidence == 0.8);
  verdict = learn(&conf, (int[]){127}, 1, &more);
  assert_int_equal(more.n, 0);
  assert_int_equal(verdict.answer, CUL_BROKEN);
  verdict = learn(&conf, (int[]){1, 1}, 2, &more);
  assert_int_equal(verdict.answer, CUL_PASSES);
}

static void they_say_what_they_preserve(void **state) {
  struct cul_oracle_conf conf = nothing();
  const struct cul_oracle *oracle;
  struct cul_buf text = {0};
  struct cul_err err;
  void *self;
  (void)state;
  conf.match = "odd";
  conf.exit_code = 3;
  oracle = cul_oracle_choose(&conf);
  assert_int_equal(oracle->open(&conf, &self, &err), 0);
  oracle->describe(self, &text);
  assert_string_equal(cul_buf_str(&text),
                      "output that matches 'odd' and exit status 3");
  oracle->close(self);
  cul_buf_clear(&text);
  conf.all_of = conf.any_crash = true;
  oracle = cul_oracle_choose(&conf);
  assert_int_equal(oracle->open(&conf, &self, &err), 0);
  oracle->describe(self, &text);
  assert_string_equal(cul_buf_str(&text),
                      "output that matches 'odd' and exit status 3, and any "
                      "crash, assertion, fatal error or sanitizer report");
  oracle->close(self);
  cul_buf_release(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_configuration_chooses),
      cmocka_unit_test(every_oracle_is_complete),
      cmocka_unit_test(a_scripts_statuses),
      cmocka_unit_test(the_other_sense_of_a_script),
      cmocka_unit_test(the_senses_have_names),
      cmocka_unit_test(the_sense_may_come_later),
      cmocka_unit_test(also_interesting),
      cmocka_unit_test(all_of),
      cmocka_unit_test(an_exit_status),
      cmocka_unit_test(a_signal),
      cmocka_unit_test(any_crash),
      cmocka_unit_test(output_that_matches),
      cmocka_unit_test(a_match_with_an_end),
      cmocka_unit_test(a_match_that_never_ends_is_unresolved),
      cmocka_unit_test(what_cannot_be_is_refused),
      cmocka_unit_test(learning_repeats),
      cmocka_unit_test(they_say_what_they_preserve),
  };
  return cmocka_run_group_tests(tests, start, stop);
}
