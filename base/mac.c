/* HMAC-SHA-256: see mac.h. */
#include "mac.h"

#include <stdio.h>
#include <string.h>

/* FIPS 180-4, 4.2.2: fractions of the cube roots of the first 64 primes. */
static const uint32_t rounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turned(uint32_t x, int n) { return x >> n | x << (32 - n); }

static uint32_t read_word(const uint8_t *at) {
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 |
         at[3];
}

/* The message schedule, 6.2.2 step 1. */
static void expand(const uint8_t *block, uint32_t w[64]) {
  for (int t = 0; t < 16; t++)
    w[t] = read_word(block + 4 * t);
  for (int t = 16; t < 64; t++) {
    uint32_t a = w[t - 15], b = w[t - 2];
    w[t] = w[t - 16] + (turned(a, 7) ^ turned(a, 18) ^ a >> 3) + w[t - 7] +
           (turned(b, 17) ^ turned(b, 19) ^ b >> 10);
  }
}

static void mix(struct cul_sha *sha) {
  uint32_t w[64], v[8];
  expand(sha->block, w);
  memcpy(v, sha->h, sizeof v);
  for (int t = 0; t < 64; t++) {
    uint32_t e = v[4], a = v[0];
    uint32_t one = v[7] + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) +
                   ((e & v[5]) ^ (~e & v[6])) + rounds[t] + w[t];
    uint32_t two = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) +
                   ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
    memmove(v + 1, v, 7 * sizeof *v);
    v[4] += one;
    v[0] = one + two;
  }
  for (int i = 0; i < 8; i++)
    sha->h[i] += v[i];
}

static void sha_init(struct cul_sha *sha) {
  static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372,
                                    0xa54ff53a, 0x510e527f, 0x9b05688c,
                                    0x1f83d9ab, 0x5be0cd19};
  *sha = (struct cul_sha){0};
  memcpy(sha->h, start, sizeof start);
}

static void sha_add(struct cul_sha *sha, const void *data, size_t len) {
  const uint8_t *at = data;
  while (len) {
    size_t used = sha->n % 64, n = 64 - used < len ? 64 - used : len;
    memcpy(sha->block + used, at, n);
    sha->n += n;
    at += n;
    len -= n;
    if (sha->n % 64 == 0)
      mix(sha);
  }
}

static void sha_finish(struct cul_sha *sha, uint8_t out[CUL_MAC_BYTES]) {
  static const uint8_t end[64] = {0x80};
  uint64_t bits = sha->n * 8;
  uint8_t length[8];
  sha_add(sha, end, 1 + (119 - sha->n % 64) % 64);
  for (int i = 0; i < 8; i++)
    length[i] = (uint8_t)(bits >> (56 - 8 * i));
  sha_add(sha, length, sizeof length);
  for (int i = 0; i < CUL_MAC_BYTES; i++)
    out[i] = (uint8_t)(sha->h[i / 4] >> (24 - 8 * (i % 4)));
}

static void add_key(struct cul_sha *sha, const uint8_t key[64], uint8_t pad) {
  uint8_t block[64];
  for (int i = 0; i < 64; i++)
    block[i] = key[i] ^ pad;
  sha_add(sha, block, sizeof block);
}

void cul_mac_init(struct cul_mac *mac, const uint8_t key[CUL_MAC_KEY]) {
  *mac = (struct cul_mac){0};
  memcpy(mac->key, key, CUL_MAC_KEY);
  sha_init(&mac->inner);
  add_key(&mac->inner, mac->key, 0x36);
}

void cul_mac_add(struct cul_mac *mac, const void *data, size_t len) {
  sha_add(&mac->inner, data, len);
}

void cul_mac_field(struct cul_mac *mac, const void *data, size_t len) {
  uint8_t length[8];
  for (int i = 0; i < 8; i++)
    length[i] = (uint8_t)((uint64_t)len >> (8 * i));
  sha_add(&mac->inner, length, sizeof length);
  sha_add(&mac->inner, data, len);
}

void cul_mac_hex(const struct cul_mac *mac, char *out) {
  struct cul_sha inner = mac->inner, outer;
  uint8_t code[CUL_MAC_BYTES];
  sha_finish(&inner, code);
  sha_init(&outer);
  add_key(&outer, mac->key, 0x5c);
  sha_add(&outer, code, sizeof code);
  sha_finish(&outer, code);
  for (int i = 0; i < CUL_MAC_BYTES; i++)
    snprintf(out + 2 * i, 3, "%02x", code[i]);
}

bool cul_mac_equal(const char *a, const char *b) {
  unsigned differ = 0;
  if (strnlen(a, CUL_MAC_HEX) != CUL_MAC_HEX - 1 ||
      strnlen(b, CUL_MAC_HEX) != CUL_MAC_HEX - 1)
    return false;
  for (int i = 0; i < CUL_MAC_HEX - 1; i++)
    differ |= (unsigned)(a[i] ^ b[i]);
  return differ == 0;
}
