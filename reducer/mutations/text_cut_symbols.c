/* Of many functions that name each other few stay (mlir-text): the others go
 * with the statements that name them.  What these computed becomes an argument,
 * or one of the function's own where it is called. */
#include "text_mend.h"

/* Fewer are left to the mutations that come later. */
enum { FEWEST = 8 };

static void sites(struct cul_text *text, struct cul_sites *out) {
  struct cul_text_function function;
  for (uint32_t i = 0; i < text->n_items; i++)
    if (cul_text_function(text, i, &function) &&
        function.symbol != CUL_TEXT_NONE)
      cul_sites_add(out, NULL, cul_text_two(i, function.symbol),
                    cul_text_item_weight(text, i));
  if (out->n < FEWEST)
    cul_sites_clear(out);
}

/* The statement that holds the use: the innermost item, where it is one that
 * may go. */
static void erase_user(struct cul_text *text, uint32_t use) {
  uint32_t item = cul_text_item_at(text, use);
  struct cul_text_function function;
  if (cul_text_is_live(text, use) && cul_text_op(text, item) < use &&
      !cul_text_is_terminator(text, text->habits, item) &&
      !cul_text_function(text, item, &function))
    cul_text_erase_item(text, item);
}

static bool cut(struct cul_text *text, uint64_t detail) {
  uint32_t symbol = (uint32_t)detail;
  bool any = cul_text_erase_item(text, cul_text_high(detail));
  for (uint32_t u = 0, use; cul_text_use(text, symbol, u, &use); u++)
    erase_user(text, use);
  return any;
}

const struct cul_mutation cul_mutation_text_cut_symbols = {
    .name = "text-cut-symbols",
    .summary = "keep few of many functions, and what does not name the others",
    .kinds = CUL_SUBJECT_MLIR_TEXT,
    .phase = CUL_PHASE_CUT,
    .frame = &cul_text_frame,
    .how = &(
        const struct cul_text_each){.list = sites, .edit = cut, .mends = true},
};
