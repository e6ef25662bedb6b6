/* A set of file names with the observations about each file. */
#ifndef CUL_RUNNERS_TRACE_FILESET_H
#define CUL_RUNNERS_TRACE_FILESET_H

#include "../../base/buf.h"
#include "../../base/digest.h"
#include "../../base/sandbox.h"
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

struct cul_file {
  char *name;
  char *real; /* the same without links; NULL where not needed */
  unsigned flags;
  struct stat seen; /* when first added */
};

/* {0} is empty and valid. */
struct cul_fileset {
  struct cul_file *items; /* open addressing; name NULL = free */
  size_t n, room;
};

/* An escape: a setuid program, which loses its rights in a sandbox and under
 * the trace. */
extern const char cul_seen_setuid[];

struct cul_seen {
  struct cul_fileset files;   /* by the name the tool used */
  struct cul_fileset written; /* by real name: opened for writing */
  struct cul_fileset changed; /* by real name: made, changed or removed */
  struct cul_fileset kept;    /* by real name: to be made, and there already */
  struct cul_fileset moved;   /* directories: below each a file changed its */
                              /* own one, by rename or link */
  struct cul_fileset unseen; /* phrases: inputs that matter and are not files */
  int family;                /* of the first socket of a network; 0 = none */
  char tmp[PATH_MAX];        /* real name of the private TMPDIR */
  /* Changes below these do not count, either: the permitted changes of a run
   * that is not traced, which are many in a build.  NULL: none. */
  const struct cul_paths *allowed[2];
  /* Spares files of the user (cul_sandbox_spares), which are not permitted
   * changes then, unless they are below own; NULL: none. */
  const struct cul_sandbox *sandbox;
  const struct cul_paths *own;
  bool refused;   /* set when a spared file would be changed; for the caller */
  bool abroad;    /* nor names looked for there, nor reads below the second */
  bool no_memory; /* runs have no /dev/shm of their own: changes there count */
  const char *escape; /* why not all is seen; NULL = all is */
};

/* tmp: files below it do not count. */
void cul_seen_init(struct cul_seen *seen, const char *tmp);
/* Record that not all can be seen, and why; the first reason is kept.  why:
 * static. */
void cul_seen_escape(struct cul_seen *seen, const char *why);

/* Record a call of the tree before it is executed; paths are absolute.  open:
 * with the flags of open(2).  write: the file may be made or replaced.  look: a
 * question about the file, without a look inside; times: its times are among
 * the answers.  exec: true if the kernel will run the file; *script:
 * through an interpreter. */
void cul_seen_open(struct cul_seen *seen, const char *path, uint64_t flags);
void cul_seen_write(struct cul_seen *seen, const char *path);
/* A file is made or removed at path.  kept: to be made, but something is there,
 * which stays as it is. */
void cul_seen_change(struct cul_seen *seen, const char *path, bool kept);
/* A file gets another name, or one more. */
void cul_seen_move(struct cul_seen *seen, const char *from, const char *to);
void cul_seen_look(struct cul_seen *seen, const char *path, bool times);
bool cul_seen_exec(struct cul_seen *seen, const char *path, bool *script);
/* The tree makes a network socket; family: of addresses, see socket(2). */
void cul_seen_socket(struct cul_seen *seen, int family);
/* The tree connects to a server; address: in printed form, taken over. */
void cul_seen_server(struct cul_seen *seen, char *address);

/* Write the real name of the file at path to out[PATH_MAX]; false: the file
 * does not exist. */
bool cul_seen_real(struct cul_seen *seen, const char *path, char *out);
/* Append the lines (see struct cul_record, files).  wrapped: the program that
 * a script handed its arguments to; or NULL. */
void cul_seen_print(struct cul_seen *seen, const char *wrapped,
                    struct cul_buf *out);
/* Append lines "d PATH\n" for refused changes, a few of them at most.  Changes
 * that the user is not permitted either do not count, nor do Python's compiled
 * modules.  frozen: this process has read-only mounts, which the user does not
 * have. */
void cul_seen_print_refused(struct cul_seen *seen, bool frozen,
                            struct cul_buf *out);
void cul_seen_release(struct cul_seen *seen);

/* Hash what stat(2) tells a program about the name: missing, a file with its
 * size, a directory or something else; the permission bits of files and
 * directories; for a link also its target.  Never the content, nor a time. */
void cul_lookup_hash(struct cul_hasher *h, int dir, const char *name);

/* Hash the names in a directory, with what each is.  Compiled Python modules
 * are left out, because their sources are included, and the names that
 * is_spared (NULL: none) says do not count.  A missing directory counts as
 * empty. */
void cul_listing_hash(struct cul_hasher *h, int dir, const char *name,
                      bool (*is_spared)(void *self, const char *name),
                      void *self);

#endif
