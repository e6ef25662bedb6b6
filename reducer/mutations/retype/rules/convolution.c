/* stablehlo.convolution: which dimension is which stands in an attribute of the
 * dialect, as text.  What windows do is an equation. */
#include <stdlib.h>
#include <string.h>

#include "rank.h"

/* A number that is an attribute; 1 where there is none. */
static int64_t number_of(MlirOperation op, const char *name) {
  int64_t number[CUL_RETYPE_MAX];
  return cul_numbers_named(op, name, number) == 1 ? number[0] : 1;
}

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
  const struct cul_op_word *word = cul_retype_word(op, "convolution");
  MlirAttribute attr = {NULL};
  const char *at;
  if (word)
    attr = cul_ir_get(op, word->args[0]);
  at = attr.ptr ? cul_ir_attr_text(g->ir, attr) : NULL;
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
      cul_retype_add_number(g, number_of(op, "feature_group_count"), false);
  uint32_t each;
  if (whole == CUL_RETYPE_NONE || part == CUL_RETYPE_NONE ||
      other == CUL_RETYPE_NONE)
    return;
  if (g->nodes.value[groups] == 1) {
    cul_retype_tie(g, whole, part);
    return;
  }
  cul_retype_bind(g, op, "feature_group_count", &groups, 1);
  cul_retype_relate(g, CUL_RETYPE_PRODUCT, whole, 1);
  cul_retype_term(g, groups, 1);
  cul_retype_term(g, part, 1);
  each = cul_retype_add_number(
      g, g->nodes.value[other] / g->nodes.value[groups], false);
  cul_retype_relate(g, CUL_RETYPE_PRODUCT, other, 1);
  cul_retype_term(g, groups, 1);
  cul_retype_term(g, each, 1);
}

static MlirValue side_of(MlirOperation op, int i) {
  return i < 2 ? mlirOperationGetOperand(op, i) : mlirOperationGetResult(op, 0);
}

/* Batches and features stay, what slides goes with what it slides over. */
static void tie_dims(struct cul_retype *g, MlirOperation op,
                     const struct cul_retype_places *p) {
  for (int v = 0; v < 3; v++) {
    MlirValue value = side_of(op, v);
    cul_retype_pin(g, cul_retype_size(g, value, p[v].first));
    cul_retype_pin(g, cul_retype_size(g, value, p[v].second));
    for (size_t i = 0; v > 0 && i < p[0].n; i++)
      cul_retype_join_nodes(g, cul_retype_size(g, side_of(op, 0), p[0].side[i]),
                            cul_retype_size(g, value, p[v].side[i]));
  }
}

void cul_retype_rule_convolution(struct cul_retype *g, MlirOperation op) {
  MlirValue in = side_of(op, 0), kernel = side_of(op, 1), out = side_of(op, 2);
  struct cul_retype_places p[3];
  bool known = cul_retype_convolution(g, op, p);
  if (g->ranks && known)
    tie_dims(g, op, p);
  else if (g->ranks)
    cul_retype_pin_all(g, op);
  if (!known || number_of(op, "batch_group_count") != 1)
    return;
  cul_retype_tie(g, cul_retype_size(g, in, p[0].first),
                 cul_retype_size(g, out, p[2].first));
  cul_retype_tie(g, cul_retype_size(g, kernel, p[1].second),
                 cul_retype_size(g, out, p[2].second));
  relate_groups(g, op, cul_retype_size(g, in, p[0].second),
                cul_retype_size(g, kernel, p[1].first),
                cul_retype_size(g, out, p[2].second));
}

/* ---- dimensions that go ---- */

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
