/* Erase the definition of a name and, transitively, all statements that use
 * what goes: the text stays one that a strict parser reads.  A use in the
 * header of a block takes the whole block along; a symbol, all its callers. Not
 * of SPIR-V: a type takes all along, a value is better read from elsewhere. */
#include <stdlib.h>

#include "../subject/text_spirv.h"
#include "text_sites.h"

/* The items to erase, and what is left to look at. */
struct closure {
  struct cul_text *text;
  const struct cul_text_names *names;
  bool *taken;
  uint32_t *queue;
  size_t n;
};

static void take(struct closure *c, uint32_t item) {
  if (c->taken[item])
    return;
  c->taken[item] = true;
  c->queue[c->n++] = item;
}

/* Items that use something defined on this line, outside of arguments. */
static void take_users(struct closure *c, uint32_t line) {
  const struct cul_line *l = &c->text->lines[line];
  for (uint32_t i = l->first; i < l->first + l->n; i++) {
    if (c->names->def[i] != i || cul_text_is_alias(c->text, i))
      continue;
    for (uint32_t u = 0, use; cul_text_use(c->text, i, u, &use); u++)
      take(c, cul_text_item_at(c->text, use));
  }
}

static void close_over(struct closure *c, size_t from) {
  for (; from < c->n; from++) {
    const struct cul_text_item *item = &c->text->items[c->queue[from]];
    for (uint32_t line = item->first; line < item->end; line++)
      take_users(c, line);
  }
}

/* Does the first line of the item define a name others can use? */
static bool defines(const struct cul_text *text,
                    const struct cul_text_names *names, uint32_t item) {
  const struct cul_line *l = &text->lines[text->items[item].first];
  for (uint32_t i = l->first; i < l->first + l->n; i++)
    if (names->def[i] == i && names->first_use[i] < names->first_use[i + 1] &&
        !cul_text_is_alias(text, i))
      return true;
  return false;
}

/* A bound of what goes with each item: itself and its users, each with its
 * own bound; users stand behind in the text, mostly. */
static uint32_t *estimate(const struct cul_text *text,
                          const struct cul_text_names *names) {
  uint32_t *weights =
      cul_xreallocarray(NULL, text->n_items + 1, sizeof *weights);
  uint32_t most = (uint32_t)text->n_tokens + 1;
  for (uint32_t i = 0; i < text->n_items; i++)
    weights[i] = cul_text_item_weight(text, i);
  for (uint32_t i = (uint32_t)text->n_items; i-- > 0;) {
    const struct cul_line *l = &text->lines[text->items[i].first];
    for (uint32_t t = l->first; t < l->first + l->n; t++) {
      uint32_t def = names->def[t], item;
      if (def == CUL_TEXT_NONE || def == t || cul_text_is_alias(text, t))
        continue;
      item = cul_text_item_at(text, def);
      if (item < i)
        weights[item] = weights[i] > most - weights[item]
                            ? most
                            : weights[item] + weights[i];
    }
  }
  return weights;
}

static void sites(struct cul_text *text, struct cul_sites *out) {
  const struct cul_text_names *names = cul_text_names(text);
  uint32_t *weights = estimate(text, names);
  for (uint32_t i = 0; i < text->n_items && !cul_text_is_spirv(text); i++)
    if (defines(text, names, i))
      cul_sites_add(out, NULL, i, weights[i]);
  free(weights);
}

static size_t apply(struct cul_text *text, const struct cul_sites *sites,
                    const uint32_t *ids, size_t n) {
  struct closure c = {.text = text, .names = cul_text_names(text)};
  size_t applied = 0;
  c.taken = cul_xcalloc(text->n_items + 1, sizeof *c.taken);
  c.queue = cul_xreallocarray(NULL, text->n_items + 1, sizeof *c.queue);
  for (size_t i = 0; i < n; i++) {
    size_t from = c.n;
    take(&c, (uint32_t)sites->detail[ids[i]]);
    close_over(&c, from);
    applied += c.n > from;
  }
  for (size_t i = 0; i < c.n; i++)
    cul_text_erase_item(text, c.queue[i]);
  free(c.taken);
  free(c.queue);
  return applied;
}

const struct cul_mutation cul_mutation_text_erase_closure = {
    .name = "text-erase-closure",
    .summary = "erase a definition with all statements that use it",
    .kinds = CUL_SUBJECT_TEXTS,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_text_frame,
    .how = &(const struct cul_text_each){.list = sites, .edit_all = apply},
};
