/* Names and terms: see terms.h. */
#include "terms.h"

#include <stdlib.h>
#include <string.h>

#include "../ops.h"

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

void cul_text_put_zero(struct cul_text *text, uint32_t first, uint32_t end,
                       uint32_t name) {
  for (uint32_t i = first; i < end; i++)
    if (cul_text_is_name(text, i) && cul_text_same(text, i, name) &&
        !(i + 2 < text->n_tokens && cul_text_is_char(text, i + 1, '=') &&
          !cul_text_is_char(text, i + 2, '=')) &&
        cul_text_is_live(text, i) && cul_text_replace(text, i, "0"))
      cul_text_erase_tokens(text, i + 1, cul_text_end_of_use(text, i));
}

/* ---- operators and calls ---- */

/* How closely an operator binds; 0: none. */
static uint32_t binds(const struct cul_text *text, uint32_t i) {
  static const char *const levels[] = {
      " or || ", " and && ", " in is < > <= >= == != ", " | ", " ^ ", " & ",
      " + - ",   " * / % @ "};
  uint32_t k = CUL_ARRAY_SIZE(levels);
  if (text->tokens[i].len > 3 || text->tokens[i].kind == CUL_TOKEN_OPEN ||
      text->tokens[i].kind == CUL_TOKEN_CLOSE)
    return 0;
  while (k && !cul_text_is_word(text, i, levels[k - 1]))
    k--;
  return k;
}

static bool ends_operand(const struct cul_text *text, uint32_t i) {
  uint8_t kind = text->tokens[i].kind;
  return kind == CUL_TOKEN_NUMBER || kind == CUL_TOKEN_STRING ||
         kind == CUL_TOKEN_CLOSE ||
         (kind == CUL_TOKEN_WORD && !cul_text_is_keyword(text, i));
}

static bool same_line(const struct cul_text *text, uint32_t a, uint32_t b) {
  return b < text->n_tokens && text->tokens[a].line == text->tokens[b].line;
}

/* The end of the operator that starts at i, perhaps of several tokens: "//",
 * "not in", "<<". */
static uint32_t end_of_operator(const struct cul_text *text, uint32_t i) {
  uint32_t end = i + 1;
  while (same_line(text, i, end) &&
         (binds(text, end) || cul_text_token_is(text, end, "not")))
    end++;
  return end;
}

/* Can the token be part of an operand, operators aside? */
static bool is_part(const struct cul_text *text, uint32_t i) {
  return ends_operand(text, i) || text->tokens[i].kind == CUL_TOKEN_OPEN ||
         cul_text_is_any(text, i, ".~");
}

/* The first token of the operator's left operand. */
static uint32_t start_of_left(const struct cul_text *text, uint32_t i) {
  uint32_t first = i, level = binds(text, i);
  while (first > 0 && same_line(text, first - 1, i)) {
    uint32_t before = first - 1, other = binds(text, before);
    if (text->tokens[before].kind == CUL_TOKEN_CLOSE)
      before = text->tokens[before].match;
    else if (text->tokens[before].kind == CUL_TOKEN_OPEN ||
             (other ? other < level : !is_part(text, before)))
      break;
    first = before;
  }
  return first;
}

static uint32_t end_of_right(const struct cul_text *text, uint32_t i) {
  uint32_t end = end_of_operator(text, i), level = binds(text, i);
  while (same_line(text, i, end)) {
    uint32_t other = binds(text, end);
    if (text->tokens[end].kind == CUL_TOKEN_CLOSE ||
        (other ? other <= level : !is_part(text, end)))
      break;
    end = cul_text_after(text, end);
  }
  return end;
}

/* Is it the "in" of "for x in y"? */
static bool is_loop(const struct cul_text *text, uint32_t i) {
  uint32_t first = start_of_left(text, i);
  return cul_text_token_is(text, i, "in") && first > 0 &&
         cul_text_is_word(text, first - 1, " for , ");
}

bool cul_text_operator(const struct cul_text *text, uint32_t i,
                       struct cul_text_operator *out) {
  const struct cul_line *l = &text->lines[text->tokens[i].line];
  uint32_t right = end_of_operator(text, i);
  if (i == l->first || !binds(text, i) || !ends_operand(text, i - 1) ||
      right >= l->first + l->n || cul_text_is_char(text, right, '=') ||
      !is_part(text, right) || is_loop(text, i))
    return false;
  *out = (struct cul_text_operator){start_of_left(text, i), right,
                                    end_of_right(text, i)};
  return true;
}

bool cul_text_callee(const struct cul_text *text, uint32_t open,
                     uint32_t *first) {
  uint32_t i = open;
  if (!cul_text_opens(text, open, '(') || !open ||
      !ends_operand(text, open - 1) || !same_line(text, open - 1, open))
    return false;
  while (i > 0 && same_line(text, i - 1, open))
    if (text->tokens[i - 1].kind == CUL_TOKEN_CLOSE)
      i = text->tokens[i - 1].match;
    else if (cul_text_is_char(text, i - 1, '.') ||
             (ends_operand(text, i - 1) &&
              (i == open || !ends_operand(text, i))))
      i--;
    else
      break;
  *first = i;
  return !(i && same_line(text, i - 1, open) &&
           cul_text_is_word(text, i - 1, " def class @ "));
}

bool cul_text_argument(const struct cul_text *text, uint32_t open, uint32_t k,
                       uint32_t *first, uint32_t *end) {
  if (!cul_text_element(text, open, k, first, end))
    return false;
  if (*end - *first > 2 && cul_text_is_char(text, *first + 1, '='))
    *first += 2;
  return is_part(text, *first) || cul_text_is_char(text, *first, '-');
}
