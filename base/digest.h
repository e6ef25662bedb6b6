/* Content digests: XXH3-128 (libxxhash), canonical byte order.  No adversary
 * is assumed: a digest names content in a cache that its user owns. */
#ifndef CUL_BASE_DIGEST_H
#define CUL_BASE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cul_digest {
  uint64_t w[2]; /* all zero: none */
};

struct cul_hasher; /* a digest under computation */

/* The digest of a sequence of bytes. */
struct cul_digest cul_digest_of(const void *data, size_t len);

/* Streaming.  new: heap; finish: returns the digest so far and frees the
 * hasher. */
struct cul_hasher *cul_hasher_new(void);
void cul_hasher_add(struct cul_hasher *h, const void *data, size_t len);
/* A field: its length goes in first, so ("ab","c") differs from ("a","bc").
 * text may be NULL, which differs from "". */
void cul_hasher_field(struct cul_hasher *h, const char *text);
void cul_hasher_u64(struct cul_hasher *h, uint64_t value);
struct cul_digest cul_hasher_finish(struct cul_hasher *h);

bool cul_digest_equal(const struct cul_digest *a, const struct cul_digest *b);
bool cul_digest_is_zero(const struct cul_digest *d);

#define CUL_DIGEST_HEX 33 /* 32 hex digits and the terminator */
/* Lower case hex of the canonical form into out[CUL_DIGEST_HEX]; returns out.*/
char *cul_digest_hex(const struct cul_digest *d, char *out);
/* The reverse; false where text is not 32 hex digits. */
bool cul_digest_parse(const char *text, struct cul_digest *out);

#endif
