/* Lines of the shell scripts that reproduce a failure without culprit. */
#ifndef CUL_PROBE_REPRO_LINES_H
#define CUL_PROBE_REPRO_LINES_H

#include "../oracles/oracle.h"

enum { CUL_REPRO_STATUSES = 3 };

/* The extension, with its dot, that the case beside repro.sh has where the
 * input has this name: the input's where that is plain (cul_is_plain_name),
 * else "", and never one under which the case would take the script's place. */
const char *cul_repro_case_extension(const char *name);

/* How the failing process ends. */
struct cul_repro_end {
  int signal;                       /* it dies of; 0: it exits */
  int statuses[CUL_REPRO_STATUSES]; /* with one of these; */
  size_t n;                         /* 0: with any but 0 */
};

/* The end of runs of one program that all show the failure `sig`. */
struct cul_repro_end cul_repro_end_of(const struct cul_signature *sig,
                                      const struct cul_record *records,
                                      size_t n);

/* Append a grep line for the message of the signature, in "$log": exits 1
 * where it is missing.  Nothing where the message is too short to tell. */
void cul_repro_message_test(const struct cul_signature *sig,
                            struct cul_buf *out);
/* Append lines that exit 1 where a run, its exit status in $status and what it
 * printed in the file $log, does not show the failure: what the options ask
 * for, else the signature. */
void cul_repro_tests(const struct cul_oracle_conf *conf,
                     const struct cul_signature *sig,
                     const struct cul_repro_end *end, struct cul_buf *out);

#endif
