/* MLIR as text: see text_language.h. */
#include <stdlib.h>

#include "../subject/text_names.h"
#include "text_language.h"

/* "func.func @f" is "func.func private @f". */
static void declare(struct cul_text *text, uint32_t first, uint32_t symbol) {
  struct cul_bytes name = cul_text_token(text, symbol);
  bool visible = !cul_bytes_start(cul_text_token(text, first), "llvm");
  char *with = cul_xasprintf("private %.*s", (int)name.len, name.data);
  for (uint32_t i = first; i < symbol; i++) {
    if (cul_text_token_is(text, i, "public"))
      cul_text_erase_token(text, i);
    visible &= !cul_text_is_word(text, i, " private nested ");
  }
  if (visible)
    cul_text_replace(text, symbol, with);
  free(with);
}

static bool drop_body(struct cul_text *text, uint32_t item) {
  uint32_t symbol = cul_text_header(text, text->items[item].first) - 1;
  if (!cul_text_erase_braces(text, cul_text_braces(text, item)))
    return false;
  declare(text, cul_text_item_first(text, item), symbol);
  return true;
}

/* "cf.cond_br %c, ^a(%x : t), ^b". */
static uint32_t branch(const struct cul_text *text, uint32_t line,
                       struct cul_text_branch *out) {
  struct cul_bytes word = cul_text_token(text, text->lines[line].first);
  return cul_bytes_end(word, "cond_br") ? cul_text_branch(text, line, out) : 0;
}

/* cf.cond_br is cf.br then, llvm.cond_br llvm.br. */
static bool fold(struct cul_text *text, const struct cul_text_branch *branch,
                 uint32_t target) {
  struct cul_bytes name = cul_text_token(text, branch->word);
  char *with = cul_xasprintf("%.*sbr", (int)name.len - 7, name.data);
  bool done = cul_text_replace(text, branch->word, with);
  free(with);
  if (done)
    cul_text_take_branch(text, branch, target);
  return done;
}

const struct cul_text_language cul_text_mlir = {
    .name = "mlir",
    .weigh_body = cul_text_weigh_body,
    .drop_body = drop_body,
    .branch = branch,
    .fold = fold,
};
