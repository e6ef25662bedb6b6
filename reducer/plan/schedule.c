/* The order of a reduction (docs/architecture.md): cut the graph; delta-debug
 * mutation by mutation, by what each has yielded; then every single site of
 * every mutation until nothing goes, and the growing edits.  Decisions depend
 * on counts, never on time. */
#include <stdlib.h>
#include <string.h>

#include "../../base/file.h"
#include "../../base/status.h"
#include "../job/watch.h"
#include "../mutations/mutation.h"
#include "../search/search.h"
#include "heap.h"
#include "plan.h"
#include "recipe.h"

/* The worker dies, or has died; another one starts from the output. */
static int reopen(struct cul_reduce *job, struct cul_err *err) {
  struct cul_edit_space *space = &job->subject.space;
  struct cul_chosen_form again = {0};
  int rc;
  job->subject.losses.origins = true;
  cul_worker_close(space->worker);
  space->worker = NULL;
  rc = cul_form_identity(&job->subject.workers,
                         cul_form_reading(&job->subject.form),
                         cul_buf_bytes(&job->output.written), &again, err);
  if (rc == 0) {
    cul_edit_space_reopen(space, again.worker, &again.digest);
    again.worker = NULL;
  }
  cul_chosen_form_release(&again);
  return rc;
}

int cul_reduce_recover(struct cul_reduce *job, int rc, struct cul_err *err) {
  enum { MOST_LOST = 8 };
  bool adopted = false;
  /* A growing edit's revision is nowhere else: that is for the growing edit to
   * give up. */
  if (rc != CUL_ELOST || job->subject.space.floor ||
      job->subject.losses.n++ >= MOST_LOST)
    return rc;
  cul_status_hiccup(
      CUL_HICCUP_WORKER,
      "note:      culprit lost a process that makes candidates (%s) "
      "and starts another one",
      err->what);
  /* What was accepted last lives in a process of its own. */
  if (job->subject.space.best_child &&
      cul_edit_space_adopt(&job->subject.space, &adopted, err) == 0)
    return 0;
  return reopen(job, err);
}

/* rc: what listing the mutation ended with.  One that kills the worker is left
 * alone from now on; one at which it was killed without a word is asked once
 * more.  *again: it is. */
static int disable(struct cul_reduce *job, uint32_t mutation, int rc,
                   bool *again, struct cul_err *err) {
  if (rc != CUL_ECHILD && rc != CUL_ELOST)
    return rc;
  *again = rc == CUL_ELOST && job->subject.losses.listing != mutation + 1;
  job->subject.losses.listing = mutation + 1;
  if (*again)
    return cul_reduce_recover(job, rc, err);
  job->subject.statistics[mutation].dead = true;
  if (cul_edit_space_mutation(&job->subject.space, mutation)->flags &
      CUL_MUT_REWRITES)
    cul_status_hiccup(CUL_HICCUP_WORKER,
                      "note:      --mutation %s is left out: it failed to say "
                      "where it edits: %s",
                      job->conf->plugin, err->what);
  return reopen(job, err);
}

/* What found nothing under one command may find something under another. */
static void forget_fruitless(struct cul_reduce *job) {
  for (size_t m = 0; m < job->subject.n_mutations; m++)
    memset(job->subject.statistics[m].fruitless, 0,
           sizeof job->subject.statistics[m].fruitless);
}

/* A worker that was lost on the way is had again; *done and *changed as in
 * struct cul_driven. */
static int drive(struct cul_reduce *job, const struct cul_turn *turns, size_t n,
                 size_t *done, size_t *changed, struct cul_err *err) {
  struct cul_driven driven;
  bool again = false;
  int rc = cul_driver_run(&job->driver, turns, n, &driven, err);
  *done = driven.done;
  *changed = driven.changed;
  if (rc == 0 && driven.unlisted < 0)
    rc = disable(job, turns[driven.next - 1].mutation, driven.unlisted, &again,
                 err);
  if (again)
    *done = driven.next - 1;
  if (rc == CUL_ELOST && driven.opened) { /* from where it stands */
    *done = driven.done - (driven.unlisted == 0);
    *changed = job->subject.space.best_child ? *done + 1 : *changed;
    rc = cul_reduce_recover(job, rc, err);
  }
  return rc;
}

/* Where more is the failure than was known, all is to be asked again. */
static int run_turns(struct cul_reduce *job, const struct cul_turn *turns,
                     size_t n, size_t *done, size_t *changed,
                     struct cul_err *err) {
  bool found = false;
  int rc = drive(job, turns, n, done, changed, err);
  if (rc == 0)
    rc = cul_reduce_seek_places(job, &found, err);
  if (found) {
    forget_fruitless(job);
    if (*changed < *done || *changed == 0)
      *changed = *done ? *done : 1;
  }
  return rc;
}

int cul_reduce_mutate_all(struct cul_reduce *job, const struct cul_turn *turns,
                          size_t n, bool *changed, struct cul_err *err) {
  int rc = 0;
  for (size_t i = 0, done; i < n && rc == 0; i += done) {
    size_t adopted = 0;
    rc = run_turns(job, turns + i, n - i, &done, &adopted, err);
    if (adopted && cul_edit_space_is_command(&job->subject.space,
                                             turns[i + adopted - 1].mutation))
      forget_fruitless(job);
    *changed |= adopted > 0;
  }
  return rc;
}

/* The command, where it is reduced: shorter ones run faster, so first. */
static int shorten(struct cul_reduce *job, bool *changed, struct cul_err *err) {
  int rc = 0;
  if (!job->conf->reduce_command)
    return 0;
  cul_reduce_enter(job, CUL_REDUCE_COMMAND);
  for (uint32_t m = 0; m < job->subject.n_mutations && rc == 0; m++) {
    struct cul_turn turn = {
        .mutation = m, .rule = "halve", .phase = CUL_REDUCE_COMMAND};
    if (job->subject.statistics[m].flags & CUL_MUT_COMMAND)
      rc = cul_reduce_mutate_all(job, &turn, 1, changed, err);
  }
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

static const char *cut_rule(const struct cul_statistics *known) {
  if (known->flags & CUL_MUT_CHAIN)
    return "prefix";
  if (known->flags & CUL_MUT_LARGE)
    return "needed";
  return known->flags & CUL_MUT_RANGE ? "segment" : "lone";
}

/* The rule for subsets of one mutation's sites, by the evidence of
 * bench/search.c: halving needs the fewest runs on modules; on text, where
 * the end must often go before the beginning, one sweep from behind does. */
static const char *subset_rule(const struct cul_reduce *job,
                               const struct cul_statistics *known) {
  if (known->flags & CUL_MUT_ONCE)
    return "minimal";
  if (job->conf->search)
    return job->conf->search;
  if (known->flags & CUL_MUT_LAST)
    return "minimal";
  return job->subject.form.form == CUL_FORM_TEXT ? "sweep" : "halve";
}

const char *cul_reduce_rule(const struct cul_reduce *job, uint32_t mutation) {
  const struct cul_statistics *known = &job->subject.statistics[mutation];
  if (known->phase == CUL_PHASE_CUT)
    return cut_rule(known);
  return known->phase == CUL_PHASE_FINE ? "minimal" : subset_rule(job, known);
}

/* Operations removed per site listed in the last round, highest first; equal
 * ones stay in table order. */
static void order_by_yield(const struct cul_reduce *job, uint32_t *order,
                           size_t n) {
  for (size_t i = 1; i < n; i++)
    for (size_t k = i; k > 0; k--) {
      const struct cul_statistics *a = &job->subject.statistics[order[k - 1]];
      const struct cul_statistics *b = &job->subject.statistics[order[k]];
      uint32_t swap = order[k];
      if (b->round_removed * (a->round_sites + 1) <=
          a->round_removed * (b->round_sites + 1))
        break;
      order[k] = order[k - 1];
      order[k - 1] = swap;
    }
}

/* Turns in a row, so that idle workers look ahead over the end of a phase: the
 * cut; delta; from `last` on the mutations of delta that come once the others
 * are exhausted; from `minimal` on every single site. */
struct row {
  struct cul_turn *turns;
  size_t n, delta, last, minimal;
};

/* What repeats, and what is large: few sites, left soon where they yield
 * nothing.  Ranges are not left. */
static size_t cut_patience(const struct cul_statistics *known) {
  if (known->flags & CUL_MUT_RANGE)
    return 0;
  return known->flags & CUL_MUT_LARGE ? 48 : 16;
}

static void add_cut(const struct cul_reduce *job, struct row *row) {
  for (uint32_t m = 0; m < job->subject.n_mutations; m++) {
    const struct cul_statistics *known = &job->subject.statistics[m];
    if (known->phase == CUL_PHASE_CUT)
      row->turns[row->n++] = (struct cul_turn){.mutation = m,
                                               .rule = cut_rule(known),
                                               .patience = cut_patience(known),
                                               .phase = CUL_REDUCE_CUT};
  }
}

/* Those of order[0..n) with CUL_MUT_LAST, or without. */
static void add_delta(const struct cul_reduce *job, const uint32_t *order,
                      size_t n, uint32_t last, struct row *row) {
  for (size_t i = 0; i < n; i++) {
    const struct cul_statistics *known = &job->subject.statistics[order[i]];
    if ((known->flags & CUL_MUT_LAST) == last)
      row->turns[row->n++] = (struct cul_turn){.mutation = order[i],
                                               .rule = subset_rule(job, known),
                                               .patience = job->patience,
                                               .kind = CUL_TURN_DELTA,
                                               .phase = CUL_REDUCE_DELTA,
                                               .exhausted = last,
                                               .wakes = true};
  }
}

static void add_minimal(const struct cul_reduce *job, struct row *row) {
  for (uint32_t m = 0; m < job->subject.n_mutations; m++)
    if (!(job->subject.statistics[m].flags & (CUL_MUT_RANGE | CUL_MUT_CHAIN)) &&
        job->subject.statistics[m].phase != CUL_PHASE_GROW)
      row->turns[row->n++] = (struct cul_turn){.mutation = m,
                                               .rule = "minimal",
                                               .kind = CUL_TURN_MINIMAL,
                                               .phase = CUL_REDUCE_MINIMAL,
                                               .exhausted = true};
}

static void make_row(const struct cul_reduce *job, const uint32_t *order,
                     size_t n, bool with_cut, struct row *row) {
  row->n = 0;
  if (with_cut)
    add_cut(job, row);
  row->delta = row->n;
  add_delta(job, order, n, 0, row);
  row->last = row->n;
  add_delta(job, order, n, CUL_MUT_LAST, row);
  row->minimal = row->n;
  add_minimal(job, row);
}

/* How a row went. */
enum went {
  WENT_CHANGED, /* a mutation of delta did something */
  WENT_SHORT,   /* nothing did, but some search was left soon */
  WENT_DRY,     /* to its end: nothing did */
  WENT_MINIMAL, /* nothing but a single site; the rest of them was tried too */
};

/* Single sites from turns[from] on; then all of them until nothing goes. */
static int minimal(struct cul_reduce *job, const struct row *row, size_t from,
                   struct cul_err *err) {
  bool again = true;
  int rc =
      cul_reduce_mutate_all(job, row->turns + from, row->n - from, &again, err);
  while (again && rc == 0) {
    again = false;
    rc = cul_reduce_mutate_all(job, row->turns + row->minimal,
                               row->n - row->minimal, &again, err);
  }
  return rc;
}

static int run_row(struct cul_reduce *job, const struct row *row,
                   enum went *went, struct cul_err *err) {
  bool changed = false;
  int rc = 0;
  job->driver.cut_short = false;
  for (size_t i = 0, done; i < row->n && rc == 0; i += done) {
    size_t adopted = 0, end = changed ? row->last : row->n;
    *went = changed ? WENT_CHANGED : WENT_SHORT;
    if (i >= row->last && (changed || job->driver.cut_short))
      return 0;
    rc = run_turns(job, row->turns + i, end - i, &done, &adopted, err);
    if (adopted && i + adopted > row->minimal) {
      *went = WENT_MINIMAL;
      if (cul_edit_space_is_command(&job->subject.space,
                                    row->turns[i + adopted - 1].mutation))
        forget_fruitless(job);
      return rc ? rc : minimal(job, row, i + done, err);
    }
    changed |= adopted && i + adopted > row->delta;
  }
  *went = changed ? WENT_CHANGED : WENT_DRY;
  return rc;
}

/* Rounds until nothing changes: the best yield of the last round first.  A
 * mutation that yields nothing at many sites is left soon; only when no other
 * helps is it asked on. */
static int shrink(struct cul_reduce *job, bool *changed, struct cul_err *err) {
  uint32_t *order =
      cul_xreallocarray(NULL, job->subject.n_mutations, sizeof *order);
  struct row row = {0};
  enum went went = WENT_CHANGED;
  size_t n = 0;
  int rc = 0;
  row.turns =
      cul_xreallocarray(NULL, 3 * job->subject.n_mutations, sizeof *row.turns);
  for (uint32_t m = 0; m < job->subject.n_mutations; m++)
    if (job->subject.statistics[m].phase == CUL_PHASE_DELTA &&
        !(job->subject.statistics[m].flags & (CUL_MUT_RANGE | CUL_MUT_COMMAND)))
      order[n++] = m;
  job->patience = job->subject.form.form == CUL_FORM_TEXT ? 256 : 32;
  for (bool first = true;
       rc == 0 && (went == WENT_CHANGED || went == WENT_SHORT); first = false) {
    if (went == WENT_SHORT)
      job->patience *= 4;
    for (size_t i = 0; i < n; i++)
      job->subject.statistics[order[i]].round_removed =
          job->subject.statistics[order[i]].round_sites = 0;
    make_row(job, order, n, first, &row);
    rc = run_row(job, &row, &went, err);
    order_by_yield(job, order, n);
  }
  job->patience = 0;
  *changed |= went == WENT_MINIMAL;
  free(row.turns);
  free(order);
  return rc;
}

/* What is as small as it gets may still say the same with smaller numbers: 1
 * instead of 8.  Last, and no other edit is tried again for it. */
static int simplify(struct cul_reduce *job, bool *changed,
                    struct cul_err *err) {
  struct cul_turn *turns =
      cul_xreallocarray(NULL, job->subject.n_mutations + 1, sizeof *turns);
  struct cul_size before = job->subject.space.best;
  bool simpler = false;
  size_t n = 0;
  int rc;
  for (uint32_t m = 0; m < job->subject.n_mutations; m++)
    if (job->subject.statistics[m].flags & CUL_MUT_NUMBERS)
      turns[n++] = (struct cul_turn){.mutation = m,
                                     .rule = "halve",
                                     .patience = 8,
                                     .kind = CUL_TURN_NUMBERS,
                                     .phase = job->phase};
  job->subject.space.by_numbers = true;
  rc = cul_reduce_mutate_all(job, turns, n, &simpler, err);
  job->subject.space.by_numbers = false;
  *changed |= cul_size_less(&job->subject.space.best, &before);
  free(turns);
  return rc;
}

int cul_reduce_search(struct cul_reduce *job, struct cul_err *err) {
  bool changed = true;
  int rc = cul_recipe_follow(job, err);
  while (changed && rc == 0) {
    changed = false;
    rc = shorten(job, &changed, err);
    changed = false;
    if (rc == 0)
      rc = shrink(job, &changed, err);
    if (job->phase != CUL_REDUCE_MINIMAL)
      cul_reduce_enter(job, CUL_REDUCE_MINIMAL);
    if (rc == 0 && !changed)
      rc = cul_reduce_grow(job, &changed, err);
    if (rc == 0 && !changed)
      rc = simplify(job, &changed, err);
    if (rc == 0 && !changed)
      rc = cul_heap_seek(job, &changed, err);
    if (changed && job->target.oracle_conf.crash.layouts)
      forget_fruitless(job);
  }
  return rc;
}
