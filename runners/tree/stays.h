/* Samples of the stacks of a tree of processes, taken by its supervisor while
 * the run goes on, and what they say: where the run stays. */
#ifndef CUL_RUNNERS_TREE_STAYS_H
#define CUL_RUNNERS_TREE_STAYS_H

#include "../stacks/stay.h"
#include "pace.h"

struct cul_stays; /* heap */

/* NULL: the wish asks for no samples.  wish: borrowed.  start_us: of the run,
 * on cul_now_us(). */
struct cul_stays *cul_stays_new(const struct cul_stay_wish *wish,
                                uint64_t start_us);
void cul_stays_free(struct cul_stays *stays);
/* When to sample next, on cul_now_us(): samples come at a sixteenth of the time
 * so far, and take one percent of it at most, of processor time. */
uint64_t cul_stays_next_us(const struct cul_stays *stays);
/* Take a sample now.  True: the run stays where the wish says. */
bool cul_stays_take(struct cul_stays *stays, const ino_t pipes[2]);
/* Call it when a child may have changed state. */
void cul_stays_tend(struct cul_stays *stays);
/* What all samples say. */
void cul_stays_tell(struct cul_stays *stays, struct cul_stayed *out);

#endif
