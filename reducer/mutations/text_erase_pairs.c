/* Statements of one body that come in pairs go together (mlir-text). */
#include <stdlib.h>

#include "pairs.h"
#include "text_mend.h"

/* The statements of one body. */
struct list {
  const struct cul_text *text;
  uint32_t *items;
  struct cul_pairs_body body;
  struct cul_sites *out;
};

static void add_pair(void *self, size_t first, size_t last) {
  struct list *list = self;
  uint32_t one = list->items[first], other = list->items[last];
  cul_sites_add(list->out, NULL, cul_text_two(one, other),
                cul_text_item_weight(list->text, one) +
                    cul_text_item_weight(list->text, other));
}

/* The body that begins with the item. */
static void list_body(struct list *list, uint32_t item, const uint32_t *next) {
  const struct cul_text *text = list->text;
  list->body.n = 0;
  for (; item != CUL_TEXT_NONE; item = next[item]) {
    uint32_t op = cul_text_op(text, item);
    struct cul_text_function function;
    if (op == CUL_TEXT_NONE || cul_text_function(text, item, &function) ||
        cul_text_is_terminator(text, text->habits, item))
      continue;
    list->items[list->body.n] = item;
    cul_pairs_add(&list->body, cul_text_token(text, op),
                  op == cul_text_item_first(text, item));
  }
  cul_pairs_find(&list->body, add_pair, list);
}

static void sites(struct cul_text *text, struct cul_sites *out) {
  uint32_t *next = cul_text_next_siblings(text);
  bool *seen = cul_xcalloc(text->n_groups + 1, sizeof *seen);
  struct list list = {.text = text, .out = out};
  list.items = cul_xreallocarray(NULL, text->n_items + 1, sizeof *list.items);
  for (uint32_t i = 0; i < text->n_items; i++) {
    bool *group = &seen[text->items[i].group];
    if (!*group)
      list_body(&list, i, next);
    *group = true;
  }
  cul_pairs_release(&list.body);
  free(list.items);
  free(seen);
  free(next);
}

static bool erase(struct cul_text *text, uint64_t detail) {
  return cul_text_erase_item(text, cul_text_high(detail)) &&
         cul_text_erase_item(text, (uint32_t)detail);
}

const struct cul_mutation cul_mutation_text_erase_pairs = {
    .name = "text-erase-pairs",
    .summary = "erase statements that come in pairs: begin and end",
    .kinds = CUL_SUBJECT_MLIR_TEXT,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_text_frame,
    .how = &(const struct cul_text_each){.list = sites,
                                         .edit = erase,
                                         .mends = true},
};
