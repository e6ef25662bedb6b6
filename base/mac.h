/* A message authentication code: HMAC (RFC 2104) with SHA-256 (FIPS 180-4).
 * Other than base/digest, this assumes an adversary who does not know the key.
 */
#ifndef CUL_BASE_MAC_H
#define CUL_BASE_MAC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CUL_MAC_KEY = 32, CUL_MAC_BYTES = 32 };
#define CUL_MAC_HEX 65 /* 64 hex digits and the terminator */

/* A running SHA-256. */
struct cul_sha {
  uint32_t h[8];
  uint64_t n; /* bytes so far */
  uint8_t block[64];
};

/* A running code; plain memory, nothing to release. */
struct cul_mac {
  struct cul_sha inner;
  uint8_t key[64]; /* for the outer hash */
};

void cul_mac_init(struct cul_mac *mac, const uint8_t key[CUL_MAC_KEY]);
void cul_mac_add(struct cul_mac *mac, const void *data, size_t len);
/* A field: its length goes in first, so ("ab","c") differs from ("a","bc"). */
void cul_mac_field(struct cul_mac *mac, const void *data, size_t len);
/* The code of all so far, in lower case hex, into out[CUL_MAC_HEX]; mac can go
 * on. */
void cul_mac_hex(const struct cul_mac *mac, char *out);
/* Compares in a time that tells nothing; texts of CUL_MAC_HEX. */
bool cul_mac_equal(const char *a, const char *b);

#endif
