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

static const char *const constants[] = {"poison", "zeroinitializer", NULL};

const struct cul_text_language cul_text_llvm = {
    .name = "llvm",
    .weigh_body = cul_text_weigh_body,
    .drop_body = drop_body,
    .branch = branch,
    .fold = fold,
    .constants = constants,
};

/* ---- a block of LLVM IR goes ---- */

/* Branches go to the other target, or nowhere; phis lose their entries for it;
 * what it defined is poison elsewhere. */
static uint32_t block(struct cul_text *text, uint32_t item) {
  return cul_text_is(text, "llvm") && text->items[item].label
             ? cul_text_item_weight(text, item)
             : 0;
}

/* A use of the label that is gone.  Of a conditional branch the target that is
 * another one stays. */
static void redirect(struct cul_text *text, uint32_t use, uint32_t gone) {
  const struct cul_text_names *names = cul_text_names(text);
  const struct cul_line *l = &text->lines[text->tokens[use].line];
  uint32_t other = l->first, end = l->first + l->n;
  while (other < end && !(cul_text_token_is(text, other, "label") &&
                          other + 1 < end && names->def[other + 1] != gone))
    other++;
  if (erase_phi_entry(text, use) || l->dead ||
      !cul_text_token_is(text, l->first, "br"))
    return;
  if (other == end)
    cul_text_rewrite(text, l->first, "unreachable");
  for (uint32_t i = l->first + 1; i < end; i++)
    if (i != other && i != other + 1)
      cul_text_erase_token(text, i);
}

static bool drop_block(struct cul_text *text, uint64_t item) {
  const struct cul_text_names *names = cul_text_names(text);
  uint32_t label = cul_text_item_first(text, (uint32_t)item);
  uint32_t end = cul_text_item_end(text, (uint32_t)item);
  if (!cul_text_erase_item(text, item))
    return false;
  for (uint32_t d = label; d < end; d++)
    for (uint32_t u = 0, use;
         names->def[d] == d && cul_text_use(text, d, u, &use); u++)
      if (d != label)
        cul_text_replace(text, use, "poison");
      else if (cul_text_is_live(text, use))
        redirect(text, use, label);
  return true;
}

const struct cul_text_each cul_mutation_text_drop_blocks = {.items = block,
                                                            .edit = drop_block};
