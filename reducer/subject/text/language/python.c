/* Python as text, without a parser: see language.h.  A use of a name that is no
 * longer set is replaced by 0; an expression replaces the name that it is
 * assigned to. */
#include <stdlib.h>
#include <string.h>

#include "../ops.h"
#include "declarations.h"
#include "language.h"
#include "python_syntax.h"
#include "terms.h"

/* Mark the names that "import a, b as c" or "x, y = ..." declares. */
static void name_line(const struct cul_text *text, const struct cul_line *l,
                      struct cul_text_declarations *all) {
  uint32_t first = l->first, end = first + l->n, i = first;
  bool imports = cul_text_is_word(text, i, " import from ");
  if (!imports) {
    while (i < end && !cul_text_is_char(text, i, '='))
      i = cul_text_after(text, i);
    end = i < end ? i : first;
  } else if (text->tokens[end - 1].kind == CUL_TOKEN_OPEN) {
    end = text->tokens[end - 1].match;
  }
  for (i = first; i < end; i++)
    if (text->tokens[i].kind == CUL_TOKEN_WORD && !cul_text_is_keyword(text, i))
      all->is_name[i] = true;
}

static void add_item(const struct cul_text *text, uint32_t item,
                     struct cul_text_declarations *all) {
  const struct cul_text_item *it = &text->items[item];
  uint32_t first = cul_text_definition(text, item), line;
  if (first == CUL_TEXT_NONE)
    return;
  line = text->tokens[first].line;
  first += cul_text_token_is(text, first, "async");
  if (cul_text_is_word(text, first, " def class "))
    all->is_name[first + 1] = true;
  else
    for (; line < it->end; line++)
      if (text->lines[line].n)
        name_line(text, &text->lines[line], all);
  cul_text_declares(all, cul_text_item_first(text, item),
                    cul_text_item_end(text, item), false);
}

static void declarations(const struct cul_text *text,
                         struct cul_text_declarations *all) {
  for (uint32_t i = 0; i < text->n_items; i++)
    if (text->items[i].parent == CUL_TEXT_NONE)
      add_item(text, i, all);
}

/* Is token i a name that gets a value: in "x, y = ...", "for x in", "as x",
 * "def x(x)"? */
static bool defines(const struct cul_text *text, uint32_t i) {
  const struct cul_line *l = &text->lines[text->tokens[i].line];
  uint32_t k = l->first;
  if (i > l->first && cul_text_is_word(text, i - 1, " as def "))
    return true;
  if (cul_text_token_is(text, l->first, "for")) {
    while (k < i && !cul_text_token_is(text, k, "in"))
      k++;
    return k == i;
  }
  while (k < l->first + l->n && (text->tokens[k].kind == CUL_TOKEN_WORD ||
                                 cul_text_is_any(text, k, ",():.")))
    k++;
  return k > i && k < l->first + l->n && cul_text_is_char(text, k, '=');
}

/* ---- assignments and their uses ---- */

/* The expression that begins at token `from`, after the "=" of a statement.
 * False: it has top-level commas, a yield, another "=", or several lines. */
static bool find_expression(const struct cul_text *text, uint32_t from,
                            uint32_t end, struct cul_text_assignment *out) {
  out->first = from;
  for (uint32_t i = from, after; i < end; i = after) {
    after = cul_text_after(text, i);
    if (text->tokens[i].kind == CUL_TOKEN_COMMENT)
      end = i;
    else if (cul_text_is_any(text, i, "=,;") ||
             cul_text_token_is(text, i, "yield"))
      return false;
    else if (after < end &&
             text->tokens[after].line != text->tokens[after - 1].line)
      return false;
  }
  out->end = end;
  return from < end;
}

/* Is the token an augmented assignment such as "+=", or the first token of one,
 * such as the "|" of "|="? */
static bool is_updated(const struct cul_text *text, uint32_t token) {
  struct cul_bytes mark = cul_text_token(text, token);
  if (mark.len == 2 && mark.data[1] == '=' && strchr("+-*/", mark.data[0]))
    return true;
  return mark.len == 1 && strchr("%&|^@:/*", mark.data[0]) &&
         token + 1 < text->n_tokens &&
         text->tokens[token + 1].start == text->tokens[token].start + 1 &&
         cul_text_token(text, token + 1).data[0] == '=';
}

/* The "=" (or "+=") of "a, b = ...", "a: t = ..." or "a += ...", or
 * CUL_TEXT_NONE. */
static uint32_t find_equals(const struct cul_text *text, uint32_t item) {
  const struct cul_line *l = &text->lines[text->items[item].first];
  uint32_t end = l->first + l->n, i = l->first;
  bool typed = false;
  if (text->items[item].list || l->n < 3 || !cul_text_is_name(text, i))
    return CUL_TEXT_NONE;
  for (; i < end && !cul_text_is_char(text, i, '=');
       i = cul_text_after(text, i))
    if (is_updated(text, i))
      return i == l->first + 1 ? i : CUL_TEXT_NONE;
    else if (cul_text_is_char(text, i, ':'))
      typed = true;
    else if (!typed && !cul_text_is_name(text, i) &&
             !cul_text_is_char(text, i, ','))
      return CUL_TEXT_NONE;
  return i < end ? i : CUL_TEXT_NONE;
}

static bool read_assignment(const struct cul_text *text, uint32_t item,
                            struct cul_text_assignment *out) {
  uint32_t first = cul_text_item_first(text, item);
  uint32_t equals = find_equals(text, item);
  *out = (struct cul_text_assignment){.name = first};
  return equals != CUL_TEXT_NONE && cul_text_is_char(text, equals, '=') &&
         (equals == first + 1 || cul_text_is_char(text, first + 1, ':')) &&
         find_expression(text, equals + 1, cul_text_item_end(text, item), out);
}

/* The function that contains the item, or the item itself if it is one;
 * CUL_TEXT_NONE: there is none. */
static uint32_t scope_of(const struct cul_text *text, uint32_t item) {
  while (
      item != CUL_TEXT_NONE &&
      !cul_text_is_word(text, cul_text_definition(text, item), " def async "))
    item = text->items[item].parent;
  return item;
}

/* The token at which the function around the item, or the text, ends. */
static uint32_t end_of_scope(const struct cul_text *text, uint32_t item) {
  uint32_t function = scope_of(text, item);
  return function == CUL_TEXT_NONE ? (uint32_t)text->n_tokens
                                   : cul_text_item_end(text, function);
}

/* Is the token assigned to: outside all brackets of its line, and before a "="
 * or an augmented assignment? */
static bool is_written(const struct cul_text *text, uint32_t token) {
  const struct cul_line *l = &text->lines[text->tokens[token].line];
  uint32_t i = l->first, end = l->first + l->n;
  while (i < token)
    i = cul_text_after(text, i);
  if (i != token)
    return false;
  for (; i < end && text->tokens[i].kind != CUL_TOKEN_CLOSE;
       i = cul_text_after(text, i))
    if (cul_text_is_char(text, i, '=') || is_updated(text, i))
      return true;
  return false;
}

/* Keywords that bind the name after them. */
static const char binders[] = " for as global nonlocal del import def class ";

/* The next token in [from, end) that reads the name; *end moves to the end of
 * the statement that assigns to the name again.  CUL_TEXT_NONE: there is no
 * other.  *unclear: the name is set in a way that this file does not
 * understand. */
static uint32_t next_use(const struct cul_text *text, uint32_t name,
                         uint32_t from, uint32_t *end, bool *unclear) {
  for (uint32_t i = from; i < *end; i++) {
    const struct cul_line *l = &text->lines[text->tokens[i].line];
    struct cul_text_assignment again;
    if (!cul_text_is_name(text, i) || !cul_text_same(text, i, name))
      continue;
    if (i == l->first && l->item != CUL_TEXT_NONE &&
        read_assignment(text, l->item, &again)) {
      if (again.end < *end) /* it still reads the old value */
        *end = again.end;
    } else if (is_written(text, i) || cul_text_is_word(text, i - 1, binders)) {
      *unclear = true;
      return CUL_TEXT_NONE;
    } else if (i + 1 >= text->n_tokens || !cul_text_is_char(text, i + 1, '=')) {
      return i; /* not a keyword argument */
    }
  }
  return CUL_TEXT_NONE;
}

static bool assignment(const struct cul_text *text, uint32_t item,
                       struct cul_text_assignment *out) {
  uint32_t end = end_of_scope(text, item), use;
  bool unclear = false;
  if (!read_assignment(text, item, out))
    return false;
  for (uint32_t from = out->end;
       (use = next_use(text, out->name, from, &end, &unclear)) != CUL_TEXT_NONE;
       from = use + 1)
    CUL_XADD(out->uses, out->n_uses, out->cap_uses) = use;
  if (unclear)
    free(out->uses);
  return !unclear;
}

/* ---- uses of names that are no longer set ---- */

/* The token after the names that the item sets: its "=", or the "in" of a
 * loop. */
static uint32_t end_of_names(const struct cul_text *text, uint32_t item) {
  uint32_t i = cul_text_item_first(text, item),
           end = cul_text_line_end(text, i);
  if (!cul_text_token_is(text, i, "for"))
    return find_equals(text, item);
  while (i < end && !cul_text_token_is(text, i, "in"))
    i++;
  return i < end ? i : CUL_TEXT_NONE;
}

/* The first of tokens [first, end) that sets the name and is not erased, or
 * CUL_TEXT_NONE. */
static uint32_t find_setter(const struct cul_text *text, uint32_t first,
                            uint32_t end, uint32_t name) {
  for (uint32_t i = first; i < end; i++)
    if (cul_text_is_name(text, i) && cul_text_same(text, i, name) &&
        cul_text_is_live(text, i) &&
        (is_written(text, i) || cul_text_is_word(text, i - 1, binders)))
      return i;
  return CUL_TEXT_NONE;
}

/* Replace the uses of a name that the erased item set by 0, unless another
 * statement sets it.  Replace those of a loop's variable up to the statement
 * that sets it. */
static void fix_name(struct cul_text *text, uint32_t item, uint32_t name) {
  bool loop = cul_text_token_is(text, cul_text_item_first(text, item), "for");
  uint32_t around = loop ? item : scope_of(text, item), setter;
  uint32_t first =
      around == CUL_TEXT_NONE ? 0 : cul_text_item_first(text, around);
  uint32_t end =
      loop ? cul_text_item_end(text, item) : end_of_scope(text, item);
  setter = find_setter(text, first, end, name);
  if (setter == CUL_TEXT_NONE)
    cul_text_put_zero(text, first, end, name);
  else if (loop)
    cul_text_put_zero(text, first, cul_text_line_end(text, setter), name);
}

/* Find names for which all assignments in a function, or in the text, or the
 * head of their loop, were erased, and replace their uses there by 0, including
 * indices, members and arguments. */
static void fix_names(struct cul_text *text) {
  for (uint32_t i = 0; i < text->n_items; i++) {
    uint32_t name = cul_text_item_first(text, i), end;
    if (cul_text_is_live(text, name) ||
        (end = end_of_names(text, i)) == CUL_TEXT_NONE)
      continue;
    for (; name < end && !cul_text_is_char(text, name, ':'); name++)
      if (cul_text_is_name(text, name))
        fix_name(text, i, name);
  }
}

/* ---- the language ---- */

static void fix_up(struct cul_text *text) {
  fix_names(text);
  cul_text_fix_up_parameters(text);
}

static bool holds(struct cul_text *text, uint32_t *token) {
  uint32_t byte;
  if (!cul_text_python_wrong(text, &byte))
    return true;
  *token = 0;
  while (*token < text->n_tokens && text->tokens[*token].start < byte)
    ++*token;
  return false;
}

const struct cul_text_language cul_text_python = {
    .name = "python",
    .fix_up = fix_up,
    .holds = holds,
    .fault = "no Python",
    .declarations = declarations,
    .defines = defines,
    .assignment = assignment,
};
