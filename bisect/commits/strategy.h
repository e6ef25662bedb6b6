/* Decides which commit to test next: adapts the bisector to the probe.
 *
 * Steps of several runs become consecutive points of one run each; results of
 * an earlier, same job are told without a run. */
#ifndef CUL_BISECT_COMMITS_STRATEGY_H
#define CUL_BISECT_COMMITS_STRATEGY_H

#include "../search/bisector.h"
#include "tester.h"
#include "turns.h"

/* A step of the bisector under way: its runs are made one after the other. */
struct cul_strategy_step {
  struct cul_bisect_step step;
  uint32_t left, commit, attempt;
  uint64_t ticket; /* of the run in flight; 0: none */
  uint32_t tries;  /* failed because of the machine */
  uint64_t not_before_us;
  bool doubtful; /* it is not known whether the test below counts */
  struct cul_test ended;
  struct cul_verdict verdict;
};

struct cul_strategy {
  struct cul_bisector *bisector;
  const struct cul_range *range; /* these are borrowed */
  struct cul_tester *tester;
  struct cul_strategy_step steps[64];
  size_t n_steps;
  uint32_t asked[2]; /* the last point given out */
  uint64_t next_ticket;
  uint64_t accepted[64];
  size_t n_accepted;
  size_t n_looked;      /* events when turns were last looked for */
  bool turns;           /* the test's runs depend on earlier ones (turns.h) */
  struct cul_turn turn; /* turns: the clearest example */
};

/* prior: of cul_range_weigh; conf: copied. */
void cul_strategy_open(struct cul_strategy *strategy, const double *prior,
                       const struct cul_bisect_conf *conf);
static inline void cul_strategy_release(struct cul_strategy *strategy) {
  cul_bisector_free(strategy->bisector);
}

/* The strategy as an asker; borrows it.  It finishes with an answer, if the
 * machine failed (tester->trouble), if runs depend on earlier ones (turns), and
 * if a doubt about a missing submodule
 * must be settled (cul_strategy_has_doubts); it continues after that. */
struct cul_asker cul_strategy_asker(struct cul_strategy *strategy);
bool cul_strategy_has_doubts(const struct cul_strategy *strategy);

#endif
