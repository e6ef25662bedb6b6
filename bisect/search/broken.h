/* Which points can be built and tested?  Broken ones come in runs: a chain of
 * two states along first parents, with unknown share of broken points and
 * unknown length of runs, both averaged over a grid of values by how well
 * they explain what was tried.  Source: two-state Markov model. */
#ifndef CUL_BISECT_SEARCH_BROKEN_H
#define CUL_BISECT_SEARCH_BROKEN_H

#include "dag.h"

enum cul_bisect_state { CUL_UNTRIED, CUL_WORKS, CUL_BROKEN_POINT };

/* works[c] = the chance that candidate c can be tested, given what is known
 * of others (state: per point, outer ones included; the parents of the oldest
 * candidates that are outer and CUL_UNTRIED say nothing).  1 and 0 where it was
 * tried.  O(n). */
void cul_broken_chances(const struct cul_dag *dag, const uint8_t *state,
                        double *works);

#endif
