/* Erase comments. */
#include "text_sites.h"

static int sites(struct cul_subject *subject, struct cul_sites *out,
                 struct cul_err *err) {
  const struct cul_text *text = cul_text_settled(subject);
  (void)err;
  for (uint32_t i = 0; i < text->n_tokens; i++)
    if (text->tokens[i].kind == CUL_TOKEN_COMMENT)
      cul_text_add_range(i, i + 1, out);
  return 0;
}

const struct cul_mutation cul_mutation_text_erase_comments = {
    .name = "text-erase-comments",
    .summary = "erase comments",
    .kinds = CUL_SUBJECT_TEXTS,
    .phase = CUL_PHASE_DELTA,
    .sites = sites,
    .apply = cul_text_apply_ranges,
};
