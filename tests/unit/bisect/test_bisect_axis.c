/* Axes, and what a grid of verdicts says about them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../bisect/matrix/blame.h"

static void reads_axes(void **state) {
  static const char *const specs[] = {"opt=a,b", "x=1,2,3"};
  static const char *const argv[] = {"@{opt}/bin", "-x=@{x}@{x}", "@@", "@{y}",
                                     NULL};
  struct cul_axes axes;
  struct cul_err err = {0};
  uint32_t at[] = {1, 2};
  bool used[CUL_MAX_AXES] = {false};
  char **out;
  (void)state;
  assert_int_equal(cul_axes_read(specs, 2, &axes, &err), 0);
  assert_int_equal(axes.n, 2);
  assert_int_equal(axes.axes[1].n, 3);
  cul_axes_note_used(&axes, argv, used);
  assert_true(used[0] && used[1]);
  out = cul_axes_argv(&axes, at, argv);
  assert_string_equal(out[0], "b/bin");
  assert_string_equal(out[1], "-x=33");
  assert_string_equal(out[2], "@@");
  assert_string_equal(out[3], "@{y}");
  assert_null(out[4]);
  free(out);
  memset(used, 0, sizeof used);
  cul_axes_note_used(&axes, argv + 1, used);
  assert_true(!used[0] && used[1]);
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
  assert_int_equal(cul_axes_read(specs, 1, &axes, &err), 0);
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
  assert_int_equal(cul_axes_read(&spec, 1, &axes, &err), CUL_EUSAGE);
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
  refuses("dir=a", "something else");
  refuses("opt=@/no/such/file", "/no/such/file");
  assert_int_equal(cul_axes_read(NULL, 0, &axes, &err), CUL_EUSAGE);
  cul_axes_release(&axes);
}

/* What is said of a grid; cells: F, p or ?, the last axis fastest. */
static char *blame(const char *const *specs, size_t n, const char *cells,
                   enum cul_blame_kind kind) {
  enum cul_blame_cell grid[64];
  struct cul_axes axes;
  struct cul_blame found;
  struct cul_buf text = {0};
  struct cul_err err = {0};
  assert_int_equal(cul_axes_read(specs, n, &axes, &err), 0);
  assert_int_equal(cul_grid_size(&axes), strlen(cells));
  for (size_t i = 0; cells[i]; i++)
    grid[i] = cells[i] == 'F'   ? CUL_CELL_FAILS
              : cells[i] == 'p' ? CUL_CELL_PASSES
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
      cmocka_unit_test(reads_axes),    cmocka_unit_test(reads_labels),
      cmocka_unit_test(refuses_axes),  cmocka_unit_test(blames),
      cmocka_unit_test(finds_planted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
