/* The failure that is sought: what the bad end shows, told by one run.
 *
 * One that no rule knows is told by what its run says and a run that passes
 * does not: the good end is run before the search, and the failure learnt anew
 * beside it. */
#ifndef CUL_BISECT_COMMITS_SOUGHT_H
#define CUL_BISECT_COMMITS_SOUGHT_H

#include "../report/notices.h"
#include "../search/one_run.h"

struct cul_sought {
  struct cul_rules *rules;
  struct cul_oracle_conf conf;
  struct cul_one_run oracle; /* self of cul_one_run_oracle */
  struct cul_signature signature;
  struct cul_record shown; /* the run that it was learnt from */
  bool contrasted;         /* a run that passes was seen beside it */
  char **fixed;            /* base names of files that the command names and the
                              repository does not hold, NULL terminated; heap */
  size_t n_fixed;
};

/* Open the oracle.  argv: of the test; limit_ms: of a run.  Release in any
 * case.  Errors: of the rules and the oracle. */
CUL_MUST_CHECK int cul_sought_open(struct cul_sought *sought,
                                   const struct cul_oracle_conf *conf,
                                   const char *const *argv, uint64_t limit_ms,
                                   struct cul_err *err);
void cul_sought_release(struct cul_sought *sought);

/* What a run is made for. */
enum cul_purpose {
  CUL_TO_JUDGE,
  CUL_TO_LEARN,    /* the failure, from a run of the bad end */
  CUL_TO_CONTRAST, /* the same, from a run that passes beside it */
};
/* A run has been judged, or learnt from. */
void cul_sought_note(struct cul_sought *sought, enum cul_purpose purpose,
                     const struct cul_record *record, enum cul_answer answer);
/* Would a run that passes say what is no part of the failure? */
bool cul_sought_wants_contrast(const struct cul_sought *sought);
/* Learn it anew, beside the run that passes.  Errors: of the oracle. */
CUL_MUST_CHECK int cul_sought_relearn(struct cul_sought *sought,
                                      struct cul_err *err);
/* Is what is sought a guess? */
bool cul_sought_is_guess(const struct cul_sought *sought);
/* Can it not be one for lack of something, or of another cause?  One that only
 * an exit status tells may be. */
bool cul_sought_is_unmistakable(const struct cul_sought *sought);
void cul_sought_say(const struct cul_sought *sought,
                    const struct cul_notices *notices);

#endif
