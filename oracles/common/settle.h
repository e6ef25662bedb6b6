/* Shared by the oracles of this folder: outcomes of a run that all treat alike,
 * and classification by repeated runs. */
#ifndef CUL_ORACLES_COMMON_SETTLE_H
#define CUL_ORACLES_COMMON_SETTLE_H

#include "../oracle.h"

/* Total runs of learn if the first two disagree. */
enum { CUL_LEARN_RUNS = 5 };

void cul_verdict_set(struct cul_verdict *verdict, enum cul_answer answer,
                     double confidence, const char *fmt, ...) CUL_PRINTF(4, 5);

/* Set the verdict of a run that reveals nothing about the failure: BROKEN if it
 * was not started or the machine failed, UNRESOLVED after a deadline, a limit
 * or a loss.  True: verdict is set. */
bool cul_settle_run(const struct cul_record *record,
                    struct cul_verdict *verdict);

/* Judge one record, for an oracle that needs no comparison. */
typedef void cul_classify(const void *self, const struct cul_record *record,
                          struct cul_verdict *verdict);

/* cul_oracle.learn for such an oracle: two runs, or five if they disagree. */
void cul_learn_by(cul_classify *classify, const void *self,
                  const struct cul_record *records, size_t n,
                  struct cul_wants *more, struct cul_verdict *verdict);

/* The signal that ended the run; 0 = none.  Also recognized are a shell's
 * status 128 + n and, for signals of crashes, the status 256 - n of a Python
 * wrapper that passes on its child's status. */
int cul_record_signal(const struct cul_record *record);

#endif
