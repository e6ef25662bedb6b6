/* Python after an edit: what reads a name that nothing sets any more reads 0,
 * with the indices, members and arguments behind it. */
#include <stdlib.h>

#include "../subject/text_ops.h"
#include "text_mend.h"
#include "text_terms.h"

/* Per item: the "=" behind what it assigns to, or NONE; and the function
 * around it. */
struct mending {
  struct cul_text *text;
  uint32_t *equals, *scope;
};

static uint32_t first_token(const struct cul_text *text, uint32_t item) {
  return cul_text_item_first(text, item);
}

/* Of "a, b = ...", "a: t = ..." or "a += ...". */
static uint32_t find_equals(const struct cul_text *text, uint32_t item) {
  const struct cul_text_item *it = &text->items[item];
  const struct cul_line *l = &text->lines[it->first];
  uint32_t end = l->first + l->n, i = l->first;
  bool typed = false;
  if (it->list || l->n < 3 || !cul_text_is_name(text, i))
    return CUL_TEXT_NONE;
  for (; i < end && !cul_text_is_char(text, i, '=');
       i = cul_text_after(text, i))
    if (cul_text_is_updated(text, i))
      return i == l->first + 1 ? i : CUL_TEXT_NONE;
    else if (cul_text_is_char(text, i, ':'))
      typed = true;
    else if (!typed && !cul_text_is_name(text, i) &&
             !cul_text_is_char(text, i, ','))
      return CUL_TEXT_NONE;
  return i < end ? i : CUL_TEXT_NONE;
}

/* ---- who sets a name ---- */

/* The token is among what the item assigns to. */
static bool is_target(const struct cul_text *text, uint32_t item,
                      uint32_t equals, uint32_t token) {
  for (uint32_t i = first_token(text, item);
       i < equals && !cul_text_is_char(text, i, ':'); i++)
    if (cul_text_same(text, i, token))
      return true;
  return false;
}

/* Another statement of the same function does. */
static bool is_set(const struct mending *m, uint32_t item, uint32_t name) {
  const struct cul_text *text = m->text;
  uint32_t scope = m->scope[item];
  uint32_t i = scope == CUL_TEXT_NONE ? 0 : scope + 1;
  uint32_t end =
      scope == CUL_TEXT_NONE ? (uint32_t)text->n_lines : text->items[scope].end;
  for (; i < text->n_items && text->items[i].first < end; i++)
    if (m->equals[i] != CUL_TEXT_NONE && m->scope[i] == scope &&
        is_target(text, i, m->equals[i], name) &&
        cul_text_is_live(text, first_token(text, i)))
      return true;
  return false;
}

/* ---- what reads it ---- */

/* "name=" of a call, or of a statement that sets it. */
static bool is_key(const struct cul_text *text, uint32_t token) {
  return token + 2 < text->n_tokens && cul_text_is_char(text, token + 1, '=') &&
         !cul_text_is_char(text, token + 2, '=');
}

static void put_zero(struct cul_text *text, uint32_t first, uint32_t end,
                     uint32_t name) {
  for (uint32_t i = first; i < end; i++)
    if (cul_text_is_name(text, i) && cul_text_same(text, i, name) &&
        !is_key(text, i) && cul_text_is_live(text, i) &&
        cul_text_replace(text, i, "0"))
      cul_text_erase_tokens(text, i + 1, cul_text_end_of_use(text, i));
}

static void mend_item(struct mending *m, uint32_t item) {
  struct cul_text *text = m->text;
  uint32_t first = first_token(text, item);
  for (uint32_t i = first;
       i < m->equals[item] && !cul_text_is_char(text, i, ':'); i++)
    if (cul_text_is_name(text, i) && !is_set(m, item, i))
      put_zero(text, first, cul_text_end_of_scope(text, item), i);
}

void cul_text_mend_python(struct cul_text *text) {
  size_t size = text->n_items + 1;
  struct mending m = {.text = text};
  m.equals = cul_xreallocarray(NULL, size, sizeof *m.equals);
  m.scope = cul_xreallocarray(NULL, size, sizeof *m.scope);
  for (uint32_t i = 0; i < text->n_items; i++) {
    m.equals[i] = find_equals(text, i);
    m.scope[i] = cul_text_scope_of(text, i);
  }
  for (uint32_t i = 0; i < text->n_items; i++)
    if (m.equals[i] != CUL_TEXT_NONE &&
        !cul_text_is_live(text, first_token(text, i)))
      mend_item(&m, i);
  free(m.equals);
  free(m.scope);
}
