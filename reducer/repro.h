/* The texts of a bundle: repro.sh and report.md. */
#ifndef CUL_REDUCER_REPRO_H
#define CUL_REDUCER_REPRO_H

#include "reduce.h"

/* A POSIX shell script beside file `name` that runs the command on it and
 * exits 0 when the failure shows, 1 when not; needs only the tool. */
void cul_repro_script(const struct cul_reduce *job, const char *name,
                      struct cul_buf *out);
/* The report as Markdown: ready to be attached to a bug report. */
void cul_repro_page(const struct cul_reduce *job, const char *name,
                    struct cul_buf *out);

/* Append text quoted for a POSIX shell. */
void cul_shell_quote(const char *text, struct cul_buf *out);

#endif
