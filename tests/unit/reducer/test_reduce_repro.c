/* reducer/repro: the shell script of a bundle, run by a real shell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../base/files/file.h"
#include "../../../pipeline/shell_text.h"
#include "../../../reducer/finish/repro.h"
#include "../../../systems/systems.h"

static void quoted(const char *text, const char *expected) {
  struct cul_buf out = {0};
  cul_shell_quote(text, &out);
  assert_string_equal(cul_buf_str(&out), expected);
  cul_buf_release(&out);
}

static void test_quotes(void **state) {
  (void)state;
  quoted("--pass=a,b", "--pass=a,b");
  quoted("", "''");
  quoted("a b", "'a b'");
  quoted("it's", "'it'\\''s'");
  quoted("$(x)", "'$(x)'");
  quoted("~", "'~'");
}

/* Only what was printed can be found: not the file and function that the
 * rules put behind an assertion. */
static void test_message_of_assertions(void **state) {
  struct cul_signature sig = {.kind = CUL_KIND_ASSERTION};
  struct cul_buf out = {0};
  (void)state;
  strcpy(sig.raw, "list->n < 3 (list.c, list_add)");
  cul_repro_message_test(&sig, &out);
  assert_string_equal(cul_buf_str(&out), "");
  strcpy(sig.raw, "is_contiguous && ranked (a_long_name.cpp, operator())");
  cul_repro_message_test(&sig, &out);
  assert_non_null(strstr(cul_buf_str(&out), "'is_contiguous && ranked'"));
  cul_buf_release(&out);
}

/* What a rule says in its own words is in no log. */
static void test_message_of_rules(void **state) {
  struct cul_signature sig = {.kind = CUL_KIND_FATAL};
  struct cul_buf out = {0};
  (void)state;
  strcpy(sig.raw, "malloc: the heap is corrupted");
  strcpy(sig.printed, "double free or corruption (out)");
  cul_repro_message_test(&sig, &out);
  assert_string_equal(cul_buf_str(&out), "");
  strcpy(sig.raw, "no tile fits in slot 7");
  strcpy(sig.printed, "tool: fatal: no tile fits in slot 7");
  cul_repro_message_test(&sig, &out);
  assert_non_null(strstr(cul_buf_str(&out), "'no tile fits in slot '"));
  cul_buf_release(&out);
}

/* ptxas does not print the word that its rule puts before the message. */
static void test_message_of_ptxas(void **state) {
  struct cul_signature sig = {.kind = CUL_KIND_DIAGNOSTIC};
  struct cul_buf out = {0};
  (void)state;
  strcpy(sig.raw, "ptxas: Not a name of any known instruction: 'sigmoid'");
  cul_repro_message_test(&sig, &out);
  assert_non_null(
      strstr(cul_buf_str(&out), "'Not a name of any known instruction: '"));
  cul_buf_release(&out);
}

/* Write text as repro.mlir beside the job's script, run the script, return
 * its exit status. */
static int run_script(const struct cul_reduce *job, const char *text) {
  char *dir = cul_xstrdup("/tmp/culprit-test-XXXXXX");
  char *repro, *script;
  struct cul_buf body = {0};
  struct cul_err err = {0};
  pid_t pid;
  int status;
  assert_non_null(mkdtemp(dir));
  repro = cul_xasprintf("%s/repro.mlir", dir);
  script = cul_xasprintf("%s/repro.sh", dir);
  cul_repro_script(job, &body);
  assert_int_equal(cul_file_write(repro, text, strlen(text), 0644, &err), 0);
  assert_int_equal(cul_file_write(script, body.data, body.len, 0755, &err), 0);
  pid = fork();
  if (pid == 0) {
    freopen("/dev/null", "w", stdout);
    execl(script, script, (char *)NULL);
    _exit(99);
  }
  assert_int_equal(waitpid(pid, &status, 0), pid);
  cul_rmtree(dir);
  cul_buf_release(&body);
  free(dir);
  free(repro);
  free(script);
  assert_true(WIFEXITED(status));
  return WEXITSTATUS(status);
}

static struct cul_reduce_conf conf = {.target = {.input = "in dir/x.mlir"}};

static struct cul_reduce job_of(const char *const *argv,
                                struct cul_record *record) {
  struct cul_reduce job = {.conf = &conf, .target = {.conf = &conf.target}};
  job.target.tool.command.argv = argv;
  job.target.oracle_conf.exit_code = -1;
  job.target.original.records = record;
  job.target.original.n = 1;
  return job;
}

static void test_message_must_show(void **state) {
  const char *const argv[] = {
      "bash", "-c",
      "grep -q bad @@ && { echo \"it's wrong: op 12\" >&2; "
      "exit 7; }; grep -q other @@ && { echo else; exit 7; }; "
      "exit 0",
      NULL};
  struct cul_record record = {.end = CUL_EXITED, .status = 7};
  struct cul_reduce job = job_of(argv, &record);
  struct cul_signature *sig = &job.target.original.verdict.sig;
  (void)state;
  sig->kind = CUL_KIND_DIAGNOSTIC;
  snprintf(sig->raw, sizeof sig->raw, "it's wrong: op 99");
  assert_int_equal(run_script(&job, "bad\n"), 0);
  assert_int_equal(run_script(&job, "other\n"), 1);
  assert_int_equal(run_script(&job, "good\n"), 1);
}

/* The same words with another exit status are another failure, but where the
 * original ends with this or that by chance. */
static void test_status_must_be_the_same(void **state) {
  const char *const argv[] = {
      "bash", "-c", "echo 'it cannot be lowered' >&2; exit $(cat @@)", NULL};
  struct cul_record records[5] = {{.end = CUL_EXITED, .status = 7},
                                  {.end = CUL_EXITED, .status = 7}};
  struct cul_reduce job = job_of(argv, records);
  struct cul_signature *sig = &job.target.original.verdict.sig;
  (void)state;
  sig->kind = CUL_KIND_DIAGNOSTIC;
  sig->status = 7;
  snprintf(sig->raw, sizeof sig->raw, "it cannot be lowered");
  job.target.original.n = 2;
  assert_int_equal(run_script(&job, "7"), 0);
  assert_int_equal(run_script(&job, "8"), 1);
  assert_int_equal(run_script(&job, "0"), 1);
  records[1].status = 8;
  assert_int_equal(run_script(&job, "7"), 0);
  assert_int_equal(run_script(&job, "8"), 0);
  assert_int_equal(run_script(&job, "9"), 1);
  for (int i = 2; i < 5; i++)
    records[i] = (struct cul_record){.end = CUL_EXITED, .status = 8 + i};
  job.target.original.n = 5;
  assert_int_equal(run_script(&job, "99"), 0);
  assert_int_equal(run_script(&job, "0"), 1);
}

static void test_signal_must_be_the_same(void **state) {
  const char *const argv[] = {
      "bash", "-c",
      "if grep -q bad @@; then kill -SEGV $$; else kill -ABRT "
      "$$; fi",
      NULL};
  struct cul_record record = {.end = CUL_SIGNALED, .status = 11};
  struct cul_reduce job = job_of(argv, &record);
  (void)state;
  job.target.original.verdict.sig.kind = CUL_KIND_SIGNAL;
  assert_int_equal(run_script(&job, "bad\n"), 0);
  assert_int_equal(run_script(&job, "good\n"), 1);
}

static void test_regex_and_exit(void **state) {
  const char *const argv[] = {"cat", "@@", NULL};
  const char *const exits[] = {"bash", "-c", "exit $(cat @@)", NULL};
  struct cul_record record = {.end = CUL_EXITED};
  struct cul_reduce job = job_of(argv, &record);
  (void)state;
  job.target.oracle_conf.match = "a+ (?!c)\\w";
  assert_int_equal(run_script(&job, "aa b\n"), 0);
  assert_int_equal(run_script(&job, "aa c\n"), 1);
  job = job_of(exits, &record);
  job.target.oracle_conf.exit_code = 5;
  assert_int_equal(run_script(&job, "5"), 0);
  assert_int_equal(run_script(&job, "4"), 1);
}

/* All that was asked for must hold. */
static void test_conjunction(void **state) {
  const char *const argv[] = {"bash", "-c", "cat @@; exit 5", NULL};
  struct cul_record record = {.end = CUL_EXITED};
  struct cul_reduce job = job_of(argv, &record);
  (void)state;
  job.target.oracle_conf.match = "odd";
  job.target.oracle_conf.exit_code = 5;
  assert_int_equal(run_script(&job, "odd\n"), 0);
  assert_int_equal(run_script(&job, "even\n"), 1);
  job.target.oracle_conf.exit_code = 4;
  assert_int_equal(run_script(&job, "odd\n"), 1);
}

static void test_generic_form_commands(void **state) {
  struct cul_system_tool tool = {"/opt/x/mlir-opt-19", "", "."};
  char **argv = cul_system_generic_argv(&tool);
  (void)state;
  assert_non_null(argv);
  assert_string_equal(argv[0], "/opt/x/mlir-opt-19");
  assert_string_equal(argv[1], "--mlir-print-op-generic");
  assert_true(cul_has_placeholder((const char *const *)argv));
  free(argv);
  tool.program = "/usr/bin/python3";
  assert_null(cul_system_generic_argv(&tool));
  tool.program = "/nowhere/iree-compile-nope/opt";
  assert_null(cul_system_generic_argv(&tool));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_quotes),
      cmocka_unit_test(test_message_of_assertions),
      cmocka_unit_test(test_message_of_rules),
      cmocka_unit_test(test_message_of_ptxas),
      cmocka_unit_test(test_message_must_show),
      cmocka_unit_test(test_status_must_be_the_same),
      cmocka_unit_test(test_signal_must_be_the_same),
      cmocka_unit_test(test_regex_and_exit),
      cmocka_unit_test(test_conjunction),
      cmocka_unit_test(test_generic_form_commands),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
