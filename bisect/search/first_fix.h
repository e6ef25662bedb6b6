/* For an answer that is a set because some points cannot be tested: which of
 * these to fix first. */
#ifndef CUL_BISECT_SEARCH_FIRST_FIX_H
#define CUL_BISECT_SEARCH_FIRST_FIX_H

#include "bisector.h"

struct cul_first_fix {
  uint32_t point;   /* was tried, and gave no answer */
  double bits;      /* expected information of a certain verdict on it */
  uint32_t left;    /* suspects after that verdict, at most */
  uint32_t untried; /* suspects that were not tried */
};
/* Find the point whose verdict would give most information about the suspects
 * of the answer.  False: no verdict would give any. */
bool cul_bisector_first_fix(const struct cul_bisector *bisector,
                            const struct cul_bisect_answer *answer,
                            struct cul_first_fix *out);

#endif
