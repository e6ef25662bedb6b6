/* Dimensions that go, of StableHLO's convolutions: see retype_rank.h.  Which
 * dimension is which stands in attributes of the dialect, as text. */
#include "retype_rank.h"

#include <stdlib.h>
#include <string.h>

/* What has an entry for each side, two of padding. */
static void thin_lists(struct cul_retype *g, MlirOperation op,
                       const bool *gone) {
  static const char *const names[] = {"window_strides", "lhs_dilation",
                                      "rhs_dilation", "window_reversal"};
  MlirAttribute padding = cul_ir_get(op, "padding");
  int64_t numbers[CUL_RETYPE_MAX];
  size_t n = cul_numbers(padding, numbers), kept = 0;
  for (size_t i = CUL_RETYPE_MAX; i-- > 0;)
    for (size_t k = 0; gone[i] && k < CUL_ARRAY_SIZE(names); k++)
      (void)cul_ir_drop_entry(g->ir, op, names[k], i);
  for (size_t i = 0; i < n; i++)
    if (!gone[i / 2])
      numbers[kept++] = numbers[i];
  if (kept < n)
    (void)cul_ir_set(g->ir, op, "padding",
                     cul_numbers_replaced(g->ir, padding, numbers, kept));
}

/* ---- convolution ---- */

static MlirValue side_of(MlirOperation op, int i) {
  return i < 2 ? mlirOperationGetOperand(op, i) : cul_retype_outcome(op);
}

void cul_retype_join_convolution(struct cul_retype *g, MlirOperation op) {
  struct cul_retype_places p[3];
  if (!cul_retype_convolution(g, op, p)) {
    cul_retype_pin_all(g, op);
    return;
  }
  for (int v = 0; v < 3; v++) {
    MlirValue value = side_of(op, v);
    cul_retype_pin(g, cul_retype_size(g, value, p[v].first));
    cul_retype_pin(g, cul_retype_size(g, value, p[v].second));
    for (size_t i = 0; v > 0 && i < p[0].n; i++)
      cul_retype_join_nodes(g, cul_retype_size(g, side_of(op, 0), p[0].side[i]),
                            cul_retype_size(g, value, p[v].side[i]));
  }
}

/* One bracket: b and f, or o and i, where they were among what is left. */
static void add_places(struct cul_buf *out, const struct cul_retype_places *p,
                       const char *letters, const bool *gone) {
  size_t rank = p->n + 2;
  bool any = false;
  cul_buf_addc(out, '[');
  for (size_t d = 0; d < rank; d++) {
    int64_t number = 0;
    size_t side = 0;
    while (side < p->n && p->side[side] != (int64_t)d)
      side++;
    if (side < p->n && gone[side])
      continue;
    cul_buf_adds(out, any ? ", " : "");
    any = true;
    for (size_t k = 0; k < side && k < p->n; k++)
      number += !gone[k];
    if (side < p->n)
      cul_buf_addf(out, "%lld", (long long)number);
    else
      cul_buf_addc(out, letters[p->first == (int64_t)d ? 0 : 1]);
  }
  cul_buf_addc(out, ']');
}

void cul_retype_thin_convolution(struct cul_retype *g, MlirOperation op) {
  const char *text =
      cul_ir_attr_text(g->ir, cul_ir_get(op, cul_retype_arg(g, 0)));
  const char *open = strchr(text, '['), *close = strrchr(text, ']');
  bool gone[CUL_RETYPE_MAX] = {false};
  struct cul_retype_places p[3];
  struct cul_buf out = {0};
  MlirAttribute attr;
  if (!cul_retype_convolution(g, op, p) || !open || !close)
    return;
  for (size_t i = 0; i < p[0].n; i++)
    gone[i] =
        cul_retype_is_gone(g, mlirOperationGetOperand(op, 0), p[0].side[i]);
  cul_buf_add(&out, text, (size_t)(open - text));
  add_places(&out, &p[0], "bf", gone);
  cul_buf_addc(&out, 'x');
  add_places(&out, &p[1], "io", gone);
  cul_buf_adds(&out, "->");
  add_places(&out, &p[2], "bf", gone);
  cul_buf_adds(&out, close + 1);
  attr = cul_ir_attr_parse(g->ir, cul_buf_str(&out));
  cul_buf_release(&out);
  if (attr.ptr)
    (void)cul_ir_set(g->ir, op, cul_retype_arg(g, 0), attr);
  thin_lists(g, op, gone);
}
