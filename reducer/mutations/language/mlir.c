/* MLIR as text: see language.h. */
#include "../../subject/text/ops.h"
#include "fix_up.h"
#include "language.h"

/* "func.func @f" is "func.func private @f". */
static void declare(struct cul_text *text, uint32_t first, uint32_t brace) {
  uint32_t symbol = cul_text_header(text, text->tokens[first].line) - 1;
  struct cul_bytes name = cul_text_token(text, symbol);
  bool visible = !cul_bytes_start(cul_text_token(text, first), "llvm");
  (void)brace;
  for (uint32_t i = first; i < symbol; i++) {
    if (cul_text_token_is(text, i, "public"))
      cul_text_erase_token(text, i);
    visible &= !cul_text_is_word(text, i, " private nested ");
  }
  if (visible)
    cul_text_rewrite(text, symbol, "private %.*s", (int)name.len, name.data);
}

static void fix_up(struct cul_text *text) {
  cul_text_fix_up_edges(text);
  cul_text_fix_up_mlir(text);
}

static const struct cul_text_edges edges = {.branches = {"br"},
                                            .condition = "cond_"};

static const struct cul_text_values values = {.type = cul_text_type_of_result,
                                              .before = 64};

const struct cul_text_language cul_text_mlir = {
    .name = "mlir",
    .edges = &edges,
    .values = &values,
    .declare = declare,
    .fix_up = fix_up,
};
