/* The functions on the stack of a task (thread) of another process, below this
 * one.  A function is identified by the base name of its module and its address
 * in there, so that it is the same in every process of the tool.
 *
 * A task that runs is stopped for the copy of its registers and of the top of
 * its stack (ptrace(2), some 50 us); the copy is unwound while it goes on.  If
 * it has begun to wait since, its system call is restarted, with its whole
 * timeout (on aarch64, one that the kernel does not restart fails with EINTR).
 * A task that waits is not stopped: /proc/PID/task/TID/syscall has its stack
 * pointer.  The unwinder follows .eh_frame (DWARF 4, section 6.4; System V ABI;
 * expressions are not evaluated), and frame pointers in code that has none.
 * Code is read from the process: its files may be in a namespace of its own, or
 * gone.
 *
 * On machines other than x86-64 and aarch64 no stack is taken. */
#ifndef CUL_RUNNERS_STACKS_STACK_H
#define CUL_RUNNERS_STACKS_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../../base/stay.h"

struct cul_module; /* an executable mapping, and its table of functions */
struct cul_found_row;

struct cul_mappings {
  pid_t pid;
  uint64_t digest; /* of /proc/PID/maps */
  struct cul_module *items;
  size_t n;
};

struct cul_stack {
  uint64_t places[CUL_STAY_MOST_FRAMES]; /* innermost first */
  size_t n;
  bool whole; /* unwound to the outermost frame, or to the copy's end */
};

/* Cached facts about one process and its code; {0} at first.  The memory ends
 * with the process, which ends soon after the run. */
struct cul_stack_reader {
  struct cul_mappings modules;
  struct cul_found_row *rows; /* a cache, by address */
  uint8_t *copy;              /* of a stack */
  unsigned taken;             /* stacks since the mappings were read */
  pid_t held; /* a task that has not stopped yet; see cul_stack_let_held_go.
                 0: none */
};

/* Take the stack of a task that runs, or of one that waits in a system call,
 * which is the first place then.  False: it may not be traced or looked at, it
 * does not wait, or it did not stop within 250 ms (it may wait by now). */
bool cul_stack_take(struct cul_stack_reader *reader, pid_t pid, pid_t tid,
                    bool waits, struct cul_stack *out);
/* Call it whenever a child has changed state: lets a task go that has stopped
 * late. */
void cul_stack_let_held_go(struct cul_stack_reader *reader);

/* How to get from a frame to its caller's: a row of call frame information. */

enum { CUL_N_REGISTERS = 33 }; /* DWARF numbers below this one */

enum cul_rule {
  CUL_RULE_SAME,
  CUL_RULE_SAVED,   /* at CFA + offset */
  CUL_RULE_ADDRESS, /* it is CFA + offset */
  CUL_RULE_LOST,    /* undefined, or not evaluated */
};

struct cul_row {
  int cfa_register; /* -1: not evaluated */
  int64_t cfa_offset;
  uint8_t rules[CUL_N_REGISTERS];
  int32_t offsets[CUL_N_REGISTERS];
  uint8_t return_register;
  bool outermost; /* the return address is undefined */
  bool signal;    /* the frame of a signal handler's caller */
};

/* The row of an address within the function that the FDE at that address
 * describes.  False: it cannot be read, or the address is not in the
 * function. */
bool cul_row_read(pid_t pid, uint64_t fde, uint64_t start, uint64_t address,
                  struct cul_row *out);

#endif
