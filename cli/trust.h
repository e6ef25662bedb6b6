/* Commands that came in a file of others: shown, and run only when a person
 * says so. */
#ifndef CUL_CLI_TRUST_H
#define CUL_CLI_TRUST_H

#include "../probe/target/target.h"

struct cul_trust {
  const char *dir;                    /* where they came from */
  const struct cul_target_conf *conf; /* what would be run */
  const char *script;                 /* the file of a script, or NULL */
};

/* Show on standard error all that would be run; on a terminal, ask.  0: run
 * it.  Errors: EUSAGE (no, or nobody can be asked). */
CUL_MUST_CHECK int cul_trust_ask(const struct cul_trust *trust,
                                 struct cul_err *err);

#endif
