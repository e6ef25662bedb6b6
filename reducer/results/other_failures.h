/* Other failures met on the way.  Which they are, and how often each was met,
 * must not depend on who finishes first (decisions follow from it: see
 * cul_reduce_seek_places).  So what an answer shows waits until the search
 * learns that answer, and is forgotten where it never does. */
#ifndef CUL_REDUCER_RESULTS_OTHER_FAILURES_H
#define CUL_REDUCER_RESULTS_OTHER_FAILURES_H

#include "../../base/files/held.h"
#include "../../oracles/signature/signature.h"

struct cul_other_failure {
  struct cul_signature sig;
  char *file;   /* the text of one candidate that shows it; heap */
  uint32_t met; /* how often */
  bool asked;   /* whether it is the sought failure in another place */
};
#define CUL_MOST_OTHER_FAILURES 32

struct cul_other_failures {
  const char *dir;             /* where the files are; borrowed */
  const struct cul_held *held; /* the same, held; borrowed */
  struct cul_other_failure items[CUL_MOST_OTHER_FAILURES];
  size_t n;
  struct cul_waiting_failure *waiting; /* for their answer to be learnt */
  size_t n_waiting;
  size_t n_files;   /* written; some failures were none in the end */
  uint32_t n_asked; /* failures that were asked about */
};

/* Is the text of a candidate that shows this failure to be kept? */
bool cul_other_failures_want(const struct cul_other_failures *others,
                             const struct cul_signature *sig);
/* The candidate that a ticket of the search asked for fails so.  text: its
 * own, where that is wanted, else NULL. */
void cul_other_failures_wait(struct cul_other_failures *others, uint64_t ticket,
                             const struct cul_signature *sig,
                             const struct cul_buf *text);
/* The search has learnt the "no" to that ticket, in its own order. */
void cul_other_failures_learnt(struct cul_other_failures *others,
                               uint64_t ticket);
/* The search is over: what waits still never counts. */
void cul_other_failures_forget(struct cul_other_failures *others);
/* Was failure number i met so often that it should be asked about now: is it
 * the sought one in another place?  Of few of them.  Is any due? */
bool cul_other_failures_is_due(const struct cul_other_failures *others,
                               size_t i);
bool cul_other_failures_due(const struct cul_other_failures *others);
/* It is no other failure. */
void cul_other_failures_drop(struct cul_other_failures *others, size_t i);
void cul_other_failures_release(struct cul_other_failures *others);

#endif
