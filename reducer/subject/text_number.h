/* Numbered names of LLVM IR (%0, 5:, @1) must count up without a hole. */
#ifndef CUL_REDUCER_SUBJECT_TEXT_NUMBER_H
#define CUL_REDUCER_SUBJECT_TEXT_NUMBER_H

#include "text_names.h"

/* Number what is left anew: values, blocks and globals, with all their uses.
 * Does nothing in other languages, and where no number has to change.  A block
 * without a label takes a number as it does in the parser of LLVM. */
void cul_text_renumber(struct cul_text *text);

#endif
