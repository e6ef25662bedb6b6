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
enum { CUL_EARLY_MOST_DOUBTS = 3 };

/* What a run of the original is asked. */
const struct cul_stay_wish *
cul_early_hangs_learning(const struct cul_early_hangs *early);
/* Learn where the original hangs, from the n records of its runs; those that
 * met no deadline do not count. */
void cul_early_hangs_learn(struct cul_early_hangs *early,
                           const struct cul_record *records, size_t n);
/* What a candidate's run with that deadline is asked; NULL: nothing.  It is
 * ended not before twice the time that the original needed to get there, and
 * twice the quickest run; after a stay of three times the longest one that
 * ended; a waiting one not before a second.  Each wrong answer multiplies all
 * by four. */
const struct cul_stay_wish *cul_early_hangs_wish(struct cul_early_hangs *early,
                                                 uint64_t wall_ms);
/* Take what a run showed. */
void cul_early_hangs_note(struct cul_early_hangs *early,
                          const struct cul_record *record);
/* A provisional answer was wrong.  After the third one none is given. */
void cul_early_hangs_doubt(struct cul_early_hangs *early);

#endif
