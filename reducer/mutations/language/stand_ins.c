/* Values that can be read instead of others of their type: operands of the
 * statement that defines these, then what was defined last before it.  See
 * language.h. */
#include "../../subject/text/ops.h"
#include "language.h"

/* One search. */
struct search {
  struct cul_text *text;
  const struct cul_text_names *names;
  const struct cul_text_values *values;
  struct cul_text_result *result; /* which is to be replaced */
  bool live;                      /* only by what is left */
  struct cul_buf type;
};

static bool same(const struct cul_buf *a, const struct cul_buf *b) {
  return cul_bytes_equal(cul_buf_bytes(a), cul_buf_bytes(b));
}

/* Add a token that reads or defines a value of the type, defined elsewhere;
 * whether it does. */
static bool try(struct search *s, uint32_t token) {
  struct cul_text_result *result = s->result;
  uint32_t def = s->names->def[token], number;
  cul_text_result_number(s->text, token, &number);
  if (def == CUL_TEXT_NONE ||
      s->text->tokens[def].line == s->text->tokens[result->def].line ||
      (s->live && !cul_text_is_live(s->text, def)) ||
      !s->values->type(s->text, def, number, &s->type) ||
      !same(&s->type, &result->type))
    return false;
  for (uint32_t k = 0; s->values->distinct && k < result->n; k++)
    if (cul_text_same(s->text, result->with[k], token))
      return false;
  result->with[result->n++] = token;
  return true;
}

static void find_operands(struct search *s) {
  const struct cul_line *l =
      &s->text->lines[s->text->tokens[s->result->def].line];
  uint32_t most = CUL_TEXT_STAND_INS - s->values->always;
  for (uint32_t i = l->first; i < l->first + l->n && s->result->n < most; i++)
    if (s->names->def[i] != i)
      try(s, i);
}

/* Is what the token defines there wherever `item` is: a result before it in
 * one of the bodies around, no block between, or an argument of one of them? */
static bool dominates(const struct cul_text *text, uint32_t def,
                      uint32_t item) {
  uint32_t line = text->tokens[def].line, equals;
  uint32_t other = text->lines[line].item;
  const struct cul_text_item *it = &text->items[other];
  if (!cul_text_results(text, line, &equals) || def > equals)
    return it->list ? it->parent != CUL_TEXT_NONE &&
                          cul_text_is_inside(text, item, it->parent)
                    : cul_text_is_inside(text, item, other);
  while (item != CUL_TEXT_NONE && text->items[item].group != it->group)
    item = text->items[item].parent;
  return item != CUL_TEXT_NONE && item != other;
}

/* The value of its type that was defined last. */
static void find_before(struct search *s) {
  const struct cul_text *text = s->text;
  uint32_t item = cul_text_item_at(text, s->result->def), first = 0, seen = 0;
  struct cul_text_function function;
  if (cul_text_function_around(text, item, &function))
    first = cul_text_item_first(text, function.item);
  for (uint32_t i = cul_text_item_first(text, item);
       i-- > first && seen < s->values->before;)
    if (s->names->def[i] == i &&
        (!*text->lang->sigils || cul_text_starts(text, i, '%')) &&
        cul_text_results_of(text, i) == 1 && dominates(text, i, item)) {
      seen++;
      if (try(s, i))
        return;
    }
}

static void find(struct search *s, struct cul_text_result *result,
                 bool before) {
  s->result = result;
  if (!result->type.len)
    return;
  find_operands(s);
  if (s->values->always || (before && !result->n))
    find_before(s);
}

/* ---- the results of a statement ---- */

/* Is result `number` of several that token def defines read? */
static bool is_used(struct cul_text *text,
                    const struct cul_text_result *result) {
  uint32_t number;
  for (uint32_t u = 0, use; cul_text_use(text, result->def, u, &use); u++) {
    cul_text_result_number(text, use, &number);
    if (number == result->number)
      return true;
  }
  return false;
}

/* False: there are too many. */
static bool add_results(struct search *s, uint32_t def,
                        struct cul_text_results *results) {
  uint32_t n = cul_text_results_of(s->text, def);
  for (uint32_t k = 0; k < n; k++) {
    struct cul_text_result *new = &results->items[results->n];
    if (results->n == CUL_TEXT_RESULTS)
      return false;
    *new = (struct cul_text_result){.def = def, .number = k, .type = new->type};
    if (!s->values->type(s->text, def, k, &new->type))
      cul_buf_clear(&new->type);
    for (uint32_t r = 0; r < results->n; r++)
      new->rank += same(&results->items[r].type, &new->type);
    results->n++;
  }
  return true;
}

static bool list_results(struct search *s, uint32_t item,
                         struct cul_text_results *results) {
  uint32_t line = s->text->items[item].first, equals, def;
  results->n = 0;
  if (s->values->result)
    return (def = s->values->result(s->text, item)) != CUL_TEXT_NONE &&
           add_results(s, def, results);
  if (!cul_text_results(s->text, line, &equals))
    return false;
  for (uint32_t i = s->text->lines[line].first; i < equals; i++)
    if (s->names->def[i] == i && !add_results(s, i, results))
      return false;
  return true;
}

uint32_t cul_text_stand_ins(struct cul_text *text, uint32_t item,
                            struct cul_text_results *results) {
  struct search s = {.text = text,
                     .names = cul_text_names(text),
                     .values = cul_text_language(text)->values};
  uint32_t ways = 0;
  bool ok = s.values && list_results(&s, item, results);
  for (uint32_t r = 0; ok && r < results->n; r++) {
    struct cul_text_result *result = &results->items[r];
    if (results->n > 1 && !is_used(text, result))
      continue;
    find(&s, result, results->n > 1);
    ok = result->n > 0;
    ways = result->n > ways ? result->n : ways;
  }
  cul_buf_release(&s.type);
  return ok ? ways : 0;
}

uint32_t cul_text_stand_in(struct cul_text *text, uint32_t def, bool live) {
  struct search s = {.text = text,
                     .names = cul_text_names(text),
                     .values = cul_text_language(text)->values,
                     .live = live};
  struct cul_text_result result = {.def = def};
  if (s.values->type(text, def, 0, &result.type))
    find(&s, &result, true);
  cul_buf_release(&result.type);
  cul_buf_release(&s.type);
  return result.n ? result.with[0] : CUL_TEXT_NONE;
}
