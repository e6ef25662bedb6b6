/* What the steps of the work on buckets share; inside this folder only. */
#ifndef CUL_TRIAGE_WORK_WORK_PRIVATE_H
#define CUL_TRIAGE_WORK_WORK_PRIVATE_H

#include "work.h"

/* What was done to reduce one bucket, for another. */
struct cul_lesson {
  json_t *reduced; /* a reference of its own; NULL = there is none */
  int64_t id;      /* of that bucket */
};

/* One step, over all members or buckets; a worker has a copy of its own. */
struct cul_work {
  struct cul_triage *t;
  struct cul_state *state;
  const struct cul_triage_say *say;
  size_t *items; /* by job: index of a member or bucket */
  size_t n;
  struct cul_lesson *lessons; /* by job; NULL = no step that has some */
  json_t *said;               /* in a worker: its lines, for later */
  struct cul_lesson lesson;   /* the same: of its job */
};

#endif
