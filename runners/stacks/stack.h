/* The functions on the stack of a task (thread) of another process, below this
 * one.  A function is identified by the base name of its module and its address
 * in there, so that it is the same in every process of the tool.
 *
 * A task that runs is stopped for the copy of its registers and of the top of
 * its stack (ptrace(2), some 50 us); the copy is unwound while it goes on.  One
 * that waits is not stopped, for a system call of its might fail with EINTR:
 * /proc/PID/task/TID/syscall has its stack pointer.  The unwinder follows
 * .eh_frame, and frame pointers in code that has none.
 *
 * On machines other than x86-64 and aarch64 no stack is taken. */
#ifndef CUL_RUNNERS_STACKS_STACK_H
#define CUL_RUNNERS_STACKS_STACK_H

#include "../../base/stay.h"
#include "modules.h"
#include "rows.h"

struct cul_stack {
  uint64_t places[CUL_STAY_MOST_FRAMES]; /* innermost first */
  size_t n;
  bool whole; /* unwound to the outermost frame, or to the copy's end */
};

/* What was found out about one process and its code; {0} at first. */
struct cul_stack_reader {
  struct cul_mappings modules;
  struct cul_found_row *rows; /* a cache, by address */
  uint8_t *copy;              /* of a stack */
  unsigned taken;             /* stacks since the mappings were read */
  pid_t held; /* a task that has not stopped yet; see cul_stack_let_held_go.
                 0: none */
};

/* Take the stack of a task that runs.  False: it did not stop within
 * 250 ms (it may wait by now), or may not be traced. */
bool cul_stack_take(struct cul_stack_reader *reader, pid_t pid, pid_t tid,
                    struct cul_stack *out);
/* Take the stack of a task that waits in a system call, which is the first
 * place.  False: it does not wait, or may not be looked at. */
bool cul_stack_take_waiting(struct cul_stack_reader *reader, pid_t pid,
                            pid_t tid, struct cul_stack *out);
/* Call it whenever a child has changed state: lets a task go that has stopped
 * late. */
void cul_stack_let_held_go(struct cul_stack_reader *reader);
/* Let every task go; frees. */
void cul_stack_reader_release(struct cul_stack_reader *reader);

#endif
