/* Lists in brackets, with commas between their elements, in any language. */
#ifndef CUL_REDUCER_SUBJECT_TEXT_LISTS_H
#define CUL_REDUCER_SUBJECT_TEXT_LISTS_H

#include "text.h"

/* Element k of the list that opens at `open`: tokens [*first, *end). */
bool cul_text_element(const struct cul_text *text, uint32_t open, uint32_t k,
                      uint32_t *first, uint32_t *end);
/* The number of elements. */
uint32_t cul_text_elements(const struct cul_text *text, uint32_t open);
/* Both for tokens [from, to) without enclosing brackets. */
bool cul_text_element_of(const struct cul_text *text, uint32_t from,
                         uint32_t to, uint32_t k, uint32_t *first,
                         uint32_t *end);
uint32_t cul_text_elements_of(const struct cul_text *text, uint32_t from,
                              uint32_t to);
/* Erase the element [first, end) and the comma after it, or the comma before it
 * if it is the last remaining one.  Returns whether that changed anything. */
bool cul_text_erase_element(struct cul_text *text, uint32_t first,
                            uint32_t end);

#endif
