/* Tests of reducer/job/trail.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../../reducer/job/trail.h"

static void add(struct cul_trail *trail, const char *bytes, size_t n) {
  struct cul_pieces text = cul_pieces_of((struct cul_bytes){bytes, n});
  cul_trail_add(trail, &text);
}

static void texts_are_kept_in_order(void **state) {
  struct cul_trail trail = {0};
  (void)state;
  add(&trail, "abc", 3);
  add(&trail, "ab", 2);
  add(&trail, "a", 1);
  assert_int_equal(trail.n, 3);
  assert_int_equal(trail.bytes, 6);
  assert_string_equal(cul_buf_str(&trail.texts[1]), "ab");
  cul_trail_cut(&trail, 1);
  assert_int_equal(trail.n, 1);
  assert_int_equal(trail.bytes, 3);
  add(&trail, "b", 1);
  assert_string_equal(cul_buf_str(&trail.texts[1]), "b");
  cul_trail_cut(&trail, 0);
  assert_int_equal(trail.bytes, 0);
  assert_null(trail.texts);
}

/* Each text is 128 KiB and begins with its number. */
static void the_first_and_the_last_stay(void **state) {
  enum { SIZE = 1 << 17, N = 3 * CUL_TRAIL_MOST / SIZE };
  struct cul_trail trail = {0};
  char *text = calloc(1, SIZE);
  int before = -1;
  (void)state;
  for (int i = 0; i < N; i++) {
    memcpy(text, &i, sizeof i);
    add(&trail, text, SIZE);
    assert_true(trail.bytes <= CUL_TRAIL_MOST);
    assert_int_equal(trail.bytes, trail.n * SIZE);
  }
  for (size_t i = 0; i < trail.n; i++) {
    int number;
    memcpy(&number, trail.texts[i].data, sizeof number);
    assert_true(number > before);
    assert_true(i > 0 || number == 0);
    before = number;
  }
  assert_int_equal(before, N - 1);
  assert_true(trail.n >= CUL_TRAIL_MOST / SIZE / 2);
  cul_trail_cut(&trail, 0);
  free(text);
}

static void what_is_larger_alone_is_not_kept(void **state) {
  struct cul_trail trail = {0};
  char *text = calloc(1, CUL_TRAIL_MOST + 1);
  (void)state;
  add(&trail, text, CUL_TRAIL_MOST + 1);
  assert_int_equal(trail.n, 0);
  add(&trail, text, 10);
  assert_int_equal(trail.n, 1);
  cul_trail_cut(&trail, 0);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(texts_are_kept_in_order),
      cmocka_unit_test(the_first_and_the_last_stay),
      cmocka_unit_test(what_is_larger_alone_is_not_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
