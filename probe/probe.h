/* The loop all jobs share: point -> artefact -> cache -> runs -> verdict.
 *
 * A job hands over a space (what is searched, and how a point becomes an
 * artefact) and a search (which point next); the probe builds points in
 * slots, asks the cache, runs what is missing, lets the oracle judge, and
 * tells the search.  One poll loop, no threads. */
#ifndef CUL_PROBE_PROBE_H
#define CUL_PROBE_PROBE_H

#include "../base/files/held.h"
#include "../cache/cache.h"
#include "../oracles/oracle.h"
#include "../runners/preload.h"
#include "../runners/runner.h"

/* A point of a space: numbers whose meaning is the space's.  Borrowed. */
struct cul_point {
  const uint32_t *ids;
  size_t n;
};

/* A subject's size: smaller is better, ops first, then bytes. */
struct cul_extent {
  uint64_t ops, bytes, lines;
};

/* A point, built (or not). */
struct cul_built {
  bool valid; /* false: rejected before any run, see why */
  struct cul_extent size;
  struct cul_artefact art; /* dir and file are set, but see materialise */
  char why[160];
};

/* What is searched.  Slots 0.. hold one candidate each (see cul_probe.slots).
 */
struct cul_space {
  const char *name;
  void *self;
  /* Digest that names the point within everything that may recur: job,
   * revision, ids.  Used to remember verdicts; NULL: none is. */
  void (*key)(void *self, const struct cul_point *point,
              struct cul_digest *out);
  /* Start building in a slot.  *fd: becomes readable when built; -1: it is. */
  int (*begin)(void *self, const struct cul_point *point, int slot, int *fd,
               struct cul_err *err);
  /* The result; called when the fd is readable.  ECHILD: the child died;
   * ELOST: it was killed, or never made: it is dropped and begun again. */
  int (*built)(void *self, int slot, struct cul_built *out,
               struct cul_err *err);
  /* Put the files of the slot's artefact into its directory. */
  int (*materialise)(void *self, int slot, struct cul_err *err);
  /* Accepted: from now on the best. Ends the slot's use. */
  int (*commit)(void *self, int slot, const struct cul_point *point,
                const struct cul_built *built, struct cul_err *err);
  /* Free the slot; kills what is still building. */
  void (*drop)(void *self, int slot);
};

/* Which point next (see reducer/search/search.h for the contract of these
 * calls; a bisection brings its own).  No call sleeps or waits: the loop does
 * so for all that is under way. */
struct cul_asker {
  void *self;
  /* The next point and its ticket, which is not 0.  False: there is none now;
   * *again_us says when to ask again, on cul_now_us(), unless an answer is told
   * before.  0, as it is before the call: once something has happened to a
   * point that is under way; where none is, the search is finished. */
  bool (*ask)(void *self, struct cul_point *point, uint64_t *ticket,
              uint64_t *again_us);
  void (*tell)(void *self, uint64_t ticket, const struct cul_verdict *verdict);
  size_t (*stale)(void *self, uint64_t *tickets, size_t max);
  uint64_t (*accepted)(void *self);
  bool (*finished)(void *self);
  /* Has it given up points though no answer was told?  They are asked for then
   * (accepted, stale).  Called before each question; NULL: never. */
  bool (*left)(void *self);
};

enum cul_run_phase {
  CUL_RUNS_CLASSIFY,
  CUL_RUNS_SEARCH,
  CUL_RUNS_MINIMAL,
  CUL_RUNS_CONFIRM,
  CUL_N_RUN_PHASES
};

/* Counted over a job. */
struct cul_counts {
  uint64_t asked;    /* points */
  uint64_t recalled; /* verdicts remembered from an earlier, same job */
  uint64_t cached;   /* records found in the cache */
  uint64_t executed; /* processes of the tool under test that ended */
  uint64_t killed;   /* those that were not waited for: nobody asks any more */
  uint64_t invalid;  /* points rejected before a run */
  uint64_t timeouts; /* deadlines hit */
  uint64_t by_phase[CUL_N_RUN_PHASES]; /* executed */
  uint64_t oracle_cpu_us;
  uint64_t idle_us; /* of all workers, without a run while one searched */
  uint64_t peak_rss_bytes;
};

struct cul_budget {
  uint64_t max_runs;    /* executed; 0 = no limit */
  uint64_t deadline_us; /* on cul_now_us(): what is under way then is ended;
                           0 = no limit */
  uint64_t stop_at_ops; /* stop when the best has as few; 0 = never */
};

/* What a job is told while the probe works; every member may be NULL. */
struct cul_watcher {
  void *self;
  /* A verdict was reached.  point and built as asked; slot still holds it;
   * ticket: the asker's, who is told next. */
  void (*judged)(void *self, int slot, uint64_t ticket,
                 const struct cul_point *point, const struct cul_built *built,
                 const struct cul_verdict *verdict);
  /* A record is there, from a run or the cache.  Slots from CUL_MAX_WORKERS
   * on: of cul_probe_judge. */
  void (*ran)(void *self, int slot, const struct cul_record *record);
  /* A run in this slot is over: it ended, or nobody asked for it any more
   * (killed).  Times on cul_now_us(). */
  void (*ended)(void *self, int slot, uint64_t start_us, bool killed);
  /* Called at least every 100 ms while waiting. */
  void (*tick)(void *self);
};

/* Another command that an oracle may ask for on the same candidate. */
struct cul_role {
  const char *name; /* of the request; NULL: there is none */
  const struct cul_command *cmd;
  struct cul_digest tool;
};

/* The deadline of runs follows the slowest one that ended. */
struct cul_deadline {
  bool fixed;       /* it does not: the sought failure is a timeout */
  bool provisional; /* ... and while searching a hit of the deadline that
                       follows the runs will do; see cul_target_hurry */
  bool spinning;    /* ... and it computes: what else ends is waited for by the
                       time that it computes, which no load makes longer */
  uint64_t slowest_us; /* run of this revision; 0: none has ended yet */
};
/* The subject shrank: runs are expected to be faster; the deadline follows. */
void cul_deadline_tighten(struct cul_deadline *deadline);

/* Told of a traced run of an artefact whose tool was not known: sets
 * *artefact->tool (not zero).  Without `told` where no artefact has a tool of
 * its own. */
struct cul_traced {
  void *self;
  int (*told)(void *self, const struct cul_artefact *artefact,
              const struct cul_record *record, struct cul_err *err);
};

/* While searching, the first run of a point may be a fork of a tool that was
 * started before.  What such a run says is compared with what one of its own
 * says: each answer once, that a point fails again and again.  Where the two
 * differ the latter counts, and there are no servers any more. */
struct cul_service {
  struct cul_servers *servers; /* NULL: never */
  uint32_t proven;             /* bit 1 << answer: compared */
  uint64_t same;               /* points that failed so */
};

/* What the runs may do by which an original is learnt. */
struct cul_learning {
  bool outside_wanted; /* the second run that tells what it shows goes outside
                          of the sandbox */
  bool may_repeat_all; /* where no run fails it will be run as often again, in
                          another way */
};

/* Filled by the job; borrowed by the probe for the job's time. */
struct cul_probe {
  struct cul_cache *cache; /* NULL: no cache */
  const struct cul_runner *runner;
  const struct cul_oracle *oracle;
  void *oracle_self;
  struct cul_request request;         /* the first run of every point */
  struct cul_role roles[CUL_N_ROLES]; /* but that of the suspect */
  const struct cul_held *place;       /* TMPDIRs of runs live below */
  int workers;                        /* runs at a time, 1..CUL_MAX_WORKERS */
  int slots;         /* candidates at a time, those included that are held
                        until earlier ones are judged; 0 = workers */
  uint64_t build_ms; /* a point not built by then is taken for hung;
                        0 = 20 s */
  struct cul_deadline deadline;
  int lost_status; /* exit status that says a device is missing: such a record
                      is not stored; 0 = none */
  struct cul_budget budget;
  struct cul_watcher watcher;
  struct cul_traced traced;
  struct cul_service service;
  struct cul_learning learning;
  uint32_t lost; /* runs given up, one after another: the machine, or the
                    tool itself, ended their supervisors each time */
  const volatile int *interrupted;
  bool doubt_passes; /* that a point passes decides as much as that it fails:
                        neither counts where a write was refused */
  enum cul_run_phase phase;
  int running; /* runs under way in cul_probe_run, for who shows it */
  struct cul_counts counts;
  uint64_t best_ops; /* of the last accepted point, for stop_at_ops */
};
#define CUL_MAX_WORKERS 64
#define CUL_MAX_SLOTS (4 * CUL_MAX_WORKERS + 2)
#define CUL_SHORTEST_DEADLINE_MS 2000

/* Run search over space until it is finished.  Returns 0, EBUDGET, EINTR (the
 * best is committed in both), or an error of space, runner or oracle.
 * BROKEN verdicts end the loop with EENV. */
CUL_MUST_CHECK int cul_probe_run(struct cul_probe *probe,
                                 struct cul_space *space,
                                 struct cul_asker *search, struct cul_err *err);

/* Is there time?  Every wait for a run asks this at least each 100 ms, and ends
 * the run where there is none.  Errors: EBUDGET, EINTR. */
CUL_MUST_CHECK int cul_probe_time_left(const struct cul_probe *probe,
                                       struct cul_err *err);
/* The same for who waits for something else. */
struct cul_patience cul_probe_patience(const struct cul_probe *probe);
/* Is there time, and are there runs left?  Errors: EBUDGET, EINTR. */
CUL_MUST_CHECK int cul_probe_budget_left(const struct cul_probe *probe,
                                         struct cul_err *err);
/* No more time or no more runs, for what may be left out. */
bool cul_probe_is_spent(const struct cul_probe *probe);
/* cul_run_wait as long as there is time: for runs that are no candidate's, and
 * are not counted.  tmp: below the probe's place; it is made.  Errors: EBUDGET,
 * EINTR, EENV. */
CUL_MUST_CHECK int cul_probe_try(const struct cul_probe *probe,
                                 const struct cul_runner *runner,
                                 const struct cul_artefact *artefact,
                                 const struct cul_request *request,
                                 const char *tmp, struct cul_record *record,
                                 struct cul_err *err);
/* The same, and EENV where the machine ends the run each time: what is asked
 * then has no answer. */
CUL_MUST_CHECK int cul_probe_wait(const struct cul_probe *probe,
                                  const struct cul_runner *runner,
                                  const struct cul_artefact *artefact,
                                  const struct cul_request *request,
                                  const char *tmp, struct cul_record *record,
                                  struct cul_err *err);
/* A tool that nothing holds back may end its own supervisor, each time.  Is a
 * program lost, too, that does nothing?  Then it is the machine that ends runs.
 * like: the tool's command. */
CUL_MUST_CHECK int cul_probe_ask_machine(const struct cul_probe *probe,
                                         const struct cul_artefact *artefact,
                                         const struct cul_command *like,
                                         const char *tmp, bool *lost,
                                         struct cul_err *err);
/* One run of an artefact whose files are in place that no oracle judges,
 * within the budget; tmp: TMPDIR.  Neither looked for in the cache nor put
 * there.  The machine may have ended it. */
CUL_MUST_CHECK int cul_probe_run_apart(struct cul_probe *probe,
                                       const struct cul_artefact *artefact,
                                       const struct cul_request *request,
                                       const char *tmp,
                                       struct cul_record *record,
                                       struct cul_err *err);

/* Judge one artefact whose files are in place: cache, runs the oracle wants,
 * verdict.  learn: classify (cul_oracle.learn) instead of judge.  out: zero,
 * or with the records of runs already had (taken over); release it in any
 * case. */
struct cul_judged {
  struct cul_verdict verdict;
  struct cul_record *records; /* heap array of n */
  size_t n;
};
CUL_MUST_CHECK int cul_probe_judge(struct cul_probe *probe,
                                   const struct cul_artefact *artefact,
                                   bool learn, struct cul_judged *out,
                                   struct cul_err *err);
/* Run an artefact, at the place of slot 0, by a server and by itself: where the
 * answers differ, the servers are refused.  *share: of the latter's processor
 * time, what the former took (see cul_trial_share). */
CUL_MUST_CHECK int cul_probe_try_servers(struct cul_probe *probe,
                                         const struct cul_artefact *artefact,
                                         double *share, struct cul_err *err);
enum cul_until {
  CUL_UNTIL_END,
  CUL_UNTIL_SAME,       /* one is SAME */
  CUL_UNTIL_SAME_AGAIN, /* the first is not, or one behind it is */
};
/* The same for n artefacts, not learning: their runs side by side as far as
 * there are workers, their verdicts as if one came after the other.
 * until: those behind are not asked for; BROKEN always ends it.  out: n, zero
 * where none was asked for; release them in any case. */
CUL_MUST_CHECK int cul_probe_judge_all(struct cul_probe *probe,
                                       const struct cul_artefact *artefacts,
                                       size_t n, enum cul_until until,
                                       struct cul_judged *out,
                                       struct cul_err *err);
void cul_judged_release(struct cul_judged *judged);
/* Nothing is known: the machine, or the tool itself, ended the last run each
 * time. */
bool cul_judged_is_lost(const struct cul_judged *judged);
/* The first file that the sandbox kept a run from changing; free it.  NULL:
 * none. */
char *cul_judged_refused(const struct cul_judged *judged);
/* The verdict is BROKEN, or nothing is known: EENV, the command's doing
 * (cul_err.of_command) unless the machine ended the run. */
int cul_judged_fail(const struct cul_judged *judged, struct cul_err *err);

/* The deadline a run gets now, milliseconds. */
uint64_t cul_probe_deadline_ms(const struct cul_probe *probe);

#endif
