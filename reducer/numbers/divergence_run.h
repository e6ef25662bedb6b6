/* Programs that print values: made by the engine, run by the suspect and the
 * reference; and their values compared. */
#ifndef CUL_REDUCER_NUMBERS_DIVERGENCE_RUN_H
#define CUL_REDUCER_NUMBERS_DIVERGENCE_RUN_H

#include "divergence_job.h"

/* Words for the engine, NULL terminated; they may borrow the arrays below. */
struct cul_divergence_words {
  const char *items[20];
  size_t n;
  char range[32], root[24], op[24], at[24];
};
/* Add a word, borrowed; there must be room for it. */
void cul_divergence_add_word(struct cul_divergence_words *words,
                             const char *word);
/* Add what is followed: the root of inner, or the whole function. */
void cul_divergence_add_root(const struct cul_inner *inner,
                             struct cul_divergence_words *out);
/* Run the engine "program" on the module with these words, NULL terminated, and
 * append its output; the same words as the last time get what that gave, unless
 * they name a directory or "--from".  to: the directory that replaces "@{out}"
 * in a word, writable for the engine; NULL: none.  Errors: EUSAGE with the
 * engine's message; those of a run. */
CUL_MUST_CHECK int cul_divergence_make(struct cul_divergence_job *job,
                                       const char *const *words, const char *to,
                                       struct cul_buf *out,
                                       struct cul_err *err);
/* The same, but call fn with each line of the output. */
typedef void cul_divergence_line(struct cul_divergence_job *job,
                                 const char *line);
CUL_MUST_CHECK int cul_divergence_list(struct cul_divergence_job *job,
                                       const char *const *words,
                                       cul_divergence_line *fn,
                                       struct cul_err *err);

/* Run the program with the command of this role.  out: add its values, named by
 * number; NULL: do not read them (the print may then be 64 MiB at most, else
 * 256 MiB).  printed: append its output; or NULL.  Errors: EUSAGE if the
 * program fails or prints something else; those of runs. */
CUL_MUST_CHECK int cul_divergence_run(struct cul_divergence_job *job,
                                      const struct cul_buf *program,
                                      enum cul_run_role role,
                                      struct cul_tensors *out,
                                      struct cul_buf *printed,
                                      struct cul_err *err);
/* Read the next value from a print; *found: false after the last one. */
CUL_MUST_CHECK int cul_divergence_next(const char **at, struct cul_tensors *out,
                                       bool *found, struct cul_err *err);

/* A value of the suspect compared with the reference's. */
struct cul_divergent {
  bool differs;
  double severity;
  char what[200]; /* "12 of 16 are off, ..." */
};
/* Copy those elements of want (the reference's) to got that differ between a
 * and b, two runs of the reference.  Does nothing if a or b is NULL, or if the
 * sizes or types differ. */
void cul_divergence_skip(struct cul_tensor *got, const struct cul_tensor *want,
                         const struct cul_tensor *a,
                         const struct cul_tensor *b);
/* Compare two tensors of the same number.  Undefined elements, for which two
 * runs of the reference differ, are set equal first. */
void cul_divergence_compare(const struct cul_divergence_job *job,
                            struct cul_tensor *got,
                            const struct cul_tensor *want,
                            struct cul_divergent *out);
/* Make the reference compute those of these values that job->want lacks. */
CUL_MUST_CHECK int cul_divergence_want(struct cul_divergence_job *job,
                                       const uint32_t *numbers, size_t n,
                                       struct cul_err *err);
/* After a difference: if memory may be read before it is written, make the
 * reference compute all values of job->want again with fresh memory filled
 * differently, and add them to job->again.  Errors: those of runs. */
CUL_MUST_CHECK int cul_divergence_doubt(struct cul_divergence_job *job,
                                        struct cul_err *err);

#endif
