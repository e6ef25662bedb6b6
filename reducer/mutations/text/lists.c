/* Elements of lists: what stands between commas inside brackets, with one of
 * the commas; and what follows a comma outside of such brackets.  Each alone,
 * or wherever a name is one. */
#include <stdlib.h>

#include "../../subject/text/ops.h"
#include "../language/declarations.h"
#include "../language/sites.h"

/* ---- each ---- */

/* Which brackets are lists, per token: those with a comma right inside, except
 * braces where some line ends without one: these are blocks.  Heap. */
static bool *find_lists(const struct cul_text *text, const uint32_t *around) {
  bool *is_list = cul_xcalloc(text->n_tokens + 1, sizeof *is_list);
  bool *is_block = cul_xcalloc(text->n_tokens + 1, sizeof *is_block);
  for (uint32_t i = 0; i < text->n_tokens; i++) {
    const struct cul_token *t = &text->tokens[i];
    uint32_t open = around[i];
    if (open == CUL_TEXT_NONE || t->kind == CUL_TOKEN_CLOSE)
      continue;
    is_block[open] |= t[-1].line != t->line && i - 1 != open &&
                      cul_text_is_char(text, open, '{') &&
                      !cul_text_is_char(text, i - 1, ',');
    is_list[open] |= cul_text_is_char(text, i, ',');
  }
  for (uint32_t i = 0; i < text->n_tokens; i++)
    is_list[i] &= !is_block[i];
  free(is_block);
  return is_list;
}

/* Behind what follows a comma outside of lists, on its line. */
static uint32_t end_of_tail(const struct cul_text *text, uint32_t comma) {
  uint32_t end = comma + 1, line_end = cul_text_line_end(text, comma);
  while (end < line_end && !cul_text_is_any(text, end, ",:=;{") &&
         !cul_text_token_is(text, end, "->") &&
         text->tokens[end].kind != CUL_TOKEN_CLOSE)
    end = cul_text_after(text, end);
  return end;
}

static uint32_t end_of_element(const struct cul_text *text, uint32_t i,
                               uint32_t open) {
  while (i < text->tokens[open].match && !cul_text_is_char(text, i, ','))
    i = cul_text_after(text, i);
  return i;
}

static void list_elements(struct cul_text *text, struct cul_sites *out) {
  uint32_t *around = cul_text_brackets(text);
  bool *is_list = find_lists(text, around);
  for (uint32_t i = 0; i < text->n_tokens; i++) {
    uint32_t open = around[i];
    bool inside = open != CUL_TEXT_NONE && is_list[open];
    if (text->tokens[i].kind == CUL_TOKEN_CLOSE)
      continue;
    if (!cul_text_is_char(text, i, ',')) {
      if (inside && (i == open + 1 || cul_text_is_char(text, i - 1, ',')))
        cul_text_add_range(i, end_of_element(text, i, open), out);
    } else if (!inside) {
      cul_text_add_range(i, end_of_tail(text, i), out);
    }
  }
  free(around);
  free(is_list);
}

const struct cul_text_each cul_mutation_text_erase_elements = {
    .list = list_elements,
    .nested = true,
    .edit = cul_text_erase_element,
    .fixes = true};

/* ---- a name, wherever it is one ---- */

/* A parameter with what is handed to it, and with its entries in tables
 * ("N": 4) and in other calls.  For languages that do not mark names (Python,
 * C): each list alone is not to be had, as what reads one needs the others. */
struct element {
  uint32_t open, k;    /* number k of the list that opens there */
  uint32_t first, end; /* tokens */
};

/* "x.name" says nothing of the name. */
static bool may_name(const struct cul_text *text, uint32_t token,
                     const void *self) {
  uint8_t kind = text->tokens[token].kind;
  (void)self;
  return (kind == CUL_TOKEN_WORD || kind == CUL_TOKEN_STRING) &&
         !cul_text_is_char(text, token - 1, '.');
}

/* Brackets of a subscript and those that only group are part of a term. */
static bool is_list(const struct cul_text *text, uint32_t open) {
  const struct cul_token *before = open ? &text->tokens[open - 1] : NULL;
  bool term =
      before && before->line == text->tokens[open].line &&
      (before->kind == CUL_TOKEN_WORD || before->kind == CUL_TOKEN_CLOSE);
  return cul_text_is_char(text, open, '{') ||
         cul_text_is_char(text, open, term ? '(' : '[');
}

/* The innermost list that the token stands in. */
static bool find_element(const struct cul_text *text, uint32_t token,
                         struct element *out) {
  uint32_t open = token, inside = token;
  do {
    inside = open;
    while (open-- > 0 && text->tokens[open].kind != CUL_TOKEN_OPEN)
      if (text->tokens[open].kind == CUL_TOKEN_CLOSE)
        open = text->tokens[open].match;
    if (open == CUL_TEXT_NONE)
      return false;
  } while (!is_list(text, open));
  *out = (struct element){.open = open, .first = open + 1, .end = open + 1};
  for (; out->end < text->tokens[open].match;
       out->end = cul_text_after(text, out->end)) {
    if (!cul_text_is_char(text, out->end, ','))
      continue;
    if (out->end > inside)
      break;
    out->first = out->end + 1;
    out->k++;
  }
  return true;
}

/* "name = ...": the statement goes with the name. */
static bool is_assigned(const struct cul_text *text, uint32_t token) {
  const struct cul_line *line = &text->lines[text->tokens[token].line];
  return line->first == token && line->n > 1 && line->item != CUL_TEXT_NONE &&
         cul_text_is_char(text, token + 1, '=');
}

static bool is_parameter(const struct cul_text *text,
                         const struct element *at) {
  return at->open >= 2 && cul_text_token_is(text, at->open - 2, "def");
}

/* Element k of all calls of the function that this list defines. */
static void erase_handed(struct cul_text *text, const struct element *at,
                         const struct cul_text_words *names) {
  uint32_t function = at->open - 1, first, end;
  size_t i, last;
  if (!is_parameter(text, at))
    return;
  last = cul_text_words_find(text, names, cul_text_said(text, function), &i);
  for (; i < last; i++) {
    uint32_t name = names->items[i];
    if (name != function && text->tokens[name].kind == CUL_TOKEN_WORD &&
        cul_text_is_char(text, name + 1, '(') &&
        cul_text_element(text, name + 1, at->k, &first, &end))
      cul_text_erase_element(text, cul_text_two(first, end));
  }
}

static bool erase_place(struct cul_text *text, uint32_t token,
                        const struct cul_text_words *names) {
  struct element at;
  if (is_assigned(text, token))
    return cul_text_erase_item(text, cul_text_item_at(text, token));
  if (!find_element(text, token, &at) || !cul_text_is_live(text, token))
    return false;
  erase_handed(text, &at, names);
  return cul_text_erase_element(text, cul_text_two(at.first, at.end));
}

/* Tokens that go; 0: it stands somewhere else too, or is no word of several
 * places: an element like any other. */
static uint32_t weigh(const struct cul_text *text, const uint32_t *names,
                      size_t n) {
  uint32_t weight = 0, words = 0;
  bool parameter = false;
  struct element at;
  for (size_t i = 0; i < n; i++) {
    words += text->tokens[names[i]].kind == CUL_TOKEN_WORD;
    if (is_assigned(text, names[i]))
      weight += text->lines[text->tokens[names[i]].line].n;
    else if (find_element(text, names[i], &at))
      weight += at.end - at.first, parameter |= is_parameter(text, &at);
    else
      return 0;
  }
  return words && (n > 1 || parameter) ? weight : 0;
}

static void list_names(struct cul_text *text, struct cul_sites *out) {
  struct cul_text_words names;
  if (*text->lang->sigils)
    return;
  cul_text_words_sort(text, may_name, NULL, &names);
  for (size_t i = 0, end; i < names.n; i = end) {
    uint32_t weight;
    end = cul_text_words_find(text, &names, cul_text_said(text, names.items[i]),
                              &i);
    weight = weigh(text, names.items + i, end - i);
    if (weight)
      cul_sites_add(out, NULL, names.items[i], weight);
  }
  cul_text_words_release(&names);
}

static size_t erase_names(struct cul_text *text, const struct cul_sites *sites,
                          const uint32_t *ids, size_t n) {
  struct cul_text_words names;
  size_t applied = 0, k, end;
  cul_text_words_sort(text, may_name, NULL, &names);
  for (size_t i = 0; i < n; i++) {
    uint32_t name = (uint32_t)sites->detail[ids[i]];
    bool any = false;
    end = cul_text_words_find(text, &names, cul_text_said(text, name), &k);
    for (; k < end; k++)
      any |= erase_place(text, names.items[k], &names);
    applied += any;
  }
  cul_text_words_release(&names);
  return applied;
}

const struct cul_text_each cul_mutation_text_erase_names = {
    .list = list_names, .edit_all = erase_names};
