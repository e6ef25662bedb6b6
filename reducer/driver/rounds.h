/* The rounds of a reduction: which mutation is searched when, and for how long.
 * First the cuts, then delta debugging mutation by mutation, then every single
 * site of every mutation.  Rounds deal with statistics and numbers of
 * operations only: decisions depend on counts, never on time.
 *
 * What a mutation can do is not known before, and to learn that one does
 * nothing costs runs.  So each is tried briefly at first.  A cut that has
 * removed nothing is left after half the usual number of refusals.  Of any
 * other mutation of a module all sites are tried at once, then a few single
 * ones, since needed operations spoil large subsets, but few sites; where sites
 * go, the number tried at once doubles, and the search is left less soon.  A
 * search that was left while it removed sites goes on behind those that it
 * could not remove.  Edits that are likely to succeed at the end come before
 * delta debugging, since each change makes all searches run again.
 *
 * In the first round a search also ends where 32 answers removed less than half
 * of its sites: most mutations were not tried yet, and one of them may be
 * faster.
 *
 * A mutation whose sites go one at a time only is left at once, and comes
 * behind all others until several of its sites go at once.  One that found
 * nothing waits until nothing else helps, or the others have taken twice the
 * answers of all searches without a result.  Then those go first that had the
 * fewest such searches; each two double the patience.  So no mutation takes
 * many more runs in vain than the others, all of them take at most about half
 * of what helps takes, and one that helps slowly does not hold up one that
 * would help more.
 *
 * Method: racing with budgets that grow in steps (Luby, Sinclair, Zuckerman,
 * "Optimal speedup of Las Vegas algorithms", 1993); bench/schedule.c measures
 * it.  Texts are searched with much more patience, by subsets and single sites
 * in turn. */
#ifndef CUL_REDUCER_DRIVER_ROUNDS_H
#define CUL_REDUCER_DRIVER_ROUNDS_H

#include "driver.h"

struct cul_rounds {
  struct cul_driver *driver; /* borrowed */
  size_t n_mutations;        /* of driver->statistics */
  const char *search;        /* rule for subsets; NULL = by form */
  bool is_text;              /* the subject is reduced as text */
  /* the command names what it enters: whole functions go first, and cuts inside
   * of each come when nothing else helps */
  bool enters;
  uint32_t cut, delta, minimal; /* struct cul_turn.phase of the turns */
  /* cul_driver_run on turns[0..n), with recovery.  *done: turns that are
   * settled.  *changed: the last turn that changed the subject, from 1; 0:
   * none. */
  int (*run)(void *self, const struct cul_turn *turns, size_t n, size_t *done,
             size_t *changed, struct cul_err *err);
  void *self;
};

/* The rule that searches the sites of a mutation. */
const char *cul_rounds_rule(const struct cul_rounds *rounds, uint32_t mutation);
/* Forget on which revisions mutations found nothing. */
void cul_rounds_forget(struct cul_rounds *rounds);
/* Run turns[0..n), one after the other.  *changed: set to true if one changed
 * the subject; otherwise left as it is.  Errors: those of rounds->run. */
CUL_MUST_CHECK int cul_rounds_run(struct cul_rounds *rounds,
                                  const struct cul_turn *turns, size_t n,
                                  bool *changed, struct cul_err *err);
/* Run rounds until no mutation finds anything.  *changed: set to true if the
 * last round changed the subject by single sites; otherwise left as it is.
 * Errors: those of rounds->run. */
CUL_MUST_CHECK int cul_rounds_shrink(struct cul_rounds *rounds, bool *changed,
                                     struct cul_err *err);

#endif
