/* Make numbers smaller: 0, 1, or half. */
#include <stdio.h>

#include "text_sites.h"

enum { ZERO, ONE, HALF, N_CHOICES };

/* The number after the choice; false where that is no smaller text or value.
 * out: 24 bytes. */
static bool shrink(struct cul_bytes number, int choice, char *out) {
  uint64_t value;
  bool whole = cul_text_whole(number, &value);
  uint64_t smaller = choice == HALF ? value / 2 : (uint64_t)choice;
  if (choice == HALF && (!whole || value < 4))
    return false;
  if (whole && smaller >= value)
    return false;
  if (whole)
    snprintf(out, 24, "%llu", (unsigned long long)smaller);
  else
    snprintf(out, 24, "%d.0", choice);
  return whole || number.len > 3;
}

static void add_choices(const struct cul_text *text, uint32_t token,
                        struct cul_sites *out) {
  char unused[24];
  uint32_t choice = cul_text_is_dimension(text, token) ? ONE : ZERO;
  for (; choice < N_CHOICES; choice++)
    if (shrink(cul_text_token(text, token), (int)choice, unused))
      cul_sites_add(out, NULL, cul_text_two(token, choice), 1);
}

static void sites(struct cul_text *text, struct cul_sites *out) {
  for (uint32_t i = 0; i < text->n_tokens; i++)
    if (text->tokens[i].kind == CUL_TOKEN_NUMBER)
      add_choices(text, i, out);
}

static bool replace(struct cul_text *text, uint64_t detail) {
  uint32_t token = cul_text_high(detail);
  char smaller[24];
  return shrink(cul_text_token(text, token), (int)(detail & 3), smaller) &&
         cul_text_replace(text, token, smaller);
}

const struct cul_mutation cul_mutation_text_shrink_numbers = {
    .name = "text-shrink-numbers",
    .summary = "make numbers 0, 1, or half as large",
    .kinds = CUL_SUBJECT_TEXTS,
    .phase = CUL_PHASE_FINE,
    CUL_TEXT_EACH(.list = sites, .edit = replace),
};
