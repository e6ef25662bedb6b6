/* Failures other than the sought one that candidates show.  Which they are, and
 * how often each was met, must not depend on which run ends first, because
 * later decisions use them (plan/schedule.c).  Each failure therefore waits
 * until the search learns the answer of its candidate, and is forgotten if it
 * never does. */
#ifndef CUL_REDUCER_RESULTS_OTHER_FAILURES_H
#define CUL_REDUCER_RESULTS_OTHER_FAILURES_H

#include "../../base/files/held.h"
#include "../../oracles/signature/signature.h"

struct cul_other_failure {
  struct cul_signature sig;
  char *file;   /* file with one candidate that shows it; heap */
  uint32_t met; /* number of candidates that showed it */
  bool asked;   /* tested whether it is the sought failure at another place */
};
#define CUL_MOST_OTHER_FAILURES 32

struct cul_other_failures {
  const char *dir;             /* directory of the files; borrowed */
  const struct cul_held *held; /* the same directory, held open; borrowed */
  struct cul_other_failure items[CUL_MOST_OTHER_FAILURES];
  size_t n;
  struct cul_waiting_failure *waiting; /* heap; not counted yet */
  size_t n_waiting;
  size_t n_files;   /* files written, also of failures that never counted */
  uint32_t n_asked; /* failures with `asked` */
};

/* Is the text of a candidate with this failure needed?  Not if the failure is
 * already among the items, or if these are full. */
bool cul_other_failures_want(const struct cul_other_failures *others,
                             const struct cul_signature *sig);
/* The candidate of this ticket of the search shows the failure.  text: the
 * candidate, if cul_other_failures_want; else NULL.  A failure whose text
 * cannot be kept is ignored. */
void cul_other_failures_wait(struct cul_other_failures *others, uint64_t ticket,
                             const struct cul_signature *sig,
                             const struct cul_buf *text);
/* The search has learnt, in its own order, that the answer to this ticket is
 * no: count the failure of that candidate. */
void cul_other_failures_learnt(struct cul_other_failures *others,
                               uint64_t ticket);
/* The search is over: failures that still wait never count. */
void cul_other_failures_forget(struct cul_other_failures *others);
/* Is a test due whether failure number i is the sought one at another place?
 * It is after the failure was met 3 times; at most 3 failures are tested.
 * cul_other_failures_due: is one due for any failure? */
bool cul_other_failures_is_due(const struct cul_other_failures *others,
                               size_t i);
bool cul_other_failures_due(const struct cul_other_failures *others);
/* Remove failure number i: it is the sought one. */
void cul_other_failures_drop(struct cul_other_failures *others, size_t i);
/* Free what it owns, also failures that still wait; {0} is fine. */
void cul_other_failures_release(struct cul_other_failures *others);

#endif
