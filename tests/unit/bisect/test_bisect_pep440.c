/* Versions of Python packages: their order, and what is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../../bisect/install/pep440.h"

static struct cul_pep440 version(const char *text) {
  struct cul_pep440 out;
  if (!cul_pep440_parse(text, &out))
    fail_msg("\"%s\" is a version", text);
  return out;
}

static int compare(const char *a, const char *b) {
  struct cul_pep440 one = version(a), other = version(b);
  return cul_pep440_compare(&one, &other);
}

/* Each comes before the next one: the examples of PEP 440, and nightlies. */
static void test_order(void **state) {
  static const char *const ordered[] = {
      "0.9",
      "1.dev0",
      "1.0.dev456",
      "1.0a1",
      "1.0a2.dev456",
      "1.0a12.dev456",
      "1.0a12",
      "1.0b1.dev456",
      "1.0b2",
      "1.0b2.post345.dev456",
      "1.0b2.post345",
      "1.0rc1.dev456",
      "1.0rc1",
      "1.0",
      "1.0+abc.5",
      "1.0+abc.7",
      "1.0+5",
      "1.0+10",
      "1.0.post456.dev34",
      "1.0.post456",
      "1.0.15",
      "1.1.dev1",
      "3.3.0rc20250209",
      "3.3.0rc20250210",
      "3.3.0",
      "3.10.0",
      "2024.5",
      "1!0.1",
  };
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(ordered); i++)
    for (size_t k = 0; k < CUL_ARRAY_SIZE(ordered); k++) {
      int diff = compare(ordered[i], ordered[k]);
      if ((diff < 0) != (i < k) || (diff > 0) != (i > k))
        fail_msg("%s against %s: %d", ordered[i], ordered[k], diff);
    }
}

static void test_spellings(void **state) {
  static const char *const alike[][2] = {
      {"1.0", "1"},           {"1.0.0", "1.0"},
      {"v1.2", "1.2"},        {"1.0-alpha.1", "1a1"},
      {"1.0.RC1", "1.0c1"},   {"1.0-1", "1.0.post1"},
      {"1.0_pre3", "1.0rc3"}, {"1.0r4", "1.0.rev4"},
      {"1.0dev", "1.0.dev0"}, {"1.0+Ubuntu-1", "1.0+ubuntu.01"}};
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(alike); i++)
    if (compare(alike[i][0], alike[i][1]) != 0)
      fail_msg("%s is %s", alike[i][0], alike[i][1]);
}

static void test_none(void **state) {
  static const char *const none[] = {"",
                                     "latest",
                                     "1.0-",
                                     "1..2",
                                     "1.0+",
                                     "1.0 ",
                                     "1.0.x",
                                     "1!",
                                     "a1",
                                     "==1",
                                     "1.0rc1x",
                                     "1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1",
                                     "99999999999999999999"};
  struct cul_pep440 out;
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(none); i++)
    if (cul_pep440_parse(none[i], &out))
      fail_msg("\"%s\" is no version", none[i]);
}

static void test_pre(void **state) {
  static const char *const early[] = {"1.0a1", "1.0rc2", "1.0.dev3",
                                      "1.0.post1.dev2"};
  static const char *const final[] = {"1.0", "1.0.post1", "1.0+cu118"};
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(early); i++) {
    struct cul_pep440 out = version(early[i]);
    assert_true(cul_pep440_is_pre(&out));
  }
  for (size_t i = 0; i < CUL_ARRAY_SIZE(final); i++) {
    struct cul_pep440 out = version(final[i]);
    assert_false(cul_pep440_is_pre(&out));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_order),
      cmocka_unit_test(test_spellings),
      cmocka_unit_test(test_none),
      cmocka_unit_test(test_pre),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
