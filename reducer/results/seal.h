/* The seal of a bundle proves that this user made it on this machine.  It
 * consists of codes (base/mac.h) over everything that a replay of the bundle
 * runs and loads, keyed by a secret that only this user's programs can read
 * (file bundle.key, 0600, in the directory of the store).  A bundle is foreign
 * without a seal, with the seal of another user or machine, and after its
 * command, oracle, environment, script or inputs were changed.
 *
 * The case itself, which the command reads, may be edited by hand, unless it is
 * a program: executable, ELF, beginning with "#!", or with the extension of a
 * script or library. */
#ifndef CUL_REDUCER_RESULTS_SEAL_H
#define CUL_REDUCER_RESULTS_SEAL_H

#include "../../base/buf.h"

/* Write the seal of the bundle in dir; repro: name of the file with the case.
 * No seal is written, and 0 returned, if the secret cannot be kept or the
 * bundle cannot be read.  Errors: EENV. */
CUL_MUST_CHECK int cul_seal_write(const char *dir, const char *repro,
                                  struct cul_err *err);
/* *made_here: the seal is this user's and fits the bundle.  Follows no links.
 * Errors: EUSAGE (dir is no directory, or the bundle contains a link or
 * something else that is not a plain file), EENV. */
CUL_MUST_CHECK int cul_seal_check(const char *dir, const char *repro,
                                  bool *made_here, struct cul_err *err);
/* Append the bytes of a plain file of the bundle.  Errors: EUSAGE (no such
 * directory or file, or a link), EENV. */
CUL_MUST_CHECK int cul_bundle_read(const char *dir, const char *name,
                                   struct cul_buf *out, struct cul_err *err);

#endif
