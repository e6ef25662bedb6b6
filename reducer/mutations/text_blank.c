/* Normalise white space: blank lines and trailing space, gaps, indentation. */
#include <string.h>

#include "../subject/text.h"
#include "mutation.h"

enum { BLANKS, GAPS, INDENT };

static int sites(struct cul_subject *subject, struct cul_sites *out,
                 struct cul_err *err) {
  const struct cul_text *text = cul_text_settled(subject);
  (void)err;
  cul_sites_add(out, NULL, BLANKS, 1);
  cul_sites_add(out, NULL, GAPS, 1);
  if (!text->lang->indents)
    cul_sites_add(out, NULL, INDENT, 1);
  return 0;
}

static int apply(struct cul_subject *subject, const struct cul_sites *sites,
                 const uint32_t *ids, size_t n, size_t *applied,
                 struct cul_err *err) {
  struct cul_text *text = cul_text_of(subject);
  (void)err;
  for (size_t i = 0; i < n; i++) {
    uint64_t what = sites->detail[ids[i]];
    text->no_blanks |= what == BLANKS;
    text->one_space |= what == GAPS;
    text->no_indent |= what == INDENT;
  }
  text->edited = true;
  *applied += n;
  return 0;
}

const struct cul_mutation cul_mutation_text_blank = {
    .name = "text-blank",
    .summary = "drop blank lines, trailing space, gaps, indentation",
    .kinds = CUL_SUBJECT_TEXTS,
    .phase = CUL_PHASE_FINE,
    .sites = sites,
    .apply = apply,
};
