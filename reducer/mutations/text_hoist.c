/* Replace a block by its body: the lines that open and close it go.  Where it
 * has several bodies ("} else {") each can also stay alone.  What a loop of
 * Python counts becomes the first number. */
#include <stdlib.h>
#include <string.h>

#include "../subject/text_ops.h"
#include "text_phi.h"
#include "text_terms.h"

/* detail: the item, and the body that stays alone, + 1; 0: all bodies. */
static void add(struct cul_sites *out, uint32_t item, uint32_t body,
                uint32_t weight) {
  cul_sites_add(out, NULL, cul_text_two(item, body), weight);
}

/* What is known of the items, each in one pass. */
struct census {
  uint32_t *own;    /* item -> tokens of its own lines */
  uint32_t *bodies; /* item -> how many bodies */
  bool *first;      /* item -> it is the first of its body */
};

static void count(const struct cul_text *text, struct census *c) {
  bool *seen = cul_xcalloc(text->n_groups + 1, sizeof *seen);
  c->own = cul_xcalloc(text->n_items + 1, sizeof *c->own);
  c->bodies = cul_xcalloc(text->n_items + 1, sizeof *c->bodies);
  c->first = cul_xcalloc(text->n_items + 1, sizeof *c->first);
  for (size_t i = 0; i < text->n_lines; i++)
    if (text->lines[i].item != CUL_TEXT_NONE)
      c->own[text->lines[i].item] += text->lines[i].n;
  for (size_t i = 0; i < text->n_items; i++) {
    const struct cul_text_item *item = &text->items[i];
    c->first[i] = !seen[item->group];
    seen[item->group] = true;
    if (c->first[i] && item->parent != CUL_TEXT_NONE)
      c->bodies[item->parent]++;
  }
  free(seen);
}

static void sites(struct cul_text *text, struct cul_sites *out) {
  struct census c;
  count(text, &c);
  for (uint32_t i = 0; i < text->n_items; i++)
    /* A block of LLVM IR without its label still is one, under a number. */
    if (c.bodies[i] && !(text->items[i].label && cul_text_is_llvm(text)))
      add(out, i, 0, c.own[i]);
  for (uint32_t i = 0; i < text->n_items; i++) {
    uint32_t parent = text->items[i].parent;
    if (c.first[i] && parent != CUL_TEXT_NONE && c.bodies[parent] > 1)
      add(out, parent, text->items[i].group + 1, c.own[parent]);
  }
  free(c.own);
  free(c.bodies);
  free(c.first);
}

/* A child that stays: where indentation has a meaning, it moves to that of
 * the item. */
static void move_out(struct cul_text *text, uint32_t item, uint32_t child) {
  const struct cul_text_item *it = &text->items[child];
  uint32_t inside = text->lines[it->first].indent;
  uint32_t outside = text->lines[text->items[item].first].indent;
  if (text->lang->indents && inside > outside)
    cul_text_outdent(text, it->first, it->end, inside - outside);
}

/* The list of "for k in range(...):", or of another range: "(". */
static bool find_range(const struct cul_text *text, uint32_t item,
                       uint32_t *open) {
  const struct cul_line *l = &text->lines[text->items[item].first];
  struct cul_bytes called;
  if (!text->lang->indents || l->n < 5 ||
      !cul_text_token_is(text, l->first, "for"))
    return false;
  for (*open = l->first + 1; *open < l->first + l->n; ++*open)
    if (text->tokens[*open].kind == CUL_TOKEN_OPEN &&
        cul_text_is_char(text, *open, '('))
      break;
  if (*open == l->first + l->n || *open < l->first + 4 ||
      !cul_text_token_is(text, l->first + 2, "in"))
    return false;
  called = cul_text_token(text, *open - 1);
  return cul_bytes_end(called, "range");
}

/* What it counts from: one word or number of the header, or 0. */
static char *first_number(const struct cul_text *text, uint32_t open) {
  uint32_t first, end, second, last;
  return cul_text_element(text, open, 1, &second, &last) &&
                 cul_text_element(text, open, 0, &first, &end) &&
                 end == first + 1
             ? cul_text_written(text, first, end, false)
             : cul_xstrdup("0");
}

/* Of "for k in range(...):", k where the body reads it. */
static void fix_counter(struct cul_text *text, uint32_t item) {
  const struct cul_line *l = &text->lines[text->items[item].first];
  uint32_t end = cul_text_item_end(text, item), open, use;
  bool unclear = false;
  char *number, *bracketed;
  if (!find_range(text, item, &open))
    return;
  number = first_number(text, open);
  bracketed = cul_xasprintf("(%s)", number); /* (0).to(...) */
  for (uint32_t from = l->first + l->n;
       (use = cul_text_next_use(text, l->first + 1, from, &end, &unclear)) !=
       CUL_TEXT_NONE;
       from = use + 1)
    cul_text_replace(text, use,
                     cul_text_is_char(text, use + 1, '.') ? bracketed : number);
  free(number);
  free(bracketed);
}

/* Erase the item's own lines, and the bodies that do not stay. */
static bool hoist(struct cul_text *text, uint64_t detail) {
  uint32_t item = cul_text_high(detail), body = (uint32_t)detail;
  const struct cul_text_item *it = &text->items[item];
  bool any = false;
  fix_counter(text, item);
  for (uint32_t line = it->first; line < it->end; line++)
    if (text->lines[line].item == item)
      any |= cul_text_erase_line(text, line);
  for (uint32_t i = item + 1;
       any && i < text->n_items && text->items[i].first < it->end; i++) {
    if (text->items[i].parent != item)
      continue;
    if (body && text->items[i].group != body - 1)
      cul_text_erase_item(text, i);
    else
      move_out(text, item, i);
  }
  return any;
}

const struct cul_mutation cul_mutation_text_hoist = {
    .name = "text-hoist",
    .summary = "replace a block by its body",
    .kinds = CUL_SUBJECT_TEXT,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_text_frame,
    .how = &(const struct cul_text_each){.list = sites, .edit = hoist},
};
