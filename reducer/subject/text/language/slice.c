/* The part of a C or Python text that another part needs: see slice.h. */
#include "slice.h"

#include <stdlib.h>
#include <string.h>

#include "declarations.h"
#include "language.h"
#include "terms.h"

/* ---- declarations ---- */

static bool is_name(const struct cul_text *text, uint32_t token,
                    const void *all) {
  (void)text;
  return ((const struct cul_text_declarations *)all)->is_name[token];
}

/* Find the declarations; none if the language has no function for that. */
static void find_declarations(struct cul_text *text,
                              struct cul_text_declarations *out) {
  *out = (struct cul_text_declarations){0};
  out->is_name = cul_xcalloc(text->n_tokens + 1, sizeof *out->is_name);
  out->of = cul_xreallocarray(NULL, text->n_tokens + 1, sizeof *out->of);
  memset(out->of, 0xff, (text->n_tokens + 1) * sizeof *out->of);
  if (cul_text_language(text)->declarations)
    cul_text_language(text)->declarations(text, out);
  cul_text_words_sort(text, is_name, out, &out->names);
}

static void release_declarations(struct cul_text_declarations *all) {
  free(all->items);
  free(all->of);
  free(all->is_name);
  cul_text_words_release(&all->names);
}

/* ---- the slice ---- */

struct slice {
  struct cul_text *text;
  struct cul_text_declarations all;
  uint32_t *inside; /* item -> declaration of its first token */
  struct cul_text_words words;
  bool *partial;   /* declarations that may be kept in part */
  bool *whole;     /* declarations that are kept as a whole */
  bool *kept;      /* items */
  uint32_t *queue; /* items to look at */
  size_t n;
};

static void keep(struct slice *s, uint32_t item) {
  if (item == CUL_TEXT_NONE || s->kept[item])
    return;
  s->kept[item] = true;
  s->queue[s->n++] = item;
}

/* Does the item before it, in the same body, continue in this one?  A statement
 * of C on several lines is several items. */
static bool goes_on(const struct cul_text *text, uint32_t before,
                    uint32_t item) {
  uint32_t last = cul_text_item_first(text, item) - 1;
  return !text->lang->indents &&
         text->items[before].group == text->items[item].group &&
         last + 1 > cul_text_item_first(text, before) &&
         !(cul_text_is_any(text, last, ";}{:") ||
           text->tokens[last].kind == CUL_TOKEN_COMMENT ||
           cul_text_directive(text, text->tokens[last].line).len);
}

/* Keep the items around, the others of the same statement, and those of its
 * lists. */
static void keep_near(struct slice *s, uint32_t item) {
  const struct cul_text_item *items = s->text->items;
  keep(s, items[item].parent);
  for (uint32_t i = item + 1; cul_text_holds(s->text, item, i); i++)
    if (items[i].list && items[i].parent == item)
      keep(s, i);
  if (item) {
    uint32_t before = s->text->lines[items[item].first - 1].item;
    while (before != CUL_TEXT_NONE && items[before].group != items[item].group)
      before = items[before].parent;
    if (before != CUL_TEXT_NONE && goes_on(s->text, before, item))
      keep(s, before);
  }
  if (items[item].end < s->text->n_lines) {
    uint32_t next = s->text->lines[items[item].end].item;
    if (next != CUL_TEXT_NONE && next > item && goes_on(s->text, item, next))
      keep(s, next);
  }
}

/* Keep the items that begin in the declaration; items are in text order. */
static void keep_declaration(struct slice *s, uint32_t d) {
  const struct cul_text_declaration *all = &s->all.items[d];
  for (uint32_t i = cul_text_item_at(s->text, all->first);
       i < s->text->n_items && cul_text_item_first(s->text, i) < all->end; i++)
    if (cul_text_item_first(s->text, i) >= all->first)
      keep(s, i);
}

/* Keep the first definition within the declaration that is in a block around
 * the use; without one, all that are before the use. */
static void need_local(struct slice *s, uint32_t token, uint32_t item) {
  const struct cul_text *text = s->text;
  size_t from, end = cul_text_words_find(text, &s->words,
                                         cul_text_token(text, token), &from);
  for (int any = 0; any < 2; any++)
    for (size_t k = from; k < end && s->words.items[k] < token; k++) {
      uint32_t def = s->words.items[k], at = cul_text_item_at(text, def);
      if (s->inside[at] != s->inside[item] || !cul_text_is_name(text, def) ||
          !(cul_text_is_inside(text, item, at) ||
            cul_text_language(text)->defines(text, def)) ||
          !(any || cul_text_is_inside(text, item, text->items[at].parent)))
        continue;
      keep(s, at);
      if (!any)
        return;
    }
}

static void need_global(struct slice *s, uint32_t token) {
  const struct cul_text_declarations *all = &s->all;
  size_t i, end = cul_text_words_find(s->text, &all->names,
                                      cul_text_token(s->text, token), &i);
  for (; i < end; i++) {
    uint32_t d = all->of[all->names.items[i]];
    if (s->partial[d] || s->whole[d])
      continue;
    s->whole[d] = true;
    keep_declaration(s, d);
  }
}

/* ---- the walk ---- */

static void look_at(struct slice *s, uint32_t item) {
  const struct cul_text *text = s->text;
  uint32_t end = cul_text_item_end(text, item);
  for (uint32_t i = cul_text_item_first(text, item); i < end; i++) {
    if (cul_text_item_at(text, i) != item ||
        text->tokens[i].kind != CUL_TOKEN_WORD)
      continue;
    if (cul_text_is_name(text, i))
      need_local(s, i, item);
    need_global(s, i);
  }
}

/* Keep all statements with the name of declaration d; true if that makes
 * another declaration partial. */
static bool keep_callers(struct slice *s, uint32_t name, uint32_t d) {
  bool more = false;
  size_t w, end = cul_text_words_find(s->text, &s->words,
                                      cul_text_token(s->text, name), &w);
  for (; w < end; w++) {
    uint32_t item = cul_text_item_at(s->text, s->words.items[w]);
    uint32_t by = s->inside[item];
    if (by == CUL_TEXT_NONE || by == d)
      continue;
    keep(s, item);
    more |= !s->partial[by];
    s->partial[by] = true;
  }
  return more;
}

/* Keep the statements that refer to a function of which a part is kept, and so
 * on. */
static void reach(struct slice *s) {
  const struct cul_text_declarations *all = &s->all;
  bool more = true;
  for (uint32_t i = 0; i < s->text->n_items; i++)
    if (s->kept[i] && s->inside[i] != CUL_TEXT_NONE)
      s->partial[s->inside[i]] = true;
  while (more) {
    more = false;
    for (size_t k = 0; k < all->names.n; k++) {
      uint32_t d = all->of[all->names.items[k]];
      if (s->partial[d])
        more |= keep_callers(s, all->names.items[k], d);
    }
  }
}

/* Must the declaration be kept although nothing refers to it?  Directives must,
 * and, if statements are cut, tables of Python. */
static bool stays(const struct slice *s, uint32_t d, bool inner) {
  uint32_t item = cul_text_item_at(s->text, s->all.items[d].first);
  return inner && s->text->lang->indents
             ? !cul_text_is_word(s->text, cul_text_definition(s->text, item),
                                 " def class async if ")
             : s->all.items[d].stays;
}

void cul_text_add_slice(struct cul_text *text, uint32_t first, bool *kept) {
  bool inner;
  struct slice s = {.text = text, .kept = kept};
  find_declarations(text, &s.all);
  s.inside = cul_xcalloc(text->n_items + 1, sizeof *s.inside);
  s.queue = cul_xcalloc(text->n_items + 1, sizeof *s.queue);
  s.partial = cul_xcalloc(s.all.n + 1, sizeof *s.partial);
  s.whole = cul_xcalloc(s.all.n + 1, sizeof *s.whole);
  cul_text_words_sort(text, NULL, NULL, &s.words);
  for (uint32_t i = 0; i < text->n_items; i++) {
    s.inside[i] = s.all.of[cul_text_item_first(text, i)];
    if (kept[i])
      s.queue[s.n++] = i;
  }
  inner =
      s.inside[first] != CUL_TEXT_NONE &&
      s.all.items[s.inside[first]].first != cul_text_item_first(text, first);
  if (inner)
    reach(&s);
  for (uint32_t d = 0; d < s.all.n; d++)
    if (stays(&s, d, inner))
      keep_declaration(&s, d);
  for (size_t i = 0; i < s.n; i++) {
    keep_near(&s, s.queue[i]);
    look_at(&s, s.queue[i]);
  }
  free(s.inside);
  free(s.queue);
  free(s.partial);
  free(s.whole);
  cul_text_words_release(&s.words);
  release_declarations(&s.all);
}
