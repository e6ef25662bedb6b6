/* Edges between blocks: the branches that make them, in every language that has
 * labels. */
#ifndef CUL_REDUCER_SUBJECT_TEXT_LANGUAGE_EDGES_H
#define CUL_REDUCER_SUBJECT_TEXT_LANGUAGE_EDGES_H

#include "../text.h"

/* A branch with its first two targets, "label %a", "^a(%x : t)", "%a". */
struct cul_text_branch {
  uint32_t word, n; /* n: targets in all */
  uint32_t target[2], first[2], end[2];
};
/* False: the line is none.  Of languages that have edges (language.h). */
bool cul_text_branch(struct cul_text *text, uint32_t line,
                     struct cul_text_branch *out);

/* The label where the ways of the branch on the line meet, which the line
 * before names; or CUL_TEXT_NONE. */
uint32_t cul_text_merge(struct cul_text *text, uint32_t line);

/* Make edges whole again where an edit erased blocks, targets or branches. */
void cul_text_fix_up_edges(struct cul_text *text);

#endif
