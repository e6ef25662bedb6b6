/* culprit extract LOG: writes the reproducers in a log as files that can be run
 * (systems/log.h lists the kinds). */
#ifndef CUL_REDUCER_EXTRACT_LOG_H
#define CUL_REDUCER_EXTRACT_LOG_H

#include <stdio.h>

#include "../base/buf.h"

struct cul_extract_log_conf {
  const char *log; /* file; "-" is standard input */
  const char *out; /* directory: made if missing */
};

/* Write each reproducer NAME.EXT of the log, a script NAME.sh that runs it and
 * exits 0 if the log's failure shows, and culprit's own script if the command
 * needs one; print the findings to text.  An incomplete reproducer is written
 * and reported as incomplete.  Errors: EUSAGE (log unreadable), ENOFAIL (the
 * log contains none, or only incomplete ones; advice: options that make tools
 * print them), EENV (out not writable, culprit's own files incomplete). */
CUL_MUST_CHECK int cul_extract_log(const struct cul_extract_log_conf *conf,
                                   FILE *text, struct cul_err *err);

#endif
