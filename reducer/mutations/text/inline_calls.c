/* text-inline-calls: erase a Python function that is called once.  Its body
 * goes before the statement with the call, with the arguments in place of the
 * parameters; the expression that it returns replaces the call. */
#include <stdlib.h>

#include "../../subject/text/language/terms.h"
#include "../../subject/text/ops.h"
#include "sites.h"

/* A top-level function, and the only call of it. */
struct call {
  uint32_t item, name, open; /* "def name(" */
  uint32_t start;            /* first token of the statement around the call */
  uint32_t at, close;        /* the name in the call, and ")" */
  uint32_t body, end;        /* lines before the return, or to the end */
  uint32_t value, value_end; /* tokens after "return"; equal: none */
};

/* ---- the function ---- */

static bool find_header(const struct cul_text *text, uint32_t item,
                        struct call *out) {
  const struct cul_text_item *it = &text->items[item];
  uint32_t first = cul_text_definition(text, item);
  if (it->parent != CUL_TEXT_NONE || !cul_text_token_is(text, first, "def") ||
      cul_text_line_end(text, first) < first + 3 ||
      text->tokens[first + 2].kind != CUL_TOKEN_OPEN)
    return false;
  *out = (struct call){.item = item, .name = first + 1, .open = first + 2};
  out->body = text->tokens[text->tokens[out->open].match].line + 1;
  out->end = it->end;
  while (out->end > out->body && !text->lines[out->end - 1].n)
    out->end--;
  return out->body < out->end;
}

/* Find the only "return", which must be the last statement; true also if there
 * is none. */
static bool find_return(const struct cul_text *text, struct call *call) {
  uint32_t end = cul_text_first_token(text, call->end);
  uint32_t i = cul_text_first_token(text, call->body);
  uint32_t indent = text->lines[call->body].indent;
  const struct cul_line *l;
  while (i < end && !cul_text_is_word(text, i, " return yield "))
    i++;
  call->value = call->value_end = end;
  if (i == end)
    return true;
  l = &text->lines[text->tokens[i].line];
  if (cul_text_token_is(text, i, "yield") || l->first != i ||
      l->indent != indent)
    return false;
  call->value = i + 1;
  for (const struct cul_line *k = l + 1; k < text->lines + call->end; k++)
    if (k->n && k->indent <= indent)
      return false;
  call->end = text->tokens[i].line;
  return true;
}

/* Is each parameter a name, not "*x"? */
static bool has_names(const struct cul_text *text, uint32_t open) {
  uint32_t first, end, k = 0;
  while (cul_text_element(text, open, k, &first, &end) &&
         cul_text_is_name(text, first))
    k++;
  return !cul_text_element(text, open, k, &first, &end);
}

/* Find the only other use of the name: a call "name(...)", outside of the
 * function, in a statement before which others can be inserted. */
static bool find_place(const struct cul_text *text, struct call *call) {
  uint32_t n = 0, item;
  for (uint32_t i = 0; i < text->n_tokens; i++)
    if (i != call->name && cul_text_is_name(text, i) &&
        cul_text_same(text, i, call->name))
      call->at = i, n++;
  if (n != 1 || !cul_text_opens(text, call->at + 1, '('))
    return false;
  item = cul_text_item_at(text, call->at);
  while (item != CUL_TEXT_NONE && text->items[item].list)
    item = text->items[item].parent;
  if (item == CUL_TEXT_NONE || cul_text_is_inside(text, item, call->item))
    return false;
  call->start = cul_text_item_first(text, item);
  call->close = text->tokens[call->at + 1].match;
  return !cul_text_is_word(text, call->start, " while elif @ def class ");
}

/* ---- arguments ---- */

/* Find the expression for the parameter [name, *end): by position, after
 * "name=" in the call, or the default; false without one. */
static bool find_handed(const struct cul_text *text, const struct call *call,
                        uint32_t k, uint32_t name, uint32_t *first,
                        uint32_t *end) {
  uint32_t list = call->at + 1, stop = *end;
  if (cul_text_element(text, list, k, first, end) &&
      !cul_text_is_char(text, *first + 1, '='))
    return true;
  for (k = 0; cul_text_element(text, list, k, first, end); k++)
    if (cul_text_same(text, *first, name) &&
        cul_text_is_char(text, *first + 1, '='))
      return *first += 2, true;
  for (*first = name, *end = stop;
       *first < stop && !cul_text_is_char(text, *first, '=');)
    *first = cul_text_after(text, *first);
  return ++*first < stop;
}

static bool is_handed(const struct cul_text *text, const struct call *call) {
  uint32_t k = 0, name, first, end;
  while (cul_text_element(text, call->open, k, &name, &end) &&
         find_handed(text, call, k, name, &first, &end))
    k++;
  return !cul_text_element(text, call->open, k, &name, &end);
}

static bool find(const struct cul_text *text, uint32_t item, struct call *out) {
  return find_header(text, item, out) && find_return(text, out) &&
         has_names(text, out->open) && find_place(text, out) &&
         is_handed(text, out);
}

static void sites(struct cul_text *text, struct cul_sites *out) {
  struct call call;
  for (uint32_t i = 0; text->lang->indents && i < text->n_items; i++)
    if (find(text, i, &call))
      cul_sites_add(out, NULL, i,
                    text->tokens[call.open].match - call.open + 4);
}

/* ---- the body ---- */

/* Is it a keyword argument, as in "f(x, name=...)", not a statement "name =
 * ..."? */
static bool is_keyword(const struct cul_text *text, uint32_t token) {
  const struct cul_line *l = &text->lines[text->tokens[token].line];
  return cul_text_is_char(text, token + 1, '=') &&
         (cul_text_item_first(text, l->item) != token ||
          text->items[l->item].list);
}

/* Replace the parameters by the arguments. */
static void fill_in(struct cul_text *text, const struct call *call) {
  uint32_t from = cul_text_first_token(text, call->body), name, first, end;
  for (uint32_t k = 0; cul_text_element(text, call->open, k, &name, &end);
       k++) {
    char *with;
    (void)find_handed(text, call, k, name, &first, &end);
    with =
        cul_text_written(text, first, end, !cul_text_is_term(text, first, end));
    for (uint32_t i = from; i < cul_text_item_end(text, call->item); i++)
      if (cul_text_is_name(text, i) && cul_text_same(text, i, name) &&
          !is_keyword(text, i))
        cul_text_replace(text, i, with);
    free(with);
  }
}

/* Append the statements, each after a line feed and the indentation of the
 * calling statement, except for the first. */
static void add_body(const struct cul_text *text, const struct call *call,
                     struct cul_buf *out) {
  uint32_t indent = text->lines[text->tokens[call->start].line].indent;
  uint32_t inside = text->lines[call->body].indent;
  for (uint32_t line = call->body; line < call->end; line++) {
    const struct cul_line *l = &text->lines[line];
    uint32_t deeper = l->indent > inside ? l->indent - inside : 0;
    char *with;
    if (!l->n || cul_text_is_dead(text, line))
      continue;
    with = cul_text_written(text, l->first, l->first + l->n, false);
    if (out->len)
      cul_buf_addf(out, "\n%*s", (int)(indent + deeper), "");
    cul_buf_adds(out, with);
    free(with);
  }
}

/* ---- the edit ---- */

/* The text that replaces the call; "" if there is no value, and the call is the
 * whole statement. */
static char *value_of(const struct cul_text *text, const struct call *call) {
  bool all = call->start == call->at &&
             call->close + 1 == cul_text_line_end(text, call->close);
  if (call->value == call->value_end)
    return cul_xstrdup(all ? "" : "None");
  return cul_text_written(
      text, call->value, call->value_end,
      !cul_text_is_term(text, call->value, call->value_end) &&
          !cul_text_stands_alone(text, call->at, call->close + 1));
}

static void put(struct cul_text *text, const struct call *call) {
  uint32_t indent = text->lines[text->tokens[call->start].line].indent;
  struct cul_bytes bytes = cul_text_token(text, call->start);
  struct cul_buf out = {0};
  char *value;
  fill_in(text, call);
  value = value_of(text, call);
  add_body(text, call, &out);
  if (out.len && *value)
    cul_buf_addf(&out, "\n%*s", (int)indent, "");
  if (call->start != call->at) {
    cul_buf_add(&out, bytes.data, bytes.len);
    cul_text_rewrite(text, call->at, "%s", value);
  } else {
    cul_buf_adds(&out, value);
  }
  cul_text_rewrite(text, call->start, "%s",
                   out.len ? cul_buf_str(&out) : "None");
  cul_text_erase_tokens(text, call->at + 1, call->close + 1);
  cul_buf_release(&out);
  free(value);
}

static bool inline_call(struct cul_text *text, uint64_t item) {
  struct call call;
  if (!find(text, (uint32_t)item, &call) ||
      !cul_text_is_live(text, call.name) || !cul_text_is_live(text, call.at) ||
      cul_text_replaced(text, call.start))
    return false;
  put(text, &call);
  return cul_text_erase_item(text, call.item);
}

const struct cul_text_each cul_mutation_text_inline_calls = {
    .list = sites, .edit = inline_call};
