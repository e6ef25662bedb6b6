/* The reduce job: a failing input goes in, a minimal one comes out. */
#ifndef CUL_REDUCER_REDUCE_H
#define CUL_REDUCER_REDUCE_H

#include <jansson.h>

#include "../probe/target/failing_pass.h"
#include "driver/driver.h"
#include "forms/forms.h"
#include "neighbour.h"
#include "numbers/divergence.h"
#include "recipe.h"
#include "results/other_failures.h"
#include "results/outcome.h"
#include "space.h"

/* What the user asked for; strings are borrowed. */
struct cul_reduce_conf {
  struct cul_target_conf target;
  struct cul_form_conf form;
  const char *output; /* the reduced subject; rewritten at each step */
  const char *bundle; /* directory; or NULL */
  uint64_t max_runs;  /* 0 = no limit */
  double max_time_s;  /* 0 = no limit */
  uint64_t stop_at_ops;
  uint64_t seed;
  const char *search;   /* rule for subsets; NULL = by form */
  bool reduce_command;  /* the command is a part of what is reduced */
  const char *without;  /* mutations not to use, by name, with commas between */
  const json_t *recipe; /* of an earlier job (recipe.h); or NULL */
  bool extract;         /* only CUL_MUT_SEGMENT: the failing part as it is */
};

enum cul_reduce_phase {
  CUL_REDUCE_CLASSIFY,
  CUL_REDUCE_PASS,
  CUL_REDUCE_FORM,
  CUL_REDUCE_COMMAND,
  CUL_REDUCE_CUT,
  CUL_REDUCE_DELTA,
  CUL_REDUCE_MINIMAL,
  CUL_REDUCE_FINISH,
};
const char *cul_reduce_phase_name(enum cul_reduce_phase phase);

struct cul_reduce_step {
  double t; /* seconds since the job's start */
  const char *mutation;
  struct cul_size size;
  struct cul_part part; /* zero: of no range */
  uint64_t executed;
};

struct cul_reduce;

/* Told while the job works; every member may be NULL. */
struct cul_reduce_watcher {
  void *self;
  void (*phase)(void *self, const struct cul_reduce *job);
  void (*stepped)(void *self, const struct cul_reduce *job);
  void (*tick)(void *self, const struct cul_reduce *job);
};

/* The file that is rewritten at every step: see output.h. */
struct cul_reduce_output {
  char *path;             /* conf->output, links followed */
  int lock_fd;            /* beside it; -1: not taken */
  struct cul_buf written; /* into it last */
  char *broken; /* file of the candidate on which the test could not run */
};

struct cul_reduce_log {
  struct cul_reduce_step *steps;
  size_t n_steps;
  struct cul_buf journal; /* JSON lines */
};

/* Workers that were killed. */
struct cul_reduce_losses {
  unsigned n;
  uint32_t listing; /* listing this mutation, plus 1; 0 = none */
  bool origins;     /* what is in the worker is not the input any more */
};

struct cul_reduce {
  const struct cul_reduce_conf *conf;
  struct cul_reduce_watcher watcher;
  uint64_t start_us;
  uint64_t end_us;          /* of --max-time; 0 = none */
  struct cul_digest digest; /* names the job; zero: cannot be named */
  enum cul_reduce_phase phase;
  struct cul_reduce_output output;
  struct cul_target target;
  struct cul_workers workers;
  struct cul_chosen_form form;
  struct cul_edit_space space; /* open from FORM to FINISH */
  bool space_open;
  struct cul_vendor *vendor;     /* of the space; NULL: libMLIR answers */
  struct cul_asked asked;        /* of the worker, in the end */
  struct cul_input_data *inputs; /* see input_data.h; or NULL */
  struct cul_pass_cut pass;
  struct cul_divergent_part divergence; /* {0}: not looked for, or not found */
  bool divergence_taken;                /* the search has begun there */
  struct cul_size initial;
  struct cul_statistics *statistics; /* by mutation index of the space */
  size_t n_mutations;
  struct cul_driver driver;
  size_t patience; /* "no" in a row until a search is left; 0 = none */
  struct cul_reduce_losses losses;
  struct cul_followed recipe;
  struct cul_reduce_log log;
  struct cul_other_failures others;
  struct cul_neighbours neighbours;
  struct cul_outcome outcome;
};

/* Run the job.  job: caller's storage, filled also on error (release it).
 * Returns 0 with result "done"; EBUDGET, EINTR: the best is written and the
 * report is there; ENOFAIL, EFLAKY, EUSAGE, EENV as they are. */
CUL_MUST_CHECK int cul_reduce_run(struct cul_reduce *job,
                                  const struct cul_reduce_conf *conf,
                                  const struct cul_reduce_watcher *watcher,
                                  struct cul_err *err);
void cul_reduce_release(struct cul_reduce *job);

/* Steps of the job, one file each. */
CUL_MUST_CHECK int cul_reduce_try_trivial(struct cul_reduce *job, bool *done,
                                          struct cul_err *err);
/* Choose the form, and reduce the input from the beginning. */
CUL_MUST_CHECK int cul_reduce_subject(struct cul_reduce *job,
                                      struct cul_err *err);
CUL_MUST_CHECK int cul_reduce_search(struct cul_reduce *job,
                                     struct cul_err *err);
/* Of wrong numbers: go on with where they begin, if that fails by itself. */
CUL_MUST_CHECK int cul_reduce_first_part(struct cul_reduce *job,
                                         struct cul_err *err);
/* How the sites of a mutation are searched, by its phase and the subject's
 * form. */
const char *cul_reduce_rule(const struct cul_reduce *job, uint32_t mutation);
/* Turns, n of them, one after the other, to the end.  *changed is set where one
 * of them changed the subject. */
CUL_MUST_CHECK int cul_reduce_mutate_all(struct cul_reduce *job,
                                         const struct cul_turn *turns, size_t n,
                                         bool *changed, struct cul_err *err);
/* Parts of the search.  growing edit: the mutations that may grow
 * (grow.c). */
CUL_MUST_CHECK int cul_reduce_grow(struct cul_reduce *job, bool *changed,
                                   struct cul_err *err);
/* rc: what a step of the search ended with.  ELOST, the worker was killed:
 * another one holds the same now, and 0 is returned; anything else, or too
 * often: rc. */
CUL_MUST_CHECK int cul_reduce_recover(struct cul_reduce *job, int rc,
                                      struct cul_err *err);
/* The command only, the module as it is. */
CUL_MUST_CHECK int cul_reduce_command_alone(struct cul_reduce *job,
                                            struct cul_err *err);
/* job->outcome.text: what was written into the output file last. */
CUL_MUST_CHECK int cul_reduce_read_result(struct cul_reduce *job,
                                          struct cul_err *err);
CUL_MUST_CHECK int cul_reduce_finish(struct cul_reduce *job,
                                     struct cul_err *err);
CUL_MUST_CHECK int cul_reduce_store(struct cul_reduce *job,
                                    struct cul_err *err);
CUL_MUST_CHECK int cul_reduce_load(struct cul_reduce *job, bool *found,
                                   struct cul_err *err);
/* With conf->bundle: the result as a crash reproducer, where the tool is one
 * that reads them and it fails the same. */
CUL_MUST_CHECK int cul_reduce_make_reproducer(struct cul_reduce *job,
                                              struct cul_err *err);
/* After finish: did fresh runs contradict the search? */
bool cul_reduce_contradicted(const struct cul_reduce *job);
/* The failure is flaky after all: search again.  Results as of search; EFLAKY
 * where it is too rare. */
CUL_MUST_CHECK int cul_reduce_again(struct cul_reduce *job,
                                    struct cul_err *err);
/* After finish, of a failure that shows often, where one run of a candidate
 * was enough: does the result fail more rarely than the input?  Then from the
 * input anew, by the whole test; results as of search. */
bool cul_reduce_sank(const struct cul_reduce *job);
CUL_MUST_CHECK int cul_reduce_strictly(struct cul_reduce *job,
                                       struct cul_err *err);
/* Other failures that are met again and again, of the kind of the sought one:
 * are they that failure, in another place (cul_target_seek_place)?  *found: one
 * is. */
CUL_MUST_CHECK int cul_reduce_seek_places(struct cul_reduce *job, bool *found,
                                          struct cul_err *err);
/* Is there one to ask so about?  Then no other mutation comes before that:
 * what it is asked must not depend on how far others looked ahead. */
bool cul_reduce_place_is_due(const struct cul_reduce *job);
/* Set the job's name, job->digest, from everything that its result depends on;
 * it stays zero where that cannot be named. */
void cul_reduce_name(struct cul_reduce *job);
/* Set the name under which the verdicts of points are remembered. */
void cul_reduce_name_points(struct cul_reduce *job);
void cul_reduce_enter(struct cul_reduce *job, enum cul_reduce_phase phase);
double cul_reduce_seconds(const struct cul_reduce *job);

#endif
