/* Erase single tokens.  Brackets go in pairs: see text-unwrap. */
#include "text_sites.h"

static int sites(struct cul_subject *subject, struct cul_sites *out,
                 struct cul_err *err) {
  const struct cul_text *text = cul_text_settled(subject);
  (void)err;
  for (uint32_t i = 0; i < text->n_tokens; i++)
    if (text->tokens[i].match == CUL_TEXT_NONE)
      cul_text_add_range(i, i + 1, out);
  return 0;
}

const struct cul_mutation cul_mutation_text_erase_tokens = {
    .name = "text-erase-tokens",
    .summary = "erase single tokens",
    .kinds = CUL_SUBJECT_TEXT,
    .phase = CUL_PHASE_DELTA,
    .flags = CUL_MUT_LAST,
    .sites = sites,
    .apply = cul_text_apply_ranges,
};
