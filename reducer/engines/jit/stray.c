/* Numbers that stray as rounding would make them: see stray.h.
 *
 * Only dialect arith is used, on tensors too: every compiler of tensors takes it.
 * Some of them have no conversion from f64, so numbers are
 * rounded as T. J. Dekker splits them (Numerische Mathematik 18, 1971): with t =
 * x * (2^n + 1), t - (t - x) has the leading 53 - n digits of x. */
#include "stray.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../base/tensor/tensor.h"
#include "../../subject/ir/compat.h"
#include "../plan/inputs.h"

enum { DOUBLE_DIGITS = 53 };

/* By how many roundoffs number i strays: half of one to one.  Two that strayed by
 * the same could cancel. */
static double draw(unsigned way, uint64_t which, uint64_t i) {
  uint64_t drawn = cul_inputs_mix(cul_inputs_mix(way ^ which << 32) ^ i);
  double size = 0.5 + ldexp((double)(drawn >> 32), -33);
  return drawn & 1 ? size : -size;
}

static double factor_of(unsigned digits) {
  return ldexp(1, (int)(DOUBLE_DIGITS - digits)) + 1;
}

double cul_stray_constant(double value, unsigned digits, unsigned way,
                          uint64_t i) {
  double t = value * factor_of(digits / 2);
  if (!isfinite(t) || t - (t - value) == value)
    return value;
  return value * (1 + ldexp(draw(way, UINT32_MAX, i), -(int)digits));
}

/* ---- which ---- */

/* The digits of a float type, or of the elements of a shape of known size; 0:
 * it is none, or has those of f64. */
static unsigned digits_of(struct cul_ir *ir, MlirType type) {
  bool shaped = mlirTypeIsAShaped(type);
  MlirType element = shaped ? mlirShapedTypeGetElementType(type) : type;
  const char *name;
  enum cul_dtype dtype;
  if (shaped && !mlirTypeIsARankedTensor(type) && !mlirTypeIsAVector(type))
    return 0;
  if (shaped && !mlirShapedTypeHasStaticShape(type))
    return 0;
  if (!mlirTypeIsAFloat(element) || mlirTypeIsAF64(element))
    return 0;
  name = cul_ir_type_text(ir, element);
  return cul_dtype_parse(name, strlen(name), &dtype)
             ? cul_dtype_info(dtype)->man + 1U
             : 0;
}

static void add(struct cul_ir *ir, MlirValue value, struct cul_strays *out) {
  unsigned digits = digits_of(ir, mlirValueGetType(value));
  if (digits && mlirValueGetFirstUse(value).ptr)
    CUL_XADD(out->items, out->n, out->cap) = (struct cul_stray){value, digits};
}

/* Do the arguments of the region's first block have the types of the
 * operation's operands, or are there none?  So it is where control flows
 * through; the operations of a reduction are of single elements. */
static bool flows_into(MlirOperation op, MlirRegion region) {
  MlirBlock block = mlirRegionGetFirstBlock(region);
  intptr_t n = block.ptr ? mlirBlockGetNumArguments(block) : 0;
  bool same = n == 0 || n == mlirOperationGetNumOperands(op);
  for (intptr_t i = 0; i < n && same; i++)
    same = mlirTypeEqual(mlirValueGetType(mlirBlockGetArgument(block, i)),
                         mlirValueGetType(mlirOperationGetOperand(op, i)));
  return same;
}

/* May operations stand among those inside of this one? */
static bool is_open(MlirOperation op) {
  bool open = true;
  if (cul_ir_is_of(op, "linalg."))
    return cul_ir_is(op, "linalg.generic");
  if (cul_compat_is_registered(op))
    return true;
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op) && open; r++)
    open = flows_into(op, mlirOperationGetRegion(op, r));
  return open;
}

static bool is_reached(MlirOperation op) {
  for (op = cul_ir_parent(op); op.ptr; op = cul_ir_parent(op))
    if (!is_open(op))
      return false;
  return true;
}

/* Add the arguments of a function that is called from outside. */
static void add_arguments(struct cul_ir *ir, MlirOperation op,
                          struct cul_strays *out) {
  MlirAttribute visibility = cul_ir_get(op, "sym_visibility");
  MlirBlock block;
  if (!cul_ir_is(op, "func.func") || visibility.ptr)
    return;
  block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  for (intptr_t i = 0; block.ptr && i < mlirBlockGetNumArguments(block); i++)
    add(ir, mlirBlockGetArgument(block, i), out);
}

void cul_strays_find(struct cul_ir *ir, cul_stray_rounds *rounds,
                     struct cul_strays *out) {
  struct cul_ir_list list = {0};
  cul_ir_list(ir->root, &list);
  for (size_t i = 0; i < list.n; i++) {
    MlirOperation op = list.items[i].op;
    add_arguments(ir, op, out);
    if (!mlirOperationGetNumOperands(op) || !rounds(op) || !is_reached(op))
      continue;
    for (intptr_t r = 0; r < mlirOperationGetNumResults(op); r++)
      add(ir, mlirOperationGetResult(op, r), out);
  }
  cul_ir_list_release(&list);
}

void cul_strays_release(struct cul_strays *strays) { free(strays->items); }

/* ---- edits ---- */

/* What is made for one value. */
struct making {
  struct cul_ir *ir;
  MlirOperation before;
  MlirType type;
  MlirOperation made[20];
  size_t n;
};

static MlirValue make(struct making *m, const char *name, MlirType type,
                      size_t n, const MlirValue *operands) {
  struct cul_ir_new what = {.name = name,
                            .operands = operands,
                            .n_operands = n,
                            .results = &type,
                            .n_results = 1};
  MlirOperation op = cul_ir_create(m->ir, &what, m->before);
  m->made[m->n++] = op;
  return mlirOperationGetResult(op, 0);
}

static MlirValue make_two(struct making *m, const char *name, MlirValue a,
                          MlirValue b) {
  return make(m, name, m->type, 2, (const MlirValue[2]){a, b});
}

static MlirValue make_number(struct making *m, double number) {
  MlirAttribute attr = mlirFloatAttrDoubleGet(
      m->ir->context, mlirF64TypeGet(m->ir->context), number);
  MlirValue made = make(m, "arith.constant", m->type, 0, NULL);
  if (mlirTypeIsAShaped(m->type))
    attr = mlirDenseElementsAttrSplatGet(m->type, attr);
  cul_ir_set(m->ir, mlirOpResultGetOwner(made), "value", attr);
  return made;
}

/* i1 in the shape of the type. */
static MlirType flags_of(struct cul_ir *ir, MlirType type) {
  MlirType flag = mlirIntegerTypeGet(ir->context, 1);
  int64_t dims[CUL_TENSOR_MAX_RANK];
  intptr_t rank = mlirTypeIsAShaped(type) ? mlirShapedTypeGetRank(type) : 0;
  for (intptr_t d = 0; d < rank; d++)
    dims[d] = mlirShapedTypeGetDimSize(type, d);
  if (mlirTypeIsAVector(type))
    return mlirVectorTypeGet(rank, dims, flag);
  if (mlirTypeIsAShaped(type))
    return mlirRankedTensorTypeGet(rank, dims, flag,
                                   mlirRankedTensorTypeGetEncoding(type));
  return flag;
}

/* value, rounded to so many digits; no number where that overflows. */
static MlirValue make_rounded(struct making *m, MlirValue value,
                              unsigned digits) {
  MlirValue t =
      make_two(m, "arith.mulf", value, make_number(m, factor_of(digits)));
  return make_two(m, "arith.subf", t, make_two(m, "arith.subf", t, value));
}

enum { EQUAL = 1, GREATER = 2 }; /* arith: oeq, ogt */

static MlirValue make_is(struct making *m, int64_t predicate, MlirValue a,
                         MlirValue b) {
  MlirType integer = mlirIntegerTypeGet(m->ir->context, 64);
  MlirValue made = make(m, "arith.cmpf", flags_of(m->ir, m->type), 2,
                        (const MlirValue[2]){a, b});
  cul_ir_set(m->ir, mlirOpResultGetOwner(made), "predicate",
             mlirIntegerAttrGet(integer, predicate));
  return made;
}

static MlirValue make_choice(struct making *m, MlirValue flag, MlirValue a,
                             MlirValue b) {
  return make(m, "arith.select", m->type, 3,
              (const MlirValue[3]){flag, a, b});
}

/* What value becomes: itself where it has at most so many digits, else moved by
 * a share of it.  Its other digits, those behind `signs`, say which way: so each
 * element of a tensor goes its own. */
static MlirValue make_stray(struct making *m, MlirValue value, unsigned digits,
                            unsigned signs, double share) {
  MlirValue head = make_rounded(m, value, digits);
  MlirValue sign = signs == digits ? head : make_rounded(m, value, signs);
  MlirValue factor =
      make_choice(m, make_is(m, GREATER, sign, value),
                  make_number(m, 1 + share), make_number(m, 1 - share));
  MlirValue moved = make_two(m, "arith.mulf", value, factor);
  return make_choice(m, make_is(m, EQUAL, head, value), value, moved);
}

static void insert(struct cul_ir *ir, const struct cul_stray *stray,
                   unsigned way, double roundoffs) {
  enum { APART = 2 }; /* digits between those that say which way */
  MlirValue value = stray->value, strayed;
  bool given = mlirValueIsABlockArgument(value);
  unsigned digits = given ? stray->digits / 2 : stray->digits;
  unsigned less = (way - 1) * APART;
  struct making m = {.ir = ir, .type = mlirValueGetType(value)};
  if (given)
    m.before = mlirBlockGetFirstOperation(mlirBlockArgumentGetOwner(value));
  else
    m.before = cul_ir_next_op(mlirOpResultGetOwner(value));
  strayed = make_stray(&m, value, digits, less < digits ? digits - less : digits,
                       ldexp(roundoffs, -(int)stray->digits));
  cul_ir_replace_uses(value, strayed);
  for (size_t i = 0; i < m.n; i++)
    for (intptr_t k = 0; k < mlirOperationGetNumOperands(m.made[i]); k++)
      if (mlirValueEqual(mlirOperationGetOperand(m.made[i], k), strayed))
        cul_edit_set_operand(m.made[i], k, value);
}

void cul_strays_insert(struct cul_ir *ir, const struct cul_strays *strays,
                       unsigned way) {
  for (size_t i = 0; i < strays->n; i++)
    insert(ir, &strays->items[i], way, draw(way, i, 0));
}
