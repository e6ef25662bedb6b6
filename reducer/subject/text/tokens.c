/* The tokens, lines and items of a text, read and edited one by one: see
 * text.h. */
#include "text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

bool cul_text_is(const struct cul_text *text, const char *language) {
  return strcmp(text->lang->name, language) == 0;
}

const char *cul_text_replaced(const struct cul_text *text, uint32_t token) {
  uint32_t with = text->tokens[token].with;
  return with ? text->with[with - 1] : NULL;
}

struct cul_bytes cul_text_now(const struct cul_text *text, uint32_t token) {
  const char *with = cul_text_replaced(text, token);
  return with ? (struct cul_bytes){with, strlen(with)}
              : cul_text_token(text, token);
}

bool cul_text_is_live(const struct cul_text *text, uint32_t token) {
  return !text->tokens[token].dead &&
         !cul_text_is_dead(text, text->tokens[token].line);
}

struct cul_bytes cul_text_token(const struct cul_text *text, uint32_t token) {
  const struct cul_token *t = &text->tokens[token];
  return (struct cul_bytes){text->bytes + t->start, t->len};
}

bool cul_text_token_is(const struct cul_text *text, uint32_t token,
                       const char *word) {
  struct cul_bytes bytes;
  if (token >= text->n_tokens)
    return false;
  bytes = cul_text_token(text, token);
  return strlen(word) == bytes.len && memcmp(bytes.data, word, bytes.len) == 0;
}

bool cul_text_starts(const struct cul_text *text, uint32_t token, char c) {
  return text->bytes[text->tokens[token].start] == c;
}

bool cul_text_is_marked(const struct cul_text *text, uint32_t token, char c) {
  return text->tokens[token].kind == CUL_TOKEN_WORD &&
         cul_text_starts(text, token, c);
}

bool cul_text_same(const struct cul_text *text, uint32_t a, uint32_t b) {
  struct cul_bytes x = cul_text_token(text, a), y = cul_text_token(text, b);
  return x.len == y.len && memcmp(x.data, y.data, x.len) == 0;
}

bool cul_text_is_char(const struct cul_text *text, uint32_t token, char c) {
  const struct cul_token *t = text->tokens + token;
  return token < text->n_tokens && t->len == 1 && text->bytes[t->start] == c &&
         t->kind != CUL_TOKEN_WORD && t->kind != CUL_TOKEN_NUMBER;
}

bool cul_text_is_any(const struct cul_text *text, uint32_t token,
                     const char *chars) {
  for (; *chars; chars++)
    if (cul_text_is_char(text, token, *chars))
      return true;
  return false;
}

bool cul_text_is_word(const struct cul_text *text, uint32_t token,
                      const char *words) {
  return token < text->n_tokens &&
         cul_bytes_among(cul_text_token(text, token), words);
}

bool cul_text_opens(const struct cul_text *text, uint32_t token, char c) {
  return cul_text_is_char(text, token, c) &&
         text->tokens[token].kind == CUL_TOKEN_OPEN;
}

struct cul_bytes cul_text_directive(const struct cul_text *text,
                                    uint32_t line) {
  const struct cul_line *l = &text->lines[line];
  if (!text->lang->directives || l->n < 2 ||
      !cul_text_is_char(text, l->first, '#'))
    return (struct cul_bytes){"", 0};
  return cul_text_token(text, l->first + 1);
}

uint32_t cul_text_first_token(const struct cul_text *text, uint32_t line) {
  return line < text->n_lines ? text->lines[line].first
                              : (uint32_t)text->n_tokens;
}

uint32_t cul_text_line_end(const struct cul_text *text, uint32_t token) {
  const struct cul_line *l = &text->lines[text->tokens[token].line];
  return l->first + l->n;
}

uint32_t cul_text_count(const struct cul_text *text, uint32_t first,
                        uint32_t end) {
  return cul_text_first_token(text, end) - cul_text_first_token(text, first);
}

uint32_t cul_text_item_weight(const struct cul_text *text, uint32_t item) {
  return cul_text_count(text, text->items[item].first, text->items[item].end);
}

/* ---- edits ---- */

bool cul_text_erase_line(struct cul_text *text, uint32_t line) {
  if (cul_text_is_dead(text, line))
    return false;
  text->marks[line] |= CUL_LINE_DEAD;
  return text->edited = true;
}

bool cul_text_erase_lines(struct cul_text *text, uint32_t first, uint32_t end) {
  bool any = false;
  for (uint32_t i = first; i < end; i++)
    any |= cul_text_erase_line(text, i);
  return any;
}

bool cul_text_erase_token(struct cul_text *text, uint32_t token) {
  struct cul_token *t = &text->tokens[token];
  if (t->dead || cul_text_is_dead(text, t->line))
    return false;
  text->marks[t->line] |= CUL_LINE_TOUCHED;
  return text->edited = t->dead = true;
}

bool cul_text_erase_tokens(struct cul_text *text, uint32_t first,
                           uint32_t end) {
  bool any = false;
  for (uint32_t i = first; i < end; i++)
    any |= cul_text_erase_token(text, i);
  return any;
}

void cul_text_outdent(struct cul_text *text, uint32_t first, uint32_t end,
                      uint32_t bytes) {
  for (struct cul_line *l = text->lines + first; l < text->lines + end; l++) {
    uint32_t left = l->indent - l->cut;
    l->cut += bytes < left ? bytes : left;
    if (l->cut)
      text->marks[l - text->lines] |= CUL_LINE_CUT;
  }
  text->edited = true;
}

bool cul_text_replace(struct cul_text *text, uint32_t token, const char *with) {
  struct cul_token *t = &text->tokens[token];
  if (t->dead || t->with || cul_text_is_dead(text, t->line))
    return false;
  text->with =
      cul_xreallocarray(text->with, text->n_with + 1, sizeof *text->with);
  text->with[text->n_with++] = cul_xstrdup(with);
  t->with = (uint32_t)text->n_with;
  text->marks[t->line] |= CUL_LINE_TOUCHED;
  return text->edited = true;
}

void cul_text_rewrite(struct cul_text *text, uint32_t token, const char *format,
                      ...) {
  uint32_t old = text->tokens[token].with;
  va_list arguments;
  char *with;
  va_start(arguments, format);
  with = cul_xvasprintf(format, arguments);
  va_end(arguments);
  if (!old) {
    cul_text_replace(text, token, with);
    free(with);
    return;
  }
  free(text->with[old - 1]);
  text->with[old - 1] = with;
}

bool cul_text_erase_item(struct cul_text *text, uint32_t item) {
  return cul_text_erase_lines(text, text->items[item].first,
                              text->items[item].end);
}
