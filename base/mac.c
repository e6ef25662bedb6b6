/* HMAC-SHA-256: see mac.h. */
#include "mac.h"

#include <nettle/base16.h>
#include <nettle/memops.h>
#include <string.h>

void cul_mac_init(struct cul_mac *mac, const uint8_t key[CUL_MAC_KEY]) {
  hmac_sha256_set_key(&mac->hmac, CUL_MAC_KEY, key);
}

void cul_mac_field(struct cul_mac *mac, const void *data, size_t len) {
  uint8_t length[8];
  for (int i = 0; i < 8; i++)
    length[i] = (uint8_t)((uint64_t)len >> (8 * i));
  hmac_sha256_update(&mac->hmac, sizeof length, length);
  hmac_sha256_update(&mac->hmac, len, data);
}

void cul_mac_hex(const struct cul_mac *mac, char *out) {
  struct cul_mac end = *mac;
  uint8_t code[SHA256_DIGEST_SIZE];
  hmac_sha256_digest(&end.hmac, sizeof code, code);
  base16_encode_update(out, sizeof code, code);
  out[CUL_MAC_HEX - 1] = '\0';
}

bool cul_mac_equal(const char *a, const char *b) {
  return strnlen(a, CUL_MAC_HEX) == CUL_MAC_HEX - 1 &&
         strnlen(b, CUL_MAC_HEX) == CUL_MAC_HEX - 1 &&
         memeql_sec(a, b, CUL_MAC_HEX - 1);
}
