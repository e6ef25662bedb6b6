/* base/mac: HMAC-SHA-256 against RFC 4231 and codes of another program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "../../base/mac.h"

static void expect(const uint8_t *key, const void *data, size_t len,
                   const char *code) {
  char hex[CUL_MAC_HEX];
  struct cul_mac mac;
  cul_mac_init(&mac, key);
  cul_mac_add(&mac, data, len / 2);
  cul_mac_hex(&mac, hex); /* looks, and does not end it */
  cul_mac_add(&mac, (const char *)data + len / 2, len - len / 2);
  cul_mac_hex(&mac, hex);
  assert_string_equal(hex, code);
}

/* RFC 4231, case 2 (its key, "Jefe", padded with zeros as HMAC does). */
static void test_published(void **state) {
  static const uint8_t key[CUL_MAC_KEY] = "Jefe";
  (void)state;
  expect(key, "what do ya want for nothing?", 28,
         "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

/* Lengths around the ends of a block; the codes are those of Python's hmac. */
static void test_lengths(void **state) {
  static const struct {
    size_t n;
    const char *code;
  } cases[] = {
      {0, "d38b42096d80f45f826b44a9d5607de72496a415d3f4a1a8c88e3bb9da8dc1cb"},
      {1, "e711546e3faad4c7c4aa756bc26cad6abea8241984a0f6b0839c70ca61c4ef88"},
      {54, "437917b1ae116512dd46ba1e75ea0d3f07e2bce612b766bded5837fffc332f1c"},
      {55, "ef3cd5285b72cc9a950e0031eedfca28c93cffdb14ca948f2932fb4d31fd0b7e"},
      {56, "4a0342cdc5a480d2d487b4c69b9611a2b796e8dd9acf8295f92123473098ebdc"},
      {63, "20617142df4ce5c8433f79829f78d9e945ffbbdcb49c9fc822f0840cbc019574"},
      {64, "014883ee52a054030c349a728526f93606a65fddcdc3b48a78c09bd021ba4996"},
      {65, "bc77a01a7e5fbe9fec7062882071ff5d7350a667948b9eea40abb8dcb0b73743"},
      {1000,
       "e2ffe6023ed3c7f11788b879a9539671806f1ae69c3387a39f551b7baac174f1"}};
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
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_published),
                                     cmocka_unit_test(test_lengths),
                                     cmocka_unit_test(test_fields)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
