/* The bundle of a bisection (--bundle): the input, a script that shows the
 * failure (and the passing side), the report. */
#ifndef CUL_BISECT_REPORT_LEAVE_H
#define CUL_BISECT_REPORT_LEAVE_H

#include <jansson.h>

#include "../../oracles/oracle.h"
#include "../../probe/target/variables.h"

/* A report, and the function that appends it in words for people. */
struct cul_leave_report {
  const json_t *json;
  void (*say)(const json_t *report, struct cul_buf *out);
};

struct cul_leave {
  const char *dir;                          /* made if missing */
  const struct cul_target *target;          /* input, delivery, limit */
  struct cul_variables variables;           /* that the failure needs */
  const struct cul_oracle_conf *conf;       /* definition of the failure ... */
  const struct cul_signature *sig;          /* ... and its signature */
  const char *const *fails, *const *passes; /* commands; each may be NULL */
  /* Lines of repro.sh before its functions, and lines of their bodies before
   * each command; NULL or "": none. */
  const char *first;
  const char *before_fails, *before_passes;
  struct cul_leave_report report;
};

/* Write repro.EXT, repro.sh (exits 0 if the failure shows, 2 if it cannot
 * decide), the scripts that the commands name, report.json, report.md and
 * report.html.  Does nothing if dir is NULL.  Errors: EENV. */
CUL_MUST_CHECK int cul_leave_bundle(const struct cul_leave *leave,
                                    struct cul_err *err);
/* Fill leave->variables; release them.  Without dir, without a failing command
 * and where the job may make no more runs they stay empty.  Errors: those of
 * cul_variables_find. */
CUL_MUST_CHECK int cul_leave_find(struct cul_leave *leave,
                                  struct cul_target *target,
                                  const struct cul_variables_runs *runs,
                                  struct cul_err *err);
/* Append lines that set the environment, the directory and the scripts of the
 * commands. */
void cul_leave_start(const struct cul_leave *leave, struct cul_buf *out);
/* Write only the three reports and the scripts that the commands name,
 * "script-NAME"; repro: the case in the same directory, or
 * empty. */
CUL_MUST_CHECK int cul_leave_reports(const struct cul_leave *leave,
                                     struct cul_bytes repro,
                                     struct cul_err *err);
/* Write a file of the directory; executable if its name ends in ".sh". */
CUL_MUST_CHECK int cul_leave_file(const char *dir, const char *name,
                                  struct cul_bytes text, struct cul_err *err);
/* Append a shell function that runs before_fails, then a command on $repro with
 * its output in $log, and succeeds if the failure shows. */
void cul_leave_function(const struct cul_leave *leave, const char *name,
                        const char *const *argv, struct cul_buf *out);
/* Set "result" of a report: how its job ended. */
void cul_leave_result(json_t *report, int code);
/* The error of a complete search whose answer is one of n that cannot be told
 * apart: ESEVERAL.  noun: "commit", "version". */
CUL_MUST_CHECK int cul_leave_several(const char *noun, size_t n,
                                     struct cul_err *err);
/* The code of a job that ended with rc (perhaps cut) and then wrote its bundle
 * with code `left`: `left` has precedence if it is an error (later). */
CUL_MUST_CHECK int cul_leave_code(int rc, int left, const struct cul_err *later,
                                  struct cul_err *err);

#endif
