/* Axes, and what a grid of verdicts says about them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../bisect/matrix/matrix.h"

static void reads_axes(void **state) {
  static const char *const specs[] = {"opt=a,b", "x=1,2,3"};
  static const char *const argv[] = {"@{opt}/bin", "-x=@{x}@{x}", "@@", "@{y}",
                                     NULL};
  struct cul_axes axes;
  struct cul_err err = {0};
  uint32_t at[] = {1, 2};
  char **out;
  (void)state;
  assert_int_equal(cul_axes_read(specs, 2, NULL, &axes, &err), 0);
  assert_int_equal(axes.n, 2);
  assert_int_equal(axes.axes[1].n, 3);
  assert_true(cul_axes_are_in(&axes, argv));
  assert_false(cul_axes_are_in(&axes, argv + 2));
  out = cul_axes_argv(&axes, at, argv);
  assert_string_equal(out[0], "b/bin");
  assert_string_equal(out[1], "-x=33");
  assert_string_equal(out[2], "@@");
  assert_string_equal(out[3], "@{y}");
  assert_null(out[4]);
  free(out);
  cul_axes_release(&axes);
}

/* A value is shown by its label, and stands for its text. */
static void reads_labels(void **state) {
  static const char *const specs[] = {"opt=old:=/a/b,c"};
  static const char *const argv[] = {"@{opt}", NULL};
  struct cul_axes axes;
  struct cul_err err = {0};
  struct cul_buf name = {0};
  (void)state;
  assert_int_equal(cul_axes_read(specs, 1, NULL, &axes, &err), 0);
  for (uint32_t at = 0; at < 2; at++) {
    char **out = cul_axes_argv(&axes, &at, argv);
    assert_string_equal(out[0], at ? "c" : "/a/b");
    cul_axes_name(&axes, &at, &name);
    free(out);
  }
  assert_string_equal(cul_buf_str(&name), "opt=oldopt=c");
  cul_buf_release(&name);
  cul_axes_release(&axes);
}

static void refuses(const char *spec, const char *what) {
  struct cul_axes axes;
  struct cul_err err = {0};
  assert_int_equal(cul_axes_read(&spec, 1, NULL, &axes, &err), CUL_EUSAGE);
  assert_non_null(strstr(err.what, what));
  assert_true(err.advice[0] != '\0');
  cul_axes_release(&axes);
}

static void refuses_axes(void **state) {
  struct cul_axes axes;
  struct cul_err err = {0};
  (void)state;
  refuses("opt", "gives no values");
  refuses("=a", "has no name");
  refuses("a b=c", "has no name");
  refuses("opt=", "no value");
  refuses("opt=a,a", "twice");
  refuses("opt=a:=1,a:=2", "twice");
  refuses("dir=a", "another meaning");
  refuses("opt=@/no/such/file", "/no/such/file");
  assert_int_equal(cul_axes_read(NULL, 0, NULL, &axes, &err), CUL_EUSAGE);
  cul_axes_release(&axes);
}

/* Write a file of axes; its path, heap. */
static char *file_of(const char *text) {
  char *path = cul_xasprintf("%s/unit/test_bisect_axis.axes", BINARY_DIR);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
  return path;
}

/* The axes that are left of a file and, unless it is NULL, one more option, for
 * a command. */
static void reads(const char *text, const char *more, const char *const *argv,
                  const char *want) {
  char *path = file_of(text), *spec = cul_xasprintf("@%s", path);
  const char *const specs[] = {spec, more};
  const char *const *const commands[] = {argv, NULL};
  struct cul_axes axes;
  struct cul_err err = {0};
  struct cul_buf out = {0};
  int rc =
      cul_axes_read(specs, more ? 2 : 1, argv ? commands : NULL, &axes, &err);
  for (size_t i = 0; i < axes.n && rc == 0; i++) {
    cul_buf_addf(&out, "%s%s:", i ? " " : "", axes.axes[i].name);
    for (uint32_t k = 0; k < axes.axes[i].n; k++) {
      const char *stands_for = axes.axes[i].texts[k];
      cul_buf_addf(&out, "%s%s", k ? "|" : "", axes.axes[i].values[k]);
      if (stands_for)
        cul_buf_addf(&out, "<%s>", stands_for);
    }
  }
  if (rc < 0)
    cul_buf_adds(&out, strncmp(err.what, path, strlen(path)) == 0
                           ? err.what + strlen(path)
                           : err.what);
  if (!argv && rc == 0)
    assert_string_equal(cul_buf_str(&out), want);
  else
    assert_non_null(strstr(cul_buf_str(&out), want));
  cul_buf_release(&out);
  cul_axes_release(&axes);
  free(spec);
  free(path);
}

static void reads_files(void **state) {
  static const char *const both[] = {"@{b}", "-x=@{a}", NULL};
  static const char *const one[] = {"tool", "@{b}", NULL};
  static const char *const none[] = {"tool", "@{c}", NULL};
  static const char two[] = "a = 1, 2\nb=3,4\n";
  (void)state;
  reads("# of a\n\n a = x\n", NULL, NULL, ":3: \"a = x\" gives no axis");
  reads("a = 1, two , 3:=--x=y=z,none:=", NULL, NULL,
        "a:1|two|3<--x=y=z>|none<>");
  reads("a=1\r\n\t2, l := b c,\n # no\n  4#5 # no\nb-_1 =\n @{x}\n", NULL, NULL,
        "a:1|2|l<b c>|4#5 b-_1:@{x}");
  reads(two, NULL, both, "a:1|2 b:3|4");
  reads(two, NULL, one, "b:3|4");
  reads(two, "b=5,6", one, "b:5|6");
  reads(two, NULL, none, "no command contains an axis of @");
  reads(two, NULL, none, ": @{a}, @{b}");
  reads(two, "c=5", none, "no command contains an axis of @");
  reads(two, "c=5", one, "no command contains @{c}");
}

static void refuses_files(void **state) {
  (void)state;
  reads("", NULL, NULL, " gives no axis");
  reads("\n# a = 1\n", NULL, NULL, " gives no axis");
  reads("a = 1\nflag\n", NULL, NULL, ":2: \"flag\" gives no axis");
  reads("a = 1\n\na = 2\n", NULL, NULL, ":3: a: it is given twice");
  reads("a = 1\nb = 1,\n  2, 1\n", NULL, NULL, ":3: b: \"1\" appears twice");
  reads("a = 1\nb =\n\nc = 2\n", NULL, NULL, ":2: b: no value is given");
  reads("b =\n", NULL, NULL, ":1: b: no value is given");
  reads("a b = 1\n", NULL, NULL, ":1: \"a b\" is not a name");
  reads("out = 1\n", NULL, NULL, ":1: out: @{out} has another meaning");
  reads("a = :=x\n", NULL, NULL, ":1: a: :=x has no label before :=");
  refuses("@no-such-axes", "neither axes that are built in nor a file");
  refuses("@./no-such-axes", "./no-such-axes");
}

/* What files offer may be more than a job has. */
static void offers_many(void **state) {
  static const char *const argv[] = {"@{a18}", NULL};
  struct cul_buf text = {0};
  (void)state;
  for (int i = 0; i < 20; i++)
    cul_buf_addf(&text, "a%d = 1\n", i);
  reads(cul_buf_str(&text), NULL, argv, "a18:1");
  reads(cul_buf_str(&text), NULL, NULL, "more than 16 axes");
  cul_buf_release(&text);
}

/* A value that is given as empty leaves out the word that it is all of. */
static void leaves_out_words(void **state) {
  static const char *const specs[] = {"a=none:=,x", "b=none:=,y"};
  static const char *const argv[] = {"@{a}",    "t", "@{a}@{b}",
                                     "-f=@{a}", "",  NULL};
  static const struct {
    uint32_t at[2];
    const char *want;
  } cases[] = {
      {{0, 0}, "t|-f=||"}, {{1, 0}, "x|t|x|-f=x||"}, {{0, 1}, "t|y|-f=||"}};
  struct cul_axes axes;
  struct cul_err err = {0};
  (void)state;
  assert_int_equal(cul_axes_read(specs, 2, NULL, &axes, &err), 0);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(cases); i++) {
    char **out = cul_axes_argv(&axes, cases[i].at, argv);
    struct cul_buf text = {0};
    for (char **word = out; *word; word++)
      cul_buf_addf(&text, "%s|", *word);
    assert_string_equal(cul_buf_str(&text), cases[i].want);
    cul_buf_release(&text);
    free(out);
  }
  cul_axes_release(&axes);
}

/* Those that are built in can be read: what they offer together is too much for
 * one job, so they are read one by one. */
static void reads_built_in(void **state) {
  (void)state;
  assert_true(cul_n_axis_files > 0);
  for (size_t i = 0; i < cul_n_axis_files; i++) {
    const char *name = cul_axis_files[i].name;
    char *spec = cul_xasprintf("@%.*s", (int)strcspn(name, "."), name);
    const char *const specs[] = {spec};
    struct cul_axes axes;
    struct cul_err err = {0};
    if (cul_axes_read(specs, 1, NULL, &axes, &err) < 0)
      assert_string_equal(err.what, "more than 16 axes are given");
    assert_true(axes.n > 0);
    cul_axes_release(&axes);
    free(spec);
  }
}

/* What is said of a grid; cells: F, p, o or ?, the last axis fastest. */
static char *blame(const char *const *specs, size_t n, const char *cells,
                   enum cul_blame_kind kind) {
  enum cul_blame_cell grid[64];
  struct cul_axes axes;
  struct cul_blame found;
  struct cul_buf text = {0};
  struct cul_err err = {0};
  assert_int_equal(cul_axes_read(specs, n, NULL, &axes, &err), 0);
  assert_int_equal(cul_grid_size(&axes), strlen(cells));
  for (size_t i = 0; cells[i]; i++)
    grid[i] = cells[i] == 'F'   ? CUL_CELL_FAILS
              : cells[i] == 'p' ? CUL_CELL_PASSES
              : cells[i] == 'o' ? CUL_CELL_OTHER
                                : CUL_CELL_UNKNOWN;
  cul_blame_find(&axes, grid, &found);
  assert_int_equal(found.kind, kind);
  cul_blame_say(&axes, &found, &text);
  cul_blame_release(&found);
  cul_axes_release(&axes);
  return cul_buf_take(&text);
}

static void says(const char *const *specs, size_t n, const char *cells,
                 enum cul_blame_kind kind, const char *sentence) {
  char *text = blame(specs, n, cells, kind);
  assert_string_equal(text, sentence);
  free(text);
}

static void blames(void **state) {
  static const char *const two[] = {"a=x,y", "b=1,2,3"};
  static const char *const three[] = {"a=x,y", "b=1,2", "c=m,n"};
  (void)state;
  says(two, 2, "pppppp", CUL_BLAME_NONE, "no cell fails");
  says(two, 2, "FFFFFF", CUL_BLAME_ALL,
       "every cell fails: none of the axes matters");
  says(two, 2, "FFFooo", CUL_BLAME_ALL,
       "3 of 6 cells fail, and none passes (3 cells fail otherwise)");
  says(two, 2, "F????o", CUL_BLAME_ALL,
       "1 of 6 cells fails, and none passes (1 cell fails otherwise; 4 cells "
       "say nothing)");
  says(two, 2, "opppFF", CUL_BLAME_ALL_OF,
       "fails with a=y together with b=2 or 3 only (1 cell fails otherwise)");
  says(two, 2, "pppFFF", CUL_BLAME_ALL_OF, "fails with a=y only");
  says(two, 2, "FpFFpF", CUL_BLAME_ALL_OF, "fails with b=1 or 3 only");
  says(two, 2, "pppppF", CUL_BLAME_ALL_OF,
       "fails with a=y together with b=3 only");
  says(two, 2, "ppFFFF", CUL_BLAME_ANY_OF,
       "a=y, and also b=3 is to blame: each is enough");
  says(two, 2, "p?ppp?", CUL_BLAME_NONE, "no cell fails (2 cells say nothing)");
  says(two, 2, "?ppFFF", CUL_BLAME_ALL_OF,
       "fails with a=y only (1 cell says nothing)");
  says(three, 3, "FFppppFF", CUL_BLAME_PAIR,
       "a and b decide it together, neither alone");
  says(three, 3, "pppFpFFF", CUL_BLAME_MOSTLY,
       "no axis and no pair of them explains all; 3 of 4 failures are at "
       "a=y");
}

/* Whatever the planted conjunction, it is found, also with holes in the grid
 * that leave its values in sight. */
static void finds_planted(void **state) {
  static const char *const specs[] = {"a=0,1,2", "b=0,1,2", "c=0,1,2"};
  (void)state;
  for (uint32_t i = 0; i < 27; i++) {
    char cells[28] = {0}, want[64];
    char *text;
    for (uint32_t k = 0; k < 27; k++)
      cells[k] = k == i ? 'F' : 'p';
    text = blame(specs, 3, cells, CUL_BLAME_ALL_OF);
    snprintf(want, sizeof want, "a=%u together with b=%u together with c=%u",
             i / 9, i / 3 % 3, i % 3);
    assert_non_null(strstr(text, want));
    free(text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_axes),       cmocka_unit_test(reads_labels),
      cmocka_unit_test(refuses_axes),     cmocka_unit_test(blames),
      cmocka_unit_test(finds_planted),    cmocka_unit_test(reads_files),
      cmocka_unit_test(refuses_files),    cmocka_unit_test(offers_many),
      cmocka_unit_test(leaves_out_words), cmocka_unit_test(reads_built_in),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
