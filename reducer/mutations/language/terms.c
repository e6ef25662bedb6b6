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

/* ---- what reads a name that nothing sets any more ---- */

/* Behind the names that the item sets: its "=", or the "in" of a loop. */
static uint32_t end_of_names(const struct cul_text *text, uint32_t item) {
  uint32_t i = cul_text_item_first(text, item),
           end = cul_text_line_end(text, i);
  if (!cul_text_token_is(text, i, "for"))
    return find_equals(text, item);
  while (i < end && !cul_text_token_is(text, i, "in"))
    i++;
  return i < end ? i : CUL_TEXT_NONE;
}

/* The first of tokens [first, end) that sets the name in another statement, or
 * NONE. */
static uint32_t find_setter(const struct cul_text *text, uint32_t first,
                            uint32_t end, uint32_t name) {
  for (uint32_t i = first; i < end; i++)
    if (cul_text_is_name(text, i) && cul_text_same(text, i, name) &&
        cul_text_is_live(text, i) &&
        (is_written(text, i) || cul_text_is_word(text, i - 1, binders)))
      return i;
  return CUL_TEXT_NONE;
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

/* What reads the name that the erased item set reads 0, where nothing else sets
 * it; what was counted, up to where that is set. */
static void fix_name(struct cul_text *text, uint32_t item, uint32_t name) {
  bool loop = cul_text_token_is(text, cul_text_item_first(text, item), "for");
  uint32_t around = loop ? item : scope_of(text, item), setter;
  uint32_t first =
      around == CUL_TEXT_NONE ? 0 : cul_text_item_first(text, around);
  uint32_t end =
      loop ? cul_text_item_end(text, item) : cul_text_end_of_scope(text, item);
  setter = find_setter(text, first, end, name);
  if (setter == CUL_TEXT_NONE)
    cul_text_put_zero(text, first, end, name);
  else if (loop)
    cul_text_put_zero(text, first, cul_text_line_end(text, setter), name);
}

void cul_text_fix_up_python(struct cul_text *text) {
  for (uint32_t i = 0; i < text->n_items; i++) {
    uint32_t name = cul_text_item_first(text, i), end;
    if (cul_text_is_live(text, name) ||
        (end = end_of_names(text, i)) == CUL_TEXT_NONE)
      continue;
    for (; name < end && !cul_text_is_char(text, name, ':'); name++)
      if (cul_text_is_name(text, name))
        fix_name(text, i, name);
  }
}
