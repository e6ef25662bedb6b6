/* Drop one result that nothing reads (mlir-text): of a function with the
 * operand of its returns and the results of its calls, or of a loop or
 * conditional with what is yielded for it and what the loop carries.  Results
 * behind it are counted anew.  What is written otherwise has no site. */
#include <stdlib.h>
#include <string.h>

#include "../subject/text_names.h"
#include "text_mend.h"

/* Tokens [first, end) with commas between them, brackets around or not. */
struct list {
  uint32_t first, end;
};

/* Element k of a list without its brackets. */
static bool element(const struct cul_text *text, struct list list, uint32_t k,
                    uint32_t *first, uint32_t *end) {
  *first = list.first;
  for (uint32_t i = list.first; i <= list.end;
       i = i < list.end ? cul_text_after(text, i) : i + 1) {
    if (i < list.end && !cul_text_is_char(text, i, ','))
      continue;
    *end = i;
    if (k-- == 0)
      return *first < i;
    *first = i + 1;
  }
  return false;
}

static uint32_t length(const struct cul_text *text, struct list list) {
  uint32_t n = 0, first, end;
  while (element(text, list, n, &first, &end))
    n++;
  return n;
}

static bool is_left(const struct cul_text *text, struct list list, uint32_t k) {
  uint32_t first, end;
  return element(text, list, k, &first, &end) && cul_text_is_live(text, first);
}

static uint32_t n_left(const struct cul_text *text, struct list list,
                       uint32_t below) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < below; k++)
    n += is_left(text, list, k);
  return n;
}

static void drop_element(struct cul_text *text, struct list list, uint32_t k) {
  uint32_t first, end;
  if (element(text, list, k, &first, &end))
    cul_text_erase_element(text, cul_text_two(first, end));
}

/* The list inside the bracket at token `open`. */
static struct list inside(const struct cul_text *text, uint32_t open) {
  return (struct list){open + 1, text->tokens[open].match};
}

/* What stands on the line from token i on, without what is not the operation:
 * a body, attributes, a place. */
static uint32_t stop_of(const struct cul_text *text, uint32_t line,
                        uint32_t i) {
  uint32_t end = text->lines[line].first + text->lines[line].n;
  while (i < end && !cul_text_is_char(text, i, '{') &&
         text->tokens[i].kind != CUL_TOKEN_COMMENT &&
         text->tokens[i].kind != CUL_TOKEN_CLOSE &&
         !cul_text_token_is(text, i, "attributes") &&
         !cul_text_token_is(text, i, "loc"))
    i = cul_text_after(text, i);
  return i < end ? i : end;
}

/* The types behind the arrow at token `arrow`, with or without brackets. */
static struct list types_behind(const struct cul_text *text, uint32_t arrow) {
  uint32_t first = arrow + 1;
  uint32_t end = stop_of(text, text->tokens[arrow].line, first);
  if (first < end && cul_text_is_char(text, first, '(') &&
      text->tokens[first].match + 1 == end)
    return inside(text, first);
  return (struct list){first, end};
}

/* The last arrow of a line, outside of brackets; or NONE. */
static uint32_t arrow_of(const struct cul_text *text, uint32_t line,
                         uint32_t i) {
  uint32_t end = text->lines[line].first + text->lines[line].n;
  uint32_t found = CUL_TEXT_NONE;
  for (; i < end; i = cul_text_after(text, i))
    if (cul_text_token_is(text, i, "->"))
      found = i;
  return found;
}

/* ---- results of a statement ---- */

/* The name that has result k: itself, or %x of %x#k. */
static uint32_t name_of(const struct cul_text *text, uint32_t line, uint32_t k,
                        bool *numbered) {
  uint32_t first = text->lines[line].first, equals, from, end;
  if (!cul_text_results(text, line, &equals))
    return CUL_TEXT_NONE;
  *numbered = cul_text_is_char(text, first + 1, ':');
  if (*numbered)
    return first;
  return element(text, (struct list){first, equals}, k, &from, &end)
             ? from
             : CUL_TEXT_NONE;
}

/* Is there a result k, and no use of it?  "%x" of several may be all. */
static bool is_free(struct cul_text *text, uint32_t line, uint32_t k) {
  const struct cul_text_names *names = cul_text_names(text);
  bool numbered = false;
  uint32_t def = name_of(text, line, k, &numbered), number;
  if (def == CUL_TEXT_NONE || names->def[def] != def)
    return false;
  for (uint32_t u = names->first_use[def]; u < names->first_use[def + 1]; u++)
    if (!numbered || !cul_text_result_number(text, names->uses[u], &number) ||
        number == k)
      return false;
  return true;
}

static void set_number(struct cul_text *text, uint32_t token,
                       const char *format, uint32_t number) {
  char *name = cul_xasprintf(format, number);
  cul_text_replace(text, token, name);
  free(name);
}

/* Names and numbers of the results, as many as types are left. */
static void count_anew(struct cul_text *text, uint32_t line, struct list types,
                       uint32_t k) {
  const struct cul_text_names *names = cul_text_names(text);
  uint32_t first = text->lines[line].first, equals, number;
  uint32_t n = length(text, types), left = n_left(text, types, n);
  if (!cul_text_results(text, line, &equals))
    return;
  if (left == 0) {
    cul_text_erase_tokens(text, first, equals + 1);
  } else if (!cul_text_is_char(text, first + 1, ':')) {
    drop_element(text, (struct list){first, equals}, k);
  } else {
    set_number(text, first + 2, "%u", left);
    for (uint32_t u = names->first_use[first]; u < names->first_use[first + 1];
         u++)
      if (cul_text_result_number(text, names->uses[u], &number))
        set_number(text, names->uses[u] + 1, "#%u",
                   n_left(text, types, number));
  }
}

/* ---- what leaves ---- */

/* Operands and types of "x.yield %a, %b : T, U" and of
 * "\"x.yield\"(%a, %b) : (T, U) -> ()". */
static bool lists_of(const struct cul_text *text, uint32_t op,
                     struct list *operands, struct list *types,
                     uint32_t *colon) {
  uint32_t line = text->tokens[op].line, i = op + 1;
  uint32_t stop = stop_of(text, line, i);
  if (text->tokens[op].kind == CUL_TOKEN_STRING) {
    if (!cul_text_is_char(text, i, '('))
      return false;
    *operands = inside(text, i);
    *colon = operands->end + 1;
    if (*colon + 1 >= stop || !cul_text_is_char(text, *colon, ':') ||
        !cul_text_is_char(text, *colon + 1, '('))
      return false;
    *types = inside(text, *colon + 1);
    return true;
  }
  while (i < stop && !cul_text_is_char(text, i, ':'))
    i = cul_text_after(text, i);
  *colon = i;
  *operands = (struct list){op + 1, i};
  *types = (struct list){i + 1, stop};
  return i < stop;
}

static bool ends_with(struct cul_bytes word, const char *suffix) {
  while (word.len && word.data[word.len - 1] == '"')
    word.len--;
  return cul_bytes_end(word, suffix);
}

/* The item of which this one ends a block; blocks with labels are items. */
static uint32_t owner_of(const struct cul_text *text, uint32_t item) {
  uint32_t parent = text->items[item].parent;
  while (parent != CUL_TEXT_NONE && text->items[parent].label)
    parent = text->items[parent].parent;
  return parent;
}

/* Every end of item's blocks that is called so, one by one from *at on: its
 * token, or NONE. */
static uint32_t next_end(const struct cul_text *text, uint32_t item,
                         const char *called, uint32_t *at) {
  while (*at < text->n_items &&
         text->items[*at].first < text->items[item].end) {
    uint32_t i = (*at)++, op = cul_text_op(text, i);
    if (op != CUL_TEXT_NONE && i != item && owner_of(text, i) == item &&
        ends_with(cul_text_token(text, op), called))
      return op;
  }
  return CUL_TEXT_NONE;
}

/* Do all of them give n values? */
static bool ends_give(const struct cul_text *text, uint32_t item,
                      const char *called, uint32_t n) {
  uint32_t at = item, op, colon;
  struct list operands, types;
  bool any = false;
  while ((op = next_end(text, item, called, &at)) != CUL_TEXT_NONE) {
    if (!lists_of(text, op, &operands, &types, &colon) ||
        length(text, operands) != n || length(text, types) != n)
      return false;
    any = true;
  }
  return any;
}

static void drop_at_ends(struct cul_text *text, uint32_t item,
                         const char *called, uint32_t k) {
  uint32_t at = item, op, colon;
  struct list operands, types;
  while ((op = next_end(text, item, called, &at)) != CUL_TEXT_NONE) {
    if (!lists_of(text, op, &operands, &types, &colon))
      continue;
    drop_element(text, operands, k);
    drop_element(text, types, k);
    if (text->tokens[op].kind != CUL_TOKEN_STRING &&
        n_left(text, types, length(text, types)) == 0)
      cul_text_erase_token(text, colon);
  }
}

/* The arrow and brackets of a list that is empty by now. */
static void drop_empty(struct cul_text *text, uint32_t arrow,
                       struct list types) {
  if (n_left(text, types, length(text, types)) == 0)
    cul_text_erase_tokens(text, arrow, types.end + (types.first == arrow + 2));
}

/* ---- functions ---- */

/* The arrow before the types that item returns, or NONE. */
static uint32_t returns_of(const struct cul_text *text,
                           const struct cul_text_function *f) {
  uint32_t before = f->type != CUL_TEXT_NONE ? f->type : f->arguments, i;
  if (before == CUL_TEXT_NONE || text->tokens[before].match == CUL_TEXT_NONE)
    return CUL_TEXT_NONE;
  i = text->tokens[before].match + 1;
  return i < text->n_tokens && cul_text_token_is(text, i, "->") ? i
                                                                : CUL_TEXT_NONE;
}

/* In <{function_type = (T) -> (U, V), sym_name = "f"}> the types end sooner. */
static struct list types_of_function(const struct cul_text *text,
                                     const struct cul_text_function *f,
                                     uint32_t arrow) {
  uint32_t first = arrow + 1;
  if (f->type == CUL_TEXT_NONE)
    return types_behind(text, arrow);
  if (cul_text_is_char(text, first, '('))
    return inside(text, first);
  return (struct list){first, first}; /* one, without brackets: stays */
}

/* A call of f: the arrow of its types, or NONE. */
static uint32_t call_of(const struct cul_text *text, uint32_t use, uint32_t n) {
  uint32_t line = text->tokens[use].line, arrow;
  uint32_t op = cul_text_op(text, text->lines[line].item);
  if (op == CUL_TEXT_NONE || text->tokens[op].line != line ||
      text->lines[line].first == op)
    return CUL_TEXT_NONE; /* without results */
  arrow = arrow_of(text, line, op);
  return arrow != CUL_TEXT_NONE && length(text, types_behind(text, arrow)) == n
             ? arrow
             : CUL_TEXT_NONE;
}

static bool calls_are_free(struct cul_text *text,
                           const struct cul_text_function *f, uint32_t n,
                           uint32_t k) {
  const struct cul_text_names *names = cul_text_names(text);
  for (uint32_t u = names->first_use[f->symbol];
       u < names->first_use[f->symbol + 1]; u++)
    if (call_of(text, names->uses[u], n) != CUL_TEXT_NONE &&
        !is_free(text, text->tokens[names->uses[u]].line, k))
      return false;
  return true;
}

static void add_function(struct cul_text *text, uint32_t item,
                         const struct cul_text_function *f,
                         struct cul_sites *out) {
  uint32_t arrow = returns_of(text, f), n;
  if (arrow == CUL_TEXT_NONE || f->symbol == CUL_TEXT_NONE)
    return;
  n = length(text, types_of_function(text, f, arrow));
  if (f->body != CUL_TEXT_NONE && !ends_give(text, item, "return", n))
    return;
  for (uint32_t k = 0; k < n; k++)
    if (calls_are_free(text, f, n, k))
      cul_sites_add(out, NULL, cul_text_two(item, k), 2);
}

static void drop_at_call(struct cul_text *text, uint32_t use, uint32_t n,
                         uint32_t k) {
  uint32_t arrow = call_of(text, use, n), line = text->tokens[use].line;
  struct list types;
  if (arrow == CUL_TEXT_NONE)
    return;
  types = types_behind(text, arrow);
  drop_element(text, types, k);
  count_anew(text, line, types, k);
  if (n_left(text, types, n) == 0 && types.first == arrow + 1)
    cul_text_replace(text, arrow, "-> ()");
}

static bool drop_of_function(struct cul_text *text,
                             const struct cul_text_function *f, uint32_t k) {
  const struct cul_text_names *names = cul_text_names(text);
  uint32_t arrow = returns_of(text, f), n;
  struct list types = types_of_function(text, f, arrow);
  n = length(text, types);
  if (!is_left(text, types, k))
    return false;
  drop_element(text, types, k);
  if (f->type == CUL_TEXT_NONE)
    drop_empty(text, arrow, types);
  drop_at_ends(text, f->item, "return", k);
  for (uint32_t u = names->first_use[f->symbol];
       u < names->first_use[f->symbol + 1]; u++)
    drop_at_call(text, names->uses[u], n, k);
  return true;
}

/* ---- loops and conditionals ---- */

/* The "(" of iter_args( on the line, or NONE. */
static uint32_t carried_of(const struct cul_text *text, uint32_t line) {
  const struct cul_line *l = &text->lines[line];
  for (uint32_t i = l->first; i + 1 < l->first + l->n; i++)
    if (cul_text_token_is(text, i, "iter_args") &&
        cul_text_is_char(text, i + 1, '('))
      return i + 1;
  return CUL_TEXT_NONE;
}

/* "%r:2 = x.for ... -> (T, U) {" whose blocks yield as much: the arrow, or
 * NONE.  A loop with a condition of its own carries otherwise. */
static uint32_t region_of(const struct cul_text *text, uint32_t item) {
  uint32_t line = text->items[item].first, op = cul_text_op(text, item);
  uint32_t arrow, carried, n;
  if (op == CUL_TEXT_NONE || text->lines[line].first == op ||
      text->tokens[op].line != line ||
      text->tokens[op].kind == CUL_TOKEN_STRING ||
      ends_with(cul_text_token(text, op), "while"))
    return CUL_TEXT_NONE;
  arrow = arrow_of(text, line, op);
  if (arrow == CUL_TEXT_NONE || !cul_text_has_children(text, item))
    return CUL_TEXT_NONE;
  n = length(text, types_behind(text, arrow));
  carried = carried_of(text, line);
  if (carried != CUL_TEXT_NONE && length(text, inside(text, carried)) != n)
    return CUL_TEXT_NONE;
  return ends_give(text, item, "yield", n) ? arrow : CUL_TEXT_NONE;
}

static void add_region(struct cul_text *text, uint32_t item,
                       struct cul_sites *out) {
  uint32_t arrow = region_of(text, item), n;
  if (arrow == CUL_TEXT_NONE)
    return;
  n = length(text, types_behind(text, arrow));
  for (uint32_t k = 0; k < n; k++)
    if (is_free(text, text->items[item].first, k))
      cul_sites_add(out, NULL, cul_text_two(item, k), 2);
}

/* "%x = %a" of iter_args: uses of %x read %a. */
static void drop_carried(struct cul_text *text, uint32_t open, uint32_t k) {
  struct list list = inside(text, open);
  uint32_t first, end;
  struct cul_bytes with;
  char *name;
  if (!element(text, list, k, &first, &end) || end < first + 3)
    return;
  with = (struct cul_bytes){text->bytes + text->tokens[first + 2].start,
                            text->tokens[end - 1].start +
                                text->tokens[end - 1].len -
                                text->tokens[first + 2].start};
  name = cul_xstrndup(with.data, with.len);
  cul_text_replace_uses(text, first, 0, name);
  free(name);
  cul_text_erase_element(text, cul_text_two(first, end));
  if (n_left(text, list, length(text, list)) == 0)
    cul_text_erase_tokens(text, open - 1, list.end + 1);
}

static bool drop_of_region(struct cul_text *text, uint32_t item, uint32_t k) {
  uint32_t line = text->items[item].first, arrow = region_of(text, item);
  uint32_t carried = carried_of(text, line);
  struct list types;
  if (arrow == CUL_TEXT_NONE)
    return false;
  types = types_behind(text, arrow);
  if (!is_left(text, types, k))
    return false;
  drop_element(text, types, k);
  count_anew(text, line, types, k);
  drop_empty(text, arrow, types);
  if (carried != CUL_TEXT_NONE)
    drop_carried(text, carried, k);
  drop_at_ends(text, item, "yield", k);
  return true;
}

/* ---- the mutation ---- */

static void sites(struct cul_text *text, struct cul_sites *out) {
  struct cul_text_function f;
  for (uint32_t i = 0; i < text->n_items; i++)
    if (cul_text_function(text, i, &f))
      add_function(text, i, &f, out);
    else
      add_region(text, i, out);
}

static bool drop(struct cul_text *text, uint64_t detail) {
  uint32_t item = cul_text_high(detail), k = (uint32_t)detail;
  struct cul_text_function f;
  return cul_text_function(text, item, &f) ? drop_of_function(text, &f, k)
                                           : drop_of_region(text, item, k);
}

const struct cul_mutation cul_mutation_text_drop_result = {
    .name = "text-drop-result",
    .summary = "drop a result that nothing reads, of a function or a region",
    .kinds = CUL_SUBJECT_MLIR_TEXT,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_text_frame,
    .how = &(const struct cul_text_each){.list = sites, .edit = drop},
};
