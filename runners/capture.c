/* A head buffer and a tail ring: see capture.h. */
#include "capture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void cul_capture_init(struct cul_capture *c, size_t cap) {
  *c = (struct cul_capture){.cap = cap};
}

/* Append to the ring; seen: bytes that went into it before. */
static void ring_add(struct cul_capture *c, uint64_t seen, const char *data,
                     size_t len) {
  size_t room = c->cap - c->cap / 2;
  if (!c->ring)
    c->ring = cul_xmalloc(room);
  if (len > room) {
    seen += len - room;
    data += len - room;
    len = room;
  }
  while (len) {
    size_t at = (size_t)(seen % room);
    size_t n = len < room - at ? len : room - at;
    memcpy(c->ring + at, data, n);
    seen += n;
    data += n;
    len -= n;
  }
}

void cul_capture_add(struct cul_capture *c, const char *data, size_t len) {
  size_t half = c->cap / 2;
  size_t n = half > c->head.len ? half - c->head.len : 0;
  if (n > len)
    n = len;
  cul_buf_add(&c->head, data, n);
  c->total += n;
  if (len > n)
    ring_add(c, c->total - half, data + n, len - n);
  c->total += len - n;
}

uint64_t cul_capture_take(struct cul_capture *c, struct cul_buf *out) {
  size_t half = c->cap / 2, room = c->cap - half;
  uint64_t rest = c->total - c->head.len;
  uint64_t cut = rest > room ? rest - room : 0;
  size_t at = cut ? (size_t)(rest % room) : 0;

  *out = c->head;
  c->head = (struct cul_buf){0};
  if (cut)
    cul_buf_addf(out, "\n[... %" PRIu64 " bytes cut ...]\n", cut);
  if (cut)
    cul_buf_add(out, c->ring + at, room - at);
  if (rest)
    cul_buf_add(out, c->ring, cut ? at : (size_t)rest);
  cul_capture_release(c);
  return cut;
}

void cul_capture_release(struct cul_capture *c) {
  cul_buf_release(&c->head);
  free(c->ring);
  *c = (struct cul_capture){.cap = c->cap};
}
