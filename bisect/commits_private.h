/* The job behind commits.h, shared by the commits_*.c files. */
#ifndef CUL_BISECT_COMMITS_PRIVATE_H
#define CUL_BISECT_COMMITS_PRIVATE_H

#include "commits.h"
#include "pool.h"

struct cul_commits_slot {
  struct cul_place place;
  struct cul_subst subst[2];
  char hex[CUL_COMMIT_HEX];
  struct cul_artefact art;
  bool used;
};

/* A step of the bisector under way: its runs are had one after the other. */
struct cul_commits_step {
  struct cul_bisect_step step;
  uint32_t left;
  uint64_t ticket; /* of the run in flight; 0: none */
};

struct cul_commits {
  const struct cul_commits_conf *conf;
  struct cul_commits_watcher watcher;
  struct cul_repo *repo;
  struct cul_pool *pool;
  struct cul_cache *cache;
  char *note;
  char *tmp; /* directory, removed at the end */
  struct cul_rules *rules;
  struct cul_oracle_conf oracle_conf;

  void *one_run; /* struct cul_commits_oracle around the user's oracle */
  struct cul_command command;
  const char **argv; /* of the command: the first one found in the build */
  char *program;

  struct cul_probe probe;
  struct cul_digest job;
  struct cul_commits_slot slots[CUL_MAX_WORKERS + 1];
  /* The history between the ends. */
  struct cul_commit_id bad; /* as the user says */
  struct cul_commit_id *goods;
  size_t n_goods;
  struct cul_history history;
  struct cul_dag dag;
  uint32_t *points; /* number in history of each point of dag */
  struct cul_bisector *bisector;
  /* Runs. */
  uint32_t *attempts; /* made so far, per commit of history */
  struct cul_signature sought;
  struct cul_commits_step steps[64];
  size_t n_steps;
  uint32_t asked[2]; /* the last point given out */
  uint64_t next_ticket;
  uint64_t accepted[64];
  size_t n_accepted;
  struct cul_commits_event *events;
  size_t n_events;
  uint32_t built, failed, recalled;
};

/* Say a line to the watcher. */
void cul_commits_say(struct cul_commits *job, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* commits_space.c: points are {commit of history, attempt}. */
struct cul_space cul_commits_space(struct cul_commits *job);
/* Build a commit and run the test once, and wait for it.  learn: from this
 * failure (see cul_oracle). */
CUL_MUST_CHECK int cul_commits_try(struct cul_commits *job, uint32_t commit,
                                   bool learn, struct cul_verdict *verdict,
                                   struct cul_err *err);
/* What an earlier, same job saw; false: nothing. */
bool cul_commits_recall(struct cul_commits *job, uint32_t commit,
                        uint32_t attempt, struct cul_verdict *verdict);
void cul_commits_remember(struct cul_commits *job, uint32_t commit,
                          uint32_t attempt, const struct cul_verdict *verdict);
void cul_commits_note(struct cul_commits *job, uint32_t commit,
                      uint32_t attempt, bool recalled,
                      const struct cul_verdict *verdict);

/* commits_ask.c: the bisector as the probe sees it. */
struct cul_asker cul_commits_asker(struct cul_commits *job);
/* What an answer of the oracle means for the bisector. */
enum cul_bisect_outcome cul_commits_outcome(const struct cul_commits *job,
                                            enum cul_answer answer);

/* commits_report.c */
json_t *cul_commits_report(struct cul_commits *job, struct cul_err *err);

#endif
