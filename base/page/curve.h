/* Draws a quantity that decreases in steps. */
#ifndef CUL_BASE_PAGE_CURVE_H
#define CUL_BASE_PAGE_CURVE_H

#include "../buf.h"

struct cul_curve {
  const double *x, *y; /* of each point; x >= 0, never decreasing */
  size_t n;
  const char *x_label, *y_label; /* culprit's own text */
};

/* Append an SVG element: y on a logarithmic scale, 1 where it is less; x on a
 * linear one; each y holds until the next x.  At most about 800 points are
 * drawn. Appends nothing for fewer than two points. */
void cul_curve_svg(const struct cul_curve *curve, struct cul_buf *out);

#endif
