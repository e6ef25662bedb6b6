/* text-drop-constructs: erase the body of a selection or a loop of SPIR-V. */
#include "../../subject/text/language/edges.h"
#include "../../subject/text/language/language.h"
#include "../../subject/text/ops.h"
#include "sites.h"

/* Is the branch the only one to the block after it, so that both can be one? */
static bool is_next(struct cul_text *text, const struct cul_text_branch *b) {
  uint32_t def = cul_text_names(text)->def[b->target[0]], use;
  return b->n == 1 &&
         text->tokens[def].line == text->tokens[b->word].line + 1 &&
         !cul_text_use(text, def, 1, &use);
}

/* List the lines between a branch and its merge block, or those of a branch and
 * the label after it.  detail: lines. */
static void list_constructs(struct cul_text *text, struct cul_sites *out) {
  const struct cul_text_edges *edges = cul_text_language(text)->edges;
  struct cul_text_branch b;
  for (uint32_t line = 0; edges && edges->merges && line < text->n_lines;
       line++) {
    uint32_t merge = cul_text_merge(text, line), first = line + 1, end = 0;
    if (merge != CUL_TEXT_NONE)
      end = text->tokens[merge].line;
    else if (cul_text_branch(text, line, &b) && is_next(text, &b))
      first = line, end = line + 2;
    if (end > line)
      cul_sites_add(out, NULL, cul_text_two(first, end),
                    cul_text_count(text, first, end));
  }
}

static bool erase_lines(struct cul_text *text, uint64_t lines) {
  return cul_text_erase_lines(text, cul_text_high(lines), (uint32_t)lines);
}

const struct cul_text_each cul_mutation_text_drop_constructs = {
    .list = list_constructs, .edit = erase_lines, .fixes = true};
