/* Where an answer is a set because points between cannot be tested: which of
 * these to fix first. */
#ifndef CUL_BISECT_SEARCH_FIRST_FIX_H
#define CUL_BISECT_SEARCH_FIRST_FIX_H

#include "bisector.h"

struct cul_first_fix {
  uint32_t point;   /* that was tried, and told nothing */
  double bits;      /* that a sure verdict on it is expected to tell */
  uint32_t left;    /* suspects after that, at most */
  uint32_t untried; /* suspects of which none was tried */
};
/* The one whose verdict would tell most about the suspects of the answer.
 * False: none would tell anything. */
bool cul_bisector_first_fix(const struct cul_bisector *bisector,
                            const struct cul_bisect_answer *answer,
                            struct cul_first_fix *out);

#endif
