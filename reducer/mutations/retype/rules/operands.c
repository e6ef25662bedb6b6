/* Lists and numbers that are operands, in words of rules "@1": constants, or
 * torch.prim.ListConstruct of them.  They follow dimensions and sizes, each
 * where it is used; what else a constant is used for stays. */
#include "rank.h"

#include <string.h>

static MlirOperation maker_of(MlirOperation op, intptr_t at) {
  return at >= 0 && at < mlirOperationGetNumOperands(op)
             ? cul_ir_defining_op(mlirOperationGetOperand(op, at))
             : (MlirOperation){NULL};
}

static MlirOperation listed(MlirOperation op, intptr_t at) {
  MlirOperation maker = maker_of(op, at);
  return maker.ptr && cul_ir_is(maker, "torch.prim.ListConstruct")
             ? maker
             : (MlirOperation){NULL};
}

MlirOperation cul_retype_joined(MlirOperation op) {
  MlirOperation list = listed(op, 0);
  return list.ptr ? list : op;
}

/* ---- reading ---- */

/* The numbers of a constant; of a truth 1 or 0. */
static size_t constant(MlirOperation maker, int64_t *out) {
  MlirAttribute value = {NULL};
  size_t n = maker.ptr ? cul_numbers_named(maker, "values", out) : 0;
  if (!maker.ptr || n > 0)
    return n;
  value = cul_ir_get(maker, "value");
  if (!value.ptr || !mlirAttributeIsABool(value))
    return cul_numbers(value, out);
  out[0] = mlirBoolAttrGetValue(value);
  return 1;
}

bool cul_retype_operand(MlirOperation op, intptr_t at, int64_t *out,
                        size_t *n) {
  MlirOperation list = listed(op, at);
  int64_t one[CUL_RETYPE_MAX];
  if (!list.ptr)
    return (*n = constant(maker_of(op, at), out)) > 0;
  *n = (size_t)mlirOperationGetNumOperands(list);
  for (size_t i = 0; i < *n && i < CUL_RETYPE_MAX; i++)
    out[i] = constant(maker_of(list, (intptr_t)i), one) == 1
                 ? one[0]
                 : CUL_RETYPE_DYNAMIC;
  return *n <= CUL_RETYPE_MAX;
}

bool cul_retype_dims(MlirOperation op, const char *name, size_t rank,
                     int64_t *out, size_t *n) {
  if (*name != '@') {
    MlirAttribute attr = cul_ir_get(op, name);
    *n = cul_numbers(attr, out);
    return attr.ptr != NULL;
  }
  if (!cul_retype_operand(op, name[1] - '0', out, n))
    return false;
  for (size_t i = 0; i < *n; i++)
    if (out[i] < 0 && out[i] != CUL_RETYPE_DYNAMIC)
      out[i] += (int64_t)rank;
  return true;
}

/* ---- conditions ---- */

static bool is_given(const struct cul_retype *g, MlirOperation op, size_t arg) {
  const char *text = cul_retype_arg(g, arg), *least, *most;
  int64_t numbers[CUL_RETYPE_MAX], value;
  const char *entry = strchr(text, '[');
  size_t i = entry ? (size_t)(entry[1] - '0') : 0, n;
  if (!cul_retype_operand(op, text[0] - '0', numbers, &n) || i >= n)
    return false;
  value = numbers[i];
  least = cul_retype_arg(g, arg + 1);
  most = cul_retype_arg(g, arg + 2);
  if (*least == '@') {
    MlirValue of = mlirOperationGetOperand(op, 0);
    uint32_t node;
    if (!cul_retype_dims(op, least, cul_retype_rank(g, of), numbers, &n))
      return false;
    node = cul_retype_size(g, of, numbers[0]);
    return node != CUL_RETYPE_NONE && value >= g->nodes.value[node];
  }
  return value >= cul_retype_arg_number(g, arg + 1) &&
         (!*most || value <= cul_retype_arg_number(g, arg + 2));
}

void cul_retype_rule_given(struct cul_retype *g, MlirOperation op) {
  g->lacks = false;
  for (size_t arg = 0; arg + 2 < g->word->n_args; arg += 3)
    g->lacks |= !is_given(g, op, arg);
}

/* ---- writing ---- */

MlirValue cul_retype_constant(struct cul_retype *g, MlirOperation like,
                              int64_t number, MlirOperation op) {
  MlirOperation made = cul_ir_clone(like);
  MlirAttribute value = cul_ir_get(like, "value");
  cul_edit_insert_before(mlirOperationGetBlock(op), op, made);
  (void)cul_ir_set(g->ir, made, "value",
                   cul_numbers_replaced(g->ir, value, &number, 1));
  return mlirOperationGetResult(made, 0);
}

static void replace(struct cul_retype *g, MlirOperation op, intptr_t at,
                    MlirValue with) {
  MlirOperation old = maker_of(op, at);
  cul_edit_set_operand(op, at, with);
  if (old.ptr && cul_ir_alive(g->ir, old))
    (void)cul_ir_sweep(g->ir, old);
}

/* A constant that is a list: in place where it has no other use. */
static void write_values(struct cul_retype *g, MlirOperation op, intptr_t at,
                         const int64_t *now, size_t n) {
  MlirOperation list = maker_of(op, at);
  MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(list, 0));
  MlirAttribute values =
      cul_numbers_replaced(g->ir, cul_ir_get(list, "values"), now, n);
  if (!mlirOpOperandIsNull(mlirOpOperandGetNextUse(use))) {
    list = cul_ir_clone(list);
    cul_edit_insert_before(mlirOperationGetBlock(op), op, list);
    cul_edit_set_operand(op, at, mlirOperationGetResult(list, 0));
  }
  (void)cul_ir_set(g->ir, list, "values", values);
}

static void write_list(struct cul_retype *g, MlirOperation op, intptr_t at,
                       const int64_t *old, const int64_t *now, size_t n) {
  MlirValue items[CUL_RETYPE_MAX];
  MlirOperation list = listed(op, at), fresh;
  MlirType type = mlirValueGetType(mlirOperationGetOperand(op, at));
  size_t kept = 0;
  for (size_t i = 0; i < n; i++)
    if (now[i] == old[i])
      items[kept++] = mlirOperationGetOperand(list, (intptr_t)i);
    else if (now[i] != CUL_RETYPE_GONE)
      items[kept++] =
          cul_retype_constant(g, maker_of(list, (intptr_t)i), now[i], op);
  fresh = cul_ir_create(
      g->ir,
      &(struct cul_ir_new){"torch.prim.ListConstruct", items, kept, &type, 1},
      op);
  if (fresh.ptr)
    replace(g, op, at, mlirOperationGetResult(fresh, 0));
}

/* What has gone, CUL_RETYPE_GONE, leaves a list. */
static void write_numbers(struct cul_retype *g, MlirOperation op, intptr_t at,
                          const int64_t *old, const int64_t *now, size_t n) {
  MlirOperation maker = maker_of(op, at);
  if (n == 0 || memcmp(old, now, n * sizeof *old) == 0)
    return;
  if (listed(op, at).ptr)
    write_list(g, op, at, old, now, n);
  else if (cul_ir_get(maker, "values").ptr)
    write_values(g, op, at, now, n);
  else if (now[0] != CUL_RETYPE_GONE)
    replace(g, op, at, cul_retype_constant(g, maker, now[0], op));
}

/* What counts from the end is right where nothing behind it goes. */
void cul_retype_thin_operand(struct cul_retype *g, MlirOperation op,
                             intptr_t at, MlirValue of) {
  int64_t old[CUL_RETYPE_MAX], now[CUL_RETYPE_MAX];
  int64_t rank = (int64_t)cul_retype_rank(g, of);
  int64_t left = cul_retype_renumber(g, of, rank);
  size_t n;
  if (!cul_retype_operand(op, at, old, &n))
    return;
  for (size_t i = 0; i < n; i++) {
    int64_t dim = old[i] < 0 ? old[i] + rank : old[i];
    now[i] = cul_retype_renumber(g, of, dim);
    if (old[i] == CUL_RETYPE_DYNAMIC ||
        (old[i] < 0 && left - now[i] == -old[i]))
      now[i] = old[i];
    if (old[i] != CUL_RETYPE_DYNAMIC && cul_retype_is_gone(g, of, dim))
      now[i] = CUL_RETYPE_GONE;
  }
  write_numbers(g, op, at, old, now, n);
}

/* ---- a shape: operand N of the word ---- */

/* How the list begins among the sizes of the result that it is the last of.
 * -1: it is no list of them. */
static int64_t first_size(const struct cul_retype *g, MlirOperation op,
                          int64_t *out, size_t *n) {
  size_t rank;
  if (mlirOperationGetNumResults(op) == 0 ||
      !cul_retype_operand(op, cul_retype_arg_number(g, 0), out, n))
    return -1;
  rank = cul_retype_rank(g, cul_retype_outcome(op));
  return *n == rank || (*n < rank && cul_retype_arg(g, 1))
             ? (int64_t)(rank - *n)
             : -1;
}

/* -1 is whatever is left.  What only ends so has these dimensions. */
void cul_retype_rule_shape(struct cul_retype *g, MlirOperation op) {
  int64_t sizes[CUL_RETYPE_MAX];
  size_t n;
  int64_t first = first_size(g, op, sizes, &n);
  bool is = first >= 0, stays = g->ranks && cul_retype_arg(g, 1);
  for (size_t i = 0; first >= 0 && i < n; i++) {
    uint32_t node =
        cul_retype_size(g, cul_retype_outcome(op), first + (int64_t)i);
    is &= sizes[i] == -1 || sizes[i] == CUL_RETYPE_DYNAMIC ||
          sizes[i] == g->nodes.value[node];
    if (stays)
      cul_retype_pin(g, node);
  }
  if (!is && cul_retype_is_unverified(op))
    cul_retype_pin_all(g, op);
}

void cul_retype_fix_up_shape(struct cul_retype *g, MlirOperation op) {
  int64_t old[CUL_RETYPE_MAX], now[CUL_RETYPE_MAX];
  size_t n;
  int64_t first = first_size(g, op, old, &n);
  for (size_t i = 0; first >= 0 && i < n; i++) {
    now[i] = cul_retype_now(
        g, cul_retype_size(g, cul_retype_outcome(op), first + (int64_t)i));
    if (now[i] == CUL_RETYPE_DYNAMIC ||
        (now[i] != CUL_RETYPE_GONE &&
         (old[i] == -1 || old[i] == CUL_RETYPE_DYNAMIC)))
      now[i] = old[i];
  }
  if (first >= 0)
    write_numbers(g, op, cul_retype_arg_number(g, 0), old, now, n);
}

/* ---- what is typed by them ---- */

/* A number that is the element type, or None: without a value. */
void cul_retype_rule_typed(struct cul_retype *g, MlirOperation op) {
  MlirOperation maker = maker_of(op, cul_retype_arg_number(g, 0));
  if (maker.ptr && !cul_ir_is(maker, "torch.constant.none"))
    cul_retype_pin(
        g, cul_retype_node(g, cul_retype_outcome(op), CUL_RETYPE_ELEMENT));
}

/* A list of tensors says nothing of them, or repeats their type. */
void cul_retype_rule_repeats(struct cul_retype *g, MlirOperation op) {
  if (strchr(cul_ir_type_text(g->ir, mlirValueGetType(cul_retype_outcome(op))),
             '['))
    cul_retype_rule_pinned(g, op);
}
