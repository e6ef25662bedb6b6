/* Crash reproducers of MLIR's pass manager: a module whose {-# #-} section
 * contains the pipeline that fails on it, for TOOL --run-reproducer. */
#ifndef CUL_PIPELINE_REPRODUCER_H
#define CUL_PIPELINE_REPRODUCER_H

#include "../base/buf.h"

struct cul_reproducer {
  struct cul_bytes section;  /* {-# ... #-}; borrowed, like pipeline */
  struct cul_bytes pipeline; /* the text between the quotes */
};

/* Find the pipeline in text, which is a whole file or its section alone.
 * False: text is not a reproducer. */
bool cul_reproducer_find(struct cul_bytes text, struct cul_reproducer *out);
/* Append text with the pipeline of repro, which was found in it, replaced. */
void cul_reproducer_replace(struct cul_bytes text,
                            const struct cul_reproducer *repro,
                            struct cul_bytes pipeline, struct cul_buf *out);

#endif
