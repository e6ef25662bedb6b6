/* The issue text: a description of a failure for the maintainers of the tool,
 * rendered from a report (report.json) and the files next to it.  Nothing is
 * run.  The report and the files are untrusted, and any part of them may be
 * missing. */
#ifndef CUL_ISSUE_ISSUE_H
#define CUL_ISSUE_ISSUE_H

#include <jansson.h>

#include "../base/page/page.h"

struct cul_issue {
  const json_t *report;
  const char *name; /* file name of the case: "repro.mlir"; NULL: none */
  struct cul_bytes repro;
  struct cul_bytes passing;     /* the nearest text that passes; may be empty */
  struct cul_bytes script;      /* of --script; may be empty */
  const struct cul_bytes *runs; /* "scripts" of the report, in their order; */
  size_t n_runs;                /* a text may be empty */
  struct cul_bytes told;        /* a log of the job, in lines; may be empty */
  struct cul_bytes more;        /* trusted Markdown for the end; may be empty */
  /* Reports of bisections of the same failure, whose findings are included. */
  const json_t *const *bisections;
  size_t n_bisections;
};

/* Write the issue text: a title, the case, the command, the observed failure,
 * versions, further facts, and the course of the reduction.  For CUL_PAGE_HTML,
 * write a complete document, which adds every step, the costs and the
 * environment. */
void cul_issue_write(const struct cul_issue *issue, struct cul_page *page);

/* Write the environment of a job as a section of a document (CUL_PAGE_HTML):
 * the tool, "system", the sandbox and "culprit_version", as far as the report
 * contains them. */
void cul_issue_environment(const json_t *report, struct cul_page *page);

/* Write the finding of a bisection as facts of an issue: "first bad version:
 * X".  report: of the bisection.  False, with nothing written, if it found
 * nothing. */
bool cul_issue_finding(const json_t *report, struct cul_page *page);

/* The file name of the case next to its repro.sh, derived from the report's
 * input.  Heap. */
char *cul_issue_case_name(const json_t *report);

#endif
