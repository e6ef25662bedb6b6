/* A size to 1, 2 or half wherever it stands in the text at once: the 8 of all
 * 4x8xf32, alone or with every other 8, which may be an index, an entry of a
 * list of sizes.  MLIR only: elsewhere sizes are not told from numbers. */
#include <stdlib.h>

#include "text_sites.h"

/* detail: the size, which choice, whether other numbers change too. */
enum { N_CHOICES = 3, MOST_SIZES = 64 };

struct found {
  uint64_t size;
  uint32_t in_types, elsewhere; /* how often */
};

static bool is_size(const struct cul_text *text, uint32_t token,
                    uint64_t *size) {
  return text->tokens[token].kind == CUL_TOKEN_NUMBER &&
         cul_text_whole(cul_text_token(text, token), size) && *size > 1 &&
         *size < UINT32_MAX;
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
    if (cul_text_is_dimension(text, i) && is_size(text, i, &size) &&
        !find(found, n, size))
      found[n++] = (struct found){.size = size};
  for (uint32_t i = 0; i < text->n_tokens; i++) {
    struct found *f = is_size(text, i, &size) ? find(found, n, size) : NULL;
    if (f && cul_text_is_dimension(text, i))
      f->in_types++;
    else if (f)
      f->elsewhere++;
  }
  return n;
}

static uint64_t target(uint64_t size, uint32_t choice) {
  return choice == 2 ? size / 2 : choice + 1;
}

static void sites(struct cul_text *text, struct cul_sites *out) {
  struct found found[MOST_SIZES];
  size_t n = text->lang->dimensions ? collect(text, found) : 0;
  for (size_t i = 0; i < n; i++)
    for (uint32_t choice = 0; choice < N_CHOICES; choice++) {
      const struct found *f = &found[i];
      uint64_t detail = f->size << 8 | choice << 1;
      if (target(f->size, choice) >= f->size ||
          (choice == 2 && target(f->size, choice) <= 2))
        continue;
      if (f->elsewhere)
        cul_sites_add(out, NULL, detail | 1, f->in_types + f->elsewhere);
      cul_sites_add(out, NULL, detail, f->in_types);
    }
}

static bool shrink(struct cul_text *text, uint64_t detail) {
  uint64_t size = detail >> 8, found;
  char *with =
      cul_xasprintf("%llu", (unsigned long long)target(size, detail >> 1 & 3));
  bool done = false;
  for (uint32_t i = 0; i < text->n_tokens; i++)
    if (is_size(text, i, &found) && found == size &&
        ((detail & 1) || cul_text_is_dimension(text, i)))
      done |= cul_text_replace(text, i, with);
  free(with);
  return done;
}

const struct cul_mutation cul_mutation_text_shrink_dimensions = {
    .name = "text-shrink-dimensions",
    .summary = "a size to 1, 2 or half, wherever it stands at once",
    .kinds = CUL_SUBJECT_TEXTS,
    .phase = CUL_PHASE_DELTA,
    .flags = CUL_MUT_NUMBERS | CUL_MUT_LAST,
    CUL_TEXT_EACH(.list = sites, .edit = shrink),
};
