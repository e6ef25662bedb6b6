/* A worker on the command line, for tests and people. */
#ifndef CUL_REDUCER_WORKER_COMMAND_H
#define CUL_REDUCER_WORKER_COMMAND_H

/* The options --apply, --print, --try and --list; returns the exit status. */
int cul_session_command(int argc, char **argv);

#endif
