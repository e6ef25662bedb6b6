/* A command of the user's that is run each time the best result improves, with
 * the result's path as last argument.
 *
 * It runs beside the job, as the user, outside of any sandbox; its standard
 * input is empty, what it prints goes to standard error.  Never two at once:
 * what improves meanwhile is told by one more run behind it. */
#ifndef CUL_CLI_LIVE_ON_BEST_H
#define CUL_CLI_LIVE_ON_BEST_H

#include <stdbool.h>
#include <sys/types.h>

struct cul_on_best {
  const char *command; /* for /bin/sh; borrowed; NULL: nothing is run */
  char *path;          /* of the result; heap */
  pid_t pid;           /* its process group; 0: none runs */
  int fd;              /* its status comes here; where pid */
  bool due;            /* the result is newer than the last run */
  bool said;           /* that it failed */
};

/* The result at path has improved. */
void cul_on_best_improved(struct cul_on_best *on, const char *path);
/* Time passes: is it over, and is another one due?  Waits for nothing. */
void cul_on_best_tick(struct cul_on_best *on);
/* The job has ended: the last result is told, too.  Waits for the command, for
 * 60 s at most or until the user asks to end; then it is killed. */
void cul_on_best_end(struct cul_on_best *on);

#endif
