/* What a job asks of runs that may hang, and what it learns from them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "../../../probe/early_hangs.h"

enum { MS = 1000 };

static struct cul_record hang_at(const uint64_t *places, uint32_t n,
                                 uint64_t reached_us) {
  struct cul_record record = {.end = CUL_DEADLINE};
  record.stayed.stay.n = n;
  memcpy(record.stayed.stay.places, places, n * sizeof *places);
  record.stayed.stay.reached_us = reached_us;
  return record;
}

static void nothing_is_asked_before_it_is_known(void **state) {
  struct cul_early_hangs early = {0};
  (void)state;
  assert_true(cul_early_hangs_ask(&early, true)->learn);
  assert_null(cul_early_hangs_ask(&early, false));
  early = (struct cul_early_hangs){.off = true, .stay.n = 1};
  assert_null(cul_early_hangs_ask(&early, true));
  assert_null(cul_early_hangs_ask(&early, false));
}

static void runs_have_less_in_common(void **state) {
  static const uint64_t first[] = {3, 2, 1}, second[] = {4, 1};
  struct cul_early_hangs early = {0};
  struct cul_record a = hang_at(first, 3, 5), b = hang_at(second, 2, 7);
  const struct cul_record none = {.end = CUL_DEADLINE};
  (void)state;
  cul_early_hangs_note(&early, &none);
  cul_early_hangs_note(&early, &a);
  cul_early_hangs_note(&early, &none);
  cul_early_hangs_note(&early, &b);
  assert_int_equal(early.stay.n, 1);
  assert_int_equal(early.stay.places[0], 1);
  assert_int_equal(early.stay.reached_us, 7);
  b.stayed.stay.waiting = true; /* another kind of hang */
  cul_early_hangs_note(&early, &b);
  assert_int_equal(early.stay.n, 1);
  assert_false(early.stay.waiting);
}

static void a_run_has_the_time_to_get_there(void **state) {
  static const uint64_t places[] = {2, 1};
  struct cul_early_hangs early = {0};
  struct cul_record hang = hang_at(places, 2, 0),
                    end = {.end = CUL_EXITED, .wall_us = 9000 * MS};
  const struct cul_stay_wish *wish;
  (void)state;
  cul_early_hangs_note(&early, &hang);
  wish = cul_early_hangs_ask(&early, false);
  assert_int_equal(wish->after_us, 200 * MS);
  assert_int_equal(wish->settled_us, 100 * MS);
  hang.stayed.stay.reached_us = 400 * MS;
  cul_early_hangs_note(&early, &hang);
  assert_int_equal(cul_early_hangs_ask(&early, false)->after_us, 800 * MS);
  /* One that ends: its processor time, and for how long it was there. */
  end.cpu_us = 500 * MS;
  end.stayed.longest_us = 50 * MS;
  cul_early_hangs_note(&early, &end);
  wish = cul_early_hangs_ask(&early, false);
  assert_int_equal(wish->after_us, 1000 * MS);
  assert_int_equal(wish->settled_us, 150 * MS);
  early.doubts = 1;
  wish = cul_early_hangs_ask(&early, false);
  assert_int_equal(wish->after_us, 4000 * MS);
  assert_int_equal(wish->settled_us, 600 * MS);
}

static void a_wait_takes_a_second(void **state) {
  static const uint64_t places[] = {2, 1};
  struct cul_early_hangs early = {0};
  struct cul_record hang = hang_at(places, 2, 0);
  const struct cul_stay_wish *wish;
  (void)state;
  hang.stayed.stay.waiting = true;
  cul_early_hangs_note(&early, &hang);
  wish = cul_early_hangs_ask(&early, false);
  assert_int_equal(wish->after_us, 1000 * MS);
  assert_int_equal(wish->settled_us, 1000 * MS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_is_asked_before_it_is_known),
      cmocka_unit_test(runs_have_less_in_common),
      cmocka_unit_test(a_run_has_the_time_to_get_there),
      cmocka_unit_test(a_wait_takes_a_second),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
