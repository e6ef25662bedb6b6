/* Bodies: text-drop-bodies and text-keep-bodies drop those of functions, whose
 * callers stay; text-drop-constructs those of selections and loops of SPIR-V.
 */
#include "../../subject/text/language/edges.h"
#include "../../subject/text/language/language.h"
#include "../../subject/text/ops.h"
#include "sites.h"

/* The brace that opens the body of the function in the item, "@f(...) {", or
 * CUL_TEXT_NONE. */
static uint32_t find_brace(const struct cul_text *text, uint32_t item) {
  uint32_t open = cul_text_header(text, text->items[item].first), close;
  uint32_t brace = CUL_TEXT_NONE;
  if (open == CUL_TEXT_NONE)
    return CUL_TEXT_NONE;
  close = text->tokens[open].match;
  for (uint32_t i = close; i < cul_text_line_end(text, close); i++)
    if (cul_text_is_char(text, i, '{'))
      brace = i;
  return brace != CUL_TEXT_NONE && text->tokens[brace].match != CUL_TEXT_NONE &&
                 text->tokens[text->tokens[brace].match].line >
                     text->tokens[close].line
             ? brace
             : CUL_TEXT_NONE;
}

static uint32_t body(struct cul_text *text, uint32_t item, bool drop) {
  const struct cul_text_language *language = cul_text_language(text);
  uint32_t brace, end;
  if (language->body)
    return language->body(text, item, drop);
  brace = language->declare ? find_brace(text, item) : CUL_TEXT_NONE;
  if (brace == CUL_TEXT_NONE)
    return 0;
  end = text->tokens[brace].match + 1;
  if (drop && !cul_text_erase_tokens(text, brace, end))
    return 0;
  if (drop)
    language->declare(text, cul_text_item_first(text, item), brace);
  return end - brace;
}

static uint32_t weigh_body(struct cul_text *text, uint32_t item) {
  return body(text, item, false);
}

static bool drop_body(struct cul_text *text, uint64_t item) {
  return body(text, (uint32_t)item, true) > 0;
}

CUL_TEXT(text_drop_bodies, .items = weigh_body, .edit = drop_body,
         .fixes = true);

/* The first cut if functions call each other. */
CUL_TEXT(text_keep_bodies, .items = weigh_body, .edit = drop_body,
         .others = true, .fixes = true);

/* ---- selections and loops ---- */

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

CUL_TEXT(text_drop_constructs, .list = list_constructs, .edit = erase_lines,
         .fixes = true);
