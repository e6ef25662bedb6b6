/* Single keys from the terminal while a command works: no line is waited for,
 * and none is shown.  Ctrl-C, Ctrl-Z and Ctrl-\ do what they do.
 *
 * The terminal's modes are given back on every way out: at the end, before a
 * stop (Ctrl-Z), by a signal's handler (cul_keys_end is one that may be called
 * there), and, where culprit itself is killed or crashes, by a process that
 * waits for that and finds the modes as culprit left them. */
#ifndef CUL_CLI_LIVE_KEYS_H
#define CUL_CLI_LIVE_KEYS_H

/* The next key that was pressed; 0: none, standard input is no terminal, or
 * another job has it (culprit is in the background).  The first call takes the
 * terminal; so does the first one after a stop. */
int cul_keys_read(void);
/* No more keys are wanted, or none until the next read. */
void cul_keys_end(void);

#endif
