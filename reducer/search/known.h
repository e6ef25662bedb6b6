/* Points that are known to be "no", each with the ticket that said so: the same
 * point is never asked twice. */
#ifndef CUL_REDUCER_SEARCH_KNOWN_H
#define CUL_REDUCER_SEARCH_KNOWN_H

#include "../../base/digest.h"
#include "search.h"

struct cul_known {
  struct cul_known_point {
    struct cul_digest point;
    uint64_t ticket;
  } *slots; /* open addressing; zero = free */
  size_t n, cap;
};
/* One that is known keeps its ticket. */
void cul_known_add(struct cul_known *known, const struct cul_digest *point,
                   uint64_t ticket);
/* Its ticket, until the next is added; NULL where it is not known. */
uint64_t *cul_known_find(const struct cul_known *known,
                         const struct cul_digest *point);
void cul_known_release(struct cul_known *known);

#endif
