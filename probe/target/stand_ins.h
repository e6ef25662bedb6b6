/* Replacements of tools that a command starts: scripts with the names of the
 * tools, in one directory.  The directory comes first on PATH, and a library
 * that is loaded into the command's programs (runners/preload/stand_in.c)
 * starts the scripts where the tools are named by a path.  The scripts unset
 * both variables. */
#ifndef CUL_PROBE_TARGET_STAND_INS_H
#define CUL_PROBE_TARGET_STAND_INS_H

enum cul_stood_in { CUL_IREE_COMPILE, CUL_IREE_RUN_MODULE, CUL_N_STOOD_IN };
extern const char *const cul_stood_in_names[CUL_N_STOOD_IN];

/* The directory, for the programs that are to start the scripts; and, in a
 * script that stands for a program named by a path, that path. */
#define CUL_STAND_INS_VARIABLE "CULPRIT_STAND_INS"
#define CUL_STOOD_IN_VARIABLE "CULPRIT_STOOD_IN"

/* The path of the library, heap; NULL: it is not installed. */
char *cul_stand_ins_library(void);

#endif
