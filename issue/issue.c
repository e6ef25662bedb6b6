/* The issue text: see issue.h. */
#include "issue.h"

#include <stdlib.h>

#include "../probe/json_word.h"
#include "../probe/repro_lines.h"
#include "parts.h"

enum { MOST_LEADS = 20, MOST_LINES = 60 };

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

/* ---- further facts ---- */

static void show_facts(const struct cul_issue *issue, struct cul_page *page) {
  cul_issue_known(issue, page);
  cul_issue_neighbour(issue, page);
  cul_issue_remarks(issue, page);
}

/* ---- details at the end, folded ---- */

static void show_text(const char *title, const char *tag, struct cul_bytes text,
                      struct cul_page *page) {
  if (text.len == 0 || cul_issue_lines(text) > MOST_LINES)
    return;
  cul_page_fold(page, "%s", title);
  cul_page_lines(page, tag, text);
  cul_page_unfold(page);
}

static void show_leads(const json_t *report, struct cul_page *page) {
  const json_t *others = json_object_get(report, "other_failures");
  size_t n = json_array_size(others);
  if (n == 0)
    return;
  cul_page_fold(page, "%zu other failure%s found during the search", n,
                cul_s(n));
  for (size_t i = 0; i < n && i < MOST_LEADS; i++) {
    cul_page_begin(page, CUL_PAGE_ITEM);
    cul_issue_code(page, cul_issue_text(json_array_get(others, i), "title"));
    cul_page_end(page);
  }
  if (n > MOST_LEADS) {
    cul_page_begin(page, CUL_PAGE_ITEM);
    cul_page_words(page, "%zu more", n - MOST_LEADS);
    cul_page_end(page);
  }
  cul_page_unfold(page);
}

static void show_origins(const json_t *report, struct cul_page *page) {
  const json_t *origins = json_object_get(report, "origins"), *one;
  size_t i;
  if (json_array_size(origins) == 0)
    return;
  cul_page_fold(page, "Origin of each operation");
  json_array_foreach(origins, i, one) {
    const char *made_for = cul_issue_text(one, "for");
    const char *location = cul_issue_text(one, "location");
    cul_page_begin(page, CUL_PAGE_ITEM);
    cul_issue_code(page, cul_issue_text(one, "operation"));
    cul_page_words(page, "%s",
                   *made_for   ? ": made by the reduction, for "
                   : *location ? ": "
                               : ": made by the reduction");
    if (*made_for || *location)
      cul_issue_place(*made_for ? made_for : location, page);
    cul_page_end(page);
  }
  cul_page_unfold(page);
}

static void show_details(const struct cul_issue *issue, struct cul_page *page) {
  const json_t *report = issue->report;
  show_text("The nearest text that passes",
            cul_issue_language(report, issue->name), issue->passing, page);
  cul_issue_whole_stack(cul_issue_signature(report), page);
  show_leads(report, page);
  cul_issue_inputs(report, page);
  show_origins(report, page);
  if (issue->told.len) {
    cul_page_fold(page, "Runs");
    cul_page_lines(page, "", issue->told);
    cul_page_unfold(page);
  }
  cul_page_append(page, issue->more);
}

/* ---- the text ---- */

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
  show_facts(issue, page);
  cul_issue_reduction(issue->report, page);
  show_details(issue, page);
}
