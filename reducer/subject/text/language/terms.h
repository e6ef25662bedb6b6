/* Names and terms of languages that do not mark names (Python, C). */
#ifndef CUL_REDUCER_SUBJECT_TEXT_LANGUAGE_TERMS_H
#define CUL_REDUCER_SUBJECT_TEXT_LANGUAGE_TERMS_H

#include "../text.h"

/* Is the token a keyword of its language? */
bool cul_text_is_keyword(const struct cul_text *text, uint32_t token);
/* Is the token a word but not a keyword?  Then it may be a name. */
bool cul_text_is_unkeyed(const struct cul_text *text, uint32_t token);
/* Is the token a word that may name a variable: not a keyword, and not the y of
 * x.y? */
bool cul_text_is_name(const struct cul_text *text, uint32_t token);
/* The index after "name[i].x(y)", which starts at the token. */
uint32_t cul_text_end_of_use(const struct cul_text *text, uint32_t token);

/* Do tokens [first, end) bind so closely that they need no brackets: a name, a
 * number, f(x).y[z]? */
bool cul_text_is_term(const struct cul_text *text, uint32_t first,
                      uint32_t end);
/* Can an expression replace [first, end) without brackets, because brackets or
 * commas enclose it? */
bool cul_text_stands_alone(const struct cul_text *text, uint32_t first,
                           uint32_t end);

/* The first token of a Python item after its decorators, each of which may span
 * several lines; NONE if there are only decorators. */
uint32_t cul_text_definition(const struct cul_text *text, uint32_t item);
/* Python: replace the name by 0 where it is read, but not in "name=" of a call,
 * or of a statement that sets it. */
void cul_text_put_zero(struct cul_text *text, uint32_t first, uint32_t end,
                       uint32_t name);
/* C and Python: does the token open the parameters of a function or template?
 */
bool cul_text_opens_parameters(const struct cul_text *text, uint32_t token);
/* C and Python: for a parameter that was erased, erase its arguments in calls,
 * and replace its uses by 0. */
void cul_text_fix_up_parameters(struct cul_text *text);

/* Tokens [first, end) as they are written now, with enclosing brackets if asked
 * for.  Heap. */
char *cul_text_written(const struct cul_text *text, uint32_t first,
                       uint32_t end, bool brackets);

/* An operator between two operands on one line, from token i on: the tokens
 * [first, i), [i, right) and [right, end). */
struct cul_text_operator {
  uint32_t first, right, end;
};
/* Read the operator at token i; false: it is none, or an operand is missing. */
bool cul_text_operator(const struct cul_text *text, uint32_t i,
                       struct cul_text_operator *out);
/* If the list that opens there is that of a call x.y(...): the first token of
 * x.y. */
bool cul_text_callee(const struct cul_text *text, uint32_t open,
                     uint32_t *first);
/* The expression of argument k of the call, without "name =". */
bool cul_text_argument(const struct cul_text *text, uint32_t open, uint32_t k,
                       uint32_t *first, uint32_t *end);

#endif
