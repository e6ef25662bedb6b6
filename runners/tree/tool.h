/* The forked child that becomes the tool: everything between fork and exec,
 * by async-signal-safe calls only. */
#ifndef CUL_RUNNERS_TREE_TOOL_H
#define CUL_RUNNERS_TREE_TOOL_H

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

struct cul_tool_fds {
  int out, err;
  int notify; /* close-on-exec: end of file means that exec worked */
  int trace;  /* socket for the trace's listener; -1 = not traced */
  int rules;  /* of its sandbox; -1 = none */
};

/* Become the tool.  Called in the child; fds are all above 2. */
_Noreturn void cul_tool_exec(const struct cul_plan *plan,
                             const struct cul_tool_fds *fds);

#endif
