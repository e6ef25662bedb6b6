/* Captures the output of a tool up to a limit: keeps the beginning and the
 * end. */
#ifndef CUL_RUNNERS_CAPTURE_H
#define CUL_RUNNERS_CAPTURE_H

#include "../base/buf.h"

struct cul_capture {
  size_t cap;          /* bytes kept at most */
  struct cul_buf head; /* up to cap / 2 */
  char *ring;          /* the last cap - cap / 2 of the rest */
  uint64_t total;      /* bytes seen */
};

void cul_capture_init(struct cul_capture *c, size_t cap);
void cul_capture_add(struct cul_capture *c, const char *data, size_t len);
/* Move the text out, with a line that gives the number of bytes cut; returns
 * that number.  The capture is released. */
uint64_t cul_capture_take(struct cul_capture *c, struct cul_buf *out);
void cul_capture_release(struct cul_capture *c);

#endif
