/* Erase an assignment; what reads the name gets the expression, in brackets
 * where they are needed.  Python: elsewhere a name is declared with a type. */
#include <stdlib.h>

#include "text_terms.h"

/* What stands for a use: brackets around the expression or not. */
static bool needs_brackets(const struct cul_text *text,
                           const struct cul_text_assignment *a, uint32_t use) {
  bool number = a->end == a->first + 1 &&
                text->tokens[a->first].kind == CUL_TOKEN_NUMBER &&
                cul_text_is_char(text, use + 1, '.'); /* 0.to(...) */
  return number || (!cul_text_is_term(text, a->first, a->end) &&
                    !cul_text_stands_alone(text, use, use + 1));
}

/* Tokens that go in all; 0: there would be no fewer, or no use. */
static uint32_t saved(const struct cul_text *text,
                      const struct cul_text_assignment *a) {
  uint32_t end = cul_text_end_of_scope(text, a->item), more = 0, uses = 0;
  uint32_t from = a->end, use, weight = a->end - a->name;
  bool unclear = false;
  while ((use = cul_text_next_use(text, a->name, from, &end, &unclear)) !=
         CUL_TEXT_NONE) {
    more += a->end - a->first - 1 + (needs_brackets(text, a, use) ? 2 : 0);
    from = use + 1;
    uses++;
  }
  return unclear || !uses || more >= weight ? 0 : weight - more;
}

static uint32_t weight(struct cul_text *text, uint32_t item) {
  struct cul_text_assignment a;
  return text->lang->indents && cul_text_assignment(text, item, &a)
             ? saved(text, &a)
             : 0;
}

/* Expressions of earlier assignments are part of this one by now. */
static bool inline_name(struct cul_text *text, uint64_t item) {
  struct cul_text_assignment a;
  uint32_t end = cul_text_end_of_scope(text, (uint32_t)item), use;
  bool unclear = false;
  char *plain, *bracketed;
  if (!cul_text_assignment(text, (uint32_t)item, &a))
    return false;
  plain = cul_text_written(text, a.first, a.end, false);
  bracketed = cul_text_written(text, a.first, a.end, true);
  for (uint32_t from = a.end;
       (use = cul_text_next_use(text, a.name, from, &end, &unclear)) !=
       CUL_TEXT_NONE;
       from = use + 1)
    cul_text_replace(text, use,
                     needs_brackets(text, &a, use) ? bracketed : plain);
  free(plain);
  free(bracketed);
  return cul_text_erase_item(text, a.item);
}

const struct cul_mutation cul_mutation_text_inline_names = {
    .name = "text-inline-names",
    .summary = "erase an assignment, the name's uses get the expression",
    .kinds = CUL_SUBJECT_TEXT,
    .phase = CUL_PHASE_DELTA,
    CUL_TEXT_EACH(.items = weight, .edit = inline_name),
};
