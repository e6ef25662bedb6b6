/* The posterior over a range, as text and as a picture. */
#ifndef CUL_BISECT_REPORT_PLOT_H
#define CUL_BISECT_REPORT_PLOT_H

#include "../../base/buf.h"

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
/* An SVG document. */
void cul_plot_svg(const struct cul_plot *plot, struct cul_buf *out);

#endif
