/* What is shown while nothing else is, by a clock of the test's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../base/clock.h"
#include "../../../base/files/file.h"
#include "../../../base/status.h"
#include "../../../base/terminal/pulse.h"

static const uint64_t second = 1000 * 1000;

struct screen {
  char *text;
  size_t len;
  FILE *out;
  struct cul_pulse pulse;
};

static void open_screen(struct screen *screen, bool live) {
  screen->out = open_memstream(&screen->text, &screen->len);
  cul_pulse_init(&screen->pulse, screen->out, live, 60, 0);
}

static void close_screen(struct screen *screen) {
  fclose(screen->out);
  free(screen->text);
}

static const char *shown(struct screen *screen) {
  fflush(screen->out);
  return screen->text;
}

/* Beats of 100 ms, from the first to the last second. */
static void beat(struct screen *screen, const struct cul_status *status,
                 unsigned from, unsigned to) {
  for (uint64_t us = from * second; us <= to * second; us += second / 10)
    cul_pulse_beat(&screen->pulse, status, false, us);
}

static size_t lines(const char *text) {
  size_t n = 0;
  for (; (text = strchr(text, '\n')); text++)
    n++;
  return n;
}

static const struct cul_status third = {.task = "mlir-opt on a.mlir",
                                        .runs = 2,
                                        .last_us = 3000000,
                                        .running = 1,
                                        .started_us = 0};

static void test_nothing_for_half_a_minute_elsewhere(void **state) {
  struct screen screen;
  (void)state;
  open_screen(&screen, false);
  beat(&screen, &third, 0, 29);
  assert_string_equal(shown(&screen), "");
  beat(&screen, &third, 30, 59);
  assert_string_equal(
      shown(&screen),
      "running mlir-opt on a.mlir: run 3, 30.0 s (run 2: 3.0 s)\n");
  beat(&screen, &third, 60, 100);
  assert_int_equal(lines(shown(&screen)), 3);
  /* What else is shown counts. */
  cul_pulse_make_way(&screen.pulse, 100 * second);
  beat(&screen, &third, 100, 129);
  assert_int_equal(lines(shown(&screen)), 3);
  assert_null(strchr(shown(&screen), '\r'));
  close_screen(&screen);
}

/* Else what is drawn over it leaves the first ones. */
static void test_a_live_line_is_one_line(void **state) {
  static const struct cul_status status = {.task = "tool on a\nb\tc\x1b[2J",
                                           .running = 1};
  struct screen screen;
  (void)state;
  open_screen(&screen, true);
  cul_pulse_beat(&screen.pulse, &status, false, second);
  assert_string_equal(shown(&screen), "\r\033[Krunning tool on "
                                      "a\\nb\\tc\\x1b[2J: run 1, 1.0 s\r");
  close_screen(&screen);
}

static void test_a_live_line_on_a_terminal(void **state) {
  struct screen screen;
  size_t before;
  (void)state;
  open_screen(&screen, true);
  cul_pulse_beat(&screen.pulse, &third, false, second / 2 - 1);
  assert_string_equal(shown(&screen), "");
  cul_pulse_beat(&screen.pulse, &third, false, second / 2);
  assert_string_equal(
      shown(&screen),
      "\r\033[Krunning mlir-opt on a.mlir: run 3, 0.5 s (run 2: 3.0 s)\r");
  before = screen.len;
  beat(&screen, &third, 2, 4);
  assert_non_null(strstr(shown(&screen) + before, "run 3, 3.5 s"));
  assert_int_equal(lines(screen.text), 0);
  cul_pulse_make_way(&screen.pulse, 5 * second);
  before = strlen(shown(&screen));
  assert_string_equal(screen.text + before - strlen("\r\033[K"), "\r\033[K");
  cul_pulse_make_way(&screen.pulse, 5 * second);
  assert_int_equal(strlen(shown(&screen)), before);
  close_screen(&screen);
}

static void test_a_line_is_no_wider_than_the_terminal(void **state) {
  struct screen screen;
  struct cul_status status = third;
  (void)state;
  memset(status.task, 'x', sizeof status.task - 1);
  open_screen(&screen, true);
  cul_pulse_beat(&screen.pulse, &status, false, second);
  assert_int_equal(strlen(shown(&screen)), strlen("\r\033[K\r") + 59);
  close_screen(&screen);
}

static void test_what_runs(void **state) {
  static const struct {
    struct cul_status status;
    const char *says;
  } rows[] = {
      {{.task = "t"}, "running t: 0 runs, 40.0 s\n"},
      {{.task = "t", .runs = 1}, "running t: 1 run, 40.0 s\n"},
      {{.running = 1}, "running run 1, 40.0 s\n"},
      {{.task = "t", .running = 2}, "running t: runs 1 to 2, 40.0 s\n"},
      {{.task = "t", .runs = 1, .running = 1, .of = 2, .limit_us = 60000000},
       "running t: run 2 of 2, 40.0 s of at most 60 s\n"},
      {{.task = "t", .running = 2, .of = 5, .limit_us = 1500000},
       "running t: runs 1 to 2 of 5, 40.0 s of at most 1.5 s, less what other "
       "processes take\n"},
      /* More than was thought. */
      {{.task = "t", .runs = 2, .running = 1, .of = 2},
       "running t: run 3, 40.0 s\n"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct screen screen;
    open_screen(&screen, false);
    cul_pulse_beat(&screen.pulse, &rows[i].status, false, 40 * second);
    assert_string_equal(shown(&screen), rows[i].says);
    close_screen(&screen);
  }
}

/* Who asks is told, whatever stands there. */
static void test_at_once(void **state) {
  struct screen screen;
  (void)state;
  open_screen(&screen, true);
  cul_pulse_beat(&screen.pulse, &third, true, second / 10);
  assert_string_equal(
      shown(&screen),
      "running mlir-opt on a.mlir: run 3, 0.1 s (run 2: 3.0 s)\n");
  close_screen(&screen);
}

/* Only where so much is to follow that somebody would wonder. */
static void test_notes(void **state) {
  struct screen screen;
  (void)state;
  open_screen(&screen, false);
  cul_pulse_note(&screen.pulse, "soon over", 29 * second, 0);
  cul_pulse_note(&screen.pulse, "long", 31 * second, 0);
  assert_string_equal(shown(&screen), "long\n");
  close_screen(&screen);
  open_screen(&screen, true);
  cul_pulse_note(&screen.pulse, "soon over", second / 2, 0);
  cul_pulse_note(&screen.pulse, "two seconds", 2 * second, 0);
  assert_string_equal(shown(&screen), "two seconds\n");
  close_screen(&screen);
}

/* The terminal's width may end within a character. */
static void test_no_part_of_a_character(void **state) {
  (void)state;
  for (unsigned columns = 10; columns < 20; columns++) {
    struct screen screen;
    const struct cul_status status = {
        .task = "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\xc3\xa4", .runs = 2};
    const char *text;
    open_screen(&screen, true);
    screen.pulse.columns = columns;
    beat(&screen, &status, 0, 2);
    text = strstr(shown(&screen), "running");
    assert_non_null(text);
    assert_null(strstr(shown(&screen), "\\x"));
    assert_true(strcspn(text, "\r") < columns);
    close_screen(&screen);
  }
}

static void keep_since(void *self, const struct cul_status *status) {
  *(uint64_t *)self = status->since_us;
}

/* Where no task is named the time is that of the job, not the machine's. */
static void test_time_without_a_task(void **state) {
  uint64_t before_us = cul_now_us(), since_us = 0;
  const struct cul_status_viewer viewer = {.self = &since_us,
                                           .beat = keep_since};
  (void)state;
  cul_status_view(&viewer);
  cul_status_beat();
  cul_status_view(NULL);
  assert_true(since_us >= before_us);
  assert_true(since_us <= cul_now_us());
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_no_part_of_a_character),
      cmocka_unit_test(test_nothing_for_half_a_minute_elsewhere),
      cmocka_unit_test(test_a_live_line_is_one_line),
      cmocka_unit_test(test_a_live_line_on_a_terminal),
      cmocka_unit_test(test_a_line_is_no_wider_than_the_terminal),
      cmocka_unit_test(test_what_runs),
      cmocka_unit_test(test_at_once),
      cmocka_unit_test(test_notes),
      cmocka_unit_test(test_time_without_a_task),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
