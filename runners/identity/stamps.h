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

/* {0} is empty and valid. */
struct cul_stamps {
  const char *own; /* a file that the job itself writes; or NULL; borrowed */
  const char *dir; /* the job's directory; or NULL; borrowed */
  struct cul_stamp *items; /* sorted by path */
  size_t n;
  char *changed; /* path of the first file that was found changed; or NULL */
  bool gone;     /* it was removed */
  uint64_t checked_us; /* when the files were last looked at */
  uint64_t cost_us;    /* how long that took */
};

/* Add the files of a tool that was just determined, except the job's own
 * (`own`, and links into `dir`, by which candidates are passed) and those that
 * the user lets runs change (--writable FILE).  command: whose tool it is;
 * nothing is added if it runs on another machine or in an installation that is
 * made for it, because its files are not here or may be removed. */
void cul_stamps_add(struct cul_stamps *stamps,
                    const struct cul_command *command,
                    const struct cul_identity *identity);
/* Has no file been written or removed?  A file that was written has another
 * size, inode or time, perhaps with the same bytes; if only its change time
 * differs, its content is compared.  Once one was found changed, the answer
 * stays no.  The files are looked at if `now` is set, else if the last look was
 * a second ago, or long enough that looking takes at most 1 % of the time.
 * Errors: EENV, which names the file. */
CUL_MUST_CHECK int cul_stamps_check(struct cul_stamps *stamps, bool now,
                                    struct cul_err *err);
/* A cul_cache_guard: cul_stamps_check of self, now. */
static inline bool cul_stamps_hold(void *self) {
  struct cul_err ignored = {0};
  return cul_stamps_check((struct cul_stamps *)self, true, &ignored) == 0;
}
void cul_stamps_release(struct cul_stamps *stamps);

#endif
