/* Test whether the command's output becomes right when a dispatch is replaced
 * by the reference's. */
#ifndef CUL_REDUCER_NUMBERS_DISPATCH_PROOF_H
#define CUL_REDUCER_NUMBERS_DISPATCH_PROOF_H

#include "dispatch_part.h"

struct cul_dispatch_proof {
  bool tried; /* a run with a replacement ended with numbers */
  bool right; /* they are the reference's */
  /* the dispatch's results are replaced, not its executable */
  bool values;
  /* its executable is the reference's for another back end; text: the
   * command's module with it, at phase "executable-targets" */
  bool mixed;
  bool all;      /* all dispatches that diverge are replaced */
  size_t others; /* number of other dispatches that diverge */
  /* at most 5, and one for each in next and for the last of them; those that
   * print a module at phase "flow" are not counted */
  uint32_t runs;
  /* the dispatches that diverge one after the other if those before them have
   * the reference's values; right: the last run had those of all of them */
  struct cul_mlir_words next;
  char *executable;    /* why replacing the executable fails, heap; or NULL */
  char *why;           /* why replacing the values fails, heap; or NULL */
  char *unmixed;       /* why mixing executables fails, heap; or NULL */
  struct cul_buf text; /* the reference's executables */
};

/* Run the command with the reference's executable of the dispatch, if both
 * sides compile to one format.  If that is impossible, or the output is still
 * wrong, run it with the dispatch's results replaced by the reference's.  If it
 * is wrong with these, too, and the dispatch is wrong by itself, replace those
 * of the next ones that then diverge.  If neither is possible, compile the
 * command's module for the back ends of both sides, and run it with the
 * reference's executable of the dispatch and its own ones of all others.
 * Errors: those of runs; EBUDGET and EENV end the test and are kept in
 * out->why. */
CUL_MUST_CHECK int cul_dispatch_confirm(struct cul_dispatch_sides *sides,
                                        const struct cul_dispatch_part *part,
                                        struct cul_dispatch_proof *out,
                                        struct cul_err *err);
/* If the reference's executables make the output right, write them to
 * executables.mlir; else remove that file.  Errors: those of files. */
CUL_MUST_CHECK int cul_dispatch_proof_write(
    struct cul_dispatch_sides *sides, const struct cul_dispatch_part *part,
    const struct cul_dispatch_proof *proof, struct cul_err *err);
/* Free what it owns; {0} is fine. */
void cul_dispatch_proof_release(struct cul_dispatch_proof *proof);

#endif
