/* The issue text: what to tell the maintainers of a tool of a failure, rendered
 * from a report (report.json) and the files beside it.  Nothing is run; report
 * and files may be of others, and may lack anything. */
#ifndef CUL_ISSUE_ISSUE_H
#define CUL_ISSUE_ISSUE_H

#include <jansson.h>

#include "../base/page/page.h"

struct cul_issue {
  const json_t *report;
  const char *name; /* of the case: "repro.mlir"; NULL: there is none */
  struct cul_bytes repro;
  struct cul_bytes passing;     /* the nearest text that passes; may be empty */
  struct cul_bytes script;      /* of --script; may be empty */
  const struct cul_bytes *runs; /* "scripts" of the report, in their order; */
  size_t n_runs;                /* a text may be empty */
  struct cul_bytes told;        /* lines of the job's own words; may be empty */
  struct cul_bytes more; /* Markdown of ours, for the end; may be empty */
  /* Reports of bisections of the same failure: what they found is told. */
  const json_t *const *bisections;
  size_t n_bisections;
};

/* Write the issue text: a title, the case, a command, what is seen, versions,
 * what else is known, how it was reduced.  Of CUL_PAGE_HTML a whole document:
 * the same, and every step, what it took, the environment. */
void cul_issue_write(const struct cul_issue *issue, struct cul_page *page);

/* Where a job ran, as a section of a document (CUL_PAGE_HTML): the tool,
 * "system", the sandbox, "culprit_version", as far as the report has them. */
void cul_issue_environment(const json_t *report, struct cul_page *page);

/* What a bisection found, as facts of an issue: "first bad version: X".  Its
 * report; false where it found nothing, and nothing is written. */
bool cul_issue_finding(const json_t *report, struct cul_page *page);

/* The name that a case has beside its repro.sh, by the report's input. */
char *cul_issue_case_name(const json_t *report);

#endif
