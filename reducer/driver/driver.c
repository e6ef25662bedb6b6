/* Runs mutations in a row: see driver.h. */
#include "driver.h"

#include <stdlib.h>
#include <string.h>

#include "../mutations/mutation.h"
#include "../search/search.h"
#include "edits.h"
#include "statistics.h"
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
  uint64_t asked;            /* tickets 1 to `asked` were given out */
  struct cul_early {
    uint64_t ticket;
    bool yes;
  } *told;
  size_t n_told, n_yes; /* n_yes: of told, those that are a "yes" */
  bool skipped;         /* the user ended it */
};

/* ---- novelty ---- */

/* The results of edits that leave something novel (struct cul_novel in
 * subject/subject.h).
 *
 * A kind of novelty is tried a few times over the whole job; if it never showed
 * the sought failure, edits of that kind are hopeless.  If it did, the subject
 * has learnt it, and it is no longer novel.  So the result is 1-minimal except
 * for edits like those that failed several times elsewhere. */

/* How often one kind may fail: while much else can go, and in all. */
enum { FEW = 2, MOST = 4 };

void cul_novelty_release(struct cul_novelty_history *history) {
  free(history->failures);
  *history = (struct cul_novelty_history){0};
}

/* Mutations with these flags are not asked site by site: all sites are worth a
 * try, and nothing is learnt. */
static bool novelty_unasked(uint32_t mutation_flags) {
  return mutation_flags & (CUL_MUT_RANGE | CUL_MUT_CHAIN | CUL_MUT_ONCE);
}

static bool is_novel(const struct cul_novel *novel) {
  return novel->what[0] > CUL_NOVEL_ALONE;
}

/* One number for both novelties of an edit, since either may be to blame. */
static uint32_t together(const struct cul_novel *novel) {
  return novel->what[1] ? novel->what[0] * 31 + novel->what[1] : novel->what[0];
}

static struct cul_novelty_failures *
find(const struct cul_novelty_history *history, uint32_t what) {
  for (size_t i = 0; i < history->n; i++)
    if (history->failures[i].what == what)
      return &history->failures[i];
  return NULL;
}

static void add(struct cul_novelty_history *history, uint32_t what) {
  struct cul_novelty_failures *failures = find(history, what);
  if (!failures) {
    if (history->n == history->cap) {
      history->cap = history->cap ? 2 * history->cap : 64;
      history->failures = cul_xreallocarray(history->failures, history->cap,
                                            sizeof *history->failures);
    }
    failures = &history->failures[history->n++];
    *failures = (struct cul_novelty_failures){what, 0};
  }
  failures->failed++;
}

void cul_novelty_failed(struct cul_novelty_history *history,
                        const struct cul_novel *novel) {
  if (is_novel(novel))
    add(history, together(novel));
}

static bool is_worn(const struct cul_novelty_history *history, uint32_t what,
                    uint32_t most) {
  const struct cul_novelty_failures *failures =
      what ? find(history, what) : NULL;
  return failures && failures->failed >= most;
}

/* Go from the last site to the first: later operations can be removed more
 * often, so they use up the tries of a kind first. */
bool *cul_novelty_worth(const struct cul_novelty_history *history,
                        const struct cul_listing *list, uint32_t mutation_flags,
                        bool every_site) {
  bool *worth = cul_xcalloc(list->n_sites + 1, sizeof *worth);
  struct cul_novelty_history asked = {0};
  uint32_t most = every_site ? MOST : FEW;
  for (size_t i = list->n_sites; i-- > 0;) {
    const struct cul_novel *novel = &list->sites[i].novel;
    const struct cul_novelty_failures *before = find(history, together(novel));
    const struct cul_novelty_failures *here = find(&asked, together(novel));
    uint32_t failed = (before ? before->failed : 0) + (here ? here->failed : 0);
    worth[i] = novelty_unasked(mutation_flags) || !is_novel(novel) ||
               (failed < most && !is_worn(history, novel->what[0], most) &&
                !is_worn(history, novel->what[1], most));
    if (worth[i])
      cul_novelty_failed(&asked, novel);
  }
  cul_novelty_release(&asked);
  return worth;
}

/* ---- stage ---- */

/* A stage of the driver: one mutation on one revision, its search, and
 * answers that came before it was its turn. */

static const struct cul_listing *list_of(const struct cul_stage *stage,
                                         const struct cul_driver *driver) {
  return driver->edits.listing(driver->edits.self, stage->list);
}

/* Per site of the listing: is it worth a try, as far as is known now?  Heap. */
static bool *worth(const struct cul_stage *stage,
                   const struct cul_driver *driver) {
  return cul_novelty_worth(&driver->novelty, list_of(stage, driver),
                           driver->statistics[stage->mutation].flags,
                           stage->turn->kind >= CUL_TURN_MINIMAL);
}

/* The sites that are worth a try become items.  Hopeless sites are left out,
 * and the sites inside them become children of the enclosing item. */
static void fill_items(struct cul_stage *stage,
                       const struct cul_driver *driver) {
  const struct cul_listing *list = list_of(stage, driver);
  uint32_t *item_of =
      cul_xreallocarray(NULL, list->n_sites + 1, sizeof *item_of);
  bool *keep = worth(stage, driver);
  stage->items =
      cul_xreallocarray(NULL, list->n_sites + 1, sizeof *stage->items);
  stage->site = cul_xreallocarray(NULL, list->n_sites + 1, sizeof *stage->site);
  for (uint32_t i = 0; i < list->n_sites; i++) {
    const struct cul_listed *site = &list->sites[i];
    uint32_t parent =
        site->parent == CUL_SITE_NONE ? CUL_NO_ITEM : item_of[site->parent];
    item_of[i] = keep[i] ? (uint32_t)stage->n_items : parent;
    if (!keep[i])
      continue;
    stage->site[stage->n_items] = i;
    stage->items[stage->n_items++] =
        (struct cul_item){.weight = site->weight ? site->weight : 1,
                          .parent = parent,
                          .group = site->group};
  }
  free(item_of);
  free(keep);
}

/* Each site that the last search of this mutation left had failed alone.  If
 * about as many sites are listed now, few of them can be removed, so subsets
 * are not worth their runs: try single sites.  Sites that are nothing alone
 * (CUL_NOVEL_ALONE) still need subsets. */
static const char *rule_of(const struct cul_stage *stage,
                           const struct cul_driver *driver) {
  const struct cul_listing *list = list_of(stage, driver);
  const struct cul_statistics *known = &driver->statistics[stage->mutation];
  if (!known->left_some || stage->n_items > known->left * 5 / 4 + 4 ||
      stage->turn->kind != CUL_TURN_DELTA || driver->is_ruled)
    return stage->turn->rule;
  for (size_t i = 0; i < stage->n_items; i++)
    if (list->sites[stage->site[i]].novel.what[0] == CUL_NOVEL_ALONE)
      return stage->turn->rule;
  return "minimal";
}

/* The mutation of turn has been listed as number list.  Errors: none. */
static void stage_open(struct cul_stage *stage, struct cul_driver *driver,
                       const struct cul_turn *turn, size_t list) {
  *stage = (struct cul_stage){
      .mutation = turn->mutation, .turn = turn, .list = list};
  fill_items(stage, driver);
  if (stage->n_items == 0)
    return;
  stage->search =
      cul_search_new(cul_search_rule_find(rule_of(stage, driver)), stage->items,
                     stage->n_items, driver->workers, driver->seed);
  cul_search_limit(stage->search, &(struct cul_search_limits){
                                      .patience = turn->patience,
                                      .first = turn->first,
                                      .quantum = turn->quantum,
                                      .slow = turn->slow,
                                      .leaves_singly = turn->leaves_singly,
                                      .passed = turn->passed});
}

static void stage_release(struct cul_stage *stage) {
  cul_search_free(stage->search);
  free(stage->items);
  free(stage->site);
  free(stage->told);
  cul_ticket_row_release(&stage->tickets);
  *stage = (struct cul_stage){0};
}

static bool stage_is_done(const struct cul_stage *stage) {
  return !stage->search || cul_search_finished(stage->search);
}

/* Has it accepted something, or is it sure to? */
static bool stage_has_won(const struct cul_stage *stage) {
  return stage->search && (cul_search_state(stage->search)->n > 0 ||
                           cul_search_is_accepting(stage->search));
}

/* Does the stage have sites that were ruled out after it was opened?  It must
 * then be opened anew: the time of opening depends on chance, but the questions
 * must not. */
static bool stage_is_outdated(const struct cul_stage *stage,
                              const struct cul_driver *driver) {
  bool *keep = worth(stage, driver);
  size_t n = 0;
  for (size_t i = 0; i < list_of(stage, driver)->n_sites; i++)
    n += keep[i];
  free(keep);
  return n != stage->n_items;
}

/* Items become sites. */
static void name_sites(const struct cul_stage *stage, struct cul_set *set) {
  for (size_t i = 0; i < set->n; i++)
    set->ids[i] = stage->site[set->ids[i]] | (uint32_t)stage->list
                                                 << CUL_LISTING_SHIFT;
}

/* The next point: site numbers with that of the listing in the upper bits. */
static bool stage_ask(struct cul_stage *stage, struct cul_set *set,
                      uint64_t *ticket) {
  if (!stage->search || !cul_search_ask(stage->search, set, ticket))
    return false;
  stage->asked = *ticket;
  name_sites(stage, set);
  return true;
}

/* The ticket of the point that all others wait for, if it is unanswered and its
 * "yes" would end the stage; otherwise 0.  *set: the point, as ask gave it. */
static uint64_t stage_last(struct cul_stage *stage, struct cul_set *set) {
  uint64_t ticket = stage->search ? cul_search_last(stage->search, set) : 0;
  if (ticket)
    name_sites(stage, set);
  return ticket;
}

/* Keep an answer until the stage is the first (stage_replay). */
static void stage_keep(struct cul_stage *stage, uint64_t ticket, bool yes) {
  stage->told =
      cul_xreallocarray(stage->told, stage->n_told + 1, sizeof *stage->told);
  stage->told[stage->n_told++] = (struct cul_early){ticket, yes};
  stage->n_yes += yes;
}

static void stage_replay(struct cul_stage *stage) {
  for (size_t i = 0; i < stage->n_told; i++)
    cul_search_tell(stage->search, stage->told[i].ticket, stage->told[i].yes);
  stage->n_told = stage->n_yes = 0;
}

/* The stage has ended: record how many sites are left, and which fail alone. */
static void stage_leave(const struct cul_stage *stage,
                        struct cul_driver *driver) {
  struct cul_statistics *known = &driver->statistics[stage->mutation];
  const struct cul_listing *list = list_of(stage, driver);
  const struct cul_set *gone;
  if (!stage->search)
    return;
  gone = cul_search_state(stage->search);
  known->left_some = true;
  known->left = stage->n_items - gone->n;
  if (novelty_unasked(known->flags))
    return;
  for (uint32_t i = 0; i < stage->n_items; i++)
    if (!cul_set_has(gone, i))
      cul_novelty_failed(&driver->novelty, &list->sites[stage->site[i]].novel);
}

/* ---- driver ---- */

/* Stages over one revision. */
struct lane {
  struct cul_stage stages[CUL_MAX_LISTINGS];
  size_t n_stages, first; /* first: the one whose answers act */
  size_t next;            /* index of the next turn to open */
  bool woken;             /* a turn with `wakes` set has changed the subject */
  int rc;                 /* error of opening the turn before next; 0: none */
};

/* One call of cul_driver_run. */
struct drive {
  struct cul_driver *driver;
  const struct cul_edits *edits; /* the driver's */
  void *self;                    /* of edits */
  const struct cul_turn *turns;
  size_t n; /* turns */
  struct lane now;
  bool left;         /* leave() has settled the first stage */
  bool won;          /* the first stage has accepted a point, or will */
  size_t changed;    /* see struct cul_driven */
  struct lane ahead; /* on the speculative revision */
  bool is_ahead;     /* there is a speculative revision */
  uint64_t ahead_of; /* ticket of the point that became the speculative
                        revision; 0: it is the best candidate */
  bool can_speculate;
  bool waits; /* the candidate to speculate on is not built yet */
  uint64_t last_ticket;
  uint64_t *gone; /* stale tickets, not yet reported */
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

/* Larger subjects are not listed ahead: all workers wait for a listing, and the
 * turn may not come. */
static const uint64_t most_ops = 20000;

static bool may_not_come(const struct drive *drive, const struct lane *lane,
                         const struct cul_turn *turn) {
  return turn->exhausted && (drive->driver->cut_short || lane->woken);
}

/* Advance to the next mutation that may find something; false if there is none,
 * or if it cannot be listed together with others. */
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

/* Open the next turn's stage.  False: the listing failed; lane->rc is the
 * error.
 */
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
  stage_open(&lane->stages[lane->n_stages++], drive->driver, turn, number);
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

/* Record how many answers the stage's search took, where the next one begins,
 * and whether sites go one at a time only.  A search that was left after a
 * success goes on behind the sites that failed since. */
static void note_answers(const struct cul_stage *stage, bool won,
                         struct cul_statistics *known) {
  struct cul_search_took took;
  enum cul_gave_up gave_up;
  if (!stage->search)
    return;
  gave_up = cul_search_gave_up(stage->search, &took);
  known->is_singly =
      gave_up == CUL_GAVE_UP_SINGLY || (known->is_singly && !took.together);
  if (stage->turn->kind > CUL_TURN_DELTA)
    return;
  known->effort.answers[won] += took.answers;
  known->effort.passed = won && gave_up != CUL_GAVE_UP_NOT ? took.passed : 0;
}

/* Record in the statistics how the first stage ended. */
static void leave(struct drive *drive) {
  const struct cul_stage *stage = first_of(drive);
  struct cul_statistics *known = known_of(drive, stage->mutation);
  bool whole = !stage->search || !cul_search_gave_up(stage->search, NULL);
  if (drive->left)
    return;
  drive->left = true;
  if (whole) {
    stage_leave(stage, drive->driver);
    known->searched |= 1U << kind_of(stage->turn);
    known->points[kind_of(stage->turn)] = stage->asked;
  }
  drive->driver->cut_short |=
      !whole && !stage->skipped && stage->turn->kind == CUL_TURN_DELTA;
  note_answers(stage, drive->won, known);
  if (drive->won && stage->turn->kind == CUL_TURN_DELTA)
    known->is_fine = !strcmp(stage->turn->rule, "minimal");
  if (drive->won)
    known->unproductive = 0;
  else if (!whole && stage->turn->kind <= CUL_TURN_DELTA)
    known->unproductive++;
  if (stage->turn->kind <= CUL_TURN_DELTA)
    known->effort.tried_at = drive->edits->revision(drive->self, false).ops;
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

/* Make the tickets of the stages from `from` on stale. */
static void abandon(struct drive *drive, struct lane *lane, size_t from) {
  for (size_t s = from; s < lane->n_stages; s++) {
    struct cul_stage *stage = &lane->stages[s];
    make_room(drive, stage->asked);
    for (uint64_t t = 1; t <= stage->asked; t++)
      drive->gone[drive->n_gone++] = ticket_of(stage, t);
    stage->asked = 0;
  }
}

/* Collect the tickets that the stage's search gave up. */
static void take_stale(struct drive *drive, const struct cul_stage *stage) {
  uint64_t inner;
  while (stage->search && cul_search_stale(stage->search, &inner, 1)) {
    make_room(drive, 1);
    drive->gone[drive->n_gone++] = ticket_of(stage, inner);
  }
}

/* Report the answers that the first stage's search has learnt. */
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
    stage_release(&lane->stages[i]);
  *lane = (struct lane){0};
}

/* While the first stage has ended without a change, the next stage becomes the
 * first; the drive ends before a stage that must be opened anew.  Once the
 * first stage is sure to change the subject, the points of later stages are
 * useless, and their slots may be needed. */
static void advance(struct drive *drive) {
  struct lane *lane = &drive->now;
  for (;;) {
    take_learnt(drive);
    drive->won = stage_has_won(first_of(drive));
    if (drive->won)
      abandon(drive, lane, lane->first + 1);
    if (drive->won || !stage_is_done(first_of(drive)))
      return;
    if (lane->first + 1 == lane->n_stages &&
        !(may_open(drive, lane) && open_stage(drive, lane)))
      return;
    leave(drive);
    if (is_due(drive) ||
        may_not_come(drive, lane, lane->stages[lane->first + 1].turn) ||
        stage_is_outdated(&lane->stages[lane->first + 1], drive->driver))
      return;
    take_stale(drive, first_of(drive));
    lane->first++;
    drive->left = false;
    enter(drive);
    stage_replay(first_of(drive));
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

/* Is the accepted candidate the speculative revision? */
static bool has_come_true(const struct drive *drive) {
  struct cul_digest best;
  struct cul_revision ahead;
  if (!drive->is_ahead || !drive->edits->best(drive->self, &best))
    return false;
  ahead = drive->edits->revision(drive->self, true);
  return cul_digest_equal(&ahead.digest, &best);
}

/* End the first stage's search if the user asked for it.  While a point is
 * being accepted, leave that to the next call. */
static bool take_skip(void *self) {
  struct drive *drive = self;
  const struct cul_driver_events *events = &drive->driver->events;
  struct cul_stage *first = first_of(drive);
  if (!events->is_skipped || stage_is_done(first) ||
      cul_search_is_accepting(first->search) ||
      !events->is_skipped(events->self, first->turn))
    return false;
  cul_search_limit(first->search,
                   &(struct cul_search_limits){.patience = CUL_NO_PATIENCE});
  first->skipped = true;
  known_of(drive, first->mutation)->skipped++;
  if (events->skipped)
    events->skipped(events->self, first->turn);
  if (!has_come_true(drive))
    drop_ahead(drive);
  advance(drive);
  return true;
}

/* Make the subject after the first stage the speculative revision.  If that
 * fails, the driver does not look ahead; this is not an error. */
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

/* From a prior and the observed answers: is the probability of a "yes" at such
 * points at least one half? */
static bool is_likely(const struct cul_statistics *known) {
  bool likely = known->flags & CUL_MUT_LIKELY;
  uint64_t yes = known->last_yes + (likely ? 2 : 1);
  uint64_t no = known->last_asked - known->last_yes + (likely ? 2 : 3);
  return yes >= no;
}

static bool ask_lane(struct drive *drive, struct lane *lane, size_t from,
                     struct cul_point *point, uint64_t *ticket);

/* Ask for points after the one that ends the first stage, assuming that it is a
 * "yes". */
static bool ask_behind_last(struct drive *drive, bool at_any_rate,
                            struct cul_point *point, uint64_t *ticket) {
  struct cul_stage *first = first_of(drive);
  uint64_t last;
  if (!drive->can_speculate ||
      !(at_any_rate || is_likely(known_of(drive, first->mutation))))
    return false;
  last = stage_last(first, &drive->set);
  if (!last)
    return false;
  if (!drive->is_ahead || drive->ahead_of != ticket_of(first, last))
    speculate(drive, &(struct cul_point){drive->set.ids, drive->set.n},
              ticket_of(first, last));
  return drive->is_ahead && ask_lane(drive, &drive->ahead, 0, point, ticket);
}

/* Ask for points after the accepted candidate, assuming that open points are a
 * "no". */
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

/* If the accepted candidate is the speculative revision, and no question about
 * the previous revision is open, make it the revision. */
static bool promote(struct drive *drive) {
  const struct cul_driver_events *events = &drive->driver->events;
  const struct cul_stage *first = first_of(drive);
  struct lane *ahead = &drive->ahead;
  if (!stage_is_done(first) || !has_come_true(drive) || ahead->n_stages == 0 ||
      ahead->rc < 0)
    return false;
  leave(drive);
  if (is_due(drive) || may_not_come(drive, ahead, ahead->stages[0].turn) ||
      stage_is_outdated(&ahead->stages[0], drive->driver))
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
  stage_replay(first_of(drive));
  advance(drive);
  return true;
}

/* ---- the asker ---- */

static bool ask_stage(struct drive *drive, struct cul_stage *stage,
                      struct cul_point *point, uint64_t *ticket) {
  uint64_t inner;
  if (!stage_ask(stage, &drive->set, &inner))
    return false;
  *point = (struct cul_point){drive->set.ids, drive->set.n};
  *ticket = cul_ticket_row_give(&stage->tickets, inner, &drive->last_ticket);
  return true;
}

/* Ask the stages of a lane from `from` on.  After a stage with an early "yes"
 * nothing is asked: that stage will change the revision. */
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

/* The stage of a ticket; NULL: it is no longer needed.  *inner: its number in
 * the stage's search. */
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
  if (stage_last(first, &drive->set) == inner) {
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
    stage_keep(stage, inner, yes);
}

/* Report stale tickets: of the first stage, those that its search gives up; of
 * other stages, those that were abandoned. */
static size_t stale(void *self, uint64_t *tickets, size_t max) {
  struct drive *drive = self;
  size_t n = 0;
  take_stale(drive, first_of(drive));
  while (n < max && drive->n_gone > 0)
    tickets[n++] = drive->gone[--drive->n_gone];
  return n;
}

/* The caller repeats this until it returns 0, and commits each ticket. */
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
  return drive->now.rc < 0 || stage_is_done(first_of(drive));
}

static int run(struct drive *drive, struct cul_err *err) {
  const struct cul_edits *edits = drive->edits;
  const struct cul_driver_events *events = &drive->driver->events;
  struct cul_asker asker = {drive,    ask,      tell,     stale,
                            accepted, finished, take_skip};
  struct cul_err later = {0}; /* the first error is the one that is reported */
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
