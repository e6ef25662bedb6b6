/* Empty string literals: only the quotes stay. */
#include <string.h>

#include "text_sites.h"

/* Quotes of a string token, and of a name such as @"f": three alike, or one. */
static uint32_t quotes(struct cul_bytes string) {
  if (string.len >= 6 && string.data[0] == string.data[1] &&
      string.data[0] == string.data[2])
    return 3;
  return 1;
}

static void sites(struct cul_text *text, struct cul_sites *out) {
  for (uint32_t i = 0; i < text->n_tokens; i++) {
    struct cul_bytes string = cul_text_token(text, i);
    if (text->tokens[i].kind == CUL_TOKEN_STRING &&
        string.len > 2 * quotes(string))
      cul_sites_add(out, NULL, i, 1);
  }
}

static bool empty(struct cul_text *text, uint64_t token) {
  struct cul_bytes string = cul_text_token(text, (uint32_t)token);
  uint32_t k = 2 * quotes(string);
  char empty[8];
  memset(empty, string.data[0], k);
  empty[k] = '\0';
  return cul_text_replace(text, (uint32_t)token, empty);
}

const struct cul_mutation cul_mutation_text_empty_strings = {
    .name = "text-empty-strings",
    .summary = "empty string literals",
    .kinds = CUL_SUBJECT_TEXTS,
    .phase = CUL_PHASE_FINE,
    .frame = &cul_text_frame,
    .how = &(const struct cul_text_each){.list = sites, .edit = empty},
};
