/* Drop all locations of MLIR at once: "loc(...)" behind statements and
 * arguments, and the lines that define #loc aliases. */
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
  return cul_text_token_is(text, i, "loc") &&
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

static void sites(struct cul_text *text, struct cul_sites *out) {
  uint32_t n = text->lang->dimensions ? each(text, false) : 0;
  if (n)
    cul_sites_add(out, NULL, 0, n);
}

static size_t apply(struct cul_text *text, const struct cul_sites *sites,
                    const uint32_t *ids, size_t n) {
  (void)sites, (void)ids;
  each(text, true);
  return n;
}

const struct cul_mutation cul_mutation_text_strip_locations = {
    .name = "text-strip-locations",
    .summary = "drop all locations of MLIR",
    .kinds = CUL_SUBJECT_TEXTS,
    .phase = CUL_PHASE_DELTA,
    .flags = CUL_MUT_ONCE,
    CUL_TEXT_EACH(.list = sites, .edit_all = apply),
};
