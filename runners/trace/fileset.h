/* A set of file names with what was seen of each file. */
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
  char *real; /* the same without links; NULL where it is not asked for */
  unsigned flags;
  struct stat seen; /* when first put */
};

/* {0} is empty and valid. */
struct cul_fileset {
  struct cul_file *items; /* open addressing; name NULL = free */
  size_t n, room;
};

/* An escape: the tool loses rights in a sandbox, and under the trace. */
extern const char cul_seen_setuid[];

struct cul_seen {
  struct cul_fileset files;   /* by the name the tool used */
  struct cul_fileset written; /* by real name: opened for writing */
  struct cul_fileset changed; /* by real name: made, changed or removed */
  struct cul_fileset moved;   /* directories: below each a file changed its */
                              /* own one, by rename or link */
  struct cul_fileset unseen;  /* phrases: what decides and is not a file */
  int family;                 /* of the first socket of a network; 0 = none */
  char tmp[PATH_MAX];         /* real name of the private TMPDIR */
  /* Changes below these do not count, either: of a run that is not traced,
   * those that it may make, which are many in a build.  NULL: none. */
  const struct cul_paths *allowed[2];
  const char *escape; /* why not all is seen; NULL = it is */
};

/* tmp: what is below does not count. */
void cul_seen_init(struct cul_seen *seen, const char *tmp);
/* Not all can be seen, and why; the first reason stays.  why: static. */
void cul_seen_escape(struct cul_seen *seen, const char *why);

/* A call of the tree, before it is made; paths are absolute.  open: with the
 * flags of open(2).  write: the file may be made or replaced.  look: is it
 * there?  exec: true when the kernel will run it; *script: through an
 * interpreter. */
void cul_seen_open(struct cul_seen *seen, const char *path, uint64_t flags);
void cul_seen_write(struct cul_seen *seen, const char *path);
/* Something is made or removed there. */
void cul_seen_change(struct cul_seen *seen, const char *path);
/* A file gets another name, or one more. */
void cul_seen_move(struct cul_seen *seen, const char *from, const char *to);
void cul_seen_look(struct cul_seen *seen, const char *path);
bool cul_seen_exec(struct cul_seen *seen, const char *path, bool *script);
/* It makes a socket of a network; family: of addresses, see socket(2). */
void cul_seen_socket(struct cul_seen *seen, int family);
/* It asks a server; address: as people write it, and taken. */
void cul_seen_server(struct cul_seen *seen, char *address);

/* The real name of what stands there, into out[PATH_MAX]; false: nothing. */
bool cul_seen_real(struct cul_seen *seen, const char *path, char *out);
/* Append the lines (see struct cul_record, files).  wrapped: the program that
 * a script handed its arguments to; or NULL. */
void cul_seen_print(struct cul_seen *seen, const char *wrapped,
                    struct cul_buf *out);
/* Append a line "d PATH\n" for what was to be changed, a few of them at most.
 * What would be refused to the user too does not count, nor what Python keeps
 * of a source for the next time.  frozen: this process has read-only mounts,
 * which the user has not. */
void cul_seen_print_refused(struct cul_seen *seen, bool frozen,
                            struct cul_buf *out);
void cul_seen_release(struct cul_seen *seen);

/* Nothing, a file (executable or not), a directory, something else; of a link
 * also where it leads.  Never the content. */
void cul_lookup_hash(struct cul_hasher *h, int dir, const char *name);

/* The names in a directory, with what each is; compiled Python is made from
 * what is counted and is left out.  A directory that is not there is empty. */
enum cul_names {
  CUL_NAMES_ALL,
  CUL_NAMES_MODULES, /* what Python could import: for a directory in which
                        people keep results */
};
void cul_listing_hash(struct cul_hasher *h, int dir, const char *name,
                      enum cul_names names);

#endif
