/* Functions of MLIR text, known by their shape: see text_ops.h.
 *
 * A header is an operation with a symbol name and a list behind that; the list
 * holds parameters, or the operation's name says that it defines something, or
 * lines in braces follow.  A parameter is "%a: T" or "%a : T", with words such
 * as "in" before it; "out o: T" in the same list is a result. */
#include <stdlib.h>
#include <string.h>

#include "text_ops.h"

static bool is_value(const struct cul_text *text, uint32_t token) {
  const struct cul_token *t = &text->tokens[token];
  return t->kind == CUL_TOKEN_WORD && text->bytes[t->start] == '%';
}

/* A word without a sigil. */
static bool is_plain(const struct cul_text *text, uint32_t token) {
  const struct cul_token *t = &text->tokens[token];
  return t->kind == CUL_TOKEN_WORD &&
         !strchr(text->lang->sigils, text->bytes[t->start]);
}

bool cul_text_is_labelled(const struct cul_text *text, uint32_t token) {
  return token >= 2 && cul_text_is_char(text, token - 1, ':') &&
         is_plain(text, token - 2);
}

/* "{" that ends the line, and holds lines. */
static bool opens_lines(const struct cul_text *text, uint32_t line) {
  const struct cul_line *l = &text->lines[line];
  uint32_t last = l->first + l->n - 1;
  while (last > l->first && text->tokens[last].kind == CUL_TOKEN_COMMENT)
    last--;
  return text->tokens[last].kind == CUL_TOKEN_OPEN &&
         cul_text_is_char(text, last, '{') &&
         text->tokens[text->tokens[last].match].line > line;
}

/* Only words between the operation's name and the symbol: "op private @f". */
static bool names_itself(const struct cul_text *text, uint32_t line,
                         uint32_t symbol) {
  uint32_t first = text->lines[line].first;
  for (uint32_t i = first; i < symbol; i++)
    if (!is_plain(text, i))
      return false;
  return symbol > first && cul_text_starts(text, symbol, '@') &&
         text->tokens[symbol].kind == CUL_TOKEN_WORD;
}

bool cul_text_defines_lines(const struct cul_text *text, uint32_t line,
                            uint32_t symbol) {
  return text->lang->dimensions && names_itself(text, line, symbol) &&
         opens_lines(text, line);
}

/* The parameter in element k of a list: its name; NONE: it is none. */
static uint32_t parameter(const struct cul_text *text, uint32_t open,
                          uint32_t k) {
  uint32_t first, end;
  if (!cul_text_element(text, open, k, &first, &end))
    return CUL_TEXT_NONE;
  while (first < end && is_plain(text, first))
    first++;
  return first + 1 < end && is_value(text, first) &&
                 cul_text_is_char(text, first + 1, ':')
             ? first
             : CUL_TEXT_NONE;
}

/* "@f(" of a header. */
static bool heads_function(const struct cul_text *text, uint32_t line,
                           uint32_t symbol) {
  const struct cul_line *l = &text->lines[line];
  uint32_t open = symbol + 1, end = l->first + l->n;
  if (!cul_text_starts(text, symbol, '@') ||
      text->tokens[symbol].kind != CUL_TOKEN_WORD || open >= end ||
      text->tokens[open].kind != CUL_TOKEN_OPEN ||
      !cul_text_is_char(text, open, '(') || is_value(text, l->first))
    return false;
  return cul_text_defines_symbol(text, line, symbol) ||
         parameter(text, open, 0) != CUL_TEXT_NONE;
}

uint32_t cul_text_header(const struct cul_text *text, uint32_t line) {
  const struct cul_line *l = &text->lines[line];
  for (uint32_t i = l->first; i < l->first + l->n; i++)
    if (heads_function(text, line, i))
      return i + 1;
  return CUL_TEXT_NONE;
}

bool cul_text_function_of(const struct cul_text *text, uint32_t item,
                          uint32_t *function, uint32_t *open) {
  for (; item != CUL_TEXT_NONE; item = text->items[item].parent) {
    *open = cul_text_header(text, text->items[item].first);
    *function = item;
    if (*open != CUL_TEXT_NONE)
      return true;
  }
  return false;
}

/* "{" that opens on the lines of the item from token i on, and holds lines. */
static uint32_t find_body(const struct cul_text *text, uint32_t item,
                          uint32_t i) {
  uint32_t end = cul_text_item_end(text, item);
  for (; i < end; i++) {
    bool brace = text->tokens[i].kind == CUL_TOKEN_OPEN &&
                 cul_text_is_char(text, i, '{');
    uint32_t match = text->tokens[i].match;
    if (brace && text->tokens[match].line > text->tokens[i].line &&
        !cul_text_is_char(text, i - 1, '<'))
      return i;
    /* ({ of the generic form is looked into. */
    if (!(cul_text_is_char(text, i, '(') &&
          cul_text_is_char(text, i + 1, '{')) &&
        match != CUL_TEXT_NONE && match > i)
      i = match;
  }
  return CUL_TEXT_NONE;
}

/* "name =" among the attributes on the first line; the token behind it. */
static uint32_t find_attribute(const struct cul_text *text, uint32_t line,
                               const char *name) {
  const struct cul_line *l = &text->lines[line];
  for (uint32_t i = l->first; i + 2 < l->first + l->n; i++)
    if (cul_text_token_is(text, i, name) && cul_text_is_char(text, i + 1, '='))
      return i + 2;
  return CUL_TEXT_NONE;
}

static bool generic_function(const struct cul_text *text, uint32_t item,
                             struct cul_text_function *out) {
  uint32_t line = text->items[item].first, first;
  *out = (struct cul_text_function){
      .item = item,
      .arguments = CUL_TEXT_NONE,
      .type = find_attribute(text, line, "function_type"),
      .symbol = find_attribute(text, line, "sym_name")};
  if (out->type == CUL_TEXT_NONE || !cul_text_is_char(text, out->type, '('))
    return false;
  out->body = find_body(text, item, text->lines[line].first);
  if (out->body == CUL_TEXT_NONE)
    return true;
  first = out->body + 1;
  if (cul_text_is_char(text, first + 1, '(') &&
      cul_text_starts(text, first, '^'))
    out->arguments = first + 1;
  return true;
}

bool cul_text_function(const struct cul_text *text, uint32_t item,
                       struct cul_text_function *out) {
  const struct cul_line *l = &text->lines[text->items[item].first];
  uint32_t op = cul_text_op(text, item), open;
  if (op == CUL_TEXT_NONE || op != l->first)
    return false;
  if (text->tokens[op].kind == CUL_TOKEN_STRING)
    return generic_function(text, item, out);
  open = cul_text_header(text, text->items[item].first);
  if (open == CUL_TEXT_NONE)
    return false;
  *out = (struct cul_text_function){
      .item = item,
      .symbol = open - 1,
      .arguments = open,
      .type = CUL_TEXT_NONE,
      .body = find_body(text, item, text->tokens[open].match + 1)};
  return true;
}

bool cul_text_function_around(const struct cul_text *text, uint32_t item,
                              struct cul_text_function *out) {
  for (; item != CUL_TEXT_NONE; item = text->items[item].parent)
    if (cul_text_function(text, item, out) && out->body != CUL_TEXT_NONE)
      return true;
  return false;
}

/* ---- how parameters are written ---- */

/* The first parameter of a list; NONE: it has none. */
static uint32_t first_parameter(const struct cul_text *text, uint32_t open,
                                uint32_t *first) {
  uint32_t end;
  for (uint32_t k = 0; cul_text_element(text, open, k, first, &end); k++) {
    uint32_t name = parameter(text, open, k);
    if (name != CUL_TEXT_NONE)
      return name;
  }
  return CUL_TEXT_NONE;
}

/* Is token def a parameter?  first: with the words before it. */
static bool is_parameter(const struct cul_text *text, uint32_t def,
                         uint32_t *first) {
  uint32_t line = text->tokens[def].line;
  uint32_t open = cul_text_header(text, line), k = 0, end;
  if (open == CUL_TEXT_NONE)
    return false;
  while (cul_text_element(text, open, k, first, &end))
    if (parameter(text, open, k++) == def)
      return true;
  return false;
}

/* Of the function, else of the first of its kind that has one. */
static uint32_t model_parameter(const struct cul_text *text,
                                const struct cul_text_function *function,
                                uint32_t def, uint32_t *first) {
  uint32_t op = cul_text_op(text, function->item), name = CUL_TEXT_NONE;
  struct cul_text_function other;
  if (is_parameter(text, def, first))
    return def;
  if (function->arguments != CUL_TEXT_NONE)
    name = first_parameter(text, function->arguments, first);
  for (uint32_t i = 0; i < text->n_items && name == CUL_TEXT_NONE; i++)
    if (cul_text_op(text, i) != CUL_TEXT_NONE &&
        cul_text_same(text, cul_text_op(text, i), op) &&
        cul_text_function(text, i, &other) && other.arguments != CUL_TEXT_NONE)
      name = first_parameter(text, other.arguments, first);
  return name;
}

void cul_text_write_parameter(const struct cul_text *text,
                              const struct cul_text_function *function,
                              uint32_t def, struct cul_bytes name,
                              struct cul_bytes type, struct cul_buf *out) {
  uint32_t first, model = function
                              ? model_parameter(text, function, def, &first)
                              : CUL_TEXT_NONE;
  const struct cul_token *t = text->tokens;
  struct cul_bytes before = {"", 0}, between = {": ", 2};
  if (model != CUL_TEXT_NONE) {
    const char *from = text->bytes + t[first].start;
    const char *at = text->bytes + t[model].start;
    before = (struct cul_bytes){from, (size_t)(at - from)};
    at += t[model].len;
    between =
        (struct cul_bytes){at, (size_t)(text->bytes + t[model + 2].start - at)};
  }
  cul_buf_add(out, before.data, before.len);
  cul_buf_add(out, name.data, name.len);
  cul_buf_add(out, between.data, between.len);
  cul_buf_add(out, type.data, type.len);
}

bool cul_text_result_port(const struct cul_text *text, uint32_t open,
                          uint32_t *first, uint32_t *type) {
  uint32_t end;
  for (uint32_t k = 0; cul_text_element(text, open, k, first, &end); k++) {
    uint32_t i = *first;
    while (i < end && is_plain(text, i))
      i++;
    if (i >= *first + 2 && i < end && cul_text_is_char(text, i, ':'))
      return *type = i + 1, true;
  }
  return false;
}
