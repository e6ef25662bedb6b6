/* Brackets and blocks of a text: see text.h.  Both in one pass over tokens or
 * lines with a stack; nothing is recursive, so depth costs nothing. */
#include <stdlib.h>
#include <string.h>

#include "spirv.h"

/* An open bracket, and how many ( and [ were open before it.  With these
 * counts, a stray ) is recognized without a search and never closes a { . */
struct bracket {
  uint32_t token;
  char open;
  uint32_t outer_round, outer_square;
};

struct brackets {
  struct cul_text *text;
  struct bracket *items;
  size_t n, cap;
  uint32_t round, square, curly; /* open ones; round, square: since { */
  struct branches *branches;     /* of conditional groups that are open */
  size_t n_branches;
};

/* The brackets that were open before a conditional group (#if).  Each branch
 * starts with these.  So does the text after the group, unless it has an #else
 * and all its branches end with the same number of open brackets. */
enum { DEEPEST = 64 };
struct branches {
  uint32_t open[DEEPEST];
  size_t n, ended; /* ended: open at the end of the branches so far */
  bool alike, has_else;
};

static char char_of(const struct cul_text *text, uint32_t token) {
  const struct cul_token *t = &text->tokens[token];
  return t->len == 1 && t->kind == CUL_TOKEN_PUNCT ? text->bytes[t->start] : 0;
}

/* Is the < a bracket: of tensor<, dense<, !tt.ptr<; of the properties <{; any
 * in LLVM IR; of template < in C++? */
static bool is_angle(const struct cul_text *text, uint32_t token) {
  const struct cul_token *t = &text->tokens[token], *before = t - 1;
  const char *next = text->bytes + t->start + 1;
  if (!text->lang->angles)
    return false;
  if (cul_text_is(text, "llvm"))
    return true;
  if (text->lang->dimensions && t->start + 1 < text->len && *next == '{')
    return true;
  if (token == 0 || before->kind != CUL_TOKEN_WORD)
    return false;
  return before->start + before->len == t->start ||
         cul_text_token_is(text, token - 1, "template");
}

static void push(struct brackets *b, uint32_t token, char open) {
  CUL_XADD(b->items, b->n, b->cap) =
      (struct bracket){token, open, b->round, b->square};
  b->round += open == '(';
  b->square += open == '[';
  b->curly += open == '{';
  if (open == '{')
    b->round = b->square = 0;
}

static struct bracket pop(struct brackets *b) {
  struct bracket top = b->items[--b->n];
  b->round = top.outer_round;
  b->square = top.outer_square;
  b->curly -= top.open == '{';
  return top;
}

static void pair(struct cul_text *text, uint32_t open, uint32_t close) {
  text->tokens[open].kind = CUL_TOKEN_OPEN;
  text->tokens[open].match = close;
  text->tokens[close].kind = CUL_TOKEN_CLOSE;
  text->tokens[close].match = open;
}

static void close_bracket(struct brackets *b, uint32_t token, char open) {
  struct bracket top;
  bool known = open == '{'   ? b->curly > 0
               : open == '(' ? b->round > 0
               : open == '[' ? b->square > 0
                             : b->n && b->items[b->n - 1].open == '<';
  if (!known)
    return;
  do
    top = pop(b);
  while (top.open != open);
  pair(b->text, top.token, token);
}

/* Store the brackets that are open here; false: there are too many. */
static bool keep(const struct brackets *b, struct branches *out) {
  *out = (struct branches){.n = b->n, .alike = true};
  if (b->n > DEEPEST)
    return false;
  for (size_t i = 0; i < b->n; i++)
    out->open[i] = b->items[i].token;
  return true;
}

/* Open the brackets of `to`, and no others, except those that have found their
 * partner since. */
static void restore(struct brackets *b, const struct branches *to) {
  b->n = b->round = b->square = b->curly = 0;
  for (size_t i = 0; i < to->n; i++)
    if (b->text->tokens[to->open[i]].match == CUL_TEXT_NONE)
      push(b, to->open[i], char_of(b->text, to->open[i]));
}

static void end_branch(struct brackets *b, struct branches *group, bool last) {
  if (group->has_else || group->ended)
    group->alike &= group->ended == b->n + 1;
  group->ended = b->n + 1;
  if (!last || !group->has_else || !group->alike)
    restore(b, group);
}

static void change_branch(struct brackets *b, uint32_t line, int kind) {
  struct branches *group;
  if (kind > 0 && b->n_branches < DEEPEST &&
      keep(b, &b->branches[b->n_branches]))
    b->n_branches++;
  if (kind > 0 || !b->n_branches)
    return;
  group = &b->branches[b->n_branches - 1];
  end_branch(b, group, kind < 0);
  group->has_else |= cul_text_directive(b->text, line).len == strlen("else");
  b->n_branches -= kind < 0;
}

static void match_token(struct brackets *b, uint32_t i) {
  char c = char_of(b->text, i);
  if (c == '(' || c == '[' || c == '{' || (c == '<' && is_angle(b->text, i)))
    push(b, i, c);
  else if (c == ')' || c == ']' || c == '}' || c == '>')
    close_bracket(b, i, c == ')' ? '(' : c == ']' ? '[' : c == '}' ? '{' : '<');
}

/* *kind: 1: the line opens a conditional group, 0: #else, #elif, -1: #endif.
 * False: it is none of these. */
static bool conditional(const struct cul_text *text, uint32_t line, int *kind) {
  struct cul_bytes word = cul_text_directive(text, line);
  *kind = cul_bytes_among(word, " if ifdef ifndef ")     ? 1
          : cul_bytes_among(word, " else elif elifdef ") ? 0
                                                         : -1;
  return *kind >= 0 || cul_bytes_is(word, "endif");
}

static void match_line(struct brackets *b, uint32_t line) {
  const struct cul_line *l = &b->text->lines[line];
  bool directive = cul_text_directive(b->text, line).len > 0;
  struct branches before;
  int kind;
  if (conditional(b->text, line, &kind))
    change_branch(b, line, kind);
  /* A bracket that a directive opens is closed in it, or never. */
  directive = directive && keep(b, &before);
  for (uint32_t i = l->first; i < l->first + l->n; i++)
    match_token(b, i);
  if (directive)
    restore(b, &before);
}

void cul_text_match(struct cul_text *text) {
  CUL_HEAP struct branches *branches = cul_xcalloc(DEEPEST, sizeof *branches);
  struct brackets b = {.text = text, .branches = branches};
  for (uint32_t i = 0; i < text->n_lines; i++)
    match_line(&b, i);
  free(b.items);
}

/* The depth of a line: open brackets and, if the language has it,
 * indentation. */
struct depth {
  uint32_t start, min, end;
};

/* The item being filled. */
struct frame {
  uint32_t item, base;
  uint32_t group; /* of the next child; CUL_TEXT_NONE: not numbered yet */
  bool label;
  bool list;      /* its children are in a list */
  bool decorated; /* by a line of Python with @; what follows belongs to it */
};

struct nest {
  struct cul_text *text;
  struct depth *depths;
  struct frame *stack;
  size_t n, cap;
};

uint32_t cul_text_last_token(const struct cul_text *text, uint32_t line) {
  const struct cul_line *l = &text->lines[line];
  for (uint32_t i = l->first + l->n; i-- > l->first;)
    if (text->tokens[i].kind != CUL_TOKEN_COMMENT)
      return i;
  return CUL_TEXT_NONE;
}

static bool is_label(const struct cul_text *text, uint32_t line) {
  uint32_t last = cul_text_last_token(text, line);
  if (cul_text_spirv_label(text, line))
    return true;
  return !text->lang->indents && last != CUL_TEXT_NONE &&
         last > text->lines[line].first && cul_text_token_is(text, last, ":");
}

static void measure_brackets(struct nest *nest) {
  const struct cul_text *text = nest->text;
  uint32_t depth = 0, groups = 0;
  for (uint32_t i = 0; i < text->n_lines; i++) {
    const struct cul_line *line = &text->lines[i];
    struct depth *d = &nest->depths[i];
    int kind;
    d->start = d->min = depth;
    if (conditional(text, i, &kind) && (kind > 0 || groups)) {
      d->min = kind > 0 ? depth : depth - 1;
      groups = (uint32_t)((int)groups + kind);
      depth = (uint32_t)((int)depth + kind);
    }
    for (uint32_t t = line->first; t < line->first + line->n; t++) {
      if (text->tokens[t].kind == CUL_TOKEN_OPEN)
        depth++;
      else if (text->tokens[t].kind == CUL_TOKEN_CLOSE)
        depth--;
      if (depth < d->min)
        d->min = depth;
    }
    d->end = depth;
  }
}

/* SPIR-V: from OpFunction to OpFunctionEnd. */
static void measure_functions(struct nest *nest) {
  const struct cul_text *text = nest->text;
  uint32_t depth = 0;
  for (uint32_t i = 0; i < text->n_lines; i++) {
    int kind = cul_text_spirv_function(text, i);
    struct depth *d = &nest->depths[i];
    d->start = d->min = d->end = depth;
    if (kind > 0) {
      d->end = ++depth;
    } else if (kind < 0 && depth) {
      d->end = d->min = --depth;
    }
  }
}

static uint32_t columns(const struct cul_text *text, const struct cul_line *l) {
  uint32_t n = 0;
  for (uint32_t i = l->start; i < l->start + l->indent; i++)
    n = text->bytes[i] == '\t' ? (n | 7) + 1 : n + 1;
  return n;
}

/* Add the level of indentation; lines inside brackets have that of the line
 * which opened them. */
static void measure_indents(struct nest *nest) {
  const struct cul_text *text = nest->text;
  CUL_HEAP uint32_t *stack =
      cul_xreallocarray(NULL, text->n_lines + 1, sizeof *stack);
  uint32_t level = 0;
  stack[0] = 0;
  for (size_t i = 0; i < text->n_lines; i++) {
    const struct cul_line *line = &text->lines[i];
    struct depth *d = &nest->depths[i];
    bool counts = d->start == 0 &&
                  cul_text_last_token(text, (uint32_t)i) != CUL_TEXT_NONE;
    uint32_t column = counts ? columns(text, line) : stack[level];
    while (column < stack[level])
      level--;
    if (column > stack[level])
      stack[++level] = column;
    d->start += level;
    d->min += level;
    d->end += level;
  }
}

static const struct cul_line *last_full_line(const struct cul_text *text,
                                             uint32_t first, uint32_t end) {
  while (end > first && text->lines[end - 1].n == 0)
    end--;
  return end > first ? &text->lines[end - 1] : NULL;
}

/* Does the line continue the item: an else: of Python, a decorated definition,
 * or a { on its own line below its header? */
static bool continues(const struct cul_text *text, uint32_t line,
                      const struct frame *frame) {
  uint32_t first = text->lines[line].first, last;
  const struct cul_line *before;
  if (text->lang->indents)
    return frame->decorated ||
           cul_text_is_word(text, first, " else elif except finally ");
  before = last_full_line(text, text->items[frame->item].first, line);
  if (!before || !cul_text_token_is(text, first, "{"))
    return false;
  last = cul_text_last_token(text, (uint32_t)(before - text->lines));
  return last != CUL_TEXT_NONE && !cul_text_token_is(text, last, ";") &&
         !cul_text_token_is(text, last, "}");
}

/* Does the line still belong to the item of this frame? */
static bool is_inside(const struct nest *nest, const struct frame *frame,
                      uint32_t line) {
  const struct depth *d = &nest->depths[line];
  if (frame->label)
    return d->min >= frame->base &&
           !(d->start == frame->base && is_label(nest->text, line));
  return d->start > frame->base ||
         (d->start == frame->base && continues(nest->text, line, frame));
}

static bool is_decorator(const struct cul_text *text, uint32_t line) {
  return text->lang->indents &&
         cul_text_is_char(text, text->lines[line].first, '@');
}

/* Does the line before this one leave a ( or [ open? */
static bool opens_list(const struct cul_text *text, uint32_t line) {
  const struct cul_line *l = last_full_line(text, 0, line);
  uint32_t first = text->lines[line].first;
  for (uint32_t i = l ? l->first + l->n : 0; l && i-- > l->first;)
    if (text->tokens[i].kind == CUL_TOKEN_OPEN &&
        text->tokens[i].match >= first)
      return !cul_text_is_char(text, i, '{');
  return false;
}

static void open_item(struct nest *nest, uint32_t line) {
  struct cul_text *text = nest->text;
  struct frame *around = nest->n ? &nest->stack[nest->n - 1] : NULL;
  uint32_t id = (uint32_t)text->n_items++;
  bool starts = around ? around->group == CUL_TEXT_NONE : id == 0;
  struct cul_text_item *item;
  text->items = cul_xgrow(text->items, id, &text->cap_items, sizeof *item);
  if (around && starts) {
    around->group = text->n_groups++;
    around->list = opens_list(text, line);
  }
  item = &text->items[id];
  *item =
      (struct cul_text_item){.first = line,
                             .end = line + 1,
                             .parent = around ? around->item : CUL_TEXT_NONE,
                             .group = around ? around->group : 0,
                             .label = is_label(text, line),
                             .list = around && around->list,
                             .starts = starts};
  CUL_XADD(nest->stack, nest->n, nest->cap) =
      (struct frame){.item = id,
                     .base = nest->depths[line].min,
                     .group = CUL_TEXT_NONE,
                     .label = item->label,
                     .decorated = is_decorator(text, line)};
  text->lines[line].item = id;
}

static void place_line(struct nest *nest, uint32_t line) {
  struct cul_text *text = nest->text;
  struct frame *top;
  while (nest->n && !is_inside(nest, &nest->stack[nest->n - 1], line))
    text->items[nest->stack[--nest->n].item].end = line;
  top = nest->n ? &nest->stack[nest->n - 1] : NULL;
  if (top && !top->label && nest->depths[line].min <= top->base) {
    text->lines[line].item = top->item;
    top->group = CUL_TEXT_NONE;
    if (nest->depths[line].start == top->base)
      top->decorated &=
          is_decorator(text, line) ||
          text->tokens[text->lines[line].first].kind == CUL_TOKEN_COMMENT;
  } else {
    open_item(nest, line);
  }
}

void cul_text_nest(struct cul_text *text) {
  struct nest nest = {.text = text};
  nest.depths = cul_xcalloc(text->n_lines + 1, sizeof *nest.depths);
  text->n_groups = 1;
  measure_brackets(&nest);
  if (text->lang->indents)
    measure_indents(&nest);
  if (cul_text_is(text, "spirv"))
    measure_functions(&nest);
  for (uint32_t i = 0; i < text->n_lines; i++) {
    if (text->lines[i].n)
      place_line(&nest, i);
    else if (nest.n)
      text->lines[i].item = nest.stack[nest.n - 1].item;
  }
  while (nest.n)
    text->items[nest.stack[--nest.n].item].end = (uint32_t)text->n_lines;
  free(nest.stack);
  free(nest.depths);
}

/* ---- the tree ---- */

uint32_t *cul_text_brackets(const struct cul_text *text) {
  uint32_t *around =
      cul_xreallocarray(NULL, text->n_tokens + 1, sizeof *around);
  uint32_t open = CUL_TEXT_NONE;
  for (uint32_t i = 0; i < text->n_tokens; i++) {
    if (text->tokens[i].kind == CUL_TOKEN_CLOSE)
      open = around[text->tokens[i].match];
    around[i] = open;
    if (text->tokens[i].kind == CUL_TOKEN_OPEN)
      open = i;
  }
  return around;
}

uint32_t cul_text_after(const struct cul_text *text, uint32_t i) {
  uint32_t match = i < text->n_tokens ? text->tokens[i].match : CUL_TEXT_NONE;
  return (match != CUL_TEXT_NONE && match > i ? match : i) + 1;
}

uint32_t cul_text_sibling(const struct cul_text *text, uint32_t item) {
  const struct cul_text_item *it = &text->items[item];
  uint32_t next =
      it->end < text->n_lines ? text->lines[it->end].item : CUL_TEXT_NONE;
  return next != CUL_TEXT_NONE && text->items[next].first == it->end &&
                 text->items[next].group == it->group
             ? next
             : CUL_TEXT_NONE;
}

bool cul_text_holds(const struct cul_text *text, uint32_t item, uint32_t i) {
  return i > item && i < text->n_items &&
         text->items[i].first < text->items[item].end;
}

bool cul_text_is_inside(const struct cul_text *text, uint32_t i,
                        uint32_t item) {
  return i == item || item == CUL_TEXT_NONE || cul_text_holds(text, item, i);
}

uint32_t cul_text_owner(const struct cul_text *text, uint32_t item) {
  do
    item = text->items[item].parent;
  while (item != CUL_TEXT_NONE && text->items[item].label);
  return item;
}

uint32_t cul_text_item_at(const struct cul_text *text, uint32_t token) {
  return text->lines[text->tokens[token].line].item;
}

uint32_t cul_text_item_first(const struct cul_text *text, uint32_t item) {
  return text->lines[text->items[item].first].first;
}

uint32_t cul_text_item_end(const struct cul_text *text, uint32_t item) {
  return cul_text_first_token(text, text->items[item].end);
}
