/* In what way do two outputs differ: see varied.h. */
#include "varied.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const char *cul_varied_words(enum cul_varied how) {
  static const char *const words[] = {
      [CUL_VARIED_NOT] = "nothing",
      [CUL_VARIED_ORDER] = "the order of lines",
      [CUL_VARIED_NAMES] = "names",
      [CUL_VARIED_NUMBERS] = "numbers",
      [CUL_VARIED_TEXT] = "text",
      [CUL_VARIED_FILES] = "which files are written"};
  return words[how];
}

/* -- lines ----------------------------------------------------------------- */

static int compare_bytes(const void *a, const void *b) {
  const struct cul_bytes *x = a, *y = b;
  size_t n = x->len < y->len ? x->len : y->len;
  int order = n ? memcmp(x->data, y->data, n) : 0;
  return order ? order : (x->len > y->len) - (x->len < y->len);
}

static struct cul_bytes *sorted_lines(struct cul_bytes text, size_t *n) {
  const char *at = text.data, *end = at + text.len;
  struct cul_bytes *lines;
  size_t most = 1;
  for (size_t i = 0; i < text.len; i++)
    most += text.data[i] == '\n';
  lines = cul_xcalloc(most, sizeof *lines);
  for (*n = 0; at < end; ++*n) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    stop = stop ? stop : end;
    lines[*n] = (struct cul_bytes){at, (size_t)(stop - at)};
    at = stop < end ? stop + 1 : end;
  }
  qsort(lines, *n, sizeof *lines, compare_bytes);
  return lines;
}

static bool same_lines(struct cul_bytes a, struct cul_bytes b) {
  size_t n, m;
  struct cul_bytes *x, *y;
  bool same = a.len == b.len;
  if (!same || a.len == 0)
    return same;
  x = sorted_lines(a, &n);
  y = sorted_lines(b, &m);
  same = n == m;
  for (size_t i = 0; i < n && same; i++)
    same = compare_bytes(&x[i], &y[i]) == 0;
  free(x);
  free(y);
  return same;
}

/* -- words ----------------------------------------------------------------- */

enum word { NAME, NUMBER, OTHER };

static bool is_part(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.';
}

/* A number's length at text; 0 where there is none. */
static size_t number_length(struct cul_bytes text) {
  size_t n = 0;
  if (text.len > 2 && text.data[0] == '0' && (text.data[1] | 32) == 'x') {
    for (n = 2; n < text.len && isxdigit((unsigned char)text.data[n]);)
      n++;
    return n;
  }
  while (n < text.len &&
         (isdigit((unsigned char)text.data[n]) || (n && text.data[n] == '.') ||
          (n && (text.data[n] | 32) == 'e' && n + 1 < text.len) ||
          (n && strchr("+-", text.data[n]) && (text.data[n - 1] | 32) == 'e')))
    n++;
  return n;
}

/* Cut the next word off text. */
static enum word next_word(struct cul_bytes *text, struct cul_bytes *word) {
  enum word kind = OTHER;
  char first = text->data[0];
  size_t n = 1;
  if (strchr("%@#!^", first) || isalpha((unsigned char)first) || first == '_') {
    while (n < text->len && is_part(text->data[n]))
      n++;
    kind = n > 1 || isalpha((unsigned char)first) ? NAME : OTHER;
  } else if (isdigit((unsigned char)first)) {
    n = number_length(*text);
    kind = NUMBER;
    if (n < text->len && is_part(text->data[n])) { /* 4xf32 */
      while (n < text->len && is_part(text->data[n]))
        n++;
      kind = NAME;
    }
  }
  *word = (struct cul_bytes){text->data, n};
  text->data += n;
  text->len -= n;
  return kind;
}

/* A name on either side, at the same place. */
struct renaming {
  struct cul_bytes from, to;
};

static int compare_from(const void *a, const void *b) {
  return compare_bytes(&((const struct renaming *)a)->from,
                       &((const struct renaming *)b)->from);
}

static int compare_to(const void *a, const void *b) {
  return compare_bytes(&((const struct renaming *)a)->to,
                       &((const struct renaming *)b)->to);
}

/* Does every name stand for one only, both ways? */
static bool one_to_one(struct renaming *items, size_t n) {
  bool same = true;
  if (n == 0)
    return true;
  qsort(items, n, sizeof *items, compare_from);
  for (size_t i = 1; i < n && same; i++)
    same = compare_from(&items[i - 1], &items[i]) ||
           cul_bytes_equal(items[i - 1].to, items[i].to);
  qsort(items, n, sizeof *items, compare_to);
  for (size_t i = 1; i < n && same; i++)
    same = compare_to(&items[i - 1], &items[i]) ||
           cul_bytes_equal(items[i - 1].from, items[i].from);
  return same;
}

/* What the words that differ are: none but numbers, none but names. */
static enum cul_varied compare_words(struct cul_bytes a, struct cul_bytes b) {
  struct renaming *items = NULL;
  size_t n = 0, cap = 0;
  bool names = true, numbers = true;
  while (a.len && b.len && (names || numbers)) {
    struct cul_bytes x, y;
    enum word left = next_word(&a, &x), right = next_word(&b, &y);
    bool same = left == right && cul_bytes_equal(x, y);
    names = names && (same || (left == NAME && right == NAME));
    numbers = numbers && (same || (left == NUMBER && right == NUMBER));
    if (left != NAME || right != NAME || !names)
      continue;
    if (n == cap) {
      cap = cap ? 2 * cap : 64;
      items = cul_xreallocarray(items, cap, sizeof *items);
    }
    items[n++] = (struct renaming){x, y};
  }
  names = names && one_to_one(items, n);
  free(items);
  if (a.len || b.len || (!names && !numbers))
    return CUL_VARIED_TEXT;
  return numbers ? CUL_VARIED_NUMBERS : CUL_VARIED_NAMES;
}

enum cul_varied cul_varied_texts(struct cul_bytes a, struct cul_bytes b) {
  if (cul_bytes_equal(a, b))
    return CUL_VARIED_NOT;
  if (same_lines(a, b))
    return CUL_VARIED_ORDER;
  return compare_words(a, b);
}

const char *cul_varied_ignored(const char *ignore, size_t i) {
  static const char addresses[] = "0x[0-9a-fA-F]+";
  static const char times[] =
      "\\b[0-9]+(\\.[0-9]+)?(e[-+]?[0-9]+)? ?"
      "(ns|us|ms|s|sec|secs|seconds?|min)\\b"
      "|\\b[0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?\\b";
  if (!ignore || i > 1)
    return NULL;
  if (strcmp(ignore, "addresses,times") == 0 ||
      strcmp(ignore, "times,addresses") == 0)
    return i ? times : addresses;
  if (i)
    return NULL;
  return strcmp(ignore, "addresses") == 0 ? addresses
         : strcmp(ignore, "times") == 0   ? times
                                          : ignore;
}
