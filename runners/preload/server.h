/* The fork server inside a tool: see runners/preload.h.  Private to the library
 * that is loaded into the tool. */
#ifndef CUL_RUNNERS_PRELOAD_SERVER_H
#define CUL_RUNNERS_PRELOAD_SERVER_H

#include <signal.h>
#include <stdbool.h>

enum {
  CUL_SERVER_SOCKET = 1, /* standard output and error, while it waits */
  CUL_MOST_FDS = 1024,   /* of a waiting tool */
};

/* The parts of a process's state that the intermediate supervisor changes. */
struct cul_fork_state {
  struct sigaction actions[NSIG];
  sigset_t mask;
  char name[16];
  unsigned char open[CUL_MOST_FDS]; /* 1: this descriptor is open; 2: it is a
                                       file or directory, which has an offset */
};

/* Save the state.  False where a fork could not continue as the process itself
 * would, because of output, threads, children, pipes and sockets, files open
 * for writing, shared memory or files in TMPDIR. */
bool cul_fork_state_take(struct cul_fork_state *state);
/* In a fork: restore the state; files get offsets of their own. */
void cul_fork_state_restore(const struct cul_fork_state *state);

/* Called just before the tool looks at the candidate.  Waits for runs, and
 * returns in the fork of each run. */
void cul_server_wait(void);

#endif
