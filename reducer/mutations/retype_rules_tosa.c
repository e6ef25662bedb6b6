/* Retype rules of TOSA's windows and reshapes.  The verifier wants
 *   input + padding = stride * (output - 1) + dilation * (kernel - 1) + 1
 * exactly. */
#include "retype_rules.h"

struct window {
  MlirOperation op;
  uint32_t pads[4]; /* of height, then of width: before, after */
  int64_t stride[CUL_RETYPE_MAX], dilation[CUL_RETYPE_MAX];
};

static bool read_window(struct cul_retype *g, MlirOperation op,
                        struct window *w) {
  int64_t pads[CUL_RETYPE_MAX];
  w->op = op;
  if (cul_retype_attr_numbers(op, "pad", pads) != 4 ||
      cul_retype_attr_numbers(op, "stride", w->stride) != 2)
    return false;
  if (cul_retype_attr_numbers(op, "dilation", w->dilation) != 2)
    w->dilation[0] = w->dilation[1] = 1;
  for (int i = 0; i < 4; i++)
    w->pads[i] = cul_retype_add_number(g, pads[i], true);
  /* Both sides shrink alike. */
  cul_retype_tie(g, w->pads[0], w->pads[1]);
  cul_retype_tie(g, w->pads[2], w->pads[3]);
  cul_retype_bind(g, op, "pad", w->pads, 4);
  return true;
}

/* side: 0 height, 1 width.  The order of terms is the order in which they
 * give way. */
static void relate(struct cul_retype *g, const struct window *w, int side,
                   uint32_t kernel) {
  int64_t s = w->stride[side], d = w->dilation[side];
  uint32_t in = cul_retype_size(g, mlirOperationGetOperand(w->op, 0), 1 + side);
  uint32_t out = cul_retype_size(g, mlirOperationGetResult(w->op, 0), 1 + side);
  if (in == CUL_RETYPE_NONE || out == CUL_RETYPE_NONE ||
      kernel == CUL_RETYPE_NONE)
    return;
  /* 0 = stride * out - padding - in + ... */
  cul_retype_relate(g, CUL_RETYPE_EQUAL, CUL_RETYPE_NONE, 1 - s - d);
  cul_retype_term(g, out, s);
  cul_retype_term(g, w->pads[2 * side], -1);
  cul_retype_term(g, w->pads[2 * side + 1], -1);
  cul_retype_term(g, in, -1);
  cul_retype_term(g, kernel, d);
}

void cul_retype_rule_tosa_conv(struct cul_retype *g, MlirOperation op) {
  bool depthwise = cul_ir_is(op, "tosa.depthwise_conv2d");
  MlirValue weight = mlirOperationGetOperand(op, 1);
  struct window w;
  if (!read_window(g, op, &w))
    return;
  for (int side = 0; side < 2; side++)
    relate(g, &w, side, cul_retype_size(g, weight, side + !depthwise));
  if (!depthwise)
    return;
  cul_retype_relate(g, CUL_RETYPE_PRODUCT,
                    cul_retype_size(g, mlirOperationGetResult(op, 0), 3), 1);
  cul_retype_term(g, cul_retype_size(g, weight, 2), 1);
  cul_retype_term(g, cul_retype_size(g, weight, 3), 1);
}

void cul_retype_rule_tosa_pool(struct cul_retype *g, MlirOperation op) {
  int64_t kernel[CUL_RETYPE_MAX];
  uint32_t nodes[2];
  struct window w;
  if (cul_retype_attr_numbers(op, "kernel", kernel) != 2 ||
      !read_window(g, op, &w))
    return;
  for (int side = 0; side < 2; side++) {
    nodes[side] = cul_retype_add_number(g, kernel[side], false);
    relate(g, &w, side, nodes[side]);
  }
  cul_retype_bind(g, op, "kernel", nodes, 2);
}

void cul_retype_rule_reshape(struct cul_retype *g, MlirOperation op) {
  MlirValue to = mlirOperationGetResult(op, 0);
  size_t n = cul_retype_rank(g, to);
  uint32_t sizes[CUL_RETYPE_MAX];
  cul_retype_same_elements(g, op);
  for (size_t i = 0; i < n && i < CUL_RETYPE_MAX; i++)
    sizes[i] = cul_retype_size(g, to, (int64_t)i);
  if (cul_ir_get(op, "new_shape").ptr && n <= CUL_RETYPE_MAX)
    cul_retype_bind(g, op, "new_shape", sizes, n);
}

/* Elementwise, but the shift is 8 bits wide whatever the factors are. */
void cul_retype_rule_tosa_mul(struct cul_retype *g, MlirOperation op) {
  cul_retype_rule_same(g, op);
  if (mlirOperationGetNumOperands(op) > 2)
    cul_retype_pin(g, cul_retype_node(g, mlirOperationGetOperand(op, 2),
                                      CUL_RETYPE_ELEMENT));
}
