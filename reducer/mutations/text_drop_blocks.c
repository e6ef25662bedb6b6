/* LLVM IR: erase a block.  Branches go to the other target, or nowhere; phis
 * lose their entries for it; what it defined is poison elsewhere. */
#include "text_phi.h"

static uint32_t weight(struct cul_text *text, uint32_t item) {
  return cul_text_is_llvm(text) && text->items[item].label
             ? cul_text_item_weight(text, item)
             : 0;
}

/* The target of a conditional branch that is not `gone`; NONE: there is no
 * other, or it is no such branch. */
static uint32_t other_target(struct cul_text *text, uint32_t line,
                             uint32_t gone) {
  const struct cul_text_names *names = cul_text_names(text);
  const struct cul_line *l = &text->lines[line];
  for (uint32_t i = l->first; i + 1 < l->first + l->n; i++)
    if (cul_text_token_is(text, i, "label") && names->def[i + 1] != gone)
      return i + 1;
  return CUL_TEXT_NONE;
}

static void redirect(struct cul_text *text, uint32_t use, uint32_t gone) {
  uint32_t line = text->tokens[use].line;
  const struct cul_line *l = &text->lines[line];
  uint32_t other = other_target(text, line, gone);
  if (cul_text_erase_phi_entry(text, use) || l->dead ||
      !cul_text_token_is(text, l->first, "br"))
    return;
  if (other == CUL_TEXT_NONE)
    cul_text_rewrite(text, l->first, "unreachable");
  for (uint32_t i = l->first + 1; i < l->first + l->n; i++)
    if (other == CUL_TEXT_NONE || (i != other && i != other - 1))
      cul_text_erase_token(text, i);
}

static bool erase(struct cul_text *text, uint64_t detail) {
  uint32_t item = (uint32_t)detail;
  const struct cul_text_names *names = cul_text_names(text);
  const struct cul_text_item *it = &text->items[item];
  uint32_t label = text->lines[it->first].first;
  uint32_t end = cul_text_first_token(text, it->end);
  if (!cul_text_erase_item(text, item))
    return false;
  for (uint32_t d = label; d < end; d++) {
    if (names->def[d] != d)
      continue;
    for (uint32_t u = 0, use; cul_text_use(text, d, u, &use); u++) {
      if (d == label && cul_text_is_live(text, use))
        redirect(text, use, label);
      else if (d != label)
        cul_text_replace(text, use, "poison");
    }
  }
  return true;
}

const struct cul_mutation cul_mutation_text_drop_blocks = {
    .name = "text-drop-blocks",
    .summary = "erase a block of LLVM IR with the edges to it",
    .kinds = CUL_SUBJECT_TEXT,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_text_frame,
    .how = &(const struct cul_text_each){.items = weight, .edit = erase},
};
