/* Estimates which points can be built and tested.  Broken points come in runs:
 * a two-state chain along first parents, with unknown share of broken points
 * and unknown length of runs; both are averaged over a grid of values, weighted
 * by how well they explain the tried points.  Source: two-state Markov
 * model. */
#ifndef CUL_BISECT_SEARCH_BROKEN_H
#define CUL_BISECT_SEARCH_BROKEN_H

#include "dag.h"

enum cul_bisect_state { CUL_UNTRIED, CUL_WORKS, CUL_BROKEN_POINT };

/* works[c] = the probability that candidate c can be tested, given the states
 * of others; 1 or 0 if c was tried.  state: per point, including outer ones;
 * outer parents that are CUL_UNTRIED give no information.  O(n). */
void cul_broken_chances(const struct cul_dag *dag, const uint8_t *state,
                        double *works);

#endif
