/* An expression of C or Python becomes 0: an index, what is handed to a
 * function, what a variable starts with. */
#include "../subject/text_ops.h"
#include "text_c.h"

static void add(const struct cul_text *text, uint32_t first, uint32_t end,
                struct cul_sites *out) {
  if (end > first + 1 || (end > first && cul_text_c_name(text, first)))
    cul_sites_add(out, NULL, cul_text_two(first, end), end - first);
}

/* ---- Python ---- */

/* What is handed over in a call, or stands in brackets; "def f(x)" and
 * "class c(x)" only name. */
static bool is_python_list(const struct cul_text *text, uint32_t i) {
  return cul_text_opens(text, i, '(') &&
         !(i > 1 && cul_text_is_word(text, i - 2, " def class "));
}

static void add_python(const struct cul_text *text, uint32_t i,
                       struct cul_sites *out) {
  const struct cul_line *l = &text->lines[text->tokens[i].line];
  uint32_t first, end;
  if (i == l->first && l->n > 1 && cul_text_token_is(text, i, "return"))
    add(text, i + 1, l->first + l->n, out);
  for (uint32_t k = 0;
       is_python_list(text, i) && cul_text_element(text, i, k, &first, &end);
       k++)
    if (end > first + 2 && cul_text_is_char(text, first + 1, '='))
      add(text, first + 2, end, out); /* name=... */
    else
      add(text, first, end, out);
}

/* ---- C ---- */

static bool ends_expression(const struct cul_text *text, uint32_t i) {
  return cul_text_is_any(text, i, ",;") ||
         text->tokens[i].kind == CUL_TOKEN_CLOSE;
}

/* What stands behind token i, up to a comma, a semicolon or a bracket. */
static void add_behind(const struct cul_text *text, uint32_t i,
                       struct cul_sites *out) {
  uint32_t end = i + 1;
  while (end < text->n_tokens && !ends_expression(text, end))
    end = cul_text_after(text, end);
  if (end < text->n_tokens)
    add(text, i + 1, end, out);
}

static bool is_list(const struct cul_text *text, uint32_t i) {
  return text->tokens[i].kind == CUL_TOKEN_OPEN &&
         (cul_text_is_any(text, i, "(["));
}

static void add_c(const struct cul_text *text, uint32_t i,
                  struct cul_sites *out) {
  uint32_t first, end;
  if (cul_text_is_char(text, i, '=') || cul_text_token_is(text, i, "return"))
    add_behind(text, i, out);
  for (uint32_t k = 0;
       is_list(text, i) && cul_text_element(text, i, k, &first, &end); k++)
    add(text, first, end, out);
}

/* ---- both ---- */

static void sites(struct cul_text *text, struct cul_sites *out) {
  for (uint32_t i = 0; i < text->n_tokens; i++)
    if (cul_text_is(text, "c"))
      add_c(text, i, out);
    else if (text->lang->indents)
      add_python(text, i, out);
}

static bool zero(struct cul_text *text, uint64_t detail) {
  uint32_t first = cul_text_high(detail);
  if (!cul_text_replace(text, first, "0"))
    return false;
  cul_text_erase_tokens(text, first + 1, (uint32_t)detail);
  return true;
}

const struct cul_mutation cul_mutation_text_zero = {
    .name = "text-zero",
    .summary = "make an expression of C or Python 0",
    .kinds = CUL_SUBJECT_TEXT,
    .phase = CUL_PHASE_DELTA,
    CUL_TEXT_EACH(.list = sites, .edit = zero),
};
