/* Retype rules of the torch dialect: see retype_torch.h.  It has next to no
 * verifier: what is not known keeps the sizes that it does not share. */
#include "retype_torch.h"

#include <string.h>

static const struct cul_torch_op ops[] = {
    {"aten.abs", CUL_TORCH_EACH, 0},
    {"aten.add.", CUL_TORCH_EACH, 0},
    {"aten.bitwise_and.", CUL_TORCH_EACH, 0},
    {"aten.bitwise_not", CUL_TORCH_EACH, 0},
    {"aten.bitwise_or.", CUL_TORCH_EACH, 0},
    {"aten.bitwise_xor.", CUL_TORCH_EACH, 0},
    {"aten.ceil", CUL_TORCH_EACH, 0},
    {"aten.clamp", CUL_TORCH_EACH, 0},
    {"aten.clamp_max", CUL_TORCH_EACH, 0},
    {"aten.clamp_min", CUL_TORCH_EACH, 0},
    {"aten.clone", CUL_TORCH_EACH, 0},
    {"aten.contiguous", CUL_TORCH_EACH, 0},
    {"aten.cos", CUL_TORCH_EACH, 0},
    {"aten.detach", CUL_TORCH_EACH, 0},
    {"aten.div.", CUL_TORCH_EACH, 0},
    {"aten.dropout", CUL_TORCH_EACH, 0},
    {"aten.elu", CUL_TORCH_EACH, 0},
    {"aten.eq.", CUL_TORCH_EACH, 0},
    {"aten.erf", CUL_TORCH_EACH, 0},
    {"aten.exp", CUL_TORCH_EACH, 0},
    {"aten.floor", CUL_TORCH_EACH, 0},
    {"aten.ge.", CUL_TORCH_EACH, 0},
    {"aten.gelu", CUL_TORCH_EACH, 0},
    {"aten.gt.", CUL_TORCH_EACH, 0},
    {"aten.hardsigmoid", CUL_TORCH_EACH, 0},
    {"aten.hardswish", CUL_TORCH_EACH, 0},
    {"aten.hardtanh", CUL_TORCH_EACH, 0},
    {"aten.le.", CUL_TORCH_EACH, 0},
    {"aten.leaky_relu", CUL_TORCH_EACH, 0},
    {"aten.log", CUL_TORCH_EACH, 0},
    {"aten.logical_and", CUL_TORCH_EACH, 0},
    {"aten.logical_not", CUL_TORCH_EACH, 0},
    {"aten.logical_or", CUL_TORCH_EACH, 0},
    {"aten.lt.", CUL_TORCH_EACH, 0},
    {"aten.masked_fill.", CUL_TORCH_EACH, 0},
    {"aten.maximum", CUL_TORCH_EACH, 0},
    {"aten.minimum", CUL_TORCH_EACH, 0},
    {"aten.mul.", CUL_TORCH_EACH, 0},
    {"aten.ne.", CUL_TORCH_EACH, 0},
    {"aten.neg", CUL_TORCH_EACH, 0},
    {"aten.pow.", CUL_TORCH_EACH, 0},
    {"aten.reciprocal", CUL_TORCH_EACH, 0},
    {"aten.relu", CUL_TORCH_EACH, 0},
    {"aten.relu6", CUL_TORCH_EACH, 0},
    {"aten.remainder.", CUL_TORCH_EACH, 0},
    {"aten.round", CUL_TORCH_EACH, 0},
    {"aten.rsqrt", CUL_TORCH_EACH, 0},
    {"aten.rsub.", CUL_TORCH_EACH, 0},
    {"aten.sigmoid", CUL_TORCH_EACH, 0},
    {"aten.sign", CUL_TORCH_EACH, 0},
    {"aten.silu", CUL_TORCH_EACH, 0},
    {"aten.sin", CUL_TORCH_EACH, 0},
    {"aten.sqrt", CUL_TORCH_EACH, 0},
    {"aten.square", CUL_TORCH_EACH, 0},
    {"aten.sub.", CUL_TORCH_EACH, 0},
    {"aten.tanh", CUL_TORCH_EACH, 0},
    {"aten.threshold", CUL_TORCH_EACH, 0},
    {"aten.to.dtype", CUL_TORCH_EACH, 0},
    {"aten.where.", CUL_TORCH_EACH, 0},
    {"prims.convert_element_type", CUL_TORCH_EACH, 0},
    {"tensor_static_info_cast", CUL_TORCH_EACH, 0},
    {"aten.cumsum", CUL_TORCH_ALONG, 1},
    {"aten.log_softmax.int", CUL_TORCH_ALONG, 1},
    {"aten.softmax.int", CUL_TORCH_ALONG, 1},
    {"aten._log_softmax", CUL_TORCH_ALONG, 1},
    {"aten._softmax", CUL_TORCH_ALONG, 1},
    {"aten.reshape", CUL_TORCH_VIEW, 1},
    {"aten.view", CUL_TORCH_VIEW, 1},
    {"aten._reshape_alias", CUL_TORCH_OTHER, 0},
    {"aten._unsafe_view", CUL_TORCH_VIEW, 1},
    {"aten.flatten.using_ints", CUL_TORCH_MERGE, 0},
    {"aten.squeeze.dim", CUL_TORCH_MERGE, 0},
    {"aten.unsqueeze", CUL_TORCH_MERGE, 0},
    {"aten.broadcast_to", CUL_TORCH_SPREAD, 1},
    {"aten.expand", CUL_TORCH_SPREAD, 1},
    {"aten.empty.memory_format", CUL_TORCH_FILL, 0},
    {"aten.full", CUL_TORCH_FILL, 0},
    {"aten.ones", CUL_TORCH_FILL, 0},
    {"aten.zeros", CUL_TORCH_FILL, 0},
    {"aten.permute", CUL_TORCH_PERMUTE, 1},
    {"aten.transpose.int", CUL_TORCH_SWAP, 1},
    {"aten.t", CUL_TORCH_TURN, 0},
    {"aten.amax", CUL_TORCH_REDUCE, 1},
    {"aten.amin", CUL_TORCH_REDUCE, 1},
    {"aten.max.dim", CUL_TORCH_REDUCE, 1},
    {"aten.mean.dim", CUL_TORCH_REDUCE, 1},
    {"aten.min.dim", CUL_TORCH_REDUCE, 1},
    {"aten.sum.dim_IntList", CUL_TORCH_REDUCE, 1},
    {"aten.cat", CUL_TORCH_JOIN, 1},
    {"aten.bmm", CUL_TORCH_MATMUL, 0},
    {"aten.matmul", CUL_TORCH_MATMUL, 0},
    {"aten.mm", CUL_TORCH_MATMUL, 0},
    {"aten.linear", CUL_TORCH_LINEAR, 0},
    {"aten.conv2d", CUL_TORCH_CONV, 6},
    {"aten.convolution", CUL_TORCH_CONV, 8},
    {"aten.select.int", CUL_TORCH_SELECT, 1},
    {"aten.slice.Tensor", CUL_TORCH_SLICE, 1},
    {"aten.index_select", CUL_TORCH_PICK, 1},
    {"aten.embedding", CUL_TORCH_ROWS, 0},
    {"aten.avg_pool1d", CUL_TORCH_POOL, 0},
    {"aten.avg_pool2d", CUL_TORCH_POOL, 0},
    {"aten.max_pool1d", CUL_TORCH_POOL, 0},
    {"aten.max_pool2d", CUL_TORCH_POOL, 0},
    {"aten.adaptive_avg_pool1d", CUL_TORCH_ADAPT, 1},
    {"aten.adaptive_avg_pool2d", CUL_TORCH_ADAPT, 1},
    {"aten.batch_norm", CUL_TORCH_CHANNELS, 0},
    {"aten.group_norm", CUL_TORCH_GROUPS, 0},
    {"aten.layer_norm", CUL_TORCH_ENDS, 1},
    {"constant.", CUL_TORCH_FREE, 0},
    {"vtensor.literal", CUL_TORCH_FREE, 0},
};

const struct cul_torch_op *cul_torch_op_of(MlirOperation op) {
  static const struct cul_torch_op other = {"", CUL_TORCH_OTHER, 0};
  MlirStringRef name = cul_ir_name(op);
  size_t skip = strlen("torch.");
  if (!cul_ir_is_of(op, "torch."))
    return &other;
  name.data += skip;
  name.length -= skip;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(ops); i++) {
    size_t n = strlen(ops[i].name);
    if (cul_ir_str_starts(name, ops[i].name) &&
        (name.length == n || ops[i].name[n - 1] == '.'))
      return &ops[i];
  }
  return &other;
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
  cul_retype_tie(g, cul_retype_size(g, a, i), cul_retype_size(g, b, k));
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
      bool gone = cul_retype_is_among(axes, n, (size_t)i) || n == 0;
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
static bool is_transposed(MlirOperation op) {
  MlirOperation maker = cul_torch_maker(op, 6);
  MlirAttribute value = maker.ptr && cul_ir_is(op, "torch.aten.convolution")
                            ? cul_ir_get(maker, "value")
                            : (MlirAttribute){NULL};
  return cul_ir_is(op, "torch.aten.convolution") &&
         (!value.ptr || !mlirAttributeIsABool(value) ||
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
static void pin_given_type(struct cul_retype *g, MlirOperation op) {
  static const struct {
    const char *name;
    intptr_t at;
  } types[] = {{"torch.aten.to.dtype", 1},
               {"torch.prims.convert_element_type", 1},
               {"torch.aten.softmax.int", 2},
               {"torch.aten.log_softmax.int", 2},
               {"torch.aten.cumsum", 2},
               {"torch.aten.sum.dim_IntList", 3},
               {"torch.aten.mean.dim", 3},
               {"torch.aten.zeros", 1},
               {"torch.aten.ones", 1},
               {"torch.aten.full", 2},
               {"torch.aten.empty.memory_format", 1}};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(types); i++) {
    MlirOperation maker = cul_ir_is(op, types[i].name)
                              ? cul_torch_maker(op, types[i].at)
                              : (MlirOperation){NULL};
    if (maker.ptr && !cul_ir_is(maker, "torch.constant.none"))
      cul_retype_pin(g, cul_retype_node(g, outcome(op), CUL_RETYPE_ELEMENT));
  }
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
    if (is_transposed(op))
      cul_retype_pin_all(g, op);
    else
      rule_conv(g, op, is->at);
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

/* A list of tensors says nothing of them, or repeats their type. */
static void rule_list(struct cul_retype *g, MlirOperation op) {
  if (strchr(cul_ir_type_text(g->ir, mlirValueGetType(outcome(op))), '['))
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
      cul_retype_pin_value(g, operand(op, i));
}

void cul_retype_rule_torch(struct cul_retype *g, MlirOperation op) {
  if (mlirOperationGetNumResults(op) == 0)
    return;
  if (cul_ir_is(op, "torch.prim.ListConstruct")) {
    rule_list(g, op);
    return;
  }
  pin_given_type(g, op);
  rule_shape(g, op, cul_torch_op_of(op));
}
