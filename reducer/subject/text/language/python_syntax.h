/* Syntax errors in Python: an operator without its operand, two adjacent
 * operands, a header without its block. */
#ifndef CUL_REDUCER_SUBJECT_TEXT_LANGUAGE_PYTHON_SYNTAX_H
#define CUL_REDUCER_SUBJECT_TEXT_LANGUAGE_PYTHON_SYNTAX_H

#include "../text.h"

/* Is this certainly a syntax error?  Checks the text as parsed, without edits;
 * false in doubt.  *at: the byte of the error. */
bool cul_text_python_wrong(const struct cul_text *text, uint32_t *at);

#endif
