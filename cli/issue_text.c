/* The issue text of a bundle: see issue_text.h. */
#include "issue_text.h"

#include <stdlib.h>
#include <string.h>

#include "../bisect/told.h"
#include "../issue/issue.h"
#include "../reducer/results/seal.h"

int cul_report_of_bundle(const char *dir, json_t **out, struct cul_err *err) {
  struct cul_buf text = {0};
  json_error_t why;
  int rc = cul_bundle_read(dir, "report.json", &text, err);
  if (rc == 0)
    *out = json_loadb(cul_buf_str(&text), text.len, 0, &why);
  if (rc == 0 && !json_is_object(*out))
    rc = cul_fail(err, CUL_EUSAGE,
                  "give a directory that --bundle of culprit wrote",
                  "%s/report.json is no report%s%s", dir, *out ? "" : ": ",
                  *out ? "" : why.text);
  cul_buf_release(&text);
  return rc;
}

/* Read a file that may be missing; a link is an error. */
static int read_file(const char *dir, const char *name, struct cul_buf *out,
                     struct cul_err *err) {
  struct cul_err why = {0};
  char *path = cul_xasprintf("%s has no %s", dir, name);
  int rc = cul_bundle_read(dir, name, out, &why);
  if (rc < 0 && strcmp(why.what, path) == 0)
    rc = 0;
  if (rc < 0)
    *err = why;
  free(path);
  return rc;
}

/* Read the reports of the other bundles, which are bisections. */
static int read_bisections(const char *const *dirs, size_t n, json_t **out,
                           struct cul_err *err) {
  for (size_t i = 0; i < n; i++) {
    int rc = cul_report_of_bundle(dirs[i], &out[i], err);
    if (rc < 0)
      return rc;
    if (!cul_bisect_is_report(out[i]))
      return cul_fail(err, CUL_EUSAGE,
                      "the first one is the bundle; the others are those of "
                      "culprit bisect",
                      "%s is not of a bisection", dirs[i]);
  }
  return 0;
}

static int write_reduced(const char *dir, struct cul_issue *issue,
                         struct cul_page *page, struct cul_err *err) {
  struct cul_buf passing = {0}, script = {0};
  const char *dot = strchr(issue->name, '.');
  char *name = cul_xasprintf("passing%s", dot ? dot : "");
  int rc = read_file(dir, name, &passing, err);
  if (rc == 0)
    rc = read_file(dir, "interesting", &script, err);
  issue->passing = cul_buf_bytes(&passing);
  issue->script = cul_buf_bytes(&script);
  if (rc == 0)
    cul_issue_write(issue, page);
  cul_buf_release(&passing);
  cul_buf_release(&script);
  free(name);
  return rc;
}

static int write_issue(const char *dir, struct cul_issue *issue,
                       struct cul_page *page, struct cul_err *err) {
  char *name = cul_issue_case_name(issue->report);
  struct cul_buf repro = {0};
  int rc = read_file(dir, name, &repro, err);
  issue->name = repro.len ? name : NULL;
  issue->repro = cul_buf_bytes(&repro);
  if (rc == 0 && cul_bisect_is_report(issue->report))
    cul_bisect_issue(issue->report, issue->name, issue->repro, page);
  else if (rc == 0) {
    issue->name = name;
    rc = write_reduced(dir, issue, page, err);
  }
  cul_buf_release(&repro);
  free(name);
  return rc;
}

int cul_issue_of_bundle(const char *const *dirs, size_t n,
                        struct cul_page *page, struct cul_err *err) {
  json_t **reports = cul_xcalloc(n, sizeof *reports);
  struct cul_issue issue = {.bisections = (const json_t *const *)reports + 1,
                            .n_bisections = n - 1};
  int rc = cul_report_of_bundle(dirs[0], &reports[0], err);
  if (rc == 0)
    rc = read_bisections(dirs + 1, n - 1, reports + 1, err);
  issue.report = reports[0];
  if (rc == 0)
    rc = write_issue(dirs[0], &issue, page, err);
  for (size_t i = 0; i < n; i++)
    json_decref(reports[i]);
  free(reports);
  return rc;
}
