/* Values that can be read instead of others of their type: operands of the
 * statement that defines these, then what was defined last before it.  A
 * definition goes, and its uses read that.  See language.h. */
#include <stdlib.h>

#include "../../subject/text/ops.h"
#include "fix_up.h"
#include "language.h"

/* One result of a statement, and tokens that can be read instead: so many are
 * tried. */
enum { MOST = 4, MOST_RESULTS = 256 };
struct result {
  uint32_t def, number; /* the name's token, and %x#number of that */
  uint32_t rank;        /* among those of its type */
  uint32_t with[MOST], n;
  struct cul_buf type;
};

struct search {
  struct cul_text *text;
  const struct cul_text_names *names;
  const struct cul_text_values *values; /* or NULL */
  bool live;                            /* only by what is left */
  struct result *results;               /* of one statement */
  size_t n, cap;
  struct cul_buf type; /* for comparisons */
};

static struct search search(struct cul_text *text, bool live) {
  return (struct search){.text = text,
                         .names = cul_text_names(text),
                         .values = cul_text_language(text)->values,
                         .live = live};
}

static void clear(struct search *s) {
  while (s->n)
    cul_buf_release(&s->results[--s->n].type);
}

static void release(struct search *s) {
  clear(s);
  free(s->results);
  cul_buf_release(&s->type);
}

static bool same(const struct cul_buf *a, const struct cul_buf *b) {
  return cul_bytes_equal(cul_buf_bytes(a), cul_buf_bytes(b));
}

/* Add a token that reads or defines a value of the type, defined elsewhere;
 * whether it does. */
static bool try(struct search *s, struct result *result, uint32_t token) {
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

static void find_operands(struct search *s, struct result *result) {
  const struct cul_line *l = &s->text->lines[s->text->tokens[result->def].line];
  uint32_t most = MOST - s->values->always;
  for (uint32_t i = l->first; i < l->first + l->n && result->n < most; i++)
    if (s->names->def[i] != i)
      try(s, result, i);
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
static void find_before(struct search *s, struct result *result) {
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

static void find(struct search *s, struct result *result, bool before) {
  if (!result->type.len)
    return;
  find_operands(s, result);
  if (s->values->always || (before && !result->n))
    find_before(s, result);
}

uint32_t cul_text_stand_in(struct cul_text *text, uint32_t def, bool live) {
  struct search s = search(text, live);
  struct result result = {.def = def};
  if (s.values->type(text, def, 0, &result.type))
    find(&s, &result, true);
  cul_buf_release(&result.type);
  release(&s);
  return result.n ? result.with[0] : CUL_TEXT_NONE;
}

/* ---- the results of a statement ---- */

/* Is the result, one of several, read? */
static bool is_used(struct cul_text *text, const struct result *result) {
  uint32_t number;
  for (uint32_t u = 0, use; cul_text_use(text, result->def, u, &use); u++) {
    cul_text_result_number(text, use, &number);
    if (number == result->number)
      return true;
  }
  return false;
}

/* Of what token def defines; false: there are too many. */
static bool add_results(struct search *s, uint32_t def) {
  uint32_t n = cul_text_results_of(s->text, def);
  for (uint32_t k = 0; k < n; k++) {
    struct result new = {.def = def, .number = k};
    if (s->n == MOST_RESULTS)
      return false;
    if (!s->values->type(s->text, def, k, &new.type))
      cul_buf_clear(&new.type);
    for (size_t r = 0; r < s->n; r++)
      new.rank += same(&s->results[r].type, &new.type);
    CUL_XADD(s->results, s->n, s->cap) = new;
  }
  return true;
}

static bool list_results(struct search *s, uint32_t item) {
  uint32_t line = s->text->items[item].first, equals, def;
  if (s->values->result)
    return (def = s->values->result(s->text, item)) != CUL_TEXT_NONE &&
           add_results(s, def);
  if (!cul_text_results(s->text, line, &equals))
    return false;
  for (uint32_t i = s->text->lines[line].first; i < equals; i++)
    if (s->names->def[i] == i && !add_results(s, i))
      return false;
  return true;
}

/* In how many ways what reads the results of the item can read what was there
 * before; 0: one that is read has no other of its type. */
static uint32_t count_ways(struct search *s, uint32_t item) {
  uint32_t ways = 0;
  clear(s);
  if (!s->values || !list_results(s, item))
    return 0;
  for (size_t r = 0; r < s->n; r++) {
    struct result *result = &s->results[r];
    if (s->n > 1 && !is_used(s->text, result))
      continue;
    find(s, result, s->n > 1);
    if (!result->n)
      return 0;
    ways = result->n > ways ? result->n : ways;
  }
  return ways;
}

/* ---- the definition of a value goes, or of several ---- */

/* detail: the statement, and which of the ways. */
static void list_forwards(struct cul_text *text, struct cul_sites *out) {
  struct search s = search(text, false);
  for (uint32_t i = 0; i < text->n_items; i++) {
    uint32_t ways = count_ways(&s, i);
    for (uint32_t k = 0; k < ways; k++)
      cul_sites_add(out, NULL, cul_text_two(i, k),
                    cul_text_item_weight(text, i));
  }
  release(&s);
}

/* What is read instead, result by result: of %x#k token with[at[%x] + k], or
 * NONE. */
struct forward {
  uint32_t *at; /* per token; NONE: not erased */
  uint32_t *with;
  uint32_t n;
};

/* What a token reads, operands of operands that went looked through: a token,
 * or NONE. */
static uint32_t read_by(struct cul_text *text, const struct forward *forward,
                        uint32_t use) {
  for (int i = 0; i < 10000 && use != CUL_TEXT_NONE; i++) {
    uint32_t at = forward->at[cul_text_names(text)->def[use]], number;
    if (at == CUL_TEXT_NONE)
      break;
    cul_text_result_number(text, use, &number);
    use = at + number < forward->n ? forward->with[at + number] : CUL_TEXT_NONE;
  }
  return use;
}

static void add_forward(struct forward *forward, const struct search *s,
                        uint32_t way) {
  forward->with = cul_xreallocarray(forward->with, forward->n + s->n,
                                    sizeof *forward->with);
  for (size_t r = 0; r < s->n; r++) {
    const struct result *result = &s->results[r];
    if (result->number == 0)
      forward->at[result->def] = forward->n;
    forward->with[forward->n++] =
        result->n ? result->with[(result->rank + way) % result->n]
                  : CUL_TEXT_NONE;
  }
}

static size_t forward_all(struct cul_text *text, const struct cul_sites *sites,
                          const uint32_t *ids, size_t n) {
  size_t applied = 0;
  struct forward forward = {
      .at = cul_xreallocarray(NULL, text->n_tokens + 1, sizeof *forward.at)};
  struct search s = search(text, false);
  for (size_t i = 0; i <= text->n_tokens; i++)
    forward.at[i] = CUL_TEXT_NONE;
  for (size_t i = 0; i < n; i++) {
    uint32_t item = cul_text_high(sites->detail[ids[i]]);
    uint32_t way = (uint32_t)sites->detail[ids[i]];
    if (way < count_ways(&s, item) && cul_text_erase_item(text, item)) {
      add_forward(&forward, &s, way);
      applied++;
    }
  }
  for (uint32_t t = 0; t < text->n_tokens; t++) {
    uint32_t other = s.names->def[t] == CUL_TEXT_NONE || s.names->def[t] == t
                         ? t
                         : read_by(text, &forward, t);
    if (other != t && other != CUL_TEXT_NONE)
      cul_text_read_as(text, t, other);
  }
  release(&s);
  free(forward.at);
  free(forward.with);
  return applied;
}

const struct cul_text_each cul_mutation_text_forward = {
    .whole = true, .list = list_forwards, .edit_all = forward_all};
