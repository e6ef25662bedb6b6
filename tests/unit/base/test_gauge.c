/* The live line, at every width. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "../../../base/terminal/gauge.h"
#include "../../../base/visible.h"

static const struct cul_gauge full = {.doing = "trying single edits",
                                      .by = "simplify-attributes",
                                      .unit = "operations",
                                      .left = 240,
                                      .of = 1808,
                                      .bytes = 12345,
                                      .runs = 118,
                                      .cached = 20,
                                      .rate = 35.4,
                                      .busy = 2,
                                      .workers = 2,
                                      .seconds = 75,
                                      .eta_s = 130};

static size_t width(const struct cul_gauge_line *line) {
  size_t n = 0;
  for (size_t i = 0; i < line->text.len; i++)
    n += ((unsigned char)line->text.data[i] & 0xc0) != 0x80;
  return n;
}

static void says(const struct cul_gauge *gauge, size_t columns,
                 const char *text) {
  struct cul_gauge_line line = {0};
  cul_gauge_line(gauge, columns, &line);
  assert_string_equal(cul_buf_str(&line.text), text);
  cul_buf_release(&line.text);
}

static void test_wide(void **state) {
  (void)state;
  says(&full, 200,
       "trying single edits (simplify-attributes) [###.................] "
       "240 of 1808 operations, 12 kB  118 runs + 20 cached  "
       "35 candidates/s  2 of 2 workers  1 min  about 2 min left");
}

static void test_narrow(void **state) {
  (void)state;
  says(&full, 100,
       "trying single edits [##........] 240/1808 operations 118+20 runs 35/s "
       "2/2 busy ~2 min left");
  says(
      &full, 80,
      "trying single edits [##........] 240/1808 operations 118+20 runs ~2 min "
      "left");
  says(&full, 60, "trying single edits 240/1808 operations ~2 min left");
  says(&full, 40, "trying single edits 240/1808 operations");
  says(&full, 39, "240/1808 operations");
  says(&full, 10, "240/1808 ");
  says(&full, 0, "2");
}

/* No width makes it longer than the terminal, or cuts a character; a wider one
 * never shows less in short words. */
static void test_every_width(void **state) {
  (void)state;
  for (int blocks = 0; blocks < 2; blocks++) {
    size_t before = 0;
    for (size_t columns = 1; columns <= 200; columns++) {
      struct cul_gauge gauge = full;
      struct cul_gauge_line line = {0};
      gauge.blocks = blocks;
      cul_gauge_line(&gauge, columns, &line);
      assert_in_range(width(&line), 1, columns > 1 ? columns - 1 : 1);
      assert_int_equal(cul_visible_prefix(cul_buf_bytes(&line.text)),
                       line.text.len);
      assert_true(line.head <= line.text.len);
      assert_true(line.bar <= line.full && line.full <= line.bar_end &&
                  line.bar_end <= line.text.len);
      assert_true(width(&line) >= before);
      before = width(&line);
      cul_buf_release(&line.text);
    }
  }
}

/* Names of others are no more than text, and are not cut within a character. */
static void test_foreign_names(void **state) {
  (void)state;
  for (size_t columns = 20; columns <= 200; columns++) {
    struct cul_gauge gauge = full;
    struct cul_gauge_line line = {0};
    gauge.by = "a\n\x1b[2J\xe2\x82\xac\xf0\x9f\x98\x80";
    gauge.unit = "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac";
    cul_gauge_line(&gauge, columns, &line);
    assert_null(strpbrk(cul_buf_str(&line.text), "\n\x1b"));
    assert_int_equal(cul_visible_prefix(cul_buf_bytes(&line.text)),
                     line.text.len);
    assert_in_range(width(&line), 1, columns - 1);
    cul_buf_release(&line.text);
  }
}

static void bar_is(uint64_t left, uint64_t of, bool blocks, const char *bar) {
  struct cul_gauge gauge = {
      .doing = "x", .unit = "lines", .left = left, .of = of, .blocks = blocks};
  struct cul_gauge_line line = {0};
  char *text;
  cul_gauge_line(&gauge, 70, &line);
  text = cul_xstrndup(line.text.data + line.bar, line.bar_end - line.bar);
  assert_string_equal(text, bar);
  free(text);
  cul_buf_release(&line.text);
}

static void test_bar(void **state) {
  (void)state;
  bar_is(1808, 1808, false, "##########");
  bar_is(904, 1808, false, "#####.....");
  bar_is(0, 1808, false, "..........");
  bar_is(1, 100000, false, "#.........");
  bar_is(5000, 1808, false, "##########"); /* a growing edit's */
  bar_is(3, 0, false, "");
  bar_is(904, 1808, true,
         "\u2588\u2588\u2588\u2588\u2588\u2591\u2591\u2591\u2591\u2591");
  bar_is(1, 100000, true,
         "\u258f\u2591\u2591\u2591\u2591\u2591\u2591\u2591\u2591\u2591");
  bar_is(55, 100, true,
         "\u2588\u2588\u2588\u2588\u2588\u258c\u2591\u2591\u2591\u2591");
}

static void time_is(double seconds, const char *says) {
  struct cul_buf out = {0};
  cul_gauge_time(seconds, &out);
  assert_string_equal(cul_buf_str(&out), says);
  cul_buf_release(&out);
}

static void test_times(void **state) {
  (void)state;
  time_is(0.1, "5 s");
  time_is(7, "5 s");
  time_is(8, "10 s");
  time_is(52, "50 s");
  time_is(56, "1 min");
  time_is(89, "1 min");
  time_is(100, "2 min");
  time_is(3500, "58 min");
  time_is(3600, "1.0 h");
  time_is(5500, "1.5 h");
  time_is(9.6 * 3600, "10 h");
  time_is(100 * 3600, "100 h");
}

static void test_eta(void **state) {
  struct cul_gauge gauge = {
      .doing = "cutting", .unit = "operations", .left = 7};
  (void)state;
  says(&gauge, 200,
       "cutting 7 operations  0 runs + 0 cached  0.0 candidates/s"
       "  0 of 0 workers  0 s");
  gauge.eta_s = 600;
  gauge.at_least = true;
  says(&gauge, 200,
       "cutting 7 operations  0 runs + 0 cached  0.0 candidates/s"
       "  0 of 0 workers  0 s  at least 10 min left");
  says(&gauge, 40, "cutting 7 operations >10 min left");
}

static double left(struct cul_gauge_work work, bool *at_least) {
  return cul_gauge_time_left(&work, at_least);
}

static void test_time_left(void **state) {
  const struct cul_gauge_work known = {.points = 3000,
                                       .turns = 30,
                                       .since_step = 9000,
                                       .rate = 20,
                                       .seconds = 75};
  struct cul_gauge_work work = known;
  bool at_least;
  (void)state;
  assert_float_equal(left(work, &at_least), 150, 1e-4);
  assert_false(at_least);
  work.done = 1000; /* of the present turn */
  assert_float_equal(left(work, &at_least), 100, 1e-4);
  work = known;
  work.unknown = 10; /* as long as the others */
  assert_float_equal(left(work, &at_least), 225, 1e-4);
  work.unknown = 11;
  assert_float_equal(left(work, &at_least), 0, 0);
  work = known;
  work.limit_s = 90;
  assert_float_equal(left(work, &at_least), 90, 0);
  assert_false(at_least);
}

/* A guess that is likely to be wrong is not shown, or as a lower bound. */
static void test_no_time_left(void **state) {
  const struct cul_gauge_work known = {.points = 3000,
                                       .turns = 30,
                                       .since_step = 9000,
                                       .rate = 20,
                                       .seconds = 75};
  struct cul_gauge_work work = known;
  bool at_least;
  (void)state;
  work.seconds = 59;
  assert_float_equal(left(work, &at_least), 0, 0);
  work = known;
  work.rate = 0;
  assert_float_equal(left(work, &at_least), 0, 0);
  work = known;
  work.points = 0;
  assert_float_equal(left(work, &at_least), 0, 0);
  work = known;
  work.since_step = 100;
  assert_float_equal(left(work, &at_least), 150, 1e-4);
  assert_true(at_least);
  work.rate = 200; /* 15 s, and nobody knows how much more */
  assert_float_equal(left(work, &at_least), 0, 0);
  work.since_step = 9000;
  assert_float_equal(left(work, &at_least), 15, 1e-4);
  work.grows = true;
  assert_float_equal(left(work, &at_least), 0, 0);
  work = known;
  work.more_phases = true;
  assert_float_equal(left(work, &at_least), 150, 1e-4);
  assert_true(at_least);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_wide),         cmocka_unit_test(test_narrow),
      cmocka_unit_test(test_every_width),  cmocka_unit_test(test_foreign_names),
      cmocka_unit_test(test_bar),          cmocka_unit_test(test_times),
      cmocka_unit_test(test_eta),          cmocka_unit_test(test_time_left),
      cmocka_unit_test(test_no_time_left),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
