/* The loop that all jobs share: point -> artefact -> cache -> runs -> verdict.
 *
 * A job supplies a space (what is searched, and how a point becomes an
 * artefact) and a search (which point is next).  The probe builds points in
 * slots, looks records up in the cache, executes missing runs, lets the oracle
 * judge, and tells the search the verdict.  One poll loop, no threads. */
#ifndef CUL_PROBE_PROBE_H
#define CUL_PROBE_PROBE_H

#include "../base/files/held.h"
#include "../cache/cache.h"
#include "../oracles/oracle.h"
#include "../runners/identity/stamps.h"
#include "../runners/preload.h"
#include "../runners/runner.h"
#include "early_hangs.h"

/* A point of a space: numbers that the space interprets.  Borrowed. */
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
  bool valid;   /* false: rejected before any run, see why */
  bool pending; /* not built yet: look again when fd is readable */
  int fd;
  struct cul_extent size;
  /* dir and file are set; the files exist only after materialise */
  struct cul_artefact art;
  char why[160];
};

/* The space that is searched.  Slots 0.. hold one candidate each (see
 * cul_probe.slots). */
struct cul_space {
  const char *name;
  void *self;
  /* The key of a point's stored verdict: a digest of job, revision and ids,
   * which is the same in a later run of the job.  NULL: no verdicts are
   * stored. */
  void (*key)(void *self, const struct cul_point *point,
              struct cul_digest *out);
  /* Start building in a slot.  *fd: becomes readable when built; -1: already
   * built. */
  int (*begin)(void *self, const struct cul_point *point, int slot, int *fd,
               struct cul_err *err);
  /* The result; called when the fd is readable.  ECHILD: the child died; ELOST:
   * it was killed, or could not be made; the probe drops the point and begins
   * it again. */
  int (*built)(void *self, int slot, struct cul_built *out,
               struct cul_err *err);
  /* Put the files of the slot's artefact into its directory. */
  int (*materialise)(void *self, int slot, struct cul_err *err);
  /* The point is accepted and becomes the best.  Ends the use of the slot. */
  int (*commit)(void *self, int slot, const struct cul_point *point,
                const struct cul_built *built, struct cul_err *err);
  /* Free the slot; kills a build in progress. */
  void (*drop)(void *self, int slot);
};

/* Decides which point is next (see reducer/search/search.h for the contract of
 * these calls; a bisection has its own).  No call sleeps or waits: the loop
 * waits for all points under way. */
struct cul_asker {
  void *self;
  /* The next point and its ticket, which is not 0.  False: there is none now.
   * *again_us (0 before the call) is the time on cul_now_us() to ask again,
   * unless a verdict is told earlier.  0: ask again after an event of a point
   * under way; with none under way, the search is finished. */
  bool (*ask)(void *self, struct cul_point *point, uint64_t *ticket,
              uint64_t *again_us);
  void (*tell)(void *self, uint64_t ticket, const struct cul_verdict *verdict);
  size_t (*stale)(void *self, uint64_t *tickets, size_t max);
  uint64_t (*accepted)(void *self);
  bool (*finished)(void *self);
  /* Has the search abandoned points without being told a verdict?  Then the
   * loop calls accepted and stale.  Called before each ask; NULL: never. */
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
  uint64_t recalled; /* verdicts stored by an earlier run of the same job */
  uint64_t cached;   /* records found in the cache */
  uint64_t executed; /* processes of the tool under test that ended */
  uint64_t compared; /* the same, not in executed: they only verify a run of a
                        server or in-process */
  uint64_t killed;   /* processes that were killed because their result was no
                        longer needed */
  uint64_t invalid;  /* points rejected before a run */
  uint64_t timeouts; /* deadlines hit */
  uint64_t by_phase[CUL_N_RUN_PHASES]; /* executed */
  uint64_t oracle_cpu_us;
  uint64_t idle_us; /* of all workers: time without a run during a search */
  uint64_t idle_building_us; /* of idle_us: while a candidate was being made */
  uint64_t peak_rss_bytes;
};

/* The processes that --max-runs limits. */
static inline uint64_t cul_counts_ended(const struct cul_counts *counts) {
  return counts->executed + counts->compared;
}

struct cul_budget {
  uint64_t max_runs;    /* executed and compared; 0 = no limit */
  uint64_t deadline_us; /* on cul_now_us(): runs under way are ended then; 0 =
                           no limit */
  /* stop when the best has at most this many; 0 = never */
  uint64_t stop_at_ops;
};

/* Callbacks to the job while the probe works; every member may be NULL. */
struct cul_watcher {
  void *self;
  /* A verdict was reached.  point and built are as asked; the slot still
   * contains the point; ticket: of the asker, which receives the verdict after
   * this call. */
  void (*judged)(void *self, int slot, uint64_t ticket,
                 const struct cul_point *point, const struct cul_built *built,
                 const struct cul_verdict *verdict);
  /* A record is available, from a run or the cache.  Slots from CUL_MAX_WORKERS
   * on belong to cul_probe_judge. */
  void (*ran)(void *self, int slot, const struct cul_record *record);
  /* A run in this slot is over: it ended, or was killed because its result was
   * no longer needed.  Times on cul_now_us(). */
  void (*ended)(void *self, int slot, uint64_t start_us, bool killed);
  /* Called at least every 100 ms while waiting. */
  void (*tick)(void *self);
};

/* Another command that an oracle may request on the same candidate. */
struct cul_role {
  const char *name; /* of the request; NULL: no such command */
  const struct cul_command *cmd;
  struct cul_digest tool;
  uint32_t flags; /* enum cul_request_flags, added to the request's */
};

/* The deadline of runs: a multiple of the slowest run that ended of the same
 * role, because a reference may take much longer than the tool. */
struct cul_deadline {
  bool fixed;       /* constant: the sought failure is a timeout */
  bool provisional; /* ... but while searching, hitting the adaptive deadline is
                       enough; see cul_target_hurry */
  bool spinning;    /* ... and the failing tool computes: the adaptive deadline
                       then uses processor time, which load does not lengthen */
  /* slowest run of this revision, by role; 0: none has ended yet */
  uint64_t slowest_us[CUL_N_ROLES];
};
/* Ordinary runs that are traced although their tool is known: what they use
 * beyond the files of its first run belongs to the tool, too.  A trace costs
 * time, so there are few of them.  Which candidates these are depends on the
 * order in which the search asks for them and on their content, not on which
 * run ends first. */
struct cul_samples {
  bool wanted; /* set by the job; the target begins when it knows the tool */
  bool on;
  uint64_t asked;                   /* candidates of searches */
  uint64_t apart[CUL_N_RUN_PHASES]; /* judged outside them, by phase */
  void *self;
  /* What a run used: record->files, without gaps. */
  int (*told)(void *self, enum cul_run_role role,
              const struct cul_record *record, struct cul_err *err);
};

/* Who learns from traced runs: samples, and runs of an artefact whose tool was
 * unknown.  After one of the latter, told sets *artefact->tool (not zero); NULL
 * if no artefact has its own tool. */
struct cul_traced {
  struct cul_samples samples;
  void *self;
  int (*told)(void *self, const struct cul_artefact *artefact,
              const struct cul_record *record, struct cul_err *err);
};

/* The answers of runs that are no ordinary ones, each compared with that of an
 * ordinary run.  Other failures count one by one: a crash that depends on what
 * is in memory shows as itself in one process and as another in the next. */
struct cul_answers_compared {
  uint32_t answers; /* bit 1 << answer */
  struct cul_other_compared {
    struct cul_digest why; /* of its description, cul_verdict.why */
    unsigned unlike; /* comparisons in which the ordinary run showed another
                        other failure */
    bool proven;     /* it is not compared again */
  } others[16];
  size_t n_others;
  unsigned n_unlike; /* of all */
};

/* Runs of a search in the process that holds the candidate (runners/live.h), if
 * culprit's own engine can replace the command.  They are preferred to servers
 * and compared with ordinary runs; their records have separate keys: the
 * engine's words, its identity and CUL_RUN_LIVE.
 *
 * Where an answer and that of the command contradict each other, that of the
 * command counts.  One contradiction ends nothing, because a tool may itself
 * answer by the addresses of its memory.  But each one makes the next OWED
 * answers be compared, and runs in-process end where more than MOST_OWED are.
 * Once the command did not confirm a failure, each one needs its
 * confirmation. */
enum { CUL_INSIDE_OWED = 8, CUL_INSIDE_MOST_OWED = 16 };
struct cul_in_process {
  bool on;
  char differed[280];    /* the last contradiction; "": none */
  uint64_t contradicted; /* how many there were */
  unsigned owed;         /* answers to be compared next, whatever they are */
  bool unconfirmed;      /* one of them was a failure */
  const char *const *instead; /* the suspect's arguments that it replaces */
  /* by role: the engine's words; argv NULL: that command is run */
  struct cul_command of[CUL_N_ROLES];
  struct cul_digest tool; /* the engine, and the tools that it replaces */
  /* by role: the slowest of these runs that ended; 0: none has */
  uint64_t slowest_us[CUL_N_ROLES];
  struct cul_answers_compared compared;
  uint64_t same; /* points whose failure in-process was confirmed */
  uint64_t runs;
};

/* While searching, the first run of a point may be a fork of a tool that was
 * started before (a served run).  Its answer is compared with that of an
 * ordinary run: once for each kind of answer and each other failure, and
 * repeatedly for the sought one.
 * Where they differ, the ordinary run counts and no servers are used any
 * more. */
struct cul_service {
  struct cul_servers *servers; /* NULL: never */
  struct cul_answers_compared compared;
  uint64_t same; /* points whose served failure was confirmed */
  struct cul_in_process inside;
};

/* Permissions for the runs that classify the original. */
struct cul_learning {
  bool outside_wanted; /* the second classifying run is made outside the
                          sandbox */
};

/* Reasons for which a run may not count. */
struct cul_doubts {
  bool passes; /* passes matter as much as failures (bisection): neither counts
                  if the sandbox refused a write */
  /* does the oracle read the text of candidates, because what quotes it does
   * not count? NULL = no */
  const bool *quotes;
  /* of the tools' files: if one changes, later runs do not count; NULL: they
   * may change */
  struct cul_stamps *stamps;
};

/* Filled by the job; borrowed by the probe for the life of the job. */
struct cul_probe {
  struct cul_cache *cache; /* NULL: no cache */
  const struct cul_runner *runner;
  const struct cul_oracle *oracle;
  void *oracle_self;
  struct cul_request request;         /* the first run of every point */
  struct cul_role roles[CUL_N_ROLES]; /* except the suspect's */
  const struct cul_held *place;       /* the TMPDIRs of runs are below it */
  int workers;                        /* runs at a time, 1..CUL_MAX_WORKERS */
  int slots; /* candidates at a time, including those held until earlier ones
                are judged; 0 = workers */
  uint64_t build_ms; /* time limit for building a point, which then counts as
                        hung; 0 = 20 s */
  struct cul_deadline deadline;
  struct cul_early_hangs early; /* used if deadline.provisional */
  int lost_status; /* exit status that means a missing device; such records are
                      not stored; 0 = none */
  struct cul_budget budget;
  struct cul_watcher watcher;
  struct cul_traced traced;
  struct cul_service service;
  struct cul_learning learning;
  uint32_t lost; /* consecutive runs given up because the machine, or the tool
                    itself, ended their supervisors each time */
  const volatile int *interrupted;
  struct cul_doubts doubt;
  enum cul_run_phase phase;
  int running; /* runs under way in cul_probe_run, for display */
  struct cul_counts counts;
  uint64_t best_ops; /* of the last accepted point, for stop_at_ops */
};
/* The subject shrank, so runs should be faster: shorten their deadlines. */
static inline void cul_probe_tighten(struct cul_probe *probe) {
  for (size_t role = 0; role < CUL_N_ROLES; role++) {
    uint64_t *own_us = &probe->deadline.slowest_us[role];
    uint64_t *inside_us = &probe->service.inside.slowest_us[role];
    *own_us = *own_us ? *own_us / 2 + 1 : 0;
    *inside_us = *inside_us ? *inside_us / 2 + 1 : 0;
  }
}
#define CUL_MAX_WORKERS 256
#define CUL_MAX_SLOTS (4 * CUL_MAX_WORKERS + 2)
#define CUL_SHORTEST_DEADLINE_MS 2000
/* The same of runs in-process, which start no program. */
#define CUL_SHORTEST_INSIDE_MS 150

/* Run search over space until it is finished.  Returns 0, EBUDGET, EINTR (the
 * best is committed in both), or an error of space, runner or oracle.
 * BROKEN verdicts end the loop with EENV. */
CUL_MUST_CHECK int cul_probe_run(struct cul_probe *probe,
                                 struct cul_space *space,
                                 struct cul_asker *search, struct cul_err *err);

/* Are the tools still those whose runs are known?  now: look at their files;
 * otherwise only if a look is due.  Call it before an answer is final;
 * cul_probe_time_left asks the same now and then.  Errors: EENV. */
CUL_MUST_CHECK int cul_probe_tools_hold(const struct cul_probe *probe, bool now,
                                        struct cul_err *err);
/* Is time left?  Every wait for a run checks this at least every 100 ms, and
 * ends the run if none is left.  Errors: EBUDGET, EINTR; EENV where a tool
 * changed. */
CUL_MUST_CHECK int cul_probe_time_left(const struct cul_probe *probe,
                                       struct cul_err *err);
/* The same as a cul_patience, for other waits. */
struct cul_patience cul_probe_patience(const struct cul_probe *probe);
/* Are time and runs left?  Errors: those of cul_probe_time_left. */
CUL_MUST_CHECK int cul_probe_budget_left(const struct cul_probe *probe,
                                         struct cul_err *err);
/* Is the time or the number of runs spent?  For optional work. */
bool cul_probe_is_spent(const struct cul_probe *probe);
/* cul_run_wait while time is left, for runs that belong to no candidate and are
 * not counted.  tmp: below the probe's place; made here.  Errors: EBUDGET,
 * EINTR, EENV. */
CUL_MUST_CHECK int cul_probe_try(const struct cul_probe *probe,
                                 const struct cul_runner *runner,
                                 const struct cul_artefact *artefact,
                                 const struct cul_request *request,
                                 const char *tmp, struct cul_record *record,
                                 struct cul_err *err);
/* The same, but EENV if the machine ends the run each time. */
CUL_MUST_CHECK int cul_probe_wait(const struct cul_probe *probe,
                                  const struct cul_runner *runner,
                                  const struct cul_artefact *artefact,
                                  const struct cul_request *request,
                                  const char *tmp, struct cul_record *record,
                                  struct cul_err *err);
/* Find out whether the machine or the tool ends supervisors (a tool without a
 * sandbox may kill its own): runs a program that does nothing.  *lost: that run
 * was lost too, so the machine ends runs.  like: the tool's command. */
CUL_MUST_CHECK int cul_probe_ask_machine(const struct cul_probe *probe,
                                         const struct cul_artefact *artefact,
                                         const struct cul_command *like,
                                         const char *tmp, bool *lost,
                                         struct cul_err *err);
/* Run an artefact whose files are in place once, within the budget, without
 * judging it and without the cache; tmp: TMPDIR.  The machine may have ended
 * the run. */
CUL_MUST_CHECK int cul_probe_run_apart(struct cul_probe *probe,
                                       const struct cul_artefact *artefact,
                                       const struct cul_request *request,
                                       const char *tmp,
                                       struct cul_record *record,
                                       struct cul_err *err);

/* Judge one artefact whose files are in place: cache, runs that the oracle
 * wants, verdict.  learn: classify (cul_oracle.learn) instead of judge.  out:
 * zero, or with records of earlier runs (taken over); release it in any
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
/* Run an artefact, in slot 0, once by a server and once ordinarily; if the
 * answers differ, stop using servers.  *share: processor time of the served run
 * relative to the ordinary one. */
CUL_MUST_CHECK int cul_probe_try_servers(struct cul_probe *probe,
                                         const struct cul_artefact *artefact,
                                         double *share, struct cul_err *err);
enum cul_until {
  CUL_UNTIL_END,
  CUL_UNTIL_SAME,       /* one is SAME */
  CUL_UNTIL_SAME_AGAIN, /* the first is not SAME, or a later one is */
};
/* The same for n artefacts, not learning: with runs in parallel as far as
 * workers are free, and verdicts as if judged one after the other.  until:
 * artefacts after that point are not judged; BROKEN always ends.  out: n, zero
 * for artefacts that were not judged; release them in any case. */
CUL_MUST_CHECK int cul_probe_judge_all(struct cul_probe *probe,
                                       const struct cul_artefact *artefacts,
                                       size_t n, enum cul_until until,
                                       struct cul_judged *out,
                                       struct cul_err *err);
void cul_judged_release(struct cul_judged *judged);
/* Is the outcome unknown because the machine, or the tool itself, ended the
 * last run each time? */
bool cul_judged_is_lost(const struct cul_judged *judged);
/* The first file that the sandbox kept a run from changing; caller frees.
 * NULL: none. */
char *cul_judged_refused(const struct cul_judged *judged);
/* The error for a verdict BROKEN or an unknown outcome: EENV, caused by the
 * command (cul_err.of_command) unless the machine ended the run. */
int cul_judged_fail(const struct cul_judged *judged, struct cul_err *err);

/* The current deadline of runs of a role, milliseconds. */
uint64_t cul_probe_deadline_ms(const struct cul_probe *probe,
                               enum cul_run_role role);

#endif
