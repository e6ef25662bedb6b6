/* Work on buckets: members run again, one of each bucket reduced, what was
 * reduced run under other commands.
 *
 * What is found for a bucket is in the state at once: interrupted, the same
 * command goes on with the next one. */
#ifndef CUL_TRIAGE_WORK_WORK_H
#define CUL_TRIAGE_WORK_WORK_H

#include "../../probe/target/target.h"
#include "process_pool.h"
#include "state.h"

/* Said while it works: one line, without its end; fn may be NULL. */
struct cul_triage_say {
  void (*fn)(void *self, const char *line);
  void *self;
};

/* Do what t->conf asks for.  Errors: EINTR; EENV (no room, or what the machine
 * refuses for long).  A member whose command cannot run, or a bucket that
 * cannot be reduced, is no error. */
CUL_MUST_CHECK int cul_triage_work(struct cul_triage *t,
                                   struct cul_state *state,
                                   const struct cul_triage_say *say,
                                   struct cul_err *err);

/* settle.c, before grouping: a failure whose log cannot be trusted, or whose
 * stack has no names, is run again where its module and command are known; what
 * it shows then counts.  Errors: EINTR; EENV, see cul_triage_show. */
CUL_MUST_CHECK int cul_triage_settle(struct cul_triage *t,
                                     const struct cul_triage_say *say,
                                     struct cul_err *err);
/* What input shows under the member's command.  deadline_us: on cul_now_us(),
 * when its runs are ended; 0: never.  Errors: EBUDGET then, EINTR; EENV, unless
 * it is the command that cannot run. */
struct cul_shown {
  enum cul_answer answer;
  struct cul_rate rate;
  struct cul_signature sig;
  char *text;   /* what the tool printed to standard error; or NULL */
  char *broken; /* why it could not be run; or NULL */
};
CUL_MUST_CHECK int cul_triage_show(const struct cul_triage *t,
                                   const char *input,
                                   const struct cul_member *member,
                                   uint64_t deadline_us, struct cul_shown *out,
                                   struct cul_err *err);
void cul_shown_release(struct cul_shown *shown);
/* The same, judged: out says whether it fails like bucket, note (heap, may be
 * NULL) how else. */
CUL_MUST_CHECK int cul_triage_try(const struct cul_triage *t, const char *input,
                                  const struct cul_member *member,
                                  const struct cul_bucket *bucket,
                                  enum cul_checked *out, char **note,
                                  struct cul_err *err);
/* Does one of the bucket's members fail so? */
bool cul_bucket_shows(const struct cul_triage *t,
                      const struct cul_bucket *bucket,
                      const struct cul_signature *sig);
/* blame.c: bisect the commits of the repository by the bucket's reduced case.
 * Fills bucket->reduced's "bisect"; note (heap, may be NULL) says why it cannot
 * be.  Errors: EINTR. */
CUL_MUST_CHECK int cul_triage_blame(const struct cul_triage *t,
                                    struct cul_bucket *bucket, char **note,
                                    struct cul_err *err);
/* The commit that is to blame, borrowed; NULL = not known. */
const char *cul_bucket_culprit(const struct cul_bucket *bucket);
/* say.fn of one line, printed; say may be NULL. */
void cul_triage_tell(const struct cul_triage_say *say, const char *fmt, ...)
    CUL_PRINTF(2, 3);
/* The words of a member's command: one heap block, NULL terminated.  NULL = it
 * has none. */
const char **cul_member_argv(const struct cul_member *member);
/* A run of conf's on input under argv. */
struct cul_target_conf cul_triage_target(const struct cul_triage *t,
                                         const char *input,
                                         const char *const *argv);

#endif
