/* base/mac: HMAC-SHA-256 against the codes of another program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "../../../base/mac.h"

static void expect(const uint8_t *key, const void *data, size_t len,
                   const char *code) {
  char hex[CUL_MAC_HEX];
  struct cul_mac mac;
  cul_mac_init(&mac, key);
  cul_mac_field(&mac, data, len / 2);
  cul_mac_hex(&mac, hex); /* looks, and does not end it */
  cul_mac_field(&mac, (const char *)data + len / 2, len - len / 2);
  cul_mac_hex(&mac, hex);
  assert_string_equal(hex, code);
}

/* The codes are those of Python's hmac over lengths and bytes. */
static void test_codes(void **state) {
  static const struct {
    size_t n;
    const char *code;
  } cases[] = {
      {0, "ff921230177d146ee8401eb82173128410002ba6f997e8e837e804407c8cdd38"},
      {1, "0d2219c087b71f25286d4977c7a566ea16ae0da894671c27f0bab78f138bb3e2"},
      {31, "f862ce63decfd1392ee7c5e054131eec9719829f822ffa9344aac018d3c5ffbd"},
      {32, "49af49d355c09a12cf5e9d78f6beee56e1f1a1e08161fcf650466954b3bab17a"},
      {33, "c47964564aa500d4b7d504f3784dea2862cbfabb49b5da0031d168601d36f5c3"},
      {48, "15789ca5eacc2ef69f9b384d226ef1320ecda228fc77bf1843d54db9bc65fa87"},
      {64, "27e3258e111f02fdd078cb7a5d12c2af00af363335e5aec7e0aef468ba816c99"},
      {1000,
       "6c214103420f70b9963f4320039a2e744cc57ce824f408018bd4bea0ec60fcce"}};
  uint8_t key[CUL_MAC_KEY], data[1000];
  (void)state;
  for (size_t i = 0; i < sizeof key; i++)
    key[i] = (uint8_t)i;
  for (size_t i = 0; i < sizeof data; i++)
    data[i] = (uint8_t)(i * 7);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    expect(key, data, cases[i].n, cases[i].code);
}

static void test_fields(void **state) {
  static const uint8_t key[CUL_MAC_KEY] = {1};
  struct cul_mac a, b;
  char one[CUL_MAC_HEX], other[CUL_MAC_HEX];
  (void)state;
  cul_mac_init(&a, key);
  cul_mac_init(&b, key);
  cul_mac_field(&a, "ab", 2);
  cul_mac_field(&a, "c", 1);
  cul_mac_field(&b, "a", 1);
  cul_mac_field(&b, "bc", 2);
  cul_mac_hex(&a, one);
  cul_mac_hex(&b, other);
  assert_false(cul_mac_equal(one, other));
  assert_true(cul_mac_equal(one, one));
  assert_false(cul_mac_equal("", ""));
  assert_false(cul_mac_equal(one, ""));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_codes),
                                     cmocka_unit_test(test_fields)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
