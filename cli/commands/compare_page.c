/* The page of `culprit compare`: see compare_page.h. */
#include "compare_page.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../base/files/file.h"
#include "../../base/page/document.h"
#include "../../base/status.h"
#include "../../issue/issue.h"
#include "../../pipeline/shell_text.h"
#include "../../probe/system.h"
#include "../../probe/target/findings.h"

enum {
  MOST_OUTPUTS = 1000, /* rows of the table of outputs */
  MOST_DETAILED = 8,   /* outputs with a section of their own */
  MOST_LISTED = 20,    /* elements */
  MOST_MAPS = 12,      /* of one output */
  LEVELS = 5,          /* colours of a map, besides the one for "not finite" */
  MOST_ROWS = 48,      /* cells of a map */
  MOST_COLUMNS = 64,
  DECADES = 60, /* powers of ten on both sides of 1 */
};

static void section(struct cul_page *page, const char *words,
                    const char *name) {
  cul_page_begin(page, CUL_PAGE_HEADING);
  cul_page_words(page, "%s", words);
  if (*name)
    cul_page_code(page, name);
  cul_page_end(page);
}

static void say(struct cul_page *page, const char *fmt, ...) CUL_PRINTF(2, 3);
static void say(struct cul_page *page, const char *fmt, ...) {
  va_list args;
  char *text;
  va_start(args, fmt);
  text = cul_xvasprintf(fmt, args);
  va_end(args);
  cul_page_begin(page, CUL_PAGE_PARAGRAPH);
  cul_page_words(page, "%s", text);
  cul_page_end(page);
  free(text);
}

/* Add a row of two cells. */
static void fact(struct cul_page *page, const char *name, const char *fmt, ...)
    CUL_PRINTF(3, 4);
static void fact(struct cul_page *page, const char *name, const char *fmt,
                 ...) {
  va_list args;
  char *text;
  va_start(args, fmt);
  text = cul_xvasprintf(fmt, args);
  va_end(args);
  cul_document_row(page);
  cul_page_begin(page, CUL_PAGE_CELL);
  cul_page_words(page, "%s", name);
  cul_page_end(page);
  cul_document_cell(page, text);
  free(text);
}

static const char *text_of(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

static unsigned long long count_of(const json_t *object, const char *key) {
  return (unsigned long long)json_integer_value(json_object_get(object, key));
}

/* Add a cell with a number, or an empty one. */
static void number_if(bool known, int digits, cul_number value,
                      struct cul_page *page) {
  if (known)
    cul_document_number(page, "%.*Lg", digits, value);
  else
    cul_document_cell(page, "");
}

/* ---- distances ---- */

/* Sums over the elements that are finite on both sides. */
struct spread {
  /* of_zero: want is 0, so there is no relative error */
  uint64_t finite, of_zero;
  cul_number sum_abs, sum_squares, sum_rel, sum_ulps;
  uint64_t abs[2 * DECADES + 1], rel[2 * DECADES + 1], ulps[64];
  uint64_t marked_odd;    /* elements not finite among those that a map shows */
  cul_number least, most; /* |got-want| of the elements that a map shows */
};

/* Does a map show element i?  It shows the elements that are off; if there are
 * none, those that differ. */
static bool is_marked(const struct cul_output *output, uint64_t i,
                      const struct cul_apart *apart) {
  const unsigned char *off = output->difference.off;
  return off ? off[i] : apart->differs;
}

static struct cul_apart apart_at(const struct cul_output *output, uint64_t i) {
  return cul_tensor_apart(output->got, output->want, &output->difference, i);
}

static size_t decade_of(cul_number value) {
  cul_number power = floorl(log10l(value));
  power = fmaxl(-DECADES, fminl(DECADES, power));
  return (size_t)(power + DECADES);
}

static void count_apart(const struct cul_apart *apart, struct spread *out) {
  out->finite++;
  if (!apart->differs)
    return;
  out->sum_abs += apart->abs;
  out->sum_squares += apart->abs * apart->abs;
  out->abs[decade_of(apart->abs)]++;
  if (isfinite(apart->rel)) {
    out->sum_rel += apart->rel;
    out->rel[decade_of(apart->rel)]++;
  } else {
    out->of_zero++;
  }
  out->sum_ulps += (cul_number)apart->ulps;
  if (apart->ulps)
    out->ulps[63 - __builtin_clzll(apart->ulps)]++;
}

static void measure(const struct cul_output *output, struct spread *out) {
  *out = (struct spread){.least = INFINITY};
  for (uint64_t i = 0; i < output->difference.n; i++) {
    struct cul_apart apart = apart_at(output, i);
    cul_status_pass(i);
    if (apart.finite)
      count_apart(&apart, out);
    if (!is_marked(output, i, &apart))
      continue;
    if (apart.finite && apart.abs > 0) {
      out->least = fminl(out->least, apart.abs);
      out->most = fmaxl(out->most, apart.abs);
    } else {
      out->marked_odd++;
    }
  }
}

static void show_distances(const struct cul_output *output,
                           const struct spread *spread, struct cul_page *page) {
  const struct cul_difference *d = &output->difference;
  cul_number n = spread->finite ? (cul_number)spread->finite : 1;
  cul_number relative = n - (cul_number)spread->of_zero;
  fact(page, "absolute", "%.6Lg at most, mean %.6Lg, root mean square %.6Lg",
       d->max_abs, spread->sum_abs / n, sqrtl(spread->sum_squares / n));
  fact(page, "relative", "%.6Lg at most, mean %.6Lg", d->max_rel,
       spread->sum_rel / (relative > 0 ? relative : 1));
  if (d->has_ulps)
    fact(page, "ULP", "%llu at most, mean %.6Lg",
         (unsigned long long)d->max_ulps, spread->sum_ulps / n);
}

static void add_place(const struct cul_output *output, uint64_t i,
                      struct cul_buf *out) {
  cul_tensor_add_index(output->want, i, out);
  cul_buf_adds(out, ": ");
  cul_tensor_add_pair(output->got, output->want, i, out);
}

static void show_figures(const struct cul_output *output, const json_t *about,
                         const struct spread *spread, struct cul_page *page) {
  static const char *const columns[] = {NULL};
  const struct cul_difference *d = &output->difference;
  struct cul_buf first = {0}, worst = {0};
  add_place(output, d->first, &first);
  add_place(output, d->worst, &worst);
  cul_document_table(page, columns, 0);
  fact(page, "off", "%llu of %llu", (unsigned long long)d->n_fail,
       (unsigned long long)d->n);
  fact(page, "not the same", "%llu of %llu", (unsigned long long)d->n_differ,
       (unsigned long long)d->n);
  show_distances(output, spread, page);
  if (d->got_nan + d->want_nan)
    fact(page, "NaN", "got %llu, want %llu", (unsigned long long)d->got_nan,
         (unsigned long long)d->want_nan);
  if (d->got_inf + d->want_inf)
    fact(page, "infinite", "got %llu, want %llu",
         (unsigned long long)d->got_inf, (unsigned long long)d->want_inf);
  fact(page, "first", "%s", cul_buf_str(&first));
  fact(page, "largest", "%s", cul_buf_str(&worst));
  if (*text_of(about, "pattern"))
    fact(page, "pattern", "%s", text_of(about, "pattern"));
  if (count_of(about, "unsteady"))
    fact(page, "unsteady", "%llu differ from run to run",
         count_of(about, "unsteady"));
  fact(page, "tolerance", "%s", text_of(about, "tolerance"));
  cul_document_table_end(page);
  cul_buf_release(&first);
  cul_buf_release(&worst);
}

/* ---- distribution of distances ---- */

/* Add a row for n elements, with a bar relative to the largest row. */
static void show_share(struct cul_page *page, const char *words, uint64_t n,
                       uint64_t most) {
  if (n == 0)
    return;
  cul_document_row(page);
  cul_document_cell(page, words);
  cul_document_number(page, "%llu", (unsigned long long)n);
  cul_buf_addf(&page->out,
               "<td class=\"bars\"><span style=\"width:%.1f%%\"></span></td>\n",
               100 * (double)n / (double)most);
}

static uint64_t largest(const uint64_t *counts, size_t n, uint64_t least) {
  for (size_t i = 0; i < n; i++)
    least = counts[i] > least ? counts[i] : least;
  return least;
}

static void show_decades(struct cul_page *page, const char *name,
                         const uint64_t *counts, uint64_t of_zero) {
  const char *columns[] = {name, "elements", "", NULL};
  uint64_t most = largest(counts, 2 * DECADES + 1, of_zero);
  cul_document_table(page, columns, 0x2);
  for (size_t i = 0; i < 2 * DECADES + 1; i++) {
    char words[32];
    snprintf(words, sizeof words, "from 1e%d", (int)i - DECADES);
    show_share(page, words, counts[i], most);
  }
  show_share(page, "want is 0", of_zero, most);
  cul_document_table_end(page);
}

static void show_ulps(struct cul_page *page, const uint64_t *counts) {
  static const char *const columns[] = {"ULP", "elements", "", NULL};
  uint64_t most = largest(counts, 64, 0);
  cul_document_table(page, columns, 0x2);
  for (unsigned i = 0; i < 64; i++) {
    char words[32];
    snprintf(words, sizeof words, "from %llu", 1ULL << i);
    show_share(page, words, counts[i], most);
  }
  cul_document_table_end(page);
}

static void show_spread(const struct cul_output *output,
                        const struct spread *spread, struct cul_page *page) {
  if (!(spread->sum_abs > 0))
    return;
  say(page, "Number of elements by the size of their difference (only elements "
            "that differ and are finite on both sides):");
  cul_page_settle(page);
  cul_buf_adds(&page->out, "<div class=\"plots\">\n");
  show_decades(page, "absolute", spread->abs, 0);
  show_decades(page, "relative", spread->rel, spread->of_zero);
  if (output->difference.has_ulps)
    show_ulps(page, spread->ulps);
  cul_buf_adds(&page->out, "</div>\n");
}

/* ---- maps ---- */

/* A slice of the last two dimensions; a vector is one row. */
struct slice {
  uint64_t at; /* its first element */
  uint64_t rows, columns;
};

/* The cells of a slice; each represents one element or more. */
struct grid {
  uint64_t rows, columns;
  unsigned char level[MOST_ROWS * MOST_COLUMNS]; /* 0: no element is marked */
};

static unsigned level_of(const struct cul_apart *apart,
                         const struct spread *spread) {
  cul_number share;
  if (!apart->finite || !(apart->abs > 0))
    return LEVELS + 1;
  if (!(spread->most > spread->least))
    return LEVELS;
  share = logl(apart->abs / spread->least) /
          logl(spread->most / spread->least) * LEVELS;
  return share >= LEVELS ? LEVELS : share > 0 ? (unsigned)share + 1 : 1;
}

/* Fill the grid; the number of marked elements of the slice. */
static uint64_t fill_grid(const struct cul_output *output,
                          const struct spread *spread,
                          const struct slice *slice, struct grid *grid) {
  uint64_t n = 0;
  *grid = (struct grid){
      .rows = slice->rows < MOST_ROWS ? slice->rows : MOST_ROWS,
      .columns = slice->columns < MOST_COLUMNS ? slice->columns : MOST_COLUMNS};
  for (uint64_t i = 0; i < slice->rows * slice->columns; i++) {
    struct cul_apart apart = apart_at(output, slice->at + i);
    uint64_t row = i / slice->columns * grid->rows / slice->rows;
    uint64_t column = i % slice->columns * grid->columns / slice->columns;
    unsigned char *cell = &grid->level[row * grid->columns + column];
    unsigned level;
    cul_status_pass(i);
    if (!is_marked(output, slice->at + i, &apart))
      continue;
    n++;
    level = level_of(&apart, spread);
    *cell = level > *cell ? (unsigned char)level : *cell;
  }
  return n;
}

/* Draw the cells of one level: a rectangle for each run in a row. */
static void draw_level(const struct grid *grid, unsigned level, uint64_t high,
                       struct cul_buf *out) {
  cul_buf_addf(out, "<path class=\"h%u\" d=\"", level);
  for (uint64_t r = 0; r < grid->rows; r++)
    for (uint64_t c = 0, end; c < grid->columns; c = end + 1) {
      const unsigned char *row = &grid->level[r * grid->columns];
      for (end = c; end < grid->columns && row[end] == level;)
        end++;
      if (end > c)
        cul_buf_addf(out, "M%llu %lluh%lluv%lluh-%lluz", (unsigned long long)c,
                     (unsigned long long)(r * high),
                     (unsigned long long)(end - c), (unsigned long long)high,
                     (unsigned long long)(end - c));
    }
  cul_buf_adds(out, "\"/>");
}

/* Draw a grid.  Cells are squares of a visible size; higher for a few long
 * rows. */
static void draw_grid(const struct grid *grid, struct cul_buf *out) {
  uint64_t high =
      grid->columns > 16 * grid->rows ? grid->columns / (16 * grid->rows) : 1;
  uint64_t longest =
      grid->rows * high > grid->columns ? grid->rows * high : grid->columns;
  uint64_t zoom = 420 / longest;
  zoom = zoom > 40 ? 40 : zoom;
  cul_buf_addf(out,
               "<svg class=\"map\" viewBox=\"0 0 %llu %llu\" "
               "style=\"max-width:%llupx\" role=\"img\" aria-label=\"where "
               "they differ\">",
               (unsigned long long)grid->columns,
               (unsigned long long)(grid->rows * high),
               (unsigned long long)(grid->columns * zoom));
  for (unsigned level = 1; level <= LEVELS + 1; level++)
    if (memchr(grid->level, (int)level, grid->rows * grid->columns))
      draw_level(grid, level, high, out);
  cul_buf_adds(out, "</svg>\n");
}

/* Append the name of a slice: "[2, 0, :, :]". */
static void add_slice(const struct cul_tensor *tensor, uint64_t at,
                      struct cul_buf *out) {
  uint64_t index[CUL_TENSOR_MAX_RANK];
  cul_tensor_index(tensor, at, index);
  cul_buf_addc(out, '[');
  for (size_t d = 0; d < tensor->rank; d++) {
    cul_buf_adds(out, d ? ", " : "");
    if (d + 2 < tensor->rank)
      cul_buf_addf(out, "%llu", (unsigned long long)index[d]);
    else
      cul_buf_addc(out, ':');
  }
  cul_buf_addc(out, ']');
}

static void show_map(const struct cul_output *output, const struct slice *slice,
                     const struct grid *grid, uint64_t n,
                     struct cul_page *page) {
  struct cul_buf name = {0};
  add_slice(output->want, slice->at, &name);
  cul_buf_adds(&page->out, "<figure>");
  draw_grid(grid, &page->out);
  cul_buf_addf(&page->out, "<figcaption><code>%s</code>: %llu of %llu %s",
               cul_buf_str(&name), (unsigned long long)n,
               (unsigned long long)(slice->rows * slice->columns),
               output->difference.off ? "off" : "not the same");
  if (grid->rows < slice->rows || grid->columns < slice->columns)
    cul_buf_addf(
        &page->out, "; a cell is up to %llu x %llu elements",
        (unsigned long long)((slice->rows - 1) / grid->rows + 1),
        (unsigned long long)((slice->columns - 1) / grid->columns + 1));
  cul_buf_adds(&page->out, "</figcaption></figure>\n");
  cul_buf_release(&name);
}

/* Show the key of the colours. */
static void show_key(const struct spread *spread, struct cul_page *page) {
  bool same = !(spread->most > spread->least);
  cul_page_settle(page);
  cul_buf_adds(&page->out, "<p class=\"key\">|got-want|:");
  for (int k = same ? LEVELS : 1; k <= LEVELS && spread->most > 0; k++)
    cul_buf_addf(&page->out, " <span><i class=\"h%d\"></i>from %.3Lg</span>", k,
                 spread->least * powl(spread->most / spread->least,
                                      same ? 0 : (cul_number)(k - 1) / LEVELS));
  if (spread->marked_odd)
    cul_buf_addf(&page->out,
                 " <span><i class=\"h%d\"></i>NaN or infinite</span>",
                 LEVELS + 1);
  cul_buf_adds(&page->out, "</p>\n");
}

static void show_maps(const struct cul_output *output,
                      const struct spread *spread, struct cul_page *page) {
  const struct cul_tensor *want = output->want;
  size_t rank = want->rank, left = 0, shown = 0;
  struct slice slice = {.rows = rank > 1 ? want->dims[rank - 2] : 1,
                        .columns = rank > 0 ? want->dims[rank - 1] : 1};
  struct grid *grid = cul_xcalloc(1, sizeof *grid);
  if (rank == 0 || want->n < 2) {
    free(grid);
    return;
  }
  show_key(spread, page);
  cul_buf_adds(&page->out, "<div class=\"plots\">\n");
  for (; slice.at < want->n; slice.at += slice.rows * slice.columns) {
    uint64_t n = fill_grid(output, spread, &slice, grid);
    if (n > 0 && shown++ < MOST_MAPS)
      show_map(output, &slice, grid, n, page);
  }
  cul_buf_adds(&page->out, "</div>\n");
  left = shown > MOST_MAPS ? shown - MOST_MAPS : 0;
  if (left > 0)
    say(page, "Not shown: %zu more slice%s.", left, cul_s(left));
  free(grid);
}

/* ---- elements ---- */

/* A window around an element: rows and columns of its slice. */
struct window {
  uint64_t at; /* the slice's first element */
  uint64_t wide;
  uint64_t row, row_end, column, column_end;
};

static void around(uint64_t i, uint64_t n, uint64_t reach, uint64_t *from,
                   uint64_t *to) {
  *from = i > reach ? i - reach : 0;
  *to = n - i > reach ? i + reach + 1 : n;
}

static struct window window_of(const struct cul_tensor *want, uint64_t i) {
  size_t rank = want->rank;
  uint64_t rows = rank > 1 ? want->dims[rank - 2] : 1;
  uint64_t columns = rank > 0 ? want->dims[rank - 1] : 1;
  uint64_t inside = i % (rows * columns);
  struct window out = {.at = i - inside, .wide = columns};
  around(inside / columns, rows, 3, &out.row, &out.row_end);
  around(inside % columns, columns, 2, &out.column, &out.column_end);
  return out;
}

static void show_side(const struct cul_output *output,
                      const struct cul_tensor *side, const char *name,
                      const struct window *window, struct cul_page *page) {
  const char *columns[] = {name, NULL};
  cul_document_table(page, columns, 0);
  cul_document_row(page);
  cul_document_cell(page, "");
  for (uint64_t c = window->column; c < window->column_end; c++)
    cul_document_number(page, "%llu", (unsigned long long)c);
  for (uint64_t r = window->row; r < window->row_end; r++) {
    cul_document_row(page);
    cul_document_number(page, "%llu", (unsigned long long)r);
    for (uint64_t c = window->column; c < window->column_end; c++) {
      uint64_t i = window->at + r * window->wide + c;
      struct cul_apart apart = apart_at(output, i);
      struct cul_buf value = {0};
      cul_tensor_add_value(side, i, &value);
      cul_buf_addf(&page->out, "<td class=\"r%s\"><code>%s</code></td>\n",
                   is_marked(output, i, &apart) ? " less" : "",
                   cul_buf_str(&value));
      cul_buf_release(&value);
    }
  }
  cul_document_table_end(page);
}

static void show_window(const struct cul_output *output,
                        struct cul_page *page) {
  const struct cul_difference *d = &output->difference;
  struct window window = window_of(output->want, d->worst);
  struct cul_buf place = {0};
  cul_tensor_add_index(output->want, d->worst, &place);
  say(page, "Around %s, where the difference is largest:", cul_buf_str(&place));
  cul_page_settle(page);
  cul_buf_adds(&page->out, "<div class=\"pair\">\n");
  show_side(output, output->got, "got", &window, page);
  show_side(output, output->want, "want", &window, page);
  cul_buf_adds(&page->out, "</div>\n");
  cul_buf_release(&place);
}

static void show_element(const struct cul_output *output, uint64_t i,
                         const struct cul_apart *apart, struct cul_page *page) {
  struct cul_buf text = {0};
  cul_tensor_add_index(output->want, i, &text);
  cul_document_row(page);
  cul_document_number(page, "%s", cul_buf_str(&text));
  cul_buf_clear(&text);
  cul_tensor_add_value(output->got, i, &text);
  cul_document_number(page, "%s", cul_buf_str(&text));
  cul_buf_clear(&text);
  cul_tensor_add_value(output->want, i, &text);
  cul_document_number(page, "%s", cul_buf_str(&text));
  cul_buf_release(&text);
  number_if(apart->finite, 6, apart->abs, page);
  number_if(apart->finite, 6, apart->rel, page);
  number_if(apart->finite && output->difference.has_ulps, 20,
            (cul_number)apart->ulps, page);
}

static void show_elements(const struct cul_output *output,
                          struct cul_page *page) {
  static const char *const columns[] = {"index",    "got", "want", "absolute",
                                        "relative", "ULP", NULL};
  const struct cul_difference *d = &output->difference;
  uint64_t all = d->n_fail ? d->n_fail : d->n_differ, n = 0;
  say(page, "The first %s:", d->off ? "that are off" : "that differ");
  cul_document_table(page, columns, 0x3f);
  for (uint64_t i = d->first; i < d->n && n < MOST_LISTED; i++) {
    struct cul_apart apart = apart_at(output, i);
    cul_status_pass(i);
    if (!is_marked(output, i, &apart))
      continue;
    show_element(output, i, &apart, page);
    n++;
  }
  cul_document_table_end(page);
  if (all > n)
    say(page, "Not shown: %llu more.", (unsigned long long)(all - n));
}

/* ---- outputs ---- */

static bool is_told(const struct cul_output *output) {
  return output->difference.n_fail || output->difference.n_differ;
}

static void show_output(const struct cul_output *output, const json_t *about,
                        struct cul_page *page) {
  struct spread *spread;
  section(page, *output->name ? "Output " : "The tensor ",
          *output->name ? output->name : text_of(about, "type"));
  if (output->difference.class == CUL_ERR_SHAPE) {
    say(page, "%s.", output->difference.why);
    return;
  }
  spread = cul_xcalloc(1, sizeof *spread);
  measure(output, spread);
  show_figures(output, about, spread, page);
  show_maps(output, spread, page);
  show_window(output, page);
  show_elements(output, page);
  show_spread(output, spread, page);
  free(spread);
}

/* Add a cell with the type, and that of GOT where it is another one. */
static void show_type(const json_t *about, struct cul_page *page) {
  const char *got = json_string_value(json_object_get(about, "got_type"));
  char *text =
      cul_xasprintf(got ? "%s (got %s)" : "%s", text_of(about, "type"), got);
  cul_document_cell(page, text);
  free(text);
}

/* Add a cell with the name, which must not push other cells away. */
static void show_name(const char *name, struct cul_page *page) {
  enum { MOST = 40 };
  size_t n = strnlen(name, MOST + 1);
  char *text;
  if (n <= MOST) {
    cul_document_cell(page, *name ? name : "tensor");
    return;
  }
  while (--n > 0 && ((unsigned char)name[n] & 0xc0) == 0x80)
    ;
  text = cul_xasprintf("%.*s...", (int)n, name);
  cul_document_cell(page, text);
  free(text);
}

static void show_row(const struct cul_output *output, const json_t *about,
                     struct cul_page *page) {
  const struct cul_difference *d = &output->difference;
  bool shape = d->class == CUL_ERR_SHAPE;
  const char *verdict = d->n_fail     ? cul_error_class_name(d->class)
                        : d->n_differ ? "within the tolerance"
                                      : "equal";
  cul_document_row(page);
  show_name(output->name, page);
  show_type(about, page);
  cul_buf_addf(&page->out, "<td class=\"%s\">%s</td>\n",
               d->n_fail ? "less" : "more", verdict);
  cul_document_number(page, "%llu", (unsigned long long)d->n);
  cul_document_number(page, "%llu", (unsigned long long)d->n_fail);
  number_if(!shape, 6, d->max_abs, page);
  number_if(!shape, 6, d->max_rel, page);
  number_if(d->has_ulps, 20, (cul_number)d->max_ulps, page);
}

static void show_outputs(const struct cul_compared *compared,
                         struct cul_page *page) {
  static const char *const columns[] = {"output",   "type", "verdict",
                                        "elements", "off",  "absolute",
                                        "relative", "ULP",  NULL};
  const json_t *all = json_object_get(compared->report, "outputs");
  const struct cul_outputs *outputs = compared->outputs;
  size_t told = 0, left = 0;
  section(page, "Outputs", "");
  cul_document_table(page, columns, 0xf8);
  for (size_t i = 0; i < outputs->n && i < MOST_OUTPUTS; i++)
    show_row(&outputs->items[i], json_array_get(all, i), page);
  cul_document_table_end(page);
  if (outputs->n > MOST_OUTPUTS)
    say(page, "Not shown: %zu more.", outputs->n - MOST_OUTPUTS);
  for (size_t i = 0; i < outputs->n; i++) {
    if (!is_told(&outputs->items[i]))
      continue;
    if (told++ < MOST_DETAILED)
      show_output(&outputs->items[i], json_array_get(all, i), page);
    else
      left++;
  }
  if (left > 0)
    say(page, "%zu more outputs differ; they have no section here.", left);
}

/* ---- the page ---- */

static void show_file(const char *role, const char *path,
                      struct cul_page *page) {
  struct cul_digest digest;
  struct cul_err ignored = {0};
  struct stat st;
  json_t *text = NULL;
  bool file = stat(path, &st) == 0 && S_ISREG(st.st_mode);
  if (file && cul_file_digest(path, &digest, &ignored) == 0)
    text = cul_report_digest(&digest);
  cul_document_row(page);
  cul_document_cell(page, role);
  cul_document_cell(page, path);
  if (file)
    cul_document_number(page, "%lld", (long long)st.st_size);
  else
    cul_document_cell(page, "");
  cul_document_cell(page, text ? json_string_value(text) : "");
  json_decref(text);
}

static void show_call(const struct cul_compared *compared,
                      struct cul_page *page) {
  static const char *const columns[] = {"", "file", "bytes", "digest", NULL};
  struct cul_buf words = {0};
  cul_buf_adds(&words, "culprit");
  for (int i = 0; i < compared->line->argc; i++) {
    cul_buf_addc(&words, ' ');
    cul_shell_quote(compared->line->argv[i], &words);
  }
  section(page, "Command", "");
  cul_page_lines(page, "sh", cul_buf_bytes(&words));
  cul_document_table(page, columns, 0x4);
  show_file("got", compared->paths[0], page);
  show_file("want", compared->paths[1], page);
  cul_document_table_end(page);
  cul_buf_release(&words);
}

static void add_title(const struct cul_compared *compared,
                      struct cul_buf *out) {
  const struct cul_outputs *outputs = compared->outputs;
  bool equal = json_is_true(json_object_get(compared->report, "equal"));
  uint64_t n_differ = 0;
  for (size_t i = 0; i < outputs->n; i++)
    n_differ += outputs->items[i].difference.n_differ;
  if (equal)
    cul_buf_adds(out, n_differ ? "Equal within the tolerance" : "Equal");
  else if (outputs->n == 1 &&
           outputs->items[0].difference.class != CUL_ERR_SHAPE)
    cul_buf_addf(out, "%llu of %llu elements off",
                 (unsigned long long)outputs->items[0].difference.n_fail,
                 (unsigned long long)outputs->items[0].difference.n);
  else if (outputs->n_fail)
    cul_buf_addf(out, "%zu of %zu output%s off", outputs->n_fail, outputs->n,
                 cul_s(outputs->n));
  else
    cul_buf_adds(out, "Steps differ");
}

void cul_compare_page(const struct cul_compared *compared,
                      struct cul_buf *out) {
  json_t *about = json_pack("{s:s, s:o}", "culprit_version", CULPRIT_VERSION,
                            "system", cul_report_system());
  struct cul_buf title = {0};
  struct cul_page page;
  add_title(compared, &title);
  cul_buf_addf(&title, ": %s against %s", cul_basename(compared->paths[0]),
               cul_basename(compared->paths[1]));
  cul_page_init(&page, CUL_PAGE_HTML, 0);
  cul_document_begin(&page, cul_buf_str(&title));
  cul_page_begin(&page, CUL_PAGE_TITLE);
  cul_page_words(&page, "%s", cul_buf_str(&title));
  cul_page_end(&page);
  for (const char *at = compared->steps; *at; at += strcspn(at, "\n") + 1)
    say(&page, "%.*s", (int)strcspn(at, "\n"), at);
  if (compared->outputs->n)
    show_outputs(compared, &page);
  show_call(compared, &page);
  cul_issue_environment(about, &page);
  cul_document_end(&page);
  cul_buf_add(out, page.out.data, page.out.len);
  cul_page_release(&page);
  cul_buf_release(&title);
  json_decref(about);
}
