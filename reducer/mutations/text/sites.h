/* Common parts of text mutations: statements (items) and runs of tokens as
 * sites. */
#ifndef CUL_REDUCER_MUTATIONS_TEXT_SITES_H
#define CUL_REDUCER_MUTATIONS_TEXT_SITES_H

#include "../../subject/text/text.h"
#include "../mutation.h"

/* Add the items of each body that contains at least `fewest` items and one
 * `part`th of the text: for cuts, which keep a run of one body. */
void cul_text_add_bodies(const struct cul_text *text, uint32_t part,
                         uint32_t fewest, struct cul_sites *out);

/* The functions of a mutation of texts: one of list, tokens, items and tree,
 * and one of edit, edit_all and keep. */
struct cul_text_each {
  void (*list)(struct cul_text *text, struct cul_sites *out);
  /* The weight of a token; 0: no site.  detail: the token. */
  uint32_t (*tokens)(struct cul_text *text, uint32_t token);
  /* The same for items.  tree: the parent of a site is the enclosing item, its
   * group the body that contains it. */
  uint32_t (*items)(struct cul_text *text, uint32_t item);
  uint32_t (*tree)(struct cul_text *text, uint32_t item);
  /* Edit the place that detail names, which earlier calls may have erased.
   * Returns whether that changed anything. */
  bool (*edit)(struct cul_text *text, uint64_t detail);
  /* Edit all chosen sites.  Returns the number of sites that changed something.
   */
  size_t (*edit_all)(struct cul_text *text, const struct cul_sites *sites,
                     const uint32_t *ids, size_t n);
  /* Keep the sites from first to last, and erase the others.  Returns whether
   * that changed anything. */
  bool (*keep)(struct cul_text *text, const struct cul_sites *sites,
               uint32_t first, uint32_t last);
  bool others; /* the sites are a range: edit everything outside it */
  bool
      nested; /* list adds ranges, outer ones first: parents are those around */
  bool parts; /* it edits only the parts of a rough text */
  bool fixes; /* the language's fix_up is called afterwards */
  bool whole; /* it keeps statements intact, or understands them, so it may
                 also edit those that a language owns */
};
#define CUL_TEXT(id, ...) CUL_MUTATION(cul_text_each, id, __VA_ARGS__)
extern const struct cul_mutation_frame cul_text_frame;

/* A detail that consists of two numbers. */
static inline uint64_t cul_text_two(uint32_t high, uint32_t low) {
  return (uint64_t)high << 32 | low;
}
/* The first of them. */
static inline uint32_t cul_text_high(uint64_t detail) {
  return (uint32_t)(detail >> 32);
}

/* Add tokens [first, end) as a site. */
uint32_t cul_text_add_range(uint32_t first, uint32_t end,
                            struct cul_sites *out);

#endif
