/* The state of a bisector, shared by bisector*.c. */
#ifndef CUL_BISECT_SEARCH_BISECTOR_PRIVATE_H
#define CUL_BISECT_SEARCH_BISECTOR_PRIVATE_H

#include "bisector.h"

struct under_way {
  struct cul_bisect_step step;
  uint32_t left;
};
enum { MOST_UNDER_WAY = 64 };

struct cul_bisector {
  struct cul_bisect_conf conf;
  const struct cul_dag *dag;
  struct cul_dag_chains chains;
  struct cul_evidence evidence;
  uint8_t *state; /* enum cul_bisect_state, per point */
  /* runs of a working point since the last one with information */
  uint8_t *mute;
  struct under_way steps[MOST_UNDER_WAY];
  size_t n_steps;
  uint32_t runs, builds, broken;
  uint32_t last;  /* point that was run last */
  bool stale;     /* the members below are older than the last outcome */
  double *weight; /* weights of hypotheses that the search distinguishes */
  /* per candidate: mass of the hypotheses that it would contain */
  double *mass;
  double *works;
  double *cell;      /* scratch: weights of one cell */
  uint64_t *outcome; /* scratch: which steps under way would fail */
  bool *marks;
};

#endif
