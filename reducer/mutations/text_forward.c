/* Erase the definition of a value, or of several; uses get an operand of the
 * same type instead.  MLIR and PTX: elsewhere types are not known. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../subject/text_ops.h"
#include "text_mend.h"

/* Operands that are tried for one result; the results of one statement; and the
 * definitions before it that are looked at where no operand fits. */
enum { MOST = 4, MOST_RESULTS = 256, MOST_BEFORE = 64 };

/* One result of a statement, and what can stand in for it. */
struct result {
  uint32_t def, number; /* the name's token, and %x#number of that */
  uint32_t rank;        /* among those of its type */
  uint32_t with[MOST];  /* tokens */
  uint32_t n;
  struct cul_buf type;
};

/* Those of a statement. */
struct results {
  struct result items[MOST_RESULTS + 1];
  uint32_t n;
};

static void release(struct results *results) {
  for (size_t i = 0; i < CUL_ARRAY_SIZE(results->items); i++)
    cul_buf_release(&results->items[i].type);
  free(results);
}

static bool same(const struct cul_buf *a, const struct cul_buf *b) {
  return cul_bytes_equal(cul_buf_bytes(a), cul_buf_bytes(b));
}

/* ---- MLIR ---- */

/* Is the use one of this result? */
static bool is_of(const struct cul_text *text, uint32_t use,
                  const struct result *result) {
  uint32_t number;
  cul_text_result_number(text, use, &number);
  return number == result->number;
}

static bool is_used(struct cul_text *text, const struct result *result) {
  for (uint32_t u = 0, use; cul_text_use(text, result->def, u, &use); u++)
    if (is_of(text, use, result))
      return true;
  return false;
}

/* Does the token read a value of the result's type that was there before? */
static bool fits(struct cul_text *text, uint32_t use,
                 const struct result *result, struct cul_buf *type) {
  uint32_t def = cul_text_names(text)->def[use], number;
  cul_text_result_number(text, use, &number);
  return def != CUL_TEXT_NONE && def != use &&
         text->tokens[def].line != text->tokens[result->def].line &&
         cul_text_type_of_result(text, def, number, type) &&
         same(type, &result->type);
}

static void find_operands(struct cul_text *text, uint32_t from,
                          struct result *result, struct cul_buf *type) {
  uint32_t end = cul_text_line_end(text, from - 1); /* "=" */
  for (uint32_t i = from; i < end && result->n < MOST; i++)
    if (fits(text, i, result, type))
      result->with[result->n++] = i;
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
static void find_before(struct cul_text *text, uint32_t item,
                        struct result *result, struct cul_buf *type) {
  struct cul_text_function function;
  uint32_t first = 0, seen = 0;
  if (cul_text_function_around(text, item, &function))
    first = cul_text_item_first(text, function.item);
  for (uint32_t i = cul_text_item_first(text, item);
       i-- > first && seen < MOST_BEFORE;)
    if (cul_text_names(text)->def[i] == i && cul_text_starts(text, i, '%') &&
        cul_text_results_of(text, i) == 1 && dominates(text, i, item)) {
      seen++;
      if (!cul_text_type_of(text, i, type) || !same(type, &result->type))
        continue;
      result->with[result->n++] = i;
      return;
    }
}

static struct result *add_result(struct results *results, uint32_t def,
                                 uint32_t number) {
  results->items[results->n] = (struct result){
      .def = def, .number = number, .type = results->items[results->n].type};
  return &results->items[results->n++];
}

static void list_results(struct cul_text *text, uint32_t first, uint32_t equals,
                         struct results *results) {
  results->n = 0;
  for (uint32_t i = first; i < equals; i++) {
    uint32_t n =
        cul_text_starts(text, i, '%') ? cul_text_results_of(text, i) : 0;
    for (uint32_t k = 0; k < n && results->n <= MOST_RESULTS; k++) {
      struct result *new = add_result(results, i, k);
      cul_text_type_of_result(text, i, k, &new->type);
      for (uint32_t r = 0; r + 1 < results->n; r++)
        new->rank += same(&results->items[r].type, &new->type);
    }
  }
}

/* In how many ways the item's results can be read from elsewhere; 0: one that
 * is used has no other of its type. */
static uint32_t find_results(struct cul_text *text, uint32_t item,
                             struct results *results) {
  uint32_t line = text->items[item].first, equals, ways = 0;
  struct cul_buf type = {0};
  bool ok = text->lang->dimensions && cul_text_results(text, line, &equals);
  if (ok)
    list_results(text, text->lines[line].first, equals, results);
  ok = ok && results->n && results->n <= MOST_RESULTS;
  for (uint32_t r = 0; ok && r < results->n; r++) {
    struct result *result = &results->items[r];
    if (results->n > 1 && !is_used(text, result))
      continue;
    if (result->type.len)
      find_operands(text, equals + 1, result, &type);
    if (result->type.len && !result->n && results->n > 1)
      find_before(text, item, result, &type);
    ok = result->n > 0;
    ways = result->n > ways ? result->n : ways;
  }
  cul_buf_release(&type);
  return ok ? ways : 0;
}

/* ---- PTX ---- */

/* %r1 and %r22 are of one class, and of one type. */
static bool same_class(const struct cul_text *text, uint32_t a, uint32_t b) {
  struct cul_bytes x = cul_text_token(text, a), y = cul_text_token(text, b);
  while (x.len && isdigit((unsigned char)x.data[x.len - 1]))
    x.len--;
  while (y.len && isdigit((unsigned char)y.data[y.len - 1]))
    y.len--;
  return cul_bytes_equal(x, y);
}

/* Is the use of a register a write, "op %r", "@!%p op {%r, %s}", or a guard? */
static bool is_written(const struct cul_text *text, uint32_t use) {
  uint32_t i = text->lines[text->tokens[use].line].first;
  if (cul_text_is_char(text, i, '@'))
    i += cul_text_is_char(text, i + 1, '!') ? 3 : 2;
  i++; /* the name */
  return use <= i ||
         (cul_text_is_char(text, i, '{') && use < text->tokens[i].match);
}

/* An instruction of PTX that alone writes its one register: "op %r, ...". */
static uint32_t find_register(struct cul_text *text, uint32_t item,
                              struct results *results) {
  const struct cul_line *l = &text->lines[text->items[item].first];
  const struct cul_text_names *names = cul_text_names(text);
  uint32_t result = l->first + 1;
  struct result *new;
  results->n = 0;
  if (l->n < 4 || !cul_text_is_register(text, result) ||
      names->def[result] != result || names->shared[result] ||
      !cul_text_is_char(text, result + 1, ','))
    return 0;
  for (uint32_t u = 0, use; cul_text_use(text, result, u, &use); u++)
    if (is_written(text, use))
      return 0;
  new = add_result(results, result, 0);
  for (uint32_t i = result + 2; i < l->first + l->n && new->n < MOST; i++) {
    uint32_t def = names->def[i];
    if (def != CUL_TEXT_NONE && def != result && def != i &&
        same_class(text, i, result))
      new->with[new->n++] = i;
  }
  return new->n;
}

/* ---- both ---- */

static uint32_t find_ways(struct cul_text *text, uint32_t item,
                          struct results *results) {
  return text->lang->dimensions ? find_results(text, item, results)
                                : find_register(text, item, results);
}

/* detail: the statement, and which of the ways. */
static void sites(struct cul_text *text, struct cul_sites *out) {
  struct results *results = cul_xcalloc(1, sizeof *results);
  for (uint32_t i = 0; i < text->n_items; i++) {
    uint32_t ways = find_ways(text, i, results);
    for (uint32_t k = 0; k < ways; k++)
      cul_sites_add(out, NULL, cul_text_two(i, k),
                    cul_text_item_weight(text, i));
  }
  release(results);
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

static void add_forward(struct forward *forward, const struct results *results,
                        uint32_t way) {
  forward->with = cul_xreallocarray(forward->with, forward->n + results->n,
                                    sizeof *forward->with);
  for (uint32_t r = 0; r < results->n; r++) {
    const struct result *result = &results->items[r];
    if (result->number == 0)
      forward->at[result->def] = forward->n;
    forward->with[forward->n++] =
        result->n ? result->with[(result->rank + way) % result->n]
                  : CUL_TEXT_NONE;
  }
}

static void replace_use(struct cul_text *text, uint32_t use, uint32_t other) {
  struct cul_bytes name = cul_text_token(text, other);
  uint32_t number;
  char *with;
  if (cul_text_result_number(text, other, &number))
    name.len += text->tokens[other + 1].len;
  with = cul_xstrndup(name.data, name.len);
  cul_text_replace_use(text, use, with);
  free(with);
}

static size_t apply(struct cul_text *text, const struct cul_sites *sites,
                    const uint32_t *ids, size_t n) {
  size_t applied = 0;
  const struct cul_text_names *names = cul_text_names(text);
  struct forward forward = {
      .at = cul_xreallocarray(NULL, text->n_tokens + 1, sizeof *forward.at)};
  struct results *results = cul_xcalloc(1, sizeof *results);
  for (size_t i = 0; i <= text->n_tokens; i++)
    forward.at[i] = CUL_TEXT_NONE;
  for (size_t i = 0; i < n; i++) {
    uint32_t item = cul_text_high(sites->detail[ids[i]]);
    uint32_t way = (uint32_t)sites->detail[ids[i]];
    if (way < find_ways(text, item, results) &&
        cul_text_erase_item(text, item)) {
      add_forward(&forward, results, way);
      applied++;
    }
  }
  for (uint32_t t = 0; t < text->n_tokens; t++) {
    uint32_t other = names->def[t] == CUL_TEXT_NONE || names->def[t] == t
                         ? t
                         : read_by(text, &forward, t);
    if (other != t && other != CUL_TEXT_NONE)
      replace_use(text, t, other);
  }
  release(results);
  free(forward.at);
  free(forward.with);
  return applied;
}

const struct cul_mutation cul_mutation_text_forward = {
    .name = "text-forward",
    .summary = "erase a definition, its uses get one of its operands",
    .kinds = CUL_SUBJECT_TEXTS,
    .phase = CUL_PHASE_DELTA,
    CUL_TEXT_EACH(.list = sites, .edit_all = apply),
};
