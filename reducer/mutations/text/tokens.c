/* Mutations of tokens without regard to their meaning: single ones, comments,
 * runs of neighbours, pairs of brackets and what they enclose; white space. */
#include <string.h>

#include "../../subject/text/spirv.h"
#include "sites.h"

static bool erase(struct cul_text *text, uint64_t token) {
  return cul_text_erase_token(text, (uint32_t)token);
}

static uint32_t comment(struct cul_text *text, uint32_t token) {
  return text->tokens[token].kind == CUL_TOKEN_COMMENT;
}

CUL_TEXT(text_erase_comments, .whole = true, .tokens = comment, .edit = erase);

/* May tokens be erased up to `end`?  An instruction with a fixed number of
 * operands can have optional ones only at its end. */
static bool may_go(const struct cul_text *text, uint32_t end) {
  return !text->lang->fixed_operands || end == cul_text_line_end(text, end - 1);
}

/* Brackets are erased in pairs only. */
static uint32_t single(struct cul_text *text, uint32_t token) {
  return text->tokens[token].match == CUL_TEXT_NONE && may_go(text, token + 1);
}

CUL_TEXT(text_erase_tokens, .tokens = single, .edit = erase);

static uint32_t opens(struct cul_text *text, uint32_t token) {
  return text->tokens[token].kind == CUL_TOKEN_OPEN ? 2 : 0;
}

static bool unwrap(struct cul_text *text, uint64_t open) {
  bool any = cul_text_erase_token(text, (uint32_t)open);
  return any | cul_text_erase_token(text, text->tokens[open].match);
}

CUL_TEXT(text_unwrap, .tokens = opens, .edit = unwrap);

/* Erase ranges, sorted by their starts; they may be nested, 100,000 deep: each
 * token is erased once. */
static size_t erase_ranges(struct cul_text *text, const struct cul_sites *sites,
                           const uint32_t *ids, size_t n) {
  uint32_t erased = 0; /* end of the erased ranges so far */
  size_t applied = 0;
  for (size_t i = 0; i < n; i++) {
    uint32_t first = cul_text_high(sites->detail[ids[i]]);
    uint32_t end = (uint32_t)sites->detail[ids[i]];
    first = first < erased ? erased : first;
    applied += first < end && cul_text_erase_tokens(text, first, end);
    erased = end < erased ? erased : end;
  }
  return applied;
}

enum { FEWEST = 2, MOST = 3 };

/* Add runs of tokens that can only be erased together, such as "?x" or
 * "attributes {}"; brackets with their contents count as one token. */
static void add_runs(const struct cul_text *text, uint32_t first,
                     struct cul_sites *out) {
  uint32_t line = text->tokens[first].line, end = first;
  for (int n = 1; n <= MOST; n++) {
    if (end >= text->n_tokens || text->tokens[end].line != line ||
        text->tokens[end].kind == CUL_TOKEN_CLOSE)
      return;
    end = cul_text_after(text, end);
    if (n >= FEWEST && may_go(text, end))
      cul_text_add_range(first, end, out);
  }
}

static void list_runs(struct cul_text *text, struct cul_sites *out) {
  for (uint32_t i = 0; i < text->n_tokens; i++)
    add_runs(text, i, out);
}

CUL_TEXT(text_erase_runs, .list = list_runs, .edit_all = erase_ranges);

/* ---- contents of brackets, with or without them ---- */

static void list_enclosed(struct cul_text *text, struct cul_sites *out) {
  for (uint32_t i = 0; i < text->n_tokens; i++) {
    uint32_t close = text->tokens[i].match;
    if (text->tokens[i].kind != CUL_TOKEN_OPEN)
      continue;
    cul_text_add_range(i, close + 1, out);
    if (close > i + 1)
      cul_text_add_range(i + 1, close, out);
  }
}

CUL_TEXT(text_erase_balanced, .list = list_enclosed, .nested = true,
         .edit_all = erase_ranges);

/* ---- locations of MLIR ---- */

/* The end of the location that starts at the token: "loc(...)", or a line that
 * defines an alias of one; the token itself if none does. */
static uint32_t end_of_location(const struct cul_text *text, uint32_t i) {
  if (i == text->lines[text->tokens[i].line].first &&
      cul_bytes_start(cul_text_token(text, i), "#loc"))
    return cul_text_line_end(text, i);
  return cul_text_token_is(text, i, "loc") && cul_text_opens(text, i + 1, '(')
             ? cul_text_after(text, i + 1)
             : i;
}

static void list_locations(struct cul_text *text, struct cul_sites *out) {
  for (uint32_t i = 0, end;
       text->lang->dimensions && i<text->n_tokens; i = end> i ? end : i + 1) {
    end = end_of_location(text, i);
    if (end > i)
      cul_text_add_range(i, end, out);
  }
}

CUL_TEXT(text_strip_locations, .list = list_locations,
         .edit_all = erase_ranges);

/* ---- white space ---- */

/* Remove blank lines and trailing space, gaps, indentation, or line feeds
 * inside brackets of Python. */
enum { BLANKS, GAPS, INDENT, JOINS };

static void list_spaces(struct cul_text *text, struct cul_sites *out) {
  cul_sites_add(out, NULL, BLANKS, 1);
  cul_sites_add(out, NULL, GAPS, 1);
  cul_sites_add(out, NULL, text->lang->indents ? JOINS : INDENT, 1);
}

/* Join lines inside brackets, except for comments and the lines after them. */
static void join_lines(struct cul_text *text) {
  uint32_t depth = 0;
  bool comment = false;
  for (uint32_t l = 0; l < text->n_lines; l++) {
    const struct cul_line *line = &text->lines[l];
    bool first = true;
    for (uint32_t i = line->first; i < line->first + line->n; i++) {
      if (!cul_text_is_live(text, i))
        continue;
      if (first && depth > 0 && !comment &&
          text->tokens[i].kind != CUL_TOKEN_COMMENT)
        text->marks[l] |= CUL_LINE_JOINED;
      depth += text->tokens[i].kind == CUL_TOKEN_OPEN;
      depth -= text->tokens[i].kind == CUL_TOKEN_CLOSE;
      comment = text->tokens[i].kind == CUL_TOKEN_COMMENT;
      first = false;
    }
  }
}

static bool blank(struct cul_text *text, uint64_t what) {
  text->spaces.no_blanks |= what == BLANKS;
  text->spaces.one_space |= what == GAPS;
  text->spaces.no_indent |= what == INDENT;
  if (what == JOINS)
    join_lines(text);
  text->edited = true;
  return true;
}

CUL_TEXT(text_blank, .list = list_spaces, .edit = blank);
