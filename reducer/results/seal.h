/* Was a bundle made here?  A bundle carries a seal: codes (base/mac.h) over
 * what its replay would run and load, by a secret that this user's programs
 * alone can read (0600, beside the store).  A bundle without one, with one of
 * another user or machine, or whose command, oracle, environment, script or
 * inputs were changed, is foreign.
 *
 * The case itself may be edited by hand: it is what the command reads.  A case
 * that is a program (executable, "#!", or by its extension) may not. */
#ifndef CUL_REDUCER_RESULTS_SEAL_H
#define CUL_REDUCER_RESULTS_SEAL_H

#include "../../base/buf.h"

/* Write the seal of the bundle in dir, whose case is the file repro; where the
 * secret cannot be kept, or links stand there, none is written.  Errors: EENV.
 */
CUL_MUST_CHECK int cul_seal_write(const char *dir, const char *repro,
                                  struct cul_err *err);
/* Is it whole and of this user?  Follows no links.  Errors: EUSAGE (a link, or
 * what is no plain file, stands in the bundle), EENV. */
CUL_MUST_CHECK int cul_seal_check(const char *dir, const char *repro,
                                  bool *made_here, struct cul_err *err);
/* Read a plain file of the bundle; appended.  Errors: EUSAGE (there is none,
 * or a link), EENV. */
CUL_MUST_CHECK int cul_bundle_read(const char *dir, const char *name,
                                   struct cul_buf *out, struct cul_err *err);

#endif
