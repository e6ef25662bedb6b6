/* base/plot: a posterior as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "../../../base/page/plot.h"

static void test_text(void **state) {
  static const double mass[] = {0, 0.1, 0.8, 0.1};
  const struct cul_plot plot = {mass, ". F ", 4};
  struct cul_buf out = {0};
  (void)state;
  cul_plot_text(&plot, 72, &out);
  assert_string_equal(cul_buf_str(&out), " ▁█▁\n. F \n");
  cul_buf_clear(&out);
  cul_plot_text(&plot, 2, &out); /* two points a column */
  assert_string_equal(cul_buf_str(&out), "▁█\n.F\n");
  cul_buf_release(&out);
}

static void test_svg(void **state) {
  static const double mass[] = {0, 1};
  const struct cul_plot plot = {mass, " F", 2};
  struct cul_buf out = {0};
  (void)state;
  cul_plot_svg(&plot, &out);
  assert_non_null(strstr(cul_buf_str(&out), "height=\"160.00\""));
  assert_non_null(strstr(cul_buf_str(&out), "<circle cx=\"600.00\""));
  assert_null(strstr(cul_buf_str(&out), "cx=\"200.00\""));
  cul_buf_release(&out);
}

static void test_gather(void **state) {
  static const double mass[] = {0.25, 0.25, 0.5};
  const struct cul_plot plot = {mass, ".F~", 3};
  double masses[3];
  char marks[3];
  (void)state;
  assert_int_equal(cul_plot_gather(&plot, 3, masses, marks), 3);
  assert_memory_equal(marks, ".F~", 3);
  assert_int_equal(cul_plot_gather(&plot, 2, masses, marks), 2);
  assert_memory_equal(marks, "F~", 2);
  assert_true(masses[0] == 0.5 && masses[1] == 0.5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_text),
      cmocka_unit_test(test_svg),
      cmocka_unit_test(test_gather),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
