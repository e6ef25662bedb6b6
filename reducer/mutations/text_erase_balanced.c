/* Erase what stands between brackets, with or without them. */
#include <stdlib.h>

#include "text_sites.h"

/* What is open: the site of what it encloses, and the group of the pairs right
 * inside, or NONE where there is none yet. */
struct level {
  uint32_t site, group;
};

static uint32_t add(struct cul_sites *out, uint32_t first, uint32_t end,
                    uint32_t parent, uint32_t group) {
  uint32_t id = cul_text_add_range(first, end, out);
  out->items[id].parent = parent;
  out->items[id].group = group;
  return id;
}

static void sites(struct cul_text *text, struct cul_sites *out) {
  struct level *top = cul_xreallocarray(NULL, text->n_tokens + 1, sizeof *top);
  struct level *stack = top;
  uint32_t n_groups = 0;
  *top = (struct level){CUL_SITE_NONE, CUL_TEXT_NONE};
  for (uint32_t i = 0; i < text->n_tokens; i++) {
    uint32_t close = text->tokens[i].match, id;
    top -= text->tokens[i].kind == CUL_TOKEN_CLOSE;
    if (text->tokens[i].kind != CUL_TOKEN_OPEN)
      continue;
    if (top->group == CUL_TEXT_NONE)
      top->group = n_groups++;
    id = add(out, i, close + 1, top->site, top->group);
    if (close > i + 1)
      id = add(out, i + 1, close, id, n_groups++);
    *++top = (struct level){id, CUL_TEXT_NONE};
  }
  free(stack);
}

const struct cul_mutation cul_mutation_text_erase_balanced = {
    .name = "text-erase-balanced",
    .summary = "erase what stands between brackets, or with them",
    .kinds = CUL_SUBJECT_TEXTS,
    .phase = CUL_PHASE_DELTA,
    CUL_TEXT_EACH(.list = sites, .edit_all = cul_text_erase_ranges),
};
