/* Edges between blocks, in every language that has labels: repairs branches and
 * phis after an edit erased blocks or targets.  See edges.h. */
#include "edges.h"

#include <stdlib.h>
#include <string.h>

#include "../ops.h"
#include "language.h"

/* ---- blocks ---- */

/* Does the token use the name of a block? */
static bool is_target(struct cul_text *text, uint32_t token) {
  uint32_t def = cul_text_names(text)->def[token], item;
  if (def == CUL_TEXT_NONE || def == token)
    return false;
  item = cul_text_item_at(text, def);
  return text->items[item].label && cul_text_item_first(text, item) == def;
}

static bool is_live_target(struct cul_text *text, uint32_t token) {
  return cul_text_is_live(text, token) &&
         cul_text_is_live(text, cul_text_names(text)->def[token]);
}

/* The label of the block that contains the line; CUL_TEXT_NONE: an entry block
 * without a label. */
static uint32_t block_of(const struct cul_text *text, uint32_t line) {
  uint32_t item = text->lines[line].item;
  while (item != CUL_TEXT_NONE && !text->items[item].label)
    item = text->items[item].parent;
  return item == CUL_TEXT_NONE ? item : cul_text_item_first(text, item);
}

/* Is the operation of the line one of these words, as in "%r = OpPhi" and
 * "OpSelectionMerge"?  False for an erased line. */
static bool is_any(const struct cul_text *text, uint32_t line,
                   const char *words) {
  const struct cul_line *l = &text->lines[line];
  uint32_t op = l->first;
  if (cul_text_is_char(text, op + 1, '='))
    op += 2;
  return words && !cul_text_is_dead(text, line) && op < l->first + l->n &&
         cul_text_is_word(text, op, words);
}

/* ---- branches ---- */

bool cul_text_branch(struct cul_text *text, uint32_t line,
                     struct cul_text_branch *out) {
  const struct cul_text_edges *edges = cul_text_language(text)->edges;
  const struct cul_line *l = &text->lines[line];
  uint32_t start = l->first + 1, end = l->first + l->n;
  bool named = false;
  *out = (struct cul_text_branch){.word = l->first};
  for (size_t i = 0; l->n && i < CUL_ARRAY_SIZE(edges->branches); i++)
    named |= edges->branches[i] &&
             cul_bytes_end(cul_text_token(text, l->first), edges->branches[i]);
  for (uint32_t i = start; named && i < end; i = cul_text_after(text, i))
    if (cul_text_is_char(text, i, ',')) {
      start = i + 1;
    } else if (is_target(text, i)) {
      uint32_t k = out->n++;
      if (k > 1)
        continue;
      out->target[k] = i;
      out->first[k] = text->lang->fixed_operands ? i : start;
      out->end[k] = i + 1;
      if (cul_text_opens(text, i + 1, '('))
        out->end[k] = cul_text_after(text, i + 1);
    }
  return out->n > 0;
}

/* The token of the name in "OpSelectionMerge %name" on the line before;
 * CUL_TEXT_NONE: that line is no such instruction, or names no block. */
static uint32_t find_merge(struct cul_text *text, uint32_t line) {
  uint32_t name;
  if (!line ||
      !is_any(text, line - 1, cul_text_language(text)->edges->merges) ||
      text->lines[line - 1].n < 2)
    return CUL_TEXT_NONE;
  name = text->lines[line - 1].first + 1;
  return is_target(text, name) ? name : CUL_TEXT_NONE;
}

uint32_t cul_text_merge(struct cul_text *text, uint32_t line) {
  uint32_t merge = find_merge(text, line);
  return merge != CUL_TEXT_NONE && is_target(text, merge)
             ? cul_text_names(text)->def[merge]
             : CUL_TEXT_NONE;
}

/* Make the branch unconditional: keep only target k. */
static void keep_target(struct cul_text *text, const struct cul_text_branch *b,
                        uint32_t k) {
  const char *condition = cul_text_language(text)->edges->condition;
  struct cul_bytes name = cul_text_token(text, b->word);
  const char *at =
      condition ? memmem(name.data, name.len, condition, strlen(condition))
                : NULL;
  if (at)
    cul_text_rewrite(text, b->word, "%.*s%.*s", (int)(at - name.data),
                     name.data,
                     (int)(name.data + name.len - at - strlen(condition)),
                     at + strlen(condition));
  cul_text_erase_tokens(text, b->word + 1, b->first[0]);
  cul_text_erase_tokens(text, k ? b->first[0] : b->end[0],
                        k ? b->first[1] : b->end[1]);
}

/* Replace a branch without targets: branch to the merge block, or end the block
 * with an unreachable instruction. */
static void end_block(struct cul_text *text, uint32_t line, uint32_t merge) {
  const struct cul_text_edges *edges = cul_text_language(text)->edges;
  const struct cul_line *l = &text->lines[line];
  bool meets = merge != CUL_TEXT_NONE && is_live_target(text, merge);
  if (!edges->unreachable)
    return;
  if (meets)
    cul_text_rewrite(text, l->first, "%s %.*s", edges->branches[0],
                     (int)text->tokens[merge].len,
                     cul_text_token(text, merge).data);
  else
    cul_text_rewrite(text, l->first, "%s", edges->unreachable);
  cul_text_erase_tokens(text, l->first + 1, cul_text_item_end(text, l->item));
}

/* Repair the branch on the line after its targets, or blocks that its merge
 * instruction names, were erased.  Erase the merge instruction too if a single
 * target is left, except that of a loop, which names two blocks and is valid
 * with one target. */
static void fix_branch(struct cul_text *text, uint32_t line) {
  struct cul_text_branch b;
  uint32_t merge = find_merge(text, line), left = 0, k = 0, met = 0, gone = 0;
  if (cul_text_is_dead(text, line) || !cul_text_branch(text, line, &b) ||
      !cul_text_is_live(text, b.word))
    return;
  for (uint32_t i = 0; i < b.n && i < 2; i++)
    if (is_live_target(text, b.target[i]) && left++ == 0)
      k = i;
  for (uint32_t i = merge;
       merge != CUL_TEXT_NONE && i < cul_text_line_end(text, merge) &&
       is_target(text, i);
       i++, met++)
    gone += !is_live_target(text, i);
  if (b.n == 2 && (left == 1 || (left == 2 && gone)))
    keep_target(text, &b, k);
  else if (!left || !is_live_target(text, b.target[0]))
    end_block(text, line, merge);
  if (met && (gone || !left || (met == 1 && left < 2) ||
              cul_text_same(text, b.target[k], merge)))
    cul_text_erase_line(text, line - 1);
}

/* Erase a case of an LLVM IR switch, which is a line of a list, if its target
 * was erased. */
static void fix_case(struct cul_text *text, uint32_t line) {
  const struct cul_line *l = &text->lines[line];
  if (l->n && text->items[l->item].list)
    for (uint32_t i = l->first; i < l->first + l->n; i++)
      if (is_target(text, i) && !is_live_target(text, i))
        cul_text_erase_line(text, line);
}

/* ---- phis ---- */

/* The number of edges from block `from` to block `to`: uses of that label in
 * `from` that are not erased. */
static uint32_t count_edges(struct cul_text *text, uint32_t from, uint32_t to) {
  const struct cul_text_edges *edges = cul_text_language(text)->edges;
  uint32_t n = 0;
  for (uint32_t u = 0, use; cul_text_use(text, to, u, &use); u++) {
    uint32_t line = text->tokens[use].line;
    n += cul_text_is_live(text, use) && block_of(text, line) == from &&
         !is_any(text, line, edges->phis) && !is_any(text, line, edges->merges);
  }
  return n;
}

/* Find the next entry of a phi, "[ value, %block ]" or "%value %block", from
 * token *at on.  Its tokens are [*at, *end); *block: the name of the block. */
static bool next_entry(const struct cul_text *text, uint32_t line, uint32_t *at,
                       uint32_t *end, uint32_t *block) {
  uint32_t last = text->lines[line].first + text->lines[line].n;
  while (!text->lang->fixed_operands && *at < last &&
         !cul_text_opens(text, *at, '['))
    ++*at;
  if (*at + 1 >= last)
    return false;
  *end = text->lang->fixed_operands ? *at + 2 : cul_text_after(text, *at);
  *block = *end - (text->lang->fixed_operands ? 1 : 2);
  return true;
}

/* SPIR-V: replace the phi by the value of its entry for `block`. */
static void read_entry(struct cul_text *text, uint32_t line, uint32_t block) {
  uint32_t def = text->lines[line].first, use;
  CUL_HEAP char *with = cul_bytes_copy(cul_text_now(text, block - 1));
  for (uint32_t u = 0; cul_text_use(text, def, u, &use); u++)
    cul_text_rewrite(text, use, "%s", with);
  cul_text_erase_line(text, line);
}

/* Erase the entries of a phi whose edges are gone, and a phi without entries.
 * Replace a phi with one entry by its value, except in LLVM IR, where unnamed
 * values are numbered in order, so that removing one would change the names of
 * the others. */
static void fix_phi(struct cul_text *text, uint32_t line) {
  const struct cul_text_names *names = cul_text_names(text);
  uint32_t first = text->lines[line].first, to = block_of(text, line);
  uint32_t start = first + (cul_text_is_char(text, first + 1, '=') ? 4 : 2);
  uint32_t left = 0, n = 0, last = 0, end, block, behind, other;
  if (to == CUL_TEXT_NONE ||
      !is_any(text, line, cul_text_language(text)->edges->phis))
    return;
  for (uint32_t i = start; next_entry(text, line, &i, &end, &block);
       i = end, n++) {
    uint32_t same =
        0; /* entries for edges from that block, including this one */
    for (uint32_t k = start;
         k < end && next_entry(text, line, &k, &behind, &other); k = behind)
      same += names->def[other] == names->def[block];
    if (same <= count_edges(text, names->def[block], to))
      left++, last = block;
    else
      cul_text_erase_element(text, i, end);
  }
  if (!left)
    cul_text_erase_line(text, line);
  else if (left == 1 && n > 1 && !text->lang->numbers_blocks)
    read_entry(text, line, last);
}

void cul_text_fix_up_edges(struct cul_text *text) {
  for (uint32_t line = 0; line < text->n_lines; line++) {
    fix_case(text, line);
    fix_branch(text, line);
  }
  for (uint32_t line = 0; line < text->n_lines; line++)
    fix_phi(text, line);
}
