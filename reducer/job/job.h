/* The state of a reduce job, shared by its parts: the user's requests, the
 * command under test, the edited subject, and the findings so far. */
#ifndef CUL_REDUCER_JOB_JOB_H
#define CUL_REDUCER_JOB_JOB_H

#include <jansson.h>

#include "../../probe/outdir.h"
#include "../../probe/target/failing_pass.h"
#include "../../probe/target/long_run.h"
#include "../driver/rounds.h"
#include "../forms/forms.h"
#include "../numbers/divergence.h"
#include "../results/other_failures.h"
#include "../results/outcome.h"
#include "../space/space.h"
#include "neighbour.h"
#include "trail.h"

/* Requests of the user while the job works; other code sets them. */
struct cul_reduce_wishes {
  bool paused;   /* begin no candidate; --max-time is suspended */
  uint32_t skip; /* mutation to leave, plus 1; 0: none.  The job clears it once
                    the mutation is left or has ended */
};

/* The user's configuration.  Strings are borrowed. */
struct cul_reduce_conf {
  struct cul_target_conf target;
  struct cul_form_conf form;
  const char *output; /* file of the reduced subject; rewritten at each step */
  const char *bundle; /* directory; or NULL */
  struct cul_outdir *outdir; /* the same, open; or NULL */
  uint64_t max_runs;         /* 0 = no limit */
  double max_time_s;         /* 0 = no limit */
  uint64_t stop_at_ops;
  uint64_t seed;
  const char *search;   /* rule for subsets; NULL = by form */
  bool reduce_command;  /* reduce the command too */
  const char *without;  /* mutations not to use: names separated by commas */
  const char *plugin;   /* path given by --mutation, for form text; or NULL */
  const json_t *recipe; /* of an earlier job (recipe.h); or NULL */
  const char *pass_through; /* command of another reducer; or NULL */
  bool anew;    /* try the candidates again even if the job was done before */
  bool extract; /* use only CUL_MUT_SEGMENT: cut out the failing part unchanged
                 */
  struct cul_reduce_wishes *wishes; /* borrowed; NULL: no wishes */
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
  uint64_t executed;
  json_t *json; /* as in a report, with the difference from the step before */
};

struct cul_reduce;

/* Callbacks while the job works; every member may be NULL. */
struct cul_reduce_watcher {
  void *self;
  void (*phase)(void *self, const struct cul_reduce *job);
  void (*stepped)(void *self, const struct cul_reduce *job);
  void (*tick)(void *self, const struct cul_reduce *job);
  /* A mutation was left because the user wished it. */
  void (*skipped)(void *self, const struct cul_reduce *job, uint32_t mutation);
  /* The candidate in this slot was judged.  Not called for edits of the
   * command, which leave the module unchanged. */
  void (*judged)(void *self, struct cul_reduce *job, int slot,
                 enum cul_answer answer);
};

/* The result file, rewritten at every step: see output.h. */
struct cul_reduce_output {
  char *path;  /* conf->output with symbolic links resolved */
  int lock_fd; /* lock file beside path; -1: not locked */
  /* the text last written to path; it may borrow from the target's subject */
  struct cul_pieces written;
  bool lost;    /* it could not be written: path has an earlier text, or is not
                   there */
  bool bundled; /* the bundle is complete */
  char *broken; /* file of the candidate on which the test failed to run */
};

struct cul_reduce_log {
  struct cul_reduce_step *steps;
  size_t n_steps;
  struct cul_buf last;    /* text of the last step, or the initial text */
  bool is_large;          /* that text is too large to be compared; last is
                             empty */
  size_t kept;            /* bytes of differences kept in steps */
  struct cul_buf journal; /* JSON lines */
  bool journal_cut;       /* it is full: see journal.h */
};

/* Workers that were killed. */
struct cul_reduce_losses {
  unsigned n;
  uint32_t listing; /* mutation being listed, plus 1; 0: none */
  bool origins;     /* the worker no longer holds the input */
};

/* Pauses that the user asked for. */
struct cul_reduce_pauses {
  uint64_t since_us; /* start of the current pause; 0: not paused */
  uint64_t seen_us;  /* time of the current pause counted so far */
  uint64_t us;       /* all pauses together */
};

/* How the recipe of another job was used (plan/recipe.h). */
struct cul_followed {
  uint64_t runs;   /* runs that the recipe took */
  const char *how; /* "followed" or "given up"; NULL: no recipe */
};

/* A subject that was edited as text, and then, when that found nothing more, in
 * another form (plan/reread.h). */
struct cul_reduce_reread {
  bool on;                /* it is now, or its result is kept */
  bool kept;              /* the result is smaller for it */
  enum cul_form from, as; /* the form of the input, and the other one */
  struct cul_size size;   /* of the subject when its form changed */
  struct cul_digest at;   /* of the text that was read so last; zero: none */
  /* of mutations that the present form does not have; heap */
  struct cul_statistics *statistics;
  size_t n_mutations;
};

/* The subject and the workers that edit it; open from FORM to FINISH. */
struct cul_reduce_subject {
  struct cul_workers workers;
  struct cul_chosen_form form;
  struct cul_edit_space space;
  bool open;                 /* space is initialised */
  struct cul_vendor *vendor; /* of the space; NULL: libMLIR answers */
  /* the last worker's counts, read at the end of the job; {0}: it is gone */
  struct cul_asked asked;
  struct cul_statistics *statistics; /* by the space's mutation number */
  size_t n_mutations;
  struct cul_reduce_losses losses;
  struct cul_reduce_reread reread;
};

/* Hangs that were taken provisionally (plan/unproven.h). */
struct cul_unproven {
  struct cul_buf proven; /* the last text that was proven; empty: none */
  uint64_t proven_us;    /* when */
  uint64_t n_proven, taken_back;
};

struct cul_reduce {
  const struct cul_reduce_conf *conf;
  struct cul_reduce_watcher watcher;
  uint64_t start_us;
  uint64_t end_us; /* deadline from --max-time; 0 = none */
  struct cul_reduce_pauses pauses;
  struct cul_digest digest; /* names the job; zero: the job has no name */
  enum cul_reduce_phase phase;
  struct cul_reduce_output output;
  struct cul_target target;
  struct cul_reduce_subject subject;
  struct cul_input_data *inputs; /* see input_data.h; or NULL */
  struct cul_pass_cut pass;
  struct cul_divergent_part divergence; /* {0}: not searched, or not found */
  bool divergence_taken; /* the search has begun at the divergence */
  struct cul_size initial;
  struct cul_driver driver;
  struct cul_rounds rounds; /* of the driver; set up by the plan */
  struct cul_followed recipe;
  struct cul_unproven unproven;
  struct cul_long_run long_run;
  struct cul_reduce_log log;
  struct cul_trail trail; /* since the space was opened */
  struct cul_other_failures others;
  struct cul_neighbours neighbours;
  struct cul_outcome outcome;
};

/* Set the name under which the verdicts of points are remembered. */
void cul_reduce_name_points(struct cul_reduce *job);

void cul_reduce_enter(struct cul_reduce *job, enum cul_reduce_phase phase);

double cul_reduce_seconds(const struct cul_reduce *job);

#endif
