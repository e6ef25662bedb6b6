/* text-hoist: replace a block by its body.  In MLIR, replace an operation by
 * the body of one of its regions: the operands of the region's terminator
 * replace the results, and the region's arguments become arguments of the
 * function. A symbol table is replaced by its contents. */
#include "../../subject/text/language/mlir.h"
#include "../../subject/text/language/terms.h"
#include "sites.h"

/* ---- sites ---- */

/* Facts about an item, found in one pass: the tokens of its own lines, the
 * number of its bodies, and whether operations and labels are directly
 * inside. */
struct census {
  uint32_t own, bodies;
  bool ops, labels;
};

static struct census *count(const struct cul_text *text) {
  struct census *of = cul_xcalloc(text->n_items + 1, sizeof *of);
  for (size_t i = 0; i < text->n_lines; i++)
    if (text->lines[i].item != CUL_TEXT_NONE)
      of[text->lines[i].item].own += text->lines[i].n;
  for (uint32_t i = 0; i < text->n_items; i++) {
    const struct cul_text_item *it = &text->items[i];
    if (it->parent == CUL_TEXT_NONE || (it->list && cul_text_is_mlir(text)))
      continue;
    of[it->parent].bodies += it->starts;
    of[it->parent].labels |= it->label;
    of[it->parent].ops |= cul_text_op(text, i) != CUL_TEXT_NONE;
  }
  return of;
}

/* Can the item be replaced by its body?  Not a block of LLVM IR, which remains
 * one, with a number, when it loses its label; nor a function of MLIR, or an
 * operation that contains blocks. */
static bool may_open(const struct cul_text *text, uint32_t item,
                     const struct census *of) {
  struct cul_text_function function;
  return of->bodies &&
         !(text->items[item].label && text->lang->numbers_blocks) &&
         (!cul_text_is_mlir(text) ||
          (of->ops && !of->labels && cul_text_op(text, item) != CUL_TEXT_NONE &&
           !cul_text_function(text, item, &function)));
}

/* Add sites for items whose opening and closing lines are erased.  Each of
 * several bodies ("} else {") can also be kept alone.  detail: the item, and
 * the number of the body to keep + 1, or 0 for all bodies. */
static void list_blocks(struct cul_text *text, struct cul_sites *out) {
  CUL_HEAP struct census *of = count(text);
  for (uint32_t i = 0; i < text->n_items; i++)
    if (may_open(text, i, &of[i]) &&
        !(cul_text_is_mlir(text) && of[i].bodies > 1))
      cul_sites_add(out, NULL, cul_text_two(i, 0), of[i].own);
  for (uint32_t i = 0; i < text->n_items; i++) {
    uint32_t parent = text->items[i].parent;
    if (text->items[i].starts && parent != CUL_TEXT_NONE &&
        of[parent].bodies > 1 && may_open(text, parent, &of[parent]))
      cul_sites_add(out, NULL, cul_text_two(parent, text->items[i].group + 1),
                    of[parent].own);
  }
}

/* ---- results of an operation of MLIR ---- */

/* The token of operand k of the terminator, or CUL_TEXT_NONE. */
static uint32_t operand(const struct cul_text *text, uint32_t item,
                        uint32_t k) {
  const struct cul_line *l = &text->lines[text->items[item].first];
  for (uint32_t i = l->first;
       i < l->first + l->n && !cul_text_is_char(text, i, ':'); i++)
    if (cul_text_starts(text, i, '%') && k-- == 0)
      return i;
  return CUL_TEXT_NONE;
}

static void forward_results(struct cul_text *text, uint32_t item,
                            uint32_t terminator) {
  uint32_t line = text->items[item].first, equals;
  uint32_t def = text->lines[line].first, n;
  if (!cul_text_results(text, line, &equals))
    return;
  n = cul_text_results_of(text, def);
  for (uint32_t k = 0; k < n; k++) {
    uint32_t other = operand(text, terminator, k);
    if (other != CUL_TEXT_NONE)
      cul_text_all_read_as(text, def, k, other);
  }
}

/* Rename the values that move out, because another region may use the same
 * names. */
static void rename_shared(struct cul_text *text, uint32_t item) {
  const struct cul_text_names *names = cul_text_names(text);
  uint32_t fresh = (uint32_t)text->n_with; /* later than those of other edits */
  uint32_t end = cul_text_item_end(text, item), use;
  for (uint32_t i = cul_text_item_first(text, item); i < end; i++) {
    CUL_HEAP char *name = NULL;
    if (text->items[cul_text_item_at(text, i)].parent != item ||
        names->def[i] != i || !names->shared[i] ||
        !cul_text_starts(text, i, '%') || !cul_text_is_live(text, i) ||
        cul_text_replaced(text, i))
      continue;
    name = cul_text_fresh_name(text, &fresh);
    cul_text_replace(text, i, name);
    for (uint32_t u = 0; cul_text_use(text, i, u, &use); u++)
      cul_text_replace(text, use, name);
  }
}

/* ---- the edit ---- */

/* Move a child that stays to the indentation of the item, if that has a
 * meaning. */
static void move_out(struct cul_text *text, uint32_t item, uint32_t child) {
  const struct cul_text_item *it = &text->items[child];
  uint32_t inside = text->lines[it->first].indent;
  uint32_t outside = text->lines[text->items[item].first].indent;
  if (text->lang->indents && inside > outside)
    cul_text_outdent(text, it->first, it->end, inside - outside);
}

/* Replace the item's results by the operands of its body's terminator. */
static void hand_out(struct cul_text *text, uint32_t item) {
  uint32_t last = CUL_TEXT_NONE;
  rename_shared(text, item);
  for (uint32_t i = item + 1; cul_text_holds(text, item, i); i++)
    if (text->items[i].parent == item &&
        cul_text_op(text, i) != CUL_TEXT_NONE &&
        cul_text_is_live(text, cul_text_op(text, i)))
      last = i;
  if (last == CUL_TEXT_NONE ||
      !cul_text_is_terminator(text, text->habits, last))
    return;
  forward_results(text, item, last);
  cul_text_erase_item(text, last);
}

/* Erase the item's own lines, and its bodies except that of group `body`; NONE:
 * keep all bodies.  Returns whether the lines still existed. */
static bool open_up(struct cul_text *text, uint32_t item, uint32_t body) {
  const struct cul_text_item *it = &text->items[item];
  bool any = false;
  for (uint32_t line = it->first; line < it->end; line++)
    if (text->lines[line].item == item)
      any |= cul_text_erase_line(text, line);
  for (uint32_t i = item + 1;
       any && body != CUL_TEXT_NONE && cul_text_holds(text, item, i); i++)
    if (text->items[i].parent == item && text->items[i].group != body)
      cul_text_erase_lines(text, text->items[i].first, text->items[i].end);
  return any;
}

/* Erase the item's own lines, and the bodies that are not kept. */
static bool hoist(struct cul_text *text, uint64_t detail) {
  uint32_t item = cul_text_high(detail), body = (uint32_t)detail;
  if (!open_up(text, item, body ? body - 1 : CUL_TEXT_NONE))
    return false;
  for (uint32_t i = item + 1; cul_text_holds(text, item, i); i++)
    if (text->items[i].parent == item)
      move_out(text, item, i);
  if (cul_text_is_mlir(text))
    hand_out(text, item);
  return true;
}

CUL_TEXT(text_hoist, .list = list_blocks, .edit = hoist, .fixes = true);
