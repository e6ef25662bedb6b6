/* Finds runs that depend on earlier runs: a test that leaves something behind
 * (a cache, a file) ends in one way at first, and in another way from then
 * on. */
#ifndef CUL_BISECT_COMMITS_TURNS_H
#define CUL_BISECT_COMMITS_TURNS_H

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
extern const double cul_turn_by_chance;

/* The natural logarithm of the binomial coefficient. */
double cul_log_choose(double n, double k);
/* The runs of the class among the events; own NULL: none. */
struct cul_turn cul_turn_of(const struct cul_journal *journal,
                            const struct cul_classes *classes,
                            const struct cul_artefact_class *own);
/* Did the first runs end in one way and all others in another, and is this no
 * chance? */
bool cul_turn_is_one(const struct cul_turn *turn);
/* Do the runs of all artefacts that do not always end alike turn, in the same
 * direction, which chance explains in less than one of 10,000 searches?  *out:
 * the clearest of them.  O(events * classes). */
bool cul_turns_show(const struct cul_journal *journal,
                    const struct cul_classes *classes, struct cul_turn *out);

#endif
