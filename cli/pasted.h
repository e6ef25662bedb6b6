/* A command line that was typed for the tool itself, with culprit's command put
 * before it: reduce mlir-opt --cse a.mlir -o /dev/null. */
#ifndef CUL_CLI_PASTED_H
#define CUL_CLI_PASTED_H

#include "command.h"

struct cul_pasted {
  char **argv; /* heap; its words are borrowed, or those below */
  char separator[3], place[3], env[4]; /* words of the new line */
  struct cul_buf said; /* the line as it is read; empty: it was not pasted */
};

/* If the line has no FILE, or no "--" and a program in FILE's place, name the
 * one file in the tool's words as FILE, put "--" before the tool and @@ in the
 * file's place: *argc and *argv become those of the new line.  name: the words
 * of the command's name.  Errors: EUSAGE where the tool's words name no file,
 * or several. */
CUL_MUST_CHECK int cul_pasted_read(struct cul_pasted *pasted,
                                   const struct cul_opt *table,
                                   const char *name, int *argc, char ***argv,
                                   struct cul_err *err);
void cul_pasted_release(struct cul_pasted *pasted);

#endif
