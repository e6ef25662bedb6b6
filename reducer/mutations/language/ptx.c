/* PTX as text: see language.h. */
#include <ctype.h>

#include "../../subject/text/ops.h"
#include "language.h"

/* %r1 and %r22 are of one class, and of one type. */
static bool same_class(const struct cul_text *text, uint32_t a, uint32_t b) {
  struct cul_bytes x = cul_text_token(text, a), y = cul_text_token(text, b);
  while (x.len && isdigit((unsigned char)x.data[x.len - 1]))
    x.len--;
  while (y.len && isdigit((unsigned char)y.data[y.len - 1]))
    y.len--;
  return cul_bytes_equal(x, y);
}

/* Is the use of a register a write, "op %r", "@!%p op {%r, %s}", or a guard? */
static bool is_written(const struct cul_text *text, uint32_t use) {
  uint32_t i = text->lines[text->tokens[use].line].first;
  if (cul_text_is_char(text, i, '@'))
    i += cul_text_is_char(text, i + 1, '!') ? 3 : 2;
  i++; /* the name */
  return use <= i ||
         (cul_text_is_char(text, i, '{') && use < text->tokens[i].match);
}

/* An instruction of PTX that alone writes its one register: "op %r, ...". */
static uint32_t stand_ins(struct cul_text *text, uint32_t item,
                          struct cul_text_results *results) {
  const struct cul_line *l = &text->lines[text->items[item].first];
  const struct cul_text_names *names = cul_text_names(text);
  uint32_t result = l->first + 1;
  struct cul_text_result *new;
  results->n = 0;
  if (l->n < 4 || !cul_text_is_marked(text, result, '%') ||
      names->def[result] != result || names->shared[result] ||
      !cul_text_is_char(text, result + 1, ','))
    return 0;
  for (uint32_t u = 0, use; cul_text_use(text, result, u, &use); u++)
    if (is_written(text, use))
      return 0;
  new = cul_text_add_result(results, result, 0);
  for (uint32_t i = result + 2;
       i < l->first + l->n && new->n < CUL_TEXT_STAND_INS; i++) {
    uint32_t def = names->def[i];
    if (def != CUL_TEXT_NONE && def != result && def != i &&
        same_class(text, i, result))
      new->with[new->n++] = i;
  }
  return new->n;
}

const struct cul_text_language cul_text_ptx = {.name = "ptx",
                                               .stand_ins = stand_ins};
