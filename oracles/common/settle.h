/* What the oracles of this folder share: the ends of a run that are the same
 * to all of them, and classification by repeated runs. */
#ifndef CUL_ORACLES_COMMON_SETTLE_H
#define CUL_ORACLES_COMMON_SETTLE_H

#include "../oracle.h"

/* Runs that learn makes in all where the first two disagree. */
enum { CUL_LEARN_RUNS = 5 };

void cul_verdict_set(struct cul_verdict *verdict, enum cul_answer answer,
                     double confidence, const char *fmt, ...) CUL_PRINTF(4, 5);

/* Runs that tell nothing of the failure: not started, machine trouble (->
 * BROKEN), deadline, limits, and what is lost (-> UNRESOLVED).  True where
 * verdict is set. */
bool cul_settle_run(const struct cul_record *record,
                    struct cul_verdict *verdict);

/* One record -> verdict, by an oracle whose answer needs no comparison. */
typedef void cul_classify(const void *self, const struct cul_record *record,
                          struct cul_verdict *verdict);

/* learn for such an oracle: two runs; five where they disagree. */
void cul_learn_by(cul_classify *classify, const void *self,
                  const struct cul_record *records, size_t n,
                  struct cul_wants *more, struct cul_verdict *verdict);

/* The signal that ended the run, also as a shell's 128 + n, or, where it is
 * one of a crash, as the 256 - n of a Python wrapper that passes its child's
 * status on; 0 = none. */
int cul_record_signal(const struct cul_record *record);

#endif
