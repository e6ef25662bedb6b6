/* Mutations in a row: see chain.h. */
#include "chain.h"

#include <stdlib.h>
#include <string.h>

#include "leads.h"
#include "mutations/mutation.h"
#include "neighbour.h"
#include "stage.h"
#include "watch.h"

/* Stages over one revision. */
struct line {
  struct cul_stage stages[CUL_MAX_LISTINGS];
  size_t n_stages, first; /* first: the one whose answers act */
  size_t next;            /* of the turns: the next to open */
  bool woken;             /* what may not follow a change does not come */
  int rc;                 /* of opening the one before next */
};

struct chain {
  struct cul_reduce *job;
  const struct cul_turn *turns;
  size_t n; /* of them */
  struct line now;
  bool left;      /* the first has been settled */
  bool won;       /* something was accepted, or will be */
  size_t changed; /* see cul_reduce_chain */
  struct line heir;
  bool has_heir;
  uint64_t heir_of; /* ticket of the point that it is; 0: of the best */
  bool may_have_heir;
  bool waits; /* for that point to be built */
  uint64_t last_ticket;
  uint64_t *gone; /* tickets that are stale */
  size_t n_gone, cap_gone;
  struct cul_set set;
  struct cul_err *err;
};

static struct cul_stage *first_of(struct chain *chain) {
  return &chain->now.stages[chain->now.first];
}

static uint64_t ticket_of(const struct cul_stage *stage, uint64_t inner) {
  return cul_ticket_row_of(&stage->tickets, inner);
}

static struct cul_digest *fruitless_of(struct cul_reduce *job,
                                       const struct cul_turn *turn) {
  return &job->yields[turn->mutation].fruitless
              [job->space.by_numbers ? 2 : turn->phase == CUL_REDUCE_MINIMAL];
}

static bool is_settled(struct cul_reduce *job, const struct cul_turn *turn,
                       const struct cul_digest *revision) {
  return job->yields[turn->mutation].dead ||
         cul_digest_equal(fruitless_of(job, turn), revision);
}

/* ---- stages ---- */

/* Of larger subjects sites are not listed for what may not come: all waits for
 * a listing. */
static const uint64_t most_ops = 20000;

static bool may_not_come(const struct chain *chain, const struct line *line,
                         const struct cul_turn *turn) {
  return turn->dry && (chain->job->cut_short || line->woken);
}

/* The next mutation that may find something; false where there is none, or it
 * cannot be listed beside others. */
static bool may_open(struct chain *chain, struct line *line) {
  const struct cul_edit_space *space = &chain->job->space;
  bool ahead = line == &chain->heir;
  const struct cul_digest *revision =
      ahead ? &space->heir.revision : &space->revision;
  uint64_t ops = ahead ? space->heir.size.ops : space->best.ops;
  while (line->next < chain->n &&
         is_settled(chain->job, &chain->turns[line->next], revision))
    line->next++;
  if (line->rc < 0 || line->next == chain->n ||
      may_not_come(chain, line, &chain->turns[line->next]))
    return false;
  if (line->n_stages == 0 && !ahead)
    return true;
  return line->n_stages < CUL_MAX_LISTINGS && ops <= most_ops &&
         !(line->n_stages &&
           cul_edit_space_is_command(space, line->stages[0].mutation)) &&
         !cul_edit_space_is_command(space, chain->turns[line->next].mutation);
}

static int list(struct chain *chain, const struct line *line,
                uint32_t mutation) {
  struct cul_edit_space *space = &chain->job->space;
  if (line == &chain->heir)
    return cul_edit_space_list_ahead(space, mutation, &(struct cul_err){0});
  if (line->n_stages == 0)
    return cul_edit_space_list(space, mutation, chain->err);
  return cul_edit_space_list_more(space, mutation, chain->err);
}

/* False: it was not listed; line->rc says why. */
static bool open_stage(struct chain *chain, struct line *line) {
  struct cul_stage *stage = &line->stages[line->n_stages];
  const struct cul_turn *turn = &chain->turns[line->next++];
  size_t first;
  line->rc = list(chain, line, turn->mutation);
  if (line->rc < 0)
    return false;
  first = chain->job->space.first_list;
  if (line == &chain->heir)
    first = CUL_MAX_LISTINGS - first;
  cul_stage_open(stage, chain->job, turn, first + line->n_stages++);
  return true;
}

static void enter(struct chain *chain) {
  const struct cul_stage *stage = first_of(chain);
  struct cul_reduce *job = chain->job;
  struct cul_yield *yield = &job->yields[stage->mutation];
  size_t n = job->space.lists[stage->list].n_sites;
  if (job->phase != stage->turn->phase)
    cul_reduce_enter(job, stage->turn->phase);
  job->space.mutation = stage->mutation;
  yield->sites += n;
  yield->round_sites += n;
}

/* The first has ended.  Nothing was accepted: it found nothing. */
static void leave(struct chain *chain) {
  const struct cul_stage *stage = first_of(chain);
  bool whole = !stage->search || !cul_search_gave_up(stage->search);
  if (chain->left)
    return;
  chain->left = true;
  if (whole)
    cul_stage_leave(stage, chain->job);
  chain->job->cut_short |= !whole && stage->turn->phase == CUL_REDUCE_DELTA;
  if (!chain->won && whole)
    *fruitless_of(chain->job, stage->turn) = chain->job->space.revision;
}

static void make_room(struct chain *chain, size_t more) {
  if (chain->n_gone + more <= chain->cap_gone)
    return;
  chain->cap_gone = 2 * (chain->n_gone + more);
  chain->gone =
      cul_xreallocarray(chain->gone, chain->cap_gone, sizeof *chain->gone);
}

/* Nobody asks any more for what stages from `from` on were asked. */
static void forsake(struct chain *chain, struct line *line, size_t from) {
  for (size_t s = from; s < line->n_stages; s++) {
    struct cul_stage *stage = &line->stages[s];
    make_room(chain, stage->asked);
    for (uint64_t t = 1; t <= stage->asked; t++)
      chain->gone[chain->n_gone++] = ticket_of(stage, t);
    stage->asked = 0;
  }
}

/* What the stage's search gave up. */
static void take_stale(struct chain *chain, const struct cul_stage *stage) {
  uint64_t inner;
  while (stage->search && cul_search_stale(stage->search, &inner, 1)) {
    make_room(chain, 1);
    chain->gone[chain->n_gone++] = ticket_of(stage, inner);
  }
}

/* What the first one's search has learnt. */
static void take_learnt(struct chain *chain) {
  const struct cul_stage *first = first_of(chain);
  uint64_t inner;
  while (first->search && (inner = cul_search_learnt(first->search)))
    cul_leads_learnt(chain->job, ticket_of(first, inner));
}

static void release_line(struct line *line) {
  for (size_t i = 0; i < line->n_stages; i++)
    cul_stage_release(&line->stages[i]);
  *line = (struct line){0};
}

/* As long as the first has ended without a change, the next is the first; the
 * chain ends before one that has to be opened anew.  Once the first is sure to
 * win, what later stages hold is for nothing, and the slots it is held in may
 * be needed. */
static void advance(struct chain *chain) {
  struct line *line = &chain->now;
  for (;;) {
    take_learnt(chain);
    chain->won = cul_stage_has_won(first_of(chain));
    if (chain->won)
      forsake(chain, line, line->first + 1);
    if (chain->won || !cul_stage_is_done(first_of(chain)))
      return;
    if (line->first + 1 == line->n_stages &&
        !(may_open(chain, line) && open_stage(chain, line)))
      return;
    leave(chain);
    if (cul_reduce_place_is_due(chain->job) ||
        may_not_come(chain, line, line->stages[line->first + 1].turn) ||
        cul_stage_is_outdated(&line->stages[line->first + 1], chain->job))
      return;
    take_stale(chain, first_of(chain));
    line->first++;
    chain->left = false;
    enter(chain);
    cul_stage_replay(first_of(chain));
  }
}

/* ---- the heir ---- */

static void drop_heir(struct chain *chain) {
  if (!chain->has_heir)
    return;
  forsake(chain, &chain->heir, 0);
  release_line(&chain->heir);
  cul_edit_space_drop_heir(&chain->job->space);
  cul_neighbour_forget(chain->job);
  chain->has_heir = false;
}

/* Has the subject become another one than that which it was made of? */
static bool is_heir(const struct chain *chain) {
  return chain->has_heir && cul_digest_equal(&chain->job->space.heir.revision,
                                             &chain->job->space.best_digest);
}

/* What would come behind the first stage.  What cannot be made now, or ever,
 * is no error: nothing is looked ahead to. */
static void make_heir(struct chain *chain, const struct cul_point *point,
                      uint64_t ticket) {
  const struct line *now = &chain->now;
  struct cul_err ignored = {0};
  bool made = false;
  drop_heir(chain);
  if (cul_edit_space_look_ahead(&chain->job->space, point, &made, &ignored))
    chain->may_have_heir = made = false;
  chain->waits = !made && chain->may_have_heir;
  if (!made)
    return;
  chain->has_heir = true;
  chain->heir_of = ticket;
  chain->heir = (struct line){
      .next = (size_t)(now->stages[now->first].turn - chain->turns) + 1,
      .woken = now->woken || now->stages[now->first].turn->wakes};
}

/* A first guess, and what was seen: half of such points are a "yes". */
static bool is_likely(const struct cul_yield *yield) {
  bool likely = yield->flags & CUL_MUT_LIKELY;
  uint64_t yes = yield->last_yes + (likely ? 2 : 1);
  uint64_t no = yield->last_asked - yield->last_yes + (likely ? 2 : 3);
  return yes >= no;
}

static bool ask_line(struct chain *chain, struct line *line, size_t from,
                     struct cul_point *point, uint64_t *ticket);

/* Ask behind the point that ends the first stage, if it is a "yes". */
static bool ask_behind_last(struct chain *chain, bool at_any_rate,
                            struct cul_point *point, uint64_t *ticket) {
  struct cul_stage *first = first_of(chain);
  uint64_t last;
  if (!chain->may_have_heir ||
      !(at_any_rate || is_likely(&chain->job->yields[first->mutation])))
    return false;
  last = cul_stage_last(first, &chain->set);
  if (!last)
    return false;
  if (!chain->has_heir || chain->heir_of != ticket_of(first, last))
    make_heir(chain, &(struct cul_point){chain->set.ids, chain->set.n},
              ticket_of(first, last));
  return chain->has_heir && ask_line(chain, &chain->heir, 0, point, ticket);
}

/* Ask behind what was accepted: what is judged now will be a "no". */
static bool ask_behind_best(struct chain *chain, struct cul_point *point,
                            uint64_t *ticket) {
  if (!chain->may_have_heir || !chain->job->space.best_child ||
      cul_search_is_accepting(first_of(chain)->search) ||
      (chain->has_heir && chain->heir_of && !is_heir(chain)))
    return false;
  if (!is_heir(chain))
    make_heir(chain, NULL, 0);
  return chain->has_heir && ask_line(chain, &chain->heir, 0, point, ticket);
}

/* The heir is what was accepted, and nothing is asked any more of what it was
 * made of: it is the revision now. */
static bool succeed(struct chain *chain) {
  struct line *heir = &chain->heir;
  const struct cul_stage *first = first_of(chain);
  struct cul_reduce *job = chain->job;
  if (!cul_stage_is_done(first) || !is_heir(chain) || !job->space.best_child ||
      heir->n_stages == 0 || heir->rc < 0)
    return false;
  leave(chain);
  if (cul_reduce_place_is_due(job) ||
      may_not_come(chain, heir, heir->stages[0].turn) ||
      cul_stage_is_outdated(&heir->stages[0], job))
    return false;
  chain->changed = (size_t)(first->turn - chain->turns) + 1;
  take_stale(chain, first);
  cul_edit_space_succeed(&job->space);
  cul_neighbour_succeed(job);
  release_line(&chain->now);
  chain->now = *heir;
  *heir = (struct line){0};
  chain->has_heir = chain->left = false;
  enter(chain);
  cul_stage_replay(first_of(chain));
  advance(chain);
  return true;
}

/* ---- the probe's view ---- */

static bool ask_stage(struct chain *chain, struct cul_stage *stage,
                      struct cul_point *point, uint64_t *ticket) {
  uint64_t inner;
  if (!cul_stage_ask(stage, &chain->set, &inner))
    return false;
  *point = (struct cul_point){chain->set.ids, chain->set.n};
  *ticket = cul_ticket_row_give(&stage->tickets, inner, &chain->last_ticket);
  return true;
}

/* Behind an early "yes" nothing is asked: it will be stale. */
static bool ask_line(struct chain *chain, struct line *line, size_t from,
                     struct cul_point *point, uint64_t *ticket) {
  for (size_t s = from; line->rc == 0; s++) {
    if (s == line->n_stages &&
        !(may_open(chain, line) && open_stage(chain, line)))
      return false;
    if (line->stages[s].n_yes > 0)
      return false;
    if (ask_stage(chain, &line->stages[s], point, ticket))
      return true;
  }
  return false;
}

static bool ask(void *self, struct cul_point *point, uint64_t *ticket,
                uint64_t *again_us) {
  struct chain *chain = self;
  struct line *now = &chain->now;
  (void)again_us;
  chain->waits = false;
  if (now->rc < 0)
    return false;
  if (ask_behind_last(chain, false, point, ticket))
    return true;
  if (chain->waits)
    return false;
  if (ask_stage(chain, first_of(chain), point, ticket))
    return true;
  if (chain->won)
    return ask_behind_best(chain, point, ticket);
  return ask_line(chain, now, now->first + 1, point, ticket) ||
         ask_behind_last(chain, true, point, ticket);
}

/* NULL: nobody asks for it any more.  *inner: its number there. */
static struct cul_stage *find_stage(struct chain *chain, uint64_t ticket,
                                    uint64_t *inner) {
  struct line *lines[] = {&chain->now, &chain->heir};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(lines); i++)
    for (size_t s = 0; s < lines[i]->n_stages; s++)
      if ((*inner = cul_ticket_row_find(&lines[i]->stages[s].tickets, ticket)))
        return &lines[i]->stages[s];
  return NULL;
}

static void tell_first(struct chain *chain, uint64_t ticket, uint64_t inner,
                       bool yes) {
  struct cul_stage *first = first_of(chain);
  struct cul_yield *yield = &chain->job->yields[first->mutation];
  if (cul_stage_last(first, &chain->set) == inner) {
    yield->last_asked++;
    yield->last_yes += yes;
  }
  if (!yes && chain->has_heir && chain->heir_of == ticket)
    drop_heir(chain);
  cul_search_tell(first->search, inner, yes);
  advance(chain);
}

static void tell(void *self, uint64_t ticket,
                 const struct cul_verdict *verdict) {
  struct chain *chain = self;
  uint64_t inner;
  struct cul_stage *stage = find_stage(chain, ticket, &inner);
  bool yes = verdict->answer == CUL_SAME;
  if (stage == first_of(chain))
    tell_first(chain, ticket, inner, yes);
  else if (stage)
    cul_stage_keep(stage, inner, yes);
}

/* Of the first, as its search says; of others, once nobody asks for them. */
static size_t stale(void *self, uint64_t *tickets, size_t max) {
  struct chain *chain = self;
  size_t n = 0;
  take_stale(chain, first_of(chain));
  while (n < max && chain->n_gone > 0)
    tickets[n++] = chain->gone[--chain->n_gone];
  return n;
}

/* Called until there is none: by then what was accepted is committed. */
static uint64_t accepted(void *self) {
  struct chain *chain = self;
  do {
    struct cul_stage *first = first_of(chain);
    uint64_t ticket = first->search ? cul_search_accepted(first->search) : 0;
    if (ticket)
      return ticket_of(first, ticket);
  } while (succeed(chain));
  return 0;
}

static bool finished(void *self) {
  struct chain *chain = self;
  return chain->now.rc < 0 || cul_stage_is_done(first_of(chain));
}

static int run(struct chain *chain, struct cul_err *err) {
  struct cul_reduce *job = chain->job;
  struct cul_space edits = cul_edit_space_view(&job->space);
  struct cul_asker view = {chain, ask, tell, stale, accepted, finished};
  struct cul_err later = {0}; /* the first error is the one that is told */
  bool adopted = false;
  int rc, ended;
  chain->may_have_heir = job->target.probe.workers > 1 && !job->space.live &&
                         !job->space.reduce_command;
  enter(chain);
  advance(chain);
  rc = cul_probe_run(&job->target.probe, &edits, &view, err);
  drop_heir(chain);
  cul_leads_forget(job);
  ended = rc == 0 || rc == CUL_EBUDGET || rc == CUL_EINTR
              ? cul_edit_space_adopt(&job->space, &adopted, rc ? &later : err)
              : rc;
  chain->won = adopted;
  if (adopted)
    chain->changed = (size_t)(first_of(chain)->turn - chain->turns) + 1;
  if (rc == 0 && chain->now.rc == 0)
    leave(chain);
  return rc ? rc : ended;
}

int cul_reduce_chain(struct cul_reduce *job, const struct cul_turn *turns,
                     size_t n, size_t *done, size_t *changed,
                     struct cul_err *err) {
  struct chain *chain = cul_xcalloc(1, sizeof *chain);
  struct line *now = &chain->now;
  bool again = false;
  int rc = 0;
  chain->job = job;
  chain->turns = turns;
  chain->n = n;
  chain->err = err;
  *changed = 0;
  *done = 0;
  if (may_open(chain, now)) {
    bool opened = open_stage(chain, now);
    if (opened)
      rc = run(chain, err);
    *done = opened ? (size_t)(first_of(chain)->turn - turns) + (now->rc == 0)
                   : now->next;
    *changed = chain->changed;
    if (rc == 0 && now->rc < 0)
      rc = cul_reduce_bury(job, turns[now->next - 1].mutation, now->rc, &again,
                           err);
    if (again)
      *done = now->next - 1;
    if (rc == CUL_ELOST && opened) { /* from where it stands */
      *done = (size_t)(first_of(chain)->turn - turns);
      *changed = job->space.best_child ? *done + 1 : *changed;
      rc = cul_reduce_recover(job, rc, err);
    }
  } else {
    *done = now->next;
  }
  release_line(now);
  cul_set_release(&chain->set);
  free(chain->gone);
  free(chain);
  return rc;
}
