/* Python: a function that is called once goes; its body stands before the
 * statement that calls it, with what it is handed in place of the parameters,
 * and what it returns in place of the call. */
#include <stdlib.h>
#include <string.h>

#include "../../subject/text/ops.h"
#include "../language/terms.h"

enum { MOST = 64 }; /* parameters */

/* A function on top of the text, and the one call of it. */
struct call {
  uint32_t item, name, open; /* "def name(" */
  uint32_t at;               /* the name where it is called */
  uint32_t body, end;        /* lines before the return, or to the end */
  uint32_t value, value_end; /* tokens behind "return"; equal: none */
  uint32_t n_parameters, parameters[MOST];
  char *handed[MOST]; /* heap */
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

/* One "return", and it is the last statement; or none. */
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

static bool find_parameters(const struct cul_text *text, struct call *call) {
  uint32_t first, end, k = 0;
  for (; cul_text_element(text, call->open, k, &first, &end); k++) {
    if (k == MOST || !cul_text_is_name(text, first))
      return false;
    call->parameters[k] = first;
  }
  call->n_parameters = k;
  return true;
}

/* ---- the call ---- */

/* The item of the statement around the call, or CUL_TEXT_NONE. */
static uint32_t statement_of(const struct cul_text *text,
                             const struct call *call) {
  uint32_t item = cul_text_item_at(text, call->at);
  while (item != CUL_TEXT_NONE && text->items[item].list)
    item = text->items[item].parent;
  return item;
}

/* The only place of the name beside the definition, "name(...)", outside of
 * it, in a statement that others may stand before. */
static bool find_place(const struct cul_text *text, struct call *call) {
  uint32_t n = 0, item;
  for (uint32_t i = 0; i < text->n_tokens; i++)
    if (i != call->name && cul_text_is_name(text, i) &&
        cul_text_same(text, i, call->name))
      call->at = i, n++;
  if (n != 1 || !cul_text_opens(text, call->at + 1, '('))
    return false;
  item = statement_of(text, call);
  return item != CUL_TEXT_NONE && !cul_text_is_inside(text, item, call->item) &&
         !cul_text_is_word(text, cul_text_item_first(text, item),
                           " while elif @ def class ");
}

static bool find(const struct cul_text *text, uint32_t item, struct call *out) {
  return find_header(text, item, out) && find_return(text, out) &&
         find_parameters(text, out) && find_place(text, out);
}

static void sites(struct cul_text *text, struct cul_sites *out) {
  struct call call;
  for (uint32_t i = 0; text->lang->indents && i < text->n_items; i++)
    if (find(text, i, &call))
      cul_sites_add(out, NULL, i,
                    text->tokens[call.open].match - call.open + 4);
}

/* ---- what is handed over ---- */

static char *written(const struct cul_text *text, uint32_t first,
                     uint32_t end) {
  return cul_text_written(text, first, end,
                          !cul_text_is_term(text, first, end));
}

/* "name=" says of which parameter it is, else the place does; what nothing is
 * handed for has a default: "name: type = default". */
static bool hand_over(const struct cul_text *text, struct call *call) {
  uint32_t first, end, k;
  for (uint32_t i = 0; cul_text_element(text, call->at + 1, i, &first, &end);
       i++) {
    bool named = cul_text_is_char(text, first + 1, '=');
    for (k = named ? 0 : i; named && k < call->n_parameters; k++)
      if (cul_text_same(text, call->parameters[k], first))
        break;
    if (k >= call->n_parameters || call->handed[k])
      return false;
    call->handed[k] = written(text, named ? first + 2 : first, end);
  }
  for (k = 0; k < call->n_parameters; k++) {
    if (call->handed[k] || !cul_text_element(text, call->open, k, &first, &end))
      continue;
    while (first < end && !cul_text_is_char(text, first, '='))
      first = cul_text_after(text, first);
    if (first + 1 >= end)
      return false;
    call->handed[k] = written(text, first + 1, end);
  }
  return true;
}

/* ---- the body ---- */

/* "f(x, name=...)", and no statement "name = ...". */
static bool is_keyword(const struct cul_text *text, uint32_t token) {
  const struct cul_line *l = &text->lines[text->tokens[token].line];
  return cul_text_is_char(text, token + 1, '=') &&
         (cul_text_item_first(text, l->item) != token ||
          text->items[l->item].list);
}

/* What stands for the token in the body. */
static struct cul_bytes instead(const struct cul_text *text,
                                const struct call *call, uint32_t token) {
  for (uint32_t k = 0; k < call->n_parameters; k++)
    if (!cul_text_replaced(text, token) && !is_keyword(text, token) &&
        cul_text_is_name(text, token) &&
        cul_text_same(text, call->parameters[k], token))
      return (struct cul_bytes){call->handed[k], strlen(call->handed[k])};
  return cul_text_now(text, token);
}

static void add_tokens(const struct cul_text *text, const struct call *call,
                       uint32_t first, uint32_t end, struct cul_buf *out) {
  for (uint32_t i = first; i < end; i++) {
    const struct cul_token *t = &text->tokens[i];
    struct cul_bytes bytes = instead(text, call, i);
    if (!cul_text_is_live(text, i))
      continue;
    if (i > first && t[-1].line == t->line)
      cul_buf_add(out, text->bytes + t[-1].start + t[-1].len,
                  t->start - t[-1].start - t[-1].len);
    else if (i > first)
      cul_buf_addc(out, ' ');
    cul_buf_add(out, bytes.data, bytes.len);
  }
}

/* Statements, each behind a line feed and `indent` spaces but for the first. */
static bool add_body(const struct cul_text *text, const struct call *call,
                     uint32_t indent, struct cul_buf *out) {
  uint32_t inside = text->lines[call->body].indent;
  bool any = false;
  for (uint32_t line = call->body; line < call->end; line++) {
    const struct cul_line *l = &text->lines[line];
    uint32_t deeper = l->indent > inside ? l->indent - inside : 0;
    if (!l->n || l->dead)
      continue;
    if (any)
      cul_buf_addf(out, "\n%*s", (int)(indent + deeper), "");
    add_tokens(text, call, l->first, l->first + l->n, out);
    any = true;
  }
  return any;
}

/* ---- the edit ---- */

/* The first token of that statement. */
static uint32_t start_of(const struct cul_text *text, const struct call *call) {
  return cul_text_item_first(text, statement_of(text, call));
}

static char *value_of(const struct cul_text *text, const struct call *call) {
  uint32_t close = text->tokens[call->at + 1].match;
  bool brackets = !cul_text_is_term(text, call->value, call->value_end) &&
                  !cul_text_stands_alone(text, call->at, close + 1);
  struct cul_buf out = {0};
  cul_buf_adds(&out, brackets ? "(" : "");
  add_tokens(text, call, call->value, call->value_end, &out);
  cul_buf_adds(&out, brackets ? ")" : "");
  return cul_buf_take(&out);
}

/* A statement that is nothing but the call. */
static bool is_all(const struct cul_text *text, const struct call *call) {
  uint32_t close = text->tokens[call->at + 1].match;
  return start_of(text, call) == call->at &&
         close + 1 == cul_text_line_end(text, close);
}

static void put(struct cul_text *text, const struct call *call) {
  uint32_t start = start_of(text, call),
           close = text->tokens[call->at + 1].match;
  uint32_t indent = text->lines[text->tokens[start].line].indent;
  bool returns = call->value < call->value_end, any;
  char *value = returns ? value_of(text, call) : cul_xstrdup("None");
  struct cul_buf out = {0};
  any = add_body(text, call, indent, &out);
  if (any && (returns || !is_all(text, call)))
    cul_buf_addf(&out, "\n%*s", (int)indent, "");
  if (start != call->at) {
    struct cul_bytes bytes = cul_text_token(text, start);
    cul_buf_add(&out, bytes.data, bytes.len);
    cul_text_rewrite(text, call->at, value);
  } else if (returns || !any) {
    cul_buf_adds(&out, value);
  }
  cul_text_rewrite(text, start, cul_buf_str(&out));
  cul_text_erase_tokens(text, call->at + 1, close + 1);
  cul_buf_release(&out);
  free(value);
}

static bool inline_call(struct cul_text *text, uint64_t item) {
  struct call call = {0};
  bool good =
      find(text, (uint32_t)item, &call) && cul_text_is_live(text, call.name) &&
      cul_text_is_live(text, call.at) &&
      !cul_text_replaced(text, start_of(text, &call)) && hand_over(text, &call);
  if (good) {
    put(text, &call);
    cul_text_erase_item(text, call.item);
  }
  for (uint32_t k = 0; k < call.n_parameters; k++)
    free(call.handed[k]);
  return good;
}

const struct cul_text_each cul_mutation_text_inline_calls = {
    .list = sites, .edit = inline_call};
