/* Any bytes are the report of a search, from which it is said and its pages
 * are made: fields may be missing, or of another kind, and texts are those of
 * commits and tools.  No control character is left in a page.  What is behind
 * a zero byte is a posterior and what was seen: its plots have their size. */
#include <jansson.h>
#include <stdlib.h>

#include "../../base/page/plot.h"
#include "../../bisect/commits/page.h"
#include "../../bisect/flags/flags.h"
#include "../../bisect/matrix/matrix.h"
#include "../../bisect/packages/freeze.h"
#include "../../bisect/packages/packages.h"
#include "../../bisect/passes/passes.h"
#include "../../bisect/told.h"
#include "../../bisect/versions/versions.h"
#include "fuzz.h"

static void check_page(struct cul_buf *page) {
  const char *text = cul_buf_str(page);
  for (size_t i = 0; text[i]; i++)
    fuzz_demand((unsigned char)text[i] >= ' ' || strchr("\n\t", text[i]),
                "a control character in a page");
  cul_buf_release(page);
}

/* The issue text of it in every style; its case is the report's own text. */
static void print_issues(const json_t *report) {
  char *text = json_dumps(report, 0);
  struct cul_bytes repro = {text, text ? strlen(text) : 0};
  for (int style = CUL_PAGE_GITHUB; style <= CUL_PAGE_TERMINAL; style++) {
    struct cul_page page;
    cul_page_init(&page, (enum cul_page_style)style, 72);
    cul_bisect_issue(report, "repro.mlir", repro, &page);
    check_page(&page.out);
    cul_page_release(&page);
  }
  free(text);
}

static void print(const json_t *report) {
  struct cul_buf pages[2] = {{0}}, said = {0};
  cul_commits_page(report, &pages[0]);
  cul_matrix_page(report, &pages[1]);
  check_page(&pages[0]);
  check_page(&pages[1]);
  print_issues(report);
  cul_flags_say(report, &said);
  cul_matrix_say(report, &said);
  cul_passes_say(report, &said);
  cul_versions_say(report, &said);
  cul_packages_say(report, &said);
  cul_freeze_say(report, &said);
  cul_buf_release(&said);
}

static size_t count_columns(const char *line) {
  size_t n = 0;
  for (; *line && *line != '\n'; line++)
    n += ((unsigned char)*line & 0xc0) != 0x80;
  return n;
}

static void check_plot(const struct cul_plot *plot) {
  enum { COLUMNS = 72 };
  const size_t want = plot->n < COLUMNS ? plot->n : COLUMNS;
  struct cul_buf text = {0}, svg = {0};
  const char *end;
  cul_plot_text(plot, COLUMNS, &text);
  end = strchr(cul_buf_str(&text), '\n');
  fuzz_demand(end && count_columns(cul_buf_str(&text)) == want &&
                  count_columns(end + 1) == want,
              "a plot of another width");
  cul_plot_svg(plot, &svg);
  fuzz_demand(!strstr(cul_buf_str(&svg), "nan") &&
                  strstr(cul_buf_str(&svg), "</svg>"),
              "no picture");
  cul_buf_release(&text);
  cul_buf_release(&svg);
}

/* A byte each: its five lowest bits the mass, the others what was seen. */
static void draw(struct cul_bytes points) {
  static const char seen[] = " .F~x.F ";
  double *mass = cul_xcalloc(points.len + 1, sizeof *mass);
  char *marks = cul_xcalloc(points.len + 1, 1);
  for (size_t i = 0; i < points.len; i++) {
    mass[i] = ((unsigned char)points.data[i] & 31) / 31.0;
    marks[i] = seen[(unsigned char)points.data[i] >> 5];
  }
  check_plot(&(struct cul_plot){mass, marks, points.len});
  free(mass);
  free(marks);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct fuzz_input in = fuzz_input(data, size);
  struct cul_bytes text = fuzz_part(&in);
  json_error_t why;
  json_t *report = json_loadb(text.data, text.len, 0, &why);
  if (report)
    print(report);
  json_decref(report);
  draw((struct cul_bytes){in.at, in.left});
  return 0;
}
