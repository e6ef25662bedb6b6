/* Options that more than one command takes: what to run, what to preserve. */
#ifndef CUL_CLI_OPTIONS_H
#define CUL_CLI_OPTIONS_H

#include <stdio.h>

#include "../probe/target/target.h"
#include "../reducer/forms/forms.h"

/* Headings of help that more than one command has. */
#define CUL_GROUP_OUTPUT "What is written"
#define CUL_GROUP_FAILURE "What is preserved"
#define CUL_GROUP_NUMBERS "Wrong numbers"
#define CUL_GROUP_WHOLE "Differences from run to run, time, memory"
#define CUL_GROUP_RUNS "How runs are made"
#define CUL_GROUP_LIMITS "Limits"
#define CUL_GROUP_SEARCH "How it is searched"

/* How a failure looks. */
struct cul_failure_options {
  const char *match, *signal;
  int64_t exit_code; /* -1: not given */
  bool any_crash;
};

/* How long a run and all of them may take, where results are kept. */
struct cul_run_options {
  double timeout, max_time; /* seconds; 0: not given */
  uint64_t start_us;        /* max_time counts from here; 0: from now */
  const char *cache;
  bool no_cache;
  struct cul_strings set, unset, writable;
  const char *pass, *sandbox;
  int64_t memory; /* MiB; 0: as the machine has it */
};
/* The environment that they mean; borrows from options and the command line.
 * Errors: EUSAGE. */
CUL_MUST_CHECK int
cul_run_options_environment(const struct cul_run_options *options,
                            struct cul_environment_conf *out,
                            struct cul_err *err);
void cul_run_options_release(struct cul_run_options *options);
/* When --max-time is over, on cul_now_us(); 0: never. */
uint64_t cul_run_options_deadline(const struct cul_run_options *options);

/* The job ended with rc, and nothing is known that could be kept: where that is
 * for --max-time, err says so.  Returns rc. */
int cul_options_in_vain(int rc, struct cul_err *err);

struct cul_worker_options {
  int64_t n; /* 0: the number of cores */
  struct cul_run_options run;
};

/* What many runs tell together. */
struct cul_whole_options {
  bool nondeterminism, slower, memory;
  const char *ignore, *by, *above;
  int64_t iterations; /* 0: not given */
  double keep;        /* < 0: not given */
};

/* Their rows; stand in a command's table as a CUL_OPT_TABLE.  Tolerances: a
 * struct cul_tolerance_conf, -1 = not given. */
extern const struct cul_opt cul_failure_opts[], cul_run_opts[],
    cul_worker_opts[], cul_tolerance_opts[], cul_whole_opts[];

struct cul_target_options {
  struct cul_failure_options failure;
  struct cul_worker_options workers;
  struct cul_whole_options whole;
  const char *reference, *control, *inputs, *want;
  struct cul_tolerance_conf tolerance;
  bool mismatch, any_class;
  const char *script, *contract, *plugin, *passes;
  const char *device, *ref_passes, *values;
  const char *form, *opt_tool, *repeat;
  int64_t also, seeds;
  bool all_of, even_if_empty;
};

/* The rows; stand in a command's table as a CUL_OPT_TABLE.  cul_form_opts: of
 * commands that print the input anew; offsets into the same struct. */
extern const struct cul_opt cul_target_opts[], cul_form_opts[];

/* Defaults; call before parsing. */
void cul_target_options_init(struct cul_target_options *options);

/* The configuration they mean.  argv: the command behind "--" (NULL
 * terminated).  Errors: EUSAGE. */
CUL_MUST_CHECK int
cul_target_options_apply(const struct cul_target_options *options,
                         const char *input, char *const *argv,
                         struct cul_target_conf *target,
                         struct cul_form_conf *form, struct cul_err *err);

/* Is it an oracle that judges many runs at once? */
bool cul_options_whole(const struct cul_target_options *options);
/* What --slower and --memory measure: as given, or of a card the time in its
 * kernels; NULL: what the oracle does by itself. */
const char *cul_options_by(const struct cul_target_options *options);
/* The options of those, and what says nothing without them.  Errors: EUSAGE. */
CUL_MUST_CHECK int
cul_options_check_whole(const struct cul_target_options *options,
                        struct cul_err *err);
/* EUSAGE where what is preserved is told by many runs together, which only
 * check, reduce, extract and replay make. */
CUL_MUST_CHECK int
cul_options_demand_single(const struct cul_target_options *options,
                          struct cul_err *err);

/* Where words for people go: standard output, or standard error where --json
 * takes that; nowhere if quiet.  cul_text_close ends it. */
FILE *cul_text_stream(const char *json, bool quiet);
void cul_text_close(FILE *stream);

/* Write report to path as JSON; "-" is standard output.  NULL: nothing. */
CUL_MUST_CHECK int cul_write_json(const char *path, const void *report,
                                  struct cul_err *err);

#endif
