/* Functions of Python that are called once: see only_call.h. */
#include "only_call.h"

#include "../ops.h"
#include "terms.h"

/* ---- the function ---- */

static bool find_header(const struct cul_text *text, uint32_t item,
                        struct cul_text_only_call *out) {
  const struct cul_text_item *it = &text->items[item];
  uint32_t first = cul_text_definition(text, item);
  if (it->parent != CUL_TEXT_NONE || !cul_text_token_is(text, first, "def") ||
      cul_text_line_end(text, first) < first + 3 ||
      text->tokens[first + 2].kind != CUL_TOKEN_OPEN)
    return false;
  *out = (struct cul_text_only_call){
      .item = item, .name = first + 1, .open = first + 2};
  out->body = text->tokens[text->tokens[out->open].match].line + 1;
  out->end = it->end;
  while (out->end > out->body && !text->lines[out->end - 1].n)
    out->end--;
  return out->body < out->end;
}

/* Find the only "return", which must be the last statement; true also if there
 * is none. */
static bool find_return(const struct cul_text *text,
                        struct cul_text_only_call *call) {
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
static bool find_place(const struct cul_text *text,
                       struct cul_text_only_call *call) {
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

bool cul_text_handed(const struct cul_text *text,
                     const struct cul_text_only_call *call, uint32_t k,
                     uint32_t name, uint32_t *first, uint32_t *end) {
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

static bool is_handed(const struct cul_text *text,
                      const struct cul_text_only_call *call) {
  uint32_t k = 0, name, first, end;
  while (cul_text_element(text, call->open, k, &name, &end) &&
         cul_text_handed(text, call, k, name, &first, &end))
    k++;
  return !cul_text_element(text, call->open, k, &name, &end);
}

bool cul_text_only_call(const struct cul_text *text, uint32_t item,
                        struct cul_text_only_call *out) {
  return find_header(text, item, out) && find_return(text, out) &&
         has_names(text, out->open) && find_place(text, out) &&
         is_handed(text, out);
}
