/* Erase one clause of a statement with all that it holds: a decorator, an
 * "else", an "except" of Python; "} else {"; an "#elif" or "#else" of the C
 * preprocessor.  The first clause and the line that closes the last stay:
 * text-hoist and text-erase-blocks take those.  Of decorators, each may go, and
 * with it the step to what it wraps: "kernel.fn" becomes "kernel". */
#include "text_terms.h"

/* Does a clause start on this line, which is the item's own? */
static bool starts_clause(const struct cul_text *text, uint32_t line) {
  uint32_t first = text->lines[line].first;
  return !text->lang->indents || text->tokens[first].kind != CUL_TOKEN_CLOSE;
}

static bool is_decorator(const struct cul_text *text, uint32_t line) {
  return text->lang->indents &&
         cul_text_is_char(text, text->lines[line].first, '@');
}

/* The next line after `line` that starts a clause of the item; its end.  What
 * the item holds is stepped over: items nest deeply. */
static uint32_t next_clause(const struct cul_text *text, uint32_t item,
                            uint32_t line) {
  uint32_t end = text->items[item].end;
  for (line++; line < end;) {
    uint32_t at = text->lines[line].item;
    if (at == item && text->lines[line].n && starts_clause(text, line))
      return line;
    line = at == item || at == CUL_TEXT_NONE ? line + 1 : text->items[at].end;
  }
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

static void sites(struct cul_text *text, struct cul_sites *out) {
  for (uint32_t i = 0; i < text->n_items; i++)
    add_clauses(text, i, out);
}

/* The name of the function or class that is decorated there, or NONE. */
static uint32_t decorated(const struct cul_text *text, uint32_t line) {
  uint32_t item = text->lines[line].item, at;
  if (item == CUL_TEXT_NONE || !is_decorator(text, line))
    return CUL_TEXT_NONE;
  at = cul_text_definition(text, item);
  if (at == text->items[item].end)
    return CUL_TEXT_NONE;
  at = cul_text_first_token(text, at);
  at += cul_text_token_is(text, at, "async");
  return cul_text_is_keyword(text, at) && at + 1 < text->n_tokens
             ? at + 1
             : CUL_TEXT_NONE;
}

/* Of "name.x.y" what is left of ".x" or ".y", the first of it. */
static void unwrap(struct cul_text *text, uint32_t name) {
  uint32_t i = name + 1;
  while (i + 1 < text->n_tokens && !cul_text_is_live(text, i))
    i++;
  if (i + 1 < text->n_tokens && cul_text_is_char(text, i, '.') &&
      text->tokens[i + 1].kind == CUL_TOKEN_WORD)
    cul_text_erase_tokens(text, i, i + 2);
}

/* detail: the first line and the end. */
static bool erase(struct cul_text *text, uint64_t lines) {
  uint32_t first = cul_text_high(lines), name = decorated(text, first);
  if (!cul_text_erase_lines(text, first, (uint32_t)lines))
    return false;
  for (uint32_t i = 0; name != CUL_TEXT_NONE && i < text->n_tokens; i++)
    if (i != name && cul_text_is_name(text, i) && cul_text_same(text, i, name))
      unwrap(text, i);
  return true;
}

const struct cul_mutation cul_mutation_text_drop_clauses = {
    .name = "text-drop-clauses",
    .summary = "erase a decorator, an else, an #else with what it holds",
    .kinds = CUL_SUBJECT_TEXT,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_text_frame,
    .how = &(const struct cul_text_each){.list = sites, .edit = erase},
};
