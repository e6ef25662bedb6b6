/* Names and terms: see terms.h. */
#include "terms.h"

#include <stdlib.h>
#include <string.h>

#include "../../subject/text/ops.h"

bool cul_text_is_keyword(const struct cul_text *text, uint32_t token) {
  return text->tokens[token].kind == CUL_TOKEN_WORD &&
         cul_lang_is_keyword(text->lang, cul_text_token(text, token));
}

bool cul_text_is_unkeyed(const struct cul_text *text, uint32_t token) {
  return token < text->n_tokens && text->tokens[token].kind == CUL_TOKEN_WORD &&
         !cul_text_is_keyword(text, token);
}

bool cul_text_is_name(const struct cul_text *text, uint32_t token) {
  return cul_text_is_unkeyed(text, token) &&
         !cul_text_is_char(text, token - 1, '.');
}

uint32_t cul_text_end_of_use(const struct cul_text *text, uint32_t token) {
  bool one_line = text->lang->indents;
  const char *members = one_line ? " . " : " . -> :: ";
  uint32_t i = token + 1;
  while (i < text->n_tokens &&
         !(one_line && text->tokens[i].line != text->tokens[i - 1].line))
    if (cul_text_opens(text, i, '[') || cul_text_opens(text, i, '('))
      i = cul_text_after(text, i);
    else if (cul_text_is_word(text, i, members) && i + 1 < text->n_tokens &&
             (!one_line || text->tokens[i + 1].kind == CUL_TOKEN_WORD))
      i += 2;
    else
      break;
  return i;
}

/* ---- terms ---- */

static bool starts_term(const struct cul_text *text, uint32_t token) {
  uint8_t kind = text->tokens[token].kind;
  return kind == CUL_TOKEN_NUMBER || kind == CUL_TOKEN_STRING ||
         kind == CUL_TOKEN_OPEN ||
         (kind == CUL_TOKEN_WORD && !cul_text_is_keyword(text, token)) ||
         cul_text_is_word(text, token, " None True False ");
}

bool cul_text_is_term(const struct cul_text *text, uint32_t first,
                      uint32_t end) {
  uint32_t i = first;
  if (first >= end || !starts_term(text, first))
    return false;
  for (i = cul_text_after(text, i); i < end;)
    if (cul_text_is_char(text, i, '.') && i + 1 < end &&
        text->tokens[i + 1].kind == CUL_TOKEN_WORD)
      i += 2;
    else if (cul_text_is_any(text, i, "(["))
      i = cul_text_after(text, i);
    else
      return false;
  return i == end;
}

bool cul_text_is_subscript(const struct cul_text *text, uint32_t open) {
  const struct cul_token *before = open ? &text->tokens[open - 1] : NULL;
  return before && before->line == text->tokens[open].line &&
         cul_text_is_char(text, open, '[') &&
         (before->kind == CUL_TOKEN_WORD || before->kind == CUL_TOKEN_CLOSE);
}

bool cul_text_stands_alone(const struct cul_text *text, uint32_t first,
                           uint32_t end) {
  uint32_t start = text->lines[text->tokens[first].line].first;
  bool before = first > start && (cul_text_is_any(text, first - 1, "([,=") ||
                                  cul_text_token_is(text, first - 1, "return"));
  bool after = end >= cul_text_line_end(text, first) ||
               cul_text_is_any(text, end, ",)];");
  return (before || first == start) && after;
}

/* ---- assignments and what reads them ---- */

/* From the "=" of a statement on: an expression of its own, up to its end. */
static bool find_expression(const struct cul_text *text, uint32_t from,
                            uint32_t end, struct cul_text_assignment *out) {
  out->first = from;
  for (uint32_t i = from, after; i < end; i = after) {
    after = cul_text_after(text, i);
    if (text->tokens[i].kind == CUL_TOKEN_COMMENT)
      end = i;
    else if (cul_text_is_any(text, i, "=,;") ||
             cul_text_token_is(text, i, "yield"))
      return false;
    else if (after < end &&
             text->tokens[after].line != text->tokens[after - 1].line)
      return false;
  }
  out->end = end;
  return from < end;
}

/* The token is "+=" or its like, or the "|" of "|=". */
static bool is_updated(const struct cul_text *text, uint32_t token) {
  struct cul_bytes mark = cul_text_token(text, token);
  if (mark.len == 2 && mark.data[1] == '=' && strchr("+-*/", mark.data[0]))
    return true;
  return mark.len == 1 && strchr("%&|^@:/*", mark.data[0]) &&
         token + 1 < text->n_tokens &&
         text->tokens[token + 1].start == text->tokens[token].start + 1 &&
         cul_text_token(text, token + 1).data[0] == '=';
}

/* "a, b = ...", "a: t = ..." or "a += ...": that "=", or CUL_TEXT_NONE. */
static uint32_t find_equals(const struct cul_text *text, uint32_t item) {
  const struct cul_line *l = &text->lines[text->items[item].first];
  uint32_t end = l->first + l->n, i = l->first;
  bool typed = false;
  if (text->items[item].list || l->n < 3 || !cul_text_is_name(text, i))
    return CUL_TEXT_NONE;
  for (; i < end && !cul_text_is_char(text, i, '=');
       i = cul_text_after(text, i))
    if (is_updated(text, i))
      return i == l->first + 1 ? i : CUL_TEXT_NONE;
    else if (cul_text_is_char(text, i, ':'))
      typed = true;
    else if (!typed && !cul_text_is_name(text, i) &&
             !cul_text_is_char(text, i, ','))
      return CUL_TEXT_NONE;
  return i < end ? i : CUL_TEXT_NONE;
}

bool cul_text_assignment(const struct cul_text *text, uint32_t item,
                         struct cul_text_assignment *out) {
  uint32_t first = cul_text_item_first(text, item);
  uint32_t equals = find_equals(text, item);
  *out = (struct cul_text_assignment){.item = item, .name = first};
  return equals != CUL_TEXT_NONE && cul_text_is_char(text, equals, '=') &&
         (equals == first + 1 || cul_text_is_char(text, first + 1, ':')) &&
         find_expression(text, equals + 1, cul_text_item_end(text, item), out);
}

uint32_t cul_text_definition(const struct cul_text *text, uint32_t item) {
  uint32_t i = cul_text_item_first(text, item);
  uint32_t end = cul_text_item_end(text, item);
  while (i < end && cul_text_is_char(text, i, '@')) {
    uint32_t line = text->tokens[i].line;
    for (; i < end && text->tokens[i].line == line; i = cul_text_after(text, i))
      line = text->tokens[cul_text_after(text, i) - 1].line;
  }
  return i < end ? i : CUL_TEXT_NONE;
}

/* The function of Python around the item, or the item itself where it is one;
 * CUL_TEXT_NONE: none. */
static uint32_t scope_of(const struct cul_text *text, uint32_t item) {
  while (
      item != CUL_TEXT_NONE &&
      !cul_text_is_word(text, cul_text_definition(text, item), " def async "))
    item = text->items[item].parent;
  return item;
}

uint32_t cul_text_end_of_scope(const struct cul_text *text, uint32_t item) {
  uint32_t function = scope_of(text, item);
  return function == CUL_TEXT_NONE ? (uint32_t)text->n_tokens
                                   : cul_text_item_end(text, function);
}

/* Is the token outside of all brackets of its line, and an "=" or an operator
 * with one behind it? */
static bool is_written(const struct cul_text *text, uint32_t token) {
  const struct cul_line *l = &text->lines[text->tokens[token].line];
  uint32_t i = l->first, end = l->first + l->n;
  while (i < token)
    i = cul_text_after(text, i);
  if (i != token)
    return false;
  for (; i < end && text->tokens[i].kind != CUL_TOKEN_CLOSE;
       i = cul_text_after(text, i))
    if (cul_text_is_char(text, i, '=') || is_updated(text, i))
      return true;
  return false;
}

/* Words behind which a name is bound. */
static const char binders[] = " for as global nonlocal del import def class ";

uint32_t cul_text_next_use(const struct cul_text *text, uint32_t name,
                           uint32_t from, uint32_t *end, bool *unclear) {
  for (uint32_t i = from; i < *end; i++) {
    const struct cul_line *l = &text->lines[text->tokens[i].line];
    struct cul_text_assignment again;
    if (!cul_text_is_name(text, i) || !cul_text_same(text, i, name))
      continue;
    if (i == l->first && l->item != CUL_TEXT_NONE &&
        cul_text_assignment(text, l->item, &again)) {
      if (again.end < *end) /* what it reads is the old value */
        *end = again.end;
    } else if (is_written(text, i) || cul_text_is_word(text, i - 1, binders)) {
      *unclear = true;
      return CUL_TEXT_NONE;
    } else if (i + 1 >= text->n_tokens || !cul_text_is_char(text, i + 1, '=')) {
      return i; /* and no keyword of a call */
    }
  }
  return CUL_TEXT_NONE;
}

char *cul_text_written(const struct cul_text *text, uint32_t first,
                       uint32_t end, bool brackets) {
  struct cul_buf out = {0};
  cul_buf_adds(&out, brackets ? "(" : "");
  for (uint32_t i = first; i < end; i++) {
    const struct cul_token *t = &text->tokens[i];
    struct cul_bytes bytes = cul_text_now(text, i);
    uint32_t gap = i > first ? t[-1].start + t[-1].len : t->start;
    if (!cul_text_is_live(text, i))
      continue;
    cul_buf_add(&out, text->bytes + gap, t->start - gap);
    cul_buf_add(&out, bytes.data, bytes.len);
  }
  cul_buf_adds(&out, brackets ? ")" : "");
  return cul_buf_take(&out);
}

/* ---- loops ---- */

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

void cul_text_fix_counter(struct cul_text *text, uint32_t item) {
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

/* ---- what reads a name that nothing sets any more ---- */

/* Per item: the "=" behind what it assigns to, or NONE; and the function
 * around it. */
struct setting {
  uint32_t equals, scope;
};

/* The token is among what the item assigns to. */
static bool is_target(const struct cul_text *text, uint32_t item,
                      uint32_t equals, uint32_t token) {
  for (uint32_t i = cul_text_item_first(text, item);
       i < equals && !cul_text_is_char(text, i, ':'); i++)
    if (cul_text_same(text, i, token))
      return true;
  return false;
}

/* Another statement of the same function does. */
static bool is_set(const struct cul_text *text, const struct setting *of,
                   uint32_t item, uint32_t name) {
  uint32_t scope = of[item].scope;
  for (uint32_t i = scope == CUL_TEXT_NONE ? 0 : scope + 1;
       i < text->n_items &&
       (scope == CUL_TEXT_NONE || cul_text_holds(text, scope, i));
       i++)
    if (of[i].equals != CUL_TEXT_NONE && of[i].scope == scope &&
        is_target(text, i, of[i].equals, name) &&
        cul_text_is_live(text, cul_text_item_first(text, i)))
      return true;
  return false;
}

void cul_text_put_zero(struct cul_text *text, uint32_t first, uint32_t end,
                       uint32_t name) {
  for (uint32_t i = first; i < end; i++)
    if (cul_text_is_name(text, i) && cul_text_same(text, i, name) &&
        !(i + 2 < text->n_tokens && cul_text_is_char(text, i + 1, '=') &&
          !cul_text_is_char(text, i + 2, '=')) &&
        cul_text_is_live(text, i) && cul_text_replace(text, i, "0"))
      cul_text_erase_tokens(text, i + 1, cul_text_end_of_use(text, i));
}

void cul_text_fix_up_python(struct cul_text *text) {
  struct setting *of = cul_xcalloc(text->n_items + 1, sizeof *of);
  for (uint32_t i = 0; i < text->n_items; i++)
    of[i] = (struct setting){find_equals(text, i), scope_of(text, i)};
  for (uint32_t i = 0; i < text->n_items; i++) {
    uint32_t first = cul_text_item_first(text, i);
    if (of[i].equals == CUL_TEXT_NONE || cul_text_is_live(text, first))
      continue;
    for (uint32_t t = first;
         t < of[i].equals && !cul_text_is_char(text, t, ':'); t++)
      if (cul_text_is_name(text, t) && !is_set(text, of, i, t))
        cul_text_put_zero(text, first, cul_text_end_of_scope(text, i), t);
  }
  free(of);
  cul_text_fix_up_parameters(text);
}
