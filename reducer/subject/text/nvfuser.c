/* The statements and inputs of nvFuser's definitions: see nvfuser.h.
 * nvfuser_shapes.c computes shapes; nvfuser_check.c checks definitions. */
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
