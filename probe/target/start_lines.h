/* Lines of repro.sh that find the directory and the scripts of a command. */
#ifndef CUL_PROBE_TARGET_START_LINES_H
#define CUL_PROBE_TARGET_START_LINES_H

#include "target.h"

/* Append lines that change to the directory in which the commands (those of
 * cul_scripts_named) were started if they need it, and set script1, script2,
 * ... for cul_shell_program: to the script itself if it is where the command
 * says, with the content of the bundle's copy, "$here/script-NAME", and else to
 * that copy.  They exit with 2 and say so where a file is missing that the
 * command read beside itself or in that directory. */
void cul_start_lines(const struct cul_target *target,
                     const char *const *const *commands, struct cul_buf *out);

#endif
