/* What a text of C or Python declares outside of functions and types, and which
 * names that gives.  Without a parser: what it takes wrongly costs candidates.
 */
#ifndef CUL_REDUCER_MUTATIONS_TEXT_DECLARATIONS_H
#define CUL_REDUCER_MUTATIONS_TEXT_DECLARATIONS_H

#include "text_sites.h"
#include "text_words.h"

struct cul_text_declaration {
  uint32_t first, end; /* tokens */
  bool stays; /* nobody says its name, but it may be meant: "#include" */
};

/* In text order; those in namespaces too, but no namespaces. */
struct cul_text_declarations {
  struct cul_text_declaration *items;
  size_t n, cap;
  bool
      *is_name; /* token -> it gives the declaration that it stands in a name */
  struct cul_text_words names; /* these tokens */
};

/* Empty for other languages. */
void cul_text_declarations_find(struct cul_text *text,
                                struct cul_text_declarations *out);
void cul_text_declarations_release(struct cul_text_declarations *all);

/* The one that the token stands in, or CUL_TEXT_NONE. */
uint32_t cul_text_declaration_at(const struct cul_text_declarations *all,
                                 uint32_t token);

/* Mark in used[n] what those marked there use, and what these use. */
void cul_text_declarations_follow(struct cul_text *text,
                                  const struct cul_text_declarations *all,
                                  bool *used);

#endif
