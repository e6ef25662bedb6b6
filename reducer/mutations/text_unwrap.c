/* Erase a pair of brackets, what they enclose stays. */
#include "text_sites.h"

static void sites(struct cul_text *text, struct cul_sites *out) {
  for (uint32_t i = 0; i < text->n_tokens; i++)
    if (text->tokens[i].kind == CUL_TOKEN_OPEN)
      cul_sites_add(out, NULL, i, 2);
}

static bool unwrap(struct cul_text *text, uint64_t open) {
  bool any = cul_text_erase_token(text, (uint32_t)open);
  return any | cul_text_erase_token(text, text->tokens[open].match);
}

const struct cul_mutation cul_mutation_text_unwrap = {
    .name = "text-unwrap",
    .summary = "erase a pair of brackets, keep what they enclose",
    .kinds = CUL_SUBJECT_TEXT,
    .phase = CUL_PHASE_FINE,
    .frame = &cul_text_frame,
    .how = &(const struct cul_text_each){.list = sites, .edit = unwrap},
};
