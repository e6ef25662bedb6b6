/* MLIR as text: see language.h. */
#include <stdlib.h>

#include "../../subject/text/ops.h"
#include "fix_up.h"
#include "language.h"

/* "func.func @f" is "func.func private @f". */
static void declare(struct cul_text *text, uint32_t first, uint32_t symbol) {
  struct cul_bytes name = cul_text_token(text, symbol);
  bool visible = !cul_bytes_start(cul_text_token(text, first), "llvm");
  char *with = cul_xasprintf("private %.*s", (int)name.len, name.data);
  for (uint32_t i = first; i < symbol; i++) {
    if (cul_text_token_is(text, i, "public"))
      cul_text_erase_token(text, i);
    visible &= !cul_text_is_word(text, i, " private nested ");
  }
  if (visible)
    cul_text_replace(text, symbol, with);
  free(with);
}

static bool drop_body(struct cul_text *text, uint32_t item) {
  uint32_t symbol = cul_text_header(text, text->items[item].first) - 1;
  if (!cul_text_erase_braces(text, cul_text_braces(text, item)))
    return false;
  declare(text, cul_text_item_first(text, item), symbol);
  return true;
}

/* ---- what can stand in for results ---- */

/* The definitions before a statement that are looked at where no operand fits.
 */
enum { MOST_BEFORE = 64 };

static bool same(const struct cul_buf *a, const struct cul_buf *b) {
  return cul_bytes_equal(cul_buf_bytes(a), cul_buf_bytes(b));
}

/* Is the use one of this result? */
static bool is_of(const struct cul_text *text, uint32_t use,
                  const struct cul_text_result *result) {
  uint32_t number;
  cul_text_result_number(text, use, &number);
  return number == result->number;
}

static bool is_used(struct cul_text *text,
                    const struct cul_text_result *result) {
  for (uint32_t u = 0, use; cul_text_use(text, result->def, u, &use); u++)
    if (is_of(text, use, result))
      return true;
  return false;
}

/* Does the token read a value of the result's type that was there before? */
static bool fits(struct cul_text *text, uint32_t use,
                 const struct cul_text_result *result, struct cul_buf *type) {
  uint32_t def = cul_text_names(text)->def[use], number;
  cul_text_result_number(text, use, &number);
  return def != CUL_TEXT_NONE && def != use &&
         text->tokens[def].line != text->tokens[result->def].line &&
         cul_text_type_of_result(text, def, number, type) &&
         same(type, &result->type);
}

static void find_operands(struct cul_text *text, uint32_t from,
                          struct cul_text_result *result,
                          struct cul_buf *type) {
  uint32_t end = cul_text_line_end(text, from - 1); /* "=" */
  for (uint32_t i = from; i < end && result->n < CUL_TEXT_STAND_INS; i++)
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
                        struct cul_text_result *result, struct cul_buf *type) {
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

static void list_results(struct cul_text *text, uint32_t first, uint32_t equals,
                         struct cul_text_results *results) {
  results->n = 0;
  for (uint32_t i = first; i < equals; i++) {
    uint32_t n =
        cul_text_starts(text, i, '%') ? cul_text_results_of(text, i) : 0;
    for (uint32_t k = 0; k < n && results->n <= CUL_TEXT_RESULTS; k++) {
      struct cul_text_result *new = cul_text_add_result(results, i, k);
      cul_text_type_of_result(text, i, k, &new->type);
      for (uint32_t r = 0; r + 1 < results->n; r++)
        new->rank += same(&results->items[r].type, &new->type);
    }
  }
}

/* In how many ways the item's results can be read from elsewhere; 0: one that
 * is used has no other of its type. */
static uint32_t stand_ins(struct cul_text *text, uint32_t item,
                          struct cul_text_results *results) {
  uint32_t line = text->items[item].first, equals, ways = 0;
  struct cul_buf type = {0};
  bool ok = cul_text_results(text, line, &equals);
  if (ok)
    list_results(text, text->lines[line].first, equals, results);
  ok = ok && results->n && results->n <= CUL_TEXT_RESULTS;
  for (uint32_t r = 0; ok && r < results->n; r++) {
    struct cul_text_result *result = &results->items[r];
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

static void fix_up(struct cul_text *text) {
  cul_text_fix_up_edges(text);
  cul_text_fix_up_mlir(text);
}

static const struct cul_text_edges edges = {.branches = {"br"},
                                            .condition = "cond_"};

const struct cul_text_language cul_text_mlir = {
    .name = "mlir",
    .edges = &edges,
    .fix_up = fix_up,
    .weigh_body = cul_text_weigh_body,
    .drop_body = drop_body,
    .stand_ins = stand_ins,
};
