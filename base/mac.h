/* A message authentication code: HMAC with SHA-256 (RFC 2104), by nettle.
 * Unlike base/digest, it withstands an adversary who does not know the key. */
#ifndef CUL_BASE_MAC_H
#define CUL_BASE_MAC_H

#include <nettle/hmac.h>
#include <stdbool.h>
#include <stddef.h>

enum { CUL_MAC_KEY = 32 };
#define CUL_MAC_HEX 65 /* 64 hex digits and the terminator */

/* State of a code under computation; needs no release. */
struct cul_mac {
  struct hmac_sha256_ctx hmac;
};

void cul_mac_init(struct cul_mac *mac, const uint8_t key[CUL_MAC_KEY]);
/* A field: its length goes in first, so ("ab","c") differs from ("a","bc"). */
void cul_mac_field(struct cul_mac *mac, const void *data, size_t len);
/* Write the code of all fields so far, lower case hex, into out[CUL_MAC_HEX];
 * more fields may follow. */
void cul_mac_hex(const struct cul_mac *mac, char *out);
/* Compare two texts of CUL_MAC_HEX bytes in constant time. */
bool cul_mac_equal(const char *a, const char *b);

#endif
