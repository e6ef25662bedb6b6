/* Finds runs that depend on earlier runs: a test that leaves something behind
 * (a cache, a file) ends in one way at first, and in another way from then
 * on. */
#ifndef CUL_BISECT_COMMITS_TURNS_H
#define CUL_BISECT_COMMITS_TURNS_H

#include <math.h>

#include "../ledger/journal.h"
#include "../ledger/ledger.h"

/* The runs of one artefact, in the order in which they were made. */
struct cul_turn {
  uint32_t n, changes;
  uint32_t lead; /* so many at the beginning ended as the first one */
  enum cul_answer first;
  uint32_t commit; /* of the last run; of the range */
};

/* A result that is more probable than this by chance alone is no evidence. */
#define CUL_TURN_BY_CHANCE 0.05

/* The natural logarithm of the binomial coefficient. */
static inline double cul_log_choose(double n, double k) {
  return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

/* The runs of the class among the events; own NULL: none. */
static inline struct cul_turn
cul_turn_of(const struct cul_journal *journal,
            const struct cul_classes *classes,
            const struct cul_artefact_class *own) {
  struct cul_turn turn = {0};
  enum cul_answer last = CUL_INVALID;
  for (size_t i = 0; own && i < journal->n_events; i++) {
    const struct cul_journal_event *event = &journal->events[i];
    if (event->build || cul_classes_get(classes, event->commit) != own ||
        (event->answer != CUL_SAME && event->answer != CUL_PASSES))
      continue;
    if (turn.n++ == 0)
      turn.first = event->answer;
    else
      turn.changes += event->answer != last;
    turn.lead += turn.changes == 0;
    turn.commit = event->commit;
    last = event->answer;
  }
  return turn;
}

/* Did the first runs end in one way and all others in another, and is this no
 * chance? */
static inline bool cul_turn_is_one(const struct cul_turn *turn) {
  return turn->changes == 1 &&
         cul_log_choose(turn->n, turn->lead) >= -log(CUL_TURN_BY_CHANCE);
}

/* How improbable one turn is if the order of the results is by chance. */
static inline double cul_turn_evidence(const struct cul_turn *turn) {
  return turn->changes == 1 ? cul_log_choose(turn->n, turn->lead) : 0;
}

/* The same if the first run was chosen for how it ended, as that of the bad end
 * is. */
static inline double cul_turn_beside_first(const struct cul_turn *turn) {
  return turn->changes == 1 ? cul_log_choose(turn->n - 1, turn->lead - 1) : 0;
}

/* Do the runs of all artefacts that do not always end alike turn, in the same
 * direction, which chance explains in less than one of 10,000 searches?  *out:
 * the clearest of them.  O(events * classes). */
static inline bool cul_turns_show(const struct cul_journal *journal,
                                  const struct cul_classes *classes,
                                  struct cul_turn *out) {
  static const double enough = 9.21; /* log 10,000 */
  double sums[2] = {0, 0}, most = 0, chosen = 0;
  for (size_t i = 0; i < classes->n; i++) {
    struct cul_turn turn = cul_turn_of(journal, classes, &classes->items[i]);
    double one = cul_turn_evidence(&turn),
           less = one - cul_turn_beside_first(&turn);
    if (turn.changes > 1) /* it also turns back */
      return false;
    sums[turn.first == CUL_SAME] += one;
    chosen = less > chosen ? less : chosen;
    if (one > most)
      *out = turn;
    most = one > most ? one : most;
  }
  return (sums[0] == 0 || sums[1] == 0) && sums[0] + sums[1] - chosen >= enough;
}

#endif
