/* Erase two or three neighbours on a line, brackets with what they enclose
 * counting as one: what goes only together, such as "?x" or "attributes {}". */
#include "../subject/text_ops.h"
#include "text_sites.h"

enum { FEWEST = 2, MOST = 3 };

static void add_runs(const struct cul_text *text, uint32_t first,
                     struct cul_sites *out) {
  uint32_t line = text->tokens[first].line, end = first;
  for (int n = 1; n <= MOST; n++) {
    if (end >= text->n_tokens || text->tokens[end].line != line ||
        text->tokens[end].kind == CUL_TOKEN_CLOSE)
      return;
    end = cul_text_after(text, end);
    if (n >= FEWEST)
      cul_text_add_range(first, end, out);
  }
}

static void sites(struct cul_text *text, struct cul_sites *out) {
  for (uint32_t i = 0; i < text->n_tokens; i++)
    add_runs(text, i, out);
}

const struct cul_mutation cul_mutation_text_erase_runs = {
    .name = "text-erase-runs",
    .summary = "erase two or three neighbouring tokens or brackets",
    .kinds = CUL_SUBJECT_TEXTS,
    .phase = CUL_PHASE_FINE,
    .frame = &cul_text_frame,
    .how = &(const struct cul_text_each){.list = sites,
                                         .edit_all = cul_text_erase_ranges},
};
