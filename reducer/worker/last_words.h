/* The last words of a worker process: how it died, told to the client. */
#ifndef CUL_REDUCER_WORKER_LAST_WORDS_H
#define CUL_REDUCER_WORKER_LAST_WORDS_H

/* Install handlers in a process that talks on CUL_WIRE_FD.  A fatal signal or
 * exit() sends the last words; and the process ends when the client is gone,
 * whatever it is doing. */
void cul_last_words_install(void);
/* Do the same in a fresh child, which has its own standard error and socket. */
void cul_last_words_inherit(void);

#endif
