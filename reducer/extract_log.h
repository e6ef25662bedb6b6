/* culprit extract LOG: the repros that a log carries, written as files that
 * run (systems/log.h says which). */
#ifndef CUL_REDUCER_EXTRACT_LOG_H
#define CUL_REDUCER_EXTRACT_LOG_H

#include <stdio.h>

#include "../base/buf.h"

struct cul_extract_log_conf {
  const char *log; /* file; "-" is standard input */
  const char *out; /* directory: made if missing */
};

/* Write each repro NAME.EXT of the log, NAME.sh, which runs it and exits 0
 * where the log's failure shows, and a script of culprit's own where the
 * command needs one; print what was found to text.  A repro that the log holds
 * only in part is written too, and said to be. Errors: EUSAGE (log unreadable),
 * ENOFAIL (it carries none, or only parts; advice: what makes tools print
 * them), EENV (out not writable, culprit's own files incomplete). */
CUL_MUST_CHECK int cul_extract_log(const struct cul_extract_log_conf *conf,
                                   FILE *text, struct cul_err *err);

#endif
