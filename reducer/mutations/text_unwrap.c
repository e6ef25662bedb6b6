/* Erase a pair of brackets, what they enclose stays. */
#include "text_sites.h"

static int sites(struct cul_subject *subject, struct cul_sites *out,
                 struct cul_err *err) {
  const struct cul_text *text = cul_text_settled(subject);
  (void)err;
  for (uint32_t i = 0; i < text->n_tokens; i++)
    if (text->tokens[i].kind == CUL_TOKEN_OPEN)
      cul_sites_add(out, NULL, i, 2);
  return 0;
}

static bool unwrap(struct cul_text *text, uint64_t open) {
  bool any = cul_text_erase_token(text, (uint32_t)open);
  return any | cul_text_erase_token(text, text->tokens[open].match);
}

static int apply(struct cul_subject *subject, const struct cul_sites *sites,
                 const uint32_t *ids, size_t n, size_t *applied,
                 struct cul_err *err) {
  (void)err;
  return cul_text_each(subject, sites, ids, n, applied, unwrap);
}

const struct cul_mutation cul_mutation_text_unwrap = {
    .name = "text-unwrap",
    .summary = "erase a pair of brackets, keep what they enclose",
    .kinds = CUL_SUBJECT_TEXT,
    .phase = CUL_PHASE_FINE,
    .sites = sites,
    .apply = apply,
};
