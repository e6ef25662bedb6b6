/* The recipe of an earlier reduction, tried first on a sibling: another input
 * that probably fails for the same reason.
 *
 * A recipe lists what was accepted, in order: the mutations and, for the cut of
 * the module, the operations at its ends (struct cul_like).  Places in one
 * module mean nothing in another, so places are found anew: those of the cut by
 * similarity, those of other mutations by their own search.  The oracle judges
 * every candidate, and the usual reduction follows.  A recipe is given up, and
 * changes nothing, if its cut fits nowhere or if it has no cut (as with text).
 */
#ifndef CUL_REDUCER_PLAN_RECIPE_H
#define CUL_REDUCER_PLAN_RECIPE_H

#include <jansson.h>

#include "../job/job.h"

/* How many similar places are tried, one run each, before the recipe is given
 * up. */
enum { CUL_RECIPE_PLACES = 4 };

/* Extract the recipe from a report (report.json); a new reference.  NULL:
 * nothing was accepted. */
json_t *cul_recipe_of(const json_t *report);
/* Check that the JSON of `file` is a recipe.  Errors: EUSAGE. */
CUL_MUST_CHECK int cul_recipe_check(const json_t *recipe, const char *file,
                                    struct cul_err *err);
/* The mutation of step i, borrowed; NULL: the recipe has no step i. */
static inline const char *cul_recipe_mutation(const json_t *steps, size_t i) {
  return json_string_value(
      json_object_get(json_array_get(steps, i), "mutation"));
}
/* Parse the ends of a cut, as in a report; false: json is not such an object.
 */
bool cul_recipe_part_parse(const json_t *json, struct cul_part *out);

#endif
