/* The statements and inputs of nvFuser's definitions: see nvfuser.h.
 * nvfuser_shapes.c computes shapes; language/nvfuser.c checks definitions. */
#include "nvfuser.h"

/* ---- statements ---- */

/* Find the call "fd.ops.NAME(" or "fd.NAME(" at token i. */
static bool find_call(const struct cul_text *text, uint32_t i, uint32_t end,
                      struct cul_nvfuser_op *out) {
  uint32_t first = i;
  while (i + 2 < end && text->tokens[i].kind == CUL_TOKEN_WORD &&
         cul_text_is_char(text, i + 1, '.'))
    i += 2;
  out->name = i;
  out->open = i + 1;
  return cul_text_token_is(text, first, "fd") && i > first && i + 1 < end &&
         text->tokens[i].kind == CUL_TOKEN_WORD &&
         cul_text_opens(text, i + 1, '(');
}

bool cul_text_nvfuser_op(const struct cul_text *text, uint32_t line,
                         struct cul_nvfuser_op *out) {
  const struct cul_line *l = &text->lines[line];
  uint32_t i = l->first, end = i + l->n;
  *out = (struct cul_nvfuser_op){.line = line, .equals = CUL_TEXT_NONE};
  if (!l->n || !cul_text_is_nvfuser(text) || text->items[l->item].first != line)
    return false;
  while (i < end && (cul_text_is_value(cul_text_token(text, i)) ||
                     cul_text_is_char(text, i, ',')))
    i++;
  if (i > l->first && !cul_text_is_char(text, i, '='))
    return false;
  if (i > l->first)
    out->equals = i++;
  return find_call(text, i, end, out) &&
         (out->equals != CUL_TEXT_NONE ||
          cul_text_token_is(text, out->name, "add_output"));
}

bool cul_text_nvfuser_argument(const struct cul_text *text,
                               const struct cul_nvfuser_op *op,
                               const char *name, uint32_t k, uint32_t *first,
                               uint32_t *end) {
  for (uint32_t i = 0; cul_text_element(text, op->open, i, first, end); i++) {
    bool named = cul_text_is_char(text, *first + 1, '=');
    if (named && name && cul_text_token_is(text, *first, name))
      return *first += 2, *first < *end;
    if (!named && i == k)
      return true;
  }
  return false;
}

bool cul_text_nvfuser_takes(const struct cul_text *text,
                            const struct cul_nvfuser_op *op) {
  return cul_text_token_is(text, op->name, "define_tensor") ||
         (cul_text_token_is(text, op->name, "define_scalar") &&
          cul_text_token_is(text, op->open + 1, "None"));
}

/* ---- inputs ---- */

uint32_t cul_text_nvfuser_inputs(const struct cul_text *text) {
  for (uint32_t line = 0; line < text->n_lines; line++) {
    uint32_t i = text->lines[line].first;
    if (text->lines[line].n > 2 && cul_text_token_is(text, i, "inputs") &&
        cul_text_is_char(text, i + 1, '=') && cul_text_opens(text, i + 2, '['))
      return i + 2;
  }
  return CUL_TEXT_NONE;
}

bool cul_text_nvfuser_entry(const struct cul_text *text, uint32_t first,
                            uint32_t end, struct cul_nvfuser_entry *out) {
  *out =
      (struct cul_nvfuser_entry){CUL_TEXT_NONE, CUL_TEXT_NONE, CUL_TEXT_NONE};
  for (uint32_t i = first; i + 1 < end; i++) {
    uint32_t comma;
    if (!cul_text_opens(text, i + 1, '('))
      continue;
    if (cul_text_is_word(text, i, " randn rand empty zeros ones randint "))
      out->room = i + 1;
    else if (cul_text_token_is(text, i, "make_tensor"))
      out->size = i + 2;
    if (!cul_text_token_is(text, i, "as_strided"))
      continue;
    out->size = i + 2;
    comma = cul_text_opens(text, i + 2, '(') ? cul_text_after(text, i + 2)
                                             : CUL_TEXT_NONE;
    if (comma < end && cul_text_is_char(text, comma, ','))
      out->stride = comma + 1;
  }
  return out->size < end && cul_text_opens(text, out->size, '(') &&
         (out->stride == CUL_TEXT_NONE ||
          cul_text_opens(text, out->stride, '('));
}

/* ---- extents and strides of an input ---- */

/* The next dimension from the inside outwards, among those not in done: the one
 * with the smallest stride; among several, the last. */
static uint32_t innermost(const struct cul_nvfuser_layout *l,
                          const bool *done) {
  uint32_t best = CUL_TEXT_NONE;
  for (uint32_t d = 0; d < l->n; d++)
    if (!done[d] && (best == CUL_TEXT_NONE || l->stride[d] <= l->stride[best]))
      best = d;
  return best;
}

/* Compute new strides in the old order: dense if they were dense, larger by one
 * element if there was a gap, 0 if they were 0. */
static void restride(struct cul_nvfuser_layout *l) {
  bool done[CUL_NVFUSER_RANK] = {false};
  uint64_t was = 1, now = 1;
  for (uint32_t i = 0; i < l->n; i++) {
    uint32_t d = innermost(l, done);
    done[d] = true;
    l->to[d] = l->stride[d];
    if (l->stride[d] == 0)
      continue;
    if (l->stride[d] == was || l->old[d] == 1)
      l->to[d] = now;
    else if (l->stride[d] > was || l->stride[d] > now)
      l->to[d] = now + (l->stride[d] > was);
    if (l->old[d] == 1)
      continue;
    was = l->stride[d] * l->old[d];
    now = l->to[d] * l->new[d];
  }
}

static uint64_t room(const uint64_t *sizes, const uint64_t *strides,
                     uint32_t n) {
  uint64_t last = 1;
  for (uint32_t d = 0; d < n; d++)
    last += (sizes[d] - 1) * strides[d];
  return last;
}

/* Update the last number, which is the number of elements of the storage or
 * more. */
static void put_room(struct cul_text *text, uint32_t open, uint64_t was,
                     uint64_t now) {
  uint32_t found = CUL_TEXT_NONE;
  uint64_t n;
  for (uint32_t i = open; i < text->tokens[open].match; i++)
    if (cul_text_nvfuser_number(text, i, &n) && n >= was)
      found = i;
  if (found != CUL_TEXT_NONE)
    cul_text_nvfuser_put(text, found, now);
}

bool cul_text_nvfuser_read(const struct cul_text *text,
                           const struct cul_nvfuser_entry *entry,
                           struct cul_nvfuser_layout *l) {
  uint32_t first, end;
  *l = (struct cul_nvfuser_layout){.n = 0};
  for (; cul_text_element(text, entry->size, l->n, &first, &end); l->n++) {
    if (l->n == CUL_NVFUSER_RANK ||
        !cul_text_nvfuser_number(text, first, &l->old[l->n]) ||
        !cul_text_element(text, entry->stride, l->n, &first, &end) ||
        !cul_text_nvfuser_number(text, first, &l->stride[l->n]))
      return false;
    l->new[l->n] = l->old[l->n];
  }
  return true;
}

void cul_text_nvfuser_write(struct cul_text *text,
                            const struct cul_nvfuser_entry *entry,
                            struct cul_nvfuser_layout *l) {
  uint32_t first, end;
  restride(l);
  for (uint32_t d = 0; d < l->n; d++) {
    if (l->new[d] != l->old[d] &&
        cul_text_element(text, entry->size, d, &first, &end))
      cul_text_nvfuser_put(text, first, l->new[d]);
    if (l->to[d] != l->stride[d] &&
        cul_text_element(text, entry->stride, d, &first, &end))
      cul_text_nvfuser_put(text, first, l->to[d]);
  }
  if (entry->room != CUL_TEXT_NONE)
    put_room(text, entry->room, room(l->old, l->stride, l->n),
             room(l->new, l->to, l->n));
}
