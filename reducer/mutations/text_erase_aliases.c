/* Erase all aliases that nothing uses, "#map = ..." and "!t = ...", until none
 * is left; and the file metadata, "{-# ... #-}". */
#include <stdlib.h>

#include "text_mend.h"

/* The line defines an alias: its token, or NONE. */
static uint32_t alias_of(struct cul_text *text, uint32_t line) {
  const struct cul_text_names *names = cul_text_names(text);
  uint32_t first = text->lines[line].first;
  bool is_alias = text->lines[line].n && cul_text_is_alias(text, first) &&
                  names->def[first] == first;
  return is_alias ? first : CUL_TEXT_NONE;
}

static bool is_used(struct cul_text *text, uint32_t alias) {
  const struct cul_text_names *names = cul_text_names(text);
  for (uint32_t u = names->first_use[alias]; u < names->first_use[alias + 1];
       u++)
    if (cul_text_is_live(text, names->uses[u]))
      return true;
  return false;
}

static bool is_metadata(const struct cul_text *text, uint32_t item) {
  uint32_t first = text->lines[text->items[item].first].first;
  return text->items[item].parent == CUL_TEXT_NONE &&
         first + 2 < text->n_tokens && cul_text_is_char(text, first, '{') &&
         cul_text_is_char(text, first + 1, '-') &&
         cul_text_is_char(text, first + 2, '#');
}

/* detail: 0, all unused aliases; else the item of the metadata, + 1. */
static int sites(struct cul_subject *subject, struct cul_sites *out,
                 struct cul_err *err) {
  struct cul_text *text = cul_text_settled(subject);
  uint32_t n = 0;
  (void)err;
  for (uint32_t i = 0; i < text->n_lines; i++) {
    uint32_t alias = alias_of(text, i);
    n += alias != CUL_TEXT_NONE && !is_used(text, alias);
  }
  if (n)
    cul_sites_add(out, NULL, 0, n);
  for (uint32_t i = 0; i < text->n_items; i++)
    if (is_metadata(text, i))
      cul_sites_add(out, NULL, i + 1, cul_text_item_weight(text, i));
  return 0;
}

static bool erase_unused(struct cul_text *text) {
  bool any = false, again = true;
  while (again) {
    again = false;
    for (uint32_t i = 0; i < text->n_lines; i++) {
      uint32_t alias = alias_of(text, i);
      if (alias != CUL_TEXT_NONE && !is_used(text, alias))
        again |= cul_text_erase_line(text, i);
    }
    any |= again;
  }
  return any;
}

static int apply(struct cul_subject *subject, const struct cul_sites *sites,
                 const uint32_t *ids, size_t n, size_t *applied,
                 struct cul_err *err) {
  struct cul_text *text = cul_text_of(subject);
  (void)err;
  for (size_t i = 0; i < n; i++) {
    uint32_t item = (uint32_t)sites->detail[ids[i]];
    *applied += item ? cul_text_erase_item(text, item - 1) : erase_unused(text);
  }
  return 0;
}

const struct cul_mutation cul_mutation_text_erase_aliases = {
    .name = "text-erase-aliases",
    .summary = "erase unused aliases of MLIR, and file metadata",
    .kinds = CUL_SUBJECT_MLIR_TEXT,
    .phase = CUL_PHASE_DELTA,
    .sites = sites,
    .apply = apply,
};
