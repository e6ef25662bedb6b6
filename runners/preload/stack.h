/* Prints the stack of a process that dies of a fault to its standard error. */
#ifndef CUL_RUNNERS_PRELOAD_STACK_H
#define CUL_RUNNERS_PRELOAD_STACK_H

#include <stdbool.h>

/* From now on a fatal fault of this process prints its stack before the process
 * dies.  Signals that have a handler keep it.  aborts: SIGABRT, too.  later:
 * only get ready what takes long, for forks of this process that call it. */
void cul_stack_catch(bool aborts, bool later);

#endif
