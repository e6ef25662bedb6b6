/* Two texts as lines of tokens, and which token of one stands for which of
 * the other: private to difference*.c. */
#ifndef CUL_REDUCER_RESULTS_DIFFERENCE_LINES_H
#define CUL_REDUCER_RESULTS_DIFFERENCE_LINES_H

#include "../../base/buf.h"

enum cul_diff_kind {
  CUL_DIFF_MARK,   /* punctuation */
  CUL_DIFF_WORD,   /* also names of operations, symbols, quoted strings */
  CUL_DIFF_NUMBER, /* 5, 1.0e+00, 0xFF */
  CUL_DIFF_VALUE,  /* %0, %arg1, %2#1 */
  CUL_DIFF_TYPE,   /* a word with balanced angle brackets: tensor<4x5xf32> */
};

#define CUL_DIFF_NONE UINT32_MAX

struct cul_diff_token {
  enum cul_diff_kind kind;
  struct cul_bytes text;
  uint32_t line;
  uint32_t match; /* the token of the other side, or CUL_DIFF_NONE */
  bool spaced;    /* white space stands before it */
  bool defines;   /* a value that is defined here */
};

struct cul_diff_line {
  struct cul_bytes text; /* without white space at both ends */
  uint32_t first, n;     /* tokens */
  uint32_t op;           /* token that names what the line does */
  uint32_t match;        /* line of the other side, or CUL_DIFF_NONE */
};

struct cul_diff_side {
  struct cul_diff_token *tokens;
  struct cul_diff_line *lines;
  uint32_t n_tokens, n_lines;
};

/* Lines without any token are left out.  Borrows text. */
void cul_diff_read(struct cul_bytes text, struct cul_diff_side *out);
void cul_diff_release(struct cul_diff_side *side);
/* Fill in match on both sides.  False: too many lines differ. */
bool cul_diff_match(struct cul_diff_side *a, struct cul_diff_side *b);

#endif
