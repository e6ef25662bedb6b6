/* The issue text: see issue.h. */
#include "issue.h"

#include <stdlib.h>

#include "../probe/json_word.h"
#include "../probe/repro_lines.h"
#include "parts.h"

char *cul_issue_case_name(const json_t *report) {
  char *input = cul_json_word_take(json_object_get(report, "input"));
  const json_t *pass = json_object_get(report, "pass");
  /* A bisection of passes writes the input, or the IR before the pass. */
  const char *name = !json_object_get(pass, "written")              ? "repro"
                     : json_is_true(json_object_get(pass, "alone")) ? "before"
                                                                    : "input";
  char *out =
      cul_xasprintf("%s%s", name, input ? cul_repro_case_extension(input) : "");
  free(input);
  return out;
}

void cul_issue_write(const struct cul_issue *issue, struct cul_page *page) {
  const json_t *signature = cul_issue_signature(issue->report);
  if (page->style == CUL_PAGE_HTML) {
    cul_issue_document(issue, page);
    return;
  }
  cul_issue_title(issue, page);
  cul_issue_end(issue->report, page);
  cul_issue_show_case(issue, page);
  cul_issue_show_command(issue, page);
  cul_issue_show_runs(issue, page);
  cul_issue_show_script(issue, page);
  cul_issue_messages(signature, page);
  cul_issue_stack(signature, page);
  cul_issue_facts(issue, page);
  cul_issue_reduction(issue->report, page);
  cul_issue_details(issue, page);
}
