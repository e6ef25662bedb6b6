/* Edges between blocks, in every language that has labels: the branches that
 * create them, and their repair after edits. */
#ifndef CUL_REDUCER_SUBJECT_TEXT_LANGUAGE_EDGES_H
#define CUL_REDUCER_SUBJECT_TEXT_LANGUAGE_EDGES_H

#include "../text.h"

/* A branch and its first two targets, "label %a", "^a(%x : t)" or "%a". */
struct cul_text_branch {
  uint32_t word, n; /* n: the number of all targets */
  uint32_t target[2], first[2], end[2];
};
/* Read the branch on the line.  False: the line is not a branch.  Call only for
 * languages that have edges (language.h). */
bool cul_text_branch(struct cul_text *text, uint32_t line,
                     struct cul_text_branch *out);

/* The label of the block in which the paths of the branch on the line meet, as
 * named by the line before; or CUL_TEXT_NONE. */
uint32_t cul_text_merge(struct cul_text *text, uint32_t line);

/* Repair branches and phis after an edit erased blocks, targets or branches. */
void cul_text_fix_up_edges(struct cul_text *text);

#endif
