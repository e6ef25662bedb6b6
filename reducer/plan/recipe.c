/* Recipes of reductions: see recipe.h. */
#include "recipe.h"

#include <stdio.h>
#include <string.h>

#include "../job/job.h"

/* ---- as JSON ---- */

static bool like_parse(const json_t *json, struct cul_like *out) {
  const char *text = json_string_value(json);
  return text && sscanf(text, "%8x.%8x", &out->name, &out->shape) == 2;
}

bool cul_recipe_part_parse(const json_t *json, struct cul_part *out) {
  size_t n = json_array_size(json);
  *out = (struct cul_part){.single = n == 1};
  return n > 0 && like_parse(json_array_get(json, 0), &out->first) &&
         like_parse(json_array_get(json, n - 1), &out->last);
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
    good = good && cul_recipe_mutation(steps, i);
  if (good)
    return 0;
  return cul_fail(err, CUL_EUSAGE,
                  "give the report of an earlier reduction: reduce --json",
                  "--recipe: %s has no list of steps", file);
}
