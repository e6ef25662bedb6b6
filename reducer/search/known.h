/* Points that are known to be "no": the same point is never asked twice. */
#ifndef CUL_REDUCER_SEARCH_KNOWN_H
#define CUL_REDUCER_SEARCH_KNOWN_H

#include "../../base/digest.h"
#include "search.h"

struct cul_known {
  struct cul_digest *slots; /* open addressing; zero = free */
  size_t n, cap;
};
void cul_known_add(struct cul_known *known, const struct cul_digest *point);
bool cul_known_has(const struct cul_known *known,
                   const struct cul_digest *point);
void cul_known_release(struct cul_known *known);

#endif
