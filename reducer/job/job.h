/* The state of a reduce job, which its parts share: what the user asked for,
 * the command under test, what is edited, what was found so far. */
#ifndef CUL_REDUCER_JOB_JOB_H
#define CUL_REDUCER_JOB_JOB_H

#include <jansson.h>

#include "../../probe/target/failing_pass.h"
#include "../driver/driver.h"
#include "../forms/forms.h"
#include "../numbers/divergence.h"
#include "../results/other_failures.h"
#include "../results/outcome.h"
#include "../space/space.h"
#include "neighbour.h"

/* What the user asks for while the job works; others write it. */
struct cul_reduce_wishes {
  bool paused;   /* no candidate is begun; --max-time does not count on */
  uint32_t skip; /* leave this mutation, plus 1; 0: none.  The job takes it
                    back once that is done, or the mutation is over */
};

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
  const char *plugin;   /* of --mutation, for form text; or NULL */
  const json_t *recipe; /* of an earlier job (recipe.h); or NULL */
  bool extract;         /* only CUL_MUT_SEGMENT: the failing part as it is */
  struct cul_reduce_wishes *wishes; /* borrowed; NULL: there are none */
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
  json_t *json; /* as a report has it, with what differs from the step before */
};

struct cul_reduce;

/* Told while the job works; every member may be NULL. */
struct cul_reduce_watcher {
  void *self;
  void (*phase)(void *self, const struct cul_reduce *job);
  void (*stepped)(void *self, const struct cul_reduce *job);
  void (*tick)(void *self, const struct cul_reduce *job);
  /* A mutation was left as the user wished. */
  void (*skipped)(void *self, const struct cul_reduce *job, uint32_t mutation);
  /* The candidate in this slot (cul_reduce_candidate) was judged; not told of
   * edits of the command, which leave the module as it is. */
  void (*judged)(void *self, struct cul_reduce *job, int slot,
                 enum cul_answer answer);
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
  struct cul_buf last;    /* the text of the last step, or of the beginning */
  size_t kept;            /* bytes of differences in steps */
  struct cul_buf journal; /* JSON lines */
};

/* Workers that were killed. */
struct cul_reduce_losses {
  unsigned n;
  uint32_t listing; /* listing this mutation, plus 1; 0 = none */
  bool origins;     /* what is in the worker is not the input any more */
};

/* The user's pauses. */
struct cul_reduce_pauses {
  uint64_t since_us; /* of the one that lasts; 0: none does */
  uint64_t seen_us;  /* of it, so far */
  uint64_t us;       /* all together */
};

/* How the recipe of another job was followed (plan/recipe.h). */
struct cul_followed {
  uint64_t runs;   /* that it took */
  const char *how; /* "followed", "given up"; NULL: there is none */
};

/* What is edited, and by whom; open from FORM to FINISH. */
struct cul_reduce_subject {
  struct cul_workers workers;
  struct cul_chosen_form form;
  struct cul_edit_space space;
  bool open;                         /* is there a space? */
  struct cul_vendor *vendor;         /* of the space; NULL: libMLIR answers */
  struct cul_asked asked;            /* of the worker, in the end */
  struct cul_statistics *statistics; /* by mutation index of the space */
  size_t n_mutations;
  struct cul_reduce_losses losses;
};

struct cul_reduce {
  const struct cul_reduce_conf *conf;
  struct cul_reduce_watcher watcher;
  uint64_t start_us;
  uint64_t end_us; /* of --max-time; 0 = none */
  struct cul_reduce_pauses pauses;
  struct cul_digest digest; /* names the job; zero: cannot be named */
  enum cul_reduce_phase phase;
  struct cul_reduce_output output;
  struct cul_target target;
  struct cul_reduce_subject subject;
  struct cul_input_data *inputs; /* see input_data.h; or NULL */
  struct cul_pass_cut pass;
  struct cul_divergent_part divergence; /* {0}: not looked for, or not found */
  bool divergence_taken;                /* the search has begun there */
  struct cul_size initial;
  struct cul_driver driver;
  size_t patience; /* "no" in a row until a search is left; 0 = none */
  struct cul_followed recipe;
  struct cul_reduce_log log;
  struct cul_other_failures others;
  struct cul_neighbours neighbours;
  struct cul_outcome outcome;
};

/* Set the name under which the verdicts of points are remembered. */
void cul_reduce_name_points(struct cul_reduce *job);

void cul_reduce_enter(struct cul_reduce *job, enum cul_reduce_phase phase);

double cul_reduce_seconds(const struct cul_reduce *job);

#endif
