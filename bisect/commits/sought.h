/* The sought failure: that of the bad end, recognized by one run.
 *
 * A failure that no rule matches is identified by output that passing runs
 * lack: the good end is run before the search, and the failure is learned anew
 * with that contrast. */
#ifndef CUL_BISECT_COMMITS_SOUGHT_H
#define CUL_BISECT_COMMITS_SOUGHT_H

#include "../report/notices.h"
#include "../search/one_run.h"

struct cul_sought {
  struct cul_rules *rules;
  struct cul_oracle_conf conf;
  struct cul_one_run oracle; /* self of cul_one_run_oracle */
  struct cul_signature signature;
  struct cul_record shown; /* the run that it was learned from */
  bool contrasted;         /* it was contrasted with a passing run */
  char **fixed; /* base names of files that the command names and the repository
                   does not contain, NULL terminated; heap */
  size_t n_fixed;
};

/* Open the oracle.  argv: of the test; limit_ms: of a run.  Release in any
 * case.  Errors: of the rules and the oracle. */
CUL_MUST_CHECK int cul_sought_open(struct cul_sought *sought,
                                   const struct cul_oracle_conf *conf,
                                   const char *const *argv, uint64_t limit_ms,
                                   struct cul_err *err);
void cul_sought_release(struct cul_sought *sought);

/* The purpose of a run. */
enum cul_purpose {
  CUL_TO_JUDGE,
  CUL_TO_LEARN,    /* the failure, from a run of the bad end */
  CUL_TO_CONTRAST, /* a passing run, to exclude its text from the failure */
};
/* Record a run that was judged or learned from. */
void cul_sought_note(struct cul_sought *sought, enum cul_purpose purpose,
                     const struct cul_record *record, enum cul_answer answer);
/* Learn the failure anew, contrasted with the passing run.  Errors: of the
 * oracle. */
CUL_MUST_CHECK int cul_sought_relearn(struct cul_sought *sought,
                                      struct cul_err *err);
/* Is the sought failure a guess? */
static inline bool cul_sought_is_guess(const struct cul_sought *sought) {
  return sought->oracle.inner->contrast && sought->signature.words;
}
/* Is a passing run needed, to exclude its text from the failure? */
static inline bool cul_sought_wants_contrast(const struct cul_sought *sought) {
  return cul_sought_is_guess(sought) && !sought->contrasted;
}
/* Is it certain that this failure has no other cause, such as something
 * missing?  Not if only an exit status identifies it. */
static inline bool cul_sought_is_unmistakable(const struct cul_sought *sought) {
  return !sought->conf.script.wanted && sought->signature.kind != CUL_KIND_EXIT;
}
void cul_sought_say(const struct cul_sought *sought,
                    const struct cul_notices *notices);

#endif
