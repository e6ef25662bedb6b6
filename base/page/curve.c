/* Curves as SVG pictures: see curve.h. */
#include "curve.h"

#include <math.h>

enum {
  WIDE = 440,
  HIGH = 250,
  LEFT = 58,
  RIGHT = 14,
  TOP = 12,
  BOTTOM = 42,
  MOST_DRAWN = 800,
};

struct scale {
  double x_most, y_low, y_high; /* y: as logarithms */
};

static double x_at(const struct scale *s, double x) {
  return LEFT + x / s->x_most * (WIDE - LEFT - RIGHT);
}

static double y_at(const struct scale *s, double y) {
  double part = (log10(fmax(y, 1)) - s->y_low) / (s->y_high - s->y_low);
  return HIGH - BOTTOM - part * (HIGH - TOP - BOTTOM);
}

static struct scale scale_of(const struct cul_curve *curve) {
  struct scale s = {
      .x_most = curve->x[curve->n - 1], .y_low = INFINITY, .y_high = -INFINITY};
  for (size_t i = 0; i < curve->n; i++) {
    double y = log10(fmax(curve->y[i], 1));
    s.y_low = fmin(s.y_low, y);
    s.y_high = fmax(s.y_high, y);
  }
  s.x_most = s.x_most > 0 ? s.x_most : 1;
  s.y_low = floor(s.y_low);
  if (s.y_high - s.y_low < 0.3)
    s.y_high = s.y_low + 1;
  return s;
}

/* The smallest step of 1, 2, 5 times a power of ten that gives at most six
 * steps. */
static double nice_step(double most) {
  double step = pow(10, floor(log10(most / 6)));
  static const double factors[] = {1, 2, 5, 10};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(factors); i++)
    if (most / (step * factors[i]) <= 6)
      return step * factors[i];
  return step * 10;
}

static void add_y_tick(const struct scale *s, double value,
                       struct cul_buf *out) {
  double y = y_at(s, value);
  cul_buf_addf(out,
               "<path d=\"M%d %.1fH%d\" stroke=\"currentColor\" "
               "stroke-opacity=\".15\"/><text x=\"%d\" y=\"%.1f\" "
               "text-anchor=\"end\">%.0f</text>\n",
               LEFT, y, WIDE - RIGHT, LEFT - 6, y + 4, value);
}

static void add_axes(const struct cul_curve *curve, const struct scale *s,
                     struct cul_buf *out) {
  bool few = s->y_high - s->y_low <= 3;
  double step = nice_step(s->x_most);
  for (double power = s->y_low; power <= s->y_high + 1e-9; power++) {
    double one = pow(10, power);
    for (int factor = 1; factor <= (few ? 5 : 1); factor += factor == 1 ? 1 : 3)
      if (log10(one * factor) <= s->y_high + 1e-9)
        add_y_tick(s, one * factor, out);
  }
  for (double x = 0; x <= s->x_most * (1 + 1e-9); x += step)
    cul_buf_addf(out,
                 "<path d=\"M%.1f %dv4\" stroke=\"currentColor\"/><text "
                 "x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.10g</text>\n",
                 x_at(s, x), HIGH - BOTTOM, x_at(s, x), HIGH - BOTTOM + 17, x);
  cul_buf_addf(out,
               "<path d=\"M%d %dV%dH%d\" fill=\"none\" "
               "stroke=\"currentColor\"/>\n"
               "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n"
               "<text transform=\"translate(13 %d) rotate(-90)\" "
               "text-anchor=\"middle\">%s</text>\n",
               LEFT, TOP, HIGH - BOTTOM, WIDE - RIGHT,
               (LEFT + WIDE - RIGHT) / 2, HIGH - 6, curve->x_label,
               (TOP + HIGH - BOTTOM) / 2, curve->y_label);
}

static void add_line(const struct cul_curve *curve, const struct scale *s,
                     struct cul_buf *out) {
  size_t every = curve->n / MOST_DRAWN + 1;
  cul_buf_addf(out, "<path d=\"M%.1f %.1f", x_at(s, curve->x[0]),
               y_at(s, curve->y[0]));
  for (size_t i = 1; i < curve->n; i++)
    if (i % every == 0 || i + 1 == curve->n)
      cul_buf_addf(out, "H%.1fV%.1f", x_at(s, curve->x[i]),
                   y_at(s, curve->y[i]));
  cul_buf_adds(out, "\" fill=\"none\" stroke=\"#2f81d6\" stroke-width=\"2\" "
                    "stroke-linejoin=\"round\"/>\n");
}

void cul_curve_svg(const struct cul_curve *curve, struct cul_buf *out) {
  struct scale s;
  if (curve->n < 2)
    return;
  s = scale_of(curve);
  cul_buf_addf(out,
               "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s over "
               "%s\" font-family=\"system-ui,sans-serif\" font-size=\"11\" "
               "fill=\"currentColor\">\n",
               WIDE, HIGH, curve->y_label, curve->x_label);
  add_axes(curve, &s, out);
  add_line(curve, &s, out);
  cul_buf_adds(out, "</svg>\n");
}
