/* Functions of Python that are called once, at a place before which their
 * statements can stand. */
#ifndef CUL_REDUCER_SUBJECT_TEXT_LANGUAGE_ONLY_CALL_H
#define CUL_REDUCER_SUBJECT_TEXT_LANGUAGE_ONLY_CALL_H

#include "../text.h"

/* A top-level function, and the only call of it. */
struct cul_text_only_call {
  uint32_t item, name, open; /* "def name(" */
  uint32_t start;            /* first token of the statement around the call */
  uint32_t at, close;        /* the name in the call, and ")" */
  uint32_t body, end;        /* lines before the return, or to the end */
  uint32_t value, value_end; /* tokens after "return"; equal: none */
};
/* Is the item such a function, whose parameters all have an expression in the
 * call or a default, and which returns at its end, if at all? */
bool cul_text_only_call(const struct cul_text *text, uint32_t item,
                        struct cul_text_only_call *out);
/* Find the expression for parameter k, [name, *end): by position, after "name="
 * in the call, or the default; false without one. */
bool cul_text_handed(const struct cul_text *text,
                     const struct cul_text_only_call *call, uint32_t k,
                     uint32_t name, uint32_t *first, uint32_t *end);

#endif
