/* The driver: several mutations, one after the other; while the last points of
 * one are judged, idle workers look ahead.  It knows numbers and the table of
 * edits.h, neither MLIR nor processes nor a store.
 *
 * It goes as if each mutation came alone: answers to points of a later one
 * are kept until all before it have ended.  There are two ways to look ahead:
 *
 *   no   the mutation will find nothing: the next ones are asked on the same
 *        revision.  Where it does find something, that is for nothing.
 *   yes  it will end with what it has accepted, or with the point that is
 *        judged now: that candidate becomes the speculative revision, and what
 *        comes after it is asked there.  Where it comes true, that is promoted
 *        to the revision, and the driver goes on with it.
 *
 * Which of them is chosen is no matter of the result, only of time: by how
 * often such points of the mutation were a "yes". */
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

/* Which sites of the list are worth a try, one bool each; heap.  More are
 * where every single site is asked. */
bool *cul_novelty_worth(const struct cul_novelty_history *history,
                        const struct cul_listing *list, uint32_t mutation_flags,
                        bool every_site);
/* An edit that leaves this, alone, is not what is sought. */
void cul_novelty_failed(struct cul_novelty_history *history,
                        const struct cul_novel *novel);

/* How the sites of a turn's mutation are looked at. */
enum cul_turn_kind {
  CUL_TURN_CUT,
  CUL_TURN_DELTA,   /* may be left early (cut_short) */
  CUL_TURN_MINIMAL, /* every single site */
  CUL_TURN_NUMBERS, /* the same; as small with smaller numbers will do, too */
};

/* A mutation, and how its sites are searched. */
struct cul_turn {
  uint32_t mutation;
  const char *rule;
  size_t patience; /* "no" in a row until the search is left; 0 = none */
  enum cul_turn_kind kind;
  uint32_t phase; /* of the job meanwhile; the driver does not read it */
  bool exhausted; /* comes only where no search of delta was left (cut_short),
               and none of the turns before that wake ... */
  bool wakes;     /* ... changed the subject */
};

struct cul_driver {
  struct cul_edits edits;
  struct cul_driver_events events;
  struct cul_statistics *statistics; /* by mutation; borrowed */
  struct cul_novelty_history novelty;
  size_t workers;
  uint64_t seed;
  bool is_ruled;  /* the user asked for one rule for all subsets */
  bool cut_short; /* some search of delta was left; the caller clears it */
};
void cul_driver_release(struct cul_driver *driver);

/* How turns went. */
struct cul_driven {
  size_t done;    /* so many are settled */
  size_t changed; /* the last of them that changed the subject, counted from 1;
                     0: none did */
  bool opened;    /* some sites were listed */
  int unlisted;   /* why the listing of the turn before `next` failed; 0 */
  size_t next;
};

/* Try turns[0..n), n > 0, until one changes the subject and was not looked
 * ahead behind, or one may not come, or something else is due.  Errors: those
 * of edits.run and edits.adopt; *out is set. */
CUL_MUST_CHECK int cul_driver_run(struct cul_driver *driver,
                                  const struct cul_turn *turns, size_t n,
                                  struct cul_driven *out, struct cul_err *err);

#endif
