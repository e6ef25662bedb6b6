/* Erase all definitions of values that nothing uses, until none is left; of
 * SPIR-V functions, too. */
#include <stdlib.h>

#include "../subject/text_spirv.h"
#include "text_sites.h"

/* Uses of each item's results that are not erased yet. */
struct census {
  struct cul_text *text;
  const struct cul_text_names *names;
  uint32_t *uses; /* item -> uses of its results; CUL_TEXT_NONE: no results */
};

/* What is only said of a name goes with it; but of a function, that it is the
 * one to begin with. */
static bool is_said(const struct census *c, uint32_t t) {
  const struct cul_text *text = c->text;
  uint32_t line = text->tokens[t].line;
  return cul_text_is_spirv(text) &&
         cul_text_spirv_target(text, line) != CUL_TEXT_NONE &&
         !(cul_text_token_is(text, text->lines[line].first, "OpEntryPoint") &&
           cul_text_spirv_function(text, text->tokens[c->names->def[t]].line) >
               0);
}

/* The item whose result token t uses, or CUL_TEXT_NONE. */
static uint32_t used_item(const struct census *c, uint32_t t) {
  uint32_t def = c->names->def[t], item;
  if (def == CUL_TEXT_NONE || def == t || is_said(c, t))
    return CUL_TEXT_NONE;
  item = cul_text_item_at(c->text, def);
  return c->uses[item] == CUL_TEXT_NONE ? CUL_TEXT_NONE : item;
}

/* "%r = ...", or an instruction of PTX that is the first to write a register.
 */
static bool has_results(const struct census *c, uint32_t line) {
  const struct cul_line *l = &c->text->lines[line];
  uint32_t end;
  /* What is not in a function has no other effect. */
  if (cul_text_is_spirv(c->text))
    return cul_text_results(c->text, line, &end) &&
           c->text->items[l->item].parent == CUL_TEXT_NONE;
  if (cul_text_starts(c->text, l->first, '%'))
    return cul_text_results(c->text, line, &end);
  for (uint32_t i = l->first; i < l->first + l->n; i++)
    if (cul_text_is_register(c->text, i) && c->names->def[i] == i)
      return true;
  return false;
}

static void count(struct census *c) {
  const struct cul_text *text = c->text;
  c->uses = cul_xreallocarray(NULL, text->n_items + 1, sizeof *c->uses);
  for (uint32_t i = 0; i < text->n_items; i++) {
    uint32_t line = text->items[i].first;
    c->uses[i] =
        text->lines[line].n && has_results(c, line) ? 0 : CUL_TEXT_NONE;
  }
  for (uint32_t t = 0; t < text->n_tokens; t++) {
    uint32_t item = used_item(c, t);
    if (item != CUL_TEXT_NONE)
      c->uses[item]++;
  }
}

/* Take back the uses that are made on the item's lines. */
static void forget(struct census *c, uint32_t item) {
  const struct cul_text_item *it = &c->text->items[item];
  uint32_t end = cul_text_first_token(c->text, it->end);
  for (uint32_t t = cul_text_first_token(c->text, it->first); t < end; t++) {
    uint32_t other = used_item(c, t);
    if (other != CUL_TEXT_NONE && !c->text->lines[c->text->tokens[t].line].dead)
      c->uses[other]--;
  }
}

/* Users stand behind what they use: one walk from the end finds all. */
static size_t erase_unused(struct census *c) {
  size_t n = 0;
  for (uint32_t i = (uint32_t)c->text->n_items; i-- > 0;)
    if (c->uses[i] == 0 && !c->text->lines[c->text->items[i].first].dead) {
      forget(c, i);
      cul_text_erase_item(c->text, i);
      n++;
    }
  return n;
}

static void sites(struct cul_text *text, struct cul_sites *out) {
  struct census c = {.text = text};
  uint32_t weight = 0;
  c.names = cul_text_names(c.text);
  count(&c);
  for (uint32_t i = 0; i < c.text->n_items; i++)
    if (c.uses[i] == 0)
      weight += cul_text_item_weight(c.text, i);
  free(c.uses);
  if (weight)
    cul_sites_add(out, NULL, 0, weight);
}

static size_t apply(struct cul_text *text, const struct cul_sites *sites,
                    const uint32_t *ids, size_t n) {
  struct census c = {.text = text, .names = cul_text_names(text)};
  (void)sites, (void)ids;
  count(&c);
  n = erase_unused(&c) ? n : 0;
  free(c.uses);
  return n;
}

const struct cul_mutation cul_mutation_text_erase_unused = {
    .name = "text-erase-unused",
    .summary = "erase all definitions of values that nothing uses",
    .kinds = CUL_SUBJECT_TEXTS,
    .phase = CUL_PHASE_DELTA,
    .flags = CUL_MUT_ONCE,
    .frame = &cul_text_frame,
    .how = &(const struct cul_text_each){.list = sites, .edit_all = apply},
};
