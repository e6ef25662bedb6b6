/* Large literals, cut out of a text before it is parsed and put back when it is
 * written.  Private to reducer/worker/.
 *
 * The weights of a module are hexadecimal strings of up to hundreds of
 * megabytes, and no mutation needs their bytes.  A placeholder that parses as
 * an attribute of the same type replaces each; the bytes stay where they were
 * read, and all processes of the worker share them. */
#ifndef CUL_REDUCER_WORKER_LITERALS_H
#define CUL_REDUCER_WORKER_LITERALS_H

#include <stdlib.h>

#include "../../base/buf.h"

/* Zero: nothing was cut. */
struct cul_literals {
  struct cul_bytes *items; /* parts of the text they were cut from, with what
                              encloses them: dense<"0x...">, or "0x..." */
  size_t n, cap;
};

/* Shorter literals, and literals of fewer bytes together, are not cut. */
enum {
  CUL_LITERALS_LEAST = 64 << 10,
  CUL_LITERALS_LEAST_SUM = 8 << 20,
};

/* Append to rest the text of an MLIR module with a placeholder for each large
 * literal: in `dense<"0x...">` and as the value of an entry of the section
 * {-# ... #-}.  Equal literals get the same placeholder.  The text must live as
 * long as out.  Returns false, and appends nothing, if there is too little to
 * cut. */
bool cul_literals_cut(struct cul_bytes text, struct cul_literals *out,
                      struct cul_buf *rest);
/* Forget the literals. */
static inline void cul_literals_release(struct cul_literals *literals) {
  free(literals->items);
  *literals = (struct cul_literals){0};
}

/* Reads a text with placeholders as pieces of the text without them: each is a
 * part of the former, or a literal.  Begin with at = 0. */
struct cul_literals_reader {
  const struct cul_literals *literals;
  struct cul_bytes text;
  size_t at;
  const struct cul_bytes *next; /* the literal at `at`; or NULL */
};
/* The next piece, borrowed; false: there are no more. */
bool cul_literals_read(struct cul_literals_reader *reader,
                       struct cul_bytes *piece);

#endif
