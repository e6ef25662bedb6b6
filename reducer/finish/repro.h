/* The script of a bundle: repro.sh. */
#ifndef CUL_REDUCER_FINISH_REPRO_H
#define CUL_REDUCER_FINISH_REPRO_H

#include "../../probe/repro_lines.h"
#include "../job/job.h"

/* A POSIX shell script that runs the command on the repro beside it and
 * exits 0 when the failure shows, 1 when not; needs only the tool. */
void cul_repro_script(const struct cul_reduce *job, struct cul_buf *out);
/* cul_repro_case_extension of the job's input. */
const char *cul_repro_extension(const struct cul_reduce *job);
/* Append the words of a command as a shell has them, its input included. */
void cul_repro_role(const struct cul_command *command, struct cul_buf *out);

#endif
