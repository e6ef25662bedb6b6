/* Names and terms of languages that do not mark names (Python, C). */
#ifndef CUL_REDUCER_MUTATIONS_LANGUAGE_TERMS_H
#define CUL_REDUCER_MUTATIONS_LANGUAGE_TERMS_H

#include "sites.h"

/* For cul_text_is_word: words of types of C, and those before the name of one.
 */
#define CUL_TEXT_C_TYPES                                                       \
  " auto bool char const double float int long short signed unsigned "
#define CUL_TEXT_C_TAGS " struct class union enum "

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

/* An item of one statement, "name = expression", without commas outside
 * brackets. */
struct cul_text_assignment {
  uint32_t item, name;
  uint32_t first, end; /* tokens of the expression */
};
bool cul_text_assignment(const struct cul_text *text, uint32_t item,
                         struct cul_text_assignment *out);

/* The first token of an item of Python behind its decorators, which may stand
 * over several lines each; NONE where there are only those. */
uint32_t cul_text_definition(const struct cul_text *text, uint32_t item);
/* The end, as a token, of the function of Python around the item, or of the
 * text. */
uint32_t cul_text_end_of_scope(const struct cul_text *text, uint32_t item);

/* The next token in [from, end) that reads the name; *end moves to where the
 * name gets another value.  CUL_TEXT_NONE: no more; *unclear: it is written in
 * a way that nothing here knows. */
uint32_t cul_text_next_use(const struct cul_text *text, uint32_t name,
                           uint32_t from, uint32_t *end, bool *unclear);

/* Where all statements of a function, or of the text, that assign to a name
 * are erased, or the head of a loop that sets it, what reads it there reads 0,
 * with the indices, members and arguments behind it. */
void cul_text_fix_up_python(struct cul_text *text);

/* Python: what reads the name reads 0, but not "name=" of a call, or of a
 * statement that sets it. */
void cul_text_put_zero(struct cul_text *text, uint32_t first, uint32_t end,
                       uint32_t name);
/* C and Python: what is handed over for a parameter that is gone goes, what
 * reads it reads 0. */
void cul_text_fix_up_parameters(struct cul_text *text);

/* Tokens [first, end) as they are written now, brackets around if asked for.
 * Heap. */
char *cul_text_written(const struct cul_text *text, uint32_t first,
                       uint32_t end, bool brackets);

#endif
