/* The issue text as an HTML document, with details that the text leaves out:
 * see issue.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/page/curve.h"
#include "../base/page/diff.h"
#include "../base/page/document.h"
#include "../base/page/markup.h"
#include "../base/page/plot.h"
#include "../base/visible.h"
#include "../oracles/oracle.h"
#include "parts.h"

enum { MOST_ROWS = 1000 };

/* A heading. */
static void add_heading(struct cul_page *page, const char *words) {
  cul_page_begin(page, CUL_PAGE_HEADING);
  cul_page_words(page, "%s", words);
  cul_page_end(page);
}

/* Write a paragraph with the number of rows that are left out, n - most. */
static void tell_cut(size_t n, size_t most, struct cul_page *page) {
  if (n <= most)
    return;
  cul_page_begin(page, CUL_PAGE_PARAGRAPH);
  cul_page_words(page, "Not shown: %zu more, which report.json contains.",
                 n - most);
  cul_page_end(page);
}

/* ---- the course of a reduction: its size over runs and seconds, its steps,
 * the yield of each mutation, its costs ---- */

enum { MOST_STEPS = 1000 };

static double real_of(const json_t *object, const char *key) {
  double value = json_number_value(json_object_get(object, key));
  return value > 0 && value < 1e15 ? value : 0;
}

/* Were the steps made in two forms, whose operations differ?  Then the bytes
 * are shown. */
static bool is_reread(const json_t *report) {
  return json_is_true(
      json_object_get(json_object_get(report, "reread"), "kept"));
}

static const char *size_of(const json_t *report) {
  return is_reread(report) ? "bytes" : "ops";
}

static const char *unit_of(const json_t *report) {
  if (is_reread(report))
    return "bytes";
  return strcmp(cul_issue_text(report, "form"), "text") == 0 ? "tokens"
                                                             : "operations";
}

/* ---- size over runs and seconds ---- */

struct points {
  double *runs, *seconds, *size;
  size_t n;
};

/* Add a point; x never decreases, although numbers of a damaged report may. */
static void add_point(struct points *points, double runs, double seconds,
                      double size) {
  size_t i = points->n++;
  bool first = i == 0;
  points->runs[i] =
      !first && runs < points->runs[i - 1] ? points->runs[i - 1] : runs;
  points->seconds[i] = !first && seconds < points->seconds[i - 1]
                           ? points->seconds[i - 1]
                           : seconds;
  points->size[i] = size;
}

static void points_of(const json_t *report, struct points *out) {
  const json_t *steps = json_object_get(report, "steps"), *step;
  const char *key = size_of(report);
  size_t room = json_array_size(steps) + 2, i;
  *out = (struct points){.runs = cul_xcalloc(room, sizeof(double)),
                         .seconds = cul_xcalloc(room, sizeof(double)),
                         .size = cul_xcalloc(room, sizeof(double))};
  add_point(out, 0, 0, real_of(json_object_get(report, "initial"), key));
  json_array_foreach(steps, i, step) add_point(
      out, real_of(step, "executed"), real_of(step, "t"), real_of(step, key));
  add_point(out, real_of(json_object_get(report, "runs"), "executed"),
            real_of(json_object_get(report, "seconds"), "wall"),
            real_of(json_object_get(report, "final"), key));
}

static void show_curve(const struct points *points, const double *x,
                       const char *x_label, const char *unit,
                       struct cul_page *page) {
  struct cul_curve curve = {.x = x,
                            .y = points->size,
                            .n = points->n,
                            .x_label = x_label,
                            .y_label = unit};
  cul_buf_adds(&page->out, "<figure>");
  cul_curve_svg(&curve, &page->out);
  cul_buf_addf(&page->out,
               "<figcaption>%s over %s, on a logarithmic scale</figcaption>"
               "</figure>\n",
               unit, x_label);
}

static void show_curves(const json_t *report, struct cul_page *page) {
  const char *unit = unit_of(report);
  struct points points;
  points_of(report, &points);
  cul_page_settle(page);
  cul_buf_adds(&page->out, "<div class=\"plots\">\n");
  show_curve(&points, points.runs, "runs of the tool", unit, page);
  show_curve(&points, points.seconds, "seconds", unit, page);
  cul_buf_adds(&page->out, "</div>\n");
  free(points.runs);
  free(points.seconds);
  free(points.size);
}

/* ---- steps ---- */

static void show_step(size_t number, const json_t *step, long long before,
                      long long after, struct cul_page *page) {
  cul_document_row(page);
  cul_document_number(page, "%zu", number);
  cul_document_number(page, "%lld", cul_issue_number(step, "executed"));
  cul_document_number(page, "%.2f", real_of(step, "t"));
  cul_buf_adds(&page->out, "<td class=\"name\"><code>");
  cul_html_text(cul_issue_text(step, "mutation"), &page->out);
  cul_buf_adds(&page->out, "</code></td>\n");
  cul_document_number(page, "%lld", before);
  cul_document_number(page, "%lld", after);
  cul_document_number(page, "%lld", before - after);
  cul_document_number(page, "%lld", cul_issue_number(step, "bytes"));
}

static void show_steps(const json_t *report, struct cul_page *page) {
  static const char *const columns[] = {"step",     "run",    "seconds",
                                        "mutation", "before", "after",
                                        "removed",  "bytes",  NULL};
  const json_t *steps = json_object_get(report, "steps");
  const json_t *reread = json_object_get(report, "reread");
  const char *key = size_of(report);
  size_t n = json_array_size(steps);
  long long before = cul_issue_number(json_object_get(report, "initial"), key);
  if (n == 0)
    return;
  cul_page_begin(page, CUL_PAGE_PARAGRAPH);
  cul_page_words(page, "%zu step%s", n, cul_s(n));
  if (is_reread(report))
    cul_page_words(page, ", first as %s, later as %s",
                   cul_issue_text(reread, "from"),
                   cul_issue_text(reread, "as"));
  cul_page_words(page, "; %s before and after each:", unit_of(report));
  cul_page_end(page);
  cul_document_table(page, columns, 0xf7);
  for (size_t i = 0; i < n && i < MOST_STEPS; i++) {
    const json_t *step = json_array_get(steps, i);
    long long after = cul_issue_number(step, key);
    show_step(i + 1, step, before, after, page);
    before = after;
  }
  cul_document_table_end(page);
  tell_cut(n, MOST_STEPS, page);
}

/* ---- differences of steps ---- */

/* The most steps shown in print, bytes of all differences as HTML, and bytes of
 * one difference. */
enum { MOST_PRINTED = 40, MOST_MARKED = 1200 << 10, MOST_CHANGE = 8 << 10 };

static bool has_change(const json_t *step) {
  const json_t *change = json_object_get(step, "change");
  return cul_issue_number(change, "removed") > 0 ||
         cul_issue_number(change, "added") > 0;
}

/* Show the difference of a step; its bound is separate from that of the page's
 * texts. */
static void show_change(size_t number, const json_t *step,
                        struct cul_page *page) {
  const json_t *change = json_object_get(step, "change");
  const char *text = cul_issue_text(change, "text");
  long long cut = cul_issue_number(change, "cut");
  size_t shown = page->shown;
  cul_page_fold(page, "Step %zu, %s: -%lld +%lld lines", number,
                cul_issue_text(step, "mutation"),
                cul_issue_number(change, "removed"),
                cul_issue_number(change, "added"));
  page->shown = CUL_PAGE_MOST_SHOWN - MOST_CHANGE;
  if (*text)
    cul_page_lines(page, "diff", (struct cul_bytes){text, strlen(text)});
  page->shown = shown;
  if (cut > 0) {
    cul_page_begin(page, CUL_PAGE_PARAGRAPH);
    cul_page_words(page, "Not kept: %lld more line%s of the difference.", cut,
                   cul_s((uint64_t)cut));
    cul_page_end(page);
  }
  cul_page_unfold(page);
}

static void show_changes(const json_t *report, struct cul_page *page) {
  const json_t *steps = json_object_get(report, "steps"), *step;
  size_t n = 0, i, left = 0, start = page->out.len;
  json_array_foreach(steps, i, step) n += has_change(step);
  if (n == 0)
    return;
  cul_page_settle(page);
  cul_buf_adds(&page->out,
               n > MOST_PRINTED ? "<details class=\"long\">" : "<details>");
  cul_buf_adds(&page->out, "<summary>Changes of each step</summary>\n");
  json_array_foreach(steps, i, step) {
    if (has_change(step) &&
        (i >= MOST_STEPS || page->out.len - start > MOST_MARKED))
      left++;
    else if (has_change(step))
      show_change(i + 1, step, page);
  }
  tell_cut(left, 0, page);
  cul_page_unfold(page);
}

/* ---- mutations ---- */

/* Mutations without a candidate are left out. */
static void show_mutations(const json_t *report, struct cul_page *page) {
  static const char *const columns[] = {
      "mutation", "sites", "tried", "invalid", "accepted", "removed", NULL};
  static const char *const keys[] = {"sites", "tried", "invalid", "accepted",
                                     "ops_removed"};
  const json_t *mutations = json_object_get(report, "mutations"), *one;
  size_t i, shown = 0;
  if (json_array_size(mutations) == 0)
    return;
  cul_page_fold(page, "Results of each mutation");
  cul_document_table(page, columns, 0x3e);
  json_array_foreach(mutations, i, one) {
    if (cul_issue_number(one, "tried") == 0 || shown++ >= MOST_STEPS)
      continue;
    cul_document_row(page);
    cul_document_cell(page, cul_issue_text(one, "name"));
    for (size_t k = 0; k < CUL_ARRAY_SIZE(keys); k++)
      cul_document_number(page, "%lld", cul_issue_number(one, keys[k]));
  }
  cul_document_table_end(page);
  cul_page_unfold(page);
}

static void show_history(const json_t *report, struct cul_page *page) {
  if (!json_is_object(json_object_get(report, "initial")) ||
      !json_is_object(json_object_get(report, "final")))
    return;
  add_heading(page, "Reduction");
  show_curves(report, page);
  show_steps(report, page);
  show_changes(report, page);
  show_mutations(report, page);
}

/* ---- costs ---- */

struct cost {
  const char *of, *key, *words;
};

static const struct cost costs[] = {
    {"seconds", "wall", "seconds in total"},
    {"seconds", "oracle_cpu", "processor seconds of the tool"},
    {"seconds", "own_cpu", "processor seconds of culprit"},
    {"seconds", "idle", "seconds that workers waited"},
    {"runs", "asked", "candidates"},
    {"runs", "executed", "runs of the tool"},
    {"runs", "classify", "of these: to learn the failure"},
    {"runs", "search", "of these: to search"},
    {"runs", "minimal", "of these: to show that nothing more can be removed"},
    {"runs", "confirm", "of these: to confirm the result"},
    {"runs", "cached", "runs answered from the store"},
    {"runs", "invalid", "invalid candidates"},
    {"runs", "timeouts", "runs that reached the deadline"}};

static const json_t *total_of(const json_t *report, const struct cost *cost) {
  const json_t *value =
      json_object_get(json_object_get(report, cost->of), cost->key);
  return json_is_number(value) ? value : NULL;
}

static bool is_known(const json_t *report) {
  for (size_t i = 0; i < CUL_ARRAY_SIZE(costs); i++)
    if (total_of(report, &costs[i]))
      return true;
  return false;
}

static void show_cost(const char *words, int digits, double value,
                      struct cul_page *page) {
  cul_document_row(page);
  cul_page_begin(page, CUL_PAGE_CELL);
  cul_page_words(page, "%s", words);
  cul_page_end(page);
  cul_document_number(page, "%.*f", digits, value);
}

static void show_costs(const json_t *report, struct cul_page *page) {
  static const char *const columns[] = {NULL};
  double peak = real_of(report, "peak_rss_bytes");
  if (!is_known(report))
    return;
  add_heading(page, "Costs");
  cul_document_table(page, columns, 0);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(costs); i++) {
    const json_t *value = total_of(report, &costs[i]);
    if (value)
      show_cost(costs[i].words, json_is_real(value) ? 2 : 0,
                json_number_value(value), page);
  }
  if (peak > 0)
    show_cost("MiB of memory of the tool's largest process", 0,
              peak / (1 << 20), page);
  cul_document_table_end(page);
}

/* ---- the data of a bisection: the posterior over its commits, each build and
 * run; the cells of versions and matrices ---- */

enum { MOST_COLUMNS = 400, MOST_GRID = 40 };

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
  add_heading(page, "Posterior over the range");
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
  add_heading(page, "Suspects");
  cul_document_table(page, columns, 0x2);
  for (size_t i = 0; i < n && i < MOST_ROWS; i++) {
    const json_t *one = json_array_get(masses, i);
    cul_document_row(page);
    code(page, cul_issue_text(one, "commit"));
    cul_document_number(page, "%.4f",
                        json_number_value(json_object_get(one, "mass")));
  }
  cul_document_table_end(page);
  tell_cut(n, MOST_ROWS, page);
}

static void show_warnings(const json_t *report, struct cul_page *page) {
  const json_t *warnings = json_object_get(report, "warnings");
  size_t n = json_array_size(warnings);
  if (n == 0)
    return;
  add_heading(page, "Warnings");
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
  add_heading(page, "Builds and runs");
  cul_document_table(page, columns, 0x21);
  for (size_t i = 0; i < n && i < MOST_ROWS; i++)
    show_event(i + 1, json_array_get(events, i), page);
  cul_document_table_end(page);
  tell_cut(n, MOST_ROWS, page);
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
  add_heading(page, "Verdicts");
  show_map(report, page);
  cul_page_fold(page, "%zu cell%s", n, cul_s(n));
  cul_document_table(page, columns, 0);
  for (size_t i = 0; i < n && i < MOST_ROWS; i++)
    show_cell(axes, json_array_get(cells, i), page);
  cul_document_table_end(page);
  tell_cut(n, MOST_ROWS, page);
  cul_page_unfold(page);
}

static void show_bisection(const json_t *report, struct cul_page *page) {
  if (json_is_integer(json_object_get(report, "commits"))) {
    show_range(report, page);
    show_suspects(report, page);
    show_warnings(report, page);
    show_events(report, page);
  }
  show_cells(report, page);
}

/* ---- the failure ---- */

static void show_failure(const json_t *signature, struct cul_page *page) {
  const char *kind = cul_issue_text(signature, "kind");
  if (strcmp(kind, cul_kind_name(CUL_KIND_NONE)) == 0)
    return; /* the script defines the failure */
  add_heading(page, "Failure");
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
  tell_cut(n, MOST_ROWS, page);
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
  add_heading(page, "Nearest passing text");
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
  add_heading(page, "Other failures found during the search");
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
  tell_cut(n, MOST_ROWS, page);
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
  add_heading(page, "Environment");
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
  add_heading(page, "Runs");
  cul_page_lines(page, "", issue->told);
}

void cul_issue_document(const struct cul_issue *issue, struct cul_page *page) {
  const json_t *report = issue->report;
  begin(issue, page);
  cul_issue_title(issue, page);
  cul_issue_end(report, page);
  cul_issue_reduction(report, page);
  show_failure(cul_issue_signature(report), page);
  add_heading(page, "Command");
  cul_issue_show_command(issue, page);
  cul_issue_show_runs(issue, page);
  cul_issue_show_script(issue, page);
  if (issue->name && issue->repro.len) {
    add_heading(page, issue->name);
    cul_issue_show_case(issue, page);
    show_origins(report, page);
    cul_issue_inputs(report, page);
  }
  add_heading(page, "Facts");
  cul_issue_known(issue, page);
  cul_issue_remarks(issue, page);
  show_neighbour(issue, page);
  show_bisection(report, page);
  show_history(report, page);
  show_leads(report, page);
  show_told(issue, page);
  cul_issue_environment(report, page);
  show_costs(report, page);
  cul_document_end(page);
}
