/* Shared by the steps of the work on buckets; private to this folder. */
#ifndef CUL_TRIAGE_WORK_WORK_PRIVATE_H
#define CUL_TRIAGE_WORK_WORK_PRIVATE_H

#include "work.h"

/* How one bucket was reduced, to be tried on another. */
struct cul_triage_model {
  json_t *reduced; /* an own reference; NULL = none */
  int64_t id;      /* of that bucket */
};

/* One step over all members or buckets; each worker has its own copy. */
struct cul_work {
  struct cul_triage *t;
  struct cul_state *state;
  const struct cul_triage_say *say;
  size_t *items; /* by job: index of a member or bucket */
  size_t n;
  struct cul_triage_model *models; /* by job; NULL = this step has none */
  json_t *said; /* in a worker: its messages, to be shown later */
  struct cul_triage_model model; /* in a worker: of its job */
};

#endif
