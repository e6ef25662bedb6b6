/* A stack that is large enough for recursion over nested text, whatever the
 * limit of the main stack is (ulimit -s). */
#ifndef CUL_BASE_STACK_H
#define CUL_BASE_STACK_H

/* Call body(arg) and return what it returns: on the current stack if it may
 * grow to 8 MiB, else on a new one of that size.  Once per process. */
int cul_stack_call(int (*body)(void *arg), void *arg);
/* From now on an overflow of the stack of cul_stack_call ends the process with
 * a message and status 6, not by SIGSEGV.  Other faults are unaffected. */
void cul_stack_tell(void);

#endif
