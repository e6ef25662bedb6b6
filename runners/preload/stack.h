/* The stack of a process that dies of a fault, on its standard error. */
#ifndef CUL_RUNNERS_PRELOAD_STACK_H
#define CUL_RUNNERS_PRELOAD_STACK_H

#include <stdbool.h>

/* From now on a deadly fault of this process prints its stack before it
 * kills.  Signals that have a handler keep it.  aborts: SIGABRT, too. */
void cul_stack_catch(bool aborts);

#endif
