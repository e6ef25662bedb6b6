/* Erase a name wherever it stands in a list: a parameter with what is handed to
 * it, and with its entries in tables ("N": 4) and in other calls.  For
 * languages that do not mark names (Python, C): each list alone is not to be
 * had, as what reads one needs the others. */
#include "../subject/text_ops.h"
#include "text_sites.h"
#include "text_words.h"

/* "x.name" says nothing of the name. */
static bool may_name(const struct cul_text *text, uint32_t token,
                     const void *self) {
  uint8_t kind = text->tokens[token].kind;
  (void)self;
  return (kind == CUL_TOKEN_WORD || kind == CUL_TOKEN_STRING) &&
         !cul_text_is_char(text, token - 1, '.');
}

/* ---- the list around a name ---- */

struct element {
  uint32_t open, k;    /* number k of the list that opens there */
  uint32_t first, end; /* tokens */
};

/* Brackets of a subscript and those that only group are part of a term. */
static bool is_list(const struct cul_text *text, uint32_t open) {
  const struct cul_token *before = open ? &text->tokens[open - 1] : NULL;
  bool term =
      before && before->line == text->tokens[open].line &&
      (before->kind == CUL_TOKEN_WORD || before->kind == CUL_TOKEN_CLOSE);
  return cul_text_is_char(text, open, '(') ? term
         : cul_text_is_char(text, open, '[')
             ? !term
             : cul_text_is_char(text, open, '{');
}

static bool is_close(const struct cul_text *text, uint32_t token) {
  return text->tokens[token].kind == CUL_TOKEN_CLOSE;
}

/* Up to the comma or bracket behind it. */
static uint32_t end_of_element(const struct cul_text *text, uint32_t token) {
  while (token < text->n_tokens && !is_close(text, token) &&
         !cul_text_is_char(text, token, ','))
    token = cul_text_after(text, token);
  return token;
}

/* The innermost list that the token stands in. */
static bool find_element(const struct cul_text *text, uint32_t token,
                         struct element *out) {
  uint32_t comma = CUL_TEXT_NONE, n = 0, end = token;
  for (uint32_t i = token; i-- > 0;) {
    if (is_close(text, i)) {
      i = text->tokens[i].match;
    } else if (cul_text_is_char(text, i, ',')) {
      comma = n++ ? comma : i;
    } else if (text->tokens[i].kind == CUL_TOKEN_OPEN) {
      if (is_list(text, i)) {
        *out = (struct element){i, n, n ? comma + 1 : i + 1,
                                end_of_element(text, end)};
        return true;
      }
      end = i, n = 0;
    }
  }
  return false;
}

/* ---- one place of a name ---- */

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

/* ---- all of them ---- */

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

static void sites(struct cul_text *text, struct cul_sites *out) {
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

static size_t apply(struct cul_text *text, const struct cul_sites *sites,
                    const uint32_t *ids, size_t n) {
  struct cul_text_words names;
  size_t applied = 0;
  cul_text_words_sort(text, may_name, NULL, &names);
  for (size_t i = 0; i < n; i++) {
    uint32_t name = (uint32_t)sites->detail[ids[i]];
    size_t k,
        end = cul_text_words_find(text, &names, cul_text_said(text, name), &k);
    bool any = false;
    for (; k < end; k++)
      any |= erase_place(text, names.items[k], &names);
    applied += any;
  }
  cul_text_words_release(&names);
  return applied;
}

const struct cul_mutation cul_mutation_text_erase_names = {
    .name = "text-erase-names",
    .summary = "erase a name from all lists that hold it",
    .kinds = CUL_SUBJECT_TEXT,
    .phase = CUL_PHASE_DELTA,
    CUL_TEXT_EACH(.list = sites, .edit_all = apply),
};
