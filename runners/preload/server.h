/* The fork server inside a tool: see runners/preload.h.  Private to the
 * library that is loaded into it. */
#ifndef CUL_RUNNERS_PRELOAD_SERVER_H
#define CUL_RUNNERS_PRELOAD_SERVER_H

#include <signal.h>
#include <stdbool.h>

enum {
  CUL_SERVER_SOCKET = 1, /* standard output and error, while it waits */
  CUL_MOST_FDS = 1024,   /* of a tool that waits */
};

/* What a process is made of that a supervisor in between changes. */
struct cul_fork_state {
  struct sigaction actions[NSIG];
  sigset_t mask;
  char name[16];
  unsigned char open[CUL_MOST_FDS]; /* 1: this descriptor is; 2: a file or
                                       directory, with a place in it */
};

/* Take the state.  False where a fork cannot go on from here as the process
 * itself would: output, threads, children, pipes and sockets, files open for
 * writing, memory shared with others, files in TMPDIR. */
bool cul_fork_state_take(struct cul_fork_state *state);
/* In a fork: everything as it was; files get places of their own. */
void cul_fork_state_restore(const struct cul_fork_state *state);

/* The candidate is about to be looked at.  Returns in each of the forks. */
void cul_server_wait(void);

#endif
