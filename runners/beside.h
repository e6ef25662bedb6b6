/* A shell command of the user's that runs beside a job, outside any sandbox.
 *
 * A fork of culprit waits for it, because the runners treat children that are
 * other programs as strays, and because SIGCHLD is ignored, so that their
 * status is lost.  The fork leads a process group, which dies with the job, and
 * holds no descriptor of the job open. */
#ifndef CUL_RUNNERS_BESIDE_H
#define CUL_RUNNERS_BESIDE_H

#include <stdbool.h>
#include <sys/types.h>

struct cul_beside {
  pid_t pid; /* the process group; 0: no command runs */
  int fd; /* becomes readable when the command ends; valid while pid is set */
};

/* Start /bin/sh with the arguments argv, argv[0] included (NULL terminated), in
 * dir; NULL: here.  Standard input is empty.  out: descriptor of standard
 * output and standard error; -1: both go to the standard error of culprit.
 * Returns 0, or an errno. */
int cul_beside_start(struct cul_beside *beside, char *const *argv,
                     const char *dir, int out);
/* The status of the command, once fd is readable, as waitpid(2) gives it;
 * SIGKILL if its group was killed.  all: kill what it left in its group. */
int cul_beside_finish(struct cul_beside *beside, bool all);
/* Kill the process group, if there is one. */
void cul_beside_kill(struct cul_beside *beside);

#endif
