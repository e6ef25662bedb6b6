/* The job behind commits.h, shared by the commits_*.c files. */
#ifndef CUL_BISECT_COMMITS_COMMITS_PRIVATE_H
#define CUL_BISECT_COMMITS_COMMITS_PRIVATE_H

#include "../../probe/workplace.h"
#include "../build/artefacts.h"
#include "../build/pool.h"
#include "commits.h"

struct cul_commits_slot {
  struct cul_place place;
  struct cul_subst subst[2];
  char hex[CUL_COMMIT_HEX];  /* what @{commit} is */
  char name[CUL_COMMIT_HEX]; /* of the point: inside a dependency, its own */
  struct cul_override *held;
  char *lacking; /* paths of submodules that are left empty, one a line */
  struct cul_artefact art;
  bool used;
};

/* What became of a point that was begun; kept beyond its slot. */
enum cul_commits_fate {
  CUL_FATE_ANSWER,  /* the verdict counts */
  CUL_FATE_SAME,    /* built, and the same artefact as one that was told of */
  CUL_FATE_TROUBLE, /* the machine failed: to be tried again */
  CUL_FATE_ESCAPED, /* the trace was not closed: to be run without */
};
struct cul_commits_run {
  uint32_t commit, attempt;
  bool live;
  bool doubtful; /* trouble, unless the verdict is the sought failure */
  bool refused;  /* a write, by the sandbox: what it says is not remembered */
  enum cul_commits_fate fate;
  uint64_t run_us;
  char why[200];
};

/* A step of the bisector under way: its runs are had one after the other. */
struct cul_commits_step {
  struct cul_bisect_step step;
  uint32_t left, commit, attempt;
  uint64_t ticket; /* of the run in flight; 0: none */
  uint32_t tries;  /* that the machine spoilt */
  uint64_t not_before_us;
  bool doubtful; /* the run below ended so; whether that counts is not known */
  struct cul_commits_run ended;
  struct cul_verdict verdict;
};

/* Commits that are the same artefact share one coin: its tosses are numbered,
 * and each is counted once. */
struct cul_commits_coin {
  struct cul_digest name;
  struct cul_digest artefact; /* as name, where it was not set apart */
  uint32_t tosses;            /* given out */
  uint32_t member;            /* point of the dag that was told of, or NONE */
};

/* One build or run, for the report. */
struct cul_commits_event {
  uint32_t commit, attempt;
  bool build; /* else a run */
  enum cul_answer answer;
  bool recalled; /* of an earlier job */
  uint64_t us;
  char why[200];
};

struct cul_commits {
  const struct cul_commits_conf *conf;
  struct cul_commits_watcher watcher;
  struct cul_repo *repo;
  const struct cul_commits_inside *inside; /* NULL: the repository itself */
  struct cul_moves moves;                  /* of the culprit */
  json_t *moved; /* of the report: see commits_moves.c; NULL: it moves none */
  json_t *inner; /* of the report; NULL: the culprit moves no dependency */
  struct cul_pool *pool;
  struct cul_cache *cache;
  char *note;
  struct cul_workplace place; /* removed at the end */
  struct cul_rules *rules;
  struct cul_oracle_conf oracle_conf;
  uint64_t deadline_us; /* of --max-time; 0: none */

  void *one_run; /* struct cul_commits_oracle around the user's oracle */
  struct cul_environment *environment; /* of tests */
  struct cul_environment *building;    /* of builds: the same, but for its
                                          sandbox */
  struct cul_paths refused; /* that builds and tests were kept from; of the
                               outermost */
  char *work;               /* where builds are made, by its real name */
  bool teaching; /* the run is one of --bad: it shows where tests may write */
  struct cul_command command;
  const char **argv; /* of the command: the first one found in the build */
  char *program;

  struct cul_probe probe;
  struct cul_digest job;   /* names what verdicts depend on, beside the coin */
  struct cul_digest test;  /* command, program, environment */
  struct cul_digest build; /* command, toolchain, environment */
  struct cul_artefacts *artefacts;
  bool by_tree; /* what runs read cannot be told: equal trees are the same */
  struct cul_commits_slot slots[CUL_MAX_WORKERS + 1];
  struct cul_commits_run runs[CUL_MAX_WORKERS + 1]; /* by slot */
  /* The history between the ends. */
  struct cul_commit_id bad; /* as the user says */
  struct cul_commit_id *goods;
  size_t n_goods;
  struct cul_history history;
  struct cul_dag dag;
  uint32_t *points; /* number in history of each point of dag */
  bool *touches;    /* per candidate: --paths; NULL: all are alike */
  struct cul_bisector *bisector;
  /* Runs. */
  struct cul_commits_coin *coins;
  size_t n_coins;
  uint32_t *coin_of; /* per commit of history: 1 + coin; 0: not known */
  uint8_t *seen;     /* per commit of history: enum cul_commits_seen */
  struct cul_signature sought;
  struct cul_record shown; /* the run that it was learnt from */
  bool contrasting;        /* see cul_commits_contrast */
  bool contrasted;
  char **fixed; /* base names of files that the command names and the
                   repository does not hold, NULL terminated; heap */
  size_t n_fixed;
  struct cul_commits_step steps[64];
  size_t n_steps;
  uint32_t asked[2]; /* the last point given out */
  uint64_t next_ticket;
  uint64_t accepted[64];
  size_t n_accepted;
  /* Submodules that could not be had: of the outermost job. */
  struct cul_commits_missing *missing;
  size_t n_missing;
  bool said_pointers;
  struct cul_err failure; /* of a trial during the search */
  json_t *trials;         /* of the report: see cul_commits_trial */
  char *trouble;          /* what the machine failed at, again and again */
  struct cul_commits_event *events;
  size_t n_events;
  char **warnings;
  size_t n_warnings;
  uint32_t built, failed;
};
/* A search inside dependencies: the points are commits of one of them, or
 * steps of several; all else is the commit that moved them, or its parent. */
struct cul_commits_inside {
  struct cul_commits *outer;
  struct cul_commit_id commit;
  const struct cul_commit_id *before, *after; /* n_held each: what it moved from
                                                 and to */
  /* Commits that stand for all before and all after; NULL: none does. */
  const struct cul_commit_id *before_is, *after_is;
  struct cul_override *held; /* the dependencies, where they are held; then
                                n_more that are the same everywhere */
  size_t n_held, n_more;
  size_t moving; /* the one whose commits the history has; n_held: */
  const struct cul_commit_id *vectors; /* n_held ids per commit of history;
                                          NULL: as held says */
};
/* A job of its own on what the outer one has set up. */
struct cul_commits_within {
  struct cul_commits job;
  struct cul_commits_conf conf;
  struct cul_commits_inside inside;
};
struct cul_commits_within *
cul_commits_within(struct cul_commits *outer,
                   const struct cul_commits_inside *inside);
/* What the inner job did is the outer one's doing. */
void cul_commits_within_end(struct cul_commits *outer,
                            struct cul_commits_within *in);

/* A submodule that was left empty. */
struct cul_commits_missing {
  char *path, *name, *url; /* url: NULL where it is not known */
  struct cul_commit_id id; /* the first commit of it that was wanted */
  /* Does a commit without it that passes, or fails, do so for other reasons? */
  enum cul_commits_doubt {
    CUL_DOUBT_NEW,
    CUL_DOUBT_TO_TRY, /* a trial is to tell */
    CUL_DOUBT_COUNTS,
    CUL_DOUBT_NOT,
  } passes,
      fails;
};

enum cul_commits_seen { CUL_SEEN_TOLD = 1, CUL_SEEN_BUILT = 2 };

/* Say a line to the watcher. */
void cul_commits_say(struct cul_commits *job, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same, and keep it for the report. */
void cul_commits_warn(struct cul_commits *job, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* commits_ends.c: revisions; what failure is sought, a commit without it, and
 * the dag between. */
CUL_MUST_CHECK int cul_commits_resolve(struct cul_commits *job,
                                       struct cul_err *err);
CUL_MUST_CHECK int cul_commits_ends(struct cul_commits *job,
                                    struct cul_err *err);
/* A commit's number in the history. */
uint32_t cul_commits_number(const struct cul_commits *job,
                            const struct cul_commit_id *id);

/* commits_search.c: the dag between the ends, the search over it, and what is
 * wrong where that found nothing (0: it did). */
CUL_MUST_CHECK int cul_commits_lay_out(struct cul_commits *job,
                                       struct cul_err *err);
CUL_MUST_CHECK int cul_commits_search(struct cul_commits *job,
                                      struct cul_err *err);
CUL_MUST_CHECK int cul_commits_say_end(const struct cul_commits *job,
                                       const struct cul_bisect_answer *answer,
                                       struct cul_err *err);
int cul_commits_fail_budget(struct cul_err *err);

/* commits_names.c: what verdicts and builds depend on. */
void cul_commits_name(struct cul_commits *job);

/* commits_coins.c: which artefact a commit is, and what earlier jobs know. */
/* NULL: not known (yet). */
struct cul_commits_coin *cul_commits_coin(struct cul_commits *job,
                                          uint32_t commit);
/* From now on the commit is this artefact; NULL: the one of its tree. */
struct cul_commits_coin *cul_commits_set_coin(struct cul_commits *job,
                                              uint32_t commit,
                                              const struct cul_digest *name);
/* The commit gets a coin of its own, whatever artefact it is. */
void cul_commits_set_apart(struct cul_commits *job, uint32_t commit,
                           uint32_t from);
/* The digest of one toss, as an artefact of the cache. */
struct cul_digest cul_commits_toss(const struct cul_commits_coin *coin,
                                   uint32_t attempt);
/* A toss that an earlier job, or this one, knows: its verdict, or its record
 * judged anew (learn: learnt from).  *found: false where nothing is known. */
CUL_MUST_CHECK int cul_commits_recall(struct cul_commits *job,
                                      const struct cul_commits_coin *coin,
                                      uint32_t attempt, bool learn,
                                      struct cul_verdict *verdict, bool *found,
                                      struct cul_err *err);
/* Of a toss, before the next one starts: it may have cost a build. */
void cul_commits_remember(struct cul_commits *job, uint32_t commit,
                          uint32_t attempt, const struct cul_verdict *verdict);
/* A build of this tree, by this toolchain, that failed. */
bool cul_commits_failed_before(struct cul_commits *job, uint32_t commit,
                               char why[200]);
void cul_commits_remember_failure(struct cul_commits *job, uint32_t commit,
                                  const char *why);

/* commits_box.c: what builds and tests are kept from. */
/* The sandboxes of both.  work: the real name of the pool's directory.
 * Errors: EENV (a strict one that cannot be had). */
CUL_MUST_CHECK int cul_commits_open_boxes(struct cul_commits *job,
                                          const char *work,
                                          struct cul_err *err);
/* May a run of --bad still show where tests write? */
bool cul_commits_may_teach(const struct cul_commits *job);
/* One has. */
void cul_commits_teach(struct cul_commits *job,
                       const struct cul_record *traced);
/* From now on tests write to their own directories, to caches, and where those
 * of --bad did. */
void cul_commits_seal(struct cul_commits *job);
/* The sandbox kept the build, or the test, of a commit from changing path: say
 * so, once for each file and of a few. */
void cul_commits_heed_refused(struct cul_commits *job, const char *what,
                              const char *commit, const char *path,
                              bool untested);

/* commits_space.c: points are {commit of history, attempt}. */
struct cul_space cul_commits_space(struct cul_commits *job);
/* The probe tells of each run (see struct cul_watcher). */
void cul_commits_ran(void *job, int slot, const struct cul_record *record);
struct cul_commits_run *cul_commits_run_of(struct cul_commits *job,
                                           uint32_t commit);
void cul_commits_note(struct cul_commits *job,
                      const struct cul_commits_event *event);

/* commits_try.c: build a commit and run the test once, and wait for it.
 * learn: from this failure (see cul_oracle). */
CUL_MUST_CHECK int cul_commits_try(struct cul_commits *job, uint32_t commit,
                                   bool learn, struct cul_verdict *verdict,
                                   struct cul_err *err);
/* The machine spoilt one more try: how long to wait, microseconds.  False:
 * that was the last one; trouble says so. */
bool cul_commits_again(struct cul_commits *job, uint32_t tries,
                       const struct cul_commits_run *run, uint64_t *pause_us);

/* commits_words.c: a failure that no rule knows. */
/* A run has been judged, or learnt from. */
void cul_commits_heed(struct cul_commits *job, bool learn,
                      const struct cul_record *record, enum cul_answer answer);
/* Would a run that passes say what is no part of the failure? */
bool cul_commits_wants_contrast(const struct cul_commits *job);
/* Run the good ends until one passes, and learn the failure anew beside it. */
CUL_MUST_CHECK int cul_commits_contrast(struct cul_commits *job,
                                        struct cul_err *err);
/* The same where it has been run, with job->contrasting set. */
CUL_MUST_CHECK int cul_commits_take_contrast(struct cul_commits *job,
                                             struct cul_err *err);
/* Is what is sought a guess?  And say what it is. */
bool cul_commits_guesses(const struct cul_commits *job);
void cul_commits_say_sought(struct cul_commits *job);
/* Sets oracle_conf.fixed. */
void cul_commits_find_fixed(struct cul_commits *job);
void cul_commits_release_words(struct cul_commits *job);

/* commits_ask.c: the bisector as the probe sees it. */
struct cul_asker cul_commits_asker(struct cul_commits *job);

/* What a commit of the history stands for; held: heap, for the revision. */
void cul_commits_revision(const struct cul_commits *job, uint32_t commit,
                          struct cul_revision *out, struct cul_override **held);

/* commits_lacking.c: submodules that cannot be had. */
struct cul_commits *cul_commits_outermost(struct cul_commits *job);
/* The paths of those that a revision leaves empty, one a line, each said once
 * in the job.  False: objects of the repository are missing. */
bool cul_commits_lacking(struct cul_commits *job,
                         const struct cul_revision *revision,
                         struct cul_buf *paths);
bool cul_commits_lacks(struct cul_commits *job, uint32_t commit,
                       const char *path);
/* Say in `why` which submodule a commit that tells nothing lacks. */
void cul_commits_blame_lack(struct cul_commits *job, uint32_t commit,
                            char why[200]);
/* Do the ends differ only for lack of a submodule?  EENV. */
CUL_MUST_CHECK int cul_commits_check_lacking(struct cul_commits *job,
                                             struct cul_err *err);
/* Does a commit that lacks submodules pass, or fail, for other reasons? TO_TRY:
 * cul_commits_settle_doubts is to be called first, with no run in flight. */
enum cul_commits_doubt cul_commits_doubt(struct cul_commits *job,
                                         uint32_t commit,
                                         enum cul_answer answer);
bool cul_commits_has_doubts(const struct cul_commits *job);
CUL_MUST_CHECK int cul_commits_settle_doubts(struct cul_commits *job,
                                             struct cul_err *err);
/* Files of git-lfs without content: once in the job. */
void cul_commits_say_pointers(struct cul_commits *job,
                              const struct cul_switched *files);
json_t *cul_commits_missing_report(const struct cul_commits *job);
void cul_commits_missing_free(struct cul_commits *job);

/* commits_trial.c: a revision that is no commit, built and run until it shows
 * the failure, at most `runs` times; remembered as commits are, and listed in
 * job->trials.  what: in words, "f00 without dep". */
CUL_MUST_CHECK int cul_commits_trial(struct cul_commits *job,
                                     const struct cul_revision *revision,
                                     const char *what, uint32_t runs,
                                     struct cul_verdict *verdict,
                                     struct cul_err *err);

/* commits_moves.c: where the culprit moves dependencies, and these are to
 * blame, find who is inside; sets job->inner and job->moved.  Errors: EINTR,
 * EBUDGET; others are warned of: the answer outside stands. */
CUL_MUST_CHECK int cul_commits_go_inside(struct cul_commits *job,
                                         uint32_t culprit, struct cul_err *err);
/* commits_inner.c: the search in what is to blame.  moved: its items are
 * narrowed.  inside: held, n_held, n_more, before_is, after_is and commit are
 * set; what is held is at its new commit. */
CUL_MUST_CHECK int cul_commits_search_moved(struct cul_commits *job,
                                            struct cul_commits_inside *inside,
                                            struct cul_moved *moved,
                                            struct cul_err *err);

/* commits_bundle.c: --bundle, where it was asked for.  The directory is made
 * before the first build; logs are kept as they come. */
CUL_MUST_CHECK int cul_commits_bundle_open(struct cul_commits *job,
                                           struct cul_err *err);
void cul_commits_keep_build(struct cul_commits *job, const char *hex,
                            const char *log);
void cul_commits_keep_run(struct cul_commits *job, const char *hex,
                          uint32_t attempt, const struct cul_record *record);
CUL_MUST_CHECK int cul_commits_bundle_write(struct cul_commits *job,
                                            const json_t *report,
                                            struct cul_err *err);

/* commits_report.c */
/* What was seen at each candidate (see struct cul_plot); heap. */
char *cul_commits_marks(const struct cul_commits *job);
json_t *cul_commits_report(struct cul_commits *job, struct cul_err *err);

#endif
