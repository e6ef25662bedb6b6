/* What the store keeps of a job for `culprit jobs`: one memo for each command
 * line and directory, rewritten as the job goes on.
 *
 * A JSON object: "call" (culprit's words), "cwd", "input", "output", "lock"
 * (held while it runs), "command" (the tool's words, or null), "form",
 * "initial" and "final" as in a report, how many "steps", "state", "error",
 * "began" and "updated" (unix seconds).  Words and names are as json_word.h
 * says.  Each step is a memo of its own, as a report has it. */
#ifndef CUL_CLI_JOB_ENTRY_H
#define CUL_CLI_JOB_ENTRY_H

#include "../reducer/reduce.h"
#include "command.h"

struct cul_job_entry {
  const struct cul_command_line *line; /* borrowed; NULL: nothing is kept */
  json_t *json;                        /* NULL: not begun */
  struct cul_digest key;
};

/* The job runs. */
void cul_job_entry_begin(struct cul_job_entry *entry,
                         const struct cul_reduce *job);
/* Its best is smaller now. */
void cul_job_entry_step(struct cul_job_entry *entry,
                        const struct cul_reduce *job);
/* It ended with rc.  A job that neither ran nor was done before leaves
 * nothing. */
void cul_job_entry_end(struct cul_job_entry *entry,
                       const struct cul_reduce *job, int rc,
                       const struct cul_err *err);
void cul_job_entry_release(struct cul_job_entry *entry);

enum cul_job_state {
  CUL_JOB_RUNNING,
  CUL_JOB_KILLED,      /* it ended without a word */
  CUL_JOB_INTERRUPTED, /* the user ended it */
  CUL_JOB_STOPPED,     /* a budget was spent, or a mutation was skipped */
  CUL_JOB_BROKEN,      /* the machine or the test failed on the way */
  CUL_JOB_FAILED,      /* there is nothing to go on with */
  CUL_JOB_DONE,
};
const char *cul_job_state_name(enum cul_job_state state);
/* Does the same command go on with it? */
bool cul_job_state_is_resumable(enum cul_job_state state);

/* One that the store has. */
struct cul_job_listed {
  json_t *json;
  enum cul_job_state state; /* now */
  int64_t updated;          /* unix seconds */
};

/* All, those that can be resumed first, then the newest first; heap, and the
 * references in it are the caller's.  Errors: EENV. */
CUL_MUST_CHECK int cul_job_entries(struct cul_cache *cache,
                                   struct cul_job_listed **out, size_t *n,
                                   struct cul_err *err);

/* The steps of one of them so far; null for what the store does not have any
 * more.  *out is the caller's, also after an error.  Errors: EENV. */
CUL_MUST_CHECK int cul_job_entry_steps(struct cul_cache *cache,
                                       const json_t *entry, json_t **out,
                                       struct cul_err *err);

#endif
