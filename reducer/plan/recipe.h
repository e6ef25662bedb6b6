/* The recipe of an earlier reduction, tried first on a sibling: another input
 * that is thought to fail for the same reason.
 *
 * A recipe is what was accepted, in order: mutations, and of the cut of the
 * module what stands at its ends (struct cul_like).  No place of one module is
 * one of another, so places are found anew: the cut's by what is alike, those
 * of other mutations by their own search.  The oracle judges every candidate,
 * and all that a reduction does otherwise follows: a recipe whose cut fits
 * nowhere, or that has none (as in text), is given up, and nothing changes. */
#ifndef CUL_REDUCER_PLAN_RECIPE_H
#define CUL_REDUCER_PLAN_RECIPE_H

#include <jansson.h>

#include "../job/job.h"

/* Places where what is alike is looked for: so many runs, and a recipe that
 * fits at none of them is given up. */
enum { CUL_RECIPE_PLACES = 4 };

/* What of a report (report.json) is needed to follow it; a new reference.
 * NULL: nothing was accepted. */
json_t *cul_recipe_of(const json_t *report);
/* Is it one?  Errors: EUSAGE. */
CUL_MUST_CHECK int cul_recipe_check(const json_t *recipe, const char *file,
                                    struct cul_err *err);
/* The mutation of step i, borrowed; NULL: there is none. */
const char *cul_recipe_mutation(const json_t *steps, size_t i);
/* The ends of a cut, as a report has them; false: it is no such thing. */
bool cul_recipe_part_parse(const json_t *json, struct cul_part *out);

#endif
