/* text-inline-names: erase an assignment of Python, and replace the name by the
 * expression where it is used.  Other languages declare a name with a type. */
#include <stdlib.h>

#include "../../subject/text/language/language.h"
#include "../../subject/text/language/terms.h"
#include "sites.h"

static bool find_assignment(const struct cul_text *text, uint32_t item,
                            struct cul_text_assignment *out) {
  const struct cul_text_language *language = cul_text_language(text);
  return language->assignment && language->assignment(text, item, out);
}

/* Does the expression need brackets in place of a use? */
static bool needs_brackets(const struct cul_text *text,
                           const struct cul_text_assignment *a, uint32_t use) {
  bool number = a->end == a->first + 1 &&
                text->tokens[a->first].kind == CUL_TOKEN_NUMBER &&
                cul_text_is_char(text, use + 1, '.'); /* 0.to(...) */
  return number || (!cul_text_is_term(text, a->first, a->end) &&
                    !cul_text_stands_alone(text, use, use + 1));
}

/* The number of tokens saved; 0 also if the name is never used. */
static uint32_t saved(struct cul_text *text, uint32_t item) {
  struct cul_text_assignment a;
  uint32_t weight, more = 0;
  if (!find_assignment(text, item, &a))
    return 0;
  weight = a.end - a.name;
  for (size_t u = 0; u < a.n_uses; u++)
    more += a.end - a.first - 1 + (needs_brackets(text, &a, a.uses[u]) ? 2 : 0);
  free(a.uses);
  return !a.n_uses || more >= weight ? 0 : weight - more;
}

/* The expression is used as edited so far, with those of earlier assignments in
 * it. */
static bool inline_name(struct cul_text *text, uint64_t item) {
  struct cul_text_assignment a;
  CUL_HEAP char *plain = NULL, *bracketed = NULL;
  if (!find_assignment(text, (uint32_t)item, &a))
    return false;
  plain = cul_text_written(text, a.first, a.end, false);
  bracketed = cul_text_written(text, a.first, a.end, true);
  for (size_t u = 0; u < a.n_uses; u++)
    cul_text_replace(text, a.uses[u],
                     needs_brackets(text, &a, a.uses[u]) ? bracketed : plain);
  free(a.uses);
  return cul_text_erase_item(text, (uint32_t)item);
}

CUL_TEXT(text_inline_names, .items = saved, .edit = inline_name);
