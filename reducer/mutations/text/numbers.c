/* Numbers become smaller: each 0, 1 or half; a size 1, 2 or half wherever it
 * stands at once. */
#include <stdlib.h>

#include "../language/sites.h"

static bool whole(const struct cul_text *text, uint32_t token,
                  uint64_t *value) {
  return text->tokens[token].kind == CUL_TOKEN_NUMBER &&
         cul_bytes_whole(cul_text_token(text, token), value);
}

/* Is the number a dimension, as the 4 of 4x8xf32?  There 0x8 would be a number
 * of its own. */
static bool is_dimension(const struct cul_text *text, uint32_t token) {
  return text->lang->dimensions && cul_text_token_is(text, token + 1, "x");
}

/* ---- one ---- */

enum { ZERO, ONE, HALF, N_CHOICES };

/* The number after the choice, heap; NULL where that is no smaller text or
 * value. */
static char *shrunk(const struct cul_text *text, uint32_t token, int choice) {
  uint64_t value = 0, smaller;
  if (!whole(text, token, &value))
    return choice != HALF && text->tokens[token].len > 3
               ? cul_xasprintf("%d.0", choice)
               : NULL;
  smaller = choice == HALF ? value / 2 : (uint64_t)choice;
  return smaller < value && (choice != HALF || value >= 4)
             ? cul_xasprintf("%llu", (unsigned long long)smaller)
             : NULL;
}

static void list_numbers(struct cul_text *text, struct cul_sites *out) {
  for (uint32_t i = 0; i < text->n_tokens; i++) {
    uint32_t choice = is_dimension(text, i) ? ONE : ZERO;
    if (text->tokens[i].kind != CUL_TOKEN_NUMBER)
      continue;
    for (; choice < N_CHOICES; choice++) {
      char *with = shrunk(text, i, (int)choice);
      if (with)
        cul_sites_add(out, NULL, cul_text_two(i, choice), 1);
      free(with);
    }
  }
}

static bool shrink_number(struct cul_text *text, uint64_t detail) {
  uint32_t token = cul_text_high(detail);
  char *with = shrunk(text, token, (int)(detail & 3));
  bool done = with && cul_text_replace(text, token, with);
  free(with);
  return done;
}

const struct cul_text_each cul_mutation_text_shrink_numbers = {
    .list = list_numbers, .edit = shrink_number};

/* ---- a size ---- */

/* The 8 of all 4x8xf32, alone or with every other 8, which may be an index, an
 * entry of a list of sizes.  MLIR only: elsewhere sizes are not told from
 * numbers.  detail: the size, which choice, whether other numbers change too.
 */
enum { MOST_SIZES = 64 };

struct found {
  uint64_t size;
  uint32_t in_types, elsewhere; /* how often */
};

static bool is_size(const struct cul_text *text, uint32_t token,
                    uint64_t *size) {
  return whole(text, token, size) && *size > 1 && *size < UINT32_MAX;
}

static struct found *find(struct found *found, size_t n, uint64_t size) {
  for (size_t i = 0; i < n; i++)
    if (found[i].size == size)
      return &found[i];
  return NULL;
}

/* The first sizes of types, in the order in which they stand. */
static size_t collect(const struct cul_text *text, struct found *found) {
  size_t n = 0;
  uint64_t size;
  for (uint32_t i = 0; i < text->n_tokens && n < MOST_SIZES; i++)
    if (is_dimension(text, i) && is_size(text, i, &size) &&
        !find(found, n, size))
      found[n++] = (struct found){.size = size};
  for (uint32_t i = 0; i < text->n_tokens; i++) {
    struct found *f = is_size(text, i, &size) ? find(found, n, size) : NULL;
    if (f && is_dimension(text, i))
      f->in_types++;
    else if (f)
      f->elsewhere++;
  }
  return n;
}

/* 1, 2, or half where that is another one. */
static uint64_t target(uint64_t size, uint32_t choice) {
  return choice == 2 ? size / 2 : choice + 1;
}

static void list_sizes(struct cul_text *text, struct cul_sites *out) {
  struct found found[MOST_SIZES];
  size_t n = text->lang->dimensions ? collect(text, found) : 0;
  for (const struct found *f = found; f < found + n; f++)
    for (uint32_t choice = 0; choice < 3; choice++) {
      uint64_t detail = f->size << 8 | choice << 1;
      if (target(f->size, choice) >= f->size ||
          (choice == 2 && target(f->size, choice) <= 2))
        continue;
      if (f->elsewhere)
        cul_sites_add(out, NULL, detail | 1, f->in_types + f->elsewhere);
      cul_sites_add(out, NULL, detail, f->in_types);
    }
}

static bool shrink_size(struct cul_text *text, uint64_t detail) {
  uint64_t size = detail >> 8, found;
  char *with =
      cul_xasprintf("%llu", (unsigned long long)target(size, detail >> 1 & 3));
  bool done = false;
  for (uint32_t i = 0; i < text->n_tokens; i++)
    if (is_size(text, i, &found) && found == size &&
        ((detail & 1) || is_dimension(text, i)))
      done |= cul_text_replace(text, i, with);
  free(with);
  return done;
}

const struct cul_text_each cul_mutation_text_shrink_dimensions = {
    .list = list_sizes, .edit = shrink_size};
