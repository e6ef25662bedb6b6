/* Commands from a foreign file: shown, and run only after the user agrees. */
#ifndef CUL_CLI_TRUST_H
#define CUL_CLI_TRUST_H

#include "../probe/target/target.h"

struct cul_trust {
  const char *dir;                    /* directory of the file */
  const struct cul_target_conf *conf; /* the job that would be run */
  const char *script;                 /* the file of a script, or NULL */
};

/* Show on standard error all that would be run; on a terminal, ask.  0: run
 * it.  Errors: EUSAGE (refused, or there is no terminal). */
CUL_MUST_CHECK int cul_trust_ask(const struct cul_trust *trust,
                                 struct cul_err *err);

#endif
