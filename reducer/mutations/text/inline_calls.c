/* text-inline-calls: erase a Python function that is called once.  Its body
 * goes before the statement with the call, with the arguments in place of the
 * parameters; the expression that it returns replaces the call. */
#include "../../subject/text/language/only_call.h"
#include "../../subject/text/language/terms.h"
#include "../../subject/text/ops.h"
#include "sites.h"

static uint32_t weigh(struct cul_text *text, uint32_t item) {
  struct cul_text_only_call call;
  return text->lang->indents && cul_text_only_call(text, item, &call)
             ? text->tokens[call.open].match - call.open + 4
             : 0;
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
static void fill_in(struct cul_text *text,
                    const struct cul_text_only_call *call) {
  uint32_t from = cul_text_first_token(text, call->body), name, first, end;
  for (uint32_t k = 0; cul_text_element(text, call->open, k, &name, &end);
       k++) {
    CUL_HEAP char *with = NULL;
    (void)cul_text_handed(text, call, k, name, &first, &end);
    with =
        cul_text_written(text, first, end, !cul_text_is_term(text, first, end));
    for (uint32_t i = from; i < cul_text_item_end(text, call->item); i++)
      if (cul_text_is_name(text, i) && cul_text_same(text, i, name) &&
          !is_keyword(text, i))
        cul_text_replace(text, i, with);
  }
}

/* Append the statements, each after a line feed and the indentation of the
 * calling statement, except for the first. */
static void add_body(const struct cul_text *text,
                     const struct cul_text_only_call *call,
                     struct cul_buf *out) {
  uint32_t indent = text->lines[text->tokens[call->start].line].indent;
  uint32_t inside = text->lines[call->body].indent;
  for (uint32_t line = call->body; line < call->end; line++) {
    const struct cul_line *l = &text->lines[line];
    uint32_t deeper = l->indent > inside ? l->indent - inside : 0;
    CUL_HEAP char *with = NULL;
    if (!l->n || cul_text_is_dead(text, line))
      continue;
    with = cul_text_written(text, l->first, l->first + l->n, false);
    if (out->len)
      cul_buf_addf(out, "\n%*s", (int)(indent + deeper), "");
    cul_buf_adds(out, with);
  }
}

/* ---- the edit ---- */

/* The text that replaces the call; "" if there is no value, and the call is the
 * whole statement. */
static char *value_of(const struct cul_text *text,
                      const struct cul_text_only_call *call) {
  bool all = call->start == call->at &&
             call->close + 1 == cul_text_line_end(text, call->close);
  if (call->value == call->value_end)
    return cul_xstrdup(all ? "" : "None");
  return cul_text_written(
      text, call->value, call->value_end,
      !cul_text_is_term(text, call->value, call->value_end) &&
          !cul_text_stands_alone(text, call->at, call->close + 1));
}

static void put(struct cul_text *text, const struct cul_text_only_call *call) {
  uint32_t indent = text->lines[text->tokens[call->start].line].indent;
  struct cul_bytes bytes = cul_text_token(text, call->start);
  CUL_OWNED(cul_buf) out = {0};
  CUL_HEAP char *value = NULL;
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
}

static bool inline_call(struct cul_text *text, uint64_t item) {
  struct cul_text_only_call call;
  if (!cul_text_only_call(text, (uint32_t)item, &call) ||
      !cul_text_is_live(text, call.name) || !cul_text_is_live(text, call.at) ||
      cul_text_replaced(text, call.start))
    return false;
  put(text, &call);
  return cul_text_erase_item(text, call.item);
}

CUL_TEXT(text_inline_calls, .items = weigh, .edit = inline_call);
