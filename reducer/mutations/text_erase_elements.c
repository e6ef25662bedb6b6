/* Erase elements of lists: what stands between commas inside brackets, with
 * one of the commas; and what follows a comma outside of such brackets. */
#include <stdlib.h>

#include "text_sites.h"

/* Brackets that are open, innermost last; item 0 is the whole text. */
struct level {
  bool is_list;
  uint32_t element; /* the site of the current element, or CUL_SITE_NONE */
  uint32_t group;   /* of its elements, or CUL_TEXT_NONE: none yet */
};

struct walk {
  const struct cul_text *text;
  struct cul_sites *out;
  const bool *is_list; /* OPEN token -> a list with commas */
  struct level *stack;
  size_t n;
  uint32_t n_groups;
};

/* Which brackets are lists: those with a comma right inside, except braces
 * where some line ends without one: these are blocks. */
static bool *find_lists(const struct cul_text *text) {
  bool *is_list = cul_xcalloc(text->n_tokens + 1, sizeof *is_list);
  bool *is_block = cul_xcalloc(text->n_tokens + 1, sizeof *is_block);
  uint32_t *stack = cul_xreallocarray(NULL, text->n_tokens + 1, sizeof *stack);
  size_t n = 0;
  for (uint32_t i = 0; i < text->n_tokens; i++) {
    const struct cul_token *t = &text->tokens[i];
    uint32_t open = n ? stack[n - 1] : CUL_TEXT_NONE;
    bool new_line = i > 0 && t[-1].line != t->line;
    if (t->kind == CUL_TOKEN_CLOSE)
      is_list[open] &= !is_block[open], n--;
    else if (n && new_line && i - 1 != open &&
             cul_text_is_char(text, open, '{') &&
             !cul_text_is_char(text, i - 1, ','))
      is_block[open] = true;
    if (n && cul_text_is_char(text, i, ','))
      is_list[open] = true;
    if (t->kind == CUL_TOKEN_OPEN)
      stack[n++] = i;
  }
  free(is_block);
  free(stack);
  return is_list;
}

static void start_element(struct walk *w, uint32_t i) {
  struct level *top = &w->stack[w->n - 1];
  uint32_t id = cul_sites_add(w->out, NULL, (uint64_t)i << 32, 1);
  if (top->group == CUL_TEXT_NONE)
    top->group = w->n_groups++;
  for (size_t k = w->n - 1; k-- > 0;)
    if (w->stack[k].is_list) {
      w->out->items[id].parent = w->stack[k].element;
      break;
    }
  w->out->items[id].group = top->group;
  top->element = id;
}

static void end_element(struct walk *w, uint32_t end) {
  struct level *top = &w->stack[w->n - 1];
  uint64_t *detail;
  if (top->element == CUL_SITE_NONE)
    return;
  detail = &w->out->detail[top->element];
  w->out->items[top->element].weight = end - (uint32_t)(*detail >> 32);
  *detail |= end;
  top->element = CUL_SITE_NONE;
}

/* A comma outside of lists, and what follows on its line. */
static void add_tail(struct walk *w, uint32_t comma) {
  const struct cul_text *text = w->text;
  const struct cul_line *line = &text->lines[text->tokens[comma].line];
  uint32_t end = comma + 1, id;
  while (end < line->first + line->n && !cul_text_is_any(text, end, ",:=;{") &&
         !cul_text_token_is(text, end, "->") &&
         text->tokens[end].kind != CUL_TOKEN_CLOSE) {
    uint32_t match = text->tokens[end].match;
    end = (match == CUL_TEXT_NONE ? end : match) + 1;
  }
  id = cul_text_add_range(comma, end, w->out);
  w->out->items[id].group = w->n_groups++;
}

static void visit(struct walk *w, uint32_t i) {
  const struct cul_token *t = &w->text->tokens[i];
  struct level *top = &w->stack[w->n - 1];
  if (t->kind == CUL_TOKEN_CLOSE) {
    end_element(w, i);
    w->n--;
    return;
  }
  if (cul_text_is_char(w->text, i, ',')) {
    if (top->is_list)
      end_element(w, i);
    else
      add_tail(w, i);
    return;
  }
  if (top->is_list && top->element == CUL_SITE_NONE)
    start_element(w, i);
  if (t->kind == CUL_TOKEN_OPEN)
    w->stack[w->n++] =
        (struct level){w->is_list[i], CUL_SITE_NONE, CUL_TEXT_NONE};
}

static void sites(struct cul_text *text, struct cul_sites *out) {
  bool *is_list = find_lists(text);
  struct walk w = {.text = text, .out = out, .is_list = is_list};
  w.stack = cul_xreallocarray(NULL, text->n_tokens + 1, sizeof *w.stack);
  w.stack[w.n++] = (struct level){false, CUL_SITE_NONE, CUL_TEXT_NONE};
  for (uint32_t i = 0; i < text->n_tokens; i++)
    visit(&w, i);
  free(w.stack);
  free(is_list);
}

const struct cul_mutation cul_mutation_text_erase_elements = {
    .name = "text-erase-elements",
    .summary = "erase elements of lists with their commas",
    .kinds = CUL_SUBJECT_TEXTS,
    .phase = CUL_PHASE_DELTA,
    CUL_TEXT_EACH(.list = sites, .edit = cul_text_erase_element),
};
