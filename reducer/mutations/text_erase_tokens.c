/* Erase single tokens.  Brackets go in pairs: see text-unwrap. */
#include "text_sites.h"

static void sites(struct cul_text *text, struct cul_sites *out) {
  for (uint32_t i = 0; i < text->n_tokens; i++)
    if (text->tokens[i].match == CUL_TEXT_NONE)
      cul_text_add_range(i, i + 1, out);
}

const struct cul_mutation cul_mutation_text_erase_tokens = {
    .name = "text-erase-tokens",
    .summary = "erase single tokens",
    .kinds = CUL_SUBJECT_TEXT,
    .phase = CUL_PHASE_DELTA,
    .flags = CUL_MUT_LAST,
    .frame = &cul_text_frame,
    .how = &(const struct cul_text_each){.list = sites,
                                         .edit_all = cul_text_erase_ranges},
};
