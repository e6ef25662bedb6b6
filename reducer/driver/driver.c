/* Mutations in a row: see driver.h. */
#include "driver.h"

#include <stdlib.h>

#include "../mutations/mutation.h"
#include "stage.h"

/* Stages over one revision. */
struct lane {
  struct cul_stage stages[CUL_MAX_LISTINGS];
  size_t n_stages, first; /* first: the one whose answers act */
  size_t next;            /* of the turns: the next to open */
  bool woken;             /* what may not follow a change does not come */
  int rc;                 /* of opening the one before next */
};

/* One call of cul_driver_run. */
struct drive {
  struct cul_driver *driver;
  const struct cul_edits *edits; /* the driver's */
  void *self;                    /* of edits */
  const struct cul_turn *turns;
  size_t n; /* of them */
  struct lane now;
  bool left;      /* the first has been settled */
  bool won;       /* something was accepted, or will be */
  size_t changed; /* see struct cul_driven */
  struct lane ahead;
  bool is_ahead;     /* there is a speculative revision, ahead's */
  uint64_t ahead_of; /* ticket of the point that it is; 0: of the best */
  bool can_speculate;
  bool waits; /* for that point to be built */
  uint64_t last_ticket;
  uint64_t *gone; /* tickets that are stale */
  size_t n_gone, cap_gone;
  struct cul_set set;
  struct cul_err *err;
};

static struct cul_stage *first_of(struct drive *drive) {
  return &drive->now.stages[drive->now.first];
}

static uint64_t ticket_of(const struct cul_stage *stage, uint64_t inner) {
  return cul_ticket_row_of(&stage->tickets, inner);
}

static struct cul_statistics *known_of(const struct drive *drive,
                                       uint32_t mutation) {
  return &drive->driver->statistics[mutation];
}

static enum cul_fruitless kind_of(const struct cul_turn *turn) {
  return turn->kind == CUL_TURN_NUMBERS   ? CUL_FRUITLESS_NUMBERS
         : turn->kind == CUL_TURN_MINIMAL ? CUL_FRUITLESS_MINIMAL
                                          : CUL_FRUITLESS_DELTA;
}

static struct cul_digest *fruitless_of(const struct drive *drive,
                                       const struct cul_turn *turn) {
  return &known_of(drive, turn->mutation)->fruitless[kind_of(turn)];
}

static bool is_settled(const struct drive *drive, const struct cul_turn *turn,
                       const struct cul_digest *revision) {
  return known_of(drive, turn->mutation)->dead ||
         cul_digest_equal(fruitless_of(drive, turn), revision);
}

static bool is_due(const struct drive *drive) {
  const struct cul_driver_events *events = &drive->driver->events;
  return events->is_due && events->is_due(events->self);
}

/* ---- stages ---- */

/* Of larger subjects sites are not listed for what may not come: all waits for
 * a listing. */
static const uint64_t most_ops = 20000;

static bool may_not_come(const struct drive *drive, const struct lane *lane,
                         const struct cul_turn *turn) {
  return turn->exhausted && (drive->driver->cut_short || lane->woken);
}

/* The next mutation that may find something; false where there is none, or it
 * cannot be listed beside others. */
static bool may_open(struct drive *drive, struct lane *lane) {
  const struct cul_edits *edits = drive->edits;
  bool ahead = lane == &drive->ahead;
  struct cul_revision revision = edits->revision(drive->self, ahead);
  while (lane->next < drive->n &&
         is_settled(drive, &drive->turns[lane->next], &revision.digest))
    lane->next++;
  if (lane->rc < 0 || lane->next == drive->n ||
      may_not_come(drive, lane, &drive->turns[lane->next]))
    return false;
  if (lane->n_stages == 0 && !ahead)
    return true;
  return lane->n_stages < CUL_MAX_LISTINGS && revision.ops <= most_ops &&
         !(lane->n_stages &&
           edits->is_alone(drive->self, lane->stages[0].mutation)) &&
         !edits->is_alone(drive->self, drive->turns[lane->next].mutation);
}

/* False: it was not listed; lane->rc says why. */
static bool open_stage(struct drive *drive, struct lane *lane) {
  const struct cul_turn *turn = &drive->turns[lane->next++];
  bool ahead = lane == &drive->ahead;
  enum cul_list_place place = ahead                 ? CUL_LIST_AHEAD
                              : lane->n_stages == 0 ? CUL_LIST_FIRST
                                                    : CUL_LIST_MORE;
  struct cul_err ignored = {0};
  size_t number = 0;
  lane->rc = drive->edits->list(drive->self, place, turn->mutation, &number,
                                ahead ? &ignored : drive->err);
  if (lane->rc < 0)
    return false;
  cul_stage_open(&lane->stages[lane->n_stages++], drive->driver, turn, number);
  return true;
}

static void enter(struct drive *drive) {
  const struct cul_stage *stage = first_of(drive);
  const struct cul_driver_events *events = &drive->driver->events;
  struct cul_statistics *known = known_of(drive, stage->mutation);
  size_t n = drive->edits->listing(drive->self, stage->list)->n_sites;
  if (events->entered)
    events->entered(events->self, stage->turn);
  known->sites += n;
  known->round_sites += n;
}

/* The first has ended.  Nothing was accepted: it found nothing. */
static void leave(struct drive *drive) {
  const struct cul_stage *stage = first_of(drive);
  struct cul_statistics *known = known_of(drive, stage->mutation);
  bool whole = !stage->search || !cul_search_gave_up(stage->search);
  if (drive->left)
    return;
  drive->left = true;
  if (whole) {
    cul_stage_leave(stage, drive->driver);
    known->searched |= 1U << kind_of(stage->turn);
    known->points[kind_of(stage->turn)] = stage->asked;
  }
  drive->driver->cut_short |=
      !whole && !stage->skipped && stage->turn->kind == CUL_TURN_DELTA;
  if (!drive->won && (whole || stage->skipped))
    *fruitless_of(drive, stage->turn) =
        drive->edits->revision(drive->self, false).digest;
}

static void make_room(struct drive *drive, size_t more) {
  if (drive->n_gone + more <= drive->cap_gone)
    return;
  drive->cap_gone = 2 * (drive->n_gone + more);
  drive->gone =
      cul_xreallocarray(drive->gone, drive->cap_gone, sizeof *drive->gone);
}

/* Nobody asks any more for what stages from `from` on were asked. */
static void abandon(struct drive *drive, struct lane *lane, size_t from) {
  for (size_t s = from; s < lane->n_stages; s++) {
    struct cul_stage *stage = &lane->stages[s];
    make_room(drive, stage->asked);
    for (uint64_t t = 1; t <= stage->asked; t++)
      drive->gone[drive->n_gone++] = ticket_of(stage, t);
    stage->asked = 0;
  }
}

/* What the stage's search gave up. */
static void take_stale(struct drive *drive, const struct cul_stage *stage) {
  uint64_t inner;
  while (stage->search && cul_search_stale(stage->search, &inner, 1)) {
    make_room(drive, 1);
    drive->gone[drive->n_gone++] = ticket_of(stage, inner);
  }
}

/* What the first one's search has learnt. */
static void take_learnt(struct drive *drive) {
  const struct cul_driver_events *events = &drive->driver->events;
  const struct cul_stage *first = first_of(drive);
  uint64_t inner;
  while (first->search && (inner = cul_search_learnt(first->search)))
    if (events->learnt)
      events->learnt(events->self, ticket_of(first, inner));
}

static void release_lane(struct lane *lane) {
  for (size_t i = 0; i < lane->n_stages; i++)
    cul_stage_release(&lane->stages[i]);
  *lane = (struct lane){0};
}

/* As long as the first has ended without a change, the next is the first; the
 * drive ends before one that has to be opened anew.  Once the first is sure to
 * win, what later stages hold is for nothing, and the slots it is held in may
 * be needed. */
static void advance(struct drive *drive) {
  struct lane *lane = &drive->now;
  for (;;) {
    take_learnt(drive);
    drive->won = cul_stage_has_won(first_of(drive));
    if (drive->won)
      abandon(drive, lane, lane->first + 1);
    if (drive->won || !cul_stage_is_done(first_of(drive)))
      return;
    if (lane->first + 1 == lane->n_stages &&
        !(may_open(drive, lane) && open_stage(drive, lane)))
      return;
    leave(drive);
    if (is_due(drive) ||
        may_not_come(drive, lane, lane->stages[lane->first + 1].turn) ||
        cul_stage_is_outdated(&lane->stages[lane->first + 1], drive->driver))
      return;
    take_stale(drive, first_of(drive));
    lane->first++;
    drive->left = false;
    enter(drive);
    cul_stage_replay(first_of(drive));
  }
}

/* ---- the speculative revision ---- */

static void drop_ahead(struct drive *drive) {
  const struct cul_driver_events *events = &drive->driver->events;
  if (!drive->is_ahead)
    return;
  abandon(drive, &drive->ahead, 0);
  release_lane(&drive->ahead);
  drive->edits->drop_ahead(drive->self);
  if (events->dropped_ahead)
    events->dropped_ahead(events->self);
  drive->is_ahead = false;
}

/* Is what was accepted the speculative revision? */
static bool has_come_true(const struct drive *drive) {
  struct cul_digest best;
  struct cul_revision ahead;
  if (!drive->is_ahead || !drive->edits->best(drive->self, &best))
    return false;
  ahead = drive->edits->revision(drive->self, true);
  return cul_digest_equal(&ahead.digest, &best);
}

/* Enough of the first?  Then its search ends.  Not while something is accepted:
 * then it is as good as judged, and the next call does it. */
static bool take_skip(void *self) {
  struct drive *drive = self;
  const struct cul_driver_events *events = &drive->driver->events;
  struct cul_stage *first = first_of(drive);
  if (!events->is_skipped || cul_stage_is_done(first) ||
      cul_search_is_accepting(first->search) ||
      !events->is_skipped(events->self, first->turn))
    return false;
  cul_search_set_patience(first->search, CUL_NO_PATIENCE);
  first->skipped = true;
  known_of(drive, first->mutation)->skipped++;
  if (events->skipped)
    events->skipped(events->self, first->turn);
  if (!has_come_true(drive))
    drop_ahead(drive);
  advance(drive);
  return true;
}

/* What would come behind the first stage.  What cannot be made now, or ever,
 * is no error: nothing is looked ahead to. */
static void speculate(struct drive *drive, const struct cul_point *point,
                      uint64_t ticket) {
  const struct lane *now = &drive->now;
  const struct cul_turn *turn = now->stages[now->first].turn;
  struct cul_err ignored = {0};
  bool made = false;
  drop_ahead(drive);
  if (drive->edits->speculate(drive->self, point, &made, &ignored))
    drive->can_speculate = made = false;
  drive->waits = !made && drive->can_speculate;
  if (!made)
    return;
  drive->is_ahead = true;
  drive->ahead_of = ticket;
  drive->ahead = (struct lane){.next = (size_t)(turn - drive->turns) + 1,
                               .woken = now->woken || turn->wakes};
}

/* A first guess, and what was seen: half of such points are a "yes". */
static bool is_likely(const struct cul_statistics *known) {
  bool likely = known->flags & CUL_MUT_LIKELY;
  uint64_t yes = known->last_yes + (likely ? 2 : 1);
  uint64_t no = known->last_asked - known->last_yes + (likely ? 2 : 3);
  return yes >= no;
}

static bool ask_lane(struct drive *drive, struct lane *lane, size_t from,
                     struct cul_point *point, uint64_t *ticket);

/* Ask behind the point that ends the first stage, if it is a "yes". */
static bool ask_behind_last(struct drive *drive, bool at_any_rate,
                            struct cul_point *point, uint64_t *ticket) {
  struct cul_stage *first = first_of(drive);
  uint64_t last;
  if (!drive->can_speculate ||
      !(at_any_rate || is_likely(known_of(drive, first->mutation))))
    return false;
  last = cul_stage_last(first, &drive->set);
  if (!last)
    return false;
  if (!drive->is_ahead || drive->ahead_of != ticket_of(first, last))
    speculate(drive, &(struct cul_point){drive->set.ids, drive->set.n},
              ticket_of(first, last));
  return drive->is_ahead && ask_lane(drive, &drive->ahead, 0, point, ticket);
}

/* Ask behind what was accepted: what is judged now will be a "no". */
static bool ask_behind_best(struct drive *drive, struct cul_point *point,
                            uint64_t *ticket) {
  struct cul_digest best;
  if (!drive->can_speculate || !drive->edits->best(drive->self, &best) ||
      cul_search_is_accepting(first_of(drive)->search) ||
      (drive->is_ahead && drive->ahead_of && !has_come_true(drive)))
    return false;
  if (!has_come_true(drive))
    speculate(drive, NULL, 0);
  return drive->is_ahead && ask_lane(drive, &drive->ahead, 0, point, ticket);
}

/* What was accepted is the speculative revision, and nothing is asked any more
 * of the one before: it is the revision now. */
static bool promote(struct drive *drive) {
  const struct cul_driver_events *events = &drive->driver->events;
  const struct cul_stage *first = first_of(drive);
  struct lane *ahead = &drive->ahead;
  if (!cul_stage_is_done(first) || !has_come_true(drive) ||
      ahead->n_stages == 0 || ahead->rc < 0)
    return false;
  leave(drive);
  if (is_due(drive) || may_not_come(drive, ahead, ahead->stages[0].turn) ||
      cul_stage_is_outdated(&ahead->stages[0], drive->driver))
    return false;
  drive->changed = (size_t)(first->turn - drive->turns) + 1;
  take_stale(drive, first);
  drive->edits->promote(drive->self);
  if (events->promoted)
    events->promoted(events->self);
  release_lane(&drive->now);
  drive->now = *ahead;
  *ahead = (struct lane){0};
  drive->is_ahead = drive->left = false;
  enter(drive);
  cul_stage_replay(first_of(drive));
  advance(drive);
  return true;
}

/* ---- the asker ---- */

static bool ask_stage(struct drive *drive, struct cul_stage *stage,
                      struct cul_point *point, uint64_t *ticket) {
  uint64_t inner;
  if (!cul_stage_ask(stage, &drive->set, &inner))
    return false;
  *point = (struct cul_point){drive->set.ids, drive->set.n};
  *ticket = cul_ticket_row_give(&stage->tickets, inner, &drive->last_ticket);
  return true;
}

/* Behind an early "yes" nothing is asked: it will be stale. */
static bool ask_lane(struct drive *drive, struct lane *lane, size_t from,
                     struct cul_point *point, uint64_t *ticket) {
  for (size_t s = from; lane->rc == 0; s++) {
    if (s == lane->n_stages &&
        !(may_open(drive, lane) && open_stage(drive, lane)))
      return false;
    if (lane->stages[s].n_yes > 0)
      return false;
    if (ask_stage(drive, &lane->stages[s], point, ticket))
      return true;
  }
  return false;
}

static bool ask(void *self, struct cul_point *point, uint64_t *ticket,
                uint64_t *again_us) {
  struct drive *drive = self;
  const struct cul_driver_events *events = &drive->driver->events;
  struct lane *now = &drive->now;
  drive->waits = false;
  if (now->rc < 0)
    return false;
  if (events->paused_until &&
      (*again_us = events->paused_until(events->self)) > 0)
    return false;
  if (ask_behind_last(drive, false, point, ticket))
    return true;
  if (drive->waits)
    return false;
  if (ask_stage(drive, first_of(drive), point, ticket))
    return true;
  if (drive->won)
    return ask_behind_best(drive, point, ticket);
  return ask_lane(drive, now, now->first + 1, point, ticket) ||
         ask_behind_last(drive, true, point, ticket);
}

/* NULL: nobody asks for it any more.  *inner: its number there. */
static struct cul_stage *find_stage(struct drive *drive, uint64_t ticket,
                                    uint64_t *inner) {
  struct lane *lanes[] = {&drive->now, &drive->ahead};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(lanes); i++)
    for (size_t s = 0; s < lanes[i]->n_stages; s++)
      if ((*inner = cul_ticket_row_find(&lanes[i]->stages[s].tickets, ticket)))
        return &lanes[i]->stages[s];
  return NULL;
}

static void tell_first(struct drive *drive, uint64_t ticket, uint64_t inner,
                       bool yes) {
  struct cul_stage *first = first_of(drive);
  struct cul_statistics *known = known_of(drive, first->mutation);
  if (cul_stage_last(first, &drive->set) == inner) {
    known->last_asked++;
    known->last_yes += yes;
  }
  if (!yes && drive->is_ahead && drive->ahead_of == ticket)
    drop_ahead(drive);
  cul_search_tell(first->search, inner, yes);
  advance(drive);
}

static void tell(void *self, uint64_t ticket,
                 const struct cul_verdict *verdict) {
  struct drive *drive = self;
  uint64_t inner;
  struct cul_stage *stage = find_stage(drive, ticket, &inner);
  bool yes = verdict->answer == CUL_SAME;
  if (stage == first_of(drive))
    tell_first(drive, ticket, inner, yes);
  else if (stage)
    cul_stage_keep(stage, inner, yes);
}

/* Of the first, as its search says; of others, once nobody asks for them. */
static size_t stale(void *self, uint64_t *tickets, size_t max) {
  struct drive *drive = self;
  size_t n = 0;
  take_stale(drive, first_of(drive));
  while (n < max && drive->n_gone > 0)
    tickets[n++] = drive->gone[--drive->n_gone];
  return n;
}

/* Called until there is none: by then what was accepted is committed. */
static uint64_t accepted(void *self) {
  struct drive *drive = self;
  do {
    struct cul_stage *first = first_of(drive);
    uint64_t ticket = first->search ? cul_search_accepted(first->search) : 0;
    if (ticket)
      return ticket_of(first, ticket);
  } while (promote(drive));
  return 0;
}

static bool finished(void *self) {
  struct drive *drive = self;
  return drive->now.rc < 0 || cul_stage_is_done(first_of(drive));
}

static int run(struct drive *drive, struct cul_err *err) {
  const struct cul_edits *edits = drive->edits;
  const struct cul_driver_events *events = &drive->driver->events;
  struct cul_asker asker = {drive,    ask,      tell,     stale,
                            accepted, finished, take_skip};
  struct cul_err later = {0}; /* the first error is the one that is told */
  bool adopted = false;
  int rc, ended;
  drive->can_speculate =
      drive->driver->workers > 1 && edits->can_speculate(drive->self);
  enter(drive);
  advance(drive);
  rc = edits->run(drive->self, &asker, err);
  drop_ahead(drive);
  if (events->over)
    events->over(events->self);
  ended = rc == 0 || cul_is_cut(rc)
              ? edits->adopt(drive->self, &adopted, rc ? &later : err)
              : rc;
  drive->won = adopted;
  if (adopted)
    drive->changed = (size_t)(first_of(drive)->turn - drive->turns) + 1;
  if (rc == 0 && drive->now.rc == 0)
    leave(drive);
  return rc ? rc : ended;
}

int cul_driver_run(struct cul_driver *driver, const struct cul_turn *turns,
                   size_t n, struct cul_driven *out, struct cul_err *err) {
  struct drive *drive = cul_xcalloc(1, sizeof *drive);
  struct lane *now = &drive->now;
  bool may = false;
  int rc = 0;
  drive->driver = driver;
  drive->edits = &driver->edits;
  drive->self = driver->edits.self;
  drive->turns = turns;
  drive->n = n;
  drive->err = err;
  *out = (struct cul_driven){0};
  may = may_open(drive, now);
  out->opened = may && open_stage(drive, now);
  if (out->opened)
    rc = run(drive, err);
  out->unlisted = now->rc;
  out->next = now->next;
  out->changed = drive->changed;
  out->done = out->opened
                  ? (size_t)(first_of(drive)->turn - turns) + (now->rc == 0)
                  : now->next;
  release_lane(now);
  cul_set_release(&drive->set);
  free(drive->gone);
  free(drive);
  return rc;
}

void cul_driver_release(struct cul_driver *driver) {
  cul_novelty_release(&driver->novelty);
}
