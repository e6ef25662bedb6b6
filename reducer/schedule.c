/* The order of a reduction (DESIGN 4): cut the graph; delta-debug mutation
 * by mutation, by yield; then every single site of every mutation until
 * nothing goes, and the pumps.  Decisions depend on counts, never on time. */
#include <stdlib.h>
#include <string.h>

#include "../base/file.h"
#include "mutations/mutation.h"
#include "reduce.h"
#include "search/search.h"
#include "watch.h"

/* cul_search behind the probe's interface. */
struct asker {
  struct cul_search *search;
  struct cul_set set;
};

static bool ask(void *self, struct cul_point *point, uint64_t *ticket) {
  struct asker *asker = self;
  if (!cul_search_ask(asker->search, &asker->set, ticket))
    return false;
  *point = (struct cul_point){asker->set.ids, asker->set.n};
  return true;
}

static void tell(void *self, uint64_t ticket,
                 const struct cul_verdict *verdict) {
  struct asker *asker = self;
  cul_search_tell(asker->search, ticket, verdict->answer == CUL_SAME);
}

static size_t stale(void *self, uint64_t *tickets, size_t max) {
  struct asker *asker = self;
  return cul_search_stale(asker->search, tickets, max);
}

static uint64_t accepted(void *self) {
  struct asker *asker = self;
  return cul_search_accepted(asker->search);
}

static bool finished(void *self) {
  struct asker *asker = self;
  return cul_search_finished(asker->search);
}

static struct cul_item *items_of(const struct cul_edit_space *space) {
  struct cul_item *items =
      cul_xreallocarray(NULL, space->n_sites, sizeof *items);
  for (size_t i = 0; i < space->n_sites; i++) {
    const struct cul_listed *site = &space->sites[i];
    items[i] = (struct cul_item){
        .weight = site->weight ? site->weight : 1,
        .parent = site->parent == CUL_SITE_NONE ? CUL_NO_ITEM : site->parent,
        .group = site->group};
  }
  return items;
}

/* *whole: false where the search lost its patience. */
static int run_rule(struct cul_reduce *job, const char *rule, bool *whole,
                    struct cul_err *err) {
  struct cul_edit_space *space = &job->space;
  struct cul_item *items = items_of(space);
  struct asker asker = {0};
  struct cul_asker view = {&asker, ask, tell, stale, accepted, finished};
  struct cul_space edits = cul_edit_space_view(space);
  int rc;
  asker.search =
      cul_search_new(cul_rule_find(rule), items, space->n_sites,
                     (size_t)job->target.probe.workers, job->conf->seed);
  cul_search_set_patience(asker.search, job->patience);
  rc = cul_probe_run(&job->target.probe, &edits, &view, err);
  *whole = !cul_search_gave_up(asker.search);
  job->cut_short |= !*whole;
  cul_search_free(asker.search);
  cul_set_release(&asker.set);
  free(items);
  return rc;
}

int cul_reduce_reopen(struct cul_reduce *job, struct cul_err *err) {
  struct cul_edit_space *space = &job->space;
  struct cul_chosen_form again = {0};
  struct cul_buf text = {0};
  int rc = cul_file_read(job->conf->output, 0, &text, err);
  job->origins_lost = true;
  cul_workshop_close(space->shop);
  space->shop = NULL;
  if (rc == 0)
    rc = cul_form_identity(&job->target, job->form.form, job->form.check,
                           cul_buf_bytes(&text), &again, err);
  cul_buf_release(&text);
  if (rc == 0) {
    cul_edit_space_reopen(space, again.shop, &again.digest);
    again.shop = NULL;
  }
  cul_chosen_form_release(&again);
  return rc;
}

/* What found nothing under one command may find something under another. */
static void forget_fruitless(struct cul_reduce *job) {
  for (size_t m = 0; m < job->n_yields; m++)
    memset(job->yields[m].fruitless, 0, sizeof job->yields[m].fruitless);
}

int cul_reduce_mutate(struct cul_reduce *job, uint32_t mutation,
                      const char *rule, bool *changed, struct cul_err *err) {
  struct cul_yield *yield = &job->yields[mutation];
  struct cul_digest *fruitless =
      &yield->fruitless[job->space.by_numbers
                            ? 2
                            : job->phase == CUL_REDUCE_MINIMAL];
  bool adopted = false, whole = true;
  int rc, ended;
  if (yield->dead || cul_digest_equal(fruitless, &job->space.revision))
    return 0;
  rc = cul_edit_space_list(&job->space, mutation, err);
  if (rc == CUL_ECHILD) { /* left alone from now on */
    yield->dead = true;
    return cul_reduce_reopen(job, err);
  }
  if (rc < 0)
    return rc;
  yield->sites += job->space.n_sites;
  yield->round_sites += job->space.n_sites;
  if (job->space.n_sites > 0)
    rc = run_rule(job, rule, &whole, err);
  ended = rc == 0 || rc == CUL_EBUDGET || rc == CUL_EINTR
              ? cul_edit_space_adopt(&job->space, &adopted,
                                     rc ? &(struct cul_err){0} : err)
              : rc;
  if (!adopted && whole && rc == 0)
    *fruitless = job->space.revision;
  if (adopted && cul_edit_space_is_command(&job->space, mutation))
    forget_fruitless(job);
  *changed |= adopted;
  return rc ? rc : ended;
}

/* The command, where it is reduced: shorter ones run faster, so first. */
static int shorten(struct cul_reduce *job, bool *changed, struct cul_err *err) {
  int rc = 0;
  if (!job->conf->reduce_command)
    return 0;
  cul_reduce_enter(job, CUL_REDUCE_COMMAND);
  for (uint32_t m = 0; m < job->n_yields && rc == 0; m++)
    if (job->yields[m].flags & CUL_MUT_COMMAND)
      rc = cul_reduce_mutate(job, m, "halve", changed, err);
  return rc;
}

int cul_reduce_command_alone(struct cul_reduce *job, struct cul_err *err) {
  bool changed = true;
  int rc = 0;
  while (changed && rc == 0) {
    changed = false;
    rc = shorten(job, &changed, err);
  }
  return rc;
}

static const char *cut_rule(const struct cul_yield *yield) {
  if (yield->flags & CUL_MUT_CHAIN)
    return "prefix";
  return yield->flags & CUL_MUT_RANGE ? "segment" : "lone";
}

/* Ranges of operations; and what repeats: few sites, left soon where they
 * yield nothing. */
static int cut(struct cul_reduce *job, bool *changed, struct cul_err *err) {
  int rc = 0;
  cul_reduce_enter(job, CUL_REDUCE_CUT);
  for (uint32_t m = 0; m < job->n_yields && rc == 0; m++) {
    const struct cul_yield *yield = &job->yields[m];
    if (yield->phase != CUL_PHASE_CUT)
      continue;
    job->patience = yield->flags & CUL_MUT_RANGE ? 0 : 16;
    rc = cul_reduce_mutate(job, m, cut_rule(yield), changed, err);
  }
  job->patience = 0;
  return rc;
}

/* The rule for subsets of one mutation's sites, by the evidence of
 * bench/search.c: halving needs the fewest runs on modules; on text, where
 * the end must often go before the beginning, one sweep from behind does. */
static const char *subset_rule(const struct cul_reduce *job,
                               const struct cul_yield *yield) {
  if (yield->flags & CUL_MUT_ONCE)
    return "minimal";
  if (job->conf->search)
    return job->conf->search;
  return job->form.form == CUL_FORM_TEXT ? "sweep" : "halve";
}

/* Operations removed per site listed in the last round, highest first; equal
 * ones stay in table order. */
static void order_by_yield(const struct cul_reduce *job, uint32_t *order,
                           size_t n) {
  for (size_t i = 1; i < n; i++)
    for (size_t k = i; k > 0; k--) {
      const struct cul_yield *a = &job->yields[order[k - 1]];
      const struct cul_yield *b = &job->yields[order[k]];
      uint32_t swap = order[k];
      if (b->round_removed * (a->round_sites + 1) <=
          a->round_removed * (b->round_sites + 1))
        break;
      order[k] = order[k - 1];
      order[k - 1] = swap;
    }
}

/* Those of order[0..n) with this flag, or without. */
static int run_those(struct cul_reduce *job, const uint32_t *order, size_t n,
                     uint32_t last, bool *changed, struct cul_err *err) {
  int rc = 0;
  for (size_t i = 0; i < n && rc == 0; i++) {
    const struct cul_yield *yield = &job->yields[order[i]];
    if ((yield->flags & CUL_MUT_LAST) == last)
      rc = cul_reduce_mutate(job, order[i], subset_rule(job, yield), changed,
                             err);
  }
  return rc;
}

/* Every mutation once, best yield of the last round first; those that come
 * last only once the others are dry. */
static int delta_round(struct cul_reduce *job, uint32_t *order, size_t n,
                       bool *changed, struct cul_err *err) {
  int rc;
  job->cut_short = false;
  for (size_t i = 0; i < n; i++)
    job->yields[order[i]].round_removed = job->yields[order[i]].round_sites = 0;
  rc = run_those(job, order, n, 0, changed, err);
  if (rc == 0 && !*changed && !job->cut_short)
    rc = run_those(job, order, n, CUL_MUT_LAST, changed, err);
  order_by_yield(job, order, n);
  return rc;
}

/* Rounds until nothing changes.  A mutation that yields nothing at many
 * sites is left soon; only when no other helps is it asked on. */
static int delta(struct cul_reduce *job, struct cul_err *err) {
  uint32_t *order = cul_xreallocarray(NULL, job->n_yields, sizeof *order);
  size_t n = 0;
  bool changed = true;
  int rc = 0;
  cul_reduce_enter(job, CUL_REDUCE_DELTA);
  for (uint32_t m = 0; m < job->n_yields; m++)
    if (job->yields[m].phase == CUL_PHASE_DELTA &&
        !(job->yields[m].flags & (CUL_MUT_RANGE | CUL_MUT_COMMAND)))
      order[n++] = m;
  job->patience = job->form.form == CUL_FORM_TEXT ? 256 : 32;
  while (rc == 0 && (changed || job->cut_short)) {
    if (!changed)
      job->patience *= 4;
    changed = false;
    rc = delta_round(job, order, n, &changed, err);
  }
  job->patience = 0;
  free(order);
  return rc;
}

static int minimal(struct cul_reduce *job, bool *changed, struct cul_err *err) {
  bool again = true;
  int rc = 0;
  cul_reduce_enter(job, CUL_REDUCE_MINIMAL);
  while (again && rc == 0) {
    again = false;
    for (uint32_t m = 0; m < job->n_yields && rc == 0; m++)
      if (!(job->yields[m].flags & (CUL_MUT_RANGE | CUL_MUT_CHAIN)) &&
          job->yields[m].phase != CUL_PHASE_PUMP)
        rc = cul_reduce_mutate(job, m, "minimal", &again, err);
    *changed |= again;
  }
  return rc;
}

/* What is as small as it gets may still say the same with smaller numbers: 1
 * instead of 8.  Last, and no other edit is tried again for it. */
static int simplify(struct cul_reduce *job, bool *changed,
                    struct cul_err *err) {
  struct cul_size before = job->space.best;
  bool simpler = false;
  int rc = 0;
  job->space.by_numbers = true;
  job->patience = 8;
  for (uint32_t m = 0; m < job->n_yields && rc == 0; m++)
    if (job->yields[m].flags & CUL_MUT_NUMBERS)
      rc = cul_reduce_mutate(job, m, "halve", &simpler, err);
  job->patience = 0;
  job->space.by_numbers = false;
  *changed |= cul_size_less(&job->space.best, &before);
  return rc;
}

int cul_reduce_search(struct cul_reduce *job, struct cul_err *err) {
  bool changed = true;
  int rc = 0;
  while (changed && rc == 0) {
    changed = false;
    rc = shorten(job, &changed, err);
    if (rc == 0)
      rc = cut(job, &changed, err);
    if (rc == 0)
      rc = delta(job, err);
    changed = false;
    if (rc == 0)
      rc = minimal(job, &changed, err);
    if (rc == 0 && !changed)
      rc = cul_reduce_pump(job, &changed, err);
    if (rc == 0 && !changed)
      rc = simplify(job, &changed, err);
  }
  return rc;
}
