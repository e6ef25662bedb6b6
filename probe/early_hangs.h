/* Hangs that are recognized before their deadline by the stacks of the tool:
 * what a job learns about them from its runs.  Such an answer is provisional.
 */
#ifndef CUL_PROBE_EARLY_HANGS_H
#define CUL_PROBE_EARLY_HANGS_H

#include "../base/run.h"

struct cul_early_hangs {
  bool off;             /* --no-hang-early */
  struct cul_stay stay; /* of the original; n == 0: not known, or given up */
  uint64_t quickest_us; /* quickest run that ended; 0: none has */
  uint64_t longest_us;  /* longest stay of a run that ended */
  uint32_t doubts;      /* provisional answers that were wrong */
  uint64_t provisional; /* runs ended early */
  struct cul_stay_wish wish; /* of the last run that was started */
};
enum {
  CUL_EARLY_MOST_DOUBTS = 3
}; /* after this many, no provisional answers are given */

/* The wish for the next run.  learn: a run of the original, which shall report
 * its stay; otherwise a run of a candidate, which shall end once it has the
 * stay of the original.  A candidate is ended no earlier than twice the time
 * that the original needed to reach its stay, twice the time of the quickest
 * run, and three times the longest stay of a run that ended; a waiting one also
 * no earlier than a second.  Each wrong answer multiplies these times by four.
 * NULL: no wish.  Borrowed until the next call. */
const struct cul_stay_wish *cul_early_hangs_ask(struct cul_early_hangs *early,
                                                bool learn);
/* Record the result of a run.  The stay is the set of functions common to all
 * runs of the original that reached their deadline; set stay.n to 0 before the
 * first of them. */
void cul_early_hangs_note(struct cul_early_hangs *early,
                          const struct cul_record *record);

#endif
