/* Scripts of the user's that a job's commands run: the bundle holds copies. */
#ifndef CUL_REDUCER_FINISH_SCRIPTS_H
#define CUL_REDUCER_FINISH_SCRIPTS_H

#include "../job/job.h"

/* The scripts that the command, the reference and the control name: text files
 * of at most 1 MiB at a path of the user's own, no installed program, each
 * as it is named there.  The bundle has each as "script-" and its plain name
 * (cul_is_plain_name); of two files with one name it has the first.  NULL
 * terminated; heap, free it with cul_scripts_free. */
char **cul_scripts_named(const struct cul_reduce *job);
void cul_scripts_free(char **words);

/* The files of the directory where the job was started, or below it, that the
 * command read (cul_identity_below), named as in it, without those of
 * cul_scripts_named, unless another of these names them: what a bundle lacks
 * elsewhere.  At most 32; none of a
 * job with --script, or whose runs are made on other machines.  NULL
 * terminated; heap, free it with cul_scripts_free. */
char **cul_scripts_beside(const struct cul_reduce *job);

#endif
