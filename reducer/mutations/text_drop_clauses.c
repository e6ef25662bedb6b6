/* Erase one clause of a statement with all that it holds: a decorator, an
 * "else", an "except" of Python; "} else {"; an "#elif" or "#else" of the C
 * preprocessor.  The first clause and the line that closes the last stay:
 * text-hoist and text-erase-blocks take those.  Of decorators, each may go. */
#include <stdlib.h>

#include "text_sites.h"

/* Does a clause start on this line, which is the item's own? */
static bool starts_clause(const struct cul_text *text, uint32_t line) {
  uint32_t first = text->lines[line].first;
  return !text->lang->indents || text->tokens[first].kind != CUL_TOKEN_CLOSE;
}

static bool is_decorator(const struct cul_text *text, uint32_t line) {
  return text->lang->indents &&
         cul_text_is_char(text, text->lines[line].first, '@');
}

/* The next line after `line` that starts a clause of the item; its end. */
static uint32_t next_clause(const struct cul_text *text, uint32_t item,
                            uint32_t line) {
  uint32_t end = text->items[item].end;
  for (line++; line < end; line++)
    if (text->lines[line].n && text->lines[line].item == item &&
        starts_clause(text, line))
      return line;
  return end;
}

/* A body stands right behind, so this is no line that only closes. */
static bool holds_body(const struct cul_text *text, uint32_t line,
                       uint32_t end) {
  for (line++; line < end; line++)
    if (text->lines[line].n)
      return true;
  return false;
}

static void add_clauses(const struct cul_text *text, uint32_t item,
                        struct cul_sites *out) {
  uint32_t line = text->items[item].first, end = text->items[item].end;
  bool first = true;
  for (uint32_t next; line < end; line = next) {
    bool decorator = is_decorator(text, line), closes;
    next = next_clause(text, item, line);
    /* Elsewhere the last line only closes. */
    closes = next == end && !text->lang->indents;
    if (decorator || (!first && !closes && holds_body(text, line, next)))
      cul_sites_add(out, NULL, cul_text_two(line, next),
                    cul_text_count(text, line, next));
    first &= decorator;
  }
}

static int sites(struct cul_subject *subject, struct cul_sites *out,
                 struct cul_err *err) {
  const struct cul_text *text = cul_text_settled(subject);
  (void)err;
  for (uint32_t i = 0; i < text->n_items; i++)
    add_clauses(text, i, out);
  return 0;
}

/* detail: the first line and the end. */
static bool erase(struct cul_text *text, uint64_t lines) {
  return cul_text_erase_lines(text, cul_text_high(lines), (uint32_t)lines);
}

static int apply(struct cul_subject *subject, const struct cul_sites *sites,
                 const uint32_t *ids, size_t n, size_t *applied,
                 struct cul_err *err) {
  (void)err;
  return cul_text_each(subject, sites, ids, n, applied, erase);
}

const struct cul_mutation cul_mutation_text_drop_clauses = {
    .name = "text-drop-clauses",
    .summary = "erase a decorator, an else, an #else with what it holds",
    .kinds = CUL_SUBJECT_TEXT,
    .phase = CUL_PHASE_DELTA,
    .sites = sites,
    .apply = apply,
};
