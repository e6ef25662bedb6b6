/* Statements of MLIR in a text: see statement.h. */
#include "statement.h"

static uint32_t length(const struct cul_text *text, struct cul_text_list list) {
  return cul_text_elements_of(text, list.first, list.end);
}

/* ---- statements ---- */

/* The end of the operation's tokens from token i on, before a body, attributes
 * or a location. */
static uint32_t stop_of(const struct cul_text *text, uint32_t i) {
  uint32_t end = cul_text_line_end(text, i);
  while (i < end && !cul_text_is_char(text, i, '{') &&
         text->tokens[i].kind != CUL_TOKEN_COMMENT &&
         text->tokens[i].kind != CUL_TOKEN_CLOSE &&
         !cul_text_is_word(text, i, " attributes loc "))
    i = cul_text_after(text, i);
  return i < end ? i : end;
}

/* The types after an arrow, with or without brackets. */
static struct cul_text_list types_behind(const struct cul_text *text,
                                         uint32_t arrow) {
  uint32_t first = arrow + 1, end = stop_of(text, arrow);
  if (cul_text_opens(text, first, '(') && text->tokens[first].match + 1 == end)
    return (struct cul_text_list){first + 1, end - 1, arrow};
  return (struct cul_text_list){first, end, arrow};
}

/* Find the first colon and the last arrow from token i to the end of its line;
 * NONE if there is none. */
static void find_marks(const struct cul_text *text, uint32_t i, uint32_t *colon,
                       uint32_t *arrow) {
  uint32_t end = cul_text_line_end(text, i);
  *colon = *arrow = CUL_TEXT_NONE;
  for (; i < end; i = cul_text_after(text, i))
    if (cul_text_token_is(text, i, "->"))
      *arrow = i;
    else if (cul_text_is_char(text, i, ':') && *colon == CUL_TEXT_NONE)
      *colon = i;
}

/* Read the statement in the item; false if it is no operation.  symbol: the one
 * to which it refers, or NONE. */
static bool read_statement(const struct cul_text *text, uint32_t item,
                           uint32_t symbol, struct cul_text_statement *out) {
  uint32_t op = cul_text_op(text, item), line = text->items[item].first;
  uint32_t open, colon, arrow, stop;
  *out = (struct cul_text_statement){.generic = false};
  if (op == CUL_TEXT_NONE || text->tokens[op].line != line)
    return false;
  out->generic = text->tokens[op].kind == CUL_TOKEN_STRING;
  out->names.first = text->lines[line].first;
  out->names.lead = CUL_TEXT_NONE;
  (void)cul_text_results(text, line, &out->names.end);
  open = (out->generic || symbol == CUL_TEXT_NONE ? op : symbol) + 1;
  find_marks(text, op, &colon, &arrow);
  if (arrow != CUL_TEXT_NONE)
    out->given = types_behind(text, arrow);
  if (out->generic || symbol != CUL_TEXT_NONE) {
    if (cul_text_opens(text, open, '('))
      out->operands = cul_text_list_in(text, open);
    if (colon != CUL_TEXT_NONE && cul_text_opens(text, colon + 1, '('))
      out->taken = cul_text_list_in(text, colon + 1);
    return true;
  }
  stop = stop_of(text, open - 1);
  out->operands =
      (struct cul_text_list){open, colon < stop ? colon : stop, CUL_TEXT_NONE};
  if (colon < stop)
    out->taken = (struct cul_text_list){colon + 1, stop, colon};
  return true;
}

bool cul_text_read_user(const struct cul_text *text, uint32_t use,
                        struct cul_text_statement *out) {
  uint32_t line = text->tokens[use].line;
  return read_statement(text, text->lines[line].item, use, out);
}

static bool is_called(const struct cul_text *text, uint32_t op,
                      const char *suffix) {
  struct cul_bytes word = cul_text_token(text, op);
  word.len -= text->tokens[op].kind == CUL_TOKEN_STRING;
  return cul_bytes_end(word, suffix);
}

bool cul_text_next_end(const struct cul_text *text, uint32_t item,
                       const char *called, uint32_t *at,
                       struct cul_text_statement *out) {
  while (cul_text_holds(text, item, ++*at)) {
    uint32_t op = cul_text_op(text, *at);
    if (op != CUL_TEXT_NONE && cul_text_owner(text, *at) == item &&
        is_called(text, op, called))
      return read_statement(text, *at, CUL_TEXT_NONE, out);
  }
  return false;
}

/* Find the types after the arrow of the function's type.  In <{function_type =
 * (T) -> (U, V), sym_name = "f"}> they end at the bracket; one without brackets
 * is left alone. */
static bool find_returned(const struct cul_text *text,
                          const struct cul_text_function *f,
                          struct cul_text_returned *out) {
  bool generic = f->type != CUL_TEXT_NONE;
  uint32_t open = generic ? f->type : f->arguments, arrow;
  if (f->symbol == CUL_TEXT_NONE || open == CUL_TEXT_NONE ||
      text->tokens[open].match == CUL_TEXT_NONE)
    return false;
  arrow = text->tokens[open].match + 1;
  out->symbol = f->symbol;
  out->ends = "return";
  out->types =
      generic ? cul_text_list_in(text, arrow + 1) : types_behind(text, arrow);
  return cul_text_token_is(text, arrow, "->") &&
         (!generic || cul_text_opens(text, arrow + 1, '('));
}

static struct cul_text_list carried_of(const struct cul_text *text,
                                       uint32_t line) {
  const struct cul_line *l = &text->lines[line];
  for (uint32_t i = l->first; i < l->first + l->n; i++)
    if (cul_text_token_is(text, i, "iter_args") &&
        cul_text_opens(text, i + 1, '('))
      return (struct cul_text_list){i + 2, text->tokens[i + 1].match, i};
  return (struct cul_text_list){0};
}

/* Find the results of "%r:2 = x.for ... -> (T, U) {".  Not of "while", which
 * carries its values in another way. */
static bool find_yielded(const struct cul_text *text, uint32_t item,
                         struct cul_text_returned *out) {
  struct cul_text_statement *s = &out->yields;
  if (!read_statement(text, item, CUL_TEXT_NONE, s) || !s->names.end ||
      !s->given.end || s->generic || !cul_text_has_children(text, item) ||
      is_called(text, cul_text_op(text, item), "while"))
    return false;
  out->symbol = CUL_TEXT_NONE;
  out->ends = "yield";
  out->types = s->given;
  out->carried = carried_of(text, text->items[item].first);
  return !out->carried.end ||
         length(text, out->carried) == length(text, out->types);
}

/* Do all terminators pass n values?  False if there is none. */
static bool ends_agree(const struct cul_text *text,
                       const struct cul_text_returned *r) {
  uint32_t at = r->item;
  struct cul_text_statement end;
  bool any = false;
  while (cul_text_next_end(text, r->item, r->ends, &at, &end)) {
    any = true;
    if (length(text, end.operands) != r->n ||
        (end.taken.end && length(text, end.taken) != r->n))
      return false;
  }
  return any;
}

bool cul_text_find_returned(const struct cul_text *text, uint32_t item,
                            struct cul_text_returned *out) {
  struct cul_text_function f;
  bool function = cul_text_function(text, item, &f);
  *out = (struct cul_text_returned){.item = item};
  if (function ? !find_returned(text, &f, out) : !find_yielded(text, item, out))
    return false;
  out->n = length(text, out->types);
  return (function && f.body == CUL_TEXT_NONE) || ends_agree(text, out);
}
