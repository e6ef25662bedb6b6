/* Erase a name wherever it stands in a list: a parameter with what is handed to
 * it, and with its entries in tables ("N": 4) and in other calls.  For
 * languages that do not mark names (Python, C): each list alone is not to be
 * had, as what reads one needs the others. */
#include <stdlib.h>
#include <string.h>

#include "../subject/text_ops.h"
#include "text_sites.h"

/* What a word says, or a string between its quotes. */
static struct cul_bytes said(const struct cul_text *text, uint32_t token) {
  struct cul_bytes bytes = cul_text_token(text, token);
  if (text->tokens[token].kind == CUL_TOKEN_STRING && bytes.len >= 2)
    bytes = (struct cul_bytes){bytes.data + 1, bytes.len - 2};
  return bytes;
}

static int compare(const struct cul_text *text, uint32_t a, uint32_t b) {
  struct cul_bytes x = said(text, a), y = said(text, b);
  size_t n = x.len < y.len ? x.len : y.len;
  int order = n ? memcmp(x.data, y.data, n) : 0;
  return order ? order : (x.len > y.len) - (x.len < y.len);
}

static int compare_tokens(const void *left, const void *right, void *text) {
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  int order = compare(text, a, b);
  return order ? order : (a > b) - (a < b);
}

/* "x.name" says nothing of the name. */
static bool may_name(const struct cul_text *text, uint32_t token) {
  uint8_t kind = text->tokens[token].kind;
  return (kind == CUL_TOKEN_WORD || kind == CUL_TOKEN_STRING) &&
         !cul_text_is_char(text, token - 1, '.');
}

/* All that may be names, sorted by what they say, then by place.  Caller
 * frees. */
static uint32_t *sort_names(struct cul_text *text, size_t *n) {
  uint32_t *names = cul_xreallocarray(NULL, text->n_tokens + 1, sizeof *names);
  *n = 0;
  for (uint32_t i = 0; i < text->n_tokens; i++)
    if (may_name(text, i))
      names[(*n)++] = i;
  qsort_r(names, *n, sizeof *names, compare_tokens, text);
  return names;
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
                         const uint32_t *names, size_t n) {
  uint32_t function = at->open - 1, first, end;
  if (!is_parameter(text, at))
    return;
  for (size_t i = 0; i < n; i++)
    if (names[i] != function && compare(text, names[i], function) == 0 &&
        text->tokens[names[i]].kind == CUL_TOKEN_WORD &&
        cul_text_is_char(text, names[i] + 1, '(') &&
        cul_text_element(text, names[i] + 1, at->k, &first, &end))
      cul_text_erase_element(text, cul_text_two(first, end));
}

static bool erase_place(struct cul_text *text, uint32_t token,
                        const uint32_t *names, size_t n) {
  struct element at;
  if (is_assigned(text, token))
    return cul_text_erase_item(text,
                               text->lines[text->tokens[token].line].item);
  if (!find_element(text, token, &at) || !cul_text_is_live(text, token))
    return false;
  erase_handed(text, &at, names, n);
  return cul_text_erase_element(text, cul_text_two(at.first, at.end));
}

/* ---- all of them ---- */

/* How many of names[0...] say the same as the first. */
static size_t count_same(const struct cul_text *text, const uint32_t *names,
                         size_t n) {
  size_t same = 1;
  while (same < n && compare(text, names[0], names[same]) == 0)
    same++;
  return same;
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

static void sites(struct cul_text *text, struct cul_sites *out) {
  uint32_t *names, weight;
  size_t n, same;
  if (*text->lang->sigils)
    return;
  names = sort_names(text, &n);
  for (size_t i = 0; i < n; i += same) {
    same = count_same(text, names + i, n - i);
    weight = weigh(text, names + i, same);
    if (weight)
      cul_sites_add(out, NULL, names[i], weight);
  }
  free(names);
}

static size_t apply(struct cul_text *text, const struct cul_sites *sites,
                    const uint32_t *ids, size_t n) {
  size_t n_names, applied = 0;
  uint32_t *names = sort_names(text, &n_names);
  for (size_t i = 0; i < n; i++) {
    bool any = false;
    for (size_t k = 0; k < n_names; k++)
      if (compare(text, names[k], (uint32_t)sites->detail[ids[i]]) == 0)
        any |= erase_place(text, names[k], names, n_names);
    applied += any;
  }
  free(names);
  return applied;
}

const struct cul_mutation cul_mutation_text_erase_names = {
    .name = "text-erase-names",
    .summary = "erase a name from all lists that hold it",
    .kinds = CUL_SUBJECT_TEXT,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_text_frame,
    .how = &(const struct cul_text_each){.list = sites, .edit_all = apply},
};
