/* The supervisor: a small process above every tool.  It is the subreaper of
 * all that the tool leaves behind, keeps the deadline, kills the whole tree,
 * measures it, and writes one outcome to a pipe.  When culprit dies its end of
 * the control pipe closes, and the supervisor kills the tree. */
#ifndef CUL_RUNNERS_TREE_SUPERVISOR_H
#define CUL_RUNNERS_TREE_SUPERVISOR_H

#include "../plan.h"

/* What could not be done; followed by errno on the notify pipe. */
enum cul_tool_step {
  CUL_STEP_EXEC,    /* the program itself */
  CUL_STEP_FOREIGN, /* neither a script nor a program of this machine */
  CUL_STEP_CWD,     /* enter the working directory */
  CUL_STEP_INPUT,   /* open the candidate for standard input */
  CUL_STEP_FORK,    /* make a process at all */
  CUL_STEP_ENTER,   /* settle in the namespaces of the sandbox */
  CUL_STEP_BOX,     /* take on the rules of the sandbox */
  CUL_STEP_HEAR,    /* hear of the calls that it makes */
  CUL_STEP_LOST,    /* hear from the supervisor: it was killed */
  CUL_STEP_UNBORN,  /* execute it: the process made for it was killed */
  CUL_STEP_STARVED, /* watch over it: the supervisor has no memory, and ended
                       where it stood */
};

struct cul_tool_failure {
  int32_t step, error;
};

/* What the supervisor found; the trace's lines follow on the pipe. */
struct cul_outcome {
  int32_t end, status;             /* enum cul_end */
  int32_t pace;                    /* enum cul_pace */
  int32_t limit;                   /* enum cul_limit */
  struct cul_tool_failure failure; /* NOT_STARTED and MACHINE */
  uint64_t wall_us, cpu_us, rss_bytes;
  uint64_t files_len; /* bytes of trace lines behind this struct */
  int32_t trace_closed;
  int32_t stuck; /* pid of a process that would not die; 0 = none */
};

struct cul_supervision {
  const struct cul_plan *plan;
  int out, err; /* write ends for the tool */
  int control;  /* read end; end of file = kill everything */
  int result;   /* write end for the outcome */
  bool boxed;   /* forked into the namespaces of the plan's box */
};

/* A descriptor of the run's TMPDIR, the directory that was claimed for it: the
 * tool may put another in its place.  -1: there is none that is ours. */
int cul_supervised_tmp(const struct cul_plan *plan);

/* Fork a supervisor, in the namespaces of the plan's box; where there are none
 * to be had for now and none was asked for strictly, without.  As fork(2). */
pid_t cul_supervisor_fork(const struct cul_supervision *s);
/* Run the plan.  Called in a fresh fork, all signals blocked, all descriptors
 * above 2. */
_Noreturn void cul_supervise(const struct cul_supervision *s);

#endif
