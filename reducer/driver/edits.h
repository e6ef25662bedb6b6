/* The table of functions that the driver works through: revisions of a subject,
 * the sites of mutations in them, and candidates.  The reduce job implements it
 * with workers that hold modules (reducer/space/space.h); tests implement it
 * with sets of numbers. */
#ifndef CUL_REDUCER_DRIVER_EDITS_H
#define CUL_REDUCER_DRIVER_EDITS_H

#include "../../probe/probe.h"
#include "../subject/subject.h"

/* The sites of one mutation in one revision: the items of a search, by index.
 */
struct cul_listing {
  uint32_t mutation;
  struct cul_listed *sites;
  size_t n_sites;
};

/* Points of several listings, of the revision and of the speculative revision,
 * may be open at once.  The upper bits of a point's ids give its listing. */
#define CUL_MAX_LISTINGS 32 /* of each revision */
#define CUL_LISTING_SHIFT 26

/* Where a listing is added. */
enum cul_list_place {
  CUL_LIST_FIRST, /* the revision; drops all other listings and the speculative
                     revision */
  CUL_LIST_MORE,  /* the revision, in addition to its other listings */
  CUL_LIST_AHEAD, /* the speculative revision */
};

struct cul_revision {
  struct cul_digest digest;
  uint64_t ops;
};

/* Operations on a space of edits.  A point is a set of sites of one listing.
 * The accepted candidate (struct cul_asker) is the best one until adopt makes
 * it the revision.  An error means "not now", except for errors of adopt and
 * run. */
struct cul_edits {
  void *self;
  /* List the sites of a mutation.  *number: the listing's number, for ids and
   * for listing(). */
  int (*list)(void *self, enum cul_list_place place, uint32_t mutation,
              size_t *number, struct cul_err *err);
  const struct cul_listing *(*listing)(void *self, size_t number); /* borrowed
                                                                    */
  /* Must this mutation's listing be the only one, because its candidates edit
   * another part of the subject? */
  bool (*is_alone)(void *self, uint32_t mutation);
  struct cul_revision (*revision)(void *self, bool ahead);
  /* Is there a best candidate that differs from the revision?  *digest: its
   * digest. */
  bool (*best)(void *self, struct cul_digest *digest);
  /* Can any candidate become a speculative revision? */
  bool (*can_speculate)(void *self);
  /* Make the candidate of an open point, or the best one if point is NULL, the
   * speculative revision; drop the previous speculative revision.  *made: the
   * candidate is built and valid. */
  int (*speculate)(void *self, const struct cul_point *point, bool *made,
                   struct cul_err *err);
  void (*drop_ahead)(void *self);
  /* Make the speculative revision, which is the best candidate, the revision.
   * Points of its listings stay open, and the listings keep their numbers. */
  void (*promote)(void *self);
  /* Make the best candidate the revision.  *changed: there was one. */
  int (*adopt)(void *self, bool *changed, struct cul_err *err);
  /* Ask for points until the asker has finished (cul_probe_run). */
  int (*run)(void *self, struct cul_asker *asker, struct cul_err *err);
};

/* Callbacks while the driver works; every member may be NULL. */
struct cul_turn;
struct cul_driver_events {
  void *self;
  /* The turn has begun: from now on, answers to its points take effect. */
  void (*entered)(void *self, const struct cul_turn *turn);
  /* The search has learnt the "no" to a ticket; calls follow the search's
   * order. */
  void (*learnt)(void *self, uint64_t ticket);
  /* Discard what was reported of tickets that were not learnt. */
  void (*over)(void *self);
  void (*promoted)(void *self);
  void (*dropped_ahead)(void *self);
  /* Is something else due before the next turn?  If so, the driver ends. */
  bool (*is_due)(void *self);
  /* Must the driver pause?  Returns when to ask again, on the clock of
   * cul_now_us(); 0: do not pause.  Open points are judged during a pause. */
  uint64_t (*paused_until)(void *self);
  /* Must the current turn be left?  What it has accepted is kept.  If it has
   * accepted nothing, it counts as fruitless and is not run again on this
   * revision; nothing else is concluded from this. */
  bool (*is_skipped)(void *self, const struct cul_turn *turn);
  /* The turn was left, with sites unasked. */
  void (*skipped)(void *self, const struct cul_turn *turn);
};

#endif
