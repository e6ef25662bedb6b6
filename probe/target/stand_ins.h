/* Programs of ours in the place of tools that a command starts: scripts of the
 * same names, in one directory, that start the tools themselves. */
#ifndef CUL_PROBE_TARGET_STAND_INS_H
#define CUL_PROBE_TARGET_STAND_INS_H

#include "../../base/buf.h"

enum cul_stood_in { CUL_IREE_COMPILE, CUL_IREE_RUN_MODULE, CUL_N_STOOD_IN };
extern const char *const cul_stood_in_names[CUL_N_STOOD_IN];

struct cul_stand_ins {
  const char *dir; /* of the scripts; borrowed */
  /* heap: the tool's path, where the command names it by one; NULL: it is the
   * first of its name on PATH behind dir */
  char *real[CUL_N_STOOD_IN];
};

/* A word of a command in which the scripts stand for the tools that it names by
 * a path, and are first on a PATH that it sets; their paths are noted.  shell:
 * the word is the text of a shell.  Heap.  The caller puts dir first on the
 * PATH of the run. */
char *cul_stand_ins_word(struct cul_stand_ins *stand_ins, const char *word,
                         bool shell);
void cul_stand_ins_release(struct cul_stand_ins *stand_ins);

#endif
