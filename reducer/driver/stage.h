/* A stage of the driver: one mutation on one revision, its search, and answers
 * that came before it was its turn. */
#ifndef CUL_REDUCER_DRIVER_STAGE_H
#define CUL_REDUCER_DRIVER_STAGE_H

#include "../search/search.h"
#include "driver.h"
#include "ticket_row.h"

struct cul_stage {
  uint32_t mutation;
  const struct cul_turn *turn;   /* borrowed */
  size_t list;                   /* number of its listing */
  struct cul_ticket_row tickets; /* of its search's points, in the driver */
  struct cul_item *items;
  uint32_t *site; /* item -> site of the listing, ascending */
  size_t n_items;
  struct cul_search *search; /* NULL: it has no items */
  uint64_t asked;            /* tickets 1.. that were given out */
  struct cul_early {
    uint64_t ticket;
    bool yes;
  } *told;
  size_t n_told, n_yes; /* of them */
  bool skipped;         /* left on demand */
};

/* The mutation of turn has been listed as number list.  Errors: none. */
void cul_stage_open(struct cul_stage *stage, struct cul_driver *driver,
                    const struct cul_turn *turn, size_t list);
void cul_stage_release(struct cul_stage *stage);

bool cul_stage_is_done(const struct cul_stage *stage);
/* Has it accepted something, or is it sure to? */
bool cul_stage_has_won(const struct cul_stage *stage);
/* Has it sites that were ruled out since it was opened?  How early that was is
 * chance; what it is asked may not be. */
bool cul_stage_is_outdated(const struct cul_stage *stage,
                           const struct cul_driver *driver);
/* The next point: site numbers with that of the listing in the upper bits. */
bool cul_stage_ask(struct cul_stage *stage, struct cul_set *set,
                   uint64_t *ticket);
/* The point that all waits for, where it is under way and the stage is over
 * once it is a "yes": its ticket, and set as ask gave it; else 0. */
uint64_t cul_stage_last(struct cul_stage *stage, struct cul_set *set);
/* Keep an answer for later; all that are kept act now. */
void cul_stage_keep(struct cul_stage *stage, uint64_t ticket, bool yes);
void cul_stage_replay(struct cul_stage *stage);
/* It has ended: the driver learns what is left of it, and which sites fail
 * alone. */
void cul_stage_leave(const struct cul_stage *stage, struct cul_driver *driver);

#endif
