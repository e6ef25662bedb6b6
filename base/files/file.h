/* Files and directories: whole-file reads, atomic writes, trees, paths. */
#ifndef CUL_BASE_FILES_FILE_H
#define CUL_BASE_FILES_FILE_H

#include <stdint.h>
#include <sys/types.h>

#include "../buf.h"
#include "../digest.h"
#include "beneath.h"

/* What is read of a file where no smaller bound is given: bytes. */
#define CUL_FILE_MOST ((size_t)1 << 30)

/* Append the whole file to out.  max: bytes, 0 = CUL_FILE_MOST.
 * Errors: EUSAGE when missing, not permitted, a directory or above max (the
 * message says which); EENV: the machine does not give it (a defect of the
 * disk, no memory); EINTR: the user asks to end. */
CUL_MUST_CHECK int cul_file_read(const char *path, size_t max,
                                 struct cul_buf *out, struct cul_err *err);

/* The same of a file that culprit wrote, in a place that tools may reach too:
 * no link, pipe or device has come in its place; it never waits. */
CUL_MUST_CHECK int cul_file_read_own(const char *path, size_t max,
                                     struct cul_buf *out, struct cul_err *err);

/* Replace path, a name of the user's, by data (base/files/beneath.h): on the
 * disk when this returns.  A reader sees the old bytes or the new, never a
 * part; on error the old file stays.  mode: of the new file, less the umask.
 * Links above path are followed, one at its end is replaced.  What is no plain
 * file (a device, a pipe, /dev/stdout) is not replaced but written to.  Errors:
 * EENV (no room, no permission). */
CUL_MUST_CHECK int cul_file_write(const char *path, const void *data,
                                  size_t len, mode_t mode, struct cul_err *err);

/* The same for a name of culprit's choice, in a directory of the user's: what
 * is no plain file is replaced, too, but a directory. */
CUL_MUST_CHECK int cul_file_replace(const char *path, const void *data,
                                    size_t len, mode_t mode,
                                    struct cul_err *err);
/* One of many that replace each other: a reader sees a whole file at any time,
 * and nothing waits for the disk. */
CUL_MUST_CHECK int cul_file_replace_step(const char *path, const void *data,
                                         size_t len, mode_t mode,
                                         struct cul_err *err);

/* The file that path names once symbolic links are followed, also where it is
 * not there yet; a device or pipe stays as it is named.  Caller frees. */
char *cul_file_follow(const char *path);
/* cul_file_write of a file that the user has named: a symbolic link stays, and
 * what it leads to is replaced. */
CUL_MUST_CHECK int cul_file_write_through(const char *path, const void *data,
                                          size_t len, mode_t mode,
                                          struct cul_err *err);

/* May path be replaced again and again, by what is made of input?  Errors:
 * EUSAGE where it is "-", a directory, a device or pipe, or input itself, or
 * its directory is missing. */
CUL_MUST_CHECK int cul_file_check_result(const char *path, const char *input,
                                         struct cul_err *err);
/* Is there hope that path can be written at the end of a long job?  dir: it
 * will be a directory with files in it, made with those above it; else its
 * directory must be there.  NULL and "-": yes.  Errors: EUSAGE where that is
 * missing or a file, EENV. */
CUL_MUST_CHECK int cul_file_check_later(const char *path, bool dir,
                                        struct cul_err *err);

/* Digest of a file's bytes.  Errors: as cul_file_read. */
CUL_MUST_CHECK int cul_file_digest(const char *path, struct cul_digest *out,
                                   struct cul_err *err);

/* mkdir -p with mode 0700 for what is made.  Errors: EENV. */
CUL_MUST_CHECK int cul_mkdirs(const char *path, struct cul_err *err);

/* rm -rf; missing is fine; never follows links; best effort.  Links above path
 * are: where a tool may have changed those, see base/files/beneath.h. */
void cul_rmtree(const char *path);

/* Append what read(2) has until its end; max: bytes, 0 = no limit.  0, or -1
 * with errno: EFBIG above max. */
int cul_read_rest(int fd, size_t max, struct cul_buf *out);

/* Where culprit keeps its files: $XDG_CACHE_HOME/culprit, else
 * $HOME/.cache/culprit, else /tmp/culprit-UID.  Caller frees.  Not made. */
char *cul_cache_dir(void);
/* Make it, 0700, and check that it is ours alone: no link, of no other owner,
 * and not to be written by others; in $HOME and $XDG_CACHE_HOME root may use
 * another owner's, and its group may write.  Caller frees *out (NULL on error).
 * Errors: EENV. */
CUL_MUST_CHECK int cul_cache_dir_make(char **out, struct cul_err *err);

/* The directory of the running program (from /proc/self/exe).  Caller frees. */
char *cul_program_dir(void);

/* A file that belongs to culprit, by name: in libexec/ below program_dir (a
 * build tree) or in ../libexec/culprit (installed).  mode: as for access(2).
 * Caller frees; NULL when there is none. */
char *cul_own_file(const char *program_dir, const char *name, int mode);

/* The directory whose bin/ and lib/ hold the LLVM that culprit works with: the
 * one that came with it (llvm/ where its other files are), or else built, which
 * it was built against.  Caller frees. */
char *cul_llvm_prefix(const char *built);

/* What came with culprit, a directory beside the workers, without links in its
 * name; heap, NULL where there is none. */
char *cul_own_dir(const char *name);

/* Last component of a path; borrowed. */
const char *cul_basename(const char *path);

/* Find name in $PATH as execvp would (a name with '/' is taken as is).
 * Caller frees; NULL when there is none. */
char *cul_find_program(const char *name);

#endif
