/* The entry of a job in the cache, for `culprit jobs`: one memo for each
 * command line and directory, rewritten as the job proceeds.
 *
 * A JSON object: "call" (culprit's words), "cwd", "input", "output", "lock"
 * (held while it runs), "command" (the tool's words, or null), "form",
 * "reread" (or null), "initial" and "final" as in a report, the number of
 * "steps", "state", "error", "began" and "updated" (unix seconds), and
 * "updated_us" (microseconds after that second).  Words and names are in the
 * form of json_word.h. Each step is a separate memo, in the form of a report's
 * step. */
#ifndef CUL_CLI_JOB_ENTRY_H
#define CUL_CLI_JOB_ENTRY_H

#include "../reducer/reduce.h"
#include "command.h"

struct cul_job_entry {
  const struct cul_command_line *line; /* borrowed; NULL: nothing is stored */
  json_t *json;                        /* NULL: not begun */
  struct cul_digest key;
};

/* The job has begun. */
void cul_job_entry_begin(struct cul_job_entry *entry,
                         const struct cul_reduce *job);
/* Its best result has become smaller. */
void cul_job_entry_step(struct cul_job_entry *entry,
                        const struct cul_reduce *job);
/* The job ended with rc.  A job that did not run, and was not done before,
 * leaves no entry. */
void cul_job_entry_end(struct cul_job_entry *entry,
                       const struct cul_reduce *job, int rc,
                       const struct cul_err *err);
void cul_job_entry_release(struct cul_job_entry *entry);

enum cul_job_state {
  CUL_JOB_RUNNING,
  CUL_JOB_KILLED,      /* it ended without a result */
  CUL_JOB_INTERRUPTED, /* the user ended it */
  CUL_JOB_STOPPED,     /* a budget was spent, or a mutation was skipped */
  CUL_JOB_BROKEN,      /* the machine or the test failed on the way */
  CUL_JOB_FAILED,      /* it cannot be resumed */
  CUL_JOB_DONE,
};
const char *cul_job_state_name(enum cul_job_state state);
/* Does the same command resume the job? */
bool cul_job_state_is_resumable(enum cul_job_state state);

/* A job in the cache. */
struct cul_job_listed {
  json_t *json;
  enum cul_job_state state; /* now */
  int64_t updated_us;       /* unix microseconds */
};

/* All jobs, resumable ones first, then the newest first; heap; the caller owns
 * the array and its references.  Errors: EENV. */
CUL_MUST_CHECK int cul_job_entries(struct cul_cache *cache,
                                   struct cul_job_listed **out, size_t *n,
                                   struct cul_err *err);

/* The steps of a job so far; null for steps that the cache no longer has.  The
 * caller owns *out, also after an error.  Errors: EENV. */
CUL_MUST_CHECK int cul_job_entry_steps(struct cul_cache *cache,
                                       const json_t *entry, json_t **out,
                                       struct cul_err *err);

#endif
