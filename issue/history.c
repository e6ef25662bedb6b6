/* The course of a reduction: its size over runs and seconds, its steps, the
 * yield of each mutation, its costs. */
#include <stdlib.h>
#include <string.h>

#include "../base/page/curve.h"
#include "../base/page/document.h"
#include "../base/page/markup.h"
#include "parts.h"

enum { MOST_STEPS = 1000 };

static double real_of(const json_t *object, const char *key) {
  double value = json_number_value(json_object_get(object, key));
  return value > 0 && value < 1e15 ? value : 0;
}

static const char *unit_of(const json_t *report) {
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
  size_t room = json_array_size(steps) + 2, i;
  *out = (struct points){.runs = cul_xcalloc(room, sizeof(double)),
                         .seconds = cul_xcalloc(room, sizeof(double)),
                         .size = cul_xcalloc(room, sizeof(double))};
  add_point(out, 0, 0, real_of(json_object_get(report, "initial"), "ops"));
  json_array_foreach(steps, i, step) add_point(
      out, real_of(step, "executed"), real_of(step, "t"), real_of(step, "ops"));
  add_point(out, real_of(json_object_get(report, "runs"), "executed"),
            real_of(json_object_get(report, "seconds"), "wall"),
            real_of(json_object_get(report, "final"), "ops"));
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
                      struct cul_page *page) {
  long long after = cul_issue_number(step, "ops");
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
  size_t n = json_array_size(steps);
  long long before =
      cul_issue_number(json_object_get(report, "initial"), "ops");
  if (n == 0)
    return;
  cul_page_begin(page, CUL_PAGE_PARAGRAPH);
  cul_page_words(page, "%zu step%s; %s before and after each:", n, cul_s(n),
                 unit_of(report));
  cul_page_end(page);
  cul_document_table(page, columns, 0xf7);
  for (size_t i = 0; i < n && i < MOST_STEPS; i++) {
    const json_t *step = json_array_get(steps, i);
    show_step(i + 1, step, before, page);
    before = cul_issue_number(step, "ops");
  }
  cul_document_table_end(page);
  cul_issue_cut(n, MOST_STEPS, page);
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
  cul_issue_cut(left, 0, page);
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

void cul_issue_history(const json_t *report, struct cul_page *page) {
  if (!json_is_object(json_object_get(report, "initial")) ||
      !json_is_object(json_object_get(report, "final")))
    return;
  cul_issue_section(page, "Reduction");
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

static const json_t *value_of(const json_t *report, const struct cost *cost) {
  const json_t *value =
      json_object_get(json_object_get(report, cost->of), cost->key);
  return json_is_number(value) ? value : NULL;
}

static bool is_known(const json_t *report) {
  for (size_t i = 0; i < CUL_ARRAY_SIZE(costs); i++)
    if (value_of(report, &costs[i]))
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

void cul_issue_costs(const json_t *report, struct cul_page *page) {
  static const char *const columns[] = {NULL};
  double peak = real_of(report, "peak_rss_bytes");
  if (!is_known(report))
    return;
  cul_issue_section(page, "Costs");
  cul_document_table(page, columns, 0);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(costs); i++) {
    const json_t *value = value_of(report, &costs[i]);
    if (value)
      show_cost(costs[i].words, json_is_real(value) ? 2 : 0,
                json_number_value(value), page);
  }
  if (peak > 0)
    show_cost("MiB of memory of the tool's largest process", 0,
              peak / (1 << 20), page);
  cul_document_table_end(page);
}
