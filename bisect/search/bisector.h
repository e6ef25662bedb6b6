/* The search of every bisection: decides which point to test next, and which is
 * the culprit.
 *
 * One rule handles plain bisection, broken points, flaky failures, unequal
 * costs and several builds at a time: test the point with the largest
 *     P(testable) * bits learnt / (cost of the build, if needed, + runs).
 * A pure state machine without clock and processes: the caller builds and runs
 * points and tells the outcomes.  Equal answers lead to equal questions. */
#ifndef CUL_BISECT_SEARCH_BISECTOR_H
#define CUL_BISECT_SEARCH_BISECTOR_H

#include "broken.h"
#include "dag.h"

/* Runs at one point. */
struct cul_bisect_runs {
  uint32_t fails, passes;
};

struct cul_evidence {
  const struct cul_dag *dag;
  double *prior;  /* per candidate; sums to 1 */
  bool one_sided; /* a failure is recognized by its signature, so a point
                     without the culprit hardly shows it */
  bool flaky;     /* a contradiction was seen */
  struct cul_bisect_runs *runs; /* per point, including outer ones; equal points
                                   share the runs of one of them */
  uint32_t *same;               /* per point: the point that has its runs */
  /* Per hypothesis: runs at points that would contain the culprit. */
  struct cul_bisect_runs *held;
  struct cul_bisect_runs all; /* runs at all points */
  double *posterior;          /* per candidate, sums to 1 */
  bool *marks;                /* scratch */
};

/* dag is borrowed for the evidence's life; prior is copied, NULL: uniform. */
void cul_evidence_init(struct cul_evidence *evidence, const struct cul_dag *dag,
                       const double *prior, bool one_sided);
void cul_evidence_release(struct cul_evidence *evidence);

/* Count n runs at a point (candidate or outer).  O(n of the dag). */
void cul_evidence_add(struct cul_evidence *evidence, uint32_t point,
                      struct cul_bisect_runs runs);
/* Update posterior with all added runs. */
void cul_evidence_update(struct cul_evidence *evidence);

/* Estimated failure rates of points with and without the culprit. */
struct cul_bisect_rates {
  double with, without;
};

struct cul_bisect_conf {
  double confidence;   /* posterior to reach, 0.5 .. 0.9999 */
  uint32_t confirm;    /* final runs at the culprit and at each parent */
  bool one_sided;      /* see struct cul_evidence */
  bool exhaust;        /* also try points that are probably broken */
  double build_cost;   /* of one build, in runs */
  uint32_t max_runs;   /* 0: no limit */
  uint32_t max_builds; /* 0: no limit; includes the ends */
};
#define CUL_BISECT_DEFAULTS                                                    \
  {.confidence = 0.95, .confirm = 10, .one_sided = true, .build_cost = 20}

/* Work at one point: build it unless it is built, and run it `runs` times. */
struct cul_bisect_step {
  uint32_t point, runs;
  enum cul_bisect_aim {
    CUL_BISECT_ENDS,    /* an end, to measure its rate */
    CUL_BISECT_SEARCH,  /* the search itself */
    CUL_BISECT_CONFIRM, /* the culprit or its parent, to confirm */
  } aim;
};

enum cul_bisect_outcome {
  CUL_BISECT_FAILS,
  CUL_BISECT_PASSES,
  CUL_BISECT_UNTESTABLE, /* no build, or another failure: no information */
};

struct cul_bisector;

/* dag is borrowed for the bisector's life; prior (NULL: uniform) and conf are
 * copied. */
struct cul_bisector *cul_bisector_new(const struct cul_dag *dag,
                                      const double *prior,
                                      const struct cul_bisect_conf *conf);
void cul_bisector_free(struct cul_bisector *bisector);

/* The next step to start, besides the running ones; false: none now.  None now
 * and none running means finished. */
bool cul_bisector_ask(struct cul_bisector *bisector,
                      struct cul_bisect_step *out);
/* One run of a running step has ended; UNTESTABLE ends the step. */
void cul_bisector_tell(struct cul_bisector *bisector, uint32_t point,
                       enum cul_bisect_outcome outcome);
/* A point has the same artefact as another one that has an outcome: both then
 * share their runs, and no commit between them is the culprit.  If the other
 * one is UNTESTABLE, so is the point, but nothing follows for the commits
 * between: a test that stops early has not read the files that may distinguish
 * them.  Ends a running step at `point`; false: nothing is changed, and the
 * step must be made. */
bool cul_bisector_same(struct cul_bisector *bisector, uint32_t point,
                       uint32_t other);
bool cul_bisector_are_same(const struct cul_bisector *bisector, uint32_t point,
                           uint32_t other);
/* A running step was cancelled. */
void cul_bisector_cancelled(struct cul_bisector *bisector, uint32_t point);
/* Running points whose outcome is no longer needed; at most max. */
size_t cul_bisector_stale(struct cul_bisector *bisector, uint32_t *points,
                          size_t max);

enum cul_bisect_end {
  CUL_BISECT_UNDER_WAY,
  CUL_BISECT_FOUND,      /* one culprit, at the requested confidence */
  CUL_BISECT_SUSPECTS,   /* several that cannot be distinguished */
  CUL_BISECT_BUDGET,     /* runs or builds are used up */
  CUL_BISECT_BAD_PASSES, /* the bad end does not fail */
  CUL_BISECT_GOOD_FAILS, /* the good end fails as often as the bad one */
  CUL_BISECT_END_BROKEN, /* an end cannot be tested */
};

struct cul_bisect_answer {
  enum cul_bisect_end end;
  uint32_t culprit;   /* the likeliest candidate */
  double posterior;   /* its probability */
  uint32_t *suspects; /* heap array: the smallest set that contains the culprit
                         at the requested confidence; in order of the DAG */
  size_t n_suspects;
  double mass; /* of the suspects together */
};
/* The present answer.  The caller frees suspects. */
void cul_bisector_answer(struct cul_bisector *bisector,
                         struct cul_bisect_answer *out);

/* Counts of the work so far. */
struct cul_bisect_tally {
  uint32_t runs, builds, broken;
  bool flaky;
  struct cul_bisect_rates rates;
};
void cul_bisector_tally(const struct cul_bisector *bisector,
                        struct cul_bisect_tally *out);
const struct cul_bisect_runs *
cul_bisector_runs(const struct cul_bisector *bisector, uint32_t point);
/* Per candidate; borrowed, valid until the next call. */
const double *cul_bisector_posterior(struct cul_bisector *bisector);

/* Numbers of runs that one step may request. */
#define CUL_GAIN_BATCHES 5
extern const uint32_t cul_gain_batches[CUL_GAIN_BATCHES];

#endif
