/* LLVM IR as text: see language.h. */
#include "../ops.h"
#include "edges.h"
#include "language.h"

/* ---- bodies ---- */

/* Replace "define internal" by "declare": a declaration cannot have such
 * linkage. */
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

/* ---- repairs ---- */

static const struct cul_text_edges edges = {.branches = {"br", "switch"},
                                            .unreachable = "unreachable",
                                            .phis = " phi "};

/* Replace uses of erased values by poison, but not uses of erased arguments. */
static void fix_up(struct cul_text *text) {
  const struct cul_text_names *names = cul_text_names(text);
  cul_text_fix_up_edges(text);
  for (uint32_t i = 0; i < text->n_tokens; i++) {
    uint32_t def = names->def[i], item;
    if (def == CUL_TEXT_NONE || def == i || !cul_text_starts(text, i, '%') ||
        cul_text_is_live(text, def) || !cul_text_is_live(text, i) ||
        text->lines[text->tokens[def].line].first != def)
      continue;
    item = cul_text_item_at(text, def);
    if (!text->items[item].label || cul_text_item_first(text, item) != def)
      cul_text_replace(text, i, "poison");
  }
}

const struct cul_text_language cul_text_llvm = {
    .name = "llvm",
    .edges = &edges,
    .declare = declare,
    .fix_up = fix_up,
};
