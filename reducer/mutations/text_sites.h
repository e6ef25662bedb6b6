/* What text mutations share: statements (items) and runs of tokens as sites.
 */
#ifndef CUL_REDUCER_MUTATIONS_TEXT_SITES_H
#define CUL_REDUCER_MUTATIONS_TEXT_SITES_H

#include "../subject/text.h"
#include "mutation.h"

/* Add the items of each body that holds at least `fewest` and one `part`th of
 * the text: for cuts, which keep a run of one body. */
void cul_text_add_bodies(const struct cul_text *text, uint32_t part,
                         uint32_t fewest, struct cul_sites *out);

/* Tokens of an item, everything inside included. */
uint32_t cul_text_item_weight(const struct cul_text *text, uint32_t item);

/* Erase all its lines; whether that changed anything. */
bool cul_text_erase_item(struct cul_text *text, uint32_t item);

/* The frame of a mutation whose sites stand by themselves: fn edits the place
 * that `detail` names, and says whether that changed anything.  Earlier calls
 * may have erased it. */
typedef bool cul_text_each_fn(struct cul_text *text, uint64_t detail);
/* Call fn with the detail of each chosen site, count the true answers in
 * *applied.  Returns 0. */
int cul_text_each(struct cul_subject *subject, const struct cul_sites *sites,
                  const uint32_t *ids, size_t n, size_t *applied,
                  cul_text_each_fn *fn);
/* A detail of two numbers: those of a statement, a line, a token and a choice.
 */
static inline uint64_t cul_text_two(uint32_t high, uint32_t low) {
  return (uint64_t)high << 32 | low;
}
static inline uint32_t cul_text_high(uint64_t detail) {
  return (uint32_t)(detail >> 32);
}

/* Add tokens [first, end) as a site, and erase the sites so added: the apply()
 * of many mutations. */
uint32_t cul_text_add_range(uint32_t first, uint32_t end,
                            struct cul_sites *out);
int cul_text_apply_ranges(struct cul_subject *subject,
                          const struct cul_sites *sites, const uint32_t *ids,
                          size_t n, size_t *applied, struct cul_err *err);

/* An element of a list goes, detail: tokens first and end, and the comma behind
 * it; where it is the last one left, the comma before it. */
bool cul_text_erase_element(struct cul_text *text, uint64_t detail);

/* Up to 18 digits and nothing else; else false. */
bool cul_text_whole(struct cul_bytes number, uint64_t *value);
/* Is the number a dimension, as the 4 of 4x8xf32?  There 0x8 would be a number
 * of its own. */
bool cul_text_is_dimension(const struct cul_text *text, uint32_t token);

#endif
