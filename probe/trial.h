/* A trial: one artefact on its way to a verdict.  Private to probe/. */
#ifndef CUL_PROBE_TRIAL_H
#define CUL_PROBE_TRIAL_H

#include "probe.h"

enum cul_trial_state {
  CUL_TRIAL_WANTS_RUN, /* the cache has no record: call again with may_run */
  CUL_TRIAL_RUNNING,   /* poll cul_trial_fds */
  CUL_TRIAL_DONE,      /* trial->judged holds the verdict */
};

/* May the first run come from a server (cul_probe.service)? */
enum cul_serving {
  CUL_SERVING_NO,
  CUL_SERVING_YES,
  CUL_SERVING_CHECKED, /* one did, and runs of its own confirm what it said */
};

struct cul_trial {
  struct cul_probe *probe;
  const struct cul_artefact *artefact;
  bool learn;
  int slot;                 /* names the run's TMPDIR */
  char *tmp;                /* that directory */
  struct cul_judged judged; /* records so far; verdict at the end */
  struct cul_wants wants;   /* what the oracle asked for last */
  size_t next_want;
  struct cul_request request; /* the one wanted or running now */
  enum cul_run_role role;     /* of that request */
  enum cul_serving serving;
  enum cul_answer served; /* CHECKED: what was said then */
  bool said;              /* how many runs may follow */
  uint64_t served_us;     /* and the processor time of those runs */
  bool was_served;        /* a record is of a server's run */
  bool wanted;            /* request is filled, its record missing */
  unsigned lost;          /* runs that the machine, not the tool, ended */
  struct cul_run *run;    /* in flight; or NULL */
  uint64_t start_us;      /* of it */
};

/* The same in a search: not learning, and the tool may be a server's. */
void cul_trial_begin_served(struct cul_trial *trial, struct cul_probe *probe,
                            const struct cul_artefact *artefact, int slot);
/* Go on as far as possible without blocking.  may_run: a process may be
 * started now (the artefact's files are in place). */
CUL_MUST_CHECK int cul_trial_step(struct cul_trial *trial, bool may_run,
                                  enum cul_trial_state *state,
                                  struct cul_err *err);
/* What to poll while RUNNING. */
size_t cul_trial_fds(const struct cul_trial *trial, struct pollfd *out,
                     size_t max);
/* Begin to cancel what runs: of many trials, all before the first is released.
 */
void cul_trial_hang_up(struct cul_trial *trial);
/* The wanted run must be the only one. */
bool cul_trial_alone(const struct cul_trial *trial);
/* While waiting: tell the watcher, and who shows it, that time passes. */
void cul_probe_tick(const struct cul_probe *probe);
/* Tell the watcher of a run that is over (see cul_watcher.ended). */
void cul_probe_tell_ended(const struct cul_probe *probe, int slot,
                          uint64_t start_us, bool killed);
/* A run in the candidate's own directory finds nothing there but it, and
 * nothing in the one that "@{out}" names: what an earlier run left behind is
 * no part of the test. */
void cul_trial_tidy(const struct cul_probe *probe,
                    const struct cul_artefact *art,
                    const struct cul_command *cmd);
/* The files that it has written there go into its record. */
void cul_trial_collect(const struct cul_probe *probe,
                       const struct cul_artefact *art,
                       const struct cul_command *cmd,
                       struct cul_record *record);
/* Cancels what runs; frees everything but what was moved out. */
void cul_trial_release(struct cul_trial *trial);

#endif
