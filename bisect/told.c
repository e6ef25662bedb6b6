/* Reports as issue texts: see told.h. */
#include "told.h"

#include <string.h>

#include "../issue/issue.h"
#include "commits/page.h"
#include "flags/flags.h"
#include "matrix/matrix.h"
#include "packages/freeze.h"
#include "packages/packages.h"
#include "passes/passes.h"
#include "report/fields.h"
#include "versions/versions.h"

static const struct kind {
  const char *job;
  void (*say)(const json_t *report, struct cul_buf *out);
} kinds[] = {{"versions", cul_versions_say}, {"packages", cul_packages_say},
             {"debs", cul_versions_say},     {"images", cul_versions_say},
             {"freeze", cul_freeze_say},     {"flags", cul_flags_say},
             {"passes", cul_passes_say},     {"matrix", cul_matrix_say}};

static const struct kind *kind_of(const json_t *report) {
  const char *job = cul_field_text(report, "job");
  for (size_t i = 0; i < CUL_ARRAY_SIZE(kinds); i++)
    if (strcmp(kinds[i].job, job) == 0)
      return &kinds[i];
  return NULL;
}

static bool is_of_commits(const json_t *report) {
  return json_is_integer(json_object_get(report, "commits"));
}

bool cul_bisect_is_report(const json_t *report) {
  return kind_of(report) || is_of_commits(report);
}

void cul_bisect_issue(const json_t *report, const char *name,
                      struct cul_bytes repro, struct cul_page *page) {
  const struct kind *kind = kind_of(report);
  struct cul_issue issue = {.report = report, .name = name, .repro = repro};
  struct cul_buf told = {0}, more = {0};
  if (kind)
    kind->say(report, &told);
  else if (is_of_commits(report))
    cul_commits_page(report, &more);
  issue.told = cul_buf_bytes(&told);
  issue.more = cul_buf_bytes(&more);
  cul_issue_write(&issue, page);
  cul_buf_release(&told);
  cul_buf_release(&more);
}
