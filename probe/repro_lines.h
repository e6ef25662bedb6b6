/* Lines of the shell scripts that reproduce a failure without culprit. */
#ifndef CUL_PROBE_REPRO_LINES_H
#define CUL_PROBE_REPRO_LINES_H

#include "../oracles/oracle.h"

enum { CUL_REPRO_STATUSES = 3 };

/* The extension, with its dot, of the file of the case next to repro.sh, for an
 * input of this name: the input's extension if it is plain (cul_is_plain_name),
 * else "".  Never an extension with which the case would overwrite the script.
 */
const char *cul_repro_case_extension(const char *name);

/* The end of the failing process. */
struct cul_repro_end {
  int signal;                       /* the signal that kills it; 0: it exits */
  int statuses[CUL_REPRO_STATUSES]; /* it exits with one of these; */
  size_t n;                         /* 0: with any status except 0 */
};

/* The common end of runs of one program that all show the failure `sig`. */
struct cul_repro_end cul_repro_end_of(const struct cul_signature *sig,
                                      const struct cul_record *records,
                                      size_t n);

/* Append a grep line that exits 1 if "$log" lacks the message of the
 * signature.  Nothing if the message is too short to be specific. */
void cul_repro_message_test(const struct cul_signature *sig,
                            struct cul_buf *out);
/* Append lines that exit 2, with a message on standard error, if a program of
 * the run is missing or cannot be run: $status is 126 or 127, or "$log"
 * contains such a message of a shell.  A test is left out if runs that show the
 * failure would meet it, according to `conf` and `sig` or to the `n` records.
 */
void cul_repro_missing(const struct cul_oracle_conf *conf,
                       const struct cul_signature *sig,
                       const struct cul_record *records, size_t n,
                       struct cul_buf *out);
/* Append lines that exit 1 if a run does not show the failure, which the
 * options define, or the signature if they define none.  $status is the run's
 * exit status, $log the file with its output. */
void cul_repro_tests(const struct cul_oracle_conf *conf,
                     const struct cul_signature *sig,
                     const struct cul_repro_end *end, struct cul_buf *out);

#endif
