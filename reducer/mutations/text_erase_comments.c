/* Erase comments. */
#include "text_sites.h"

static void sites(struct cul_text *text, struct cul_sites *out) {
  for (uint32_t i = 0; i < text->n_tokens; i++)
    if (text->tokens[i].kind == CUL_TOKEN_COMMENT)
      cul_text_add_range(i, i + 1, out);
}

const struct cul_mutation cul_mutation_text_erase_comments = {
    .name = "text-erase-comments",
    .summary = "erase comments",
    .kinds = CUL_SUBJECT_TEXTS,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_text_frame,
    .how = &(const struct cul_text_each){.list = sites,
                                         .edit_all = cul_text_erase_ranges},
};
