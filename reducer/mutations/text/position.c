/* Positions of mlir-text: an argument or a result of a function, or a result of
 * a loop or conditional.  One is dropped with all that corresponds to it:
 * types, operands of calls and of terminators, values that a loop carries;
 * later results are renumbered.  This understands the pretty and the generic
 * form: an operation of another form has no site, or does not change. */
#include <stdlib.h>

#include "../../subject/text/language/mlir.h"
#include "../../subject/text/language/terms.h"
#include "../../subject/text/ops.h"
#include "sites.h"

/* Tokens [first, end) with commas between them. */
struct list {
  uint32_t first, end;
  /* An arrow, a colon or a word that is erased with the list once no element is
   * left; NONE: "()" remains. */
  uint32_t lead;
};

static bool element(const struct cul_text *text, struct list list, uint32_t k,
                    uint32_t *first, uint32_t *end) {
  return cul_text_element_of(text, list.first, list.end, k, first, end);
}

/* length: the number of elements; n_left: how many of those before number k are
 * left. */
static uint32_t length(const struct cul_text *text, struct list list) {
  return cul_text_elements_of(text, list.first, list.end);
}

static uint32_t n_left(const struct cul_text *text, struct list list,
                       uint32_t k) {
  uint32_t n = 0, first, end;
  for (uint32_t i = 0; i < k && element(text, list, i, &first, &end); i++)
    n += cul_text_is_live(text, first);
  return n;
}

/* Is no element left? */
static bool is_gone(const struct cul_text *text, struct list list) {
  return n_left(text, list, CUL_TEXT_NONE) == 0;
}

/* Drop element k; false if there is none, or it is erased already. */
static bool drop_element(struct cul_text *text, struct list list, uint32_t k) {
  uint32_t first, end;
  if (!element(text, list, k, &first, &end) ||
      !cul_text_erase_element(text, first, end))
    return false;
  if (list.lead != CUL_TEXT_NONE && is_gone(text, list))
    cul_text_erase_tokens(text, list.lead,
                          list.end + (list.first == list.lead + 2));
  return true;
}

static struct list inside(const struct cul_text *text, uint32_t open) {
  return (struct list){open + 1, text->tokens[open].match, CUL_TEXT_NONE};
}

/* ---- statements ---- */

/* The parts of the line of an operation, in either form; a list that is absent
 * ends at 0:
 *   %names = op @symbol(operands) : (taken) -> (given)
 *   %names = op operands : taken -> given { */
struct statement {
  bool generic;
  struct list names, operands, taken, given;
};

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
static struct list types_behind(const struct cul_text *text, uint32_t arrow) {
  uint32_t first = arrow + 1, end = stop_of(text, arrow);
  if (cul_text_opens(text, first, '(') && text->tokens[first].match + 1 == end)
    return (struct list){first + 1, end - 1, arrow};
  return (struct list){first, end, arrow};
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
                           uint32_t symbol, struct statement *out) {
  uint32_t op = cul_text_op(text, item), line = text->items[item].first;
  uint32_t open, colon, arrow, stop;
  *out = (struct statement){.generic = false};
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
      out->operands = inside(text, open);
    if (colon != CUL_TEXT_NONE && cul_text_opens(text, colon + 1, '('))
      out->taken = inside(text, colon + 1);
    return true;
  }
  stop = stop_of(text, open - 1);
  out->operands =
      (struct list){open, colon < stop ? colon : stop, CUL_TEXT_NONE};
  if (colon < stop)
    out->taken = (struct list){colon + 1, stop, colon};
  return true;
}

/* Read the statement that refers to a symbol there. */
static bool read_user(const struct cul_text *text, uint32_t use,
                      struct statement *out) {
  uint32_t line = text->tokens[use].line;
  return read_statement(text, text->lines[line].item, use, out);
}

static bool is_called(const struct cul_text *text, uint32_t op,
                      const char *suffix) {
  struct cul_bytes word = cul_text_token(text, op);
  word.len -= text->tokens[op].kind == CUL_TOKEN_STRING;
  return cul_bytes_end(word, suffix);
}

/* Read the next terminator of this name in item's blocks after item *at; false
 * if there is none. */
static bool next_end(const struct cul_text *text, uint32_t item,
                     const char *called, uint32_t *at, struct statement *out) {
  while (cul_text_holds(text, item, ++*at)) {
    uint32_t op = cul_text_op(text, *at);
    if (op != CUL_TEXT_NONE && cul_text_owner(text, *at) == item &&
        is_called(text, op, called))
      return read_statement(text, *at, CUL_TEXT_NONE, out);
  }
  return false;
}

/* ---- results of a statement ---- */

/* Is there a result k without uses?  "%x" of several results may be all of
 * them. */
static bool is_unread(struct cul_text *text, struct list results, uint32_t k) {
  const struct cul_text_names *names = cul_text_names(text);
  bool numbered = cul_text_is_char(text, results.first + 1, ':');
  uint32_t def = results.first, end, number;
  if (!numbered && !element(text, results, k, &def, &end))
    return false;
  if (names->def[def] != def)
    return false;
  for (uint32_t u = 0, use; cul_text_use(text, def, u, &use); u++)
    if (!numbered || !cul_text_result_number(text, use, &number) || number == k)
      return false;
  return true;
}

/* Renumber the results; result k and its type were dropped. */
static void count_anew(struct cul_text *text, const struct statement *s,
                       uint32_t k) {
  uint32_t first = s->names.first, number;
  uint32_t left = n_left(text, s->given, CUL_TEXT_NONE);
  if (left == 0) {
    cul_text_erase_tokens(text, first, s->names.end + 1);
  } else if (!cul_text_is_char(text, first + 1, ':')) {
    drop_element(text, s->names, k);
  } else {
    cul_text_rewrite(text, first + 2, "%u", left);
    for (uint32_t u = 0, use; cul_text_use(text, first, u, &use); u++)
      if (cul_text_result_number(text, use, &number))
        cul_text_rewrite(text, use + 1, "#%u", n_left(text, s->given, number));
  }
}

/* ---- results ---- */

/* The results of a function, or of an operation whose blocks yield them. */
struct results {
  uint32_t item, n;
  struct list types;
  const char *ends;        /* name of the terminators that pass them */
  uint32_t symbol;         /* of a function: its name; else NONE */
  struct statement yields; /* the operation, if it is no function */
  struct list carried;     /* of a loop: "%x = %a" of its iter_args */
};

/* Find the types after the arrow of the function's type.  In <{function_type =
 * (T) -> (U, V), sym_name = "f"}> they end at the bracket; one without brackets
 * is left alone. */
static bool find_returned(const struct cul_text *text,
                          const struct cul_text_function *f,
                          struct results *out) {
  bool generic = f->type != CUL_TEXT_NONE;
  uint32_t open = generic ? f->type : f->arguments, arrow;
  if (f->symbol == CUL_TEXT_NONE || open == CUL_TEXT_NONE ||
      text->tokens[open].match == CUL_TEXT_NONE)
    return false;
  arrow = text->tokens[open].match + 1;
  out->symbol = f->symbol;
  out->ends = "return";
  out->types = generic ? inside(text, arrow + 1) : types_behind(text, arrow);
  return cul_text_token_is(text, arrow, "->") &&
         (!generic || cul_text_opens(text, arrow + 1, '('));
}

static struct list carried_of(const struct cul_text *text, uint32_t line) {
  const struct cul_line *l = &text->lines[line];
  for (uint32_t i = l->first; i < l->first + l->n; i++)
    if (cul_text_token_is(text, i, "iter_args") &&
        cul_text_opens(text, i + 1, '('))
      return (struct list){i + 2, text->tokens[i + 1].match, i};
  return (struct list){0};
}

/* Find the results of "%r:2 = x.for ... -> (T, U) {".  Not of "while", which
 * carries its values in another way. */
static bool find_yielded(const struct cul_text *text, uint32_t item,
                         struct results *out) {
  struct statement *s = &out->yields;
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
static bool ends_agree(const struct cul_text *text, const struct results *r) {
  uint32_t at = r->item;
  struct statement end;
  bool any = false;
  while (next_end(text, r->item, r->ends, &at, &end)) {
    any = true;
    if (length(text, end.operands) != r->n ||
        (end.taken.end && length(text, end.taken) != r->n))
      return false;
  }
  return any;
}

static bool find_results(const struct cul_text *text, uint32_t item,
                         struct results *out) {
  struct cul_text_function f;
  bool function = cul_text_function(text, item, &f);
  *out = (struct results){.item = item};
  if (function ? !find_returned(text, &f, out) : !find_yielded(text, item, out))
    return false;
  out->n = length(text, out->types);
  return (function && f.body == CUL_TEXT_NONE) || ends_agree(text, out);
}

/* Read a call that has all results of the function. */
static bool read_call(const struct cul_text *text, uint32_t use,
                      const struct results *r, struct statement *out) {
  return read_user(text, use, out) && out->names.end && out->given.end &&
         length(text, out->given) == r->n;
}

/* Is result k unused, also in all calls of a function? */
static bool is_free(struct cul_text *text, const struct results *r,
                    uint32_t k) {
  struct statement call;
  if (r->symbol == CUL_TEXT_NONE)
    return is_unread(text, r->yields.names, k);
  for (uint32_t u = 0, use; cul_text_use(text, r->symbol, u, &use); u++)
    if (read_call(text, use, r, &call) && !is_unread(text, call.names, k))
      return false;
  return true;
}

/* Drop result k of a call; without brackets, "-> T" becomes "-> ()". */
static void drop_at_call(struct cul_text *text, struct statement *call,
                         uint32_t k) {
  uint32_t arrow = call->given.lead;
  call->given.lead = CUL_TEXT_NONE;
  drop_element(text, call->given, k);
  count_anew(text, call, k);
  if (call->given.first == arrow + 1 && is_gone(text, call->given))
    cul_text_replace(text, arrow, "-> ()");
}

/* Drop "%x = %a": uses of %x read %a. */
static void drop_carried(struct cul_text *text, struct list carried,
                         uint32_t k) {
  uint32_t first, end;
  if (!element(text, carried, k, &first, &end) || end < first + 3)
    return;
  cul_text_all_read_as(text, first, 0, first + 2);
  drop_element(text, carried, k);
}

static bool drop_result(struct cul_text *text, const struct results *r,
                        uint32_t k) {
  uint32_t at = r->item;
  struct statement s;
  if (!drop_element(text, r->types, k))
    return false;
  while (next_end(text, r->item, r->ends, &at, &s)) {
    drop_element(text, s.operands, k);
    drop_element(text, s.taken, k);
  }
  if (r->carried.end)
    drop_carried(text, r->carried, k);
  if (r->symbol == CUL_TEXT_NONE) {
    count_anew(text, &r->yields, k);
    return true;
  }
  for (uint32_t u = 0, use; cul_text_use(text, r->symbol, u, &use); u++)
    if (read_call(text, use, r, &s))
      drop_at_call(text, &s, k);
  return true;
}

/* detail: the item, and the number of the result. */
static void list_results(struct cul_text *text, struct cul_sites *out) {
  struct results results;
  for (uint32_t i = 0; i < text->n_items; i++)
    for (uint32_t k = 0; find_results(text, i, &results) && k < results.n; k++)
      if (is_free(text, &results, k))
        cul_sites_add(out, NULL, cul_text_two(i, k), 2);
}

static bool drop_one(struct cul_text *text, uint64_t detail) {
  struct results results;
  return find_results(text, cul_text_high(detail), &results) &&
         drop_result(text, &results, (uint32_t)detail);
}

const struct cul_text_each cul_mutation_text_drop_result = {
    .list = list_results, .edit = drop_one};

/* ---- arguments ---- */

/* detail: the item, and the number of the argument. */
static void list_arguments(struct cul_text *text, struct cul_sites *out) {
  const struct cul_text_names *names = cul_text_names(text);
  struct cul_text_function function;
  uint32_t first, end;
  for (uint32_t i = 0; i < text->n_items; i++) {
    if (!cul_text_function(text, i, &function) ||
        function.arguments == CUL_TEXT_NONE || function.symbol == CUL_TEXT_NONE)
      continue;
    for (uint32_t k = 0;
         cul_text_element(text, function.arguments, k, &first, &end); k++)
      /* it has no name here, or its name has no use */
      if (names->def[first] != first ||
          names->first_use[first] == names->first_use[first + 1])
        cul_sites_add(out, NULL, cul_text_two(i, k), end - first);
  }
}

static bool drop_argument(struct cul_text *text, uint64_t detail) {
  struct cul_text_function f;
  struct statement call;
  uint32_t k = (uint32_t)detail;
  if (!cul_text_function(text, cul_text_high(detail), &f) ||
      !drop_element(text, inside(text, f.arguments), k))
    return false;
  if (f.type != CUL_TEXT_NONE)
    drop_element(text, inside(text, f.type), k);
  for (uint32_t u = 0, use; cul_text_use(text, f.symbol, u, &use); u++)
    if (read_user(text, use, &call) && call.taken.end &&
        drop_element(text, call.operands, k))
      drop_element(text, call.taken, k);
  return true;
}

const struct cul_text_each cul_mutation_text_drop_argument = {
    .list = list_arguments, .edit = drop_argument};
