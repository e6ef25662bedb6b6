/* The user's scripts that the commands of a job run; the bundle has copies. */
#ifndef CUL_PROBE_TARGET_SCRIPTS_H
#define CUL_PROBE_TARGET_SCRIPTS_H

#include "target.h"

/* The scripts that some commands name: text files of at most 1 MiB that are not
 * installed programs, each as the command names it.  commands: their words,
 * NULL terminated; NULL: the command, the reference and the control of the
 * target, of which the test of --script is none.  In the bundle, each is
 * "script-" and its base name (cul_is_plain_name); of two with the same base
 * name, the bundle has the first.  NULL terminated; heap, free it with
 * cul_scripts_free. */
char **cul_scripts_named(const struct cul_target *target,
                         const char *const *const *commands);
void cul_scripts_free(char **words);

/* The files of the directory where the job was started, or below it, that the
 * command read (cul_identity_below), named as in it, without those of
 * cul_scripts_named, unless another of these names them: what a bundle lacks
 * elsewhere.  At most 32; none of a
 * job with --script, or whose runs are made on other machines.  NULL
 * terminated; heap, free it with cul_scripts_free. */
char **cul_scripts_beside(const struct cul_target *target,
                          const char *const *const *commands);

/* The path of the script of --script; NULL: the job has none, or a text of a
 * shell.  Borrowed. */
const char *cul_scripts_test(const struct cul_target *target);
/* The files in the directory of a script (one of cul_scripts_named, or
 * cul_scripts_test) or below it, but not of cul_scripts_beside, that the
 * command read, named as in that directory: what the bundle's copy of the
 * script lacks if it looks beside itself.  started: those of cul_scripts_beside
 * instead, which the command may have read there by their names.  At most 32;
 * none where runs are made on other machines.  NULL terminated; heap, free it
 * with cul_scripts_free. */
char **cul_scripts_companions(const struct cul_target *target,
                              const char *const *const *commands,
                              const char *script, bool started);

#endif
