/* Statements and runs of tokens as sites: see sites.h. */
#include "sites.h"

#include "../../subject/text/language/language.h"

uint32_t cul_text_add_range(uint32_t first, uint32_t end,
                            struct cul_sites *out) {
  return cul_sites_add(out, NULL, (uint64_t)first << 32 | end, end - first);
}

/* ---- items ---- */

/* Add a site for each item with a weight.  Its parent is the innermost site
 * around it, its group the number of its body among those with sites. */
static void add_tree(const struct cul_text *text, const uint32_t *weights,
                     struct cul_sites *out) {
  CUL_HEAP uint32_t *site_of = cul_xreallocarray(NULL, text->n_items + 1, 4);
  CUL_HEAP uint32_t *number = cul_xcalloc(text->n_groups + 1, sizeof *number);
  uint32_t n_groups = 0;
  for (uint32_t i = 0; i < text->n_items; i++) {
    uint32_t parent = text->items[i].parent;
    uint32_t *group = &number[text->items[i].group];
    parent = parent == CUL_TEXT_NONE ? CUL_SITE_NONE : site_of[parent];
    site_of[i] = parent;
    if (!weights[i])
      continue;
    *group = *group ? *group : ++n_groups; /* + 1 */
    site_of[i] = cul_sites_add(out, NULL, i, weights[i]);
    out->items[site_of[i]].parent = parent;
    out->items[site_of[i]].group = *group - 1;
  }
}

void cul_text_add_bodies(const struct cul_text *text, uint32_t part,
                         uint32_t fewest, struct cul_sites *out) {
  CUL_HEAP uint32_t *weights = cul_xcalloc(text->n_items + 1, sizeof *weights);
  for (uint32_t i = 0; i < text->n_items; i++) {
    uint32_t n = 0, weight = 0, k = text->items[i].starts ? i : CUL_TEXT_NONE;
    for (; k != CUL_TEXT_NONE; k = cul_text_sibling(text, k), n++)
      weight += cul_text_item_weight(text, k);
    if (n < fewest || weight < text->n_tokens / part)
      continue;
    for (k = i; k != CUL_TEXT_NONE; k = cul_text_sibling(text, k))
      weights[k] = cul_text_item_weight(text, k);
  }
  add_tree(text, weights, out);
}

/* ---- the frame ---- */

/* Make the innermost range around each range its parent. */
static void nest(struct cul_sites *out) {
  uint32_t top = CUL_SITE_NONE;
  for (uint32_t i = 0; i < out->n; top = i++) {
    while (top != CUL_SITE_NONE &&
           (uint32_t)out->detail[top] <= cul_text_high(out->detail[i]))
      top = out->items[top].parent;
    out->items[i].parent = top;
  }
}

static void add_each(struct cul_text *text, size_t n,
                     uint32_t (*weigh)(struct cul_text *, uint32_t),
                     struct cul_sites *out) {
  for (uint32_t i = 0; i < n; i++) {
    uint32_t weight = weigh(text, i);
    if (weight)
      cul_sites_add(out, NULL, i, weight);
  }
}

/* owns_all: does the language own all lines?  broke_one: has an edit changed
 * tokens of a line that it owns? */
static bool owns_all(const struct cul_text *text) {
  const struct cul_text_language *language = cul_text_language(text);
  for (uint32_t i = 0; language->owns && i < text->n_lines; i++)
    if (!language->owns(text, i))
      return false;
  return language->owns != NULL;
}

static bool broke_one(const struct cul_text *text) {
  const struct cul_text_language *language = cul_text_language(text);
  for (uint32_t i = 0; language->owns && i < text->n_tokens; i++)
    if (!cul_text_is_dead(text, text->tokens[i].line) &&
        (text->tokens[i].dead || text->tokens[i].with) &&
        language->owns(text, text->tokens[i].line))
      return true;
  return false;
}

static void sites(const void *how, struct cul_subject *subject,
                  struct cul_sites *out) {
  const struct cul_text_each *each = how;
  struct cul_text *text = cul_text_settle(subject, each->parts);
  if (text->state.rough != each->parts || (!each->whole && owns_all(text)))
    return;
  if (each->list) {
    each->list(text, out);
    if (each->nested)
      nest(out);
  } else if (each->tokens) {
    add_each(text, text->n_tokens, each->tokens, out);
  } else if (each->items) {
    add_each(text, text->n_items, each->items, out);
  } else {
    CUL_HEAP uint32_t *weights = cul_xcalloc(text->n_items + 1, 4);
    for (uint32_t i = 0; i < text->n_items; i++)
      weights[i] = each->tree(text, i);
    add_tree(text, weights, out);
  }
}

static bool edit_others(const struct cul_text_each *each, struct cul_text *text,
                        const struct cul_sites *sites, uint32_t first,
                        uint32_t last) {
  bool any = false;
  for (uint32_t i = 0; i < sites->n; i++)
    if (i < first || i > last)
      any |= each->edit(text, sites->detail[i]);
  return any;
}

static size_t apply(const void *how, struct cul_subject *subject,
                    const struct cul_sites *sites, const uint32_t *ids,
                    size_t n) {
  const struct cul_text_each *each = how;
  struct cul_text *text = cul_text_of(subject);
  const struct cul_text_language *language = cul_text_language(text);
  size_t applied = 0;
  if (each->keep)
    applied = each->keep(text, sites, ids[0], ids[n - 1]) ? n : 0;
  else if (each->edit_all)
    applied = each->edit_all(text, sites, ids, n);
  else if (each->others)
    applied = edit_others(each, text, sites, ids[0], ids[n - 1]) ? n : 0;
  for (size_t i = 0; each->edit && !each->others && i < n; i++)
    applied += each->edit(text, sites->detail[ids[i]]);
  if (!each->whole && broke_one(text))
    return 0;
  if (each->fixes && language->fix_up)
    language->fix_up(text);
  return applied;
}

const struct cul_mutation_frame cul_text_frame = {.sites = sites,
                                                  .apply = apply};
