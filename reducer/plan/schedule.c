/* The schedule of a reduction (docs/architecture.md).  First cut the graph;
 * then delta-debug mutation by mutation, ordered by what each has yielded; then
 * try every single site of every mutation until nothing can be removed, and the
 * growing edits.  Decisions depend on counts, never on time. */
#include <stdlib.h>
#include <string.h>

#include "../../base/files/file.h"
#include "../../base/status.h"
#include "../driver/singles.h"
#include "../job/job.h"
#include "../job/watch.h"
#include "../mutations/mutation.h"
#include "../search/search.h"
#include "heap.h"
#include "pass_through.h"
#include "plan.h"
#include "recipe.h"
#include "reread.h"
#include "unproven.h"

/* ---- places ---- */

/* Failures found during the search that may be the sought one: see
 * reduce_seek_places. */

static int ask(struct cul_reduce *job, const struct cul_other_failure *other,
               bool *taken, struct cul_err *err) {
  struct cul_buf text = {0};
  int rc = cul_held_read(&job->target.place.held, other->file, 0, &text, err);
  if (rc == 0)
    rc = cul_target_seek_place(&job->target, &other->sig, cul_buf_bytes(&text),
                               taken, err);
  cul_buf_release(&text);
  return rc;
}

/* Ask of each other failure that is met again and again, and is of the sought
 * kind, whether it is the sought failure in another place
 * (cul_target_seek_place).  *found: one is. */
static int reduce_seek_places(struct cul_reduce *job, bool *found,
                              struct cul_err *err) {
  int rc = 0;
  *found = false;
  for (size_t i = job->others.n; i-- > 0 && rc == 0;) {
    struct cul_other_failure *other = &job->others.items[i];
    bool taken = false;
    if (!cul_other_failures_is_due(&job->others, i))
      continue;
    other->asked = true;
    job->others.n_asked++;
    rc = ask(job, other, &taken, err);
    if (taken)
      cul_other_failures_drop(&job->others, i);
    *found |= taken;
  }
  if (rc == 0 && *found)
    cul_reduce_name_points(job);
  return rc;
}

/* ---- schedule ---- */

/* Replace the worker, dead or alive, by one that holds the last output. */
static int reopen(struct cul_reduce *job, struct cul_err *err) {
  struct cul_edit_space *space = &job->subject.space;
  struct cul_chosen_form again = {0};
  int rc;
  job->subject.losses.origins = true;
  cul_worker_close(space->worker);
  space->worker = NULL;
  rc = cul_form_identity(&job->subject.workers,
                         cul_form_reading(&job->subject.form),
                         cul_pieces_flat(&job->output.written), &again, err);
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
  /* A growing edit's revision exists only in the lost worker, so grow_once
   * recovers. */
  if (rc != CUL_ELOST || job->subject.space.floor ||
      job->subject.losses.n++ >= MOST_LOST)
    return rc;
  cul_status_transient(
      CUL_TRANSIENT_WORKER,
      "note:      culprit lost a process that makes candidates (%s) "
      "and starts another one",
      err->what);
  /* The best candidate lives in a process of its own, which may have survived.
   */
  if (job->subject.space.best.child &&
      cul_edit_space_adopt(&job->subject.space, &adopted, err) == 0)
    return 0;
  return reopen(job, err);
}

/* Handle rc, the error of listing a mutation.  A mutation that crashes the
 * worker is disabled.  If the worker was killed from outside, the mutation is
 * listed once more (*again) before it is disabled. */
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
    cul_status_transient(
        CUL_TRANSIENT_WORKER,
        "note:      --mutation %s is disabled: it failed while "
        "it listed its places: %s",
        job->conf->plugin, err->what);
  return reopen(job, err);
}

/* Run turns, and recover a worker that was lost during them.  *done, *changed:
 * as in struct cul_driven. */
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
  if (rc == CUL_ELOST && driven.opened) { /* the last turn runs again */
    *done = driven.done - (driven.unlisted == 0);
    *changed = job->subject.space.best.child ? *done + 1 : *changed;
    rc = cul_reduce_recover(job, rc, err);
  }
  return rc;
}

static int demand_hang(struct cul_reduce *job, struct cul_err *err) {
  bool refuted;
  int rc = cul_long_run_refutes(&job->long_run, false, &refuted, err);
  return rc == 0 && refuted
             ? cul_fail(err, CUL_EFLAKY, "", "the input does not hang")
             : rc;
}

/* cul_rounds.run.  If more failures turn out to be the sought one, every
 * mutation may find something again. */
static int run_turns(void *self, const struct cul_turn *turns, size_t n,
                     size_t *done, size_t *changed, struct cul_err *err) {
  struct cul_reduce *job = self;
  bool found = false;
  int rc = drive(job, turns, n, done, changed, err);
  if (rc == 0)
    rc = demand_hang(job, err);
  if (rc == 0)
    rc = cul_unproven_settle(job, false, &found, err);
  if (rc == 0)
    rc = reduce_seek_places(job, &found, err);
  if (found) {
    cul_rounds_forget(&job->rounds);
    if (*changed < *done || *changed == 0)
      *changed = *done ? *done : 1;
  }
  return rc;
}

static void begin_rounds(struct cul_reduce *job) {
  job->rounds = (struct cul_rounds){
      .driver = &job->driver,
      .n_mutations = job->subject.n_mutations,
      .search = job->conf->search,
      .is_text = job->subject.form.form == CUL_FORM_TEXT,
      .enters = job->subject.workers.entries != NULL,
      .cut = CUL_REDUCE_CUT,
      .delta = CUL_REDUCE_DELTA,
      .minimal = CUL_REDUCE_MINIMAL,
      .run = run_turns,
      .self = job,
  };
}

/* Shorten the command, if it is reduced: first, since shorter commands run
 * faster. */
static int shorten(struct cul_reduce *job, bool *changed, struct cul_err *err) {
  int rc = 0;
  if (!job->conf->reduce_command)
    return 0;
  cul_reduce_enter(job, CUL_REDUCE_COMMAND);
  for (uint32_t m = 0; m < job->subject.n_mutations && rc == 0; m++) {
    struct cul_turn turn = {
        .mutation = m, .rule = "halve", .phase = CUL_REDUCE_COMMAND};
    if (job->subject.statistics[m].flags & CUL_MUT_COMMAND)
      rc = cul_rounds_run(&job->rounds, &turn, 1, changed, err);
  }
  return rc;
}

int cul_reduce_command_alone(struct cul_reduce *job, struct cul_err *err) {
  bool changed = true;
  int rc = 0;
  begin_rounds(job);
  while (changed && rc == 0) {
    changed = false;
    rc = shorten(job, &changed, err);
  }
  return rc;
}

static int reduce_grow(struct cul_reduce *job, bool *changed,
                       struct cul_err *err);

/* Replace numbers of the smallest subject by smaller ones, such as 8 by 1. This
 * comes last, and no other mutation is tried again after it. */
static int simplify(struct cul_reduce *job, bool *changed,
                    struct cul_err *err) {
  struct cul_turn *turns =
      cul_xreallocarray(NULL, job->subject.n_mutations + 1, sizeof *turns);
  struct cul_size before = job->subject.space.best.size;
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
  rc = cul_rounds_run(&job->rounds, turns, n, &simpler, err);
  job->subject.space.by_numbers = false;
  *changed |= cul_size_less(&job->subject.space.best.size, &before);
  free(turns);
  return rc;
}

/* ---- the recipe of an earlier job: the cut ---- */

enum {
  PATIENCE = 4,   /* refusals in a row that end a mutation's search */
  FRUITLESS = 3,  /* mutations without a result that end the recipe */
  FARTHEST = 256, /* sites from the first end of a cut to its last, at most */
};

/* A range of sites whose ends resemble those of the recipe's cut. */
struct place {
  uint32_t ids[2];
  bool alike; /* both ends have the shape of the recipe's, not just the name */
  uint64_t weight; /* of all sites in the range */
};

struct places {
  struct place items[CUL_RECIPE_PLACES];
  size_t n;
};

static bool is_better(const struct place *a, const struct place *b) {
  return a->alike != b->alike ? a->alike : a->weight < b->weight;
}

/* Insert in order, the best first; among equals the earlier one first. */
static void add_place(struct places *places, struct place place) {
  size_t at = places->n;
  while (at > 0 && is_better(&place, &places->items[at - 1]))
    at--;
  if (at == CUL_RECIPE_PLACES)
    return;
  if (places->n < CUL_RECIPE_PLACES)
    places->n++;
  memmove(&places->items[at + 1], &places->items[at],
          (places->n - at - 1) * sizeof place);
  places->items[at] = place;
}

/* Find the nearest site that can end a cut beginning at site `first`. */
static bool find_end(const struct cul_listing *list, uint32_t first,
                     const struct cul_part *part, struct place *out) {
  const struct cul_listed *sites = list->sites;
  size_t end = first + 1 + (part->single ? 0 : FARTHEST);
  *out = (struct place){.ids = {first, first}};
  for (size_t i = first; i < end && i < list->n_sites; i++) {
    if (sites[i].group != sites[first].group)
      continue;
    out->weight += sites[i].weight;
    if ((i == first) != part->single || sites[i].like.name != part->last.name)
      continue;
    out->ids[1] = (uint32_t)i;
    out->alike = sites[first].like.shape == part->first.shape &&
                 sites[i].like.shape == part->last.shape;
    return true;
  }
  return false;
}

static void find_places(const struct cul_listing *list,
                        const struct cul_part *part, struct places *out) {
  for (uint32_t i = 0; i < list->n_sites; i++) {
    struct place place;
    if (list->sites[i].like.name == part->first.name &&
        find_end(list, i, part, &place))
      add_place(out, place);
  }
}

/* Try to keep only a place that resembles the recipe's cut.  *kept: one was
 * accepted. */
static int keep_like(struct cul_reduce *job, uint32_t mutation,
                     const struct cul_part *part, bool *kept,
                     struct cul_err *err) {
  struct cul_singles singles = {0};
  struct places places = {0};
  size_t first;
  int rc = cul_edit_space_list(&job->subject.space, mutation, err);
  if (rc < 0)
    return rc;
  find_places(&job->subject.space.lists[0], part, &places);
  for (size_t i = 0; i < places.n; i++)
    singles.points[singles.n++] = (struct cul_point){
        places.items[i].ids, places.items[i].ids[0] == places.items[i].ids[1]
                                 ? (size_t)1
                                 : (size_t)2};
  rc = cul_singles_run(&job->driver, &singles, &first, err);
  if (rc == 0)
    rc = cul_edit_space_adopt(&job->subject.space, kept, err);
  return rc;
}

/* ---- all of a recipe ---- */

/* Find a mutation by name; false: there is none, or it is disabled. */
static bool find_mutation(const struct cul_reduce *job, const char *name,
                          uint32_t *out) {
  for (uint32_t m = 0; m < job->subject.n_mutations; m++)
    if (!job->subject.statistics[m].dead &&
        !strcmp(job->subject.statistics[m].name, name)) {
      *out = m;
      return true;
    }
  return false;
}

/* The index of the recipe's last step that is a cut with known ends; the number
 * of steps if there is none. */
static size_t find_cut(const json_t *steps, struct cul_part *part) {
  size_t n = json_array_size(steps);
  for (size_t i = n; i-- > 0;)
    if (cul_recipe_part_parse(json_object_get(json_array_get(steps, i), "part"),
                              part))
      return i;
  return n;
}

/* Run the mutations of the steps from `from` on, each once. */
static int repeat(struct cul_reduce *job, const json_t *steps, size_t from,
                  struct cul_err *err) {
  size_t fruitless = 0;
  int rc = 0;
  for (size_t i = from;
       i < json_array_size(steps) && fruitless < FRUITLESS && rc == 0; i++) {
    struct cul_turn turn = {.patience = PATIENCE,
                            .kind = CUL_TURN_DELTA,
                            .phase = CUL_REDUCE_DELTA};
    bool changed = false;
    if ((i > from && !strcmp(cul_recipe_mutation(steps, i),
                             cul_recipe_mutation(steps, i - 1))) ||
        !find_mutation(job, cul_recipe_mutation(steps, i), &turn.mutation) ||
        job->subject.statistics[turn.mutation].phase == CUL_PHASE_GROW ||
        cul_edit_space_is_command(&job->subject.space, turn.mutation))
      continue;
    turn.rule = cul_rounds_rule(&job->rounds, turn.mutation);
    rc = cul_rounds_run(&job->rounds, &turn, 1, &changed, err);
    fruitless += !changed;
  }
  return rc;
}

static int follow_recipe(struct cul_reduce *job, struct cul_err *err) {
  const json_t *steps = json_object_get(job->conf->recipe, "steps");
  uint64_t before = job->target.probe.counts.executed;
  struct cul_part part;
  size_t cut = find_cut(steps, &part);
  bool fits = false;
  uint32_t mutation;
  int rc = 0;
  if (!job->conf->recipe)
    return 0;
  cul_reduce_enter(job, CUL_REDUCE_CUT);
  if (cut < json_array_size(steps) &&
      find_mutation(job, cul_recipe_mutation(steps, cut), &mutation))
    rc = cul_reduce_recover(job, keep_like(job, mutation, &part, &fits, err),
                            err);
  if (rc == 0 && fits)
    rc = repeat(job, steps, cut + 1, err);
  job->recipe.how = fits ? "followed" : "given up";
  job->recipe.runs = job->target.probe.counts.executed - before;
  return rc;
}

/* Search in the present form until no edit finds anything. */
static int exhaust(struct cul_reduce *job, struct cul_err *err) {
  bool changed = true;
  int rc = 0;
  while (changed && rc == 0) {
    changed = false;
    rc = shorten(job, &changed, err);
    changed = false;
    if (rc == 0)
      rc = cul_rounds_shrink(&job->rounds, &changed, err);
    if (job->phase != CUL_REDUCE_MINIMAL)
      cul_reduce_enter(job, CUL_REDUCE_MINIMAL);
    if (rc == 0 && !changed)
      rc = reduce_grow(job, &changed, err);
    if (rc == 0 && !changed)
      rc = simplify(job, &changed, err);
    if (rc == 0 && !changed)
      rc = cul_pass_through(job, &changed, err);
    if (rc == 0 && !changed)
      rc = cul_heap_seek(job, &changed, err);
    if (changed && job->target.oracle_conf.crash.layouts)
      cul_rounds_forget(&job->rounds);
  }
  return rc;
}

/* As exhaust, in a form that is new. */
static int search_form(struct cul_reduce *job, struct cul_err *err) {
  begin_rounds(job);
  return exhaust(job, err);
}

int cul_reduce_search(struct cul_reduce *job, struct cul_err *err) {
  enum cul_reread end = CUL_REREAD_SMALLER;
  int rc;
  begin_rounds(job);
  rc = follow_recipe(job, err);
  if (rc == 0)
    rc = cul_standalone(job, err);
  if (rc == 0)
    rc = exhaust(job, err);
  while (rc == 0 && end == CUL_REREAD_SMALLER)
    rc = cul_reread(job, search_form, &end, err);
  if (end == CUL_REREAD_BACK)
    begin_rounds(job);
  return rc;
}

/* ---- grow ---- */

/* Growing edits make the subject larger so that other edits can make it smaller
 * than it was.  A growing edit that still shows the failure is accepted
 * provisionally, and the mutations of delta debugging follow, site by site.  If
 * the result is smaller than before, it is kept.  All of this happens in a
 * second worker, beside the one that holds the best candidate; the output and
 * the report are not touched until the result is kept. */

/* Find the first site from *at on whose growing edit shows the failure.  *at:
 * its number; the candidate is space->best.child, NULL if there is none. */
static int find_one(struct cul_reduce *job, uint32_t mutation, uint32_t *at,
                    struct cul_err *err) {
  struct cul_edit_space *space = &job->subject.space;
  struct cul_singles singles = {.from = *at};
  uint32_t ids[CUL_MAX_SINGLES];
  size_t first;
  int rc = cul_edit_space_list(space, mutation, err);
  if (rc < 0)
    return rc;
  while (singles.n < CUL_MAX_SINGLES && singles.n < space->lists[0].n_sites) {
    ids[singles.n] = (uint32_t)singles.n;
    singles.points[singles.n] = (struct cul_point){&ids[singles.n], 1};
    singles.n++;
  }
  if (*at == 0)
    job->subject.statistics[mutation].sites += singles.n;
  space->may_grow = true;
  rc = cul_singles_run(&job->driver, &singles, &first, err);
  space->may_grow = false;
  *at = (uint32_t)first;
  return rc;
}

/* Open a second worker with the grown candidate and make it the space's; *kept:
 * the first worker.  *taken: false if the candidate's text does not parse. */
static int enter(struct cul_reduce *job, struct cul_worker **kept, bool *taken,
                 struct cul_err *err) {
  struct cul_edit_space *space = &job->subject.space;
  struct cul_chosen_form found = {0};
  struct cul_buf text = {0};
  struct cul_err unread = {0};
  int rc = cul_child_text(space->best.child, &text, err);
  *taken =
      rc == 0 && cul_form_identity(&job->subject.workers,
                                   cul_form_reading(&job->subject.form),
                                   cul_buf_bytes(&text), &found, &unread) == 0;
  if (*taken) {
    *kept = space->worker;
    space->worker = found.worker;
    found.worker = NULL;
    space->revision = space->best.digest = found.digest;
    space->best.size = found.size;
  }
  cul_chosen_form_release(&found);
  cul_buf_release(&text);
  return rc;
}

/* Run the mutations of delta debugging, site by site, until nothing changes. */
static int grow_shrink(struct cul_reduce *job, struct cul_err *err) {
  struct cul_turn *turns =
      cul_xreallocarray(NULL, job->subject.n_mutations + 1, sizeof *turns);
  bool again = true;
  size_t n = 0;
  int rc = 0;
  for (uint32_t m = 0; m < job->subject.n_mutations; m++)
    if (job->subject.statistics[m].phase == CUL_PHASE_DELTA &&
        !(job->subject.statistics[m].flags & (CUL_MUT_RANGE | CUL_MUT_COMMAND)))
      turns[n++] = (struct cul_turn){.mutation = m,
                                     .rule = "minimal",
                                     .kind = CUL_TURN_MINIMAL,
                                     .phase = job->phase};
  while (again && rc == 0) {
    again = false;
    rc = cul_rounds_run(&job->rounds, turns, n, &again, err);
  }
  free(turns);
  return rc;
}

/* Shrink the grown subject.  First look for a single step to below the floor
 * (the size before the growing edit): with several steps, the first may only
 * undo the growing edit.  If there is none and the growing edit changes the
 * whole module (once), allow several steps; other growing edits have too many
 * sites for that. */
static int shrink_below(struct cul_reduce *job, bool once,
                        struct cul_err *err) {
  struct cul_edit_space *space = &job->subject.space;
  struct cul_size size = space->best.size;
  int rc;
  space->best.size = *space->floor;
  rc = grow_shrink(job, err);
  if (rc < 0 || !once || cul_size_less(&space->best.size, space->floor))
    return rc;
  space->best.size = size;
  cul_rounds_forget(&job->rounds);
  return grow_shrink(job, err);
}

/* Close one of the two workers: the growing edit's, or if it gained, the first.
 */
static void leave(struct cul_reduce *job, struct cul_worker *kept,
                  bool gained) {
  struct cul_worker *gone = gained ? kept : job->subject.space.worker;
  if (!gained)
    job->subject.space.worker = kept;
  job->subject.losses.origins |= gained;
  cul_worker_close(gone);
}

/* Try one growing edit, at the first site from *at on that shows the failure.
 * *at: the next site to try.  *taken: there was such a site.  *gained: the
 * subject became smaller. */
static int grow_once(struct cul_reduce *job, uint32_t mutation, uint32_t *at,
                     bool *taken, bool *gained, struct cul_err *err) {
  struct cul_edit_space *space = &job->subject.space;
  struct cul_size before = space->best.size;
  struct cul_digest digest = space->best.digest;
  struct cul_worker *kept = NULL;
  bool lost = job->subject.losses.origins;
  int rc;
  space->floor = &before;
  space->avoid = digest;
  rc = find_one(job, mutation, at, err);
  *taken = rc == 0 && space->best.child;
  if (*taken)
    rc = enter(job, &kept, taken, err);
  cul_child_drop(space->best.child);
  space->best.child = NULL;
  if (rc == 0 && *taken)
    rc = shrink_below(
        job, job->subject.statistics[mutation].flags & CUL_MUT_ONCE, err);
  ++*at;
  space->floor = NULL;
  *gained = kept && cul_size_less(&space->best.size, &before);
  if (!*gained) { /* back to the subject of the output */
    space->best.size = before;
    space->revision = space->best.digest = digest;
    job->target.probe.best_ops = before.ops;
    job->subject.losses.origins = lost;
  }
  if (kept)
    leave(job, kept, *gained);
  if (*gained)
    cul_reduce_gained(job, mutation, &before);
  if (rc == CUL_ELOST) { /* try the same site with another worker */
    rc = cul_reduce_recover(job, rc, err);
    *taken = rc == 0;
    --*at;
  }
  return rc;
}

static bool is_growing(const struct cul_statistics *known) {
  return !known->dead &&
         (known->phase == CUL_PHASE_GROW || (known->flags & CUL_MUT_GROWS));
}

/* Try all growing edits at all sites, until one gains. */
static int reduce_grow(struct cul_reduce *job, bool *changed,
                       struct cul_err *err) {
  bool gained = false;
  int rc = 0;
  for (uint32_t m = 0; m < job->subject.n_mutations && rc == 0 && !gained;
       m++) {
    struct cul_statistics *known = &job->subject.statistics[m];
    bool taken = true;
    if (!is_growing(known) ||
        cul_digest_equal(&known->grown, &job->subject.space.revision))
      continue;
    for (uint32_t at = 0; taken && !gained && rc == 0;) {
      rc = grow_once(job, m, &at, &taken, &gained, err);
      taken &= !cul_reduce_skips(job, m);
    }
    known->grown = job->subject.space.revision;
  }
  *changed |= gained; /* all other mutations run again before the next */
  return rc;
}
