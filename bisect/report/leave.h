/* What a bisection leaves in --bundle: the input, a script that shows the
 * failure (and, beside it, what passes), the report. */
#ifndef CUL_BISECT_REPORT_LEAVE_H
#define CUL_BISECT_REPORT_LEAVE_H

#include <jansson.h>

#include "../../oracles/oracle.h"
#include "../../probe/target/target.h"

/* A report, and who puts it into words: appends it for people. */
struct cul_leave_report {
  const json_t *json;
  void (*say)(const json_t *report, struct cul_buf *out);
};

struct cul_leave {
  const char *dir;                          /* made where it is not there */
  const struct cul_target *target;          /* input, delivery, limit */
  const struct cul_oracle_conf *conf;       /* what failing is ... */
  const struct cul_signature *sig;          /* ... and looks like */
  const char *const *fails, *const *passes; /* commands; each may be NULL */
  /* Lines of repro.sh before its functions, and of their bodies before each
   * command; NULL or "": none. */
  const char *first;
  const char *before_fails, *before_passes;
  struct cul_leave_report report;
};

/* repro.EXT, repro.sh (exits 0 when the failure shows), report.json, report.md
 * and report.html.  Nothing where dir is NULL.  Errors: EENV. */
CUL_MUST_CHECK int cul_leave_bundle(const struct cul_leave *leave,
                                    struct cul_err *err);
/* Only the three reports; repro: the case that stands beside them, or empty. */
CUL_MUST_CHECK int cul_leave_reports(const struct cul_leave *leave,
                                     struct cul_bytes repro,
                                     struct cul_err *err);
/* One file of the directory; executable where its name ends in ".sh". */
CUL_MUST_CHECK int cul_leave_file(const char *dir, const char *name,
                                  struct cul_bytes text, struct cul_err *err);
/* Append a shell function that runs before_fails, then a command on $repro, its
 * output in $log, and succeeds where the failure shows. */
void cul_leave_function(const struct cul_leave *leave, const char *name,
                        const char *const *argv, struct cul_buf *out);
/* Set "result" of a report: how the job ended that it is of. */
void cul_leave_result(json_t *report, int code);
/* A job that was cut with rc, if it was, has left what it has with left, which
 * counts where it is an error (later).  Returns the job's code. */
CUL_MUST_CHECK int cul_leave_code(int rc, int left, const struct cul_err *later,
                                  struct cul_err *err);
/* cul_repro_case_extension of the input. */
const char *cul_leave_extension(const struct cul_target *target);

#endif
