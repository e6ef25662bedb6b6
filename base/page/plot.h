/* Plots of the posterior over a range, as text and as a picture. */
#ifndef CUL_BASE_PAGE_PLOT_H
#define CUL_BASE_PAGE_PLOT_H

#include "../buf.h"

struct cul_plot {
  const double *mass; /* per point, oldest first */
  const char *marks; /* per point, the observation: ' ' nothing, '.' passes, 'F'
                        fails, '~' both, 'x' cannot be tested */
  size_t n;
};
/* Append two lines of at most `columns` columns: bars (each column is the mass
 * of its points, scaled to the highest), and the observations. */
void cul_plot_text(const struct cul_plot *plot, size_t columns,
                   struct cul_buf *out);
/* Gather the points into at most `most` columns, written to mass and marks,
 * which have room for `most` each.  Returns the number of columns. */
size_t cul_plot_gather(const struct cul_plot *plot, size_t most, double *mass,
                       char *marks);
/* Append an HTML element without text, of at most 400 columns.  Returns the
 * mass of the highest column. */
double cul_plot_element(const struct cul_plot *plot, struct cul_buf *out);
/* Append an SVG document: the same with a legend. */
void cul_plot_svg(const struct cul_plot *plot, struct cul_buf *out);

#endif
