/* Mutations in a row: see chain.h. */
#include "chain.h"

#include <stdlib.h>
#include <string.h>

#include "mutations/mutation.h"
#include "search/search.h"
#include "strange.h"
#include "watch.h"

/* One mutation of the chain: its search, and answers that came early. */
struct stage {
  uint32_t mutation;
  size_t at; /* in the chain's turns */
  struct cul_item *items;
  uint32_t *site; /* item -> site of the listing, ascending */
  size_t n_items;
  struct cul_search *search; /* NULL: it has no items */
  uint64_t asked;            /* tickets 1.. that were given out */
  struct told {
    uint64_t ticket;
    bool yes;
  } *told;
  size_t n_told, n_yes; /* of them */
};

struct chain {
  struct cul_reduce *job;
  const struct cul_turn *turns;
  size_t n, next; /* of them: the next to open */
  struct stage stages[CUL_MAX_LISTINGS];
  size_t n_stages, first; /* first: the one whose answers act */
  bool left;              /* the first has been settled */
  bool won;               /* something was accepted, or will be */
  size_t back;            /* tickets of later stages given back */
  struct cul_set set;
  int rc; /* of opening the one before next */
  struct cul_err *err;
};

#define TICKET_SHIFT 48

static struct cul_digest *fruitless_of(struct cul_reduce *job,
                                       const struct cul_turn *turn) {
  return &job->yields[turn->mutation].fruitless
              [job->space.by_numbers ? 2 : turn->phase == CUL_REDUCE_MINIMAL];
}

static bool is_settled(struct cul_reduce *job, const struct cul_turn *turn) {
  return job->yields[turn->mutation].dead ||
         cul_digest_equal(fruitless_of(job, turn), &job->space.revision);
}

/* The sites that are worth a try become items: what is known to be hopeless
 * is left out, and what stands inside goes to what is around it. */
static void fill_items(struct cul_reduce *job, const struct cul_listing *list,
                       const struct cul_turn *turn, struct stage *stage) {
  uint32_t *item_of =
      cul_xreallocarray(NULL, list->n_sites + 1, sizeof *item_of);
  bool *keep =
      cul_strange_worth(&job->strange, list, job->yields[stage->mutation].flags,
                        turn->phase == CUL_REDUCE_MINIMAL);
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

/* ---- stages ---- */

/* Of larger subjects sites are not listed for what may not come: all waits for
 * a listing. */
static const uint64_t most_ops = 20000;

static bool may_not_come(const struct chain *chain, size_t turn) {
  return chain->turns[turn].dry && chain->job->cut_short;
}

/* The next mutation that may find something; false where there is none, or it
 * cannot be listed beside others. */
static bool may_open(struct chain *chain) {
  const struct cul_edit_space *space = &chain->job->space;
  while (chain->next < chain->n &&
         is_settled(chain->job, &chain->turns[chain->next]))
    chain->next++;
  if (chain->next == chain->n || may_not_come(chain, chain->next))
    return false;
  return chain->n_stages == 0 ||
         (chain->n_stages < CUL_MAX_LISTINGS && space->best.ops <= most_ops &&
          !cul_edit_space_is_command(space, chain->stages[0].mutation) &&
          !cul_edit_space_is_command(space,
                                     chain->turns[chain->next].mutation));
}

/* Each site that the last search over this mutation left had failed alone:
 * where there are about as many now, few of them can go, and together none but
 * those that are nothing alone. */
static const char *rule_of(const struct chain *chain,
                           const struct cul_turn *turn,
                           const struct stage *stage,
                           const struct cul_listing *list) {
  const struct cul_reduce *job = chain->job;
  const struct cul_yield *yield = &job->yields[stage->mutation];
  if (!yield->left_some || stage->n_items > yield->left * 5 / 4 + 4 ||
      turn->phase != CUL_REDUCE_DELTA || job->conf->search)
    return turn->rule;
  for (size_t i = 0; i < stage->n_items; i++)
    if (list->sites[stage->site[i]].strange.what[0] == CUL_STRANGE_ALONE)
      return turn->rule;
  return "minimal";
}

/* False: it was not listed; chain->rc says why. */
static bool open_stage(struct chain *chain) {
  struct cul_reduce *job = chain->job;
  struct stage *stage = &chain->stages[chain->n_stages];
  const struct cul_turn *turn = &chain->turns[chain->next++];
  const struct cul_listing *list = &job->space.lists[chain->n_stages];
  if (chain->n_stages == 0)
    chain->rc = cul_edit_space_list(&job->space, turn->mutation, chain->err);
  else
    chain->rc =
        cul_edit_space_list_more(&job->space, turn->mutation, chain->err);
  if (chain->rc < 0)
    return false;
  *stage = (struct stage){.mutation = turn->mutation, .at = chain->next - 1};
  chain->n_stages++;
  fill_items(job, list, turn, stage);
  if (stage->n_items == 0)
    return true;
  stage->search = cul_search_new(
      cul_rule_find(rule_of(chain, turn, stage, list)), stage->items,
      stage->n_items, (size_t)job->target.probe.workers, job->conf->seed);
  cul_search_set_patience(stage->search, turn->patience);
  return true;
}

static bool is_done(const struct stage *stage) {
  return !stage->search || cul_search_finished(stage->search);
}

static void enter(struct chain *chain) {
  const struct stage *stage = &chain->stages[chain->first];
  enum cul_reduce_phase phase = chain->turns[stage->at].phase;
  struct cul_yield *yield = &chain->job->yields[stage->mutation];
  size_t n = chain->job->space.lists[chain->first].n_sites;
  if (chain->job->phase != phase)
    cul_reduce_enter(chain->job, phase);
  chain->job->space.mutation = stage->mutation;
  yield->sites += n;
  yield->round_sites += n;
}

/* Of the first, all that is left failed alone. */
static void learn_strange(struct chain *chain, const struct stage *stage) {
  const struct cul_set *gone = cul_search_state(stage->search);
  const struct cul_listing *list = &chain->job->space.lists[chain->first];
  if (cul_strange_unasked(chain->job->yields[stage->mutation].flags))
    return;
  for (uint32_t i = 0; i < stage->n_items; i++)
    if (!cul_set_has(gone, i))
      cul_strange_failed(&chain->job->strange,
                         &list->sites[stage->site[i]].strange);
}

/* Has stage s sites that were ruled out since it was opened?  How early that
 * was is chance; what it is asked may not be. */
static bool is_outdated(const struct chain *chain, size_t s) {
  const struct cul_reduce *job = chain->job;
  const struct stage *stage = &chain->stages[s];
  const struct cul_listing *list = &job->space.lists[s];
  bool *keep =
      cul_strange_worth(&job->strange, list, job->yields[stage->mutation].flags,
                        chain->turns[stage->at].phase == CUL_REDUCE_MINIMAL);
  size_t n = 0;
  for (size_t i = 0; i < list->n_sites; i++)
    n += keep[i];
  free(keep);
  return n != stage->n_items;
}

/* The first has ended.  Nothing was accepted: it found nothing. */
static void leave(struct chain *chain) {
  const struct stage *stage = &chain->stages[chain->first];
  const struct cul_turn *turn = &chain->turns[stage->at];
  bool whole = !stage->search || !cul_search_gave_up(stage->search);
  if (chain->left)
    return;
  chain->left = true;
  if (whole && stage->search) {
    struct cul_yield *yield = &chain->job->yields[stage->mutation];
    yield->left_some = true;
    yield->left = stage->n_items - cul_search_state(stage->search)->n;
    learn_strange(chain, stage);
  }
  chain->job->cut_short |= !whole && turn->phase == CUL_REDUCE_DELTA;
  if (!chain->won && whole)
    *fruitless_of(chain->job, turn) = chain->job->space.revision;
}

/* What was answered early acts now. */
static void replay(struct stage *stage) {
  for (size_t i = 0; i < stage->n_told; i++)
    cul_search_tell(stage->search, stage->told[i].ticket, stage->told[i].yes);
  stage->n_told = stage->n_yes = 0;
}

/* Or is sure to win: what later stages hold is for nothing from then on, and
 * the slots it is held in may be needed. */
static bool has_won(const struct stage *stage) {
  return stage->search && (cul_search_state(stage->search)->n > 0 ||
                           cul_search_is_accepting(stage->search));
}

/* As long as the first has ended without a change, the next is the first; the
 * chain ends before one that has to be opened anew. */
static void advance(struct chain *chain) {
  for (;;) {
    const struct stage *first = &chain->stages[chain->first];
    chain->won = has_won(first);
    if (chain->won || !is_done(first))
      return;
    if (chain->first + 1 == chain->n_stages &&
        !(chain->rc == 0 && may_open(chain) && open_stage(chain)))
      return;
    leave(chain);
    if (may_not_come(chain, chain->stages[chain->first + 1].at) ||
        is_outdated(chain, chain->first + 1))
      return;
    chain->first++;
    chain->left = false;
    enter(chain);
    replay(&chain->stages[chain->first]);
  }
}

static void release(struct chain *chain) {
  for (size_t i = 0; i < chain->n_stages; i++) {
    cul_search_free(chain->stages[i].search);
    free(chain->stages[i].items);
    free(chain->stages[i].site);
    free(chain->stages[i].told);
  }
  cul_set_release(&chain->set);
}

/* ---- the probe's view ---- */

static bool ask_stage(struct chain *chain, size_t s, struct cul_point *point,
                      uint64_t *ticket) {
  struct stage *stage = &chain->stages[s];
  uint64_t inner;
  if (!stage->search || !cul_search_ask(stage->search, &chain->set, &inner))
    return false;
  stage->asked = inner;
  for (size_t i = 0; i < chain->set.n; i++)
    chain->set.ids[i] =
        stage->site[chain->set.ids[i]] | (uint32_t)s << CUL_LISTING_SHIFT;
  *point = (struct cul_point){chain->set.ids, chain->set.n};
  *ticket = (uint64_t)s << TICKET_SHIFT | inner;
  return true;
}

/* Behind an early "yes" nothing is asked: it will be stale. */
static bool ask(void *self, struct cul_point *point, uint64_t *ticket) {
  struct chain *chain = self;
  for (size_t s = chain->first; chain->rc == 0; s++) {
    if (s == chain->n_stages &&
        (chain->won || !may_open(chain) || !open_stage(chain)))
      return false;
    if (chain->stages[s].n_yes == 0 && ask_stage(chain, s, point, ticket))
      return true;
    if (chain->won || chain->stages[s].n_yes > 0)
      return false;
  }
  return false;
}

static void tell(void *self, uint64_t ticket,
                 const struct cul_verdict *verdict) {
  struct chain *chain = self;
  size_t s = ticket >> TICKET_SHIFT;
  struct stage *stage = &chain->stages[s];
  struct told told = {ticket & ((UINT64_C(1) << TICKET_SHIFT) - 1),
                      verdict->answer == CUL_SAME};
  if (s == chain->first) {
    cul_search_tell(stage->search, told.ticket, told.yes);
    advance(chain);
    return;
  }
  stage->told =
      cul_xreallocarray(stage->told, stage->n_told + 1, sizeof *stage->told);
  stage->told[stage->n_told++] = told;
  stage->n_yes += told.yes;
}

/* Of the first, as its search says; of later ones, all once it has won. */
static size_t stale(void *self, uint64_t *tickets, size_t max) {
  struct chain *chain = self;
  struct stage *first = &chain->stages[chain->first];
  size_t n = 0, seen = 0;
  if (first->search)
    n = cul_search_stale(first->search, tickets, max);
  for (size_t i = 0; i < n; i++)
    tickets[i] |= (uint64_t)chain->first << TICKET_SHIFT;
  for (size_t s = chain->first + 1; chain->won && s < chain->n_stages; s++)
    for (uint64_t t = 1; t <= chain->stages[s].asked; t++)
      if (seen++ >= chain->back && n < max) {
        tickets[n++] = (uint64_t)s << TICKET_SHIFT | t;
        chain->back++;
      }
  return n;
}

static uint64_t accepted(void *self) {
  struct chain *chain = self;
  const struct stage *first = &chain->stages[chain->first];
  uint64_t ticket = first->search ? cul_search_accepted(first->search) : 0;
  return ticket ? (uint64_t)chain->first << TICKET_SHIFT | ticket : 0;
}

static bool finished(void *self) {
  struct chain *chain = self;
  return chain->rc < 0 || is_done(&chain->stages[chain->first]);
}

/* A mutation that kills the workshop is left alone from now on. */
static int bury(struct chain *chain, struct cul_err *err) {
  if (chain->rc != CUL_ECHILD)
    return chain->rc;
  chain->job->yields[chain->turns[chain->next - 1].mutation].dead = true;
  return cul_reduce_reopen(chain->job, err);
}

static int run(struct chain *chain, bool *changed, struct cul_err *err) {
  struct cul_reduce *job = chain->job;
  struct cul_space edits = cul_edit_space_view(&job->space);
  struct cul_asker view = {chain, ask, tell, stale, accepted, finished};
  bool adopted = false;
  int rc, ended;
  enter(chain);
  advance(chain);
  rc = cul_probe_run(&job->target.probe, &edits, &view, err);
  ended = rc == 0 || rc == CUL_EBUDGET || rc == CUL_EINTR
              ? cul_edit_space_adopt(&job->space, &adopted,
                                     rc ? &(struct cul_err){0} : err)
              : rc;
  chain->won = adopted;
  if (rc == 0 && chain->rc == 0)
    leave(chain);
  *changed |= adopted;
  return rc ? rc : ended;
}

int cul_reduce_chain(struct cul_reduce *job, const struct cul_turn *turns,
                     size_t n, size_t *done, bool *changed,
                     struct cul_err *err) {
  struct chain chain = {.job = job, .turns = turns, .n = n, .err = err};
  int rc = 0;
  if (!may_open(&chain)) {
    *done = chain.next;
    return 0;
  }
  if (open_stage(&chain)) {
    rc = run(&chain, changed, err);
    *done = chain.stages[chain.first].at + 1;
  } else {
    *done = chain.next;
  }
  if (chain.rc < 0 && chain.n_stages > 0)
    *done = chain.stages[chain.first].at;
  if (rc == 0)
    rc = bury(&chain, err);
  release(&chain);
  return rc;
}
