/* An allocation of Slurm as places for a job's runs.
 *
 * culprit uses the allocation in which it runs, or asks for one with salloc and
 * gives it back when it ends, in whatever way.  Each task of it becomes
 * one place: a command that starts a job step of one task, as --on takes it
 * (runners/remote/hosts.h).  One srun of all tasks cannot carry the work: it
 * copies its standard input to every task, and mixes their outputs. */
#ifndef CUL_RUNNERS_SLURM_SLURM_H
#define CUL_RUNNERS_SLURM_SLURM_H

#include "../runner.h"

struct cul_allocation;

struct cul_scheduler {
  const char *name; /* of its option */
  /* Get an allocation; waits until it is granted, and notes the messages of the
   * scheduler.  options: shell text, the options of salloc; ignored within an
   * allocation.  Errors: EENV (none was granted, with the scheduler's message;
   * or it has no tasks), those of patience. */
  int (*open)(const char *options, const struct cul_patience *patience,
              struct cul_allocation **out, struct cul_err *err);
  /* The commands, one for each task; borrowed. */
  const char *const *(*places)(const struct cul_allocation *allocation,
                               size_t *n);
  /* Release the allocation that open got; waits for this for 10 s at most.
   * Notes the scheduler's messages since then.  NULL: nothing is done. */
  void (*close)(struct cul_allocation *allocation);
};

/* Uses salloc and srun, or the allocation that SLURM_JOB_ID names. */
extern const struct cul_scheduler cul_scheduler_slurm;

#endif
