/* Plots of a posterior: see plot.h. */
#include "plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Marks, from the least to the most important: a column shows its most
 * important one. */
static const char telling[] = " x.~F";

struct column {
  double mass;
  char mark;
};

static struct column *gather(const struct cul_plot *plot, size_t n,
                             double *highest) {
  struct column *columns = cul_xcalloc(n + 1, sizeof *columns);
  *highest = 0;
  for (size_t k = 0; k < n; k++)
    columns[k].mark = ' ';
  for (size_t i = 0; i < plot->n; i++) {
    struct column *column = &columns[i * n / plot->n];
    column->mass += plot->mass[i];
    if (strchr(telling, plot->marks[i]) > strchr(telling, column->mark))
      column->mark = plot->marks[i];
  }
  for (size_t k = 0; k < n; k++)
    *highest = fmax(*highest, columns[k].mass);
  return columns;
}

void cul_plot_text(const struct cul_plot *plot, size_t columns,
                   struct cul_buf *out) {
  static const char *const bars[] = {" ", "▁", "▂", "▃", "▄",
                                     "▅", "▆", "▇", "█"};
  size_t n = plot->n < columns ? plot->n : columns;
  double highest;
  struct column *column = gather(plot, n, &highest);
  for (size_t k = 0; k < n; k++) {
    double share = highest > 0 ? column[k].mass / highest : 0;
    int level = share < 1e-3 ? 0 : (int)ceil(share * 8);
    cul_buf_adds(out, bars[level]);
  }
  cul_buf_addc(out, '\n');
  for (size_t k = 0; k < n; k++)
    cul_buf_addc(out, column[k].mark);
  cul_buf_addc(out, '\n');
  free(column);
}

static const char *colour_of(char mark) {
  return mark == 'F'   ? "#c0392b"
         : mark == '.' ? "#27ae60"
         : mark == '~' ? "#e67e22"
                       : "#95a5a6";
}

size_t cul_plot_gather(const struct cul_plot *plot, size_t most, double *mass,
                       char *marks) {
  size_t n = plot->n < most ? plot->n : most;
  double highest;
  struct column *column = gather(plot, n, &highest);
  for (size_t k = 0; k < n; k++) {
    mass[k] = column[k].mass;
    marks[k] = column[k].mark;
  }
  free(column);
  return n;
}

enum { WIDTH = 800, HEIGHT = 160, DOTS = 18, LEGEND = 22, MOST = 400 };

static void begin_svg(const struct cul_plot *plot, int height,
                      struct cul_buf *out) {
  cul_buf_addf(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d "
               "%d\" font-family=\"sans-serif\" font-size=\"12\" "
               "fill=\"currentColor\">\n"
               "<title>posterior over %zu points, oldest first</title>\n",
               WIDTH, height, plot->n);
}

static double draw(const struct cul_plot *plot, struct cul_buf *out) {
  size_t n = plot->n < MOST ? plot->n : MOST;
  double highest, step = (double)WIDTH / (double)(n ? n : 1);
  struct column *column = gather(plot, n, &highest);
  for (size_t k = 0; k < n; k++) {
    double x = (double)k * step;
    double h = highest > 0 ? column[k].mass / highest * HEIGHT : 0;
    if (h >= 0.1)
      cul_buf_addf(out,
                   "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
                   "fill=\"#2f81d6\"/>\n",
                   x, HEIGHT - h, fmax(step * 0.9, 0.5), h);
    if (column[k].mark != ' ')
      cul_buf_addf(out, "<circle cx=\"%.2f\" cy=\"%d\" r=\"4\" fill=\"%s\"/>\n",
                   x + step / 2, HEIGHT + 8, colour_of(column[k].mark));
  }
  free(column);
  return highest;
}

double cul_plot_element(const struct cul_plot *plot, struct cul_buf *out) {
  double highest;
  begin_svg(plot, HEIGHT + DOTS, out);
  highest = draw(plot, out);
  cul_buf_adds(out, "</svg>\n");
  return highest;
}

void cul_plot_svg(const struct cul_plot *plot, struct cul_buf *out) {
  double highest;
  begin_svg(plot, HEIGHT + DOTS + LEGEND, out);
  highest = draw(plot, out);
  cul_buf_addf(out,
               "<text x=\"0\" y=\"%d\">oldest; highest bar %.3f; green "
               "passes, red fails, orange both, grey cannot be tested</text>\n"
               "</svg>\n",
               HEIGHT + 32, highest);
}
