/* How much do runs at a point tell? */
#ifndef CUL_BISECT_SEARCH_GAIN_H
#define CUL_BISECT_SEARCH_GAIN_H

#include "evidence.h"

/* Numbers of runs that are asked for at a time. */
#define CUL_GAIN_BATCHES 5
extern const uint32_t cul_gain_batches[CUL_GAIN_BATCHES];

#define CUL_GAIN_GRID 256
struct cul_gain {
  /* Mutual information in bits between "the point holds the culprit" and the
   * number of failures among the runs, by the probability of the former. */
  double bits[CUL_GAIN_BATCHES][CUL_GAIN_GRID + 1];
};

/* Runs fail at these rates.  Source: the capacity of the binomial channel. */
void cul_gain_fill(struct cul_bisect_rates rates, struct cul_gain *out);
/* mass: the probability that the point holds the culprit, 0..1. */
double cul_gain_bits(const struct cul_gain *gain, size_t batch, double mass);

#endif
