/* base/: errors, buffers, digests, files, templates, option tables. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../../base/clock.h"
#include "../../../base/digest.h"
#include "../../../base/files/file.h"
#include "../../../base/options/nearest.h"
#include "../../../base/options/opt.h"
#include "../../../base/run.h"

static void test_errors(void **state) {
  struct cul_err err = {0};
  (void)state;
  assert_int_equal(
      cul_fail(&err, CUL_EENV, "install it", "cannot find %s", "x"), CUL_EENV);
  assert_string_equal(err.what, "cannot find x");
  assert_string_equal(err.advice, "install it");
  assert_int_equal(cul_fail_in(&err, "job %d", 3), CUL_EENV);
  assert_string_equal(err.what, "job 3: cannot find x");
  assert_int_equal(cul_exit_status(CUL_OK), 0);
  assert_int_equal(cul_exit_status(CUL_EINTERNAL), 1);
  assert_int_equal(cul_exit_status(CUL_EUSAGE), 2);
  assert_int_equal(cul_exit_status(CUL_ENOFAIL), 3);
  assert_int_equal(cul_exit_status(CUL_EFLAKY), 4);
  assert_int_equal(cul_exit_status(CUL_EBUDGET), 5);
  assert_int_equal(cul_exit_status(CUL_EENV), 6);
  assert_int_equal(cul_exit_status(CUL_EINTR), 130);
}

/* Whose doing it is that a command cannot run. */
static void test_errors_of_the_command(void **state) {
  struct cul_err err = {0};
  (void)state;
  assert_int_equal(cul_fail_command(&err, "install it", "no %s", "x"),
                   CUL_EENV);
  assert_string_equal(err.what, "no x");
  assert_string_equal(err.advice, "install it");
  assert_true(err.of_command);
  assert_int_equal(cul_fail_in(&err, "job"), CUL_EENV);
  assert_true(err.of_command);
  assert_int_equal(cul_fail(&err, CUL_EENV, "", "no room"), CUL_EENV);
  assert_false(err.of_command);
}

static void expect_why(const char *said, const char *wanted) {
  struct cul_record record = {.end = CUL_MACHINE};
  struct cul_bytes why;
  cul_buf_adds(&record.err, said);
  why = cul_record_why(&record);
  assert_int_equal(why.len, strlen(wanted));
  assert_memory_equal(why.data, wanted, why.len);
  cul_record_release(&record);
}

/* What the tool had said stands before it. */
static void test_why_a_run_was_lost(void **state) {
  (void)state;
  expect_why("it was killed\n", "it was killed");
  expect_why("LLVM ERROR: no tan\nit was killed\n", "it was killed");
  expect_why("cut", "cut");
  expect_why("\n", "");
}

static void test_long_errors_are_cut(void **state) {
  struct cul_err err = {0};
  char long_text[4000];
  (void)state;
  memset(long_text, 'a', sizeof long_text - 1);
  long_text[sizeof long_text - 1] = '\0';
  cul_fail(&err, CUL_EUSAGE, long_text, "%s", long_text);
  assert_int_equal(strlen(err.what), sizeof err.what - 1);
  assert_int_equal(strlen(err.advice), sizeof err.advice - 1);
  cul_fail_in(&err, "%s", long_text);
  assert_int_equal(strlen(err.what), sizeof err.what - 1);
}

/* The reason stands behind a command or a path, so the middle gives way. */
static void test_phrases_keep_both_ends(void **state) {
  char why[32];
  struct cul_err err = {0};
  char path[1200];
  (void)state;
  cul_phrase(why, sizeof why, "%s: %s", "ssh a", "no route to host");
  assert_string_equal(why, "ssh a: no route to host");
  cul_phrase(why, sizeof why, "%s: %s", "ssh -o BatchMode=yes a.example.org",
             "no route");
  assert_string_equal(why, "ssh -o BatchM ... org: no route");
  assert_int_equal(strlen(why), sizeof why - 1);
  cul_phrase(why, sizeof why, "%s",
             "aaaaaaaaaaaa\u00e9bcdefghijklm\u00e9nnnnnnnnnnnn");
  assert_string_equal(why, "aaaaaaaaaaaa ... nnnnnnnnnnnn");
  memset(path, 'd', sizeof path - 1);
  path[sizeof path - 1] = '\0';
  cul_fail(&err, CUL_EENV, "", "cannot read %s: %s", path, "is a directory");
  assert_ptr_equal(strstr(err.what, "cannot read d"), err.what);
  assert_string_equal(err.what + strlen(err.what) - 16, ": is a directory");
  cul_fail_in(&err, "%s", path);
  assert_string_equal(err.what + strlen(err.what) - 16, ": is a directory");
}

static void test_buffers(void **state) {
  struct cul_buf buf = {0};
  char *text;
  (void)state;
  assert_string_equal(cul_buf_str(&buf), "");
  cul_buf_addf(&buf, "%d-%s", 12, "ab");
  cul_buf_addc(&buf, '\0');
  cul_buf_adds(&buf, "z");
  assert_int_equal(buf.len, 7);
  assert_memory_equal(buf.data, "12-ab\0z", 8);
  cul_buf_clear(&buf);
  assert_string_equal(cul_buf_str(&buf), "");
  cul_buf_adds(&buf, "kept");
  text = cul_buf_take(&buf);
  assert_string_equal(text, "kept");
  assert_null(buf.data);
  free(text);
}

static void test_digests(void **state) {
  struct cul_hasher *a = cul_hasher_new(), *b = cul_hasher_new();
  struct cul_digest one, two, parsed;
  char hex[CUL_DIGEST_HEX];
  (void)state;
  cul_hasher_field(a, "ab");
  cul_hasher_field(a, "c");
  cul_hasher_field(b, "a");
  cul_hasher_field(b, "bc");
  one = cul_hasher_finish(a);
  two = cul_hasher_finish(b);
  assert_false(cul_digest_equal(&one, &two));
  a = cul_hasher_new(), b = cul_hasher_new();
  cul_hasher_field(a, NULL);
  cul_hasher_field(b, "");
  one = cul_hasher_finish(a);
  two = cul_hasher_finish(b);
  assert_false(cul_digest_equal(&one, &two));
  one = cul_digest_of("abc", 3);
  /* XXH3-128 of "abc", seed 0, canonical: as `xxhsum -H2` prints it. */
  assert_string_equal(cul_digest_hex(&one, hex),
                      "06b05ab6733a618578af5f94892f3950");
  assert_true(cul_digest_parse(hex, &parsed));
  assert_true(cul_digest_equal(&one, &parsed));
  hex[31] = 'g';
  assert_false(cul_digest_parse(hex, &parsed));
}

static char *temporary_dir(void) {
  char *dir = cul_xstrdup("/tmp/culprit-test-XXXXXX");
  assert_non_null(mkdtemp(dir));
  return dir;
}

static void test_files(void **state) {
  char *dir = temporary_dir();
  char *deep = cul_xasprintf("%s/a/b/c", dir);
  char *path = cul_xasprintf("%s/x", deep);
  struct cul_buf text = {0};
  struct cul_err err = {0};
  struct stat st;
  (void)state;
  assert_int_equal(cul_mkdirs(deep, 0700, &err), 0);
  assert_int_equal(cul_mkdirs(deep, 0700, &err), 0);
  assert_int_equal(cul_file_write(path, "one\0two", 7, 0600, &err), 0);
  assert_int_equal(stat(path, &st), 0);
  assert_int_equal(st.st_mode & 0777, 0600);
  assert_int_equal(cul_file_read(path, 0, &text, &err), 0);
  assert_int_equal(text.len, 7);
  assert_memory_equal(text.data, "one\0two", 7);
  assert_int_equal(cul_file_read(path, 6, &text, &err), CUL_EUSAGE);
  assert_non_null(strstr(err.what, "the most that is read"));
  assert_int_equal(cul_file_read(deep, 0, &text, &err), CUL_EUSAGE);
  assert_non_null(strstr(err.advice, "not a directory"));
  assert_int_equal(symlink("/etc", path), -1);
  cul_rmtree(dir);
  assert_int_equal(stat(dir, &st), -1);
  cul_buf_release(&text);
  free(path);
  free(deep);
  free(dir);
}

static void test_missing_file_has_advice(void **state) {
  struct cul_buf text = {0};
  struct cul_err err = {0};
  (void)state;
  assert_int_equal(cul_file_read("/nonexistent/x", 0, &text, &err), CUL_EUSAGE);
  assert_non_null(strstr(err.what, "/nonexistent/x"));
  assert_non_null(strstr(err.advice, "check the name"));
  assert_int_equal(cul_file_write("/nonexistent/x", "a", 1, 0600, &err),
                   CUL_EENV);
  assert_non_null(strstr(err.advice, "make the directory"));
  cul_buf_release(&text);
}

static void test_rmtree_does_not_follow_links(void **state) {
  char *kept = temporary_dir(), *gone = temporary_dir();
  char *link = cul_xasprintf("%s/link", gone);
  char *file = cul_xasprintf("%s/file", kept);
  struct cul_err err = {0};
  struct stat st;
  (void)state;
  assert_int_equal(cul_file_write(file, "x", 1, 0600, &err), 0);
  assert_int_equal(symlink(kept, link), 0);
  cul_rmtree(gone);
  assert_int_equal(stat(gone, &st), -1);
  assert_int_equal(stat(file, &st), 0);
  cul_rmtree(kept);
  free(kept);
  free(gone);
  free(link);
  free(file);
}

static void expand(const char *arg, const char *expected) {
  const struct cul_subst subst[] = {{"@@", "/w/in.mlir"}, {"@{out}", "/o"}};
  struct cul_buf out = {0};
  struct cul_err err = {0};
  assert_int_equal(cul_expand(arg, subst, 2, &out, &err), 0);
  assert_string_equal(cul_buf_str(&out), expected);
  cul_buf_release(&out);
}

static void test_templates(void **state) {
  (void)state;
  expand("@@", "/w/in.mlir");
  expand("a=@@,b", "a=/w/in.mlir,b");
  expand("@@.mlir", "/w/in.mlir");
  expand("@@.txt", "/w/in.mlir.txt");
  expand("x@@@@y", "x@@y");
  expand("cat @@ | f @{out}/x", "cat /w/in.mlir | f /o/x");
  expand("{a=@x b={c}}", "{a=@x b={c}}");
  expand("user@host", "user@host");
  expand("", "");
}

static void test_unknown_placeholder(void **state) {
  struct cul_buf out = {0};
  struct cul_err err = {0};
  (void)state;
  assert_int_equal(cul_expand("a @{nope}", NULL, 0, &out, &err), CUL_EUSAGE);
  assert_non_null(strstr(err.what, "@{nope}"));
  assert_non_null(strstr(err.advice, "@@"));
  cul_buf_release(&out);
}

static void test_finds_placeholder(void **state) {
  const char *const with[] = {"sh", "-c", "cat @@", NULL};
  const char *const without[] = {"sh", "@@@@", NULL};
  (void)state;
  assert_true(cul_has_placeholder(with));
  assert_false(cul_has_placeholder(without));
}

struct innermost {
  int64_t before;
  bool flag;
};
struct inner {
  double before;
  struct innermost innermost;
};
struct options {
  const char *name;
  int64_t n;
  double time;
  struct cul_strings list;
  struct inner inner;
};

static const struct cul_opt innermost_opts[] = {
    {.name = "flag",
     .letter = 'f',
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct innermost, flag),
     .help = "a flag"},
    {.name = NULL}};
static const struct cul_opt inner_opts[] = {
    {.name = "innermost",
     .type = CUL_OPT_TABLE,
     .offset = offsetof(struct inner, innermost),
     .table = innermost_opts},
    {.name = NULL}};
static const struct cul_opt opts[] = {
    {.name = "name",
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct options, name),
     .value = "TEXT",
     .help = "a name"},
    {.name = "number",
     .letter = 'n',
     .type = CUL_OPT_INT,
     .offset = offsetof(struct options, n),
     .min = 1,
     .max = 9,
     .help = "a number"},
    {.name = "time",
     .type = CUL_OPT_SECONDS,
     .offset = offsetof(struct options, time),
     .help = "a time"},
    {.name = "list",
     .type = CUL_OPT_LIST,
     .offset = offsetof(struct options, list),
     .help = "may come again"},
    {.name = "inner",
     .type = CUL_OPT_TABLE,
     .offset = offsetof(struct options, inner),
     .table = inner_opts},
    {.name = NULL}};

static int parse(struct options *options, struct cul_operands *operands,
                 struct cul_err *err, const char **words) {
  int argc = 0;
  while (words[argc])
    argc++;
  *options = (struct options){0};
  return cul_opt_parse(opts, options, argc, (char **)words, operands, err);
}

static void test_options(void **state) {
  struct options o;
  struct cul_err err = {0};
  const char *items[2];
  struct cul_operands operands = {.items = items, .max = 2};
  const char *words[] = {"x",  "in",     "--name=a b", "-n3",      "--time",
                         "2m", "--list", "p",          "--list=q", "-f",
                         "--", "--name", NULL};
  (void)state;
  assert_int_equal(parse(&o, &operands, &err, words), 0);
  assert_string_equal(o.name, "a b");
  assert_int_equal(o.n, 3);
  assert_true(o.time == 120);
  assert_int_equal(o.list.n, 2);
  assert_string_equal(o.list.items[1], "q");
  assert_true(o.inner.innermost.flag);
  assert_int_equal(operands.n, 1);
  assert_string_equal(items[0], "in");
  assert_int_equal(operands.after, 11);
  free(o.list.items);
}

static void refuse(const char *word, const char *value, const char *what,
                   const char *advice) {
  struct options o;
  struct cul_err err = {0};
  const char *items[2];
  struct cul_operands operands = {.items = items, .max = 2};
  const char *words[] = {"x", word, value, NULL};
  assert_int_equal(parse(&o, &operands, &err, words), CUL_EUSAGE);
  assert_non_null(strstr(err.what, what));
  assert_non_null(strstr(err.advice, advice));
}

static void test_bad_options(void **state) {
  (void)state;
  refuse("--nmae", "x", "unknown option --nmae", "did you mean --name?");
  refuse("--flga", NULL, "unknown option", "did you mean --flag?");
  refuse("--number", "12", "bad value \"12\"", "from 1 to 9");
  refuse("--number", "3x", "bad value \"3x\"", "from 1 to 9");
  refuse("--time", "-1", "bad value", "above 0");
  refuse("--time", "nan", "bad value", "above 0");
  refuse("--name", NULL, "--name needs TEXT", "a name");
  refuse("--flag=1", NULL, "takes no value", "leave out");
}

static const char *near(const char *typed) {
  static const char *const names[] = {"reduce", "replay", "by", "max-time",
                                      "max-runs"};
  struct cul_nearest nearest = {.typed = typed};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(names); i++)
    cul_nearest_try(&nearest, names[i]);
  return nearest.several ? "several" : nearest.name ? nearest.name : "none";
}

static void test_nearest(void **state) {
  (void)state;
  assert_string_equal(near("redcue"), "reduce");
  assert_string_equal(near("reduc"), "reduce");
  assert_string_equal(near("erduce"), "reduce");
  assert_string_equal(near("rep"), "replay");
  assert_string_equal(near("replya"), "replay");
  assert_string_equal(near("max"), "several");
  assert_string_equal(near("max-rnus"), "max-runs");
  assert_string_equal(near("v"), "none");
  assert_string_equal(near("b"), "none");
  assert_string_equal(near("frobnicate"), "none");
  assert_string_equal(near(""), "none");
}

static const struct cul_opt common_opts[] = {
    {.name = "flag", .letter = 'f', .offset = 0}, {.name = NULL}};

static void test_common_options(void **state) {
  char *argv[] = {"x", "--name", "-f", "a", "-f", "--", "-f", NULL};
  bool flag = false;
  int argc = 7;
  static const struct cul_opt own[] = {{.name = "name", .type = CUL_OPT_STRING},
                                       {.name = NULL}};
  (void)state;
  cul_opt_take_common(common_opts, &flag, own, &argc, argv);
  assert_true(flag);
  assert_int_equal(argc, 6);
  assert_string_equal(argv[2], "-f"); /* a value */
  assert_string_equal(argv[3], "a");
  assert_string_equal(argv[4], "--");
  assert_string_equal(argv[5], "-f");
  assert_null(argv[6]);
}

/* A common option with a value, in both spellings, or without. */
static void test_common_values(void **state) {
  static const struct cul_opt common[] = {
      {.name = "mode", .type = CUL_OPT_STRING, .offset = 0}, {.name = NULL}};
  static const struct cul_opt own[] = {{.name = NULL}};
  char *rows[][5] = {{"x", "--mode=a", "in", NULL, NULL},
                     {"x", "--mode", "a", "in", NULL},
                     {"x", "in", "--mode", "a", NULL}};
  char *without[] = {"x", "in", "--mode", "--", "--mode", NULL};
  const char *mode = NULL;
  int argc = 5;
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(rows); i++) {
    int n = i ? 4 : 3;
    mode = NULL;
    cul_opt_take_common(common, &mode, own, &n, rows[i]);
    assert_string_equal(mode, "a");
    assert_int_equal(n, 2);
    assert_string_equal(rows[i][1], "in");
    assert_null(rows[i][2]);
  }
  cul_opt_take_common(common, &mode, own, &argc, without);
  assert_string_equal(mode, "");
  assert_int_equal(argc, 4);
  assert_string_equal(without[3], "--mode");
}

static void test_help_has_groups(void **state) {
  static const struct cul_opt inner[] = {{.name = "deep", .help = "a"},
                                         {.name = NULL}};
  static const struct cul_opt rows[] = {
      {.name = "most", .main = true, .help = "of these:", .words = "a b c"},
      {.name = "inner", .type = CUL_OPT_TABLE, .group = "G", .table = inner},
      {.name = "plain", .help = "p"},
      {.name = NULL}};
  struct cul_buf out = {0};
  (void)state;
  cul_opt_help(rows, 80, &out);
  assert_string_equal(cul_buf_str(&out),
                      "Main options:\n"
                      "      --most               of these: a, b or c\n"
                      "\nG:\n"
                      "      --deep               a\n"
                      "\nOther options:\n"
                      "      --plain              p\n");
  cul_buf_release(&out);
}

static void test_help_lists_every_row(void **state) {
  struct cul_buf out = {0};
  (void)state;
  cul_opt_help(opts, 80, &out);
  assert_non_null(strstr(cul_buf_str(&out), "--name TEXT"));
  assert_non_null(strstr(cul_buf_str(&out), "-f, --flag"));
  for (const char *at = cul_buf_str(&out); *at; at += strcspn(at, "\n") + 1)
    assert_true(strcspn(at, "\n") <= 80);
  cul_buf_release(&out);
}

static void nothing(int number) { (void)number; }

static void test_signals_do_not_shorten_a_wait(void **state) {
  const struct sigaction action = {.sa_handler = nothing};
  const struct itimerval each = {{0, 5000}, {0, 5000}}, none = {{0, 0}, {0, 0}};
  uint64_t start = cul_now_us();
  int pipe_fds[2];
  (void)state;
  assert_int_equal(pipe(pipe_fds), 0);
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &each, NULL);
  assert_false(cul_wait_readable(pipe_fds[0], 50));
  assert_true(cul_now_us() - start >= 50 * 1000);
  close(pipe_fds[1]);
  assert_true(cul_wait_readable(pipe_fds[0], 1000 * 1000));
  setitimer(ITIMER_REAL, &none, NULL);
  close(pipe_fds[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_errors),
      cmocka_unit_test(test_errors_of_the_command),
      cmocka_unit_test(test_phrases_keep_both_ends),
      cmocka_unit_test(test_why_a_run_was_lost),
      cmocka_unit_test(test_long_errors_are_cut),
      cmocka_unit_test(test_buffers),
      cmocka_unit_test(test_digests),
      cmocka_unit_test(test_files),
      cmocka_unit_test(test_missing_file_has_advice),
      cmocka_unit_test(test_rmtree_does_not_follow_links),
      cmocka_unit_test(test_templates),
      cmocka_unit_test(test_unknown_placeholder),
      cmocka_unit_test(test_finds_placeholder),
      cmocka_unit_test(test_options),
      cmocka_unit_test(test_bad_options),
      cmocka_unit_test(test_nearest),
      cmocka_unit_test(test_common_options),
      cmocka_unit_test(test_common_values),
      cmocka_unit_test(test_help_has_groups),
      cmocka_unit_test(test_help_lists_every_row),
      cmocka_unit_test(test_signals_do_not_shorten_a_wait),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
