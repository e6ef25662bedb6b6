/* A tool and all it left behind: ended, killed, counted. */
#ifndef CUL_RUNNERS_TREE_REAP_H
#define CUL_RUNNERS_TREE_REAP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

/* All processes below this one; it is their subreaper and has no others. */
struct cul_tree {
  pid_t tool;           /* leader of its own session */
  int signals;          /* signalfd of SIGCHLD */
  int status;           /* of the tool, once killed */
  uint64_t tool_cpu_us; /* of the tool and what it waited for */
  pid_t stuck;          /* one that did not die of SIGKILL; 0 = none */
};

/* True once the tool has ended; it stays a zombie, so that its number cannot
 * pass to a stranger.  Orphans that ended meanwhile are reaped. */
bool cul_tree_ended(struct cul_tree *tree);

/* Did the tool, which has ended, ever begin?  Not if the process made for it
 * still has this one's name, as until it executes the tool. */
bool cul_tree_began(const struct cul_tree *tree);

/* SIGKILL to everything until nothing is left.  After ten seconds, for a
 * process that the kernel cannot kill, gives up and sets stuck. */
void cul_tree_kill(struct cul_tree *tree);

/* User and system time. */
uint64_t cul_rusage_us(const struct rusage *use);

#endif
