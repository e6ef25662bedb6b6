/* Recipes of reductions: see recipe.h. */
#include "recipe.h"

#include <stdio.h>
#include <string.h>

#include "../driver/singles.h"
#include "../job/job.h"
#include "../mutations/mutation.h"
#include "plan.h"

enum {
  PATIENCE = 4,   /* "no" in a row until a mutation is left */
  FRUITLESS = 3,  /* mutations that yield nothing until all are */
  FARTHEST = 256, /* sites from the first end of a cut to its last */
};

/* ---- as JSON ---- */

static bool like_parse(const json_t *json, struct cul_like *out) {
  const char *text = json_string_value(json);
  return text && sscanf(text, "%8x.%8x", &out->name, &out->shape) == 2;
}

static bool part_parse(const json_t *json, struct cul_part *out) {
  size_t n = json_array_size(json);
  *out = (struct cul_part){.single = n == 1};
  return n > 0 && like_parse(json_array_get(json, 0), &out->first) &&
         like_parse(json_array_get(json, n - 1), &out->last);
}

static const char *mutation_at(const json_t *steps, size_t i) {
  return json_string_value(
      json_object_get(json_array_get(steps, i), "mutation"));
}

json_t *cul_recipe_of(const json_t *report) {
  const json_t *given = json_object_get(report, "steps"), *step;
  json_t *steps;
  size_t i;
  if (json_array_size(given) == 0)
    return NULL;
  steps = json_array();
  json_array_foreach(given, i, step) {
    json_t *own = json_object();
    json_object_set(own, "mutation", json_object_get(step, "mutation"));
    if (json_object_get(step, "part"))
      json_object_set(own, "part", json_object_get(step, "part"));
    json_array_append_new(steps, own);
  }
  return json_pack("{s:o}", "steps", steps);
}

int cul_recipe_check(const json_t *recipe, const char *file,
                     struct cul_err *err) {
  const json_t *steps = json_object_get(recipe, "steps");
  bool good = json_is_array(steps);
  for (size_t i = 0; i < json_array_size(steps); i++)
    good = good && mutation_at(steps, i);
  if (good)
    return 0;
  return cul_fail(err, CUL_EUSAGE,
                  "give the report of an earlier reduction: reduce --json",
                  "--recipe: %s has no list of steps", file);
}

/* ---- the cut ---- */

/* A range of sites that may be what is sought, and how well it looks. */
struct place {
  uint32_t ids[2];
  bool alike; /* in all */
  uint64_t weight;
};

struct places {
  struct place items[CUL_RECIPE_PLACES];
  size_t n;
};

static bool is_better(const struct place *a, const struct place *b) {
  return a->alike != b->alike ? a->alike : a->weight < b->weight;
}

/* In order, the best first, of equals the one that comes first. */
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

/* The nearest last end of a cut that begins at site `first`. */
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

/* Keep what is alike, and nothing else. */
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

/* ---- all of it ---- */

/* By name, as long as it may be used. */
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

/* The last cut of a recipe whose ends are known; n where there is none. */
static size_t find_cut(const json_t *steps, struct cul_part *part) {
  size_t n = json_array_size(steps);
  for (size_t i = n; i-- > 0;)
    if (part_parse(json_object_get(json_array_get(steps, i), "part"), part))
      return i;
  return n;
}

/* The mutations from step `from` on, one after the other. */
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
    if ((i > from &&
         !strcmp(mutation_at(steps, i), mutation_at(steps, i - 1))) ||
        !find_mutation(job, mutation_at(steps, i), &turn.mutation) ||
        job->subject.statistics[turn.mutation].phase == CUL_PHASE_GROW ||
        cul_edit_space_is_command(&job->subject.space, turn.mutation))
      continue;
    turn.rule = cul_reduce_rule(job, turn.mutation);
    rc = cul_reduce_mutate_all(job, &turn, 1, &changed, err);
    fruitless += !changed;
  }
  return rc;
}

int cul_recipe_follow(struct cul_reduce *job, struct cul_err *err) {
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
      find_mutation(job, mutation_at(steps, cut), &mutation))
    rc = cul_reduce_recover(job, keep_like(job, mutation, &part, &fits, err),
                            err);
  if (rc == 0 && fits)
    rc = repeat(job, steps, cut + 1, err);
  job->recipe.how = fits ? "followed" : "given up";
  job->recipe.runs = job->target.probe.counts.executed - before;
  return rc;
}
