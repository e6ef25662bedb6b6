/* Which values the arguments of a function under test get, as one word: what
 * is drawn, and what of it is something simpler.
 *
 *   integers                   as drawn, all of them
 *   integers,0=ones,2=zeros    argument 0 is 1 everywhere, argument 2 is 0
 *   reals,1=drawn@0-3+9        of argument 1 the elements 0 to 3 and 9, counted
 *                              row by row, are as drawn; the others are 0
 *   integers,0=index@7         element 7 is 8: 1 and its own number */
#ifndef CUL_REDUCER_ENGINES_PLAN_RECIPE_H
#define CUL_REDUCER_ENGINES_PLAN_RECIPE_H

#include "inputs.h"

struct cul_recipe_argument;
struct cul_recipe {
  enum cul_input_kind kind;
  struct cul_recipe_argument *items; /* heap */
  size_t n;
};

/* False: text is no recipe; out is then empty.  Release out. */
bool cul_recipe_parse(const char *text, struct cul_recipe *out);
void cul_recipe_release(struct cul_recipe *recipe);
/* As cul_inputs_fill, and what the recipe makes of it. */
void cul_recipe_fill(const struct cul_recipe *recipe, uint64_t seed,
                     uint64_t argument, struct cul_tensor *tensor);

#endif
