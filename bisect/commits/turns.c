/* See turns.h. */
#include "turns.h"

#include <math.h>

const double cul_turn_by_chance = 0.05;

double cul_log_choose(double n, double k) {
  return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

struct cul_turn cul_turn_of(const struct cul_journal *journal,
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

/* How improbable one turn is if the order of the results is by chance. */
static double evidence(const struct cul_turn *turn) {
  return turn->changes == 1 ? cul_log_choose(turn->n, turn->lead) : 0;
}

bool cul_turn_is_one(const struct cul_turn *turn) {
  return turn->changes == 1 && evidence(turn) >= -log(cul_turn_by_chance);
}

/* The same if the first run was chosen for how it ended, as that of the bad end
 * is. */
static double evidence_beside_first(const struct cul_turn *turn) {
  return turn->changes == 1 ? cul_log_choose(turn->n - 1, turn->lead - 1) : 0;
}

bool cul_turns_show(const struct cul_journal *journal,
                    const struct cul_classes *classes, struct cul_turn *out) {
  static const double enough = 9.21; /* log 10,000 */
  double sums[2] = {0, 0}, most = 0, chosen = 0;
  for (size_t i = 0; i < classes->n; i++) {
    struct cul_turn turn = cul_turn_of(journal, classes, &classes->items[i]);
    double one = evidence(&turn), less = one - evidence_beside_first(&turn);
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
