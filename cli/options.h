/* Options that several commands share: what to run, what to preserve. */
#ifndef CUL_CLI_OPTIONS_H
#define CUL_CLI_OPTIONS_H

#include <stdio.h>

#include "../probe/target/target.h"
#include "../reducer/forms/forms.h"

/* Headings of help that several commands share. */
#define CUL_GROUP_OUTPUT "Output"
#define CUL_GROUP_FAILURE "What is preserved"
#define CUL_GROUP_NUMBERS "Wrong numbers"
#define CUL_GROUP_WHOLE "Differences from run to run, time, memory"
#define CUL_GROUP_RUNS "Runs"
#define CUL_GROUP_LIMITS "Limits"
#define CUL_GROUP_SEARCH "Search"

/* Description of a failure. */
struct cul_failure_options {
  const char *match, *signal;
  int64_t exit_code; /* -1: not given */
  bool any_crash;
};

/* Time limits of a run and of the job, and where results are stored. */
struct cul_run_options {
  double timeout, max_time; /* seconds; 0: not given */
  uint64_t start_us;        /* start of max_time; 0: now */
  const char *cache;
  bool no_cache;
  struct cul_strings set, unset, unkeyed, writable, on, sent;
  const char *shared, *slurm, *within;
  const char *pass, *sandbox;
  int64_t memory;                    /* MiB; 0: what the machine has */
  struct cul_allocation *allocation; /* of --slurm, once there is one */
  const char **places;               /* those of --on, and its own */
  /* heap, one block each: words of commands that options made */
  struct cul_strings made;
};
/* The environment that the options describe; borrows from options and the
 * command line.  Errors: EUSAGE. */
CUL_MUST_CHECK int
cul_run_options_environment(const struct cul_run_options *options,
                            struct cul_environment_conf *out,
                            struct cul_err *err);
/* Get the allocation of --slurm, if that is given and there is none yet, and
 * add its places to those of --on in out.  cul_run_options_release gives it
 * back: call that once no run is under way.  Errors: those of a scheduler,
 * EBUDGET, EINTR. */
CUL_MUST_CHECK int cul_run_options_allocate(struct cul_run_options *options,
                                            struct cul_environment_conf *out,
                                            struct cul_err *err);
void cul_run_options_release(struct cul_run_options *options);
/* The end of --max-time, on cul_now_us(); 0: none. */
uint64_t cul_run_options_deadline(const struct cul_run_options *options);

/* For a job that ended with rc and without any result: if --max-time is the
 * reason, set err accordingly.  Returns rc. */
int cul_options_in_vain(int rc, struct cul_err *err);

struct cul_worker_options {
  int64_t n; /* 0: the number of cores */
  struct cul_run_options run;
};

/* Options of oracles that judge many runs together. */
struct cul_whole_options {
  bool nondeterminism, slower, memory;
  const char *ignore, *by, *above;
  int64_t iterations; /* 0: not given */
  double keep;        /* < 0: not given */
};

/* Their rows, included in a command's table by CUL_OPT_TABLE.  Tolerances: a
 * struct cul_tolerance_conf, -1 = not given. */
extern const struct cul_opt cul_failure_opts[], cul_run_opts[],
    cul_worker_opts[], cul_tolerance_opts[], cul_whole_opts[];

/* What --mismatch accepts of the command and of the reference. */
struct cul_accepted_options {
  bool prints_nothing, assume_defined;
};

struct cul_target_options {
  struct cul_failure_options failure;
  struct cul_worker_options workers;
  struct cul_whole_options whole;
  const char *reference, *control, *inputs, *want;
  struct cul_tolerance_conf tolerance;
  bool mismatch, any_class;
  struct cul_accepted_options accepted;
  const char *script, *contract, *plugin, *passes;
  const char *device, *ref_passes, *values;
  const char *form, *opt_tool, *repeat;
  int64_t also, seeds;
  bool all_of, even_if_empty;
};

/* The rows, included in a command's table by CUL_OPT_TABLE.  cul_form_opts: for
 * commands that print the input anew; offsets into the same struct. */
extern const struct cul_opt cul_target_opts[], cul_form_opts[];

/* Set the defaults; call it before parsing. */
void cul_target_options_init(struct cul_target_options *options);

/* The configuration that the options describe.  argv: the command after "--"
 * (NULL terminated).  Waits for the allocation of --slurm.  Errors: EUSAGE,
 * those of cul_run_options_allocate. */
CUL_MUST_CHECK int
cul_target_options_apply(struct cul_target_options *options, const char *input,
                         char *const *argv, struct cul_target_conf *target,
                         struct cul_form_conf *form, struct cul_err *err);

/* Do the options choose an oracle that judges many runs together? */
bool cul_options_whole(const struct cul_target_options *options);
/* The quantity that --slower and --memory measure: as given, or kernel time for
 * a GPU; NULL: the oracle's default. */
const char *cul_options_by(const struct cul_target_options *options);
/* Check the options of these oracles, and that none of them is given without
 * its oracle.  Errors: EUSAGE. */
CUL_MUST_CHECK int
cul_options_check_whole(const struct cul_target_options *options,
                        struct cul_err *err);
/* Report EUSAGE if the failure is judged by many runs together, which only
 * check, reduce, extract and replay support. */
CUL_MUST_CHECK int
cul_options_demand_single(const struct cul_target_options *options,
                          struct cul_err *err);

/* The stream of text for people: standard output, or standard error if --json
 * uses standard output; a null stream if quiet.  Close it by cul_text_close. */
FILE *cul_text_stream(const char *json, bool quiet);
void cul_text_close(FILE *stream);

/* Write report to path as JSON; "-": standard output; path NULL: nothing. */
CUL_MUST_CHECK int cul_write_json(const char *path, const void *report,
                                  struct cul_err *err);

#endif
