/* What no Python reads: an operator without its operand, two operands side by
 * side, a header without its block. */
#ifndef CUL_REDUCER_SUBJECT_TEXT_PYTHON_H
#define CUL_REDUCER_SUBJECT_TEXT_PYTHON_H

#include "text.h"

/* Is this certainly a syntax error?  The text as parsed, without edits; what is
 * in doubt is none.  *at: the byte where it was seen. */
bool cul_text_python_wrong(const struct cul_text *text, uint32_t *at);

#endif
