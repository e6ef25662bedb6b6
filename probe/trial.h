/* A trial: one artefact on its way to a verdict.  Private to probe/. */
#ifndef CUL_PROBE_TRIAL_H
#define CUL_PROBE_TRIAL_H

#include "probe.h"

enum cul_trial_state {
  CUL_TRIAL_WANTS_RUN, /* the cache has no record, or the oracle reads the
                          candidate: call cul_trial_step again with may_run */
  CUL_TRIAL_RUNNING,   /* poll cul_trial_fds */
  CUL_TRIAL_DONE,      /* trial->judged holds the verdict */
};

/* May the first run come from a server (cul_probe.service)? */
enum cul_serving {
  CUL_SERVING_NO,
  CUL_SERVING_YES,
  CUL_SERVING_CHECKED, /* the first run was served, and ordinary runs confirm
                          its answer */
};

/* CHECKED: the answer of the served run, which ordinary runs confirm. */
struct cul_served {
  enum cul_answer answer;
  char why[sizeof((struct cul_verdict *)0)->why];
  uint64_t us; /* processor time */
  /* in-process records of roles that only say whether the comparison means
   * something: taken again where the failure was confirmed in full before */
  struct cul_judged kept;
};

/* The candidate's text, for an oracle that reads it. */
struct cul_trial_text {
  bool known; /* the artefact's files are in place, and were read */
  struct cul_buf bytes;
};

/* What the command's own run has where the engine makes it in its place. */
struct cul_trial_own {
  const struct cul_command *cmd;
  struct cul_digest tool;
  uint64_t wall_ms;
};

struct cul_trial {
  struct cul_probe *probe;
  const struct cul_artefact *artefact;
  bool learn;
  int slot;                 /* names the run's TMPDIR */
  char *tmp;                /* that directory */
  struct cul_judged judged; /* records so far; verdict at the end */
  struct cul_wants wants;   /* the oracle's last requests */
  size_t next_want;
  struct cul_request request; /* the request wanted or running now */
  enum cul_run_role role;     /* of that request */
  enum cul_serving serving;
  struct cul_served served;
  bool on_trial;   /* a served answer is compared even if others like it were */
  bool said;       /* the number of runs that may follow was reported */
  bool was_served; /* some record is of a served run */
  bool was_inside; /* ... or of one in the candidate's process */
  bool inside;     /* request is for such a run, and replaces own */
  struct cul_trial_own own;
  uint32_t samples; /* 1 << role: the first ordinary run of it is traced */
  bool traces;      /* the run in flight is such a run */
  bool wanted;      /* request is filled, its record missing */
  unsigned lost;    /* number of runs that the machine, not the tool, ended */
  struct cul_run *run;        /* in flight; or NULL */
  uint64_t start_us;          /* of it */
  struct cul_trial_text text; /* of the candidate */
};

/* Count a candidate: is it the first, the fourth or the 16th, which are samples
 * whatever they contain?  Early ones differ most from the input. */
static inline bool cul_sample_early(uint64_t *n) {
  *n += 1;
  return *n == 1 || *n == 4 || *n == 16;
}
/* Begin a trial of a search: not learning, and the first run may be served.
 * early: cul_sample_early. */
void cul_trial_begin_served(struct cul_trial *trial, struct cul_probe *probe,
                            const struct cul_artefact *artefact, int slot,
                            bool early);
/* Continue as far as possible without blocking.  may_run: a process may be
 * started now, because the artefact's files are in place. */
CUL_MUST_CHECK int cul_trial_step(struct cul_trial *trial, bool may_run,
                                  enum cul_trial_state *state,
                                  struct cul_err *err);
/* The descriptors to poll while RUNNING. */
size_t cul_trial_fds(const struct cul_trial *trial, struct pollfd *out,
                     size_t max);
/* Begin to cancel the run, without waiting: call it for all of many trials
 * before the first is released. */
void cul_trial_hang_up(struct cul_trial *trial);
/* Does the wanted run, or the oracle, need the candidate's files? */
bool cul_trial_needs_files(const struct cul_trial *trial);
/* Must the wanted run be the only one? */
bool cul_trial_alone(const struct cul_trial *trial);
/* While waiting: tell the watcher and the status viewer that time has
 * passed. */
void cul_probe_tick(const struct cul_probe *probe);
/* Tell the watcher of a run that is over (see cul_watcher.ended). */
void cul_probe_tell_ended(const struct cul_probe *probe, int slot,
                          uint64_t start_us, bool killed);
/* Before a run: remove everything but the candidate from its own directory if
 * the run uses that, and everything from "@{out}", so that remains of an
 * earlier run do not affect the test. */
void cul_trial_tidy(const struct cul_probe *probe,
                    const struct cul_artefact *art,
                    const struct cul_command *cmd);
/* After a run: add the files that it wrote there to its record. */
void cul_trial_collect(const struct cul_probe *probe,
                       const struct cul_artefact *art,
                       const struct cul_command *cmd,
                       struct cul_record *record);
/* Cancel the run; free everything that was not moved out. */
void cul_trial_release(struct cul_trial *trial);

#endif
