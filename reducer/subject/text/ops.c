/* Operations and functions of MLIR text, recognized by their shape: see ops.h.
 *
 * A function header is an operation with a symbol name and a list after it,
 * which is either a list of parameters, or the name of the operation shows that
 * it is a definition, or lines in braces follow.  A parameter is "%a: T" or "%a
 * : T", possibly with words such as "in" before it; "out o: T" in the same list
 * is a result. */
#include "ops.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_name_of_op(const struct cul_text *text, uint32_t i,
                          uint32_t end) {
  const struct cul_token *t = &text->tokens[i];
  struct cul_bytes word = cul_text_token(text, i);
  if (t->kind == CUL_TOKEN_STRING)
    return i + 1 < end && cul_text_is_char(text, i + 1, '(') &&
           memchr(word.data, '.', word.len);
  if (t->kind != CUL_TOKEN_WORD || !isalpha((unsigned char)word.data[0]))
    return false;
  /* "name = value", "name," and "name }" are entries of dictionaries */
  if (i + 1 < end && cul_text_is_any(text, i + 1, "=,:"))
    return false;
  /* printers omit the dialect of these names */
  return cul_bytes_among(word, " module func return call br cond_br ") ||
         memchr(word.data, '.', word.len);
}

bool cul_text_is_value(struct cul_bytes word) {
  size_t i = 1;
  while (i < word.len && isdigit((unsigned char)word.data[i]))
    i++;
  return word.len > 1 && i == word.len && strchr("TSV", word.data[0]);
}

bool cul_text_is_alias(const struct cul_text *text, uint32_t token) {
  const struct cul_token *t = &text->tokens[token];
  /* not the #1 of %x#1 */
  return (cul_text_is_marked(text, token, '#') ||
          cul_text_is_marked(text, token, '!')) &&
         !(token > 0 && cul_text_is_marked(text, token - 1, '%') &&
           t[-1].start + t[-1].len == t->start);
}

bool cul_text_results(const struct cul_text *text, uint32_t line,
                      uint32_t *end) {
  const struct cul_line *l = &text->lines[line];
  uint32_t last = l->first + l->n;
  bool nvfuser = cul_text_is(text, "nvfuser");
  for (uint32_t i = l->first; i < last; i++) {
    if (cul_text_is_char(text, i, '=') && i > l->first)
      return *end = i, true;
    if (!cul_text_is_marked(text, i, '%') &&
        !cul_text_is_marked(text, i, '@') && !cul_text_is_any(text, i, ",:") &&
        text->tokens[i].kind != CUL_TOKEN_NUMBER &&
        !(nvfuser && cul_text_is_value(cul_text_token(text, i))))
      return false;
  }
  return false;
}

uint32_t cul_text_op(const struct cul_text *text, uint32_t item) {
  uint32_t line = text->items[item].first, equals;
  const struct cul_line *l = &text->lines[line];
  uint32_t at = l->first, end = l->first + l->n;
  if (!text->lang->dimensions || !l->n || text->items[item].label)
    return CUL_TEXT_NONE;
  if (cul_text_starts(text, at, '%')) {
    if (!cul_text_results(text, line, &equals))
      return CUL_TEXT_NONE;
    at = equals + 1;
  }
  if (at >= end || !is_name_of_op(text, at, end) || text->items[item].list)
    return CUL_TEXT_NONE;
  return at;
}

uint32_t cul_text_whole_module(const struct cul_text *text) {
  uint32_t found = CUL_TEXT_NONE;
  for (uint32_t i = 0; i < text->n_items; i++) {
    uint32_t op = cul_text_op(text, i);
    if (op == CUL_TEXT_NONE || text->items[i].parent != CUL_TEXT_NONE ||
        !cul_text_is_live(text, op))
      continue;
    if (found != CUL_TEXT_NONE ||
        !cul_text_is_word(text, op,
                          " module builtin.module \"builtin.module\" "))
      return CUL_TEXT_NONE;
    found = i;
  }
  return found;
}

uint64_t cul_text_count_ops(const struct cul_text *text) {
  uint64_t n = 0;
  for (uint32_t i = 0; i < text->n_items; i++) {
    uint32_t op = cul_text_op(text, i);
    n += op != CUL_TEXT_NONE && cul_text_is_live(text, op);
  }
  return n + (cul_text_whole_module(text) == CUL_TEXT_NONE);
}

bool cul_text_has_children(const struct cul_text *text, uint32_t item) {
  return item + 1 < text->n_items && text->items[item + 1].parent == item;
}

/* ---- symbols ---- */

bool cul_text_is_plain(const struct cul_text *text, uint32_t token) {
  const struct cul_token *t = &text->tokens[token];
  return t->kind == CUL_TOKEN_WORD &&
         !strchr(text->lang->sigils, text->bytes[t->start]);
}

/* Is the line an operation that defines the symbol, with only words before it
 * ("op private @f"), and that ends in a "{" which contains lines? */
static bool defines_lines(const struct cul_text *text, uint32_t line,
                          uint32_t symbol) {
  uint32_t last = cul_text_last_token(text, line);
  for (uint32_t i = text->lines[line].first; i < symbol; i++)
    if (!cul_text_is_plain(text, i))
      return false;
  return text->lang->dimensions && cul_text_is_marked(text, symbol, '@') &&
         cul_text_opens(text, last, '{') &&
         text->tokens[text->tokens[last].match].line > line;
}

bool cul_text_defines_symbol(const struct cul_text *text, uint32_t line,
                             uint32_t i) {
  static const char *const words[] = {"func",   "global",  "module",
                                      "define", "declare", "kernel"};
  uint32_t first = text->lines[line].first;
  struct cul_bytes op = cul_bytes_behind(cul_text_token(text, first), '.');
  if (i > first && cul_text_is_char(text, i - 1, '='))
    return i > first + 1 && cul_text_token_is(text, i - 2, "sym_name");
  if (text->tokens[i].kind == CUL_TOKEN_STRING)
    return false;
  if (i == first)
    return true;
  for (size_t w = 0; w < CUL_ARRAY_SIZE(words); w++)
    if (memmem(op.data, op.len, words[w], strlen(words[w])))
      return true;
  return defines_lines(text, line, i);
}

/* ---- parameters ---- */

/* Find the next parameter of a list after element *k, which is advanced.
 * Returns the token of its name; *start: its first token, including words
 * before the name.  NONE: there are no more. */
static uint32_t next_parameter(const struct cul_text *text, uint32_t open,
                               uint32_t *k, uint32_t *first) {
  uint32_t end;
  while (cul_text_element(text, open, (*k)++, first, &end)) {
    uint32_t i = *first;
    while (i < end && cul_text_is_plain(text, i))
      i++;
    if (i + 1 < end && cul_text_is_marked(text, i, '%') &&
        cul_text_is_char(text, i + 1, ':'))
      return i;
  }
  return CUL_TEXT_NONE;
}

/* ---- functions ---- */

/* Is the symbol the "@f" of a function header "@f("? */
static bool heads_function(const struct cul_text *text, uint32_t line,
                           uint32_t symbol) {
  const struct cul_line *l = &text->lines[line];
  uint32_t first, k = 0, open = symbol + 1;
  if (!cul_text_is_marked(text, symbol, '@') || open >= l->first + l->n ||
      !cul_text_opens(text, open, '(') ||
      cul_text_is_marked(text, l->first, '%'))
    return false;
  return cul_text_defines_symbol(text, line, symbol) ||
         (next_parameter(text, open, &k, &first) != CUL_TEXT_NONE && k == 1);
}

uint32_t cul_text_header(const struct cul_text *text, uint32_t line) {
  const struct cul_line *l = &text->lines[line];
  for (uint32_t i = l->first; i < l->first + l->n; i++)
    if (heads_function(text, line, i))
      return i + 1;
  return CUL_TEXT_NONE;
}

/* The "{" on the lines of the item, from token i on, that contains lines. */
static uint32_t find_body(const struct cul_text *text, uint32_t item,
                          uint32_t i) {
  uint32_t end = cul_text_item_end(text, item);
  for (; i < end; i++) {
    uint32_t match = text->tokens[i].match;
    if (cul_text_opens(text, i, '{') &&
        text->tokens[match].line > text->tokens[i].line &&
        !cul_text_is_char(text, i - 1, '<'))
      return i;
    /* do not skip the "({" of the generic form */
    if (!(cul_text_is_char(text, i, '(') && cul_text_is_char(text, i + 1, '{')))
      i = cul_text_after(text, i) - 1;
  }
  return CUL_TEXT_NONE;
}

/* The token after "name =" among the attributes on the first line. */
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
  first = out->body + 1;
  if (out->body != CUL_TEXT_NONE && cul_text_is_char(text, first + 1, '(') &&
      cul_text_starts(text, first, '^'))
    out->arguments = first + 1;
  return true;
}

bool cul_text_function(const struct cul_text *text, uint32_t item,
                       struct cul_text_function *out) {
  uint32_t op = cul_text_op(text, item), open;
  if (op == CUL_TEXT_NONE || op != cul_text_item_first(text, item))
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

/* The first parameter of the function; NONE: it has none. */
static uint32_t first_parameter(const struct cul_text *text,
                                const struct cul_text_function *function,
                                uint32_t *first) {
  uint32_t k = 0;
  return function->arguments == CUL_TEXT_NONE
             ? CUL_TEXT_NONE
             : next_parameter(text, function->arguments, &k, first);
}

/* The parameter whose form new ones copy: token def if it is one, else the
 * first of the function, else the first of another function of its kind. */
static uint32_t model_parameter(const struct cul_text *text,
                                const struct cul_text_function *function,
                                uint32_t def, uint32_t *first) {
  uint32_t open = cul_text_header(text, text->tokens[def].line), k = 0, name;
  uint32_t op = cul_text_op(text, function->item);
  struct cul_text_function other;
  while (open != CUL_TEXT_NONE &&
         (name = next_parameter(text, open, &k, first)) != CUL_TEXT_NONE)
    if (name == def)
      return def;
  name = first_parameter(text, function, first);
  for (uint32_t i = 0; i < text->n_items && name == CUL_TEXT_NONE; i++)
    if (cul_text_op(text, i) != CUL_TEXT_NONE &&
        cul_text_same(text, cul_text_op(text, i), op) &&
        cul_text_function(text, i, &other))
      name = first_parameter(text, &other, first);
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
    uint32_t end = t[model].start + t[model].len;
    before = (struct cul_bytes){text->bytes + t[first].start,
                                t[model].start - t[first].start};
    between = (struct cul_bytes){text->bytes + end, t[model + 2].start - end};
  }
  cul_buf_add(out, before.data, before.len);
  cul_buf_add(out, name.data, name.len);
  cul_buf_add(out, between.data, between.len);
  cul_buf_add(out, type.data, type.len);
}
