/* Write questions for an external verifier into one file, and read the answers
 * from its output.
 *
 * Each question is a named module; lines "// -----" separate them, for tools of
 * MLIR that read --split-input-file.  A module that the tool prints was
 * accepted.  Two modules precede them: one that every verifier accepts and one
 * that every verifier refuses, to detect whether the tool verifies at all. */
#ifndef CUL_REDUCER_OPMODEL_BATCH_H
#define CUL_REDUCER_OPMODEL_BATCH_H

#include "../subject/subject.h"

/* A worker's message, split into questions; heap. */
struct cul_batch {
  struct cul_digest *names;
  struct cul_bytes *texts; /* borrowed from the message */
  size_t n;
};
/* Split a message, borrowed as long as the batch lives; ends where it is cut
 * short. */
void cul_batch_init(struct cul_batch *batch, struct cul_bytes message);
/* Free what it owns; {0} is fine. */
void cul_batch_release(struct cul_batch *batch);

/* Append the questions numbered which[0..n), as the text of a file. */
void cul_batch_write(const struct cul_batch *batch, const size_t *which,
                     size_t n, struct cul_buf *out);

enum cul_batch_sense {
  CUL_BATCH_SILENT, /* the valid module was not printed */
  CUL_BATCH_BLIND,  /* the invalid module was printed */
  CUL_BATCH_GOOD
};
/* Read the answers: answers[which[i]] becomes ACCEPTED or REFUSED.  If the
 * result is not GOOD, nothing is set. */
enum cul_batch_sense cul_batch_read(struct cul_bytes printed,
                                    const size_t *which, size_t n,
                                    uint8_t *answers);

/* The same for a tool that reads one module at a time: append one question as
 * the text of a file; was it printed; the body of the module that every
 * verifier accepts (good) or refuses. */
void cul_batch_write_one(struct cul_bytes body, struct cul_buf *out);
bool cul_batch_has_one(struct cul_bytes printed);
struct cul_bytes cul_batch_known(bool good);

#endif
