/* The identity of a tool: what changes it, what does not. */
#include "runner_fixture.h"

#include "../../../cache/cache.h"
#include "../../../runners/identity/closure.h"
#include "../../../runners/identity/identity.h"

struct job {
  struct scratch *s;
  struct cul_cache *cache;
};

static int job_setup(void **state) {
  struct job *job = calloc(1, sizeof *job);
  struct cul_err err = {0};
  char *note = NULL;
  if (scratch_setup((void **)&job->s) ||
      cul_cache_open(at(job->s, "cache.db"), &job->cache, &note, &err))
    return -1;
  free(note);
  *state = job;
  return 0;
}

static int job_teardown(void **state) {
  struct job *job = *state;
  cul_cache_close(job->cache);
  scratch_teardown((void **)&job->s);
  free(job);
  return 0;
}

/* Run traced, learn. */
static struct cul_identity learn(struct job *job,
                                 const struct cul_command *cmd) {
  const struct cul_request request = {.flags = CUL_RUN_TRACE};
  struct cul_identity id;
  struct cul_err err = {0};
  const struct cul_record *r = run_with(job->s, cmd, &request);
  assert_int_equal(r->end, CUL_EXITED);
  assert_int_equal(
      cul_identity_learn(job->cache, cmd, r, job->s->dir, &id, &err), 0);
  return id;
}

static bool recall(struct job *job, const struct cul_command *cmd,
                   struct cul_identity *id) {
  struct cul_err err = {0};
  bool found;
  assert_int_equal(cul_identity_recall(job->cache, cmd, id, &found, &err), 0);
  return found;
}

/* The digest that recall finds; the identity must be known and closed. */
static struct cul_digest recalled(struct job *job,
                                  const struct cul_command *cmd) {
  struct cul_identity id;
  assert_true(recall(job, cmd, &id));
  struct cul_digest digest = id.digest;
  assert_false(cul_digest_is_zero(&digest));
  cul_identity_release(&id);
  return digest;
}

/* Something of it is another: nothing is recalled, the next run tells. */
static struct cul_digest changed(struct job *job,
                                 const struct cul_command *cmd) {
  struct cul_identity id;
  struct cul_digest digest;
  assert_false(recall(job, cmd, &id));
  id = learn(job, cmd);
  digest = id.digest;
  assert_false(cul_digest_is_zero(&digest));
  cul_identity_release(&id);
  return digest;
}

static bool lists(const struct cul_identity *id, const char *path) {
  char line[300];
  snprintf(line, sizeof line, " %s\n", path);
  return strstr(cul_buf_str(&id->files), line) != NULL;
}

static void copy_file(const char *from, const char *to) {
  struct cul_buf data = {0};
  struct cul_err err = {0};
  assert_int_equal(cul_file_read(from, 0, &data, &err), 0);
  assert_int_equal(cul_file_write(to, data.data, data.len, 0700, &err), 0);
  cul_buf_release(&data);
}

/* A script, what it reads, the plugin its program loads. */
static void place_tool(struct job *job) {
  char text[600];
  put_file(at(job->s, "data"), "some data\n", 0600);
  copy_file(PLUGIN(1), at(job->s, "plugin.so"));
  snprintf(text, sizeof text,
           "#!/bin/sh\n%s plugin %s show %s\ncat \"$1\"\necho log >>%s\n", FAKE,
           at(job->s, "plugin.so"), at(job->s, "data"), at(job->s, "log"));
  put_file(at(job->s, "log"), "old\n", 0600);
  put_file(at(job->s, "script"), text, 0700);
  put_file(at(job->s, "dir/case.mlir"), "module {}\n", 0600);
}

static void any_part_changes_it(void **state) {
  struct job *job = *state;
  char script[100];
  place_tool(job);
  snprintf(script, sizeof script, "%s", at(job->s, "script"));
  const char *const argv[] = {script, "@@", NULL};
  struct cul_command cmd = {.argv = argv};
  struct cul_identity id = learn(job, &cmd);
  struct cul_digest first = id.digest, now;
  assert_null(id.why);
  assert_false(cul_digest_is_zero(&first));
  assert_string_equal(id.program, at(job->s, "script"));
  assert_true(lists(&id, at(job->s, "script")));
  assert_true(lists(&id, at(job->s, "data")));
  assert_true(lists(&id, at(job->s, "plugin.so")));
  assert_true(lists(&id, FAKE));
  assert_false(lists(&id, at(job->s, "log")));
  assert_false(lists(&id, at(job->s, "dir/case.mlir")));
  cul_identity_release(&id);

  now = recalled(job, &cmd);
  assert_true(cul_digest_equal(&first, &now));

  copy_file(PLUGIN(2), at(job->s, "plugin.so"));
  now = changed(job, &cmd);
  assert_false(cul_digest_equal(&first, &now));
  copy_file(PLUGIN(1), at(job->s, "plugin.so"));
  now = changed(job, &cmd);
  assert_true(cul_digest_equal(&first, &now)); /* content, not time */

  put_file(at(job->s, "data"), "other data\n", 0600);
  now = changed(job, &cmd);
  assert_false(cul_digest_equal(&first, &now));
  put_file(at(job->s, "data"), "some data\n", 0600);

  put_file(at(job->s, "script"), "#!/bin/sh\nexit 1\n", 0700);
  now = changed(job, &cmd);
  assert_false(cul_digest_equal(&first, &now));
}

static void candidate_and_log_do_not(void **state) {
  struct job *job = *state;
  place_tool(job);
  const char *const argv[] = {at(job->s, "script"), "@@", NULL};
  struct cul_command cmd = {.argv = argv};
  struct cul_identity a = learn(job, &cmd);
  put_file(at(job->s, "dir/case.mlir"), "module { another }\n", 0600);
  struct cul_identity b = learn(job, &cmd);
  assert_true(cul_digest_equal(&a.digest, &b.digest));
  assert_true(a.n_files > 4);
  cul_identity_release(&a);
  cul_identity_release(&b);
}

/* A tool whose next run would find something else. */
static void appears(struct job *job, const struct cul_command *cmd,
                    const char *name, mode_t mode) {
  struct cul_digest before, after;
  struct cul_identity id = learn(job, cmd);
  cul_identity_release(&id);
  before = recalled(job, cmd);
  put_file(at(job->s, name), "word\n", mode);
  after = changed(job, cmd);
  assert_false(cul_digest_equal(&before, &after));
  assert_int_equal(unlink(at(job->s, name)), 0);
  after = changed(job, cmd);
  assert_true(cul_digest_equal(&before, &after));
}

static void what_appears_changes_it(void **state) {
  struct job *job = *state;
  char text[400], script[100];
  mkdir(at(job->s, "bin"), 0700);
  mkdir(at(job->s, "plugins"), 0700);
  snprintf(text, sizeof text,
           "#!/bin/sh\nPATH=%s/bin:$PATH\n[ -e %s/flag ] && echo flag\n"
           "ls %s/plugins\ntrue-or-not 2>/dev/null\ncat \"$1\"\n",
           job->s->root, job->s->root, job->s->root);
  put_file(at(job->s, "script"), text, 0700);
  put_file(at(job->s, "dir/case.mlir"), "module {}\n", 0600);
  snprintf(script, sizeof script, "%s", at(job->s, "script"));
  const char *const argv[] = {script, "@@", NULL};
  struct cul_command cmd = {.argv = argv};
  appears(job, &cmd, "flag", 0600);
  appears(job, &cmd, "plugins/any", 0600);
  appears(job, &cmd, "bin/cat", 0700);
}

/* A library earlier on the path, a module before the one that is read. */
static void what_is_found_first_changes_it(void **state) {
  struct job *job = *state;
  char text[400], env[300];
  mkdir(at(job->s, "first"), 0700);
  mkdir(at(job->s, "second"), 0700);
  snprintf(env, sizeof env, "LD_LIBRARY_PATH=%s/first", job->s->root);
  const char *const envp[] = {env, NULL};
  const char *const direct[] = {FAKE, "print", "@@", NULL};
  struct cul_command cmd = {.argv = direct, .env = envp};
  struct cul_identity id = learn(job, &cmd);
  cul_identity_release(&id);
  recalled(job, &cmd);
  put_file(at(job->s, "first/libc.so.6"), "", 0600);
  assert_false(recall(job, &cmd, &id));

  put_file(at(job->s, "second/cul_module.py"), "value = 1\n", 0600);
  snprintf(text, sizeof text,
           "import sys; sys.path[:0] = ['%s/first', '%s/second']; "
           "import cul_module",
           job->s->root, job->s->root);
  const char *const argv[] = {"python3", "-S", "-c", text, "@@", NULL};
  cmd = (struct cul_command){.argv = argv};
  appears(job, &cmd, "first/cul_module.py", 0600);
}

/* A shared library of the program's closure is built again. */
static void a_library_changes_it(void **state) {
  struct job *job = *state;
  char env[300];
  copy_file(PLUGIN(1), at(job->s, "libcul-test.so"));
  snprintf(env, sizeof env, "LD_PRELOAD=%s", at(job->s, "libcul-test.so"));
  const char *const argv[] = {FAKE, "print", "@@", NULL}, *const envp[] = {
                                                              env, NULL};
  struct cul_command cmd = {.argv = argv, .env = envp};
  struct cul_identity id = learn(job, &cmd);
  struct cul_digest first = id.digest, now;
  assert_true(lists(&id, at(job->s, "libcul-test.so")));
  cul_identity_release(&id);
  copy_file(PLUGIN(2), at(job->s, "libcul-test.so"));
  now = changed(job, &cmd);
  assert_false(cul_digest_equal(&first, &now));
}

static void a_gone_file_is_not_recalled(void **state) {
  struct job *job = *state;
  struct cul_identity id;
  place_tool(job);
  const char *const argv[] = {at(job->s, "script"), "@@", NULL};
  struct cul_command cmd = {.argv = argv};
  id = learn(job, &cmd);
  cul_identity_release(&id);
  assert_int_equal(unlink(at(job->s, "data")), 0);
  assert_false(recall(job, &cmd, &id));
}

/* Another command, environment or search path is another question. */
static void recall_is_by_command(void **state) {
  struct job *job = *state;
  static const char *const argv[] = {FAKE, "print", "@@", NULL},
                           *const other[] = {FAKE, "print", "--x", "@@", NULL};
  struct cul_command cmd = {.argv = argv};
  struct cul_command another = {.argv = other};
  struct cul_identity id;
  assert_false(recall(job, &cmd, &id));
  setenv("CUL_TEST_KEY", "1", 1);
  id = learn(job, &cmd);
  cul_identity_release(&id);
  recalled(job, &cmd);
  assert_false(recall(job, &another, &id));
  setenv("CUL_TEST_KEY", "2", 1);
  assert_false(recall(job, &cmd, &id));
  setenv("CUL_TEST_KEY", "1", 1);
  setenv("LD_LIBRARY_PATH", "/no/such", 1);
  assert_false(recall(job, &cmd, &id));
  unsetenv("LD_LIBRARY_PATH");
  recalled(job, &cmd);
  unsetenv("CUL_TEST_KEY");
}

static void a_program_template_is_never_recalled(void **state) {
  struct job *job = *state;
  static const char *const argv[] = {"@{dir}/tool", NULL};
  struct cul_command cmd = {.argv = argv};
  struct cul_identity id;
  put_file(at(job->s, "dir/tool"), "#!/bin/sh\n", 0700);
  id = learn(job, &cmd);
  assert_false(cul_digest_is_zero(&id.digest));
  cul_identity_release(&id);
  assert_false(recall(job, &cmd, &id));
}

static void the_wrapper(void **state) {
  struct job *job = *state;
  char text[300];
  snprintf(text, sizeof text, "#!/bin/sh\nexec %s \"$@\"\n", FAKE);
  put_file(at(job->s, "wrap"), text, 0700);
  const char *const argv[] = {at(job->s, "wrap"), "print", "@@", NULL},
                    *const plain[] = {FAKE, "print", "@@", NULL};
  struct cul_command cmd = {.argv = argv}, direct = {.argv = plain};
  struct cul_identity id = learn(job, &cmd);
  assert_non_null(id.wrapper);
  assert_string_equal(id.wrapper, FAKE);
  cul_identity_release(&id);
  assert_true(recall(job, &cmd, &id));
  assert_string_equal(id.wrapper, FAKE);
  cul_identity_release(&id);
  id = learn(job, &direct);
  assert_null(id.wrapper);
  cul_identity_release(&id);
}

/* Python reads the compiled module; what the user edits is the source. */
static void a_python_module_changes_it(void **state) {
  struct job *job = *state;
  char text[300];
  snprintf(text, sizeof text,
           "import sys; sys.path.insert(0, '%s'); import cul_module",
           job->s->root);
  put_file(at(job->s, "cul_module.py"), "value = 1\n", 0600);
  const char *const argv[] = {"python3", "-S", "-c", text, "@@", NULL};
  struct cul_command cmd = {.argv = argv};
  struct cul_identity id = learn(job, &cmd); /* compiles */
  struct cul_digest first = id.digest, now;
  cul_identity_release(&id);
  id = learn(job, &cmd); /* reads the compiled module */
  assert_true(cul_digest_equal(&first, &id.digest));
  assert_true(lists(&id, at(job->s, "cul_module.py")));
  assert_null(strstr(cul_buf_str(&id.files), "cul_module.cpython"));
  cul_identity_release(&id);
  put_file(at(job->s, "cul_module.py"), "value = 2\n", 0600);
  now = changed(job, &cmd);
  assert_false(cul_digest_equal(&first, &now));
}

/* The digest that recall finds, and whether it is the given one. */
static void expect(struct job *job, const struct cul_command *cmd,
                   const struct cul_digest *want, bool equal) {
  struct cul_digest now = recalled(job, cmd);
  assert_int_equal(cul_digest_equal(&now, want), equal);
}

/* Add what a run on this candidate uses; the new files among it. */
static char *widen(struct job *job, const struct cul_command *cmd,
                   struct cul_identity *id, const char *candidate) {
  const struct cul_request request = {.flags = CUL_RUN_TRACE};
  const size_t had = id->beyond.len;
  struct cul_err err = {0};
  const struct cul_record *r;
  put_file(at(job->s, "dir/case.mlir"), candidate, 0600);
  r = run_with(job->s, cmd, &request);
  assert_int_equal(r->end, CUL_EXITED);
  assert_int_equal(
      cul_identity_widen(job->cache, cmd, id, r, job->s->dir, &err), 0);
  return cul_xstrdup(cul_buf_str(&id->beyond) + had);
}

/* What the tool uses on other inputs only changes it as well, as long as it has
 * another state. */
static void files_of_other_runs_change_it(void **state) {
  struct job *job = *state;
  char text[700], *script = cul_xstrdup(at(job->s, "script")), *files;
  char *late = cul_xstrdup(at(job->s, "late"));
  char *names = cul_xstrdup(at(job->s, "names")), *name;
  const char *const argv[] = {"sh", script, "@@", NULL};
  struct cul_command cmd = {.argv = argv};
  struct cul_identity id;
  struct cul_digest first, then;
  snprintf(text, sizeof text,
           "read word <\"$1\"\n[ \"$word\" = plain ] && exit\n"
           "echo made >%s/made && cat %s/made %s\n"
           "[ -e %s/none ] && echo there\nls %s\n",
           job->s->root, job->s->root, late, job->s->root, names);
  put_file(script, text, 0600);
  put_file(late, "1\n", 0600);
  assert_int_equal(mkdir(names, 0700), 0);
  put_file(at(job->s, "dir/case.mlir"), "plain\n", 0600);
  id = learn(job, &cmd);
  first = id.digest;
  assert_false(lists(&id, late));

  files = widen(job, &cmd, &id, "plain\n");
  assert_string_equal(files, "");
  free(files);
  files = widen(job, &cmd, &id, "other\n");
  assert_non_null(strstr(files, late));
  assert_null(strstr(files, "/made\n"));
  assert_null(strstr(files, "/case.mlir\n"));
  free(files);
  files = widen(job, &cmd, &id, "other\n"); /* known */
  assert_string_equal(files, "");
  free(files);
  expect(job, &cmd, &first, true);

  put_file(late, "2\n", 0600);
  expect(job, &cmd, &first, false);
  then = recalled(job, &cmd);
  cul_identity_release(&id);
  put_file(at(job->s, "dir/case.mlir"), "plain\n", 0600);
  id = learn(job, &cmd); /* which sees less than what is known */
  assert_true(cul_digest_equal(&id.digest, &then));
  assert_true(cul_digest_equal(&id.first, &first));
  assert_non_null(strstr(cul_buf_str(&id.beyond), late));
  cul_identity_release(&id);
  unlink(late);
  expect(job, &cmd, &first, false);
  expect(job, &cmd, &then, false);
  put_file(late, "1\n", 0600);
  expect(job, &cmd, &first, true);

  name = cul_xasprintf("%s/new", names);
  put_file(name, "", 0600);
  expect(job, &cmd, &first, false);
  unlink(name);
  expect(job, &cmd, &first, true);
  put_file(at(job->s, "none"), "", 0600);
  expect(job, &cmd, &first, false);
  free(name);
  free(names);
  free(late);
  free(script);
}

/* Without a tracer. */

static struct cul_identity learn_untraced(struct job *job,
                                          struct cul_command *cmd) {
  struct cul_record none = {.end = CUL_EXITED};
  struct cul_identity id;
  struct cul_err err = {0};
  assert_int_equal(
      cul_identity_learn(job->cache, cmd, &none, job->s->dir, &id, &err), 0);
  return id;
}

static void untraced_program(void **state) {
  struct job *job = *state;
  char option[300];
  copy_file(PLUGIN(1), at(job->s, "plugin.so"));
  snprintf(option, sizeof option, "--load=%s", at(job->s, "plugin.so"));
  const char *const argv[] = {FAKE, option, "@@", NULL};
  struct cul_command cmd = {.argv = argv};
  struct cul_identity id = learn_untraced(job, &cmd);
  struct cul_digest first = id.digest, now;
  assert_null(id.why);
  assert_true(lists(&id, FAKE));
  assert_true(lists(&id, at(job->s, "plugin.so")));
  assert_non_null(strstr(cul_buf_str(&id.files), "libc.so.6\n"));
  cul_identity_release(&id);
  copy_file(PLUGIN(2), at(job->s, "plugin.so"));
  assert_false(recall(job, &cmd, &id));
  id = learn_untraced(job, &cmd);
  now = id.digest;
  assert_false(cul_digest_equal(&first, &now));
  cul_identity_release(&id);
}

static void untraced_script_is_not_closed(void **state) {
  struct job *job = *state;
  struct cul_identity id;
  put_file(at(job->s, "script"), "#!/bin/sh\n", 0700);
  const char *const argvs[][3] = {{at(job->s, "script"), "@@", NULL},
                                  {"python3", "x.py", NULL},
                                  {"sh", "-c", NULL}};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(argvs); i++) {
    struct cul_command cmd = {.argv = argvs[i]};
    id = learn_untraced(job, &cmd);
    assert_true(cul_digest_is_zero(&id.digest));
    assert_non_null(id.why);
    assert_non_null(strstr(id.why, "script"));
    cul_identity_release(&id);
    assert_false(recall(job, &cmd, &id));
  }
}

static void an_escape_is_not_closed(void **state) {
  struct job *job = *state;
  static const char *const argv[] = {FAKE, "@@", NULL};
  struct cul_command cmd = {.argv = argv};
  struct cul_record escaped = {.end = CUL_EXITED};
  struct cul_identity id;
  struct cul_err err = {0};
  cul_buf_adds(&escaped.files, "! it went away\nr /etc/passwd\n");
  assert_int_equal(
      cul_identity_learn(job->cache, &cmd, &escaped, NULL, &id, &err), 0);
  assert_true(cul_digest_is_zero(&id.digest));
  assert_string_equal(id.why, "it went away");
  cul_identity_release(&id);
  cul_record_release(&escaped);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, job_setup, job_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(any_part_changes_it),
      TEST(files_of_other_runs_change_it),
      TEST(candidate_and_log_do_not),
      TEST(what_appears_changes_it),
      TEST(what_is_found_first_changes_it),
      TEST(a_library_changes_it),
      TEST(a_gone_file_is_not_recalled),
      TEST(recall_is_by_command),
      TEST(a_program_template_is_never_recalled),
      TEST(the_wrapper),
      TEST(a_python_module_changes_it),
      TEST(untraced_program),
      TEST(untraced_script_is_not_closed),
      TEST(an_escape_is_not_closed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
