/* Work on buckets: reruns members, reduces one of each bucket, and runs reduced
 * inputs under other commands.
 *
 * Results for a bucket are saved in the state at once: after an interrupt, the
 * same command continues with the next bucket. */
#ifndef CUL_TRIAGE_WORK_WORK_H
#define CUL_TRIAGE_WORK_WORK_H

#include "../../probe/target/target.h"
#include "process_pool.h"
#include "state.h"

/* Receives messages during the work: one line without a newline; fn may be
 * NULL. */
struct cul_triage_say {
  void (*fn)(void *self, const char *line);
  void *self;
};

/* Do the work that t->conf asks for.  Errors: EINTR; EENV (no space, or a
 * lasting refusal by the machine).  A member whose command cannot run, or a
 * bucket that cannot be reduced, is not an error. */
CUL_MUST_CHECK int cul_triage_work(struct cul_triage *t,
                                   struct cul_state *state,
                                   const struct cul_triage_say *say,
                                   struct cul_err *err);

/* settle.c, before grouping: rerun failures whose log cannot be trusted or
 * whose stack has no names, if module and command are known.  The result of the
 * rerun counts.  Errors: EINTR; EENV, see cul_triage_show. */
CUL_MUST_CHECK int cul_triage_settle(struct cul_triage *t,
                                     const struct cul_triage_say *say,
                                     struct cul_err *err);
/* Run input under the member's command.  deadline_us: end of its runs, on
 * cul_now_us(); 0: none.  Errors: EBUDGET at the deadline, EINTR; EENV, unless
 * the command itself cannot run. */
struct cul_shown {
  enum cul_answer answer;
  struct cul_rate rate;
  struct cul_signature sig;
  char *text;   /* the tool's standard error; or NULL */
  char *broken; /* why it could not be run; or NULL */
};
CUL_MUST_CHECK int cul_triage_show(const struct cul_triage *t,
                                   const char *input,
                                   const struct cul_member *member,
                                   uint64_t deadline_us, struct cul_shown *out,
                                   struct cul_err *err);
void cul_shown_release(struct cul_shown *shown);
/* Format a line and pass it to say->fn; say may be NULL. */
void cul_triage_tell(const struct cul_triage_say *say, const char *fmt, ...)
    CUL_PRINTF(2, 3);

#endif
