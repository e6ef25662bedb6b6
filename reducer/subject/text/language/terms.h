/* Names and terms of languages that do not mark names (Python, C). */
#ifndef CUL_REDUCER_SUBJECT_TEXT_LANGUAGE_TERMS_H
#define CUL_REDUCER_SUBJECT_TEXT_LANGUAGE_TERMS_H

#include "../text.h"

bool cul_text_is_keyword(const struct cul_text *text, uint32_t token);
/* A word that is no keyword: it may be a name. */
bool cul_text_is_unkeyed(const struct cul_text *text, uint32_t token);
/* A word that may name a variable: no keyword, and not the y of x.y. */
bool cul_text_is_name(const struct cul_text *text, uint32_t token);
/* Behind "name[i].x(y)", which starts at the token. */
uint32_t cul_text_end_of_use(const struct cul_text *text, uint32_t token);

/* Do tokens [first, end) bind so closely that they need no brackets: a name, a
 * number, f(x).y[z]? */
bool cul_text_is_term(const struct cul_text *text, uint32_t first,
                      uint32_t end);
/* Would an expression in place of [first, end) need no brackets, as brackets
 * and commas stand around? */
bool cul_text_stands_alone(const struct cul_text *text, uint32_t first,
                           uint32_t end);

/* The first token of an item of Python behind its decorators, which may stand
 * over several lines each; NONE where there are only those. */
uint32_t cul_text_definition(const struct cul_text *text, uint32_t item);
/* Python: what reads the name reads 0, but not "name=" of a call, or of a
 * statement that sets it. */
void cul_text_put_zero(struct cul_text *text, uint32_t first, uint32_t end,
                       uint32_t name);
/* C and Python: does the token open the parameters of a function or template?
 */
bool cul_text_opens_parameters(const struct cul_text *text, uint32_t token);
/* C and Python: what is handed over for a parameter that is gone goes, what
 * reads it reads 0. */
void cul_text_fix_up_parameters(struct cul_text *text);

/* Tokens [first, end) as they are written now, brackets around if asked for.
 * Heap. */
char *cul_text_written(const struct cul_text *text, uint32_t first,
                       uint32_t end, bool brackets);

#endif
