/* Normalise white space: blank lines and trailing space, gaps, indentation;
 * what a bracket of Python holds stands in one line. */
#include "text_sites.h"

enum { BLANKS, GAPS, INDENT, JOINS };

static void sites(struct cul_text *text, struct cul_sites *out) {
  cul_sites_add(out, NULL, BLANKS, 1);
  cul_sites_add(out, NULL, GAPS, 1);
  cul_sites_add(out, NULL, text->lang->indents ? JOINS : INDENT, 1);
}

/* But what stands behind a comment, and that itself. */
static void join_lines(struct cul_text *text) {
  uint32_t depth = 0;
  bool comment = false;
  for (uint32_t l = 0; l < text->n_lines; l++) {
    struct cul_line *line = &text->lines[l];
    bool first = true;
    for (uint32_t i = line->first; i < line->first + line->n; i++) {
      if (!cul_text_is_live(text, i))
        continue;
      line->joined |= first && depth > 0 && !comment &&
                      text->tokens[i].kind != CUL_TOKEN_COMMENT;
      depth += text->tokens[i].kind == CUL_TOKEN_OPEN;
      depth -= text->tokens[i].kind == CUL_TOKEN_CLOSE;
      comment = text->tokens[i].kind == CUL_TOKEN_COMMENT;
      first = false;
    }
  }
}

static bool blank(struct cul_text *text, uint64_t what) {
  text->no_blanks |= what == BLANKS;
  text->one_space |= what == GAPS;
  text->no_indent |= what == INDENT;
  if (what == JOINS)
    join_lines(text);
  text->edited = true;
  return true;
}

const struct cul_mutation cul_mutation_text_blank = {
    .name = "text-blank",
    .summary = "drop blank lines, trailing space, gaps, indentation, and line "
               "feeds in brackets",
    .kinds = CUL_SUBJECT_TEXTS,
    .phase = CUL_PHASE_FINE,
    CUL_TEXT_EACH(.list = sites, .edit = blank),
};
