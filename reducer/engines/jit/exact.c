/* Bounds of the numbers of a module: see exact.h. */
#include "exact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct bounding {
  struct cul_ir *ir;
  MlirOperation function; /* the function being changed */
  enum cul_exact_what what;
  struct cul_buf *why;
};

static bool refuse(struct bounding *b, MlirOperation op, const char *what) {
  MlirStringRef name = cul_ir_name(op);
  cul_buf_addf(b->why, "%.*s%s", (int)name.length, name.data, what);
  return false;
}

static bool is_float(struct bounding *b, MlirType type) {
  return mlirTypeIsAF64(type) ||
         strstr(cul_ir_type_text(b->ir, type), "f64") != NULL;
}

static bool touches_floats(struct bounding *b, MlirOperation op) {
  bool any = false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && !any; i++)
    any = is_float(b, mlirValueGetType(mlirOperationGetOperand(op, i)));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op) && !any; i++)
    any = is_float(b, mlirValueGetType(mlirOperationGetResult(op, i)));
  return any;
}

/* ---- making operations ---- */

static MlirOperation make(struct bounding *b, MlirOperation at,
                          const char *name, MlirType type,
                          const MlirValue *operands, intptr_t n) {
  MlirOperationState state =
      mlirOperationStateGet(cul_ir_str(name), b->ir->unknown);
  MlirOperation made;
  mlirOperationStateAddOperands(&state, n, operands);
  mlirOperationStateAddResults(&state, 1, &type);
  made = mlirOperationCreate(&state);
  cul_edit_insert_before(mlirOperationGetBlock(at), at, made);
  return made;
}

static MlirValue larger(struct bounding *b, MlirOperation at, MlirValue x,
                        MlirValue y) {
  MlirValue operands[] = {x, y};
  return mlirOperationGetResult(
      make(b, at, "llvm.intr.maxnum", mlirValueGetType(x), operands, 2), 0);
}

static void stand_for(MlirOperation op, MlirValue value) {
  cul_edit_replace_uses(mlirOperationGetResult(op, 0), value);
}

/* ---- numbers ---- */

/* Set *out to the magnitude; false if the number is not whole.  Infinities
 * count as 1: they take no part in finite sums.  If roundings are counted, a
 * constant has none. */
static bool magnitude(const struct bounding *b, double value, double *out) {
  *out = 0;
  if (b->what == CUL_EXACT_ROUNDINGS)
    return true;
  *out = isinf(value) ? 1 : fmax(1, fabs(value));
  return isinf(value) || value == rint(value);
}

static bool bound_elements(struct bounding *b, MlirOperation op,
                           MlirAttribute attr) {
  MlirAttribute made;
  int64_t n = mlirElementsAttrGetNumElements(attr);
  bool whole = true, splat = mlirDenseElementsAttrIsSplat(attr);
  double *values = cul_xcalloc((size_t)n + 1, sizeof *values);
  for (int64_t i = 0; i < n && whole; i++)
    whole = magnitude(b,
                      splat ? mlirDenseElementsAttrGetDoubleSplatValue(attr)
                            : mlirDenseElementsAttrGetDoubleValue(attr, i),
                      &values[i]);
  made = mlirDenseElementsAttrDoubleGet(mlirAttributeGetType(attr), n, values);
  free(values);
  if (!whole)
    return refuse(b, op, " has a number that is not whole");
  return cul_ir_set(b->ir, op, "value", made) ||
         refuse(b, op, " accepts no other number");
}

/* Change a constant, or the initial value of a global. */
static bool bound_constant(struct bounding *b, MlirOperation op) {
  MlirAttribute attr = cul_ir_get(op, "value");
  MlirType type = attr.ptr ? mlirAttributeGetType(attr) : (MlirType){NULL};
  double value;
  if (!attr.ptr || !is_float(b, type))
    return true;
  if (mlirAttributeIsADenseElements(attr) &&
      mlirTypeIsAF64(mlirShapedTypeGetElementType(type)))
    return bound_elements(b, op, attr);
  if (!mlirAttributeIsAFloat(attr))
    return refuse(b, op, " is not a number");
  if (!magnitude(b, mlirFloatAttrGetValueDouble(attr), &value))
    return refuse(b, op, " is not whole");
  return cul_ir_set(b->ir, op, "value",
                    mlirFloatAttrDoubleGet(b->ir->context, type, value)) ||
         refuse(b, op, " accepts no other number");
}

/* ---- operations ---- */

/* Bound a select.  The operands of its comparison must not be rounded
 * either. */
static bool bound_select(struct bounding *b, MlirOperation op) {
  MlirOperation test = cul_ir_defining_op(mlirOperationGetOperand(op, 0));
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  MlirValue bound;
  if (!mlirTypeIsAF64(
          mlirTypeIsAVector(type) ? mlirShapedTypeGetElementType(type) : type))
    return refuse(b, op, " of several numbers at once");
  bound = larger(b, op, mlirOperationGetOperand(op, 1),
                 mlirOperationGetOperand(op, 2));
  if (test.ptr && cul_ir_is(test, "llvm.fcmp")) {
    MlirValue compared = larger(b, test, mlirOperationGetOperand(test, 0),
                                mlirOperationGetOperand(test, 1));
    if (!mlirTypeEqual(mlirValueGetType(compared), mlirValueGetType(bound)))
      return refuse(b, op, " of other types than what it compares");
    bound = larger(b, op, bound, compared);
  }
  stand_for(op, bound);
  return true;
}

/* The result of a comparison may be used only by selects of floats. */
static bool bound_compare(struct bounding *b, MlirOperation op) {
  MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(op, 0));
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (!cul_ir_is(user, "llvm.select") || !touches_floats(b, user))
      return refuse(b, op, " controls other operations");
  }
  return true;
}

static MlirOperation function_named(struct bounding *b, const char *name) {
  CUL_IR_EACH_OP(other, mlirOperationGetBlock(b->function)) {
    MlirStringRef own;
    if (cul_ir_symbol_name(other, &own) && cul_ir_str_is(own, name))
      return other;
  }
  return (MlirOperation){NULL};
}

static bool takes_pointers(struct bounding *b, MlirOperation op) {
  bool any = false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && !any; i++)
    any = strstr(cul_ir_type_text(
                     b->ir, mlirValueGetType(mlirOperationGetOperand(op, i))),
                 "ptr") != NULL;
  return any;
}

/* ---- roundings ---- */

/* A float, or a vector of floats; false for others, which are not counted. */
static bool is_counted(MlirType type) {
  return mlirTypeIsAF64(type) ||
         (mlirTypeIsAVector(type) && !mlirVectorTypeIsScalable(type) &&
          mlirTypeIsAF64(mlirShapedTypeGetElementType(type)));
}

static MlirValue roundings(struct bounding *b, MlirOperation at, MlirType type,
                           double n) {
  MlirAttribute value =
      mlirFloatAttrDoubleGet(b->ir->context, mlirF64TypeGet(b->ir->context), n);
  MlirOperation made = make(b, at, "llvm.mlir.constant", type, NULL, 0);
  if (mlirTypeIsAVector(type))
    value = mlirDenseElementsAttrSplatGet(type, value);
  cul_ir_set(b->ir, made, "value", value);
  return mlirOperationGetResult(made, 0);
}

static MlirValue sum(struct bounding *b, MlirOperation at, MlirValue x,
                     MlirValue y) {
  MlirValue operands[] = {x, y};
  return mlirOperationGetResult(
      make(b, at, "llvm.fadd", mlirValueGetType(x), operands, 2), 0);
}

/* Replace the result of op by n and `more` roundings. */
static bool count(struct bounding *b, MlirOperation op, MlirValue n,
                  double more) {
  stand_for(op, sum(b, op, n, roundings(b, op, mlirValueGetType(n), more)));
  return true;
}

static MlirValue given(MlirOperation op, intptr_t i) {
  return mlirOperationGetOperand(op, i);
}

static bool count_sum(struct bounding *b, MlirOperation op) {
  return count(b, op, larger(b, op, given(op, 0), given(op, 1)), 1);
}

static bool count_product(struct bounding *b, MlirOperation op) {
  return count(b, op, sum(b, op, given(op, 0), given(op, 1)), 1);
}

static bool count_fma(struct bounding *b, MlirOperation op) {
  MlirValue product = sum(b, op, given(op, 0), given(op, 1));
  return count(b, op, larger(b, op, product, given(op, 2)), 2);
}

static bool count_choice(struct bounding *b, MlirOperation op) {
  stand_for(op, larger(b, op, given(op, 0), given(op, 1)));
  return true;
}

/* A function of libm, or its intrinsic. */
static bool count_math(struct bounding *b, MlirOperation op) {
  MlirValue most = given(op, 0);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    if (!is_counted(mlirValueGetType(given(op, i))))
      return refuse(b, op, " of other values");
    most = i ? larger(b, op, most, given(op, i)) : most;
  }
  return count(b, op, most, 2);
}

static bool count_conversion(struct bounding *b, MlirOperation op) {
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  if (!is_counted(type))
    return refuse(b, op, " of several numbers at once");
  stand_for(op, roundings(b, op, type, 1));
  return true;
}

/* Count a reduction of a vector: the largest number of its lanes, for a product
 * their sum, and one rounding per lane. */
static bool count_reduction(struct bounding *b, MlirOperation op) {
  bool product = cul_ir_is(op, "llvm.intr.vector.reduce.fmul");
  MlirType vector = mlirValueGetType(given(op, 1)),
           type = mlirValueGetType(given(op, 0));
  MlirValue of[] = {roundings(b, op, type, 0), given(op, 1)}, lanes;
  if (!is_counted(vector))
    return refuse(b, op, " of other values");
  lanes = mlirOperationGetResult(
      product ? make(b, op, "llvm.intr.vector.reduce.fadd", type, of, 2)
              : make(b, op, "llvm.intr.vector.reduce.fmax", type, of + 1, 1),
      0);
  lanes = product ? sum(b, op, lanes, given(op, 0))
                  : larger(b, op, lanes, given(op, 0));
  return count(b, op, lanes, (double)mlirShapedTypeGetDimSize(vector, 0));
}

static bool count_largest(struct bounding *b, MlirOperation op) {
  MlirValue of = given(op, 0);
  stand_for(op,
            mlirOperationGetResult(
                make(b, op, "llvm.intr.vector.reduce.fmax",
                     mlirValueGetType(mlirOperationGetResult(op, 0)), &of, 1),
                0));
  return true;
}

static bool count_function(struct bounding *b, MlirOperation op,
                           const char *name) {
  static const char *const names[] = {
      "exp",  "exp2", "expm1", "log",  "log2", "log10", "log1p", "sin",
      "cos",  "tan",  "tanh",  "sinh", "cosh", "erf",   "atan",  "atan2",
      "asin", "acos", "pow",   "cbrt", "sqrt", "erfc"};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(names); i++)
    if (strcmp(name, names[i]) == 0)
      return mlirOperationGetNumResults(op) == 1 && count_math(b, op);
  return false;
}

/* Functions of other libraries may compute anything, also from memory, and may
 * print numbers that are not results. */
static bool bound_call(struct bounding *b, MlirOperation op) {
  static const char *const plain[] = {"free", "memrefCopy", "puts"};
  MlirAttribute callee = cul_ir_get(op, "callee");
  MlirOperation function;
  bool known = false;
  char *name;
  if (!callee.ptr || !mlirAttributeIsAFlatSymbolRef(callee))
    return refuse(b, op, " of an address");
  name = cul_xstrndup(mlirFlatSymbolRefAttrGetValue(callee).data,
                      mlirFlatSymbolRefAttrGetValue(callee).length);
  function = function_named(b, name);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(plain); i++)
    known = known || strcmp(name, plain[i]) == 0;
  if (function.ptr && cul_ir_has_body(function))
    known = true;
  else if (b->what == CUL_EXACT_ROUNDINGS && count_function(b, op, name))
    known = true;
  else if (touches_floats(b, op))
    known = false;
  else
    known = known || !takes_pointers(b, op);
  if (!known)
    cul_buf_addf(b->why, "llvm.call of @%s", name);
  free(name);
  return known;
}

static bool become(struct bounding *b, MlirOperation op, const char *name) {
  MlirValue operands[] = {mlirOperationGetOperand(op, 0),
                          mlirOperationGetOperand(op, 1)};
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  stand_for(op,
            mlirOperationGetResult(make(b, op, name, type, operands, 2), 0));
  return true;
}

static bool bound_difference(struct bounding *b, MlirOperation op) {
  return become(b, op, "llvm.fadd");
}

static bool bound_least(struct bounding *b, MlirOperation op) {
  return become(b, op, "llvm.intr.maxnum");
}

static bool bound_negative(struct bounding *b, MlirOperation op) {
  (void)b;
  stand_for(op, mlirOperationGetOperand(op, 0));
  return true;
}

/* Operations on floats and their bounds; NULL: the operation bounds itself. */
static const struct rule {
  const char *name;
  bool (*bound)(struct bounding *b, MlirOperation op);
} rules[] = {{"llvm.fadd", NULL},
             {"llvm.fmul", NULL},
             {"llvm.intr.fma", NULL},
             {"llvm.intr.fmuladd", NULL},
             {"llvm.intr.fabs", NULL},
             {"llvm.intr.maxnum", NULL},
             {"llvm.intr.maximum", NULL},
             {"llvm.intr.vector.reduce.fadd", NULL},
             {"llvm.intr.vector.reduce.fmul", NULL},
             {"llvm.intr.vector.reduce.fmax", NULL},
             {"llvm.intr.vector.reduce.fmaximum", NULL},
             {"llvm.load", NULL},
             {"llvm.store", NULL},
             {"llvm.br", NULL},
             {"llvm.cond_br", NULL},
             {"llvm.return", NULL},
             {"llvm.freeze", NULL},
             {"llvm.insertelement", NULL},
             {"llvm.extractelement", NULL},
             {"llvm.shufflevector", NULL},
             {"llvm.insertvalue", NULL},
             {"llvm.extractvalue", NULL},
             {"llvm.mlir.undef", NULL},
             {"llvm.mlir.poison", NULL},
             {"llvm.getelementptr", NULL},
             {"llvm.intr.masked.load", NULL},
             {"llvm.intr.masked.store", NULL},
             {"llvm.intr.vector.insert", NULL},
             {"llvm.intr.vector.extract", NULL},
             {"llvm.fsub", bound_difference},
             {"llvm.fneg", bound_negative},
             {"llvm.intr.minnum", bound_least},
             {"llvm.intr.minimum", bound_least},
             {"llvm.fcmp", bound_compare},
             {"llvm.select", bound_select},
             {"llvm.mlir.constant", bound_constant}};

/* Operations whose roundings are counted; the others of the first table move
 * numbers. */
static const struct rule counted[] = {
    {"llvm.fadd", count_sum},
    {"llvm.fsub", count_sum},
    {"llvm.fmul", count_product},
    {"llvm.fdiv", count_product},
    {"llvm.intr.fma", count_fma},
    {"llvm.intr.fmuladd", count_fma},
    {"llvm.intr.fabs", bound_negative},
    {"llvm.intr.maxnum", count_choice},
    {"llvm.intr.maximum", count_choice},
    {"llvm.intr.minnum", count_choice},
    {"llvm.intr.minimum", count_choice},
    {"llvm.intr.sqrt", count_math},
    {"llvm.intr.exp", count_math},
    {"llvm.intr.exp2", count_math},
    {"llvm.intr.log", count_math},
    {"llvm.intr.log2", count_math},
    {"llvm.intr.log10", count_math},
    {"llvm.intr.sin", count_math},
    {"llvm.intr.cos", count_math},
    {"llvm.intr.tanh", count_math},
    {"llvm.intr.pow", count_math},
    {"llvm.sitofp", count_conversion},
    {"llvm.uitofp", count_conversion},
    {"llvm.intr.vector.reduce.fadd", count_reduction},
    {"llvm.intr.vector.reduce.fmul", count_reduction},
    {"llvm.intr.vector.reduce.fmin", count_largest},
    {"llvm.intr.vector.reduce.fminimum", count_largest}};

static bool bound_op(struct bounding *b, MlirOperation op) {
  if (cul_ir_is(op, "llvm.mlir.global"))
    return bound_constant(b, op);
  if (cul_ir_is(op, "llvm.func"))
    b->function = op;
  if (cul_ir_is(op, "llvm.call"))
    return bound_call(b, op);
  if (!touches_floats(b, op))
    return true;
  for (size_t i = 0;
       b->what == CUL_EXACT_ROUNDINGS && i < CUL_ARRAY_SIZE(counted); i++)
    if (cul_ir_is(op, counted[i].name))
      return counted[i].bound(b, op);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(rules); i++)
    if (cul_ir_is(op, rules[i].name))
      return !rules[i].bound || rules[i].bound(b, op);
  return refuse(b, op, " rounds, or may");
}

bool cul_exact_bound(struct cul_ir *ir, MlirOperation module,
                     enum cul_exact_what what, struct cul_buf *why) {
  struct cul_buf text = {0};
  struct bounding b = {.ir = ir, .why = &text, .what = what};
  struct cul_ir_list list = {0};
  bool ok = true;
  cul_ir_list(module, &list);
  for (size_t i = 1; i < list.n && ok; i++)
    ok = bound_op(&b, list.items[i].op);
  cul_ir_list_release(&list);
  cul_buf_add(why, text.data, text.len);
  cul_buf_release(&text);
  return ok;
}
