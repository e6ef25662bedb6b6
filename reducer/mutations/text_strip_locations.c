/* Drop all locations of MLIR at once: "loc(...)" behind statements and
 * arguments, and the lines that define #loc aliases. */
#include <string.h>

#include "text_sites.h"

static bool is_alias_line(const struct cul_text *text, uint32_t line) {
  const struct cul_line *l = &text->lines[line];
  struct cul_bytes first;
  if (!l->n)
    return false;
  first = cul_text_token(text, l->first);
  return cul_bytes_start(first, "#loc");
}

static bool is_location(const struct cul_text *text, uint32_t i) {
  return cul_text_token_is(text, i, "loc") && i + 1 < text->n_tokens &&
         cul_text_is_char(text, i + 1, '(') &&
         text->tokens[i + 1].match != CUL_TEXT_NONE;
}

/* How many tokens are locations; erased where asked for. */
static uint32_t each(struct cul_text *text, bool erase) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < text->n_lines; i++)
    if (is_alias_line(text, i)) {
      n += text->lines[i].n;
      if (erase)
        cul_text_erase_line(text, i);
    }
  for (uint32_t i = 0; i < text->n_tokens; i++) {
    if (is_alias_line(text, text->tokens[i].line) || !is_location(text, i))
      continue;
    n += text->tokens[i + 1].match + 1 - i;
    if (erase)
      cul_text_erase_tokens(text, i, text->tokens[i + 1].match + 1);
  }
  return n;
}

static int sites(struct cul_subject *subject, struct cul_sites *out,
                 struct cul_err *err) {
  struct cul_text *text = cul_text_settled(subject);
  uint32_t n = text->lang->dimensions ? each(text, false) : 0;
  (void)err;
  if (n)
    cul_sites_add(out, NULL, 0, n);
  return 0;
}

static int apply(struct cul_subject *subject, const struct cul_sites *sites,
                 const uint32_t *ids, size_t n, size_t *applied,
                 struct cul_err *err) {
  (void)sites, (void)ids, (void)err;
  each(cul_text_of(subject), true);
  *applied += n;
  return 0;
}

const struct cul_mutation cul_mutation_text_strip_locations = {
    .name = "text-strip-locations",
    .summary = "drop all locations of MLIR",
    .kinds = CUL_SUBJECT_TEXTS,
    .phase = CUL_PHASE_DELTA,
    .flags = CUL_MUT_ONCE,
    .sites = sites,
    .apply = apply,
};
