/* Texts of opaque forms: what a context without dialects cannot represent is
 * wrapped before the library parses it, and unwrapped in what is printed. */
#ifndef CUL_REDUCER_SUBJECT_IR_MANGLE_H
#define CUL_REDUCER_SUBJECT_IR_MANGLE_H

#include "ir.h"

/* Append the text with those types wrapped. */
void cul_ir_mangle(struct cul_bytes text, struct cul_buf *out);
/* Append the text of opaque operations as the tool reads it, unwrapped. */
void cul_ir_unmangle(struct cul_bytes text, struct cul_buf *out);

/* The position of the first of four characters from `at` on, or the end of the
 * text. */
static inline size_t cul_ir_plain_end(struct cul_bytes text, size_t at,
                                      const char marks[4]) {
  const char a = marks[0], b = marks[1], c = marks[2], d = marks[3];
  for (; at < text.len; at++) {
    char here = text.data[at];
    if (here == a || here == b || here == c || here == d)
      break;
  }
  return at;
}

#endif
