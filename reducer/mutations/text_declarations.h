/* What a text of C or Python declares outside of functions and types, and which
 * names that gives.  Without a parser: what it takes wrongly costs candidates.
 */
#ifndef CUL_REDUCER_MUTATIONS_TEXT_DECLARATIONS_H
#define CUL_REDUCER_MUTATIONS_TEXT_DECLARATIONS_H

#include "text_sites.h"

struct cul_text_declaration {
  uint32_t first, end; /* tokens */
  bool stays; /* nobody says its name, but it may be meant: "#include" */
};

/* A word, and the declaration that gives it a meaning. */
struct cul_text_declared {
  uint32_t token, declaration;
};

/* In text order; those in namespaces too, but no namespaces. */
struct cul_text_declarations {
  struct cul_text_declaration *items;
  size_t n, cap;
  struct cul_text_declared *names; /* sorted by what they say */
  size_t n_names, cap_names;
};

/* Empty for other languages. */
void cul_text_declarations_find(struct cul_text *text,
                                struct cul_text_declarations *out);
void cul_text_declarations_release(struct cul_text_declarations *all);

/* The first of the names that say what the token does; where there is none,
 * n_names or a name that says something else. */
size_t cul_text_declared(const struct cul_text *text,
                         const struct cul_text_declarations *all,
                         uint32_t token);

/* Mark in used[n] what those marked there use, and what these use. */
void cul_text_declarations_follow(struct cul_text *text,
                                  const struct cul_text_declarations *all,
                                  bool *used);

#endif
