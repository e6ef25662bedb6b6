/* Mutations of statements with the blocks that they open, and of the bodies and
 * clauses of a block. */
#include "../../subject/text/language/mlir.h"
#include "../../subject/text/language/terms.h"
#include "../../subject/text/ops.h"
#include "../frame/pairs.h"
#include "sites.h"

/* ---- one by one ---- */

/* Is the item a line of Python inside brackets of the item around it?  An
 * element of a list or table is no statement: text-erase-elements erases it. */
static bool is_element(const struct cul_text *text, uint32_t item) {
  uint32_t first = cul_text_item_first(text, item), i;
  if (!text->lang->indents || text->items[item].parent == CUL_TEXT_NONE)
    return false;
  i = cul_text_item_first(text, text->items[item].parent);
  while (i < first && !(text->tokens[i].kind == CUL_TOKEN_OPEN &&
                        text->tokens[i].match >= first))
    i++;
  return i < first;
}

static uint32_t statement(struct cul_text *text, uint32_t item) {
  return is_element(text, item) ? 0 : cul_text_item_weight(text, item);
}

static bool erase(struct cul_text *text, uint64_t item) {
  return cul_text_erase_item(text, (uint32_t)item);
}

/* The tree of sites is that of blocks, so a search goes from functions to loops
 * to lines. */
CUL_TEXT(text_erase_blocks, .whole = true, .tree = statement, .edit = erase,
         .fixes = true);

/* Any line, without regard to structure.  text-blank removes blank lines, and
 * text-erase-blocks labels of LLVM IR: a block without a label still is one. */
static void list_lines(struct cul_text *text, struct cul_sites *out) {
  for (uint32_t i = 0; i < text->n_lines; i++) {
    const struct cul_line *l = &text->lines[i];
    if (l->n && !(text->lang->numbers_blocks && text->items[l->item].label &&
                  text->items[l->item].first == i))
      cul_sites_add(out, NULL, i, l->n);
  }
}

static bool erase_line(struct cul_text *text, uint64_t line) {
  return cul_text_erase_line(text, (uint32_t)line);
}

CUL_TEXT(text_erase_lines, .list = list_lines, .edit = erase_line);

/* ---- a run of siblings ---- */

/* The least share of the text (1/PART) and number of items of a body: this is a
 * first cut, a few runs in each large body. */
enum { PART = 16, FEWEST = 3 };

static void list_bodies(struct cul_text *text, struct cul_sites *out) {
  cul_text_add_bodies(text, PART, FEWEST, out);
}

/* Must the item stay?  In MLIR, the end of a block, aliases and file metadata
 * must. */
static bool stays(const struct cul_text *text, uint32_t item) {
  return cul_text_is_mlir(text) &&
         (cul_text_is_terminator(text, text->habits, item) ||
          cul_text_is_alias(text, cul_text_item_first(text, item)));
}

static bool keep_range(struct cul_text *text, const struct cul_sites *sites,
                       uint32_t first, uint32_t last) {
  uint32_t group = sites->items[first].group;
  bool any = false;
  for (uint32_t i = 0; i < sites->n; i++)
    if ((i < first || i > last) && sites->items[i].group == group &&
        !stays(text, (uint32_t)sites->detail[i]))
      any |= cul_text_erase_item(text, (uint32_t)sites->detail[i]);
  return any;
}

CUL_TEXT(text_keep_range, .whole = true, .list = list_bodies,
         .keep = keep_range, .fixes = true);

/* ---- pairs of one body ---- */

struct list {
  const struct cul_text *text;
  struct cul_sites *out;
};

static void add_pair(void *self, uint64_t first, uint64_t last) {
  struct list *list = self;
  uint32_t one = (uint32_t)first, other = (uint32_t)last;
  cul_sites_add(list->out, NULL, cul_text_two(one, other),
                cul_text_item_weight(list->text, one) +
                    cul_text_item_weight(list->text, other));
}

/* List the pairs of the body that begins with the item. */
static void list_body(struct list *list, uint32_t item) {
  const struct cul_text *text = list->text;
  CUL_OWNED(cul_pairs) body = {0};
  for (; item != CUL_TEXT_NONE; item = cul_text_sibling(text, item)) {
    uint32_t op = cul_text_op(text, item);
    struct cul_text_function function;
    if (op != CUL_TEXT_NONE && !cul_text_function(text, item, &function) &&
        !cul_text_is_terminator(text, text->habits, item))
      cul_pairs_add(&body, cul_text_token(text, op),
                    op == cul_text_item_first(text, item), item);
  }
  cul_pairs_find(&body, add_pair, list);
}

static void list_pairs(struct cul_text *text, struct cul_sites *out) {
  struct list list = {.text = text, .out = out};
  for (uint32_t i = 0; i < text->n_items; i++)
    if (text->items[i].starts)
      list_body(&list, i);
}

static bool erase_pair(struct cul_text *text, uint64_t detail) {
  return cul_text_erase_item(text, cul_text_high(detail)) &&
         cul_text_erase_item(text, (uint32_t)detail);
}

CUL_TEXT(text_erase_pairs, .list = list_pairs, .edit = erase_pair,
         .fixes = true);

/* ---- clauses ---- */

/* Erase a clause with its contents: a decorator, an "else", an "except" of
 * Python; "} else {"; an "#elif" or "#else" of the C preprocessor.  The first
 * clause and the line that closes the last stay: text-hoist and
 * text-erase-blocks handle those.  With a decorator, the step to the function
 * that it wraps goes: "kernel.fn" becomes "kernel". */
static bool is_decorator(const struct cul_text *text, uint32_t line) {
  return text->lang->indents &&
         cul_text_is_char(text, text->lines[line].first, '@');
}

/* The next line after `line` that begins a clause of the item, or the item's
 * end.  It skips the items inside, because they nest deeply. */
static uint32_t next_clause(const struct cul_text *text, uint32_t item,
                            uint32_t line) {
  uint32_t end = text->items[item].end;
  for (line++; line < end;) {
    uint32_t at = text->lines[line].item, first = text->lines[line].first;
    if (at == item && text->lines[line].n &&
        !(text->lang->indents && text->tokens[first].kind == CUL_TOKEN_CLOSE))
      return line;
    line = at == item || at == CUL_TEXT_NONE ? line + 1 : text->items[at].end;
  }
  return end;
}

static void add_clauses(const struct cul_text *text, uint32_t item,
                        struct cul_sites *out) {
  uint32_t line = text->items[item].first, end = text->items[item].end;
  bool first = true;
  for (uint32_t next; line < end; line = next) {
    bool decorator = is_decorator(text, line), closes, body;
    next = next_clause(text, item, line);
    /* in other languages the last line only closes */
    closes = next == end && !text->lang->indents;
    body = cul_text_count(text, line + 1, next) > 0;
    if (decorator || (!first && !closes && body))
      cul_sites_add(out, NULL, cul_text_two(line, next),
                    cul_text_count(text, line, next));
    first &= decorator;
  }
}

static void list_clauses(struct cul_text *text, struct cul_sites *out) {
  for (uint32_t i = 0; i < text->n_items; i++)
    add_clauses(text, i, out);
}

/* The name of the function or class that is decorated on the line, or NONE. */
static uint32_t decorated(const struct cul_text *text, uint32_t line) {
  uint32_t item = text->lines[line].item, at = CUL_TEXT_NONE;
  if (item != CUL_TEXT_NONE && is_decorator(text, line))
    at = cul_text_definition(text, item);
  if (at == CUL_TEXT_NONE)
    return CUL_TEXT_NONE;
  at += cul_text_token_is(text, at, "async");
  return cul_text_is_keyword(text, at) && at + 1 < text->n_tokens
             ? at + 1
             : CUL_TEXT_NONE;
}

/* Erase the first step that is left after the name, ".x" of "name.x.y". */
static void unwrap(struct cul_text *text, uint32_t name) {
  uint32_t i = name + 1;
  while (i + 1 < text->n_tokens && !cul_text_is_live(text, i))
    i++;
  if (i + 1 < text->n_tokens && cul_text_is_char(text, i, '.') &&
      text->tokens[i + 1].kind == CUL_TOKEN_WORD)
    cul_text_erase_tokens(text, i, i + 2);
}

/* detail: the first line, and the end. */
static bool erase_clause(struct cul_text *text, uint64_t lines) {
  uint32_t first = cul_text_high(lines), name = decorated(text, first);
  if (!cul_text_erase_lines(text, first, (uint32_t)lines))
    return false;
  for (uint32_t i = 0; name != CUL_TEXT_NONE && i < text->n_tokens; i++)
    if (i != name && cul_text_is_name(text, i) && cul_text_same(text, i, name))
      unwrap(text, i);
  return true;
}

CUL_TEXT(text_drop_clauses, .list = list_clauses, .edit = erase_clause);

/* ---- a body becomes "pass" ---- */

/* text-empty-body: a header needs a body in a language that forms blocks by
 * indentation; in others text-erase-balanced empties it. */
static void list_fillable(struct cul_text *text, struct cul_sites *out) {
  for (uint32_t i = 0; text->lang->indents && i < text->n_items; i++) {
    uint32_t last = i, next = i;
    if (!text->items[i].starts || text->items[i].parent == CUL_TEXT_NONE)
      continue;
    while ((next = cul_text_sibling(text, next)) != CUL_TEXT_NONE)
      last = next;
    cul_text_add_range(cul_text_item_first(text, i),
                       cul_text_item_end(text, last), out);
  }
}

static bool empty(struct cul_text *text, uint64_t detail) {
  uint32_t first = cul_text_high(detail), end = (uint32_t)detail;
  if ((end == first + 1 && cul_text_token_is(text, first, "pass")) ||
      !cul_text_replace(text, first, "pass"))
    return false;
  cul_text_erase_tokens(text, first + 1, cul_text_line_end(text, first));
  cul_text_erase_lines(text, text->tokens[first].line + 1,
                       end < text->n_tokens ? text->tokens[end].line
                                            : (uint32_t)text->n_lines);
  return true;
}

CUL_TEXT(text_empty_body, .list = list_fillable, .nested = true, .edit = empty);
