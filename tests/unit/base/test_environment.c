/* base/environment: what is passed, and what it is keyed by. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../../base/environment.h"

static struct cul_environment *make(const struct cul_environment_conf *conf) {
  struct cul_environment *env = NULL;
  struct cul_err err = {0};
  assert_int_equal(cul_environment_new(conf, &env, &err), 0);
  return env;
}

static int set_up(void **state) {
  (void)state;
  clearenv();
  setenv("HOME", "/home/x", 1);
  setenv("PATH", "/bin", 1);
  setenv("TERM", "xterm", 1);
  setenv("SSH_TTY", "/dev/pts/3", 1);
  setenv("XDG_SESSION_ID", "7", 1);
  setenv("TMPDIR", "/tmp/mine", 1);
  return 0;
}

static void a_session_is_not_passed(void **state) {
  struct cul_environment *env = cul_environment_usual();
  (void)state;
  assert_string_equal(cul_environment_get(env, "HOME"), "/home/x");
  assert_string_equal(cul_environment_get(env, "PATH"), "/bin");
  assert_null(cul_environment_get(env, "TERM"));
  assert_null(cul_environment_get(env, "SSH_TTY"));
  assert_null(cul_environment_get(env, "XDG_SESSION_ID"));
  assert_null(cul_environment_get(env, "TMPDIR"));
  assert_null(cul_environment_get(env, "HOM"));
  assert_string_equal(cul_environment_list(env)[0], "HOME=/home/x");
  assert_string_equal(cul_environment_list(env)[1], "PATH=/bin");
  assert_null(cul_environment_list(env)[2]);
  cul_environment_free(env);
}

static struct cul_digest digest_now(void) {
  struct cul_environment *env = cul_environment_usual();
  struct cul_digest digest = cul_environment_digest(env);
  cul_environment_free(env);
  return digest;
}

/* Any variable counts, what is not passed does not, nor does the order. */
static void what_is_passed_is_what_is_keyed(void **state) {
  struct cul_digest before = digest_now(), after;
  (void)state;
  setenv("TERM", "vt100", 1);
  after = digest_now();
  assert_true(cul_digest_equal(&before, &after));
  setenv("NOBODY_KNOWS_IT", "1", 1);
  after = digest_now();
  assert_false(cul_digest_equal(&before, &after));
  unsetenv("NOBODY_KNOWS_IT");
  unsetenv("HOME");
  setenv("HOME", "/home/x", 1);
  after = digest_now();
  assert_true(cul_digest_equal(&before, &after));
}

/* Two runs of a CI service have the same key; its places stay. */
static void a_ci_run_is_not_passed(void **state) {
  static const char *const hidden[] = {
      "GITHUB_RUN_ID", "GITHUB_RUN_NUMBER", "GITHUB_SHA",
      "GITHUB_TOKEN",  "GITHUB_OUTPUT",     "ACTIONS_RUNTIME_TOKEN",
      "RUNNER_NAME",   "HOSTNAME",          "BUILD_ID",
      "BUILD_NUMBER",  "CI_JOB_ID",         "CI_JOB_TOKEN",
      "CI_COMMIT_SHA", "CI_PIPELINE_ID",    "BUILDKITE_BUILD_ID",
      "SSH_CLIENT",    "BUILD_BUILDID",     "CIRCLE_BUILD_NUM"};
  static const char *const passed[] = {"GITHUB_WORKSPACE",
                                       "GITHUB_ACTIONS",
                                       "CI",
                                       "CI_PROJECT_DIR",
                                       "BUILD_DIR",
                                       "RUNNER_TEMP",
                                       "BUILDKITE_BUILD_CHECKOUT_PATH",
                                       "CI_NODE_INDEX"};
  struct cul_digest before = digest_now(), after;
  struct cul_environment *env;
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(hidden); i++)
    setenv(hidden[i], "1", 1);
  after = digest_now();
  assert_true(cul_digest_equal(&before, &after));
  for (size_t i = 0; i < CUL_ARRAY_SIZE(passed); i++)
    setenv(passed[i], "1", 1);
  env = cul_environment_usual();
  for (size_t i = 0; i < CUL_ARRAY_SIZE(hidden); i++)
    assert_null(cul_environment_get(env, hidden[i]));
  for (size_t i = 0; i < CUL_ARRAY_SIZE(passed); i++)
    assert_non_null(cul_environment_get(env, passed[i]));
  cul_environment_free(env);
}

static void patterns_and_unkeyed(void **state) {
  static const char *const unset[] = {"MYCI_*"};
  static const char *const unkeyed[] = {"CI_JOB_TOKEN", "SEEN_*", "NOT_THERE"};
  const struct cul_environment_conf conf = {
      .unset = unset, .n_unset = 1, .unkeyed = unkeyed, .n_unkeyed = 3};
  struct cul_environment *env;
  struct cul_digest before, after;
  (void)state;
  setenv("MYCI_RUN", "1", 1);
  setenv("MYCI_NUMBER", "1", 1);
  setenv("CI_JOB_TOKEN", "1", 1);
  setenv("SEEN_BY", "1", 1);
  env = make(&conf);
  before = cul_environment_digest(env);
  assert_null(cul_environment_get(env, "MYCI_RUN"));
  assert_null(cul_environment_get(env, "MYCI_NUMBER"));
  assert_string_equal(cul_environment_get(env, "CI_JOB_TOKEN"), "1");
  cul_environment_free(env);
  setenv("CI_JOB_TOKEN", "2", 1);
  setenv("SEEN_BY", "2", 1);
  env = make(&conf);
  after = cul_environment_digest(env);
  assert_string_equal(cul_environment_get(env, "CI_JOB_TOKEN"), "2");
  assert_string_equal(cul_environment_get(env, "SEEN_BY"), "2");
  assert_true(cul_digest_equal(&before, &after));
  cul_environment_free(env);
}

static void what_was_asked_for(void **state) {
  static const char *const set[] = {"TERM", "A=1", "HOME=/x=y", "EMPTY="};
  static const char *const unset[] = {"PATH", "NOT_THERE"};
  struct cul_environment *env =
      make(&(struct cul_environment_conf){.set = set,
                                          .n_set = CUL_ARRAY_SIZE(set),
                                          .unset = unset,
                                          .n_unset = CUL_ARRAY_SIZE(unset)});
  (void)state;
  assert_string_equal(cul_environment_get(env, "TERM"), "xterm");
  assert_string_equal(cul_environment_get(env, "A"), "1");
  assert_string_equal(cul_environment_get(env, "HOME"), "/x=y");
  assert_string_equal(cul_environment_get(env, "EMPTY"), "");
  assert_null(cul_environment_get(env, "PATH"));
  assert_null(cul_environment_get(env, "SSH_TTY"));
  cul_environment_free(env);
  env = make(&(struct cul_environment_conf){.all = true});
  assert_string_equal(cul_environment_get(env, "SSH_TTY"), "/dev/pts/3");
  assert_string_equal(cul_environment_get(env, "TMPDIR"), "/tmp/mine");
  cul_environment_free(env);
}

static void names_that_are_none(void **state) {
  static const char *const bad[] = {"=1", "", "NOT_SET_HERE"};
  static const char *const worse[] = {"A=1", ""};
  struct cul_environment *env = NULL;
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(bad); i++) {
    struct cul_err err = {0};
    assert_int_equal(
        cul_environment_new(
            &(struct cul_environment_conf){.set = &bad[i], .n_set = 1}, &env,
            &err),
        CUL_EUSAGE);
    assert_non_null(strstr(err.what, "--env"));
  }
  for (size_t i = 0; i < CUL_ARRAY_SIZE(worse); i++) {
    struct cul_err err = {0};
    assert_int_equal(
        cul_environment_new(
            &(struct cul_environment_conf){.unset = &worse[i], .n_unset = 1},
            &env, &err),
        CUL_EUSAGE);
    assert_non_null(strstr(err.what, "--unset"));
  }
}

static void shows(const char *entry, const char *want) {
  char *got = cul_environment_shown(entry);
  assert_string_equal(got, want);
  free(got);
}

/* A report is read by others: no secret is in it. */
static void reports_hold_no_secrets(void **state) {
  char *a = cul_environment_shown("API_TOKEN=abc");
  char *b = cul_environment_shown("API_TOKEN=abd");
  char *c = cul_environment_shown("TRITON_HUB_TOKEN=abc");
  char *d = cul_environment_shown("XLA_CACHE=https://me:word@host/x");
  (void)state;
  shows("PATH=/bin:/usr/bin", "/bin:/usr/bin");
  shows("XLA_FLAGS=--a=b", "--a=b");
  shows("CFLAGS=-O2", "-O2");
  assert_int_equal(strlen(a), 5);
  assert_int_equal(a[0], '#');
  assert_string_not_equal(a, b);
  assert_string_equal(a, c); /* also if a compiler reads it */
  assert_int_equal(d[0], '#');
  free(a);
  free(b);
  free(c);
  free(d);
}

static void secrets_are_known(void **state) {
  static const char *const secret[] = {
      "API_TOKEN=abc",    "REGISTRY_PASS=x", "SSHPASS=x",
      "MYSQL_PWD=hunter", "AZURE_PAT=x",     "SITE_COOKIE=a=b",
      "HUB=hf_abcdef",    "GH=ghp_abc",      "X=https://me:word@host/x",
      "LOGIN=eyJhbGciOi"};
  static const char *const open[] = {"LLVM_PASS_PIPELINE=cse",
                                     "BUILD_PWD=/src/x",
                                     "MODE=bypass",
                                     "PATTERN=x",
                                     "XLA_FLAGS=--a=b",
                                     "SAME"};
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(secret); i++)
    assert_true(cul_environment_is_secret(secret[i]));
  for (size_t i = 0; i < CUL_ARRAY_SIZE(open); i++)
    assert_false(cul_environment_is_secret(open[i]));
}

int main(void) {
#define CASE(f) cmocka_unit_test_setup(f, set_up)
  const struct CMUnitTest tests[] = {
      CASE(a_session_is_not_passed), CASE(what_is_passed_is_what_is_keyed),
      CASE(a_ci_run_is_not_passed),  CASE(patterns_and_unkeyed),
      CASE(what_was_asked_for),      CASE(names_that_are_none),
      CASE(reports_hold_no_secrets), CASE(secrets_are_known)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
