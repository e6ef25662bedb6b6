/* Work on buckets: members run again, one of each bucket reduced, what was
 * reduced run under other commands.
 *
 * What is found for a bucket is in the state at once: interrupted, the same
 * command goes on with the next one. */
#ifndef CUL_TRIAGE_WORK_H
#define CUL_TRIAGE_WORK_H

#include "../probe/target.h"
#include "state.h"

/* Said while it works: one line, without its end; fn may be NULL. */
struct cul_triage_say {
  void (*fn)(void *self, const char *line);
  void *self;
};

/* Do what t->conf asks for.  Errors: EINTR; EENV (no room).  A member that
 * cannot be run, or a bucket that cannot be reduced, is no error. */
CUL_MUST_CHECK int cul_triage_work(struct cul_triage *t,
                                   struct cul_state *state,
                                   const struct cul_triage_say *say,
                                   struct cul_err *err);

/* check.c: run a member's module under its command until its failure is
 * classified.  Fills checked and check_note. */
CUL_MUST_CHECK int cul_triage_check(struct cul_triage *t,
                                    struct cul_member *member,
                                    struct cul_err *err);
/* The same of another input under the member's command; *same: it fails like
 * bucket, note (heap, may be NULL) says how else. */
CUL_MUST_CHECK int cul_triage_try(struct cul_triage *t, const char *input,
                                  const struct cul_member *member,
                                  const struct cul_bucket *bucket,
                                  enum cul_checked *out, char **note,
                                  struct cul_err *err);
/* confirm.c: buckets of different commands that are one bug become one, see
 * there. */
CUL_MUST_CHECK int cul_triage_confirm(struct cul_triage *t,
                                      struct cul_state *state, size_t *n_merged,
                                      struct cul_err *err);
/* The words of a member's command: heap, NULL terminated, the strings
 * borrowed.  NULL = it has none. */
const char **cul_member_argv(const struct cul_member *member);
/* A run of conf's on input under argv. */
struct cul_target_conf cul_triage_target(const struct cul_triage *t,
                                         const char *input,
                                         const char *const *argv);

#endif
