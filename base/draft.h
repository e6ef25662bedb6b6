/* A file that is written whole before it takes its name: a reader sees the old
 * bytes or the new, never a part.  Until then it has no name where the file
 * system can do that, so that a process that is killed leaves none behind; else
 * a name that nobody can guess.  It never writes into what stands there: a
 * link, a pipe, another name of somebody's file is replaced. */
#ifndef CUL_BASE_DRAFT_H
#define CUL_BASE_DRAFT_H

#include <stdbool.h>
#include <sys/types.h>

struct cul_draft {
  int fd;           /* to be written to; it can be read, too */
  int above;        /* the directory */
  char name[256];   /* to be taken there; as long as names may be */
  char beside[256]; /* had until then; "": none */
};

/* Begin one for path below the held directory dir (beneath.h).  mode: of the
 * file, less the umask.  0 or -1 with errno. */
int cul_draft_open(struct cul_draft *draft, int dir, const char *path,
                   mode_t mode);
/* It takes its name; lasting: once its bytes are on the disk.  0, or -1 with
 * errno: then it is gone.  Closed in either case. */
int cul_draft_publish(struct cul_draft *draft, bool lasting);
/* It is not wanted. */
void cul_draft_drop(struct cul_draft *draft);

#endif
