/* The supervisor: a small process above every tool.  It is the subreaper of the
 * tool's orphans, enforces the deadline, kills the whole tree, measures it, and
 * writes one outcome to a pipe.  When culprit dies, its end of the control pipe
 * closes and the supervisor kills the tree. */
#ifndef CUL_RUNNERS_TREE_SUPERVISOR_H
#define CUL_RUNNERS_TREE_SUPERVISOR_H

#include "../plan.h"

/* The step that failed; followed by errno on the notify pipe. */
enum cul_tool_step {
  CUL_STEP_EXEC,    /* the program itself */
  CUL_STEP_FOREIGN, /* neither a script nor a program of this machine */
  CUL_STEP_CWD,     /* enter the working directory */
  CUL_STEP_INPUT,   /* open the candidate for standard input */
  CUL_STEP_FORK,    /* make a process at all */
  CUL_STEP_ENTER,   /* set up the namespaces of the sandbox */
  CUL_STEP_BOX,     /* enforce the rules of the sandbox */
  CUL_STEP_HEAR,    /* receive reports of the calls that it makes */
  CUL_STEP_LOST,    /* get the outcome: the supervisor was killed */
  CUL_STEP_UNBORN,  /* execute the tool: the process made for it was killed */
  CUL_STEP_STARVED, /* supervise the tool: the supervisor ran out of memory and
                       ended */
};

struct cul_tool_failure {
  int32_t step, error;
};

/* The supervisor's result; the lines of the trace follow on the pipe. */
struct cul_outcome {
  int32_t end, status;             /* enum cul_end */
  int32_t pace;                    /* enum cul_pace */
  int32_t limit;                   /* enum cul_limit */
  struct cul_tool_failure failure; /* NOT_STARTED and MACHINE */
  uint64_t wall_us, cpu_us, rss_bytes;
  struct cul_stayed stayed;
  uint64_t files_len; /* bytes of trace lines after this struct */
  int32_t trace_closed;
  int32_t full;  /* no space was left where it writes */
  int32_t stuck; /* pid of a process that would not die; 0 = none */
};

struct cul_supervision {
  const struct cul_plan *plan;
  int out, err; /* write ends for the tool */
  int control;  /* read end; end of file = kill everything */
  int result;   /* write end for the outcome */
  bool boxed;   /* forked into the namespaces of the plan's box */
  bool sibling; /* it is to be a child of the caller's parent */
};

/* The starter's end of the socket to culprit, and its answer to each message
 * (live.h), a message too: as fork(2), with errno. */
enum { CUL_STARTER_SOCKET = 3, CUL_STARTER_ANSWER = 101 };
struct cul_started {
  int32_t pid, error;
};

/* A descriptor of the run's TMPDIR: of the directory that was claimed for it,
 * because the tool may put another in its place.  -1: that directory is
 * gone. */
int cul_supervised_tmp(const struct cul_plan *plan);

/* Fork a supervisor, in the namespaces of the plan's box; without them if they
 * are temporarily unavailable and the mode is not strict.  Returns its process
 * id; 0: unknown whether one was made; -1 with errno.  The forked process does
 * not return from this function. */
pid_t cul_supervisor_fork(const struct cul_supervision *s);
/* Run the plan.  Called in a fresh fork, all signals blocked, all descriptors
 * above 2. */
_Noreturn void cul_supervise(const struct cul_supervision *s);

#endif
