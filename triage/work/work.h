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
/* say.fn of one line, printed; say may be NULL. */
void cul_triage_tell(const struct cul_triage_say *say, const char *fmt, ...)
    CUL_PRINTF(2, 3);

#endif
