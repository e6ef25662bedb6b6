/* Retype rules of the torch dialect: see retype_torch.h.  It has next to no
 * verifier: what is not known keeps the sizes that it does not share. */
#include "retype_torch.h"

#include <string.h>

static const char *const kinds[] = {
    [CUL_TORCH_EACH] = "each",         [CUL_TORCH_ALONG] = "along",
    [CUL_TORCH_VIEW] = "view",         [CUL_TORCH_MERGE] = "merge",
    [CUL_TORCH_SPREAD] = "spread",     [CUL_TORCH_FILL] = "fill",
    [CUL_TORCH_PERMUTE] = "permute",   [CUL_TORCH_SWAP] = "swap",
    [CUL_TORCH_TURN] = "turn",         [CUL_TORCH_REDUCE] = "reduce",
    [CUL_TORCH_JOIN] = "join",         [CUL_TORCH_MATMUL] = "matmul",
    [CUL_TORCH_LINEAR] = "linear",     [CUL_TORCH_CONV] = "conv",
    [CUL_TORCH_SELECT] = "select",     [CUL_TORCH_SLICE] = "slice",
    [CUL_TORCH_PICK] = "pick",         [CUL_TORCH_ROWS] = "rows",
    [CUL_TORCH_POOL] = "pool",         [CUL_TORCH_ADAPT] = "adapt",
    [CUL_TORCH_CHANNELS] = "channels", [CUL_TORCH_GROUPS] = "groups",
    [CUL_TORCH_ENDS] = "ends",         [CUL_TORCH_LIST] = "list",
    [CUL_TORCH_FREE] = "free",         [CUL_TORCH_OTHER] = "other"};

struct cul_torch_op cul_torch_op(const struct cul_retype *g) {
  struct cul_torch_op is = {CUL_TORCH_OTHER, 0};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(kinds); i++)
    if (g->word->n_args && strcmp(kinds[i], cul_retype_arg(g, 0)) == 0)
      is.kind = (enum cul_torch_kind)i;
  if (g->word->n_args > 1)
    is.at = cul_retype_arg_number(g, 1);
  return is;
}

/* ---- numbers ---- */

MlirOperation cul_torch_maker(MlirOperation op, intptr_t at) {
  return at < mlirOperationGetNumOperands(op)
             ? cul_ir_defining_op(mlirOperationGetOperand(op, at))
             : (MlirOperation){NULL};
}

bool cul_torch_int(MlirValue value, int64_t rank, int64_t *out) {
  MlirOperation maker = cul_ir_defining_op(value);
  int64_t number[CUL_RETYPE_MAX];
  if (!maker.ptr || !cul_ir_is(maker, "torch.constant.int") ||
      cul_numbers_named(maker, "value", number) != 1)
    return false;
  *out = number[0] < 0 && rank >= 0 ? number[0] + rank : number[0];
  return true;
}

bool cul_torch_ints(MlirValue value, int64_t rank, int64_t *out, size_t *n) {
  MlirOperation list = cul_ir_defining_op(value);
  *n = 1;
  if (cul_torch_int(value, rank, out))
    return true;
  if (!list.ptr || !cul_ir_is(list, "torch.prim.ListConstruct") ||
      mlirOperationGetNumOperands(list) > CUL_RETYPE_MAX)
    return false;
  *n = (size_t)mlirOperationGetNumOperands(list);
  for (size_t i = 0; i < *n; i++)
    if (!cul_torch_int(mlirOperationGetOperand(list, (intptr_t)i), rank,
                       &out[i]))
      out[i] = CUL_RETYPE_DYNAMIC;
  return true;
}

/* ---- rules ---- */

static MlirValue operand(MlirOperation op, intptr_t i) {
  return mlirOperationGetOperand(op, i);
}

static MlirValue outcome(MlirOperation op) {
  return mlirOperationGetResult(op, 0);
}

static void tie(struct cul_retype *g, MlirValue a, int64_t i, MlirValue b,
                int64_t k) {
  cul_retype_pair(g, cul_retype_size(g, a, i), cul_retype_size(g, b, k));
}

/* Shapes that end alike. */
static void tie_ends(struct cul_retype *g, MlirValue a, MlirValue b) {
  int64_t n = (int64_t)cul_retype_rank(g, a);
  int64_t m = (int64_t)cul_retype_rank(g, b);
  for (int64_t i = 1; i <= n && i <= m; i++)
    tie(g, a, n - i, b, m - i);
}

static void rule_each(struct cul_retype *g, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    tie_ends(g, operand(op, i), outcome(op));
}

/* Is the list at operand `at` the shape, or is its entry -1? */
static bool is_shape(const struct cul_retype *g, MlirOperation op,
                     intptr_t at) {
  int64_t list[CUL_RETYPE_MAX];
  size_t n;
  if (at >= mlirOperationGetNumOperands(op) ||
      !cul_torch_ints(operand(op, at), -1, list, &n) ||
      n != cul_retype_rank(g, outcome(op)))
    return false;
  for (size_t i = 0; i < n; i++)
    if (list[i] != -1 && list[i] != CUL_RETYPE_DYNAMIC &&
        list[i] != g->value[cul_retype_size(g, outcome(op), (int64_t)i)])
      return false;
  return true;
}

static bool is_static(const struct cul_retype *g, MlirValue value) {
  for (size_t i = 0; i < cul_retype_rank(g, value); i++)
    if (g->value[cul_retype_size(g, value, (int64_t)i)] <= 0)
      return false;
  return true;
}

static void rule_elements(struct cul_retype *g, MlirOperation op) {
  if (is_static(g, operand(op, 0)) && is_static(g, outcome(op)))
    cul_retype_same_elements(g, op);
  else
    cul_retype_pin_all(g, op);
}

static void rule_permute(struct cul_retype *g, MlirOperation op, intptr_t at) {
  int64_t rank = (int64_t)cul_retype_rank(g, outcome(op));
  int64_t order[CUL_RETYPE_MAX];
  size_t n;
  if (!cul_torch_ints(operand(op, at), rank, order, &n) || n != (size_t)rank) {
    cul_retype_pin_all(g, op);
    return;
  }
  for (size_t i = 0; i < n; i++)
    tie(g, operand(op, 0), order[i], outcome(op), (int64_t)i);
}

static void rule_swap(struct cul_retype *g, MlirOperation op, int64_t a,
                      int64_t b) {
  for (int64_t i = 0; i < (int64_t)cul_retype_rank(g, outcome(op)); i++)
    tie(g, operand(op, 0), i == a ? b : i == b ? a : i, outcome(op), i);
}

static void rule_two(struct cul_retype *g, MlirOperation op, intptr_t at) {
  int64_t rank = (int64_t)cul_retype_rank(g, outcome(op)), a, b;
  if (cul_torch_int(operand(op, at), rank, &a) &&
      cul_torch_int(operand(op, at + 1), rank, &b))
    rule_swap(g, op, a, b);
  else
    cul_retype_pin_all(g, op);
}

static bool is_among(const int64_t *numbers, size_t n, size_t i) {
  for (size_t k = 0; k < n; k++)
    if (numbers[k] == (int64_t)i)
      return true;
  return false;
}

/* Several results have one shape. */
static void rule_reduce(struct cul_retype *g, MlirOperation op, intptr_t at) {
  MlirValue from = operand(op, 0);
  int64_t rank = (int64_t)cul_retype_rank(g, from);
  int64_t axes[CUL_RETYPE_MAX];
  size_t n;
  if (!cul_torch_ints(operand(op, at), rank, axes, &n)) {
    cul_retype_pin_all(g, op);
    return;
  }
  for (intptr_t r = 0; r < mlirOperationGetNumResults(op); r++) {
    MlirValue to = mlirOperationGetResult(op, r);
    bool keeps = (int64_t)cul_retype_rank(g, to) == rank;
    for (int64_t i = 0, k = 0; i < rank; i++) {
      bool gone = is_among(axes, n, (size_t)i) || n == 0;
      if (!gone)
        tie(g, from, i, to, k);
      k += !gone || keeps;
    }
  }
}

static void rule_cat(struct cul_retype *g, MlirOperation op, intptr_t at) {
  int64_t rank = (int64_t)cul_retype_rank(g, outcome(op)), axis;
  MlirOperation list = cul_torch_maker(op, 0);
  if (!list.ptr || !cul_ir_is(list, "torch.prim.ListConstruct") ||
      !cul_torch_int(operand(op, at), rank, &axis)) {
    cul_retype_pin_all(g, op);
    return;
  }
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(list); i++)
    for (int64_t d = 0; d < rank; d++)
      if (d != axis)
        tie(g, operand(list, i), d, outcome(op), d);
  cul_retype_relate(g, CUL_RETYPE_EQUAL, cul_retype_size(g, outcome(op), axis),
                    0);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(list); i++)
    cul_retype_term(g, cul_retype_size(g, operand(list, i), axis), 1);
}

/* Vectors on either side are left alone. */
static void rule_matmul(struct cul_retype *g, MlirOperation op) {
  MlirValue a = operand(op, 0), b = operand(op, 1), c = outcome(op);
  int64_t n = (int64_t)cul_retype_rank(g, a);
  int64_t m = (int64_t)cul_retype_rank(g, b);
  int64_t r = (int64_t)cul_retype_rank(g, c);
  if (n < 2 || m < 2 || r < 2) {
    cul_retype_pin_all(g, op);
    return;
  }
  tie(g, a, n - 1, b, m - 2);
  tie(g, a, n - 2, c, r - 2);
  tie(g, b, m - 1, c, r - 1);
  for (int64_t i = 3; i <= r; i++) {
    tie(g, a, n - i, c, r - i);
    tie(g, b, m - i, c, r - i);
  }
}

static void rule_linear(struct cul_retype *g, MlirOperation op) {
  MlirValue x = operand(op, 0), w = operand(op, 1), y = outcome(op);
  int64_t last = (int64_t)cul_retype_rank(g, x) - 1;
  tie(g, x, last, w, 1);
  tie(g, y, last, w, 0);
  if (mlirOperationGetNumOperands(op) > 2)
    tie(g, operand(op, 2), 0, w, 0);
  for (int64_t i = 0; i < last; i++)
    tie(g, x, i, y, i);
}

/* One spatial dimension: the remainder of a stride stays what it is. */
static void relate_window(struct cul_retype *g, MlirOperation op, int64_t i,
                          int64_t stride, int64_t dilation) {
  uint32_t x = cul_retype_size(g, operand(op, 0), i);
  uint32_t k = cul_retype_size(g, operand(op, 1), i);
  uint32_t y = cul_retype_size(g, outcome(op), i);
  cul_retype_relate(g, CUL_RETYPE_EQUAL, x,
                    g->value[x] - stride * g->value[y] -
                        dilation * g->value[k]);
  cul_retype_term(g, y, stride);
  cul_retype_term(g, k, dilation);
}

/* Of groups too little is known. */
static void rule_conv(struct cul_retype *g, MlirOperation op, intptr_t at) {
  MlirValue x = operand(op, 0), w = operand(op, 1), y = outcome(op);
  size_t rank = cul_retype_rank(g, x), n, m;
  int64_t stride[CUL_RETYPE_MAX], dilation[CUL_RETYPE_MAX], groups;
  if (mlirOperationGetNumOperands(op) <= at || rank < 3 ||
      rank != cul_retype_rank(g, w) || rank != cul_retype_rank(g, y) ||
      !cul_torch_int(operand(op, at), -1, &groups) || groups != 1 ||
      !cul_torch_ints(operand(op, 3), -1, stride, &n) || n != rank - 2 ||
      !cul_torch_ints(operand(op, 5), -1, dilation, &m) || m != rank - 2 ||
      !is_static(g, x) || !is_static(g, w) || !is_static(g, y)) {
    cul_retype_pin_all(g, op);
    return;
  }
  tie(g, x, 0, y, 0);
  tie(g, x, 1, w, 1);
  tie(g, w, 0, y, 1);
  tie(g, operand(op, 2), 0, y, 1);
  for (size_t i = 0; i < n; i++)
    if (stride[i] > 0 && dilation[i] > 0)
      relate_window(g, op, (int64_t)i + 2, stride[i], dilation[i]);
    else
      cul_retype_pin_all(g, op);
}

/* A transposed convolution grows what it is given. */
static bool is_transposed(const struct cul_retype *g, MlirOperation op) {
  intptr_t at = cul_retype_arg_number(g, 2);
  MlirOperation maker = {NULL};
  MlirAttribute value = {NULL};
  if (at >= 0)
    maker = cul_torch_maker(op, at);
  if (maker.ptr)
    value = cul_ir_get(maker, "value");
  return at >= 0 && (!value.ptr || !mlirAttributeIsABool(value) ||
                     mlirBoolAttrGetValue(value));
}

/* Is there a size like it among those of the other side? */
static bool has_like(const struct cul_retype *g, MlirOperation op,
                     uint32_t node, bool results) {
  size_t n = (size_t)mlirOperationGetNumOperands(op);
  for (size_t i = results ? n : 0; i < (results ? cul_retype_n_values(op) : n);
       i++)
    for (size_t k = 0; k < cul_retype_rank(g, cul_retype_value(op, i)); k++)
      if (g->value[cul_retype_size(g, cul_retype_value(op, i), (int64_t)k)] ==
          g->value[node])
        return true;
  return false;
}

static void rule_other(struct cul_retype *g, MlirOperation op) {
  intptr_t n = mlirOperationGetNumOperands(op);
  cul_retype_rule_by_size(g, op);
  for (size_t i = 0; n > 0 && i < cul_retype_n_values(op); i++)
    for (size_t k = 0; k < cul_retype_rank(g, cul_retype_value(op, i)); k++) {
      uint32_t node = cul_retype_size(g, cul_retype_value(op, i), (int64_t)k);
      if (!has_like(g, op, node, (intptr_t)i < n))
        cul_retype_pin(g, node);
    }
}

/* A number that is the element type, or None. */
void cul_retype_rule_typed(struct cul_retype *g, MlirOperation op) {
  MlirOperation maker = cul_torch_maker(op, cul_retype_arg_number(g, 0));
  if (maker.ptr && !cul_ir_is(maker, "torch.constant.none"))
    cul_retype_pin(g, cul_retype_node(g, outcome(op), CUL_RETYPE_ELEMENT));
}

/* A list of tensors says nothing of them, or repeats their type. */
static void rule_list(struct cul_retype *g, MlirOperation op) {
  if (strchr(cul_ir_type_text(g->ir, mlirValueGetType(outcome(op))), '['))
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
      cul_retype_pin_value(g, operand(op, i));
}

static void rule_shape(struct cul_retype *g, MlirOperation op,
                       const struct cul_torch_op *is) {
  bool has = is->at < mlirOperationGetNumOperands(op);
  switch (is->kind) {
  case CUL_TORCH_EACH:
  case CUL_TORCH_ALONG:
    rule_each(g, op);
    return;
  case CUL_TORCH_VIEW:
  case CUL_TORCH_MERGE:
    rule_elements(g, op);
    break;
  case CUL_TORCH_SPREAD:
    tie_ends(g, operand(op, 0), outcome(op));
    break;
  case CUL_TORCH_PERMUTE:
    rule_permute(g, op, is->at);
    return;
  case CUL_TORCH_SWAP:
    rule_two(g, op, is->at);
    return;
  case CUL_TORCH_TURN:
    rule_swap(g, op, 0, (int64_t)cul_retype_rank(g, outcome(op)) - 1);
    return;
  case CUL_TORCH_REDUCE:
    rule_reduce(g, op, is->at);
    return;
  case CUL_TORCH_JOIN:
    rule_cat(g, op, is->at);
    return;
  case CUL_TORCH_MATMUL:
    rule_matmul(g, op);
    return;
  case CUL_TORCH_LINEAR:
    rule_linear(g, op);
    return;
  case CUL_TORCH_CONV:
    if (is_transposed(g, op))
      cul_retype_pin_all(g, op);
    else
      rule_conv(g, op, is->at);
    return;
  case CUL_TORCH_LIST:
    rule_list(g, op);
    return;
  case CUL_TORCH_FILL:
  case CUL_TORCH_FREE:
    break;
  case CUL_TORCH_OTHER:
    rule_other(g, op);
    return;
  default:
    cul_torch_rule_part(g, op, is->kind);
    return;
  }
  if ((is->kind == CUL_TORCH_VIEW || is->kind == CUL_TORCH_SPREAD ||
       is->kind == CUL_TORCH_FILL) &&
      (!has || !is_shape(g, op, is->at)))
    cul_retype_pin_all(g, op);
}

void cul_retype_rule_torch(struct cul_retype *g, MlirOperation op) {
  struct cul_torch_op is = cul_torch_op(g);
  if (mlirOperationGetNumResults(op) > 0)
    rule_shape(g, op, &is);
}
