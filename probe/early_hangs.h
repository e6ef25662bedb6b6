/* Hangs that are known before their deadline, by the stacks of the tool: what a
 * job learns about them from its runs.  An answer by them is provisional. */
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
enum { CUL_EARLY_MOST_DOUBTS = 3 }; /* with them none is given any more */

/* What is asked of a run: of the original (learn), where it stays; of a
 * candidate, to end where that one stayed.  A candidate is ended not before
 * twice the time that the original needed to get there, and twice the quickest
 * run; after a stay of three times the longest one that ended; a waiting one
 * not before a second.  Each wrong answer multiplies all by four.  NULL:
 * nothing is asked.  Borrowed until the next call. */
const struct cul_stay_wish *cul_early_hangs_ask(struct cul_early_hangs *early,
                                                bool learn);
/* Take what a run showed.  The stay is what runs of the original that met their
 * deadline have in common; set stay.n to 0 before the first of them. */
void cul_early_hangs_note(struct cul_early_hangs *early,
                          const struct cul_record *record);

#endif
