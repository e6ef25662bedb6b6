/* Bisecting a line: points 0..n, of which 0 passes and n fails; each needs no
 * build.  The bisector decides what is run, and handles flaky and untestable
 * points. */
#ifndef CUL_BISECT_SEARCH_LINE_H
#define CUL_BISECT_SEARCH_LINE_H

#include "../../base/err.h"
#include "bisector.h"

struct cul_line {
  uint32_t n;
  void *self;
  /* Make and judge runs attempt..attempt+n-1 of a point.  out: n outcomes. */
  int (*run)(void *self, uint32_t point, uint32_t attempt, uint32_t n,
             enum cul_bisect_outcome *out, struct cul_err *err);
};

/* Defaults for lines, which need less than histories with builds. */
#define CUL_LINE_DEFAULTS                                                      \
  {.confidence = 0.95, .confirm = 3, .one_sided = true, .build_cost = 1}

struct cul_line_answer {
  /* FOUND, SUSPECTS, or the reason for neither; UNDER_WAY: cut */
  enum cul_bisect_end end;
  uint32_t culprit;   /* 1..n: it fails, the point before passes */
  double posterior;   /* of culprit, or of the suspects together */
  uint32_t *suspects; /* points, ascending */
  size_t n_suspects;
  struct cul_bisect_runs *runs; /* per point, 0..n */
  bool flaky;
};

/* Errors: those of run; if it was cut (cul_is_cut), answer has what was known
 * by then.  Release answer in any case. */
CUL_MUST_CHECK int cul_line_bisect(const struct cul_line *line,
                                   const struct cul_bisect_conf *conf,
                                   struct cul_line_answer *answer,
                                   struct cul_err *err);
void cul_line_answer_release(struct cul_line_answer *answer);

#endif
