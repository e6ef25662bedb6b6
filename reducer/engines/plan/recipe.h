/* A recipe: one word that defines the values of the entry's arguments: the kind
 * of generated values, and for single arguments simpler values or a subset of
 * elements.
 *
 *   integers                   all as generated
 *   integers,0=ones,2=zeros    argument 0 is 1 everywhere, argument 2 is 0
 *   reals,1=drawn@0-3+9        elements 0 to 3 and 9 of argument 1, counted
 *                              row by row, are as generated; the others are 0
 *   integers,0=index@7         element 7 is 8: 1 plus its number */
#ifndef CUL_REDUCER_ENGINES_PLAN_RECIPE_H
#define CUL_REDUCER_ENGINES_PLAN_RECIPE_H

#include "inputs.h"

struct cul_recipe_argument;
struct cul_recipe {
  enum cul_input_kind kind;
  struct cul_recipe_argument *items; /* heap */
  size_t n;
};

/* Parse a recipe; false: the text is no recipe, and out is empty.  Release
 * out. */
bool cul_recipe_parse(const char *text, struct cul_recipe *out);
void cul_recipe_release(struct cul_recipe *recipe);
/* Fill the tensor as cul_inputs_fill does, then apply the recipe. */
void cul_recipe_fill(const struct cul_recipe *recipe, uint64_t seed,
                     uint64_t argument, struct cul_tensor *tensor);

#endif
