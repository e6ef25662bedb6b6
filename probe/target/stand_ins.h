/* Replacements of tools that a command starts: scripts with the names of the
 * tools, in one directory; each starts the real tool. */
#ifndef CUL_PROBE_TARGET_STAND_INS_H
#define CUL_PROBE_TARGET_STAND_INS_H

#include "../../base/buf.h"

enum cul_stood_in { CUL_IREE_COMPILE, CUL_IREE_RUN_MODULE, CUL_N_STOOD_IN };
extern const char *const cul_stood_in_names[CUL_N_STOOD_IN];

struct cul_stand_ins {
  const char *dir; /* of the scripts; borrowed */
  /* heap: the tool's path if the command names it by a path; NULL: the first
   * program of its name on PATH after dir */
  char *real[CUL_N_STOOD_IN];
};

/* A word of a command, edited so that the scripts replace the tools that it
 * names by a path, and come first on a PATH that it sets; the tools' paths are
 * stored in real.  shell: the word is shell text.  Heap.  The caller puts dir
 * first on the PATH of the run. */
char *cul_stand_ins_word(struct cul_stand_ins *stand_ins, const char *word,
                         bool shell);
void cul_stand_ins_release(struct cul_stand_ins *stand_ins);

#endif
