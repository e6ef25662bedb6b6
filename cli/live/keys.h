/* Reads single keys from the terminal while a command works, without waiting
 * for a line and without echo.  Ctrl-C, Ctrl-Z and Ctrl-\ work as usual.
 *
 * The terminal's modes are restored in every case: at the end, before a stop
 * (Ctrl-Z), by signal handlers (which may call cul_keys_end) and, if culprit is
 * killed or crashes, by a process that waits for this and restores the modes
 * unless another program has changed them. */
#ifndef CUL_CLI_LIVE_KEYS_H
#define CUL_CLI_LIVE_KEYS_H

/* The next key that was pressed; 0: none, standard input is no terminal, or
 * culprit is in the background.  The first call sets the terminal's modes; so
 * does the first one after a stop. */
int cul_keys_read(void);
/* Restore the terminal's modes until the next read. */
void cul_keys_end(void);

#endif
