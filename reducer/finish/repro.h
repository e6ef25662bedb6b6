/* The script of a bundle: repro.sh. */
#ifndef CUL_REDUCER_FINISH_REPRO_H
#define CUL_REDUCER_FINISH_REPRO_H

#include "../../probe/repro_lines.h"
#include "../job/job.h"

/* Append repro.sh: a POSIX shell script that runs the command on the repro in
 * the same directory.  It exits 0 if the failure shows, 1 if not, and 2 with a
 * message if it cannot tell (a program of the command is missing, it cannot
 * make its files, a plugin judges).  It needs the tool, and perl or
 * /usr/bin/time for some measured failures. */
void cul_repro_script(const struct cul_reduce *job, struct cul_buf *out);
/* Append a command of another role than the suspect as shell words, each after
 * a space; "$repro" is its standard input if the command reads that.  scripts:
 * as for cul_shell_program. */
void cul_repro_role(const struct cul_command *command,
                    const char *const *scripts, struct cul_buf *out);

#endif
