/* Change modules to f64: see widen.h; and the engine "widen", which prints such
 * a module. */
#include "widen.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../base/options/opt.h"
#include "../../../base/tensor/tensor.h"
#include "../../subject/ir/compat.h"
#include "../engine.h"
#include "stray.h"

struct widening {
  struct cul_ir *ir;
  struct cul_widened *out;
  MlirType f64;
  unsigned stray; /* how lists of constants stray; 0: they do not */
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

/* The largest roundoff of the float types of the results; 0: there are none. */
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

/* Does the operation only move numbers, or choose among them?  What encloses
 * others computes by them. */
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

/* May the operation be executed again and again for one element? */
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
      values[i] = cul_stray_constant(
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
  return attr; /* unchanged, it will not verify */
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

static bool is_rounding(MlirOperation op) { return !is_movement(op); }

int cul_widen(struct cul_ir *ir, unsigned stray, struct cul_widened *out,
              struct cul_err *err) {
  struct widening w = {ir, out, mlirF64TypeGet(ir->context), stray};
  struct cul_ir_list list = {0};
  struct cul_strays strays = {0};
  MlirOperation bad = {NULL};
  *out = (struct cul_widened){.digits = 53};
  if (stray)
    cul_strays_find(ir, is_rounding, &strays);
  cul_ir_list(ir->root, &list);
  for (size_t i = 1; i < list.n; i++)
    note_roundings(&w, list.items[i].op);
  for (size_t i = 0; i < list.n && !bad.ptr; i++)
    if (!widen_op(&w, list.items[i].op))
      bad = list.items[i].op;
  if (!bad.ptr)
    cul_strays_insert(ir, &strays, stray);
  cul_strays_release(&strays);
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
