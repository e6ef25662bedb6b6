/* Names of C in a text without a parser: see text_c.h. */
#include "text_c.h"

#include <string.h>

#include "text_terms.h"

bool cul_text_is_c(const struct cul_text *text) {
  return strcmp(text->lang->name, "c") == 0;
}

bool cul_text_c_name(const struct cul_text *text, uint32_t token) {
  return token < text->n_tokens && text->tokens[token].kind == CUL_TOKEN_WORD &&
         !cul_text_is_word(text, token, text->lang->keywords);
}

uint32_t cul_text_c_scope(const struct cul_text *text, uint32_t token) {
  for (uint32_t i = token; i < text->n_tokens; i++)
    if (text->tokens[i].kind == CUL_TOKEN_OPEN)
      i = text->tokens[i].match;
    else if (cul_text_is_char(text, i, '}') &&
             text->tokens[i].kind == CUL_TOKEN_CLOSE)
      return i;
  return (uint32_t)text->n_tokens;
}

/* "x.name" and "x->name" are of another thing, "name::" of none. */
static bool is_use(const struct cul_text *text, uint32_t i, uint32_t name) {
  return text->tokens[i].kind == CUL_TOKEN_WORD &&
         cul_text_same(text, i, name) &&
         !(i && (cul_text_is_char(text, i - 1, '.') ||
                 cul_text_token_is(text, i - 1, "->") ||
                 cul_text_token_is(text, i - 1, "::")));
}

static bool starts_statement(const struct cul_text *text, uint32_t i) {
  return i == 0 || cul_text_is_any(text, i - 1, ";{}") ||
         text->tokens[i - 1].kind == CUL_TOKEN_COMMENT ||
         cul_text_directive(text, text->tokens[i - 1].line).len;
}

/* "=", "+=" ... but not "==". */
static bool assigns(const struct cul_text *text, uint32_t i) {
  struct cul_bytes op;
  if (i >= text->n_tokens || text->tokens[i].kind != CUL_TOKEN_PUNCT)
    return false;
  op = cul_text_token(text, i);
  return op.data[op.len - 1] == '=' &&
         !(op.len == 2 && strchr("=!<>", *op.data));
}

static uint32_t end_of_statement(const struct cul_text *text, uint32_t i) {
  while (i < text->n_tokens && !cul_text_is_char(text, i, ';') &&
         text->tokens[i].kind != CUL_TOKEN_CLOSE)
    i = (text->tokens[i].kind == CUL_TOKEN_OPEN ? text->tokens[i].match : i) +
        1;
  return i;
}

/* The "&" of "&name", "f(x, &name)": an address, no conjunction. */
static bool is_unary(const struct cul_text *text, uint32_t i) {
  return cul_text_is_any(text, i, "&*") && i &&
         (text->tokens[i - 1].kind == CUL_TOKEN_OPEN ||
          cul_text_is_any(text, i - 1, ",="));
}

static void put(struct cul_text *text, uint32_t i, const char *with) {
  uint32_t end = cul_text_end_of_use(text, i);
  if (starts_statement(text, i) && assigns(text, end)) {
    end = end_of_statement(text, end);
    cul_text_erase_tokens(text, i, end + cul_text_is_char(text, end, ';'));
    return;
  }
  if (i && is_unary(text, i - 1))
    cul_text_erase_token(text, i - 1);
  cul_text_replace(text, i, with);
  cul_text_erase_tokens(text, i + 1, end);
}

void cul_text_c_put(struct cul_text *text, uint32_t name, uint32_t first,
                    uint32_t end, const char *with) {
  for (uint32_t i = first; i < end; i++)
    if (i != name && is_use(text, i, name) && cul_text_is_live(text, i))
      put(text, i, with);
}
