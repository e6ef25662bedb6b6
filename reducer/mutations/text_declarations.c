/* Declarations of a text: see text_declarations.h. */
#include "text_declarations.h"

#include <stdlib.h>
#include <string.h>

#include "../subject/text_ops.h"
#include "text_c.h"
#include "text_terms.h"

static void add(struct cul_text_declarations *all, uint32_t first, uint32_t end,
                bool stays) {
  if (all->n == all->cap) {
    all->cap = all->cap ? 2 * all->cap : 64;
    all->items = cul_xreallocarray(all->items, all->cap, sizeof *all->items);
  }
  all->items[all->n++] = (struct cul_text_declaration){first, end, stays};
}

/* A name of the declaration that is added next. */
static void add_name(struct cul_text_declarations *all, uint32_t token) {
  all->is_name[token] = true;
}

/* ---- C ---- */

/* A word with brackets behind it that declares nothing. */
static bool is_specifier(const struct cul_text *text, uint32_t i) {
  return cul_text_is_word(text, i,
                          " alignas decltype noexcept explicit __attribute__ "
                          "__launch_bounds__ __align__ __declspec asm ");
}

/* The name before "(" in "name(" and "name<int>(". */
static uint32_t name_before(const struct cul_text *text, uint32_t first,
                            uint32_t open) {
  uint32_t i = open;
  if (i > first && text->tokens[i - 1].kind == CUL_TOKEN_CLOSE &&
      cul_text_is_char(text, i - 1, '>'))
    i = text->tokens[i - 1].match;
  return i > first && cul_text_c_name(text, i - 1) && !is_specifier(text, i - 1)
             ? i - 1
             : CUL_TEXT_NONE;
}

/* What stands before the body or the first value of a declaration. */
struct head {
  uint32_t function; /* its name, or NONE */
  uint32_t type;     /* the name behind "struct" and its like, or NONE */
  uint32_t last;     /* the last name */
  uint32_t end;      /* "{", "=", ":", ";" */
  bool is_type, enumerates, instantiates;
};

static void read_head(const struct cul_text *text, uint32_t first, uint32_t end,
                      struct cul_text_declarations *all, struct head *head) {
  *head = (struct head){CUL_TEXT_NONE, CUL_TEXT_NONE, CUL_TEXT_NONE, end,
                        false,         false,         false};
  for (uint32_t i = first; i < end; i = cul_text_after(text, i)) {
    head->end = i;
    if (cul_text_opens(text, i, '{') || cul_text_is_any(text, i, "=:;"))
      return;
    if (cul_text_token_is(text, i, "template") &&
        !(i + 1 < end && cul_text_opens(text, i + 1, '<')))
      head->instantiates = true;
    if (cul_text_opens(text, i, '(') &&
        name_before(text, first, i) != CUL_TEXT_NONE)
      head->function = name_before(text, first, i);
    if (cul_text_is_char(text, i, ',') && head->last != CUL_TEXT_NONE)
      add_name(all, head->last);
    if (cul_text_is_word(text, i, CUL_TEXT_C_TAGS)) {
      head->is_type = true;
      head->enumerates |= cul_text_token_is(text, i, "enum");
    } else if (cul_text_c_name(text, i) && !is_specifier(text, i)) {
      head->last = i;
      if (head->is_type && head->type == CUL_TEXT_NONE)
        head->type = i;
    }
  }
  head->end = end;
}

/* What is named between the brackets of an enum, and behind those of a type:
 * "typedef struct { ... } name;". */
static void name_type(const struct cul_text *text, const struct head *head,
                      struct cul_text_declarations *all) {
  uint32_t close = text->tokens[head->end].match;
  for (uint32_t i = head->end + 1; head->enumerates && i < close; i++)
    if (cul_text_c_name(text, i))
      add_name(all, i);
  for (uint32_t i = close + 1;
       i < text->n_tokens && !cul_text_is_char(text, i, ';'); i++)
    if (cul_text_c_name(text, i))
      add_name(all, i);
}

static void name_c(const struct cul_text *text, const struct head *head,
                   struct cul_text_declarations *all) {
  bool body = cul_text_opens(text, head->end, '{');
  if (head->function != CUL_TEXT_NONE) {
    add_name(all, head->function);
    return;
  }
  if (head->type != CUL_TEXT_NONE)
    add_name(all, head->type);
  if (body && head->is_type)
    name_type(text, head, all);
  else if (head->last != CUL_TEXT_NONE)
    add_name(all, head->last);
}

/* Behind "...;", "... {}" of a function, "... {};" of a type. */
static uint32_t end_of_c(const struct cul_text *text, const struct head *head,
                         uint32_t end) {
  bool open_end = head->function == CUL_TEXT_NONE;
  for (uint32_t i = head->end; i < end; i = cul_text_after(text, i)) {
    uint32_t behind = cul_text_after(text, i);
    if (cul_text_is_char(text, i, ';'))
      return i + 1;
    if (cul_text_opens(text, i, '{') && !open_end &&
        !(behind < end && (cul_text_is_any(text, behind, ";,") ||
                           cul_text_opens(text, behind, '{'))))
      return behind;
  }
  return end;
}

/* "#define name" may go; what else is said to the preprocessor stays. */
static uint32_t add_directive(const struct cul_text *text, uint32_t line,
                              struct cul_text_declarations *all) {
  const struct cul_line *l = &text->lines[line];
  bool define = l->n > 2 && cul_text_token_is(text, l->first + 1, "define");
  if (define)
    add_name(all, l->first + 2);
  add(all, l->first, l->first + l->n, !define);
  return l->first + l->n;
}

/* "namespace name {", "extern "C" {": its "{". */
static uint32_t find_namespace(const struct cul_text *text, uint32_t i,
                               uint32_t end) {
  if (cul_text_token_is(text, i, "inline"))
    i++;
  if (i + 1 >= end || !(cul_text_token_is(text, i, "namespace") ||
                        (cul_text_token_is(text, i, "extern") &&
                         text->tokens[i + 1].kind == CUL_TOKEN_STRING)))
    return CUL_TEXT_NONE;
  for (i++; i < end && (text->tokens[i].kind == CUL_TOKEN_WORD ||
                        text->tokens[i].kind == CUL_TOKEN_STRING ||
                        cul_text_token_is(text, i, "::"));
       i++)
    ;
  return i < end && cul_text_opens(text, i, '{') ? i : CUL_TEXT_NONE;
}

static uint32_t add_c(const struct cul_text *text, uint32_t first, uint32_t end,
                      struct cul_text_declarations *all) {
  bool directive = cul_text_token_is(text, first, "using") && first + 1 < end &&
                   cul_text_token_is(text, first + 1, "namespace");
  struct head head;
  read_head(text, first, end, all, &head);
  if (head.instantiates || directive)
    memset(all->is_name + first, 0, end - first);
  else
    name_c(text, &head, all);
  end = end_of_c(text, &head, end);
  add(all, first, end, directive);
  return end;
}

static void find_c(const struct cul_text *text,
                   struct cul_text_declarations *all) {
  uint32_t end = (uint32_t)text->n_tokens;
  for (uint32_t i = 0; i < end;) {
    uint32_t line = text->tokens[i].line, open;
    if (text->lines[line].first == i && cul_text_directive(text, line).len)
      i = add_directive(text, line, all);
    else if (text->tokens[i].kind == CUL_TOKEN_COMMENT ||
             cul_text_is_any(text, i, ";}"))
      i++;
    else if ((open = find_namespace(text, i, end)) != CUL_TEXT_NONE)
      i = open + 1;
    else
      i = add_c(text, i, end, all);
  }
}

/* ---- Python ---- */

/* "import a, b as c", "x, y = ...". */
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
      add_name(all, i);
}

static void add_python(const struct cul_text *text, uint32_t item,
                       struct cul_text_declarations *all) {
  const struct cul_text_item *it = &text->items[item];
  uint32_t first = cul_text_definition(text, item), line;
  if (first == CUL_TEXT_NONE)
    return;
  line = text->tokens[first].line;
  first += cul_text_token_is(text, first, "async");
  if (cul_text_is_word(text, first, " def class "))
    add_name(all, first + 1);
  else
    for (; line < it->end; line++)
      if (text->lines[line].n)
        name_line(text, &text->lines[line], all);
  add(all, cul_text_item_first(text, item), cul_text_item_end(text, item),
      false);
}

static void find_python(const struct cul_text *text,
                        struct cul_text_declarations *all) {
  for (uint32_t i = 0; i < text->n_items; i++)
    if (text->items[i].parent == CUL_TEXT_NONE &&
        text->lines[text->items[i].first].n)
      add_python(text, i, all);
}

/* ---- both ---- */

static bool is_name(const struct cul_text *text, uint32_t token,
                    const void *all) {
  (void)text;
  return ((const struct cul_text_declarations *)all)->is_name[token];
}

void cul_text_declarations_find(struct cul_text *text,
                                struct cul_text_declarations *out) {
  *out = (struct cul_text_declarations){0};
  out->is_name = cul_xcalloc(text->n_tokens + 1, sizeof *out->is_name);
  if (cul_text_is(text, "c"))
    find_c(text, out);
  else if (text->lang->indents)
    find_python(text, out);
  cul_text_words_sort(text, is_name, out, &out->names);
}

void cul_text_declarations_release(struct cul_text_declarations *all) {
  free(all->items);
  free(all->is_name);
  cul_text_words_release(&all->names);
}

uint32_t cul_text_declaration_at(const struct cul_text_declarations *all,
                                 uint32_t token) {
  uint32_t low = 0, high = (uint32_t)all->n;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (all->items[middle].end <= token)
      low = middle + 1;
    else
      high = middle;
  }
  return low < all->n && all->items[low].first <= token ? low : CUL_TEXT_NONE;
}

struct walk {
  struct cul_text *text;
  const struct cul_text_declarations *all;
  bool *used;
  uint32_t *queue;
  size_t n;
};

static void use(struct walk *w, uint32_t token) {
  size_t i, end = cul_text_words_find(w->text, &w->all->names,
                                      cul_text_token(w->text, token), &i);
  for (; i < end; i++) {
    uint32_t d = cul_text_declaration_at(w->all, w->all->names.items[i]);
    if (!w->used[d])
      w->queue[w->n++] = d;
    w->used[d] = true;
  }
}

void cul_text_declarations_follow(struct cul_text *text,
                                  const struct cul_text_declarations *all,
                                  bool *used) {
  struct walk w = {.text = text, .all = all, .used = used};
  w.queue = cul_xreallocarray(NULL, all->n + 1, sizeof *w.queue);
  for (uint32_t i = 0; i < all->n; i++)
    if (used[i])
      w.queue[w.n++] = i;
  for (size_t i = 0; i < w.n; i++) {
    const struct cul_text_declaration *d = &all->items[w.queue[i]];
    for (uint32_t token = d->first; token < d->end; token++)
      if (text->tokens[token].kind == CUL_TOKEN_WORD)
        use(&w, token);
  }
  free(w.queue);
}
