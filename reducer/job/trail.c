/* The texts that a search has accepted: see trail.h. */
#include "trail.h"

#include <stdlib.h>

/* Drop every other text, but not the first or the last. */
static void thin_out(struct cul_trail *trail) {
  size_t kept = 0;
  trail->bytes = 0;
  for (size_t i = 0; i < trail->n; i++) {
    if (i % 2 && i + 1 < trail->n) {
      cul_buf_release(&trail->texts[i]);
      continue;
    }
    trail->bytes += trail->texts[i].len;
    trail->texts[kept++] = trail->texts[i];
  }
  trail->n = kept;
}

void cul_trail_add(struct cul_trail *trail, const struct cul_pieces *text) {
  struct cul_buf *last;
  if (cul_pieces_len(text) > CUL_TRAIL_MOST)
    return;
  trail->texts =
      cul_xreallocarray(trail->texts, trail->n + 1, sizeof *trail->texts);
  last = &trail->texts[trail->n++];
  *last = (struct cul_buf){0};
  cul_pieces_copy(text, last);
  trail->bytes += last->len;
  while (trail->bytes > CUL_TRAIL_MOST && trail->n > 2)
    thin_out(trail);
}

void cul_trail_cut(struct cul_trail *trail, size_t n) {
  while (trail->n > n) {
    struct cul_buf *last = &trail->texts[--trail->n];
    trail->bytes -= last->len;
    cul_buf_release(last);
  }
  if (n == 0) {
    free(trail->texts);
    trail->texts = NULL;
  }
}
