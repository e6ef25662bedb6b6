/* Line diff: splits at lines that occur once on both sides, then uses a table
 * of common subsequences; see diff.h. */
#include "diff.h"

#include <stdlib.h>
#include <string.h>

/* The most lines of a part that is compared by a table; the deepest nesting of
 * splits; context lines around a change. */
enum { MOST = 400, DEEPEST = 24, AROUND = 2 };

/* One line of the result. */
struct edit {
  char sign;
  struct cul_bytes line;
};

/* Both texts as lines, and the edits found. */
struct comparison {
  struct cul_bytes *a, *b;
  size_t n_a, n_b;
  struct edit *edits;
  size_t n;
};

/* The lines [a, a_end) and [b, b_end). */
struct part {
  size_t a, a_end, b, b_end;
};

static size_t split(struct cul_bytes text, struct cul_bytes **out) {
  size_t n = 0, cap = 0;
  *out = NULL;
  while (text.len) {
    const char *end = memchr(text.data, '\n', text.len);
    size_t len = end ? (size_t)(end - text.data) : text.len;
    *out = cul_xgrow(*out, n, &cap, sizeof **out);
    (*out)[n++] = (struct cul_bytes){text.data, len};
    len += end != NULL;
    text = (struct cul_bytes){text.data + len, text.len - len};
  }
  return n;
}

/* The start of the line that is `lines` lines before the one that contains
 * `at`. */
static size_t before(const char *text, size_t at, size_t lines) {
  for (; at > 0 && (text[at - 1] != '\n' || lines > 0); at--)
    lines -= text[at - 1] == '\n' && lines > 0;
  return at;
}

/* The length of the common prefix of a and b in whole lines, without its last
 * AROUND lines. */
static size_t common_start(const char *a, const char *b) {
  size_t n = 0;
  while (a[n] && a[n] == b[n])
    n++;
  if (!a[n] && !b[n])
    return n;
  return before(a, before(a, n, 0), AROUND);
}

/* The length of the common suffix in bytes, without its first AROUND lines. */
static size_t common_end(struct cul_bytes a, struct cul_bytes b) {
  size_t n = 0, around = AROUND + 1;
  while (n < a.len && n < b.len &&
         a.data[a.len - n - 1] == b.data[b.len - n - 1])
    n++;
  for (; n > 0 && around > 0; n--)
    around -= a.data[a.len - n] == '\n';
  return n;
}

static void tell(struct comparison *c, char sign, struct cul_bytes line) {
  c->edits[c->n++] = (struct edit){sign, line};
}

/* ---- small parts ---- */

/* length[i * (m + 1) + j]: the longest common subsequence of the part's lines
 * from i and from j on. */
static uint16_t *table_of(const struct comparison *c, const struct part *part) {
  size_t n = part->a_end - part->a, m = part->b_end - part->b, w = m + 1;
  uint16_t *length = cul_xcalloc((n + 1) * w, sizeof *length);
  for (size_t i = n; i-- > 0;)
    for (size_t j = m; j-- > 0;) {
      uint16_t down = length[(i + 1) * w + j], right = length[i * w + j + 1];
      length[i * w + j] = cul_bytes_equal(c->a[part->a + i], c->b[part->b + j])
                              ? (uint16_t)(length[(i + 1) * w + j + 1] + 1)
                          : down > right ? down
                                         : right;
    }
  return length;
}

static void compare_by_table(struct comparison *c, const struct part *part) {
  size_t n = part->a_end - part->a, m = part->b_end - part->b, w = m + 1;
  const struct cul_bytes *a = c->a + part->a, *b = c->b + part->b;
  uint16_t *length = table_of(c, part);
  size_t i = 0, j = 0;
  while (i < n || j < m) {
    if (i < n && j < m && cul_bytes_equal(a[i], b[j])) {
      tell(c, ' ', a[i]);
      i++;
      j++;
    } else if (j == m ||
               (i < n && length[(i + 1) * w + j] >= length[i * w + j + 1])) {
      tell(c, '-', a[i++]);
    } else {
      tell(c, '+', b[j++]);
    }
  }
  free(length);
}

/* ---- large parts ---- */

/* A line of either side, to be sorted. */
struct mark {
  struct cul_bytes line;
  size_t at;
  bool of_b;
};

/* A line that occurs exactly once on each side. */
struct anchor {
  size_t a, b;
  size_t before; /* in the longest rising row that ends here: the preceding
                    anchor plus 1; 0: none */
};

static int by_line(const void *x, const void *y) {
  const struct mark *p = x, *q = y;
  size_t n = p->line.len < q->line.len ? p->line.len : q->line.len;
  int order = memcmp(p->line.data, q->line.data, n);
  return order ? order
               : (p->line.len > q->line.len) - (p->line.len < q->line.len);
}

static int by_place(const void *x, const void *y) {
  const struct anchor *p = x, *q = y;
  return (p->a > q->a) - (p->a < q->a);
}

/* All anchors of the part, in the order of a; heap. */
static struct anchor *anchors_of(const struct comparison *c,
                                 const struct part *part, size_t *n) {
  size_t n_a = part->a_end - part->a, n_b = part->b_end - part->b;
  size_t all = n_a + n_b, next;
  struct mark *marks = cul_xcalloc(all, sizeof *marks);
  struct anchor *out = cul_xcalloc(n_a < n_b ? n_a : n_b, sizeof *out);
  for (size_t i = 0; i < n_a; i++)
    marks[i] = (struct mark){c->a[part->a + i], part->a + i, false};
  for (size_t i = 0; i < n_b; i++)
    marks[n_a + i] = (struct mark){c->b[part->b + i], part->b + i, true};
  qsort(marks, all, sizeof *marks, by_line);
  *n = 0;
  for (size_t i = 0; i < all; i = next) {
    for (next = i + 1; next < all && by_line(&marks[i], &marks[next]) == 0;)
      next++;
    if (next == i + 2 && marks[i].of_b != marks[i + 1].of_b)
      out[(*n)++] = (struct anchor){marks[i + marks[i].of_b].at,
                                    marks[i + !marks[i].of_b].at, 0};
  }
  free(marks);
  if (*n)
    qsort(out, *n, sizeof *out, by_place);
  return out;
}

/* Keep the longest row of anchors that rises on both sides (patience sorting);
 * returns its length. */
static size_t keep_rising(struct anchor *anchors, size_t n) {
  size_t *ends = cul_xcalloc(n, sizeof *ends), longest = 0, at;
  struct anchor *row;
  for (size_t i = 0; i < n; i++) {
    size_t low = 0, high = longest;
    while (low < high) {
      size_t middle = (low + high) / 2;
      if (anchors[ends[middle]].b < anchors[i].b)
        low = middle + 1;
      else
        high = middle;
    }
    anchors[i].before = low ? ends[low - 1] + 1 : 0;
    ends[low] = i;
    longest += low == longest;
  }
  row = cul_xcalloc(longest, sizeof *row);
  at = ends[longest - 1];
  for (size_t k = longest; k-- > 0; at = anchors[at].before - 1)
    row[k] = anchors[at];
  memcpy(anchors, row, longest * sizeof *row);
  free(row);
  free(ends);
  return longest;
}

static void tell_replaced(struct comparison *c, const struct part *part) {
  for (size_t i = part->a; i < part->a_end; i++)
    tell(c, '-', c->a[i]);
  for (size_t i = part->b; i < part->b_end; i++)
    tell(c, '+', c->b[i]);
}

static void compare(struct comparison *c, struct part part, int depth);

/* Compare the parts between anchors, each by itself. */
static void compare_by_anchors(struct comparison *c, struct part part,
                               int depth) {
  size_t n;
  struct anchor *anchors = anchors_of(c, &part, &n);
  if (n == 0 || depth == DEEPEST) {
    free(anchors);
    tell_replaced(c, &part);
    return;
  }
  n = keep_rising(anchors, n);
  for (size_t i = 0; i <= n; i++) {
    struct part between = {part.a, i < n ? anchors[i].a : part.a_end, part.b,
                           i < n ? anchors[i].b : part.b_end};
    compare(c, between, depth + 1);
    if (i == n)
      break;
    tell(c, ' ', c->a[anchors[i].a]);
    part.a = anchors[i].a + 1;
    part.b = anchors[i].b + 1;
  }
  free(anchors);
}

static void compare(struct comparison *c, struct part part, int depth) {
  size_t end_a, end_b;
  for (; part.a < part.a_end && part.b < part.b_end &&
         cul_bytes_equal(c->a[part.a], c->b[part.b]);
       part.a++, part.b++)
    tell(c, ' ', c->a[part.a]);
  end_a = part.a_end;
  end_b = part.b_end;
  while (part.a < part.a_end && part.b < part.b_end &&
         cul_bytes_equal(c->a[part.a_end - 1], c->b[part.b_end - 1])) {
    part.a_end--;
    part.b_end--;
  }
  if (part.a == part.a_end || part.b == part.b_end)
    tell_replaced(c, &part);
  else if (part.a_end - part.a <= MOST && part.b_end - part.b <= MOST)
    compare_by_table(c, &part);
  else
    compare_by_anchors(c, part, depth);
  for (part.a = part.a_end, part.b = part.b_end;
       part.a < end_a && part.b < end_b; part.a++, part.b++)
    tell(c, ' ', c->a[part.a]);
}

/* ---- output ---- */

static bool near_change(const struct edit *edits, size_t n, size_t i) {
  size_t from = i > AROUND ? i - AROUND : 0;
  for (size_t k = from; k < n && k <= i + AROUND; k++)
    if (edits[k].sign != ' ')
      return true;
  return false;
}

static void add_edits(const struct comparison *c, bool left_out, bool more,
                      struct cul_buf *out) {
  size_t start = out->len;
  for (size_t i = 0; i < c->n; i++) {
    if (!near_change(c->edits, c->n, i)) {
      left_out = true;
      continue;
    }
    if (left_out)
      cul_buf_adds(out, "@\n");
    left_out = false;
    cul_buf_addc(out, c->edits[i].sign);
    cul_buf_add(out, c->edits[i].line.data, c->edits[i].line.len);
    cul_buf_addc(out, '\n');
  }
  if ((left_out || more) && out->len > start)
    cul_buf_adds(out, "@\n");
}

void cul_diff(const char *a, const char *b, struct cul_buf *out) {
  struct comparison c = {.n = 0};
  size_t from = common_start(a, b);
  struct cul_bytes p = {a + from, strlen(a + from)};
  struct cul_bytes q = {b + from, strlen(b + from)};
  size_t tail = common_end(p, q);
  c.n_a = split((struct cul_bytes){p.data, p.len - tail}, &c.a);
  c.n_b = split((struct cul_bytes){q.data, q.len - tail}, &c.b);
  c.edits = cul_xcalloc(c.n_a + c.n_b + 1, sizeof *c.edits);
  compare(&c, (struct part){0, c.n_a, 0, c.n_b}, 0);
  add_edits(&c, from > 0, tail > 0, out);
  free(c.edits);
  free(c.a);
  free(c.b);
}
