/* LLVM IR as text: see language.h. */
#include "../../subject/text/ops.h"
#include "language.h"

/* ---- bodies ---- */

/* "define internal" is "declare": a declaration has no such linkage. */
static void declare(struct cul_text *text, uint32_t first, uint32_t end) {
  for (uint32_t i = first; i < end; i++)
    if (cul_text_token_is(text, i, "define"))
      cul_text_replace(text, i, "declare");
    else if (cul_text_is_word(text, i,
                              " internal private linkonce linkonce_odr weak "
                              "weak_odr common appending comdat "
                              "available_externally "))
      cul_text_erase_token(text, i);
}

static bool drop_body(struct cul_text *text, uint32_t item) {
  uint32_t brace = cul_text_braces(text, item);
  if (!cul_text_erase_braces(text, brace))
    return false;
  declare(text, cul_text_item_first(text, item), brace);
  return true;
}

/* ---- edges ---- */

/* Is the token in "[ value, %block ]" of a phi?  Then the entry goes, with one
 * of its commas. */
static bool erase_phi_entry(struct cul_text *text, uint32_t token) {
  const struct cul_line *l = &text->lines[text->tokens[token].line];
  uint32_t open = token, close;
  if (l->n <= 3 || !(cul_text_token_is(text, l->first + 2, "phi") ||
                     cul_text_token_is(text, l->first, "phi")))
    return false;
  while (open > l->first && !cul_text_is_char(text, open, '['))
    open--;
  close = text->tokens[open].match;
  return open > l->first && close < l->first + l->n &&
         cul_text_erase_element(text, cul_text_two(open, close + 1));
}

/* There is no edge any more from the block around the item to that of label
 * `to`, whose phis lose their entries for it. */
static void erase_edge(struct cul_text *text, uint32_t item, uint32_t to) {
  const struct cul_text_names *names = cul_text_names(text);
  const struct cul_text_item *it = &text->items[cul_text_item_at(text, to)];
  uint32_t from = CUL_TEXT_NONE; /* an entry block without a label */
  for (; item != CUL_TEXT_NONE; item = text->items[item].parent)
    if (text->items[item].label) {
      from = cul_text_item_first(text, item);
      break;
    }
  for (uint32_t line = it->first; line < it->end; line++) {
    const struct cul_line *l = &text->lines[line];
    for (uint32_t i = l->first + 2; i < l->first + l->n; i++)
      if (names->def[i] == from && cul_text_is_char(text, i - 1, ',') &&
          cul_text_starts(text, i, '%') && erase_phi_entry(text, i))
        break;
  }
}

/* ---- branches ---- */

/* "br i1 %c, label %a, label %b". */
static uint32_t branch(const struct cul_text *text, uint32_t line,
                       struct cul_text_branch *out) {
  uint32_t first = text->lines[line].first;
  return cul_text_token_is(text, first, "br") &&
                 cul_text_token_is(text, first + 1, "i1")
             ? cul_text_branch(text, line, out)
             : 0;
}

/* The phis of the target that is no longer branched to; where both targets
 * are the same block it still is. */
static void forget_edge(struct cul_text *text, const struct cul_text_branch *b,
                        uint32_t target) {
  const struct cul_text_names *names = cul_text_names(text);
  uint32_t to[2] = {names->def[b->commas[1] - 1], names->def[b->end - 1]};
  if (to[target] != CUL_TEXT_NONE && to[0] != to[1])
    erase_edge(text, cul_text_item_at(text, b->word), to[target]);
}

static bool fold(struct cul_text *text, const struct cul_text_branch *branch,
                 uint32_t target) {
  forget_edge(text, branch, 1 - target);
  cul_text_take_branch(text, branch, target);
  return true;
}

/* ---- what is erased ---- */

/* Does the line stand in the list of the switch above it? */
static bool is_case(const struct cul_text *text, uint32_t line) {
  uint32_t item = text->lines[line].item;
  while (item != CUL_TEXT_NONE && text->items[item].list)
    item = text->items[item].parent;
  return item != CUL_TEXT_NONE && text->items[item].first < line &&
         cul_text_token_is(text, cul_text_item_first(text, item), "switch");
}

/* Of the terminator one target is left, or none. */
static void end_block(struct cul_text *text, uint32_t line, uint32_t target) {
  const struct cul_line *l = &text->lines[line];
  uint32_t end = cul_text_item_end(text, l->item);
  if (target == CUL_TEXT_NONE)
    cul_text_rewrite(text, l->first, "unreachable");
  for (uint32_t i = l->first + 1; i < end; i++)
    if (target == CUL_TEXT_NONE || (i != target && i != target + 1))
      cul_text_erase_token(text, i);
}

/* A use of the label that is gone.  Of a conditional branch the target that is
 * another one stays, a phi without entries goes. */
static void redirect(struct cul_text *text, uint32_t use, uint32_t gone) {
  const struct cul_text_names *names = cul_text_names(text);
  uint32_t line = text->tokens[use].line, other = text->lines[line].first;
  uint32_t first = other, end = first + text->lines[line].n;
  if (erase_phi_entry(text, use)) {
    while (first < end && !(cul_text_is_char(text, first, '[') &&
                            cul_text_is_live(text, first)))
      first++;
    if (first == end)
      cul_text_erase_line(text, line);
    return;
  }
  while (other < end && !(cul_text_token_is(text, other, "label") &&
                          other + 1 < end && names->def[other + 1] != gone))
    other++;
  if (cul_text_token_is(text, first, "br"))
    end_block(text, line, other < end ? other : CUL_TEXT_NONE);
  else if (cul_text_token_is(text, first, "switch"))
    end_block(text, line, CUL_TEXT_NONE);
  else if (is_case(text, line))
    cul_text_erase_line(text, line);
}

/* Branches to a block that is gone go to the other target, or nowhere; phis
 * lose their entries for it; a value that is gone is poison, but no argument.
 */
static void fix_up_names(struct cul_text *text, bool labels) {
  const struct cul_text_names *names = cul_text_names(text);
  for (uint32_t i = 0; i < text->n_tokens; i++) {
    uint32_t def = names->def[i], item;
    bool label;
    if (def == CUL_TEXT_NONE || def == i || !cul_text_starts(text, i, '%') ||
        cul_text_is_live(text, def) || !cul_text_is_live(text, i) ||
        text->lines[text->tokens[def].line].first != def)
      continue;
    item = cul_text_item_at(text, def);
    label = text->items[item].label && cul_text_item_first(text, item) == def;
    if (label && labels)
      redirect(text, i, def);
    else if (!label && !labels)
      cul_text_replace(text, i, "poison");
  }
}

static void fix_up(struct cul_text *text) {
  fix_up_names(text, true);
  fix_up_names(text, false);
}

const struct cul_text_language cul_text_llvm = {
    .name = "llvm",
    .fix_up = fix_up,
    .weigh_body = cul_text_weigh_body,
    .drop_body = drop_body,
    .branch = branch,
    .fold = fold,
};

/* ---- a value is zero ---- */

static uint32_t weigh_zero(struct cul_text *text, uint32_t item) {
  return cul_text_is(text, "llvm") &&
                 cul_text_only_result(text, item) != CUL_TEXT_NONE
             ? cul_text_item_weight(text, item)
             : 0;
}

static bool make_zero(struct cul_text *text, uint64_t item) {
  uint32_t result = cul_text_only_result(text, (uint32_t)item), use;
  if (!cul_text_erase_item(text, item))
    return false;
  for (uint32_t u = 0; cul_text_use(text, result, u, &use); u++)
    cul_text_replace(text, use, "zeroinitializer");
  return true;
}

const struct cul_text_each cul_mutation_text_value_to_zero = {
    .items = weigh_zero, .edit = make_zero};
