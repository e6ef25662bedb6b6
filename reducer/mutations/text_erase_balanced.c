/* Erase what stands between brackets, with or without them. */
#include <stdlib.h>

#include "text_sites.h"

/* Where the walk over the tokens stands. */
struct walk {
  const struct cul_text *text;
  struct cul_sites *out;
  uint32_t *inside; /* OPEN token -> the site of what it encloses */
  uint32_t *group;  /* OPEN token, + 1; 0: the outermost -> group of the pairs
                       right inside, or NONE */
  uint32_t n_groups;
};

static uint32_t add(struct walk *w, uint32_t first, uint32_t end,
                    uint32_t parent, uint32_t group) {
  uint32_t id = cul_text_add_range(first, end, w->out);
  w->out->items[id].parent = parent;
  w->out->items[id].group = group;
  return id;
}

/* The pair opened by token i, right inside the pair opened by `around`. */
static void add_pair(struct walk *w, uint32_t i, uint32_t around) {
  uint32_t close = w->text->tokens[i].match;
  uint32_t *group = &w->group[around == CUL_TEXT_NONE ? 0 : around + 1];
  uint32_t parent = around == CUL_TEXT_NONE ? CUL_SITE_NONE : w->inside[around];
  if (*group == CUL_TEXT_NONE)
    *group = w->n_groups++;
  w->inside[i] = add(w, i, close + 1, parent, *group);
  if (close > i + 1)
    w->inside[i] = add(w, i + 1, close, w->inside[i], w->n_groups++);
}

static void sites(struct cul_text *text, struct cul_sites *out) {
  struct walk w = {.text = text, .out = out};
  uint32_t *stack = cul_xreallocarray(NULL, text->n_tokens + 1, 4), depth = 0;
  w.inside = cul_xreallocarray(NULL, text->n_tokens + 1, 4);
  w.group = cul_xreallocarray(NULL, text->n_tokens + 1, 4);
  for (size_t i = 0; i <= text->n_tokens; i++)
    w.group[i] = CUL_TEXT_NONE;
  for (uint32_t i = 0; i < text->n_tokens; i++) {
    if (text->tokens[i].kind == CUL_TOKEN_CLOSE)
      depth--;
    if (text->tokens[i].kind != CUL_TOKEN_OPEN)
      continue;
    add_pair(&w, i, depth ? stack[depth - 1] : CUL_TEXT_NONE);
    stack[depth++] = i;
  }
  free(w.inside);
  free(w.group);
  free(stack);
}

const struct cul_mutation cul_mutation_text_erase_balanced = {
    .name = "text-erase-balanced",
    .summary = "erase what stands between brackets, or with them",
    .kinds = CUL_SUBJECT_TEXTS,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_text_frame,
    .how = &(const struct cul_text_each){.list = sites,
                                         .edit_all = cul_text_erase_ranges},
};
