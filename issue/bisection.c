/* The data of a bisection: the posterior over its commits, each build and run;
 * the cells of versions and matrices. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/page/document.h"
#include "../base/page/markup.h"
#include "../base/page/plot.h"
#include "../oracles/oracle.h"
#include "parts.h"

enum { MOST_ROWS = 1000, MOST_COLUMNS = 400, MOST_GRID = 40 };

static void words(struct cul_page *page, const char *text) {
  cul_page_begin(page, CUL_PAGE_CELL);
  cul_page_words(page, "%s", text);
  cul_page_end(page);
}

static void code(struct cul_page *page, const char *text) {
  struct cul_buf out = {0};
  cul_issue_shorten(text, 300, &out);
  cul_document_cell(page, cul_buf_str(&out));
  cul_buf_release(&out);
}

/* ---- commits ---- */

static void show_range(const json_t *report, struct cul_page *page) {
  const json_t *plot = json_object_get(report, "plot");
  const json_t *masses = json_object_get(plot, "mass");
  const char *marks = cul_issue_text(plot, "marks");
  double mass[MOST_COLUMNS], highest;
  size_t n = json_array_size(masses);
  if (n == 0 || n > MOST_COLUMNS || strlen(marks) != n)
    return;
  for (size_t i = 0; i < n; i++) {
    double value = json_number_value(json_array_get(masses, i));
    mass[i] = value > 0 && value <= 1 ? value : 0;
  }
  cul_issue_section(page, "Posterior over the range");
  cul_page_settle(page);
  cul_buf_adds(&page->out, "<figure class=\"broad\">");
  highest = cul_plot_element(&(struct cul_plot){mass, marks, n}, &page->out);
  cul_buf_addf(&page->out,
               "<figcaption>%lld commits, the oldest on the left; highest bar "
               "%.3f. Dots: green passes, red fails, orange both, grey cannot "
               "be tested.</figcaption></figure>\n",
               cul_issue_number(report, "commits"), highest);
}

static void show_suspects(const json_t *report, struct cul_page *page) {
  static const char *const columns[] = {"commit", "posterior", NULL};
  const json_t *masses = json_object_get(report, "masses");
  size_t n = json_array_size(masses);
  if (n == 0)
    return;
  cul_issue_section(page, "Suspects");
  cul_document_table(page, columns, 0x2);
  for (size_t i = 0; i < n && i < MOST_ROWS; i++) {
    const json_t *one = json_array_get(masses, i);
    cul_document_row(page);
    code(page, cul_issue_text(one, "commit"));
    cul_document_number(page, "%.4f",
                        json_number_value(json_object_get(one, "mass")));
  }
  cul_document_table_end(page);
  cul_issue_cut(n, MOST_ROWS, page);
}

static void show_warnings(const json_t *report, struct cul_page *page) {
  const json_t *warnings = json_object_get(report, "warnings");
  size_t n = json_array_size(warnings);
  if (n == 0)
    return;
  cul_issue_section(page, "Warnings");
  for (size_t i = 0; i < n && i < MOST_ROWS; i++) {
    const char *text = json_string_value(json_array_get(warnings, i));
    cul_page_begin(page, CUL_PAGE_ITEM);
    cul_page_words(page, "%.500s", text ? text : "");
    cul_page_end(page);
  }
}

static void show_event(size_t number, const json_t *event,
                       struct cul_page *page) {
  bool build = strcmp(cul_issue_text(event, "kind"), "build") == 0;
  bool ok = json_is_true(json_object_get(event, "ok"));
  const char *result = !build ? cul_issue_text(event, "answer")
                       : ok   ? "ok"
                              : "failed";
  char commit[13];
  snprintf(commit, sizeof commit, "%s", cul_issue_text(event, "commit"));
  cul_document_row(page);
  cul_document_number(page, "%zu", number);
  words(page, cul_issue_text(event, "kind"));
  cul_document_cell(page, commit);
  words(page, result);
  words(page, json_is_true(json_object_get(event, "recalled")) ? "yes" : "");
  cul_document_number(page, "%.2f",
                      json_number_value(json_object_get(event, "seconds")));
  code(page, cul_issue_text(event, "why"));
}

static void show_events(const json_t *report, struct cul_page *page) {
  static const char *const columns[] = {"",      "what",    "commit", "result",
                                        "known", "seconds", "why",    NULL};
  const json_t *events = json_object_get(report, "events");
  size_t n = json_array_size(events);
  if (n == 0)
    return;
  cul_issue_section(page, "Builds and runs");
  cul_document_table(page, columns, 0x21);
  for (size_t i = 0; i < n && i < MOST_ROWS; i++)
    show_event(i + 1, json_array_get(events, i), page);
  cul_document_table_end(page);
  cul_issue_cut(n, MOST_ROWS, page);
}

/* ---- cells ---- */

static const char *value_of(const json_t *cell, const char *axis) {
  return cul_issue_text(json_object_get(cell, "values"), axis);
}

static bool is_answer(const json_t *cell, enum cul_answer answer) {
  return strcmp(cul_issue_text(cell, "answer"), cul_answer_name(answer)) == 0;
}

/* Show the verdict of a cell of the table, as a colour and in words. */
static void show_verdict(const json_t *cell, struct cul_page *page) {
  bool fails = is_answer(cell, CUL_SAME), passes = is_answer(cell, CUL_PASSES);
  cul_buf_addf(&page->out, "<td class=\"%s\">",
               fails    ? "less"
               : passes ? "more"
                        : "cut");
  if (!cell)
    cul_buf_adds(&page->out, "not run");
  else if (fails)
    cul_buf_addf(&page->out, "fails %lld of %lld",
                 cul_issue_number(cell, "fails"),
                 cul_issue_number(cell, "runs"));
  else
    cul_html_text(cul_issue_text(cell, "answer"), &page->out);
  cul_buf_adds(&page->out, "</td>\n");
}

static const json_t *cell_at(const json_t *cells, const char *const axes[2],
                             const char *const values[2]) {
  const json_t *cell;
  size_t i;
  json_array_foreach(cells, i, cell) {
    if (strcmp(value_of(cell, axes[0]), values[0]) == 0 &&
        strcmp(value_of(cell, axes[1]), values[1]) == 0)
      return cell;
  }
  return NULL;
}

static const char *text_at(const json_t *list, size_t i) {
  const char *text = json_string_value(json_array_get(list, i));
  return text ? text : "";
}

/* Show the verdicts of two axes as a map. */
static void show_map(const json_t *report, struct cul_page *page) {
  const json_t *axes = json_object_get(report, "axes");
  const json_t *rows = json_object_get(json_array_get(axes, 0), "values");
  const json_t *columns = json_object_get(json_array_get(axes, 1), "values");
  const char *const names[2] = {
      cul_issue_text(json_array_get(axes, 0), "name"),
      cul_issue_text(json_array_get(axes, 1), "name")};
  size_t n = json_array_size(columns);
  const char *heads[MOST_GRID + 2] = {NULL};
  char *corner;
  if (json_array_size(axes) != 2 || n > MOST_GRID ||
      json_array_size(rows) > MOST_GRID ||
      json_array_size(json_object_get(report, "cells")) > MOST_GRID * MOST_GRID)
    return;
  corner = cul_xasprintf("%s, %s", names[0], names[1]);
  heads[0] = corner;
  for (size_t k = 0; k < n; k++)
    heads[k + 1] = text_at(columns, k);
  cul_document_table(page, heads, 0);
  for (size_t i = 0; i < json_array_size(rows); i++) {
    cul_document_row(page);
    code(page, text_at(rows, i));
    for (size_t k = 0; k < n; k++) {
      const char *const values[2] = {text_at(rows, i), text_at(columns, k)};
      show_verdict(cell_at(json_object_get(report, "cells"), names, values),
                   page);
    }
  }
  cul_document_table_end(page);
  free(corner);
}

static void show_cell(const json_t *axes, const json_t *cell,
                      struct cul_page *page) {
  const char *title = cul_issue_text(cell, "title");
  struct cul_buf values = {0};
  const json_t *axis;
  size_t i;
  json_array_foreach(axes, i, axis) {
    const char *name = cul_issue_text(axis, "name");
    cul_buf_addf(&values, "%s%s=%s", i ? ", " : "", name, value_of(cell, name));
  }
  cul_document_row(page);
  code(page, cul_buf_str(&values));
  show_verdict(cell, page);
  code(page, *title ? title : cul_issue_text(cell, "why"));
  cul_buf_release(&values);
}

static void show_cells(const json_t *report, struct cul_page *page) {
  static const char *const columns[] = {"values", "verdict", "why", NULL};
  const json_t *axes = json_object_get(report, "axes");
  const json_t *cells = json_object_get(report, "cells");
  size_t n = json_array_size(cells);
  if (n == 0)
    return;
  cul_issue_section(page, "Verdicts");
  show_map(report, page);
  cul_page_fold(page, "%zu cell%s", n, cul_s(n));
  cul_document_table(page, columns, 0);
  for (size_t i = 0; i < n && i < MOST_ROWS; i++)
    show_cell(axes, json_array_get(cells, i), page);
  cul_document_table_end(page);
  cul_issue_cut(n, MOST_ROWS, page);
  cul_page_unfold(page);
}

void cul_issue_bisection(const json_t *report, struct cul_page *page) {
  if (json_is_integer(json_object_get(report, "commits"))) {
    show_range(report, page);
    show_suspects(report, page);
    show_warnings(report, page);
    show_events(report, page);
  }
  show_cells(report, page);
}
