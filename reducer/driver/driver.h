/* The driver runs several mutations, one after the other.  While the last
 * points of one mutation are judged, idle workers look ahead to the next.  The
 * driver deals with numbers and the table of edits.h; it does not depend on
 * MLIR, processes or a store.
 *
 * The result is the same as if each mutation were run alone: answers to points
 * of a later mutation are kept until all mutations before it have ended.  There
 * are two ways to look ahead:
 *
 *   no   The driver assumes that the mutation will find nothing, and asks for
 *        points of the next ones on the same revision.  If the mutation does
 *        find something, this work is lost.
 *   yes  The driver assumes that the mutation will end with what it has
 *        accepted, or with the point that is judged now.  That candidate
 *        becomes the speculative revision, and later points are asked there.
 *        If the assumption holds, the speculative revision is promoted to the
 *        revision, and the driver continues from it.
 *
 * The driver chooses by how often such points of the mutation were a "yes".
 * The choice affects the time only, never the result. */
#ifndef CUL_REDUCER_DRIVER_DRIVER_H
#define CUL_REDUCER_DRIVER_DRIVER_H

#include "../search/search.h"
#include "edits.h"
#include "statistics.h"
#include "ticket_row.h"

struct cul_novelty_history {
  struct cul_novelty_failures {
    uint32_t what, failed;
  } *failures;
  size_t n, cap;
};
void cul_novelty_release(struct cul_novelty_history *history);

/* Which sites of the list are worth a try: one bool per site; heap.  With
 * every_site, when every single site is asked, more sites are. */
bool *cul_novelty_worth(const struct cul_novelty_history *history,
                        const struct cul_listing *list, uint32_t mutation_flags,
                        bool every_site);
/* Record that an edit which leaves this novelty fails the test when it is
 * applied alone. */
void cul_novelty_failed(struct cul_novelty_history *history,
                        const struct cul_novel *novel);

/* How the sites of a turn's mutation are searched. */
enum cul_turn_kind {
  CUL_TURN_CUT,
  CUL_TURN_DELTA,   /* may be left early (cut_short) */
  CUL_TURN_MINIMAL, /* every single site */
  CUL_TURN_NUMBERS, /* every single site; an equal size with smaller numbers
                       also counts */
};

/* A mutation, and how its sites are searched. */
struct cul_turn {
  uint32_t mutation;
  const char *rule;
  size_t patience; /* stop the search after so many "no" in a row; 0 = never */
  size_t first;    /* the same before its first "yes"; 0 = patience */
  size_t quantum;  /* stop it where so many answers remove less than one site
                      in `slow`; 0 = never */
  size_t slow;     /* 0 = CUL_SLOW */
  bool leaves_singly; /* stop it where sites go one at a time only */
  size_t passed; /* begin behind so many sites (struct cul_search_limits); not
                    read from the statistics when the search is opened: when
                    that is depends on chance */
  enum cul_turn_kind kind;
  uint32_t phase; /* of the job; the driver does not read it */
  bool exhausted; /* run only if no delta search was left early (cut_short) and
                     no earlier turn with `wakes` set changed the subject */
  bool wakes;     /* see exhausted */
};

struct cul_driver {
  struct cul_edits edits;
  struct cul_driver_events events;
  struct cul_statistics *statistics; /* indexed by mutation; borrowed */
  struct cul_novelty_history novelty;
  size_t workers;
  uint64_t seed;
  bool is_ruled;  /* the user chose one rule for all subsets */
  bool cut_short; /* a delta search was left early; the caller clears it */
};
void cul_driver_release(struct cul_driver *driver);

/* What cul_driver_run did. */
struct cul_driven {
  size_t done;    /* number of turns that are settled */
  size_t changed; /* the last turn that changed the subject, counted from 1; 0:
                     none did */
  bool opened;    /* some sites were listed */
  int unlisted;   /* error of listing the turn before `next`; 0: none */
  size_t next;
};

/* Run turns[0..n), n > 0.  The run ends when a turn changes the subject and
 * nothing was looked ahead on the result, when the next turn may not run, or
 * when something else is due.  Errors: those of edits.run and edits.adopt; *out
 * is always set. */
CUL_MUST_CHECK int cul_driver_run(struct cul_driver *driver,
                                  const struct cul_turn *turns, size_t n,
                                  struct cul_driven *out, struct cul_err *err);

#endif
