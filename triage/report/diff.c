/* Lines compared by a table of common subsequences: see diff.h. */
#include "diff.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 400, AROUND = 2 };

struct lines {
  struct cul_bytes items[MOST];
  size_t n;
};

/* One line of the result. */
struct edit {
  char sign;
  struct cul_bytes line;
};

static void split(const char *text, struct lines *out) {
  for (out->n = 0; *text && out->n < MOST; out->n++) {
    size_t len = strcspn(text, "\n");
    out->items[out->n] = (struct cul_bytes){text, len};
    text += len + (text[len] == '\n');
  }
}

/* length[i * (b->n + 1) + j]: of what a from i on and b from j on share. */
static uint16_t *table_of(const struct lines *a, const struct lines *b) {
  size_t w = b->n + 1;
  uint16_t *length = cul_xcalloc((a->n + 1) * w, sizeof *length);
  for (size_t i = a->n; i-- > 0;)
    for (size_t j = b->n; j-- > 0;) {
      uint16_t down = length[(i + 1) * w + j], right = length[i * w + j + 1];
      length[i * w + j] = cul_bytes_equal(a->items[i], b->items[j])
                              ? (uint16_t)(length[(i + 1) * w + j + 1] + 1)
                          : down > right ? down
                                         : right;
    }
  return length;
}

static size_t edits_of(const struct lines *a, const struct lines *b,
                       struct edit *out) {
  size_t i = 0, j = 0, n = 0, w = b->n + 1;
  uint16_t *length = table_of(a, b);
  while (i < a->n || j < b->n) {
    if (i < a->n && j < b->n && cul_bytes_equal(a->items[i], b->items[j])) {
      out[n++] = (struct edit){' ', a->items[i]};
      i++;
      j++;
    } else if (j == b->n ||
               (i < a->n && length[(i + 1) * w + j] >= length[i * w + j + 1])) {
      out[n++] = (struct edit){'-', a->items[i++]};
    } else {
      out[n++] = (struct edit){'+', b->items[j++]};
    }
  }
  free(length);
  return n;
}

static bool near_change(const struct edit *edits, size_t n, size_t i) {
  size_t from = i > AROUND ? i - AROUND : 0;
  for (size_t k = from; k < n && k <= i + AROUND; k++)
    if (edits[k].sign != ' ')
      return true;
  return false;
}

void cul_diff(const char *a, const char *b, struct cul_buf *out) {
  struct lines *x = cul_xcalloc(1, sizeof *x), *y = cul_xcalloc(1, sizeof *y);
  struct edit *edits = cul_xcalloc((size_t)2 * MOST, sizeof *edits);
  bool left_out = false;
  size_t n, start = out->len;
  split(a, x);
  split(b, y);
  n = edits_of(x, y, edits);
  for (size_t i = 0; i < n; i++) {
    if (!near_change(edits, n, i)) {
      left_out = true;
      continue;
    }
    if (left_out)
      cul_buf_adds(out, "@\n");
    left_out = false;
    cul_buf_addc(out, edits[i].sign);
    cul_buf_add(out, edits[i].line.data, edits[i].line.len);
    cul_buf_addc(out, '\n');
  }
  if (left_out && out->len > start)
    cul_buf_adds(out, "@\n");
  free(edits);
  free(x);
  free(y);
}
