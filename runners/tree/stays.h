/* Samples of the stacks of a tree of processes, taken by its supervisor during
 * the run.  From these it derives the stay of the run: the set of functions
 * that are on the stack in all samples from one moment on. */
#ifndef CUL_RUNNERS_TREE_STAYS_H
#define CUL_RUNNERS_TREE_STAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../../base/stay.h"

struct cul_stays; /* heap; it goes with the supervisor's process */

/* Call this in each turn of the supervisor's loop, and whenever a child may
 * have changed state: it takes a sample if one is due.  *stays: NULL at first,
 * and if the wish (borrowed) asks for nothing.  start_us: of the run, on
 * cul_now_us().  wall_ms: its time limit; 0: none.  pipes: inodes of those that
 * culprit reads.  *next_us: when to call it again (0: not needed); the interval
 * is a sixteenth of the time so far, and samples take at most one percent of
 * the processor time.  True: the run has the stay of the wish.
 *
 * A sample stops a task with ptrace(2) for less than a millisecond.  At that
 * moment LeakSanitizer, which traces its own process when the program ends,
 * would end it with an error.  So with a wish only to learn, processes with the
 * shadow memory of a sanitizer are sampled from half of wall_ms on. */
bool cul_stays_advance(struct cul_stays **stays,
                       const struct cul_stay_wish *wish, uint64_t start_us,
                       uint64_t wall_ms, const ino_t pipes[2],
                       uint64_t *next_us);
/* The result of all samples; stays may be NULL. */
void cul_stays_tell(const struct cul_stays *stays, struct cul_stayed *out);

/* ---- plain data: no process is looked at ---- */

/* The functions of one sample, of all its tasks together. */
struct cul_stay_sample {
  uint64_t at_us;  /* since the start, without time held up by other load */
  uint64_t cpu_us; /* computed since then, by all tasks; at most at_us */
  bool waiting;    /* no task could run */
  bool many;       /* several tasks ran */
  bool whole;      /* every stack was unwound */
  size_t n;
  uint64_t places[CUL_STAY_MOST_FRAMES]; /* distinct, innermost first */
};

/* Add the places of one stack; those that do not fit are left out. */
void cul_stay_sample_add(struct cul_stay_sample *sample, const uint64_t *places,
                         size_t n);

/* Where did the run stay, from these samples of the whole of it, in order?  The
 * second half tells: a function counts that one sample in sixteen lacks at most
 * (a signal's handler, a task between two states, a stack that was misread).
 * out->n is 0 where the samples have nothing in common, are fewer than eight,
 * or too many are not whole; of waiting and computing ones only those count
 * that are more. */
void cul_stay_learn(const struct cul_stay_sample *samples, size_t n,
                    struct cul_stay *out);

/* The comparison of a running process with a stay; {0} at first. */
struct cul_stay_match {
  size_t n, partial;             /* samples of the present stay */
  size_t elsewhere;              /* single ones in between */
  bool left;                     /* the last one was elsewhere */
  uint64_t since_us, last_us;    /* its first and last one: cpu_us, but for
                                    what waits */
  uint64_t longest_us;           /* stay so far */
  size_t window;                 /* the last samples of the present stay */
  struct cul_stay_sample common; /* the functions that these have in common */
};

/* Take the next sample.  Elsewhere may be one of sixteen, but not two in a
 * row: with them the stay ends. */
void cul_stay_follow(struct cul_stay_match *match,
                     const struct cul_stay_wish *wish,
                     const struct cul_stay_sample *sample);
/* Has the run settled: is it past after_us, has it stayed for settled_us in all
 * functions of the stay, and (where one task ran) lately in no other one that
 * is further in?  The latter: a run that stays in one callee of the loop is not
 * in the loop. */
bool cul_stay_is_settled(const struct cul_stay_match *match,
                         const struct cul_stay_wish *wish);

#endif
