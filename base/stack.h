/* A stack that is large enough, whatever the limit of the main one's is
 * (ulimit -s): text is nested, and what walks it calls itself. */
#ifndef CUL_BASE_STACK_H
#define CUL_BASE_STACK_H

/* Call body(arg) and return what it returns: on the stack there is, where that
 * may grow to 8 MiB, else on one of that size.  Once per process. */
int cul_stack_call(int (*body)(void *arg), void *arg);
/* From now on a stack that is used up, of cul_stack_call, ends the process with
 * words and status 6, not by SIGSEGV.  Any other fault does as before. */
void cul_stack_tell(void);

#endif
