/* Lines of the shell scripts that reproduce a failure without culprit. */
#ifndef CUL_PROBE_REPRO_LINES_H
#define CUL_PROBE_REPRO_LINES_H

#include "../oracles/oracle.h"

/* Append a grep line for the message of the signature, in "$log": exits 1
 * where it is missing.  Nothing where the message is too short to tell. */
void cul_repro_message_test(const struct cul_signature *sig,
                            struct cul_buf *out);
/* Append lines that exit 1 where a run, its exit status in $status and what it
 * printed in the file $log, does not show the failure: what the options ask
 * for, else the signature.  signal: that the process died of; 0 = none. */
void cul_repro_tests(const struct cul_oracle_conf *conf,
                     const struct cul_signature *sig, int signal,
                     struct cul_buf *out);

#endif
