/* XXH3-128 digests: see digest.h. */
#include "digest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "buf.h"

static struct cul_digest from_hash(XXH128_hash_t hash) {
  return (struct cul_digest){{hash.high64, hash.low64}};
}

struct cul_digest cul_digest_of(const void *data, size_t len) {
  return from_hash(XXH3_128bits(data, len));
}

struct cul_hasher {
  XXH3_state_t *state;
};

struct cul_hasher *cul_hasher_new(void) {
  struct cul_hasher *h = cul_xmalloc(sizeof *h);
  h->state = XXH3_createState();
  if (!h->state)
    cul_no_memory(0);
  XXH3_128bits_reset(h->state);
  return h;
}

void cul_hasher_add(struct cul_hasher *h, const void *data, size_t len) {
  if (len)
    XXH3_128bits_update(h->state, data, len);
}

void cul_hasher_u64(struct cul_hasher *h, uint64_t value) {
  unsigned char bytes[8];
  for (int i = 0; i < 8; i++)
    bytes[i] = (unsigned char)(value >> (8 * i));
  cul_hasher_add(h, bytes, sizeof bytes);
}

void cul_hasher_field(struct cul_hasher *h, const char *text) {
  cul_hasher_u64(h, text ? strlen(text) + 1 : 0);
  if (text)
    cul_hasher_add(h, text, strlen(text));
}

struct cul_digest cul_hasher_finish(struct cul_hasher *h) {
  struct cul_digest digest = from_hash(XXH3_128bits_digest(h->state));
  XXH3_freeState(h->state);
  free(h);
  return digest;
}

bool cul_digest_equal(const struct cul_digest *a, const struct cul_digest *b) {
  return a->w[0] == b->w[0] && a->w[1] == b->w[1];
}

bool cul_digest_is_zero(const struct cul_digest *d) {
  return !d->w[0] && !d->w[1];
}

char *cul_digest_hex(const struct cul_digest *d, char *out) {
  snprintf(out, CUL_DIGEST_HEX, "%016llx%016llx", (unsigned long long)d->w[0],
           (unsigned long long)d->w[1]);
  return out;
}

static int hex_value(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  return -1;
}

bool cul_digest_parse(const char *text, struct cul_digest *out) {
  *out = (struct cul_digest){{0, 0}};
  for (int i = 0; i < 32; i++) {
    int value = hex_value(text[i]);
    if (value < 0)
      return false;
    out->w[i / 16] = out->w[i / 16] << 4 | (uint64_t)value;
  }
  return text[32] == '\0';
}
