/* reducer/subject: pipeline text, reproducer sections, the words of a shell,
 * command lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "../../../pipeline/arguments.h"
#include "../../../pipeline/call_words.h"
#include "../../../pipeline/reproducer.h"
#include "../../../pipeline/shell_words.h"

static struct cul_bytes bytes(const char *text) {
  return (struct cul_bytes){text, strlen(text)};
}

/* ---- pipeline text ---- */

/* The items named in gone (separated by blanks, NULL: none) are left out. */
static void written(const char *text, const char *gone, const char *expected) {
  struct cul_pipeline p;
  struct cul_buf out = {0};
  bool *marks;
  bool read = cul_pipeline_read(bytes(text), &p);
  if (!read)
    read = cul_pipeline_read_options(bytes(text), &p);
  assert_true(read);
  marks = calloc(p.n, sizeof *marks);
  for (uint32_t i = 0; i < p.n; i++) {
    struct cul_bytes name = cul_pipeline_name(&p, i);
    char *key = cul_xasprintf(" %.*s ", (int)name.len, name.data);
    char *all = cul_xasprintf(" %s ", gone);
    marks[i] = strstr(all, key) != NULL;
    free(key);
    free(all);
  }
  cul_pipeline_write(&p, marks, &out);
  assert_string_equal(cul_buf_str(&out), expected);
  cul_buf_release(&out);
  cul_pipeline_release(&p);
  free(marks);
}

static void test_pipeline_items_go(void **state) {
  static const char nested[] =
      "builtin.module(func.func(cse,canonicalize{top-down=true x=1}),inline)";
  (void)state;
  written(nested, "", nested);
  written(nested, "cse",
          "builtin.module(func.func(canonicalize{top-down=true x=1}),inline)");
  written(nested, "x inline",
          "builtin.module(func.func(cse,canonicalize{top-down=true}))");
  written(nested, "top-down x func.func", "builtin.module(inline)");
  written(nested, "cse canonicalize", "builtin.module(inline)");
  written(nested, "func.func inline", "builtin.module()");
  written(nested, "builtin.module", "");
  written("top-down x canonicalize{top-down=true}", "",
          "top-down x "
          "canonicalize{top-down=true}");
}

static void test_pipeline_spellings(void **state) {
  (void)state;
  written("a,b,c", "b", "a,c");
  written(" a , b{ k=v  j } ( c ) ", "j", "a,b{k=v}(c)");
  written("inline{op-pipelines=func.func(cse,sccp),any(cse) max=4 }", "max",
          "inline{op-pipelines=func.func(cse,sccp),any(cse)}");
  written("p{filter='a b}' q=\"x,{\" r={a=1 b=2}},z", "q",
          "p{filter='a b}' r={a=1 b=2}},z");
  written("cgscc(devirt<4>(inline<only-mandatory>,function<eager-inv>(sroa<a;b>"
          ")))",
          "a",
          "cgscc(devirt<4>(inline<only-mandatory>,function<eager-inv>("
          "sroa<b>)))");
  written("bufferize-function-boundaries=1 copy", "copy",
          "bufferize-function-boundaries=1");
}

static void test_pipeline_refuses(void **state) {
  static const char *const wrong[] = {
      "",      ",",   "a,", "a,,b",  "a(b",   "a)",      "a{b",
      "a(b))", "(a)", "{}", "a{=1}", "a b,c", "a{x='1}", "a<b"};
  struct cul_pipeline p;
  struct cul_buf deep = {0};
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(wrong); i++)
    if (cul_pipeline_read(bytes(wrong[i]), &p))
      fail_msg("read: %s", wrong[i]);
  for (int i = 0; i < 1000; i++)
    cul_buf_adds(&deep, "a(");
  assert_false(cul_pipeline_read(cul_buf_bytes(&deep), &p));
  cul_buf_release(&deep);
}

/* ---- reproducers ---- */

static void test_reproducer(void **state) {
  static const char text[] =
      "module { // {-# no\n}\n{-#\n  dialect_resources: {b: {k: \"0x00\"}},\n"
      "  external_resources: {\n    mlir_reproducer: {\n"
      "      pipeline: \"builtin.module(cse)\",\n"
      "      disable_threading: true,\n      verify_each: true\n    }\n  }\n"
      "#-}\n";
  struct cul_reproducer repro;
  struct cul_buf out = {0};
  (void)state;
  assert_true(cul_reproducer_find(bytes(text), &repro));
  assert_int_equal(repro.pipeline.len, strlen("builtin.module(cse)"));
  assert_memory_equal(repro.pipeline.data, "builtin.module(cse)", 19);
  assert_memory_equal(repro.section.data, "{-#\n  dialect", 13);
  cul_reproducer_replace(bytes(text), &repro, bytes("any(a,b)"), &out);
  assert_non_null(strstr(cul_buf_str(&out), "pipeline: \"any(a,b)\",\n"));
  assert_int_equal(out.len, strlen(text) - 19 + 8);
  cul_buf_release(&out);
  assert_false(cul_reproducer_find(bytes("module {}\n"), &repro));
  assert_false(cul_reproducer_find(bytes("{-# a: {} #-}"), &repro));
  assert_false(cul_reproducer_find(
      bytes("{-# external_resources: { mlir_reproducer: {} } #-}"), &repro));
  assert_false(cul_reproducer_find(bytes("{-# external_resources: {"), &repro));
}

/* ---- a shell's words ---- */

static void test_call_words(void **state) {
  static const char *const none[] = {
      "mlir-runner -e main",
      "iree-run-module --input=7",
      "iree-run-module --input=4xf32=@",
      "iree-run-module '--input=a@b'",
      "iree-run-module | iree-run-module",
      "iree-run-module $(cat flags)",
      "echo iree-run-module --function=f",
  };
  struct cul_call_words call;
  (void)state;
  assert_true(cul_call_words("set -e; iree-compile @@ -o - | "
                             "/x/iree-run-module --module=- --function=main "
                             "'--input=2xf32=1 2' --input=i32=3",
                             &call));
  assert_string_equal(call.entry, "main");
  assert_string_equal(call.arguments, "2xf32=1 2\ni32=3\n");
  cul_call_words_release(&call);
  assert_false(call.files);
  assert_true(cul_call_words("cd /data; iree-run-module --input=@x.npy "
                             "--input=2xf32=@/y.bin --input=i32=3",
                             &call));
  assert_string_equal(call.arguments, "</data/x.npy\n2xf32=</y.bin\ni32=3\n");
  assert_true(call.files);
  cul_call_words_release(&call);
  assert_true(cul_call_words("iree-run-module-3.8", &call));
  assert_null(call.entry);
  assert_string_equal(call.arguments, "");
  cul_call_words_release(&call);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(none); i++) {
    assert_false(cul_call_words(none[i], &call));
    assert_null(call.arguments);
  }
}

static void test_shell_words(void **state) {
  struct cul_shell_words words;
  static const char text[] =
      "set -o pipefail; tool --a='x y' \"@@\" 2>&1 >log | other b\\ c";
  static const struct {
    const char *word;
    uint32_t command;
    bool redirection;
  } expected[] = {
      {"set", 0, false},   {"-o", 0, false},        {"pipefail", 0, false},
      {"tool", 1, false},  {"--a='x y'", 1, false}, {"\"@@\"", 1, false},
      {"2", 1, false},     {"1", 1, true},          {"log", 1, true},
      {"other", 2, false}, {"b\\ c", 2, false}};
  (void)state;
  assert_true(cul_shell_words(text, &words));
  assert_int_equal(words.n, CUL_ARRAY_SIZE(expected));
  assert_int_equal(words.n_commands, 3);
  for (size_t i = 0; i < words.n; i++) {
    const struct cul_shell_word *w = &words.items[i];
    assert_int_equal(w->to - w->from, strlen(expected[i].word));
    assert_memory_equal(text + w->from, expected[i].word, w->to - w->from);
    assert_int_equal(w->command, expected[i].command);
    assert_int_equal(w->redirection, expected[i].redirection);
  }
  cul_shell_words_release(&words);
  assert_false(cul_shell_words("a $(b)", &words));
  assert_false(cul_shell_words("a \"`b`\"", &words));
  assert_false(cul_shell_words("a 'b", &words));
  assert_false(cul_shell_words("cat <<E", &words));
  assert_false(cul_shell_words("a # b", &words));
  assert_true(cul_shell_words("a &&\n", &words));
  cul_shell_words_release(&words);
}

/* ---- command lines ---- */

enum { MAX_ARGS = 16 };

/* "a|b|c" -> argv.  Free the first string and the array's storage is the
 * caller's. */
static char *split(const char *line, const char **argv) {
  char *copy = cul_xstrdup(line), *at = copy;
  size_t n = 0;
  while (at && n + 1 < MAX_ARGS) {
    argv[n++] = at;
    at = strchr(at, '|');
    if (at)
      *at++ = '\0';
  }
  argv[n] = NULL;
  return copy;
}

static char *join(char **argv) {
  struct cul_buf out = {0};
  for (size_t i = 0; argv[i]; i++)
    cul_buf_addf(&out, "%s%s", i ? "|" : "", argv[i]);
  return cul_buf_take(&out);
}

/* The names of all that can go, a "*" behind passes; parents in brackets
 * before those they take along. */
static void items_are(const char *line, const char *expected) {
  const char *argv[MAX_ARGS];
  char *copy = split(line, argv), *got, **same;
  struct cul_arguments args;
  struct cul_buf out = {0};
  bool none[64] = {false};
  cul_arguments_read(argv, &args);
  for (uint32_t i = 0; i < args.n; i++) {
    struct cul_bytes name = cul_arguments_name(&args, i);
    for (uint32_t p = args.items[i].parent; p != CUL_PIPE_NONE;
         p = args.items[p].parent)
      cul_buf_adds(&out, ".");
    cul_buf_addf(&out, "%.*s%s ", (int)name.len, name.data,
                 cul_arguments_is_pass(&args, i) ? "*" : "");
  }
  assert_string_equal(cul_buf_str(&out), expected);
  same = cul_arguments_write(&args, none, NULL);
  got = join(same);
  assert_string_equal(got, line);
  free(got);
  free(same);
  cul_buf_release(&out);
  cul_arguments_release(&args);
  free(copy);
}

/* What is left when the items of these indices go (-1 ends). */
static void left_is(const char *line, const int *gone, const char *expected) {
  const char *argv[MAX_ARGS];
  char *copy = split(line, argv), *got, **left;
  struct cul_arguments args;
  bool marks[64] = {false};
  cul_arguments_read(argv, &args);
  for (; *gone >= 0; gone++)
    marks[*gone] = true;
  cul_arguments_spread(&args, marks);
  left = cul_arguments_write(&args, marks, NULL);
  got = join(left);
  assert_string_equal(got, expected);
  free(got);
  free(left);
  cul_arguments_release(&args);
  free(copy);
}
#define LEFT(line, expected, ...)                                              \
  left_is(line, (const int[]){__VA_ARGS__, -1}, expected)

static void test_arguments_items(void **state) {
  (void)state;
  items_are("opt|--cse|-march|x86|@@|-o|/dev/null",
            "cse march .x86 -o ./dev/null ");
  items_are("opt|--pass-pipeline=builtin.module(func.func(a,b{x=1}),c)|@@",
            "pass-pipeline .builtin.module ..func.func ...a* ...b* ....x "
            "..c* ");
  items_are("opt|--pass-pipeline|any(a,b)|@@",
            "pass-pipeline .any(a,b) ..any ...a* ...b* ");
  items_are("opt|-passes=a,b<c;d>|@@", "passes .a* .b* ..c ..d ");
  items_are("opt|--unroll=factor=4 full|--libs=a,b|@@",
            "unroll .factor .full libs .a .b ");
  items_are("opt|-i|@@|--out=@{out}/x|--output=f", "i --output=f ");
  items_are("opt|-o|x|y|@@", "-o .x y ");
  items_are("tool|x|--flag|a|b", "x flag .a b ");
}

static void test_arguments_of_a_shell(void **state) {
  (void)state;
  items_are("bash|-c|set -o pipefail; opt @@ --a -b x --c=\"k=1 j\" '--d=e,f' "
            "-o out | run -z",
            "a b c .k .j d .e .f -o .out ");
  items_are("bash|-c|cd -P dir && rm -r x", "");
  items_are("bash|-c|opt -a @@ $(x)", "");
  items_are("bash|run.sh|-a|@@", "run.sh a ");
  items_are("/bin/sh|-ec|opt -a @@|-x", "a ");
}

static void test_arguments_go(void **state) {
  static const char pipeline[] =
      "opt|--pass-pipeline=builtin.module(func.func(a,b{x=1}),c)|@@";
  static const char shell[] =
      "bash|-c|opt @@  --a -b x --c=\"k=1 j\" '--d=e,f' >out|z";
  (void)state;
  LEFT("opt|--cse|-march|x86|@@", "opt|--cse|@@", 1);
  LEFT("opt|--cse|-march|x86|@@", "opt|--cse|-march|@@", 2);
  LEFT(pipeline, "opt|@@", 0);
  LEFT(pipeline, "opt|--pass-pipeline=builtin.module(func.func(b),c)|@@", 3, 5);
  LEFT("opt|--unroll=factor=4 full|@@", "opt|--unroll=full|@@", 1);
  LEFT("opt|--unroll=factor=4 full|@@", "opt|--unroll|@@", 1, 2);
  LEFT(shell, "bash|-c|opt @@ -b x --c=\"j\" '--d=f' >out|z", 0, 3, 6);
  LEFT(shell, "bash|-c|opt @@  --a x --c '--d=e,f' >out|z", 1, 3, 4);
}

static void test_arguments_more(void **state) {
  static const char *const more[] = {"--x", "-y", NULL};
  const char *argv[MAX_ARGS];
  bool none[8] = {false};
  struct cul_arguments args;
  char *copy = split("opt|@@", argv), *got, **out;
  (void)state;
  cul_arguments_read(argv, &args);
  assert_true(args.simple);
  out = cul_arguments_write(&args, none, more);
  got = join(out);
  assert_string_equal(got, "opt|@@|--x|-y");
  free(got);
  free(out);
  cul_arguments_release(&args);
  free(copy);
  copy = split("bash|-c|opt @@", argv);
  cul_arguments_read(argv, &args);
  assert_true(args.simple);
  out = cul_arguments_write(&args, none, more);
  got = join(out);
  assert_string_equal(got, "bash|-c|opt @@ --x -y");
  free(got);
  free(out);
  cul_arguments_release(&args);
  free(copy);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pipeline_items_go),
      cmocka_unit_test(test_pipeline_spellings),
      cmocka_unit_test(test_pipeline_refuses),
      cmocka_unit_test(test_reproducer),
      cmocka_unit_test(test_call_words),
      cmocka_unit_test(test_shell_words),
      cmocka_unit_test(test_arguments_items),
      cmocka_unit_test(test_arguments_of_a_shell),
      cmocka_unit_test(test_arguments_go),
      cmocka_unit_test(test_arguments_more),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
