/* Which kinds of tokens a text was seen to hold side by side.
 *
 * A text tells much of its own grammar: "+ )" or "def (" stands nowhere in a
 * Python file of any length.  An edit that brings two tokens together which
 * never were leaves something novel, and is mostly a syntax error. */
#ifndef CUL_REDUCER_SUBJECT_TEXT_PAIRS_H
#define CUL_REDUCER_SUBJECT_TEXT_PAIRS_H

#include "text.h"

struct cul_text_pairs;
void cul_text_pairs_free(struct cul_text_pairs *pairs);

/* What stands side by side in the subject, edits applied, is not novel from
 * now on. */
void cul_text_learn_pairs(struct cul_subject *subject);

/* As cul_subject_kind.try, tried and end_try.  Of a text that is long for its
 * many sites, or whose language is not known, nothing is novel. */
void *cul_text_try(struct cul_subject *subject, size_t n);
void cul_text_tried(void *trial, struct cul_novel *out);
void cul_text_end_try(void *trial);

#endif
