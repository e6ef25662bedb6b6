/* Shared by the files of versions: see versions.h. */
#ifndef CUL_BISECT_VERSIONS_VERSIONS_PRIVATE_H
#define CUL_BISECT_VERSIONS_VERSIONS_PRIVATE_H

#include "versions.h"

/* An axis that matters, walked from the passing to the failing end. */
struct cul_versions_walk {
  struct cul_versions *job;
  size_t axis;
  struct cul_line_answer answer;
};

struct cul_versions {
  const struct cul_versions_conf *conf;
  struct cul_cells cells;
  uint32_t bad[CUL_MAX_AXES], good[CUL_MAX_AXES];
  /* by axis; answer.runs NULL: does not matter */
  struct cul_versions_walk walks[CUL_MAX_AXES];
  /* both ends, if it is not known which fails */
  enum cul_answer at_old, at_new;
  bool bisected;
};

static inline const struct cul_axis *
cul_versions_axis(const struct cul_versions *job, size_t axis) {
  return &job->cells.axes->axes[axis];
}

/* The value of the axis at a point of its line. */
static inline uint32_t cul_versions_value(const struct cul_versions_walk *walk,
                                          uint32_t point) {
  const struct cul_versions *job = walk->job;
  bool forward = job->good[walk->axis] == 0;
  return forward ? point : cul_versions_axis(job, walk->axis)->n - 1 - point;
}

static inline bool cul_versions_decided(enum cul_answer state) {
  return state == CUL_SAME || state == CUL_PASSES;
}

#endif
