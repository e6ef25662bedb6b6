/* LLVM IR as text: see language.h. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

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

/* ---- numbers ---- */

/* LLVM IR requires that numbered names (%0, 5:, @1) count up without a gap.
 * Renumber the remaining values, blocks and globals, with all their uses.  A
 * block without a label takes a number, as in LLVM's parser. */

struct numbering {
  struct cul_text *text;
  const struct cul_text_names *names;
  uint32_t next; /* the number of the next unnamed thing */
  bool starts;   /* the next instruction starts a block */
};

/* The number of a name; false: the name is not a number. */
static bool number_of(const struct cul_text *text, uint32_t token,
                      uint32_t *number) {
  struct cul_bytes name = cul_text_token(text, token);
  size_t sigil = name.len && (name.data[0] == '%' || name.data[0] == '@');
  uint64_t whole = 0;
  bool is =
      name.len <= 9 &&
      cul_bytes_whole((struct cul_bytes){name.data + sigil, name.len - sigil},
                      &whole);
  *number = (uint32_t)whole;
  return is;
}

/* Write the number in place of the token, which keeps its sigil. */
static void rewrite(struct cul_text *text, uint32_t token, uint32_t number) {
  char sigil = text->bytes[text->tokens[token].start], with[16];
  uint32_t old;
  if (!cul_text_is_live(text, token) || cul_text_replaced(text, token) ||
      !number_of(text, token, &old) || old == number)
    return;
  if (isdigit((unsigned char)sigil))
    snprintf(with, sizeof with, "%u", number);
  else
    snprintf(with, sizeof with, "%c%u", sigil, number);
  cul_text_replace(text, token, with);
}

/* Give the next number to this definition and its uses. */
static void assign(struct numbering *n, uint32_t def) {
  uint32_t number = n->next++;
  for (uint32_t u = n->names->first_use[def]; u < n->names->first_use[def + 1];
       u++)
    rewrite(n->text, n->names->uses[u], number);
  rewrite(n->text, def, number);
}

static bool is_numbered(const struct numbering *n, uint32_t token) {
  uint32_t number;
  return n->names->def[token] == token && number_of(n->text, token, &number);
}

/* Does the instruction end its block? */
static bool is_terminator(const struct cul_text *text, uint32_t token) {
  return cul_text_is_word(text, token,
                          " br ret switch unreachable indirectbr invoke resume "
                          "callbr cleanupret catchret catchswitch ");
}

/* Does the instruction have a value, named or not? */
static bool has_value(const struct cul_text *text, uint32_t first) {
  return !cul_text_is_word(text, first,
                           " store fence call tail musttail notail ") &&
         !is_terminator(text, first);
}

static void visit_instruction(struct numbering *n, uint32_t first) {
  bool result = cul_text_is_char(n->text, first + 1, '=');
  n->next += n->starts;
  if (result && is_numbered(n, first))
    assign(n, first);
  else if (!result)
    n->next += has_value(n->text, first);
  n->starts = is_terminator(n->text, result ? first + 2 : first);
}

static void visit_line(struct numbering *n, uint32_t line) {
  const struct cul_text *text = n->text;
  const struct cul_line *l = &text->lines[line];
  uint32_t first = l->first;
  if (!l->n || !cul_text_is_live(text, first) ||
      text->tokens[first].kind == CUL_TOKEN_COMMENT ||
      text->items[l->item].first != line || text->items[l->item].list)
    return;
  if (!text->items[l->item].label) {
    visit_instruction(n, first);
    return;
  }
  if (is_numbered(n, first))
    assign(n, first);
  n->starts = false;
}

/* Renumber the uses of an entry block without a label. */
static void rename_entry(struct numbering *n, const struct cul_text_item *item,
                         uint32_t from, uint32_t to) {
  uint32_t end = cul_text_first_token(n->text, item->end), number;
  for (uint32_t i = cul_text_first_token(n->text, item->first); i < end; i++)
    if (n->names->def[i] == CUL_TEXT_NONE && cul_text_starts(n->text, i, '%') &&
        number_of(n->text, i, &number) && number == from)
      rewrite(n->text, i, to);
}

static void number_function(struct numbering *n, uint32_t function) {
  const struct cul_text_item *item = &n->text->items[function];
  const struct cul_line *header = &n->text->lines[item->first];
  uint32_t before = 0;
  n->next = 0;
  n->starts = true;
  for (uint32_t i = header->first; i < header->first + header->n; i++)
    if (is_numbered(n, i) && cul_text_starts(n->text, i, '%')) {
      before++;
      if (cul_text_is_live(n->text, i))
        assign(n, i);
    }
  rename_entry(n, item, before, n->next);
  for (uint32_t line = item->first + 1; line + 1 < item->end; line++)
    visit_line(n, line);
}

/* Are there types with numbers, "%0 = type ..."?  These are not counted
 * here. */
static bool has_numbered_types(const struct numbering *n) {
  for (uint32_t i = 0; i < n->text->n_items; i++) {
    uint32_t first = cul_text_item_first(n->text, i);
    if (n->text->items[i].parent == CUL_TEXT_NONE &&
        cul_text_starts(n->text, first, '%') && is_numbered(n, first))
      return true;
  }
  return false;
}

static void number_globals(struct numbering *n) {
  n->next = 0;
  for (uint32_t i = 0; i < n->text->n_tokens; i++)
    if (cul_text_starts(n->text, i, '@') && is_numbered(n, i) &&
        cul_text_is_live(n->text, i))
      assign(n, i);
}

static void finish(struct cul_text *text) {
  struct numbering n = {.text = text, .names = cul_text_names(text)};
  if (has_numbered_types(&n))
    return;
  number_globals(&n);
  for (uint32_t i = 0; i < text->n_items; i++)
    if (text->items[i].parent == CUL_TEXT_NONE &&
        cul_text_token_is(text, cul_text_item_first(text, i), "define") &&
        !cul_text_is_dead(text, text->items[i].first))
      number_function(&n, i);
}

const struct cul_text_language cul_text_llvm = {
    .name = "llvm",
    .edges = &edges,
    .declare = declare,
    .fix_up = fix_up,
    .finish = finish,
};
