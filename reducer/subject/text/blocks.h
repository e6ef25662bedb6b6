/* Habits of blocks: how those of operations of each name end, learnt from a
 * whole text in MLIR. */
#ifndef CUL_REDUCER_SUBJECT_TEXT_BLOCKS_H
#define CUL_REDUCER_SUBJECT_TEXT_BLOCKS_H

#include "text.h"

struct cul_text_habits;
/* Learn from the text as parsed; heap. */
struct cul_text_habits *cul_text_learn(const struct cul_text *text);
/* NULL is fine. */
void cul_text_habits_free(struct cul_text_habits *habits);
/* Does the operation end its block? */
bool cul_text_is_terminator(const struct cul_text *text,
                            const struct cul_text_habits *habits,
                            uint32_t item);
/* Does each block end as the blocks of operations of that name do in the input?
 * If not, *line is a line of the block. */
bool cul_text_blocks_end(const struct cul_text *text,
                         const struct cul_text_habits *habits, uint32_t *line);

#endif
