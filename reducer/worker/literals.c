/* Cut large literals out of a text, and put them back: see literals.h. */
#include "literals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/digest.h"

/* A placeholder is dense_resource<NAME0> for dense<"0x...">, and "NAME0" for a
 * string: NAME0 is the key of a resource that no text has. */
#define NAME "culprit_literal_"
#define DENSE "dense<"
#define RESOURCE "dense_resource<"

/* ---- cutting ---- */

/* A literal found in a text. */
struct found {
  struct cul_bytes whole; /* with what encloses it */
  bool is_dense;
};

static bool ends_with(struct cul_bytes text, size_t at, const char *word) {
  size_t len = strlen(word);
  return at >= len && memcmp(text.data + at - len, word, len) == 0;
}

/* Find the literal whose opening quote is at `at`. */
static bool take(struct cul_bytes text, size_t at, struct found *out) {
  const char *first = text.data + at, *end = text.data + text.len;
  const char *last = memchr(first + 1, '"', (size_t)(end - first - 1));
  if (!last || last - first < CUL_LITERALS_LEAST)
    return false;
  out->is_dense =
      ends_with(text, at, DENSE) && last + 1 < end && last[1] == '>';
  if (out->is_dense)
    first -= sizeof DENSE - 1, last++;
  else if (!ends_with(text, at, ": "))
    return false;
  out->whole = (struct cul_bytes){first, (size_t)(last - first) + 1};
  return true;
}

/* Find the first literal from *at on; *at moves to its end. */
static bool find(struct cul_bytes text, size_t *at, struct found *out) {
  static const char mark[] = "\"0x";
  const char *hit = text.data + *at, *end = text.data + text.len;
  while ((hit = memmem(hit, (size_t)(end - hit), mark, sizeof mark - 1))) {
    if (take(text, (size_t)(hit - text.data), out)) {
      *at = (size_t)(out->whole.data - text.data) + out->whole.len;
      return true;
    }
    hit++;
  }
  return false;
}

static size_t add(struct cul_literals *all, struct cul_bytes literal) {
  for (size_t i = 0; i < all->n; i++)
    if (cul_bytes_equal(all->items[i], literal))
      return i;
  if (all->n == all->cap) {
    all->cap = all->cap ? 2 * all->cap : 16;
    all->items = cul_xreallocarray(all->items, all->cap, sizeof *all->items);
  }
  all->items[all->n] = literal;
  return all->n++;
}

static bool is_worth_it(struct cul_bytes text) {
  size_t at = 0, sum = 0;
  struct found found;
  if (text.len < CUL_LITERALS_LEAST_SUM)
    return false;
  while (sum < CUL_LITERALS_LEAST_SUM && find(text, &at, &found))
    sum += found.whole.len;
  return sum >= CUL_LITERALS_LEAST_SUM &&
         !memmem(text.data, text.len, NAME, sizeof NAME - 1);
}

bool cul_literals_cut(struct cul_bytes text, struct cul_literals *out,
                      struct cul_buf *rest) {
  size_t at = 0, from = 0;
  struct found found;
  if (!is_worth_it(text))
    return false;
  while (find(text, &at, &found)) {
    size_t number = add(out, found.whole);
    cul_buf_add(rest, text.data + from,
                (size_t)(found.whole.data - text.data) - from);
    if (found.is_dense)
      cul_buf_addf(rest, RESOURCE NAME "%zu>", number);
    else
      cul_buf_addf(rest, "\"" NAME "%zu\"", number);
    from = at;
  }
  cul_buf_add(rest, text.data + from, text.len - from);
  return true;
}

/* ---- reading ---- */

/* The literal of the placeholder with NAME at `name`; or NULL.  [*first, *end):
 * the placeholder. */
static const struct cul_bytes *literal_at(const struct cul_literals *all,
                                          struct cul_bytes text, size_t name,
                                          size_t *first, size_t *end) {
  size_t at = name + sizeof NAME - 1, number = 0, digits = 0;
  bool is_dense = ends_with(text, name, RESOURCE);
  for (; at < text.len && text.data[at] >= '0' && text.data[at] <= '9';
       at++, digits++)
    if (number < all->n)
      number = 10 * number + (size_t)(text.data[at] - '0');
  if (digits == 0 || number >= all->n || at == text.len ||
      text.data[at] != (is_dense ? '>' : '"') ||
      (!is_dense && !ends_with(text, name, "\"")) ||
      is_dense != (all->items[number].data[0] != '"'))
    return NULL;
  *first = name - (is_dense ? sizeof RESOURCE - 1 : 1);
  *end = at + 1;
  return &all->items[number];
}

/* Find the next placeholder from r->at on.  *end: its end, where reading goes
 * on.  Returns where it begins, or the end of the text. */
static size_t find_next(struct cul_literals_reader *r, size_t *end) {
  size_t first = r->text.len;
  for (size_t from = r->at; r->literals->n && from < r->text.len;) {
    const char *hit =
        memmem(r->text.data + from, r->text.len - from, NAME, sizeof NAME - 1);
    size_t name = hit ? (size_t)(hit - r->text.data) : r->text.len;
    if (!hit)
      break;
    r->next = literal_at(r->literals, r->text, name, &first, end);
    if (r->next)
      return first;
    from = name + 1;
  }
  return r->text.len;
}

bool cul_literals_read(struct cul_literals_reader *reader,
                       struct cul_bytes *piece) {
  size_t from = reader->at, end = reader->text.len;
  if (reader->next) {
    *piece = *reader->next;
    reader->next = NULL;
    return true;
  }
  if (from == reader->text.len)
    return false;
  *piece = (struct cul_bytes){reader->text.data + from, 0};
  piece->len = find_next(reader, &end) - from;
  reader->at = end;
  return piece->len > 0 || cul_literals_read(reader, piece);
}
