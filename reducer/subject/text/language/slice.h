/* Slices of a C or Python text: a run of declarations with all that they use;
 * or a run of statements of a function, with the statements that reach them,
 * because most of a long function has nothing to do with the statement that
 * fails.  There is no parser: a slice is a guess.
 *
 * The slice is thin: of the definitions of a name, it has only the first in a
 * block around the use; a parameter needs none.
 *
 * Method: Weiser, Program Slicing (1981), over names instead of data flow. */
#ifndef CUL_REDUCER_SUBJECT_TEXT_LANGUAGE_SLICE_H
#define CUL_REDUCER_SUBJECT_TEXT_LANGUAGE_SLICE_H

#include "../text.h"

/* Mark in kept[item] the items that those marked there (with all inside) need:
 * blocks around them, declarations that they name, and, if `first` is inside a
 * declaration, the statements that reach the functions around them.  The lines
 * of a marked item that belong to no other item are kept. */
void cul_text_add_slice(struct cul_text *text, uint32_t first, bool *kept);

#endif
