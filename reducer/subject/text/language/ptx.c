/* PTX as text: see language.h. */
#include <ctype.h>
#include <string.h>

#include "../ops.h"
#include "language.h"

/* The name without its number: %r1 and %r22 are of one class, hence of one
 * type. */
static bool type(struct cul_text *text, uint32_t def, uint32_t number,
                 struct cul_buf *out) {
  struct cul_bytes name = cul_text_token(text, def);
  (void)number;
  while (name.len && isdigit((unsigned char)name.data[name.len - 1]))
    name.len--;
  cul_buf_clear(out);
  cul_buf_add(out, name.data, name.len);
  return true;
}

/* Does the instruction write this register, as in "op %r" or "@!%p op {%r,
 * %s}", or use it as its guard? */
static bool is_written(const struct cul_text *text, uint32_t use) {
  uint32_t i = text->lines[text->tokens[use].line].first;
  if (cul_text_is_char(text, i, '@'))
    i += cul_text_is_char(text, i + 1, '!') ? 3 : 2;
  i++; /* the name of the operation */
  return use <= i ||
         (cul_text_is_char(text, i, '{') && use < text->tokens[i].match);
}

/* The register that the instruction defines, "op %r, ...", if no other
 * instruction writes it. */
static uint32_t result(struct cul_text *text, uint32_t item) {
  const struct cul_line *l = &text->lines[text->items[item].first];
  const struct cul_text_names *names = cul_text_names(text);
  uint32_t def = l->first + 1;
  if (l->n < 4 || !cul_text_is_marked(text, def, '%') ||
      names->def[def] != def || names->shared[def] ||
      !cul_text_is_char(text, def + 1, ','))
    return CUL_TEXT_NONE;
  for (uint32_t u = 0, use; cul_text_use(text, def, u, &use); u++)
    if (is_written(text, use))
      return CUL_TEXT_NONE;
  return def;
}

/* Does every bracket have its partner?  If not, *at is one without.  ptxas ends
 * at its first error, so it may not need a brace after that. */
static bool closes_brackets(struct cul_text *text, uint32_t *at) {
  for (uint32_t i = 0; i < text->n_tokens; i++) {
    struct cul_bytes token = cul_text_token(text, i);
    if (token.len == 1 && strchr("()[]{}", token.data[0]) &&
        text->tokens[i].match == CUL_TEXT_NONE) {
      *at = i;
      return false;
    }
  }
  return true;
}

static const struct cul_text_values values = {.type = type, .result = result};

const struct cul_text_language cul_text_ptx = {.name = "ptx",
                                               .values = &values,
                                               .holds = closes_brackets,
                                               .fault =
                                                   "a bracket has no partner"};
