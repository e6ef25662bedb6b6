/* Heat maps of numbers in logs: see heat.h. */
#include "heat.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/tensor/compare.h"

enum { MAX_PART = 64 << 10, MAX_NUMBERS = 1 << 15, MAX_LISTED = 1 << 20 };

/* The words before the numbers of the two sides, the reference first if
 * known. */
static const struct {
  const char *first, *second;
} labels[] = {
    {"expected:\n", "actual:\n"},
    {" x: array(", " y: array("},
    {" ACTUAL: array(", " DESIRED: array("},
};

static const char *find(struct cul_bytes text, size_t from, const char *word) {
  return from < text.len
             ? memmem(text.data + from, text.len - from, word, strlen(word))
             : NULL;
}

static struct cul_bytes part_of(const char *start, const char *end) {
  size_t len = (size_t)(end - start);
  return (struct cul_bytes){start, len <= MAX_PART ? len : 0};
}

/* The end of the next brackets that open at or after `from`; NULL: they do not
 * end soon. */
static const char *brackets_end(struct cul_bytes text, size_t from) {
  int depth = 0;
  for (size_t i = from; i < text.len && i - from < MAX_PART; i++) {
    char c = text.data[i];
    depth += (c == '[') - (c == ']');
    if (c == ']' && depth == 0 &&
        (i + 1 == text.len || text.data[i + 1] != '['))
      return text.data + i + 1;
  }
  return NULL;
}

/* Find lines such as "[5] actual=1, expected=2", with the shape before them. */
static struct cul_bytes find_listed(struct cul_bytes text) {
  const char *at = find(text, 0, "] actual="), *shape = NULL, *next, *end;
  for (size_t from = 0; at; from = (size_t)(next - text.data) + 1) {
    next = find(text, from, "shape=(");
    if (!next || next > at)
      break;
    shape = next;
  }
  if (!shape)
    return (struct cul_bytes){NULL, 0};
  for (next = at; next;
       next = find(text, (size_t)(next - text.data) + 1, "] actual="))
    at = next;
  end = memchr(at, '\n', text.len - (size_t)(at - text.data));
  return part_of(shape, end ? end : text.data + text.len);
}

struct cul_bytes cul_heat_find(struct cul_bytes text) {
  for (size_t i = 0; i < CUL_ARRAY_SIZE(labels); i++) {
    const char *a = find(text, 0, labels[i].first);
    const char *b =
        a ? find(text, (size_t)(a - text.data), labels[i].second) : NULL;
    const char *end =
        b ? brackets_end(text, (size_t)(b - text.data) + 1) : NULL;
    if (end)
      return part_of(a, end);
  }
  return find_listed(text);
}

/* ---- numbers ---- */

/* One side: the numbers in brackets, and their count in the innermost
 * brackets. */
struct side {
  double *values; /* heap */
  size_t n, columns;
};

/* Read the next number; false: there is none. */
static bool take_number(const char **s, const char *end, struct side *out) {
  char word[64], *stop;
  size_t n = 0;
  while (*s + n < end && n < sizeof word - 1 &&
         (isalnum((unsigned char)(*s)[n]) || strchr("+-.", (*s)[n])))
    n++;
  memcpy(word, *s, n);
  word[n] = '\0';
  if (n == 0 || out->n == MAX_NUMBERS)
    return false;
  out->values[out->n] = strtod(word, &stop);
  if (stop == word || (*stop && strcmp(stop, "j") != 0))
    return false;
  out->n++;
  *s += n;
  return true;
}

/* Read a side; false if the brackets contain anything else, such as "...". */
static bool read_side(struct cul_bytes text, struct side *out) {
  const char *s = memchr(text.data, '[', text.len), *end;
  int depth = 0;
  if (!s)
    return false;
  end = text.data + text.len;
  out->values = cul_xcalloc(MAX_NUMBERS, sizeof *out->values);
  while (s < end) {
    if (*s == '[') {
      depth++;
      s++;
    } else if (*s == ']') {
      if (out->n && !out->columns)
        out->columns = out->n;
      s++;
      if (--depth == 0 && (s == end || *s != '['))
        break;
    } else if (isspace((unsigned char)*s) || *s == ',') {
      s++;
    } else if (!take_number(&s, end, out)) {
      return false;
    }
  }
  return out->columns && out->n % out->columns == 0;
}

static struct cul_tensor tensor_of(const struct side *side) {
  struct cul_tensor out = {
      .name = cul_xstrdup(""),
      .dtype = CUL_F64,
      .rank = 2,
      .dims = {side->n / side->columns, side->columns},
      .n = side->n,
      .data = (unsigned char *)side->values,
      .untyped = true,
  };
  return out;
}

static void draw(const struct cul_tensor *got, const struct cul_tensor *want,
                 const struct cul_difference *difference, struct cul_buf *svg,
                 struct cul_buf *words) {
  cul_heatmap_svg(want, difference, svg);
  cul_buf_addf(words, "%llu of %llu are off",
               (unsigned long long)difference->n_fail,
               (unsigned long long)difference->n);
  if (got) {
    cul_buf_adds(words, "; ");
    cul_tensor_pattern(got, want, difference, words);
  }
}

static bool draw_sides(struct cul_bytes a, struct cul_bytes b,
                       struct cul_buf *svg, struct cul_buf *words) {
  const struct cul_tolerance_conf conf = {
      .rtol = -1, .atol = -1, .ulps = -1, .rounding = true};
  struct side want = {0}, got = {0};
  bool ok = read_side(a, &want) && read_side(b, &got) && want.n == got.n &&
            want.columns == got.columns;
  if (ok) {
    struct cul_tensor x = tensor_of(&want), y = tensor_of(&got);
    struct cul_tolerance tolerance = cul_tolerance_of(&conf, &y, &x);
    struct cul_difference difference;
    cul_tensor_compare(&y, &x, &tolerance, &difference);
    ok = difference.n_fail > 0 && difference.off;
    if (ok)
      draw(&y, &x, &difference, svg, words);
    cul_difference_release(&difference);
    free(x.name);
    free(y.name);
  }
  free(want.values);
  free(got.values);
  return ok;
}

/* ---- listed elements ---- */

/* Read a list such as "(16, 128)" or "[3, 4]". */
static size_t take_list(const char *s, const char *end, uint64_t *out,
                        size_t most) {
  size_t n = 0;
  while (s < end && *s != ')' && *s != ']' && n < most) {
    uint64_t value = 0;
    if (!isdigit((unsigned char)*s)) {
      s++;
      continue;
    }
    for (; s < end && isdigit((unsigned char)*s) && value < MAX_LISTED; s++)
      value = value * 10 + (uint64_t)(*s - '0');
    out[n++] = value;
  }
  return n;
}

/* The index of the element that "[5] " or "[0, 5] " at the start of a line
 * names; want->n: none. */
static uint64_t element_of(const char *line, const char *end,
                           const struct cul_tensor *want) {
  uint64_t index[CUL_TENSOR_MAX_RANK], at = 0;
  size_t n = take_list(line, end, index, CUL_TENSOR_MAX_RANK);
  if (n == 1)
    return index[0] < want->n ? index[0] : want->n;
  if (n != want->rank)
    return want->n;
  for (size_t d = 0; d < n; d++)
    at = at * want->dims[d] + index[d];
  return at < want->n ? at : want->n;
}

static bool draw_listed(struct cul_bytes part, struct cul_buf *svg,
                        struct cul_buf *words) {
  const char *s = part.data + strlen("shape=("), *end = part.data + part.len;
  struct cul_tensor want = {.n = 1};
  struct cul_difference difference = {0};
  want.rank = take_list(s, end, want.dims, CUL_TENSOR_MAX_RANK);
  for (size_t d = 0; d < want.rank; d++)
    want.n = want.n > MAX_LISTED ? want.n : want.n * want.dims[d];
  if (!want.rank || !want.n || want.n > MAX_LISTED)
    return false;
  difference.n = want.n;
  difference.off = cul_xcalloc(want.n, 1);
  for (const char *line = s; line && line < end;) {
    const char *nl = memchr(line, '\n', (size_t)(end - line));
    const char *open = memchr(line, '[', (size_t)((nl ? nl : end) - line));
    uint64_t at =
        open && memmem(open, (size_t)((nl ? nl : end) - open), "] actual=", 9)
            ? element_of(open + 1, nl ? nl : end, &want)
            : want.n;
    if (at < want.n && !difference.off[at]) {
      difference.off[at] = 1;
      difference.n_fail++;
    }
    line = nl ? nl + 1 : NULL;
  }
  if (difference.n_fail)
    draw(NULL, &want, &difference, svg, words);
  free(difference.off);
  return difference.n_fail > 0;
}

bool cul_heat_draw(struct cul_bytes part, struct cul_buf *svg,
                   struct cul_buf *words) {
  for (size_t i = 0; i < CUL_ARRAY_SIZE(labels); i++) {
    size_t n = strlen(labels[i].first);
    const char *b;
    if (part.len < n || memcmp(part.data, labels[i].first, n) != 0)
      continue;
    b = find(part, n, labels[i].second);
    return b &&
           draw_sides((struct cul_bytes){part.data, (size_t)(b - part.data)},
                      (struct cul_bytes){b, (size_t)(part.data + part.len - b)},
                      svg, words);
  }
  return part.len > 7 && !memcmp(part.data, "shape=(", 7) &&
         draw_listed(part, svg, words);
}
