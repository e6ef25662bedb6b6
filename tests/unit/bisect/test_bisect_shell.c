/* Every writer of shell text: words, comments and names that are hostile reach
 * a real shell as they are, and none of them runs anything.
 *
 * A batch becomes one script that prints its words with NUL between; what
 * comes out is compared byte by byte.  Each piece that a shell could run makes
 * a file in the working directory: the canary. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../base/files/file.h"
#include "../../../base/visible.h"
#include "../../../bisect/report/leave.h"
#include "../../../pipeline/shell_text.h"
#include "../../../probe/repro_lines.h"

enum { WORDS = 6000, BASH_WORDS = 1500, COMMENTS = 2000, TESTS = 1000 };

struct scratch {
  char dir[64];
  uint64_t seed;
};

static uint64_t draw(struct scratch *s, uint64_t below) {
  s->seed ^= s->seed << 13;
  s->seed ^= s->seed >> 7;
  s->seed ^= s->seed << 17;
  return s->seed % below;
}

static int set_up(void **state) {
  struct scratch *s = cul_xcalloc(1, sizeof *s);
  s->seed = 0x9e3779b97f4a7c15u;
  strcpy(s->dir, "/tmp/culprit-shell-XXXXXX");
  assert_non_null(mkdtemp(s->dir));
  *state = s;
  return 0;
}

static int tear_down(void **state) {
  struct scratch *s = *state;
  char *command = cul_xasprintf("rm -rf %s", s->dir);
  int rc = system(command);
  free(command);
  free(s);
  return rc;
}

/* One hostile text: a few pieces in a row.  marks: also bytes that are not
 * shown, each of which costs the shell a process. */
static char *hostile(struct scratch *s, bool marks) {
  static const char *const pieces[] = {";touch PWNED;",
                                       "$(touch PWNED)",
                                       "`touch PWNED`",
                                       "\ntouch PWNED\n",
                                       "' ; touch PWNED ; '",
                                       "\";touch PWNED;\"",
                                       "||touch PWNED||",
                                       "|touch PWNED",
                                       "&touch PWNED&",
                                       ">PWNED",
                                       "<(touch PWNED)",
                                       "${x:=`touch PWNED`}",
                                       "\\",
                                       "'",
                                       "\"",
                                       "''",
                                       "\\'",
                                       "!",
                                       "!!",
                                       "*",
                                       "?",
                                       "[a-z]",
                                       "{a,b}",
                                       "~",
                                       "~root",
                                       "#",
                                       " # ",
                                       " ",
                                       "  ",
                                       "\t",
                                       "\n",
                                       "\n\n",
                                       "-",
                                       "--",
                                       "-n",
                                       "-e",
                                       "-rf",
                                       "=",
                                       "A=b",
                                       "PATH=/nowhere",
                                       "$",
                                       "$$",
                                       "$0",
                                       "$IFS",
                                       "${",
                                       "}",
                                       "(",
                                       ")",
                                       "%s",
                                       "%n",
                                       "\\n",
                                       "\\033",
                                       "@",
                                       "a",
                                       "fi",
                                       "done",
                                       "esac",
                                       "EOF",
                                       "\xc3\xa9",
                                       "\xe2\x9c\x93",
                                       "/",
                                       "..",
                                       "../../",
                                       "."};
  static const char *const acts[] = {"\x1b]0;title\a",
                                     "\x1b]52;c;AAAA\a",
                                     "\x1b[2J",
                                     "\r",
                                     "\x01",
                                     "\x7f",
                                     "\xff",
                                     "\xc3",
                                     "\x9b",
                                     "\xc2\x9b",
                                     "\xe2\x80\xae",
                                     "\xe2\x80\x8b",
                                     "\xed\xa0\x80",
                                     "\xf4\x90\x80\x80",
                                     "\b",
                                     "\xef\xbb\xbf"};
  struct cul_buf out = {0};
  uint64_t n = draw(s, 7);
  for (uint64_t i = 0; i < n; i++)
    if (marks && draw(s, 5) == 0)
      cul_buf_adds(&out, acts[draw(s, CUL_ARRAY_SIZE(acts))]);
    else
      cul_buf_adds(&out, pieces[draw(s, CUL_ARRAY_SIZE(pieces))]);
  return cul_buf_take(&out);
}

/* Run the script in the scratch directory; what it printed, its status. */
static int run(struct scratch *s, const char *shell, const struct cul_buf *text,
               struct cul_buf *printed) {
  char *script = cul_xasprintf("%s/script", s->dir);
  char *out = cul_xasprintf("%s/out", s->dir);
  struct cul_err err = {0};
  int status;
  pid_t pid;
  assert_int_equal(cul_file_write(script, text->data, text->len, 0600, &err),
                   0);
  pid = fork();
  if (pid == 0) {
    int fd = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || chdir(s->dir) < 0 || dup2(fd, STDOUT_FILENO) < 0)
      _exit(120);
    execlp(shell, shell, script, (char *)NULL);
    _exit(121);
  }
  assert_int_equal(waitpid(pid, &status, 0), pid);
  cul_buf_clear(printed);
  assert_int_equal(cul_file_read(out, 0, printed, &err), 0);
  free(script);
  free(out);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool canary(const struct scratch *s) {
  char *path = cul_xasprintf("%s/PWNED", s->dir);
  bool made = access(path, F_OK) == 0;
  unlink(path);
  free(path);
  return made;
}

/* Nothing but ends of lines and tabs acts on a terminal. */
static void assert_shown(const struct cul_buf *text) {
  assert_int_equal(cul_visible_prefix(cul_buf_bytes(text)), text->len);
}

static bool have(const char *shell) {
  char *command = cul_xasprintf("/bin/%s", shell);
  bool there = access(command, X_OK) == 0;
  free(command);
  if (!there)
    print_message("skipped: %s is not installed\n", shell);
  return there;
}

/* The harness sees what it has to: the same words without the writer. */
static void test_the_canary_sings(void **state) {
  struct scratch *s = *state;
  struct cul_buf text = {0}, printed = {0};
  cul_buf_adds(&text, "printf '%s\\0' a;touch PWNED;\n");
  run(s, "sh", &text, &printed);
  assert_true(canary(s));
  cul_buf_release(&text);
  cul_buf_release(&printed);
}

/* The script prints want, to the byte, and does nothing else.  Releases both.
 */
static void expect_printed(struct scratch *s, const char *shell,
                           struct cul_buf *text, struct cul_buf *want) {
  struct cul_buf printed = {0};
  assert_int_equal(run(s, shell, text, &printed), 0);
  assert_int_equal(printed.len, want->len);
  assert_memory_equal(printed.data, want->data, want->len);
  assert_false(canary(s));
  cul_buf_release(text);
  cul_buf_release(want);
  cul_buf_release(&printed);
}

static void words_arrive(struct scratch *s, const char *shell, size_t n) {
  struct cul_buf text = {0}, want = {0};
  for (size_t i = 0; i < n; i++) {
    char *word = hostile(s, i % 2);
    cul_buf_adds(&text, "printf '%s\\0' ");
    cul_shell_quote(word, &text);
    cul_buf_addc(&text, '\n');
    cul_buf_add(&want, word, strlen(word) + 1);
    free(word);
  }
  assert_shown(&text);
  expect_printed(s, shell, &text, &want);
}

static void test_words(void **state) { words_arrive(*state, "sh", WORDS); }

static void test_words_in_bash(void **state) {
  if (have("bash"))
    words_arrive(*state, "bash", BASH_WORDS);
}

static void test_words_in_dash(void **state) {
  if (have("dash"))
    words_arrive(*state, "dash", BASH_WORDS);
}

/* A comment of anything is a comment, and the line behind it is a command. */
static void test_comments(void **state) {
  struct scratch *s = *state;
  struct cul_buf text = {0}, printed = {0};
  for (size_t i = 0; i < COMMENTS; i++) {
    char *words = hostile(s, true);
    cul_buf_adds(&text, "# ");
    cul_shell_comment(words, &text);
    cul_buf_adds(&text, "\nprintf x\n");
    free(words);
  }
  assert_shown(&text);
  assert_int_equal(run(s, "sh", &text, &printed), 0);
  assert_int_equal(printed.len, COMMENTS);
  assert_false(canary(s));
  cul_buf_release(&text);
  cul_buf_release(&printed);
}

/* Templates of commands, with what stands for the placeholders. */
static void test_templates(void **state) {
  struct scratch *s = *state;
  struct cul_buf text = {0}, want = {0};
  cul_buf_adds(&text, "repro='/r  $x'\nout=/o\nhere=/h\n");
  for (size_t i = 0; i < TESTS; i++) {
    char *words[] = {hostile(s, false), hostile(s, false)};
    char *one = cul_xasprintf("%s@{out}@@@@", words[0]);
    const char *argv[] = {"printf", "%s\\0",   one,           "@@",
                          words[1], "@@.mlir", "@{inputs}/a", NULL};
    if (!strchr(words[0], '@') && !strchr(words[1], '@')) {
      cul_buf_adds(&text, "env");
      cul_shell_program(argv, NULL, &text);
      cul_buf_addc(&text, '\n');
      cul_buf_addf(&want, "%s/o@@", words[0]);
      cul_buf_add(&want, "\0/r  $x", 8);
      cul_buf_add(&want, words[1], strlen(words[1]) + 1);
      cul_buf_add(&want, "/r  $x\0/h/inputs/a", 19);
    }
    free(one);
    free(words[0]);
    free(words[1]);
  }
  expect_printed(s, "sh", &text, &want);
}

/* A program whose name env would read as its own word is started all the
 * same. */
static void test_names_of_programs(void **state) {
  static const char *const names[] = {
      "a=b",     "test",           "if",  "it's $x", "-tool",
      "\x1b[2J", "x;touch PWNED;", "\xff"};
  struct scratch *s = *state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(names); i++) {
    char *path = cul_xasprintf("%s/%s", s->dir, names[i]);
    char *in_place = cul_xasprintf("./%s", names[i]);
    const char *argv[] = {in_place, "-x", names[i], NULL};
    struct cul_buf text = {0}, want = {0};
    struct cul_err err = {0};
    static const char tool[] = "#!/bin/sh\nprintf '%s|' \"$@\"\n";
    assert_int_equal(cul_file_write(path, tool, sizeof tool - 1, 0700, &err),
                     0);
    cul_buf_adds(&text, "env");
    cul_shell_program(argv, NULL, &text);
    cul_buf_adds(&text, "\nPATH=.:$PATH\nenv");
    argv[0] = i == 4 ? "-tool" : in_place; /* by the PATH, too */
    cul_shell_program(argv, NULL, &text);
    cul_buf_addf(&want, "-x|%s|-x|%s|", names[i], names[i]);
    assert_shown(&text);
    expect_printed(s, "sh", &text, &want);
    free(path);
    free(in_place);
  }
}

/* Variables that were asked for. */
static void test_environment(void **state) {
  struct scratch *s = *state;
  struct cul_buf text = {0}, want = {0};
  for (size_t i = 0; i < TESTS / 2; i++) {
    char *value = hostile(s, false), *name = hostile(s, false);
    char *set = cul_xasprintf("CUL_X=%s", value);
    char *odd = cul_xasprintf("%s=x", name);
    const char *const sets[] = {set, odd}, *const unsets[] = {name};
    struct cul_environment_conf conf = {.set = (const char **)sets,
                                        .n_set = strchr(name, '=') ? 1 : 2,
                                        .unset = (const char **)unsets,
                                        .n_unset = *name != 'P'};
    struct cul_environment *passed = NULL;
    struct cul_err err = {0};
    if (cul_environment_new(&conf, &passed, &err) == 0) {
      cul_shell_environment(&conf, passed, &text);
      cul_buf_adds(&text, "printf '%s\\0' \"$CUL_X\"\n");
      cul_buf_add(&want, value, strlen(value) + 1);
      cul_environment_free(passed);
    }
    free(value);
    free(name);
    free(set);
    free(odd);
  }
  assert_true(want.len > 0);
  expect_printed(s, "sh", &text, &want);
}

/* The tests of repro.sh for a failure whose message, frame and expression are
 * hostile. */
static void test_of_messages(void **state) {
  struct scratch *s = *state;
  struct cul_buf text = {0}, printed = {0};
  cul_buf_adds(&text, "log=/dev/null\nstatus=1\nexec 2>/dev/null\n");
  for (size_t i = 0; i < TESTS / 4; i++) {
    struct cul_signature sig = {.kind = CUL_KIND_FATAL, .n_frames = 1};
    char *raw = hostile(s, false), *name = hostile(s, false);
    struct cul_oracle_conf conf = {.exit_code = -1};
    struct cul_repro_end end = {0};
    snprintf(sig.raw, sizeof sig.raw, "a long beginning %s", raw);
    snprintf(sig.frames[0].name, sizeof sig.frames[0].name, "%s", name);
    sig.frames[0].role = CUL_FRAME_RELEVANT;
    conf.match = i % 2 ? raw : NULL;
    cul_buf_adds(&text, "(\n");
    cul_repro_tests(&conf, &sig, &end, &text);
    cul_buf_adds(&text, ")\n");
    free(raw);
    free(name);
  }
  cul_buf_adds(&text, "printf done\n");
  assert_int_equal(run(s, "sh", &text, &printed), 0);
  assert_string_equal(cul_buf_str(&printed), "done");
  assert_false(canary(s));
  cul_buf_release(&text);
  cul_buf_release(&printed);
}

/* Extensions become parts of names in scripts: plain ones, or none. */
static void test_extensions(void **state) {
  struct scratch *s = *state;
  for (size_t i = 0; i < WORDS; i++) {
    char *words = hostile(s, true);
    char *name = cul_xasprintf("model.%s", words);
    const char *extension = cul_repro_case_extension(name);
    assert_true(strlen(extension) <= 33);
    assert_null(strpbrk(extension, "/;$`'\"\\ \n\t|&<>(){}*?#~!"));
    for (const char *at = extension; *at; at++)
      assert_true(*at > ' ' && *at < 0x7f);
    free(words);
    free(name);
  }
  assert_string_equal(cul_repro_case_extension("a.mlir"), ".mlir");
  assert_string_equal(cul_repro_case_extension("a.sh"), ".case.sh");
  assert_string_equal(cul_repro_case_extension("a.;touch PWNED;"), "");
}

/* The functions of the scripts of bisections. */
static void test_functions_of_bisections(void **state) {
  struct scratch *s = *state;
  struct cul_buf text = {0}, printed = {0};
  cul_buf_adds(&text, "log=/dev/null\nrepro=/r\n");
  for (size_t i = 0; i < TESTS / 8; i++) {
    char *words[] = {hostile(s, true), hostile(s, false)};
    const char *argv[] = {"fails", words[0], words[1], "@@", NULL};
    struct cul_signature sig = {.kind = CUL_KIND_FATAL};
    struct cul_oracle_conf conf = {.exit_code = -1};
    struct cul_target target = {0};
    struct cul_leave leave = {.target = &target, .conf = &conf, .sig = &sig};
    cul_leave_function(&leave, "fails", argv, &text);
    cul_buf_adds(&text, "fails\n");
    free(words[0]);
    free(words[1]);
  }
  cul_buf_adds(&text, "printf done\n");
  assert_shown(&text);
  assert_int_equal(run(s, "sh", &text, &printed), 0);
  assert_string_equal(cul_buf_str(&printed), "done");
  assert_false(canary(s));
  cul_buf_release(&text);
  cul_buf_release(&printed);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_canary_sings),
      cmocka_unit_test(test_words),
      cmocka_unit_test(test_words_in_bash),
      cmocka_unit_test(test_words_in_dash),
      cmocka_unit_test(test_comments),
      cmocka_unit_test(test_templates),
      cmocka_unit_test(test_names_of_programs),
      cmocka_unit_test(test_environment),
      cmocka_unit_test(test_of_messages),
      cmocka_unit_test(test_extensions),
      cmocka_unit_test(test_functions_of_bisections)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
