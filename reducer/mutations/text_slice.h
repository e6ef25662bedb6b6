/* A slice of a text of C or Python: statements, what they need, and how they
 * are reached.  Without a parser: what it takes wrongly costs candidates.
 *
 * A thin slice: of all that gives a name its value only the first goes along,
 * in a block around the use; a parameter needs none.
 *
 * Method: Weiser, Program Slicing (1981), over names instead of data flow. */
#ifndef CUL_REDUCER_MUTATIONS_TEXT_SLICE_H
#define CUL_REDUCER_MUTATIONS_TEXT_SLICE_H

#include "text_sites.h"

/* Mark in kept[item] the items that those marked there (with all inside) need:
 * blocks around them, statements that reach the functions they stand in, what
 * these statements and they name.  Of an item that is marked the lines that no
 * other item owns stay. */
void cul_text_slice(struct cul_text *text, bool *kept);

#endif
