/* Finds values that can replace others: see stand_ins.h. */
#include "stand_ins.h"

#include <stdlib.h>

#include "../ops.h"
#include "language.h"

enum { MOST_RESULTS = 256 };

struct search {
  struct cul_text *text;
  const struct cul_text_names *names;
  const struct cul_text_values *values; /* or NULL */
  bool live;                            /* only by values that are not erased */
  struct cul_buf *types;                /* of the results, in order */
  size_t n_types, cap_types;
  const struct cul_buf *sought; /* the type to look for; in types */
  struct cul_buf type;          /* for comparisons */
};

static struct search search(struct cul_text *text, bool live) {
  return (struct search){.text = text,
                         .names = cul_text_names(text),
                         .values = cul_text_language(text)->values,
                         .live = live};
}

static void release(struct search *s) {
  while (s->n_types)
    cul_buf_release(&s->types[--s->n_types]);
  free(s->types);
  cul_buf_release(&s->type);
}

/* Append the type of a result to types; empty: it is unknown. */
static const struct cul_buf *add_type(struct search *s, uint32_t def,
                                      uint32_t number) {
  struct cul_buf type = {0};
  if (!s->values->type(s->text, def, number, &type))
    cul_buf_clear(&type);
  CUL_XADD(s->types, s->n_types, s->cap_types) = type;
  return &s->types[s->n_types - 1];
}

static bool same(const struct cul_buf *a, const struct cul_buf *b) {
  return cul_bytes_equal(cul_buf_bytes(a), cul_buf_bytes(b));
}

/* Add the token to result if its value has the sought type and is defined on
 * another line.  Returns whether it was added. */
static bool try(struct search *s, struct cul_text_stand_ins *result,
                uint32_t token) {
  uint32_t def = s->names->def[token], number;
  cul_text_result_number(s->text, token, &number);
  if (def == CUL_TEXT_NONE ||
      s->text->tokens[def].line == s->text->tokens[result->def].line ||
      (s->live && !cul_text_is_live(s->text, def)) ||
      !s->values->type(s->text, def, number, &s->type) ||
      !same(&s->type, s->sought))
    return false;
  for (uint32_t k = 0; s->values->distinct && k < result->n; k++)
    if (cul_text_same(s->text, result->with[k], token))
      return false;
  result->with[result->n++] = token;
  return true;
}

static void find_operands(struct search *s, struct cul_text_stand_ins *result) {
  const struct cul_line *l = &s->text->lines[s->text->tokens[result->def].line];
  uint32_t most = CUL_TEXT_STAND_INS - s->values->always;
  for (uint32_t i = l->first; i < l->first + l->n && result->n < most; i++)
    if (s->names->def[i] != i)
      try(s, result, i);
}

/* Is the value that token `def` defines available at `item`?  It is if it is a
 * result of an earlier statement in one of the enclosing bodies, with no block
 * between, or an argument of one of them. */
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

/* Add the last value of the type that is defined before the statement. */
static void find_before(struct search *s, struct cul_text_stand_ins *result) {
  const struct cul_text *text = s->text;
  uint32_t item = cul_text_item_at(text, result->def), first = 0, seen = 0;
  struct cul_text_function function;
  if (cul_text_function_around(text, item, &function))
    first = cul_text_item_first(text, function.item);
  for (uint32_t i = cul_text_item_first(text, item);
       i-- > first && seen < s->values->before;)
    if (s->names->def[i] == i &&
        (!*text->lang->sigils || cul_text_starts(text, i, '%')) &&
        cul_text_results_of(text, i) == 1 && dominates(text, i, item)) {
      seen++;
      if (try(s, result, i))
        return;
    }
}

static void find(struct search *s, struct cul_text_stand_ins *result,
                 bool before) {
  if (!s->sought->len)
    return;
  find_operands(s, result);
  if (s->values->always || (before && !result->n))
    find_before(s, result);
}

uint32_t cul_text_stand_in(struct cul_text *text, uint32_t def, bool live) {
  struct search s = search(text, live);
  struct cul_text_stand_ins result = {.def = def};
  s.sought = add_type(&s, def, 0);
  find(&s, &result, true);
  release(&s);
  return result.n ? result.with[0] : CUL_TEXT_NONE;
}

/* ---- the results of a statement ---- */

/* Is this result, one of several, used? */
static bool is_used(struct cul_text *text,
                    const struct cul_text_stand_ins *result) {
  uint32_t number;
  for (uint32_t u = 0, use; cul_text_use(text, result->def, u, &use); u++) {
    cul_text_result_number(text, use, &number);
    if (number == result->number)
      return true;
  }
  return false;
}

/* Add the results that token def defines; false: there are too many. */
static bool add_results(struct search *s, uint32_t def,
                        struct cul_text_ways *out) {
  uint32_t n = cul_text_results_of(s->text, def);
  for (uint32_t k = 0; k < n; k++) {
    struct cul_text_stand_ins new = {.def = def, .number = k};
    const struct cul_buf *type;
    if (out->n == MOST_RESULTS)
      return false;
    type = add_type(s, def, k);
    for (size_t r = 0; r < out->n; r++)
      new.rank += same(&s->types[r], type);
    CUL_XADD(out->results, out->n, out->cap) = new;
  }
  return true;
}

static bool list_results(struct search *s, uint32_t item,
                         struct cul_text_ways *out) {
  uint32_t line = s->text->items[item].first, equals, def;
  if (s->values->result)
    return (def = s->values->result(s->text, item)) != CUL_TEXT_NONE &&
           add_results(s, def, out);
  if (!cul_text_results(s->text, line, &equals))
    return false;
  for (uint32_t i = s->text->lines[line].first; i < equals; i++)
    if (s->names->def[i] == i && !add_results(s, i, out))
      return false;
  return true;
}

uint32_t cul_text_ways(struct cul_text *text, uint32_t item,
                       struct cul_text_ways *out) {
  struct search s = search(text, false);
  bool all;
  uint32_t ways = 0;
  out->n = 0;
  all = s.values && list_results(&s, item, out);
  for (size_t r = 0; all && r < out->n; r++) {
    struct cul_text_stand_ins *result = &out->results[r];
    if (out->n > 1 && !is_used(text, result))
      continue;
    s.sought = &s.types[r];
    find(&s, result, out->n > 1);
    all = result->n > 0;
    ways = result->n > ways ? result->n : ways;
  }
  release(&s);
  return all ? ways : 0;
}
