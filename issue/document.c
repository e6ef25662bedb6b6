/* The issue text as an HTML document, with details that the text leaves out:
 * see issue.h. */
#include <stdlib.h>
#include <string.h>

#include "../base/page/diff.h"
#include "../base/page/document.h"
#include "../base/visible.h"
#include "../oracles/oracle.h"
#include "parts.h"

enum { MOST_ROWS = 1000 };

/* ---- the failure ---- */

static void show_failure(const json_t *signature, struct cul_page *page) {
  const char *kind = cul_issue_text(signature, "kind");
  if (strcmp(kind, cul_kind_name(CUL_KIND_NONE)) == 0)
    return; /* the script defines the failure */
  cul_issue_section(page, "Failure");
  if (*kind) {
    cul_issue_fact(page, "Kind");
    cul_page_words(page, "%s", kind);
    cul_page_end(page);
  }
  if (*cul_issue_text(signature, "title")) {
    cul_issue_fact(page, "Signature");
    cul_issue_code(page, cul_issue_text(signature, "title"));
    cul_page_end(page);
  }
  if (*cul_issue_text(signature, "pass")) {
    cul_issue_fact(page, "Pass that was running");
    cul_issue_code(page, cul_issue_text(signature, "pass"));
    cul_page_end(page);
  }
  if (*cul_issue_text(signature, "key")) {
    cul_issue_fact(page, "Key");
    cul_issue_code(page, cul_issue_text(signature, "key"));
    cul_page_end(page);
  }
  cul_issue_messages(signature, page);
  cul_issue_stack(signature, page);
  cul_issue_whole_stack(signature, page);
}

/* ---- the case ---- */

static void show_origin(size_t number, const json_t *origin,
                        struct cul_page *page) {
  const char *made_for = cul_issue_text(origin, "for");
  const char *location = cul_issue_text(origin, "location");
  long long line = cul_issue_number(origin, "line");
  cul_document_row(page);
  cul_document_number(page, "%zu", number);
  if (line > 0)
    cul_document_number(page, "%lld", line);
  else
    cul_document_cell(page, "");
  cul_document_cell(page, cul_issue_text(origin, "operation"));
  cul_page_begin(page, CUL_PAGE_CELL);
  if (!*location)
    cul_page_words(page, "made by the reduction%s", *made_for ? ", for " : "");
  if (*made_for || *location)
    cul_issue_place(*made_for ? made_for : location, page);
  cul_page_end(page);
}

static void show_origins(const json_t *report, struct cul_page *page) {
  static const char *const columns[] = {"", "line", "operation", "comes from",
                                        NULL};
  const json_t *origins = json_object_get(report, "origins");
  size_t n = json_array_size(origins);
  if (n == 0)
    return;
  cul_page_fold(page, "Origin of each operation");
  cul_document_table(page, columns, 0x3);
  for (size_t i = 0; i < n && i < MOST_ROWS; i++)
    show_origin(i + 1, json_array_get(origins, i), page);
  cul_document_table_end(page);
  cul_issue_cut(n, MOST_ROWS, page);
  cul_page_unfold(page);
}

/* ---- the passing neighbour ---- */

/* Show the difference: "-" marks lines of the case, "+" lines of the passing
 * text. */
static void show_difference(const struct cul_issue *issue,
                            struct cul_page *page) {
  struct cul_buf fails = {0}, passes = {0}, diff = {0};
  if (issue->passing.len == 0)
    return;
  cul_visible_add(issue->repro, &fails);
  cul_visible_add(issue->passing, &passes);
  cul_diff(cul_buf_str(&fails), cul_buf_str(&passes), &diff);
  cul_page_begin(page, CUL_PAGE_PARAGRAPH);
  cul_page_words(page, "From the text that fails (-) to the one that passes "
                       "(+):");
  cul_page_end(page);
  cul_page_lines(page, "diff", cul_buf_bytes(&diff));
  cul_buf_release(&fails);
  cul_buf_release(&passes);
  cul_buf_release(&diff);
}

static void show_neighbour(const struct cul_issue *issue,
                           struct cul_page *page) {
  if (!json_is_object(json_object_get(issue->report, "passing")))
    return;
  cul_issue_section(page, "Nearest passing text");
  cul_issue_neighbour(issue, page);
  show_difference(issue, page);
}

/* ---- other failures ---- */

static void show_leads(const json_t *report, struct cul_page *page) {
  static const char *const columns[] = {"", "kind", "failure", NULL};
  const json_t *others = json_object_get(report, "other_failures");
  size_t n = json_array_size(others);
  if (n == 0)
    return;
  cul_issue_section(page, "Other failures found during the search");
  cul_document_table(page, columns, 0x1);
  for (size_t i = 0; i < n && i < MOST_ROWS; i++) {
    const json_t *other = json_array_get(others, i);
    struct cul_buf title = {0};
    cul_issue_shorten(cul_issue_text(other, "title"), 300, &title);
    cul_document_row(page);
    cul_document_number(page, "%02zu", i + 1);
    cul_page_begin(page, CUL_PAGE_CELL);
    cul_page_words(page, "%s", cul_issue_text(other, "kind"));
    cul_page_end(page);
    cul_document_cell(page, cul_buf_str(&title));
    cul_buf_release(&title);
  }
  cul_document_table_end(page);
  cul_issue_cut(n, MOST_ROWS, page);
}

/* ---- the machine ---- */

static void add_fact(struct cul_page *page, const char *name,
                     const char *text) {
  struct cul_buf seen = {0};
  if (!*text)
    return;
  cul_issue_shorten(text, 500, &seen);
  cul_document_row(page);
  cul_page_begin(page, CUL_PAGE_CELL);
  cul_page_words(page, "%s", name);
  cul_page_end(page);
  cul_document_cell(page, cul_buf_str(&seen));
  cul_buf_release(&seen);
}

void cul_issue_environment(const json_t *report, struct cul_page *page) {
  static const char *const columns[] = {NULL};
  static const char *const keys[][2] = {{"os", "system"},
                                        {"kernel", "kernel"},
                                        {"machine", "machine"},
                                        {"nvidia_driver", "NVIDIA driver"},
                                        {"amd_driver", "AMD driver"}};
  const json_t *tool = json_object_get(report, "tool");
  const json_t *system = json_object_get(report, "system");
  const json_t *sandbox =
      json_object_get(json_object_get(report, "environment"), "sandbox");
  char *name = cul_issue_tool(report);
  char *cores = cul_xasprintf("%lld", cul_issue_number(system, "cores"));
  cul_issue_section(page, "Environment");
  cul_document_table(page, columns, 0);
  add_fact(page, "tool", name);
  add_fact(page, "its version", cul_issue_text(tool, "version"));
  add_fact(page, "its identity", cul_issue_text(tool, "identity"));
  for (size_t i = 0; i < CUL_ARRAY_SIZE(keys); i++)
    add_fact(page, keys[i][1], cul_issue_text(system, keys[i][0]));
  if (cul_issue_number(system, "cores") > 0)
    add_fact(page, "cores", cores);
  add_fact(page, "sandbox", cul_issue_text(sandbox, "mode"));
  add_fact(page, "culprit", cul_issue_text(report, "culprit_version"));
  cul_document_table_end(page);
  free(name);
  free(cores);
}

/* ---- the document ---- */

/* Begin the document; its window has the title as plain text. */
static void begin(const struct cul_issue *issue, struct cul_page *page) {
  struct cul_page title;
  char *text;
  cul_page_init(&title, CUL_PAGE_TEXT, 0);
  cul_issue_title(issue, &title);
  text = cul_xstrndup(cul_buf_str(&title.out),
                      strcspn(cul_buf_str(&title.out), "\n"));
  cul_document_begin(page, text);
  cul_page_release(&title);
  free(text);
}

static void show_told(const struct cul_issue *issue, struct cul_page *page) {
  if (issue->told.len == 0)
    return;
  cul_issue_section(page, "Runs");
  cul_page_lines(page, "", issue->told);
}

void cul_issue_document(const struct cul_issue *issue, struct cul_page *page) {
  const json_t *report = issue->report;
  begin(issue, page);
  cul_issue_title(issue, page);
  cul_issue_end(report, page);
  cul_issue_reduction(report, page);
  show_failure(cul_issue_signature(report), page);
  cul_issue_section(page, "Command");
  cul_issue_show_command(issue, page);
  cul_issue_show_runs(issue, page);
  cul_issue_show_script(issue, page);
  if (issue->name && issue->repro.len) {
    cul_issue_section(page, issue->name);
    cul_issue_show_case(issue, page);
    show_origins(report, page);
    cul_issue_inputs(report, page);
  }
  cul_issue_section(page, "Facts");
  cul_issue_known(issue, page);
  cul_issue_remarks(issue, page);
  show_neighbour(issue, page);
  cul_issue_bisection(report, page);
  cul_issue_history(report, page);
  show_leads(report, page);
  show_told(issue, page);
  cul_issue_environment(report, page);
  cul_issue_costs(report, page);
  cul_document_end(page);
}
