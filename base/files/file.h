/* Files and directories: whole-file reads, atomic writes, trees, paths. */
#ifndef CUL_BASE_FILES_FILE_H
#define CUL_BASE_FILES_FILE_H

#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "../buf.h"
#include "../digest.h"
#include "beneath.h"

/* Largest file that is read where no smaller limit is given, bytes. */
#define CUL_FILE_MOST ((size_t)1 << 30)

/* Append the whole file to out.  max: bytes, 0 = CUL_FILE_MOST. Errors: EUSAGE
 * when missing, not permitted, a directory or above max (the message says
 * which); EENV: the machine cannot read it (a defect of the disk, no memory);
 * EINTR: the user interrupts. */
CUL_MUST_CHECK int cul_file_read(const char *path, size_t max,
                                 struct cul_buf *out, struct cul_err *err);

/* The same for a file that culprit wrote where tools can write too: refuses a
 * link, pipe or device in its place and never blocks. */
CUL_MUST_CHECK int cul_file_read_own(const char *path, size_t max,
                                     struct cul_buf *out, struct cul_err *err);

/* Replace path, which the user named, by data (base/files/beneath.h); the data
 * is on the disk when this returns.  A reader sees the old bytes or the new,
 * never a mixture; on error the old file stays.  mode: of the new file, less
 * the umask. Links above path are followed; a link at its end is replaced.  A
 * device, a pipe or /dev/stdout is written to, not replaced.  Errors: EENV (no
 * room, no permission). */
CUL_MUST_CHECK int cul_file_write(const char *path, const void *data,
                                  size_t len, mode_t mode, struct cul_err *err);

/* The same for a name that culprit chose in a directory of the user: also
 * replaces devices and pipes, but not a directory. */
CUL_MUST_CHECK int cul_file_replace(const char *path, const void *data,
                                    size_t len, mode_t mode,
                                    struct cul_err *err);
/* The same for a file that is replaced many times: a reader sees a whole file
 * at any time, and the function does not wait for the disk. */
CUL_MUST_CHECK int cul_file_replace_step(const char *path, const void *data,
                                         size_t len, mode_t mode,
                                         struct cul_err *err);
/* Either of these (lasting: the first) as long as the patience has time (NULL:
 * without a limit); else the old file stays.  Errors: also those of the
 * patience. */
CUL_MUST_CHECK int cul_file_replace_while(const char *path,
                                          const struct cul_pieces *text,
                                          mode_t mode, bool lasting,
                                          const struct cul_patience *patience,
                                          struct cul_err *err);

/* The file that path leads to when symbolic links are followed, even if it does
 * not exist yet; the path of a device or pipe is returned unchanged.  Caller
 * frees. */
char *cul_file_follow(const char *path);
/* cul_file_write through symbolic links: the link stays, and the file that it
 * leads to is replaced. */
CUL_MUST_CHECK int cul_file_write_through(const char *path, const void *data,
                                          size_t len, mode_t mode,
                                          struct cul_err *err);

/* Check that path can be replaced repeatedly by results that are made from
 * input.  Errors: EUSAGE where path is "-", a directory, a device or pipe, or
 * input itself, or its directory is missing. */
CUL_MUST_CHECK int cul_file_check_result(const char *path, const char *input,
                                         struct cul_err *err);
/* Check early that path can probably be written at the end of a long job.  dir:
 * path will be a directory, made together with its parents; else its directory
 * must exist.  NULL and "-" pass.  Errors: EUSAGE where that directory is
 * missing or a file, EENV. */
CUL_MUST_CHECK int cul_file_check_later(const char *path, bool dir,
                                        struct cul_err *err);

/* Digest of a file's bytes.  Errors: as cul_file_read. */
CUL_MUST_CHECK int cul_file_digest(const char *path, struct cul_digest *out,
                                   struct cul_err *err);

/* mkdir -p; mode: of new directories, less the umask; 0777 for what the user
 * asked for, 0700 for what is ours.  Errors: EENV. */
CUL_MUST_CHECK int cul_mkdirs(const char *path, mode_t mode,
                              struct cul_err *err);

/* rm -rf, best effort; a missing path is no error.  Links below path are never
 * followed, links above it are: where a tool may have changed those, use
 * base/files/beneath.h. */
void cul_rmtree(const char *path);

/* Append all that read(2) returns up to the end of file; max: bytes, 0 = no
 * limit.  Returns 0, or -1 with errno: EFBIG above max. */
int cul_read_rest(int fd, size_t max, struct cul_buf *out);

/* Where culprit keeps its files: $XDG_CACHE_HOME/culprit, else
 * $HOME/.cache/culprit, else /tmp/culprit-UID.  Caller frees.  Does not make
 * it. */
char *cul_cache_dir(void);
/* Make that directory, 0700, and check that it is ours alone: no link, no other
 * owner, not writable by others.  In $HOME and $XDG_CACHE_HOME, root may use
 * another owner's directory, and its group may write.  Caller frees *out (NULL
 * on error). Errors: EENV. */
CUL_MUST_CHECK int cul_cache_dir_make(char **out, struct cul_err *err);

/* The directory of the running program (from /proc/self/exe).  Caller frees. */
char *cul_program_dir(void);

/* A file that belongs to culprit, by name: in libexec/ below program_dir (a
 * build tree) or in ../libexec/culprit (installed).  mode: as for access(2).
 * Caller frees; NULL when there is none. */
char *cul_own_file(const char *program_dir, const char *name, int mode);
/* The full path of a library of culprit that LD_PRELOAD can name, heap; NULL:
 * it is not installed, or its path has a blank or a colon, which separate names
 * there. */
char *cul_own_library(const char *name);

/* The directory whose bin/ and lib/ hold the LLVM that culprit uses: the one
 * installed with culprit (llvm/ beside its other files), else `built`, the one
 * that culprit was built against.  Caller frees. */
char *cul_llvm_prefix(const char *built);

/* The path, free of links, of a directory that is installed with culprit beside
 * the workers; heap, NULL where there is none. */
char *cul_own_dir(const char *name);

/* Last component of a path; borrowed. */
const char *cul_basename(const char *path);

/* Find name in $PATH as execvp would (a name with '/' is taken as is).
 * Caller frees; NULL when there is none. */
char *cul_find_program(const char *name);

/* Are both of one file, which nobody has written in between? */
static inline bool cul_stat_untouched(const struct stat *a,
                                      const struct stat *b) {
  return a->st_ino == b->st_ino && a->st_dev == b->st_dev &&
         a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
         a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
         a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
         a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

#endif
