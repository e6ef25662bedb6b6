/* The posterior over a range, as text and as a picture. */
#ifndef CUL_BASE_PAGE_PLOT_H
#define CUL_BASE_PAGE_PLOT_H

#include "../buf.h"

struct cul_plot {
  const double *mass; /* per point, oldest first */
  const char *marks;  /* per point: what was seen there: ' ' nothing, '.'
                         passes, 'F' fails, '~' both, 'x' cannot be tested */
  size_t n;
};
/* Two lines, at most so many columns each: bars (each column the mass of its
 * points, on a scale to the highest), and what was seen. */
void cul_plot_text(const struct cul_plot *plot, size_t columns,
                   struct cul_buf *out);
/* The same points in at most `most` columns: into mass and marks, room for
 * `most` each.  Returns how many there are. */
size_t cul_plot_gather(const struct cul_plot *plot, size_t most, double *mass,
                       char *marks);
/* An element of HTML without words: at most 400 columns.  Returns the mass of
 * the highest one. */
double cul_plot_element(const struct cul_plot *plot, struct cul_buf *out);
/* An SVG document: the same with a legend. */
void cul_plot_svg(const struct cul_plot *plot, struct cul_buf *out);

#endif
