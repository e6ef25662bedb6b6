/* Retype rules of stablehlo.convolution.
 *
 *   spread input + padding
 *     = stride * (output - 1) + dilation * (window - 1) + 1 + rest
 *
 * where the input is spread: base * (input - 1) + 1, and 0 <= rest < stride;
 * the rest stays. */
#include <stdlib.h>
#include <string.h>

#include "retype_rules.h"

struct side {
  uint32_t in, out, window;
  uint32_t before, after; /* padding, or CUL_RETYPE_NONE */
  int64_t stride, dilation, base;
};

static int64_t value_of(const struct cul_retype *g, uint32_t node) {
  return node == CUL_RETYPE_NONE ? 0 : g->value[node];
}

static void add_padding(struct cul_retype *g, uint32_t node) {
  if (node != CUL_RETYPE_NONE)
    cul_retype_term(g, node, -1);
}

/* The order of terms is the order in which they give way. */
static void relate(struct cul_retype *g, const struct side *s) {
  int64_t constant = s->base - s->stride - s->dilation, rest;
  if (s->in == CUL_RETYPE_NONE || s->out == CUL_RETYPE_NONE ||
      s->window == CUL_RETYPE_NONE)
    return;
  rest = -(constant + s->stride * g->value[s->out] - value_of(g, s->before) -
           value_of(g, s->after) - s->base * g->value[s->in] +
           s->dilation * g->value[s->window]);
  if (g->value[s->in] < 0 || g->value[s->out] < 0 || rest < 0 ||
      rest >= s->stride)
    return;
  cul_retype_relate(g, CUL_RETYPE_EQUAL, CUL_RETYPE_NONE, constant + rest);
  cul_retype_term(g, s->out, s->stride);
  add_padding(g, s->before);
  add_padding(g, s->after);
  cul_retype_term(g, s->in, -s->base);
  cul_retype_term(g, s->window, s->dilation);
}

/* Number i of a list; 1 where there is none. */
static int64_t number_at(MlirOperation op, const char *name, size_t i) {
  int64_t numbers[CUL_RETYPE_MAX];
  size_t n = cul_numbers_named(op, name, numbers);
  return i < n ? numbers[i] : 1;
}

/* Two nodes for each of n sides, which shrink alike where they are equal. */
static void read_padding(struct cul_retype *g, MlirOperation op, size_t n,
                         uint32_t *out) {
  int64_t numbers[CUL_RETYPE_MAX];
  bool known = 2 * n <= CUL_RETYPE_MAX &&
               cul_numbers_named(op, "padding", numbers) == 2 * n;
  for (size_t i = 0; i < n; i++) {
    out[2 * i] = out[2 * i + 1] = CUL_RETYPE_NONE;
    for (size_t k = 2 * i; known && k < 2 * i + 2; k++)
      out[k] = cul_retype_add_number(g, numbers[k], true);
    cul_retype_tie(g, out[2 * i], out[2 * i + 1]);
  }
  if (known)
    cul_retype_bind(g, op, "padding", out, 2 * n);
}

/* ---- convolution ---- */

/* From the bracket at on; returns what is behind it, NULL: not understood. */
static const char *read_places(const char *at, struct cul_retype_places *out) {
  int64_t i = 0;
  *out = (struct cul_retype_places){.first = -1, .second = -1};
  for (at++; at[-1] != ']'; i++) {
    if (strchr("bi", *at)) {
      out->first = i;
    } else if (strchr("fo", *at)) {
      out->second = i;
    } else {
      long side = strtol(at, NULL, 10);
      if (side < 0 || side >= CUL_RETYPE_MAX)
        return NULL;
      out->side[side] = i;
      out->n++;
    }
    at += strcspn(at, ",]");
    if (!*at)
      return NULL;
    at += *at == ',' ? 1 + strspn(at + 1, " ") : 1;
  }
  return at;
}

bool cul_retype_convolution(struct cul_retype *g, MlirOperation op,
                            struct cul_retype_places places[3]) {
  MlirAttribute attr = cul_ir_get(op, cul_retype_arg(g, 0));
  const char *at = attr.ptr ? cul_ir_attr_text(g->ir, attr) : NULL;
  for (int i = 0; i < 3; i++) {
    at = at ? strchr(at, '[') : NULL;
    at = at ? read_places(at, &places[i]) : NULL;
    if (!at || places[i].n != places[0].n)
      return false;
  }
  return 2 * places[0].n <= CUL_RETYPE_MAX;
}

/* whole = groups * part, the number of groups an attribute; others than whole
 * are made in as many groups. */
static void relate_groups(struct cul_retype *g, MlirOperation op,
                          uint32_t whole, uint32_t part, uint32_t other) {
  uint32_t groups =
      cul_retype_add_number(g, number_at(op, "feature_group_count", 0), false);
  uint32_t each;
  if (whole == CUL_RETYPE_NONE || part == CUL_RETYPE_NONE ||
      other == CUL_RETYPE_NONE)
    return;
  if (g->value[groups] == 1) {
    cul_retype_tie(g, whole, part);
    return;
  }
  cul_retype_bind(g, op, "feature_group_count", &groups, 1);
  cul_retype_relate(g, CUL_RETYPE_PRODUCT, whole, 1);
  cul_retype_term(g, groups, 1);
  cul_retype_term(g, part, 1);
  each = cul_retype_add_number(g, g->value[other] / g->value[groups], false);
  cul_retype_relate(g, CUL_RETYPE_PRODUCT, other, 1);
  cul_retype_term(g, groups, 1);
  cul_retype_term(g, each, 1);
}

void cul_retype_rule_hlo_convolution(struct cul_retype *g, MlirOperation op) {
  MlirValue in = mlirOperationGetOperand(op, 0);
  MlirValue kernel = mlirOperationGetOperand(op, 1);
  MlirValue out = mlirOperationGetResult(op, 0);
  uint32_t padding[CUL_RETYPE_MAX];
  struct cul_retype_places p[3];
  if (!cul_retype_convolution(g, op, p) ||
      number_at(op, "batch_group_count", 0) != 1)
    return;
  cul_retype_tie(g, cul_retype_size(g, in, p[0].first),
                 cul_retype_size(g, out, p[2].first));
  cul_retype_tie(g, cul_retype_size(g, kernel, p[1].second),
                 cul_retype_size(g, out, p[2].second));
  relate_groups(g, op, cul_retype_size(g, in, p[0].second),
                cul_retype_size(g, kernel, p[1].first),
                cul_retype_size(g, out, p[2].second));
  read_padding(g, op, p[0].n, padding);
  for (size_t i = 0; i < p[0].n; i++)
    relate(g, &(struct side){.in = cul_retype_size(g, in, p[0].side[i]),
                             .window = cul_retype_size(g, kernel, p[1].side[i]),
                             .out = cul_retype_size(g, out, p[2].side[i]),
                             .before = padding[2 * i],
                             .after = padding[2 * i + 1],
                             .stride = number_at(op, "window_strides", i),
                             .base = number_at(op, "lhs_dilation", i),
                             .dilation = number_at(op, "rhs_dilation", i)});
}
