/* Versions of Debian packages: their order, as dpkg has it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../../bisect/packages/debs.h"

static void test_order(void **state) {
  static const char *const ordered[] = {
      "0.9",           "1.0~~",    "1.0~~a",  "1.0~",    "1.0~rc1-1",
      "1.0~rc2-1",     "1.0",      "1.0-0.1", "1.0-1",   "1.0-1+b1",
      "1.0-1+deb12u1", "1.0-2",    "1.0-10",  "1.0a-1",  "1.0.1-1",
      "1.10-1",        "22.1.8-1", "1:0.1-1", "1:0.2-1", "2:0.1"};
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(ordered); i++)
    for (size_t k = 0; k < CUL_ARRAY_SIZE(ordered); k++) {
      int diff = cul_debian_compare(ordered[i], ordered[k]);
      if ((diff < 0) != (i < k) || (diff > 0) != (i > k))
        fail_msg("%s against %s: %d", ordered[i], ordered[k], diff);
    }
}

static void test_alike(void **state) {
  (void)state;
  assert_int_equal(cul_debian_compare("1.00", "1.0"), 0);
  assert_int_equal(cul_debian_compare("0:1.0", "1.0"), 0);
  assert_int_equal(cul_debian_compare("1.0-0", "1.0"), 0);
  assert_int_equal(cul_debian_compare("", ""), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_order),
      cmocka_unit_test(test_alike),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
