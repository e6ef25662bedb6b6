/* What the driver works on: revisions of a subject, the sites of mutations in
 * them, and candidates.  The reduce job fills the table with workers that hold
 * modules (reducer/space/space.h); tests fill it with sets of numbers. */
#ifndef CUL_REDUCER_DRIVER_EDITS_H
#define CUL_REDUCER_DRIVER_EDITS_H

#include "../../probe/probe.h"
#include "../subject/subject.h"

/* The sites of one mutation in one revision; the items of a search, by index.
 */
struct cul_listing {
  uint32_t mutation;
  struct cul_listed *sites;
  size_t n_sites;
};

/* Points of several listings of one revision, and of the speculative one, may
 * be under way: the upper bits of their ids say of which. */
#define CUL_MAX_LISTINGS 32 /* of each */
#define CUL_LISTING_SHIFT 26

/* Which listing is made. */
enum cul_list_place {
  CUL_LIST_FIRST, /* of the revision; the others go, and what is speculative */
  CUL_LIST_MORE,  /* of the revision, beside those that are there */
  CUL_LIST_AHEAD, /* of the speculative revision */
};

struct cul_revision {
  struct cul_digest digest;
  uint64_t ops;
};

/* Ops of a space of edits.  A point is a set of sites of one listing; what is
 * accepted (struct cul_asker) is the best candidate, until adopt makes it the
 * revision.  All errors but those of adopt and run mean: not now. */
struct cul_edits {
  void *self;
  /* Make a listing of a mutation's sites; *number: its own, for ids and
   * listing(). */
  int (*list)(void *self, enum cul_list_place place, uint32_t mutation,
              size_t *number, struct cul_err *err);
  const struct cul_listing *(*listing)(void *self, size_t number); /* borrowed
                                                                    */
  /* Must its listing be the only one, since its candidates are of another part
   * of the subject? */
  bool (*is_alone)(void *self, uint32_t mutation);
  struct cul_revision (*revision)(void *self, bool ahead);
  /* Is there a best candidate that is not the revision?  *digest: of it. */
  bool (*best)(void *self, struct cul_digest *digest);
  /* Can a candidate become a speculative revision at all? */
  bool (*can_speculate)(void *self);
  /* The candidate of a point that is under way, or (NULL) the best, becomes the
   * speculative revision; the one before goes.  *made: it is built and valid.
   */
  int (*speculate)(void *self, const struct cul_point *point, bool *made,
                   struct cul_err *err);
  void (*drop_ahead)(void *self);
  /* The best is the speculative revision, and becomes the revision; points of
   * its listings stay under way, their numbers too. */
  void (*promote)(void *self);
  /* The best becomes the revision.  *changed: there was one. */
  int (*adopt)(void *self, bool *changed, struct cul_err *err);
  /* Ask until the asker has finished (cul_probe_run). */
  int (*run)(void *self, struct cul_asker *asker, struct cul_err *err);
};

/* Told while the driver works; every member may be NULL. */
struct cul_turn;
struct cul_driver_events {
  void *self;
  /* It is the turn's turn: answers to its points act from now on. */
  void (*entered)(void *self, const struct cul_turn *turn);
  /* The "no" to a ticket is learnt, in the search's own order. */
  void (*learnt)(void *self, uint64_t ticket);
  /* What was told of tickets that were not learnt never counts. */
  void (*over)(void *self);
  void (*promoted)(void *self);
  void (*dropped_ahead)(void *self);
  /* Is something else due before the next turn?  Then the driver ends. */
  bool (*is_due)(void *self);
  /* Is nothing to be asked now?  When to look again, on cul_now_us(); 0: go on.
   * What is under way is judged meanwhile. */
  uint64_t (*paused_until)(void *self);
  /* Is the turn that was entered to be left?  What it has accepted stays; on
   * the revision that it leaves it does not come again, as if it had found
   * nothing there, but nothing is learnt from that. */
  bool (*is_skipped)(void *self, const struct cul_turn *turn);
  /* It was left, with sites unasked. */
  void (*skipped)(void *self, const struct cul_turn *turn);
};

#endif
