/* The files of the tools of a job, as they were when the tools' identities were
 * determined.  If one changes while the job runs, later answers are those of
 * another tool, and must neither be mixed with earlier ones nor be stored under
 * the identity. */
#ifndef CUL_RUNNERS_IDENTITY_STAMPS_H
#define CUL_RUNNERS_IDENTITY_STAMPS_H

#include "../../base/buf.h"
#include "../../base/err.h"

struct cul_command;
struct cul_identity;
struct cul_sandbox;

/* {0} is empty and valid. */
struct cul_stamps {
  const char *own; /* a file that the job itself writes; or NULL; borrowed */
  const char *dir; /* the job's directory; or NULL; borrowed */
  const struct cul_sandbox *sandbox; /* of the tools; or NULL; borrowed */
  struct cul_stamp *items;           /* sorted by path */
  size_t n;
  char *changed; /* path of the first file that was found changed; or NULL */
  bool gone;     /* it was removed */
  uint64_t checked_us; /* when the files were last looked at */
  uint64_t cost_us;    /* how long that took */
};

/* Add the files of a tool that was just determined (identity->files, and beyond
 * where the sandbox restricts writes), except those that may
 * change without making another tool: the job's own (`own`, and links into
 * `dir`, by which candidates are passed), files below /etc, /run and /var, and
 * those of the directory of --within.  command: whose tool it is; nothing is
 * added if it runs on another machine or in an installation that is made for
 * it, because its files are not here or may be removed. */
void cul_stamps_add(struct cul_stamps *stamps,
                    const struct cul_command *command,
                    const struct cul_identity *identity);
/* Is no file removed, and has none other contents or another permission to
 * execute?  Files to which runs may write are exempt.  Once a file was found
 * changed, the answer stays no.  The files are looked at if `now` is set;
 * otherwise a second after the last look, later if a look takes long, sooner if
 * it takes less than 1 % of that time.  Errors: EENV, which names the file. */
CUL_MUST_CHECK int cul_stamps_check(struct cul_stamps *stamps, bool now,
                                    struct cul_err *err);
/* A cul_cache_guard: cul_stamps_check of self, now. */
static inline bool cul_stamps_hold(void *self) {
  struct cul_err ignored = {0};
  return cul_stamps_check((struct cul_stamps *)self, true, &ignored) == 0;
}
void cul_stamps_release(struct cul_stamps *stamps);

#endif
