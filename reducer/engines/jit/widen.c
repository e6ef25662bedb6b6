/* Change modules to f64: see widen.h; and the engine "widen", which prints such
 * a module. */
#include "widen.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../base/options/opt.h"
#include "../../../base/tensor/tensor.h"
#include "../../subject/ir/compat.h"
#include "../engine.h"
#include "../plan/inputs.h"

struct widening {
  struct cul_ir *ir;
  struct cul_widened *out;
  MlirType f64;
  unsigned stray; /* how lists of constants are perturbed; 0: not at all */
};

/* ---- types ---- */

/* Read the name of a float type at text; false: there is none.  *len: length of
 * the name. */
static bool float_at(const char *text, size_t *len, enum cul_dtype *out) {
  *len = 0;
  while (isalnum((unsigned char)text[*len]) || text[*len] == '_')
    ++*len;
  if (strncmp(text, "tf32", *len) == 0 && *len == 4)
    return *out = CUL_F16, true; /* tf32 has as many digits */
  return *len > 1 && (text[0] == 'f' || text[0] == 'b') &&
         cul_dtype_parse(text, *len, out) &&
         cul_dtype_info(*out)->kind == CUL_IS_FLOAT;
}

/* Can the name of a type begin at `at`?  It can in 4xf32, <f32, (f32. */
static bool begins(const char *text, const char *at) {
  if (at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_'))
    return true;
  return at[-1] == 'x' && at - text > 1 &&
         (isdigit((unsigned char)at[-2]) || strchr("?]*", at[-2]));
}

static void note_type(struct widening *w, enum cul_dtype dtype) {
  unsigned digits = cul_dtype_info(dtype)->man + 1;
  if (digits < w->out->digits)
    w->out->digits = digits;
}

/* Change a type through its text, which has the same form for types of all
 * dialects.  Returns the type itself if it has no float, null if the new text
 * does not parse. */
static MlirType widen_type(struct widening *w, MlirType type) {
  const char *text = cul_ir_type_text(w->ir, type);
  struct cul_buf other = {0};
  bool changed = false;
  for (const char *at = text; *at;) {
    enum cul_dtype dtype;
    size_t len;
    if (!begins(text, at) || !float_at(at, &len, &dtype)) {
      cul_buf_addc(&other, *at++);
      continue;
    }
    note_type(w, dtype);
    changed = changed || dtype != CUL_F64;
    cul_buf_adds(&other, "f64");
    at += len;
  }
  if (changed)
    type = cul_ir_type_parse(w->ir, cul_buf_str(&other));
  cul_buf_release(&other);
  return type;
}

/* ---- roundings ---- */

/* The largest roundoff of the float types of the results; 0 without one. */
static double roundoff_of(struct widening *w, MlirOperation op) {
  double most = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
    const char *text = cul_ir_type_text(
        w->ir, mlirValueGetType(mlirOperationGetResult(op, i)));
    for (const char *at = text; *at; at++) {
      enum cul_dtype dtype;
      size_t len;
      if (begins(text, at) && float_at(at, &len, &dtype) &&
          cul_dtype_roundoff(dtype) > most)
        most = cul_dtype_roundoff(dtype);
    }
  }
  return most;
}

/* Does the operation only move or select numbers?  False for an operation that
 * encloses others, which may compute. */
static bool is_movement(MlirOperation op) {
  static const char *const dialects[] = {
      "builtin.", "tensor.",    "memref.", "func.",
      "scf.",     "affine.",    "cf.",     "gpu.",
      "index.",   "transform.", "linalg.", "bufferization.",
      "ub."};
  static const char *const choices[] = {
      "arith.constant", "arith.select",   "arith.extf",     "arith.bitcast",
      "arith.negf",     "arith.maximumf", "arith.minimumf", "arith.maxnumf",
      "arith.minnumf",  "math.absf",      "math.copysign"};
  static const char *const computed[] = {
      "vector.contract",     "vector.fma",  "vector.multi_reduction",
      "vector.outerproduct", "vector.scan", "vector.reduction"};
  MlirStringRef name = cul_ir_name(op);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(dialects); i++) {
    size_t len = strlen(dialects[i]);
    if (name.length > len && memcmp(name.data, dialects[i], len) == 0)
      return !cul_ir_is(op, "linalg.softmax");
  }
  if (name.length > 7 && memcmp(name.data, "vector.", 7) == 0)
    return !cul_ir_is_among(op, computed, CUL_ARRAY_SIZE(computed));
  return cul_ir_is_among(op, choices, CUL_ARRAY_SIZE(choices));
}

/* May the operation be executed repeatedly for one element? */
static bool is_repeated(struct widening *w, MlirOperation op) {
  static const char *const once[] = {"func.func", "scf.forall", "scf.parallel",
                                     "scf.if", "builtin.module"};
  for (op = cul_ir_parent(op); op.ptr; op = cul_ir_parent(op)) {
    MlirAttribute kinds = cul_ir_get(op, "iterator_types");
    bool parallel = kinds.ptr && mlirAttributeIsAArray(kinds);
    for (intptr_t i = 0; parallel && i < mlirArrayAttrGetNumElements(kinds);
         i++)
      parallel =
          strstr(cul_ir_attr_text(w->ir, mlirArrayAttrGetElement(kinds, i)),
                 "parallel") != NULL;
    if (!parallel && !cul_ir_is_among(op, once, CUL_ARRAY_SIZE(once)))
      return true;
  }
  return false;
}

static void note_roundings(struct widening *w, MlirOperation op) {
  static const char *const narrowing[] = {"arith.truncf", "llvm.fptrunc"};
  bool converts = cul_ir_is_among(op, narrowing, CUL_ARRAY_SIZE(narrowing));
  double roundoff = is_movement(op) ? 0 : roundoff_of(w, op);
  if (converts && !is_repeated(w, op))
    w->out->converted += roundoff;
  else if (roundoff > w->out->computed)
    w->out->computed = roundoff;
}

/* ---- perturbations (strays) ---- */

/* Numbers are perturbed like rounding errors; the change of the results shows
 * the effect of rounding.
 *
 * A number that the original type rounds is moved by about a roundoff of that
 * type, up or down.  A number that the type represents exactly stays, so that
 * whole numbers have no noise.  Inputs and lists of constants are not rounded,
 * but sums inside one operation, which are rounded, change with their terms.
 * So these are moved as well if they have more than half the digits of their
 * type; sums of shorter numbers are exact.  Left out are values with dynamic
 * dimensions, complex numbers, and operations inside operations that read them
 * as a pattern (the sum of a reduction).
 *
 * Only dialect arith is used, on tensors too, because every compiler of tensors
 * supports it.  Some compilers have no conversion from f64, so numbers are
 * rounded by the method of T.  J.  Dekker (Numerische Mathematik 18, 1971):
 * with t = x * (2^n + 1), t - (t - x) has the leading 53 - n digits of x. */

/* The values to perturb, in the original module. */
struct strays {
  struct stray {
    MlirValue value;
    unsigned digits; /* digits of its type, including the leading one */
  } *items;
  size_t n, cap;
};

enum { DOUBLE_DIGITS = 53 };

/* By how many roundoffs to move number i: 0.5 to 1.  Two numbers that were
 * moved by the same amount could cancel. */
static double draw_roundoffs(unsigned way, uint64_t which, uint64_t i) {
  uint64_t drawn = cul_inputs_mix(cul_inputs_mix(way ^ which << 32) ^ i);
  double size = 0.5 + ldexp((double)(drawn >> 32), -33);
  return drawn & 1 ? size : -size;
}

static double factor_of(unsigned digits) {
  return ldexp(1, (int)(DOUBLE_DIGITS - digits)) + 1;
}

static double stray_constant(double value, unsigned digits, unsigned way,
                             uint64_t i) {
  double t = value * factor_of(digits / 2);
  if (!isfinite(t) || t - (t - value) == value)
    return value;
  return value * (1 + ldexp(draw_roundoffs(way, UINT32_MAX, i), -(int)digits));
}

/* Selects the values. */

/* The digits of a float type, or of the elements of a statically shaped type;
 * 0: another type, or the digits of f64. */
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

static void add_stray(struct cul_ir *ir, MlirValue value, struct strays *out) {
  unsigned digits = digits_of(ir, mlirValueGetType(value));
  if (digits && mlirValueGetFirstUse(value).ptr)
    CUL_XADD(out->items, out->n, out->cap) = (struct stray){value, digits};
}

/* Does control flow pass operands into the region?  It does if its first block
 * has arguments of their types, or none; the region of a reduction has
 * arguments for single elements. */
static bool flows_into(MlirOperation op, MlirRegion region) {
  MlirBlock block = mlirRegionGetFirstBlock(region);
  intptr_t n = block.ptr ? mlirBlockGetNumArguments(block) : 0;
  bool same = n == 0 || n == mlirOperationGetNumOperands(op);
  for (intptr_t i = 0; i < n && same; i++)
    same = mlirTypeEqual(mlirValueGetType(mlirBlockGetArgument(block, i)),
                         mlirValueGetType(mlirOperationGetOperand(op, i)));
  return same;
}

/* May operations be inserted inside this one? */
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
                          struct strays *out) {
  MlirAttribute visibility = cul_ir_get(op, "sym_visibility");
  MlirBlock block;
  if (!cul_ir_is(op, "func.func") || visibility.ptr)
    return;
  block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  for (intptr_t i = 0; block.ptr && i < mlirBlockGetNumArguments(block); i++)
    add_stray(ir, mlirBlockGetArgument(block, i), out);
}

static void find_strays(struct cul_ir *ir, struct strays *out) {
  struct cul_ir_list list = {0};
  cul_ir_list(ir->root, &list);
  for (size_t i = 0; i < list.n; i++) {
    MlirOperation op = list.items[i].op;
    add_arguments(ir, op, out);
    if (!mlirOperationGetNumOperands(op) || is_movement(op) || !is_reached(op))
      continue;
    for (intptr_t r = 0; r < mlirOperationGetNumResults(op); r++)
      add_stray(ir, mlirOperationGetResult(op, r), out);
  }
  cul_ir_list_release(&list);
}

/* Creates the perturbations. */

/* The operations for one value. */
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

/* The type i1 in the shape of the type. */
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

/* Round value to so many digits; NaN if that overflows. */
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
  return make(m, "arith.select", m->type, 3, (const MlirValue[3]){flag, a, b});
}

/* Perturb value: unchanged if it has at most so many digits, else moved by a
 * fraction of it.  Its digits after `signs` select the direction, so that each
 * element of a tensor has its own. */
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

static void insert_stray(struct cul_ir *ir, const struct stray *stray,
                         unsigned way, double roundoffs) {
  enum {
    APART = 2
  }; /* distance in digits between those that select directions */
  MlirValue value = stray->value, strayed;
  bool given = mlirValueIsABlockArgument(value);
  unsigned digits = given ? stray->digits / 2 : stray->digits;
  unsigned less = (way - 1) * APART;
  struct making m = {.ir = ir, .type = mlirValueGetType(value)};
  if (given)
    m.before = mlirBlockGetFirstOperation(mlirBlockArgumentGetOwner(value));
  else
    m.before = cul_ir_next_op(mlirOpResultGetOwner(value));
  strayed =
      make_stray(&m, value, digits, less < digits ? digits - less : digits,
                 ldexp(roundoffs, -(int)stray->digits));
  cul_ir_replace_uses(value, strayed);
  for (size_t i = 0; i < m.n; i++)
    for (intptr_t k = 0; k < mlirOperationGetNumOperands(m.made[i]); k++)
      if (mlirValueEqual(mlirOperationGetOperand(m.made[i], k), strayed))
        cul_edit_set_operand(m.made[i], k, value);
}

static void insert_strays(struct cul_ir *ir, const struct strays *strays,
                          unsigned way) {
  for (size_t i = 0; i < strays->n; i++)
    insert_stray(ir, &strays->items[i], way, draw_roundoffs(way, i, 0));
}

/* ---- attributes ---- */

/* Convert the elements of a literal of floats or complex numbers to double. */
static MlirAttribute widen_elements(struct widening *w, MlirAttribute attr,
                                    MlirType type) {
  MlirType element = mlirShapedTypeGetElementType(mlirAttributeGetType(attr));
  const char *name = cul_ir_type_text(w->ir, element);
  size_t n = (size_t)mlirElementsAttrGetNumElements(attr);
  enum cul_dtype dtype;
  const struct cul_dtype_info *info;
  const unsigned char *raw;
  MlirAttribute made;
  double *values;
  bool splat = mlirDenseElementsAttrIsSplat(attr);
  if (!cul_dtype_parse(name, strlen(name), &dtype))
    return (MlirAttribute){NULL};
  info = cul_dtype_info(dtype);
  raw = mlirDenseElementsAttrGetRawData(attr);
  n = (splat ? 1 : n) * (info->kind == CUL_IS_COMPLEX ? 2 : 1);
  values = cul_xcalloc(n + 1, sizeof *values);
  for (size_t i = 0; i < n; i++) {
    values[i] = (double)cul_dtype_load(
        info->part, raw + i * cul_dtype_info(info->part)->size);
    if (w->stray && !splat)
      values[i] = stray_constant(
          values[i], cul_dtype_info(info->part)->man + 1U, w->stray, i);
  }
  made = mlirDenseElementsAttrRawBufferGet(type, n * sizeof *values, values);
  free(values);
  return made;
}

/* Rename the runtime's print functions: printMemrefF32 to printMemrefF64. */
static MlirAttribute widen_name(struct widening *w, MlirStringRef name,
                                MlirAttribute attr, bool symbol) {
  static const char *const ends[][2] = {
      {"BF16", "F64"}, {"F16", "F64"}, {"F32", "F64"}, {"C32", "C64"}};
  char *text = cul_xstrndup(name.data, name.length), *other = NULL;
  bool prints = strncmp(text, "print", 5) == 0;
  for (size_t i = 0; prints && !other && i < CUL_ARRAY_SIZE(ends); i++) {
    size_t len = strlen(ends[i][0]);
    if (name.length > len && strcmp(text + name.length - len, ends[i][0]) == 0)
      other =
          cul_xasprintf("%.*s%s", (int)(name.length - len), text, ends[i][1]);
  }
  if (other)
    attr = symbol ? mlirFlatSymbolRefAttrGet(w->ir->context, cul_ir_str(other))
                  : mlirStringAttrGet(w->ir->context, cul_ir_str(other));
  free(text);
  free(other);
  return attr;
}

static MlirAttribute widen_attr(struct cul_ir *ir, MlirAttribute attr,
                                void *arg) {
  struct widening *w = arg;
  MlirType type, wide;
  if (mlirAttributeIsAType(attr)) {
    wide = widen_type(w, mlirTypeAttrGetValue(attr));
    return wide.ptr ? mlirTypeAttrGet(wide) : attr;
  }
  if (mlirAttributeIsAFlatSymbolRef(attr))
    return widen_name(w, mlirFlatSymbolRefAttrGetValue(attr), attr, true);
  type = mlirAttributeGetType(attr);
  wide = type.ptr && !mlirTypeIsANone(type) ? widen_type(w, type) : type;
  if (!wide.ptr || mlirTypeEqual(type, wide))
    return attr;
  if (mlirAttributeIsAFloat(attr))
    return mlirFloatAttrDoubleGet(ir->context, wide,
                                  mlirFloatAttrGetValueDouble(attr));
  if (mlirAttributeIsADenseElements(attr))
    return widen_elements(w, attr, wide);
  return attr; /* the unchanged attribute will not verify */
}

static bool widen_attrs(struct widening *w, MlirOperation op) {
  struct cul_ir_attrs attrs = {0};
  MlirAttribute name = cul_ir_get(op, "sym_name");
  bool ok = true;
  if (name.ptr && mlirAttributeIsAString(name))
    ok = cul_ir_set(w->ir, op, "sym_name",
                    widen_name(w, mlirStringAttrGetValue(name), name, false));
  cul_ir_attrs(w->ir, op, &attrs);
  for (size_t i = 0; i < attrs.n && ok; i++) {
    MlirAttribute old = attrs.items[i].attr;
    MlirAttribute made = cul_ir_attr_map(w->ir, old, widen_attr, w);
    char *key;
    if (!made.ptr || made.ptr == old.ptr) {
      ok = made.ptr != NULL;
      continue;
    }
    key = cul_xstrndup(attrs.items[i].name.data, attrs.items[i].name.length);
    ok = cul_ir_set(w->ir, op, key, made);
    free(key);
  }
  cul_ir_attrs_release(&attrs);
  return ok;
}

/* ---- operations ---- */

static bool widen_value(struct widening *w, MlirValue value) {
  MlirType old = mlirValueGetType(value), type = widen_type(w, old);
  if (type.ptr && !mlirTypeEqual(old, type))
    cul_edit_set_type(value, type);
  return type.ptr != NULL;
}

static bool has_float(struct widening *w, MlirValue value) {
  MlirType type = mlirValueGetType(value), wide = widen_type(w, type);
  return !wide.ptr || !mlirTypeEqual(type, wide) ||
         strstr(cul_ir_type_text(w->ir, type), "f64") != NULL;
}

/* Does the operation read the bits of a float as another type? */
static bool reads_bits(struct widening *w, MlirOperation op) {
  MlirStringRef name = cul_ir_name(op);
  static const char *const names[] = {"bitcast", "view", "inttoptr"};
  const char *dot = memchr(name.data, '.', name.length);
  size_t len = dot ? name.length - (size_t)(dot + 1 - name.data) : 0;
  bool is = false, floats = false;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(names); i++)
    is = is || (len == strlen(names[i]) && !memcmp(dot + 1, names[i], len));
  for (intptr_t i = 0; is && i < mlirOperationGetNumOperands(op); i++)
    floats = floats || has_float(w, mlirOperationGetOperand(op, i));
  for (intptr_t i = 0; is && i < mlirOperationGetNumResults(op); i++)
    floats = floats || has_float(w, mlirOperationGetResult(op, i));
  return floats;
}

static bool widen_op(struct widening *w, MlirOperation op) {
  bool ok = !reads_bits(w, op) && widen_attrs(w, op);
  for (intptr_t i = 0; ok && i < mlirOperationGetNumResults(op); i++)
    ok = widen_value(w, mlirOperationGetResult(op, i));
  for (intptr_t r = 0; ok && r < mlirOperationGetNumRegions(op); r++)
    CUL_IR_EACH_BLOCK(block, mlirOperationGetRegion(op, r))
  for (intptr_t i = 0; ok && i < mlirBlockGetNumArguments(block); i++)
    ok = widen_value(w, mlirBlockGetArgument(block, i));
  return ok;
}

/* Is this a conversion between float types that are now the same? */
static bool converts(MlirOperation op) {
  static const char *const names[] = {
      "arith.extf", "arith.truncf", "llvm.fpext", "llvm.fptrunc", "tosa.cast"};
  return cul_ir_is_among(op, names, CUL_ARRAY_SIZE(names)) &&
         mlirTypeEqual(mlirValueGetType(mlirOperationGetOperand(op, 0)),
                       mlirValueGetType(mlirOperationGetResult(op, 0)));
}

int cul_widen(struct cul_ir *ir, unsigned stray, struct cul_widened *out,
              struct cul_err *err) {
  struct widening w = {ir, out, mlirF64TypeGet(ir->context), stray};
  struct cul_ir_list list = {0};
  struct strays strays = {0};
  MlirOperation bad = {NULL};
  *out = (struct cul_widened){.digits = 53};
  if (stray)
    find_strays(ir, &strays);
  cul_ir_list(ir->root, &list);
  for (size_t i = 1; i < list.n; i++)
    note_roundings(&w, list.items[i].op);
  for (size_t i = 0; i < list.n && !bad.ptr; i++)
    if (!widen_op(&w, list.items[i].op))
      bad = list.items[i].op;
  if (!bad.ptr)
    insert_strays(ir, &strays, stray);
  free(strays.items);
  for (size_t i = 0; i < list.n && !bad.ptr; i++)
    if (converts(list.items[i].op)) {
      cul_ir_replace_uses(mlirOperationGetResult(list.items[i].op, 0),
                          mlirOperationGetOperand(list.items[i].op, 0));
      cul_ir_discard(ir, list.items[i].op);
    }
  cul_ir_list_release(&list);
  if (bad.ptr) {
    MlirStringRef name = cul_ir_name(bad);
    return cul_fail(err, CUL_EUSAGE, "leave f64 out",
                    "%.*s means something else in f64", (int)name.length,
                    name.data);
  }
  cul_buf_clear(&ir->diagnostic);
  if (mlirOperationVerify(ir->root))
    return 0;
  return cul_fail(err, CUL_EUSAGE, "leave f64 out",
                  "in f64 the module does not verify: %.100s",
                  cul_buf_str(&ir->diagnostic));
}

struct options {
  int64_t stray;
  bool generic;
};

static const struct cul_opt opts[] = {
    {.name = "stray",
     .type = CUL_OPT_INT,
     .value = "N",
     .offset = offsetof(struct options, stray),
     .min = 0,
     .max = 1000,
     .help = "let numbers stray as rounding would make them; each N moves them "
             "in other directions (default: 0, not at all)"},
    {.name = "generic",
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct options, generic),
     .help = "print the generic form, for tools of another release"},
    {.name = NULL}};

static void print(struct cul_ir *ir, bool generic, struct cul_buf *text) {
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  if (generic)
    mlirOpPrintingFlagsPrintGenericOpForm(flags);
  mlirOperationPrintWithFlags(ir->root, flags, cul_compat_append, text);
  mlirOpPrintingFlagsDestroy(flags);
}

static int run(struct cul_subject *subject, void *warm, int argc, char **argv) {
  struct cul_ir *ir = cul_ir_of(subject);
  struct cul_widened widened = {.digits = 0};
  struct options options = {0};
  struct cul_buf text = {0};
  struct cul_err err = {0};
  const char *file;
  struct cul_operands operands = {.items = &file, .max = 1};
  (void)warm;
  if (cul_opt_parse(opts, &options, argc, argv, &operands, &err) < 0) {
    fprintf(stderr, "error: %s\n", err.what);
    return CUL_ENGINE_USAGE;
  }
  if (cul_widen(ir, (unsigned)options.stray, &widened, &err) < 0) {
    fprintf(stderr, "error: %s\n", err.what);
    return CUL_ENGINE_UNABLE;
  }
  print(ir, options.generic, &text);
  printf("%s\n", cul_buf_str(&text));
  cul_buf_release(&text);
  return 0;
}

const struct cul_engine cul_engine_widen = {
    .name = "widen",
    .summary = "print the module with every float in f64",
    .opts = opts,
    .run = run,
};
