/* Positions of mlir-text: an argument or a result of a function, or a result of
 * a loop or conditional.  One is dropped with all that corresponds to it:
 * types, operands of calls and of terminators, values that a loop carries;
 * later results are renumbered.  An operation in a form that statement.h does
 * not understand has no site, or does not change. */
#include "../../subject/text/language/mlir.h"
#include "../../subject/text/language/statement.h"
#include "sites.h"

/* How many of the elements before number k are left. */
static uint32_t n_left(const struct cul_text *text, struct cul_text_list list,
                       uint32_t k) {
  uint32_t n = 0, first, end;
  for (uint32_t i = 0;
       i < k && cul_text_list_element(text, list, i, &first, &end); i++)
    n += cul_text_is_live(text, first);
  return n;
}

/* Is no element left? */
static bool is_gone(const struct cul_text *text, struct cul_text_list list) {
  return n_left(text, list, CUL_TEXT_NONE) == 0;
}

/* Drop element k; false if there is none, or it is erased already. */
static bool drop_element(struct cul_text *text, struct cul_text_list list,
                         uint32_t k) {
  uint32_t first, end;
  if (!cul_text_list_element(text, list, k, &first, &end) ||
      !cul_text_erase_element(text, first, end))
    return false;
  if (list.lead != CUL_TEXT_NONE && is_gone(text, list))
    cul_text_erase_tokens(text, list.lead,
                          list.end + (list.first == list.lead + 2));
  return true;
}

/* ---- results of a statement ---- */

/* Is there a result k without uses?  "%x" of several results may be all of
 * them. */
static bool is_unread(struct cul_text *text, struct cul_text_list results,
                      uint32_t k) {
  const struct cul_text_names *names = cul_text_names(text);
  bool numbered = cul_text_is_char(text, results.first + 1, ':');
  uint32_t def = results.first, end, number;
  if (!numbered && !cul_text_list_element(text, results, k, &def, &end))
    return false;
  if (names->def[def] != def)
    return false;
  for (uint32_t u = 0, use; cul_text_use(text, def, u, &use); u++)
    if (!numbered || !cul_text_result_number(text, use, &number) || number == k)
      return false;
  return true;
}

/* Renumber the results; result k and its type were dropped. */
static void count_anew(struct cul_text *text,
                       const struct cul_text_statement *s, uint32_t k) {
  uint32_t first = s->names.first, number;
  uint32_t left = n_left(text, s->given, CUL_TEXT_NONE);
  if (left == 0) {
    cul_text_erase_tokens(text, first, s->names.end + 1);
  } else if (!cul_text_is_char(text, first + 1, ':')) {
    drop_element(text, s->names, k);
  } else {
    cul_text_rewrite(text, first + 2, "%u", left);
    for (uint32_t u = 0, use; cul_text_use(text, first, u, &use); u++)
      if (cul_text_result_number(text, use, &number))
        cul_text_rewrite(text, use + 1, "#%u", n_left(text, s->given, number));
  }
}

/* ---- results ---- */

/* Read a call that has all results of the function. */
static bool read_call(const struct cul_text *text, uint32_t use,
                      const struct cul_text_returned *r,
                      struct cul_text_statement *out) {
  return cul_text_read_user(text, use, out) && out->names.end &&
         out->given.end &&
         cul_text_elements_of(text, out->given.first, out->given.end) == r->n;
}

/* Is result k unused, also in all calls of a function? */
static bool is_free(struct cul_text *text, const struct cul_text_returned *r,
                    uint32_t k) {
  struct cul_text_statement call;
  if (r->symbol == CUL_TEXT_NONE)
    return is_unread(text, r->yields.names, k);
  for (uint32_t u = 0, use; cul_text_use(text, r->symbol, u, &use); u++)
    if (read_call(text, use, r, &call) && !is_unread(text, call.names, k))
      return false;
  return true;
}

/* Drop result k of a call; without brackets, "-> T" becomes "-> ()". */
static void drop_at_call(struct cul_text *text, struct cul_text_statement *call,
                         uint32_t k) {
  uint32_t arrow = call->given.lead;
  call->given.lead = CUL_TEXT_NONE;
  drop_element(text, call->given, k);
  count_anew(text, call, k);
  if (call->given.first == arrow + 1 && is_gone(text, call->given))
    cul_text_replace(text, arrow, "-> ()");
}

/* Drop "%x = %a": uses of %x read %a. */
static void drop_carried(struct cul_text *text, struct cul_text_list carried,
                         uint32_t k) {
  uint32_t first, end;
  if (!cul_text_list_element(text, carried, k, &first, &end) || end < first + 3)
    return;
  cul_text_all_read_as(text, first, 0, first + 2);
  drop_element(text, carried, k);
}

static bool drop_result(struct cul_text *text,
                        const struct cul_text_returned *r, uint32_t k) {
  uint32_t at = r->item;
  struct cul_text_statement s;
  if (!drop_element(text, r->types, k))
    return false;
  while (cul_text_next_end(text, r->item, r->ends, &at, &s)) {
    drop_element(text, s.operands, k);
    drop_element(text, s.taken, k);
  }
  if (r->carried.end)
    drop_carried(text, r->carried, k);
  if (r->symbol == CUL_TEXT_NONE) {
    count_anew(text, &r->yields, k);
    return true;
  }
  for (uint32_t u = 0, use; cul_text_use(text, r->symbol, u, &use); u++)
    if (read_call(text, use, r, &s))
      drop_at_call(text, &s, k);
  return true;
}

/* detail: the item, and the number of the result. */
static void list_results(struct cul_text *text, struct cul_sites *out) {
  struct cul_text_returned results;
  for (uint32_t i = 0; i < text->n_items; i++)
    for (uint32_t k = 0;
         cul_text_find_returned(text, i, &results) && k < results.n; k++)
      if (is_free(text, &results, k))
        cul_sites_add(out, NULL, cul_text_two(i, k), 2);
}

static bool drop_one(struct cul_text *text, uint64_t detail) {
  struct cul_text_returned results;
  return cul_text_find_returned(text, cul_text_high(detail), &results) &&
         drop_result(text, &results, (uint32_t)detail);
}

CUL_TEXT(text_drop_result, .list = list_results, .edit = drop_one);

/* ---- arguments ---- */

/* detail: the item, and the number of the argument. */
static void list_arguments(struct cul_text *text, struct cul_sites *out) {
  const struct cul_text_names *names = cul_text_names(text);
  struct cul_text_function function;
  uint32_t first, end;
  for (uint32_t i = 0; i < text->n_items; i++) {
    if (!cul_text_function(text, i, &function) ||
        function.arguments == CUL_TEXT_NONE || function.symbol == CUL_TEXT_NONE)
      continue;
    for (uint32_t k = 0;
         cul_text_element(text, function.arguments, k, &first, &end); k++)
      /* it has no name here, or its name has no use */
      if (names->def[first] != first ||
          names->first_use[first] == names->first_use[first + 1])
        cul_sites_add(out, NULL, cul_text_two(i, k), end - first);
  }
}

static bool drop_argument(struct cul_text *text, uint64_t detail) {
  struct cul_text_function f;
  struct cul_text_statement call;
  uint32_t k = (uint32_t)detail;
  if (!cul_text_function(text, cul_text_high(detail), &f) ||
      !drop_element(text, cul_text_list_in(text, f.arguments), k))
    return false;
  if (f.type != CUL_TEXT_NONE)
    drop_element(text, cul_text_list_in(text, f.type), k);
  for (uint32_t u = 0, use; cul_text_use(text, f.symbol, u, &use); u++)
    if (cul_text_read_user(text, use, &call) && call.taken.end &&
        drop_element(text, call.operands, k))
      drop_element(text, call.taken, k);
  return true;
}

CUL_TEXT(text_drop_argument, .list = list_arguments, .edit = drop_argument);
