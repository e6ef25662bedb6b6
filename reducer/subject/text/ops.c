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

#include "spirv.h"

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

uint32_t cul_text_item_ops(const struct cul_text *text, uint32_t item) {
  uint32_t n = cul_text_op(text, item) != CUL_TEXT_NONE;
  for (uint32_t i = item + 1; cul_text_holds(text, item, i); i++)
    n += cul_text_op(text, i) != CUL_TEXT_NONE;
  return n ? n : 1;
}

bool cul_text_has_children(const struct cul_text *text, uint32_t item) {
  return item + 1 < text->n_items && text->items[item + 1].parent == item;
}

bool cul_text_element_of(const struct cul_text *text, uint32_t from,
                         uint32_t to, uint32_t k, uint32_t *first,
                         uint32_t *end) {
  *first = from;
  for (uint32_t i = from;; i = cul_text_after(text, i)) {
    if (i < to && !cul_text_is_char(text, i, ','))
      continue;
    *end = i;
    if (k-- == 0)
      return *first < i;
    if (i >= to)
      return false;
    *first = i + 1;
  }
}

bool cul_text_element(const struct cul_text *text, uint32_t open, uint32_t k,
                      uint32_t *first, uint32_t *end) {
  return cul_text_element_of(text, open + 1, text->tokens[open].match, k, first,
                             end);
}

uint32_t cul_text_elements_of(const struct cul_text *text, uint32_t from,
                              uint32_t to) {
  uint32_t n = 0, first, end;
  while (cul_text_element_of(text, from, to, n, &first, &end))
    n++;
  return n;
}

uint32_t cul_text_elements(const struct cul_text *text, uint32_t open) {
  return cul_text_elements_of(text, open + 1, text->tokens[open].match);
}

bool cul_text_erase_element(struct cul_text *text, uint32_t first,
                            uint32_t end) {
  bool any = cul_text_erase_tokens(text, first, end);
  if (cul_text_is_char(text, first, ',') || !any)
    return any;
  if (cul_text_is_char(text, end, ',') && cul_text_erase_token(text, end))
    return true;
  while (first > 0 && text->tokens[first - 1].dead)
    first--;
  if (cul_text_is_char(text, first - 1, ','))
    cul_text_erase_token(text, first - 1);
  return true;
}

/* ---- symbols ---- */

/* Is the token a word without a sigil? */
static bool is_plain(const struct cul_text *text, uint32_t token) {
  const struct cul_token *t = &text->tokens[token];
  return t->kind == CUL_TOKEN_WORD &&
         !strchr(text->lang->sigils, text->bytes[t->start]);
}

/* MLIR: is the value labelled with the name of a parameter, as in "a: %x"? */
static bool text_is_labelled(const struct cul_text *text, uint32_t token) {
  return token >= 2 && cul_text_is_char(text, token - 1, ':') &&
         is_plain(text, token - 2);
}

/* Is the line an operation that defines the symbol, with only words before it
 * ("op private @f"), and that ends in a "{" which contains lines? */
static bool defines_lines(const struct cul_text *text, uint32_t line,
                          uint32_t symbol) {
  uint32_t last = cul_text_last_token(text, line);
  for (uint32_t i = text->lines[line].first; i < symbol; i++)
    if (!is_plain(text, i))
      return false;
  return text->lang->dimensions && cul_text_is_marked(text, symbol, '@') &&
         cul_text_opens(text, last, '{') &&
         text->tokens[text->tokens[last].match].line > line;
}

/* Does this line define the symbol at token i?  Its first word decides: func
 * and global define one, call refers to one. */
static bool text_defines_symbol(const struct cul_text *text, uint32_t line,
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
    while (i < end && is_plain(text, i))
      i++;
    if (i + 1 < end && cul_text_is_marked(text, i, '%') &&
        cul_text_is_char(text, i + 1, ':'))
      return i;
  }
  return CUL_TEXT_NONE;
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
  return text_defines_symbol(text, line, symbol) ||
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

/* ---- names ---- */

/* Definitions and uses of names.
 *
 * A name of MLIR is visible in the region that defines it and in nested
 * regions; printers reuse names in sibling regions.  So a definition is stored
 * under (name, scope), and a use is looked up in the enclosing scopes,
 * innermost first.  The order within a scope does not matter (loops of blocks,
 * graph regions).  A scope is a body of items, or an item itself for the
 * arguments and induction variables that its header defines. */

/* Maximal number of scopes in which a name is looked up. */
#define MAX_DEPTH 256

struct entry {
  uint32_t token, scope; /* token: the definition; CUL_TEXT_NONE: free */
};

/* The scope of a body. */
struct scope {
  uint32_t of;    /* a label's body is the scope of its siblings */
  uint32_t owner; /* the item that has this body, or NONE */
};

struct resolver {
  const struct cul_text *text;
  struct scope *scopes; /* index: group */
  struct entry *table;
  size_t mask;
  uint32_t *def, *clash;
  bool *shared;
};

/* The scope of names that are visible everywhere. */
#define EVERYWHERE (CUL_TEXT_NONE - 1)

static uint32_t item_scope(const struct resolver *r, uint32_t item) {
  return r->text->n_groups + item;
}

static uint32_t body_scope(const struct resolver *r, uint32_t item) {
  return r->scopes[r->text->items[item].group].of;
}

/* The enclosing scope, or CUL_TEXT_NONE. */
static uint32_t outer(const struct resolver *r, uint32_t scope) {
  if (scope >= r->text->n_groups)
    return body_scope(r, scope - r->text->n_groups);
  return r->scopes[scope].owner == CUL_TEXT_NONE
             ? CUL_TEXT_NONE
             : item_scope(r, r->scopes[scope].owner);
}

static void find_scopes(struct resolver *r) {
  const struct cul_text_item *items = r->text->items;
  r->scopes = cul_xcalloc(r->text->n_groups, sizeof *r->scopes);
  for (size_t i = 0; i < r->text->n_items; i++) {
    uint32_t parent = items[i].parent, group = items[i].group;
    bool label = parent != CUL_TEXT_NONE && items[parent].label;
    if (items[i].starts)
      r->scopes[group] =
          (struct scope){label ? body_scope(r, parent) : group, parent};
  }
}

/* The bytes of a name without sigil and quotes: "f", @"f" and @f are the same
 * name. */
static struct cul_bytes name_of(const struct cul_text *text, uint32_t token) {
  struct cul_bytes name = cul_text_token(text, token);
  if (name.len && strchr("%@^#!", name.data[0])) {
    name.data++;
    name.len--;
  }
  if (name.len >= 2 && name.data[0] == '"') {
    name.data++;
    name.len -= 2;
  }
  return name;
}

/* The kind of a name.  Values, symbols, blocks and aliases have separate names;
 * labels of LLVM are values without a sigil, symbols of generic MLIR are
 * strings. */
static char kind_of(const struct cul_text *text, uint32_t token) {
  char c = text->bytes[text->tokens[token].start];
  return c == '"' ? '@' : strchr("@^#!", c) ? c : '%';
}

static bool same_name(const struct resolver *r, uint32_t a, uint32_t b) {
  return kind_of(r->text, a) == kind_of(r->text, b) &&
         cul_bytes_equal(name_of(r->text, a), name_of(r->text, b));
}

/* The entry of (name, scope), or the free one for it. */
static struct entry *locate(const struct resolver *r, uint32_t token,
                            uint32_t scope) {
  struct cul_bytes name = name_of(r->text, token);
  size_t at = cul_digest_of(name.data, name.len).w[0] + scope * 0x9e3779b9u;
  for (;; at++) {
    struct entry *e = &r->table[at & r->mask];
    if (e->token == CUL_TEXT_NONE ||
        (e->scope == scope && same_name(r, e->token, token)))
      return e;
  }
}

static void define(struct resolver *r, uint32_t token, uint32_t scope) {
  struct entry *e = locate(r, token, scope);
  if (e->token == CUL_TEXT_NONE)
    *e = (struct entry){.token = token, .scope = scope};
  else if (e->token != token && *r->clash == CUL_TEXT_NONE &&
           (kind_of(r->text, token) == '%' || kind_of(r->text, token) == '^'))
    *r->clash = token;
  r->def[token] = token;
  e = locate(r, token, EVERYWHERE);
  if (e->token == CUL_TEXT_NONE)
    *e = (struct entry){.token = token, .scope = EVERYWHERE};
  else if (e->token != token)
    r->shared[e->token] = r->shared[token] = true;
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

/* Is token i an argument: "%x:", or "%x =" after the start of a line; among the
 * parameters of a function, "%x :"? */
static bool is_argument(const struct cul_text *text, uint32_t i, uint32_t end,
                        bool parameter) {
  const struct cul_token *t = &text->tokens[i];
  if (i + 1 >= end || !cul_text_is_marked(text, i, '%') ||
      text_is_labelled(text, i))
    return false;
  return cul_text_is_char(text, i + 1, '=') ||
         (cul_text_is_char(text, i + 1, ':') &&
          (parameter || t[1].start == t->start + t->len));
}

/* The end of the parameters in the line from token *first on.  Without
 * parameters, *first is set to the end. */
static uint32_t parameters_end(const struct cul_text *text, uint32_t line,
                               uint32_t *first) {
  const struct cul_text_item *item = &text->items[text->lines[line].item];
  bool more = item->list && item->parent != CUL_TEXT_NONE;
  uint32_t header = more ? text->items[item->parent].first : line, open;
  *first = 0;
  if (!text->lang->dimensions)
    return 0;
  open = cul_text_header(text, header);
  if (open == CUL_TEXT_NONE || text->tokens[open].match == CUL_TEXT_NONE)
    return 0;
  *first = open;
  return text->tokens[open].match;
}

/* The end of a list at token i that defines values, "(%i, %j) =" or "(%i, %j)
 * in"; i: it is not one. */
static uint32_t tuple_end(const struct cul_text *text, uint32_t i,
                          uint32_t end) {
  uint32_t close = text->tokens[i].match;
  return cul_text_is_char(text, i, '(') && close != CUL_TEXT_NONE &&
                 close + 1 < end &&
                 (cul_text_is_char(text, close + 1, '=') ||
                  cul_text_token_is(text, close + 1, "in"))
             ? close
             : i;
}

/* The scope of the arguments that a line defines. */
static uint32_t argument_scope(const struct resolver *r, uint32_t line) {
  const struct cul_text *text = r->text;
  uint32_t item = text->lines[line].item;
  const struct cul_text_item *it = &text->items[item];
  if (it->label)
    return body_scope(r, item);
  /* a line of a long argument list is an item inside its operation */
  if (it->first == line && it->end == line + 1 && it->parent != CUL_TEXT_NONE &&
      cul_text_is_marked(text, text->lines[line].first, '%'))
    return item_scope(r, it->parent);
  return item_scope(r, item);
}

static void define_symbols(struct resolver *r, uint32_t line) {
  const struct cul_text *text = r->text;
  const struct cul_line *l = &text->lines[line];
  for (uint32_t i = l->first; i < l->first + l->n; i++)
    if ((cul_text_is_marked(text, i, '@') ||
         text->tokens[i].kind == CUL_TOKEN_STRING) &&
        text_defines_symbol(text, line, i)) {
      define(r, i, 0);
      return;
    }
}

/* Add the definition of an alias: "#map = ...", "!t = ..."; in LLVM IR "!0 =
 * ...", "attributes #0 = ...". */
static void define_alias(struct resolver *r, uint32_t line) {
  const struct cul_text *text = r->text;
  uint32_t i = text->lines[line].first;
  uint32_t end = i + text->lines[line].n;
  i += cul_text_token_is(text, i, "attributes");
  if (i + 1 < end && cul_text_is_alias(text, i) &&
      cul_text_is_char(text, i + 1, '='))
    define(r, i, 0);
}

/* Add the definitions of a line.  In the header of an LLVM IR function, every
 * name is an argument. */
static void define_line(struct resolver *r, uint32_t line) {
  const struct cul_text *text = r->text;
  const struct cul_line *l = &text->lines[line];
  uint32_t end = l->first + l->n, results = l->first, list;
  uint32_t list_end = parameters_end(text, line, &list);
  bool llvm =
      cul_text_is(text, "llvm") && cul_text_token_is(text, l->first, "define");
  define_symbols(r, line);
  define_alias(r, line);
  if (cul_text_results(text, line, &results))
    for (uint32_t i = l->first; i < results; i++)
      if (cul_text_is_marked(text, i, '%'))
        define(r, i, body_scope(r, l->item));
  for (uint32_t i = results, tuple = i; i < end; i++) {
    if (i >= tuple)
      tuple = tuple_end(text, i, end);
    if (is_argument(text, i, end, i > list && i < list_end) ||
        ((i < tuple || llvm) && cul_text_is_marked(text, i, '%')))
      define(r, i, llvm ? item_scope(r, l->item) : argument_scope(r, line));
  }
  if (l->n >= 2 && text->items[l->item].label)
    define(r, l->first, body_scope(r, l->item));
}

/* The token after the name of an instruction, also of "@%p1 add.s32"; NONE: the
 * line is not an instruction. */
static uint32_t ptx_operands(const struct cul_text *text, uint32_t line) {
  const struct cul_line *l = &text->lines[line];
  uint32_t i = l->first, end = l->first + l->n;
  while (i < end &&
         (cul_text_is_char(text, i, '@') || cul_text_is_char(text, i, '!') ||
          cul_text_is_marked(text, i, '%')))
    i++;
  return i < end && text->tokens[i].kind == CUL_TOKEN_WORD &&
                 !cul_text_is_marked(text, i, '.') &&
                 !cul_text_is_marked(text, i, '$')
             ? i + 1
             : CUL_TEXT_NONE;
}

/* Add the definition of a PTX line.  The first operand of an instruction is its
 * destination, unless it is an address.  A register may be written more than
 * once: the first line defines it, and the others use it, so that they are
 * erased with it. */
static void define_ptx(struct resolver *r, uint32_t line) {
  const struct cul_text *text = r->text;
  const struct cul_line *l = &text->lines[line];
  uint32_t scope = body_scope(r, l->item);
  uint32_t i = ptx_operands(text, line), end = l->first + l->n;
  bool vector = i < end && cul_text_is_char(text, i, '{');
  if (i == CUL_TEXT_NONE)
    return;
  for (i += vector; i < end && cul_text_is_marked(text, i, '%'); i += 2) {
    if (locate(r, i, scope)->token == CUL_TEXT_NONE)
      define(r, i, scope);
    if (i + 1 >= end || !cul_text_is_char(text, i + 1, vector ? ',' : '|'))
      break;
  }
}

static uint32_t resolve(const struct resolver *r, uint32_t token,
                        uint32_t scope) {
  for (int i = 0; i < MAX_DEPTH && scope != CUL_TEXT_NONE; i++) {
    const struct entry *e = locate(r, token, scope);
    if (e->token != CUL_TEXT_NONE)
      return e->token;
    scope = outer(r, scope);
  }
  return CUL_TEXT_NONE;
}

bool cul_text_is_value(struct cul_bytes word) {
  size_t i = 1;
  while (i < word.len && isdigit((unsigned char)word.data[i]))
    i++;
  return word.len > 1 && i == word.len && strchr("TSV", word.data[0]);
}

/* Is the token the name of a value, and not the y of x.y? */
static bool names_value(const struct cul_text *text, uint32_t token) {
  return text->tokens[token].kind == CUL_TOKEN_WORD &&
         cul_text_is_value(cul_text_token(text, token)) &&
         !cul_text_is_char(text, token - 1, '.');
}

/* Add the definitions of "T1, T2 = fd. ...", which are visible in the
 * function. */
static void define_nvfuser(struct resolver *r, uint32_t line) {
  const struct cul_line *l = &r->text->lines[line];
  uint32_t i = l->first, end = l->first + l->n;
  while (i < end &&
         (names_value(r->text, i) || cul_text_is_char(r->text, i, ',')))
    i++;
  if (!cul_text_is_char(r->text, i, '=') ||
      !cul_text_token_is(r->text, i + 1, "fd"))
    return;
  while (i-- > l->first)
    if (names_value(r->text, i))
      define(r, i, body_scope(r, l->item));
}

/* Resolve names to earlier definitions only. */
static void resolve_nvfuser(struct resolver *r, uint32_t line) {
  const struct cul_line *l = &r->text->lines[line];
  for (uint32_t i = l->first; i < l->first + l->n; i++)
    if (r->def[i] == CUL_TEXT_NONE && names_value(r->text, i)) {
      uint32_t def = resolve(r, i, item_scope(r, l->item));
      r->def[i] = def != CUL_TEXT_NONE && r->text->tokens[def].line < line
                      ? def
                      : CUL_TEXT_NONE;
    }
}

static void resolve_line(struct resolver *r, uint32_t line) {
  const struct cul_text *text = r->text;
  const struct cul_line *l = &text->lines[line];
  bool whole = cul_text_is(text, "spirv");
  for (uint32_t i = l->first; i < l->first + l->n; i++)
    if (r->def[i] != CUL_TEXT_NONE || text->tokens[i].kind != CUL_TOKEN_WORD)
      continue;
    else if (cul_text_starts(text, i, '@') || cul_text_is_alias(text, i))
      r->def[i] = resolve(r, i, 0);
    else if (cul_text_starts(text, i, '%') || cul_text_starts(text, i, '^'))
      r->def[i] = resolve(r, i, whole ? 0 : item_scope(r, l->item));
}

static void list_uses(const struct cul_text *text,
                      struct cul_text_names *names) {
  uint32_t *at = cul_xcalloc(text->n_tokens + 2, sizeof *at);
  size_t n = 0;
  for (uint32_t i = 0; i < text->n_tokens; i++)
    if (names->def[i] != CUL_TEXT_NONE && names->def[i] != i)
      at[names->def[i] + 1]++, n++;
  for (size_t i = 1; i <= text->n_tokens; i++)
    at[i] += at[i - 1];
  names->uses = cul_xreallocarray(NULL, n + 1, sizeof *names->uses);
  names->first_use =
      cul_xreallocarray(NULL, text->n_tokens + 1, sizeof *names->first_use);
  memcpy(names->first_use, at, (text->n_tokens + 1) * sizeof *at);
  for (uint32_t i = 0; i < text->n_tokens; i++)
    if (names->def[i] != CUL_TEXT_NONE && names->def[i] != i)
      names->uses[at[names->def[i]]++] = i;
  free(at);
}

static void make_table(struct resolver *r) {
  size_t size = 64;
  while (size < 4 * r->text->n_tokens)
    size *= 2;
  r->table = cul_xreallocarray(NULL, size, sizeof *r->table);
  for (size_t i = 0; i < size; i++)
    r->table[i].token = CUL_TEXT_NONE;
  r->mask = size - 1;
}

static bool has_names(const struct cul_text *text) {
  return cul_text_is(text, "ptx") || cul_text_is(text, "spirv") ||
         cul_text_is(text, "nvfuser") ||
         (strchr(text->lang->sigils, '@') && *text->lang->sigils);
}

/* Add the definition of "%x =", which is visible in the whole module. */
static void define_spirv(struct resolver *r, uint32_t line) {
  const struct cul_line *l = &r->text->lines[line];
  if (l->n > 2 && cul_text_is_marked(r->text, l->first, '%') &&
      cul_text_is_char(r->text, l->first + 1, '='))
    define(r, l->first, 0);
}

static void find_definitions(const struct cul_text *text,
                             struct cul_text_names *names) {
  struct resolver r = {.text = text,
                       .def = names->def,
                       .clash = &names->clash,
                       .shared = names->shared};
  bool ptx = cul_text_is(text, "ptx"), spirv = cul_text_is(text, "spirv");
  bool nvfuser = cul_text_is(text, "nvfuser");
  find_scopes(&r);
  make_table(&r);
  for (uint32_t i = 0; i < text->n_lines; i++)
    if (text->lines[i].n)
      (ptx       ? define_ptx
       : spirv   ? define_spirv
       : nvfuser ? define_nvfuser
                 : define_line)(&r, i);
  for (uint32_t i = 0; i < text->n_lines; i++)
    (nvfuser ? resolve_nvfuser : resolve_line)(&r, i);
  free(r.scopes);
  free(r.table);
}

const struct cul_text_names *cul_text_names(struct cul_text *text) {
  struct cul_text_names *names = text->names;
  if (names)
    return names;
  names = cul_xcalloc(1, sizeof *names);
  names->clash = CUL_TEXT_NONE;
  names->def = cul_xreallocarray(NULL, text->n_tokens + 1, sizeof *names->def);
  names->shared = cul_xcalloc(text->n_tokens + 1, sizeof *names->shared);
  for (size_t i = 0; i <= text->n_tokens; i++)
    names->def[i] = CUL_TEXT_NONE;
  if (has_names(text))
    find_definitions(text, names);
  list_uses(text, names);
  return text->names = names;
}

bool cul_text_use(struct cul_text *text, uint32_t def, uint32_t i,
                  uint32_t *use) {
  const struct cul_text_names *names = cul_text_names(text);
  if (names->first_use[def] + i >= names->first_use[def + 1])
    return false;
  *use = names->uses[names->first_use[def] + i];
  return true;
}

void cul_text_names_free(struct cul_text_names *names) {
  if (!names)
    return;
  free(names->def);
  free(names->first_use);
  free(names->uses);
  free(names->shared);
  free(names->shapes);
  free(names);
}
