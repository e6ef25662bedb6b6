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

static void split(struct cul_bytes text, struct lines *out) {
  for (out->n = 0; text.len && out->n < MOST; out->n++) {
    const char *end = memchr(text.data, '\n', text.len);
    size_t len = end ? (size_t)(end - text.data) : text.len;
    out->items[out->n] = (struct cul_bytes){text.data, len};
    len += end != NULL;
    text = (struct cul_bytes){text.data + len, text.len - len};
  }
}

/* Where the line begins that is `lines` before the one at `at`. */
static size_t before(const char *text, size_t at, size_t lines) {
  for (; at > 0 && (text[at - 1] != '\n' || lines > 0); at--)
    lines -= text[at - 1] == '\n' && lines > 0;
  return at;
}

/* The start of the lines, whole ones, that a and b do not begin with alike,
 * but for the last AROUND of those that they do. */
static size_t common_start(const char *a, const char *b) {
  size_t n = 0;
  while (a[n] && a[n] == b[n])
    n++;
  if (!a[n] && !b[n])
    return n;
  return before(a, before(a, n, 0), AROUND);
}

/* The same of their ends: how many bytes both end with, behind AROUND lines. */
static size_t common_end(struct cul_bytes a, struct cul_bytes b) {
  size_t n = 0, around = AROUND + 1;
  while (n < a.len && n < b.len &&
         a.data[a.len - n - 1] == b.data[b.len - n - 1])
    n++;
  for (; n > 0 && around > 0; n--)
    around -= a.data[a.len - n] == '\n';
  return n;
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
  size_t from = common_start(a, b), n, start = out->len;
  struct cul_bytes p = {a + from, strlen(a + from)};
  struct cul_bytes q = {b + from, strlen(b + from)};
  size_t tail = common_end(p, q);
  bool left_out = from > 0;
  split((struct cul_bytes){p.data, p.len - tail}, x);
  split((struct cul_bytes){q.data, q.len - tail}, y);
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
  left_out = left_out || tail > 0;
  if (left_out && out->len > start)
    cul_buf_adds(out, "@\n");
  free(edits);
  free(x);
  free(y);
}
