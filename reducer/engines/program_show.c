/* Values printed bit for bit: see program.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

static MlirType element_of(MlirType type) {
  return mlirTypeIsAShaped(type) ? mlirShapedTypeGetElementType(type) : type;
}

static bool dtype_of(struct cul_ir *ir, MlirType type, enum cul_dtype *out) {
  const char *name = cul_ir_type_text(ir, element_of(type));
  const struct cul_dtype_info *info;
  if (!cul_dtype_parse(name, strlen(name), out))
    return false;
  info = cul_dtype_info(*out);
  return info->kind == CUL_IS_FLOAT || *out == CUL_INDEX ||
         (info->kind == CUL_IS_INT && info->signless);
}

bool cul_show_can(struct cul_ir *ir, MlirType type) {
  enum cul_dtype dtype;
  if (mlirTypeIsAVector(type))
    return dtype_of(ir, type, &dtype) && mlirShapedTypeGetRank(type) > 0 &&
           !strchr(cul_ir_type_text(ir, type), '[');
  if (mlirTypeIsAShaped(type) && !mlirTypeIsARankedTensor(type) &&
      !mlirTypeIsAMemRef(type))
    return false;
  if (mlirTypeIsARankedTensor(type) &&
      !mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(type)))
    return false;
  return dtype_of(ir, type, &dtype);
}

/* "  %b = bits of %NAME", printed.  shape: "4x" of a vector, or "". */
static void add_bits(enum cul_dtype dtype, const char *name, const char *type,
                     const char *shape, struct cul_buf *out) {
  const struct cul_dtype_info *info = cul_dtype_info(dtype);
  const char *open = *shape ? "vector<" : "", *close = *shape ? ">" : "";
  if (info->kind != CUL_IS_FLOAT) {
    cul_buf_addf(out, "vector.print %%%s : %s\n", name, type);
    return;
  }
  cul_buf_addf(out,
               "%%b = arith.bitcast %%%s : %s to %s%si%u%s\n"
               "vector.print %%b : %s%si%u%s\n",
               name, type, open, shape, info->bits, close, open, shape,
               info->bits, close);
}

static void add_number(const char *name, uint64_t number, struct cul_buf *out) {
  cul_buf_addf(out,
               "%%%s = arith.constant %llu : index\n"
               "vector.print %%%s : index\n",
               name, (unsigned long long)number, name);
}

static void add_vector(MlirType type, enum cul_dtype dtype, const char *text,
                       struct cul_buf *out) {
  struct cul_buf shape = {0};
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(type); d++) {
    char name[24];
    snprintf(name, sizeof name, "d%td", (ptrdiff_t)d);
    add_number(name, (uint64_t)mlirShapedTypeGetDimSize(type, d), out);
    cul_buf_addf(&shape, "%lldx", (long long)mlirShapedTypeGetDimSize(type, d));
  }
  add_bits(dtype, "v", text, cul_buf_str(&shape), out);
  cul_buf_release(&shape);
}

/* A nest of loops around one print. */
static void add_buffer(struct cul_ir *ir, MlirType type, enum cul_dtype dtype,
                       const char *text, struct cul_buf *out) {
  const char *dialect = mlirTypeIsAMemRef(type) ? "memref" : "tensor";
  intptr_t rank = mlirShapedTypeGetRank(type);
  cul_buf_adds(out, "%zero = arith.constant 0 : index\n"
                    "%one = arith.constant 1 : index\n");
  for (intptr_t d = 0; d < rank; d++)
    cul_buf_addf(out,
                 "%%k%td = arith.constant %td : index\n"
                 "%%d%td = %s.dim %%v, %%k%td : %s\n"
                 "vector.print %%d%td : index\n",
                 d, d, d, dialect, d, text, d);
  for (intptr_t d = 0; d < rank; d++)
    cul_buf_addf(out, "scf.for %%i%td = %%zero to %%d%td step %%one {\n", d, d);
  cul_buf_addf(out, "%%e = %s %%v[",
               mlirTypeIsAMemRef(type) ? "memref.load" : "tensor.extract");
  for (intptr_t d = 0; d < rank; d++)
    cul_buf_addf(out, "%s%%i%td", d ? ", " : "", d);
  cul_buf_addf(out, "] : %s\n", text);
  add_bits(dtype, "e", cul_ir_type_text(ir, element_of(type)), "", out);
  for (intptr_t d = 0; d < rank; d++)
    cul_buf_adds(out, "}\n");
}

static void add_function(struct cul_ir *ir, MlirType type, size_t number,
                         struct cul_buf *out) {
  const char *text = cul_ir_type_text(ir, type);
  enum cul_dtype dtype = CUL_F32;
  bool shaped = mlirTypeIsAShaped(type);
  (void)dtype_of(ir, type, &dtype);
  cul_buf_addf(out,
               "func.func private @culprit_show_%zu(%%v: %s, %%n: index) {\n"
               "vector.print str \"@out %s\\0A\"\n"
               "vector.print %%n : index\n",
               number, text, cul_dtype_info(dtype)->name);
  add_number("rank", shaped ? (uint64_t)mlirShapedTypeGetRank(type) : 0, out);
  if (mlirTypeIsAVector(type))
    add_vector(type, dtype, text, out);
  else if (shaped)
    add_buffer(ir, type, dtype, text, out);
  else
    add_bits(dtype, "v", text, "", out);
  cul_buf_adds(out, "return\n}\n");
}

/* Move the operations of the text's module to the end of ours. */
static void append_text(struct cul_ir *ir, const char *text) {
  MlirModule module = mlirModuleCreateParse(ir->context, cul_ir_str(text));
  MlirBlock to = mlirModuleGetBody(ir->module), from;
  if (!module.ptr)
    cul_bug("what shows a value does not parse: %s",
            cul_buf_str(&ir->diagnostic));
  from = mlirModuleGetBody(module);
  CUL_IR_EACH_OP(op, from) {
    mlirOperationRemoveFromParent(op);
    mlirBlockAppendOwnedOperation(to, op);
  }
  mlirModuleDestroy(module);
}

static size_t function_of(struct cul_ir *ir, struct cul_shown *made,
                          MlirType type) {
  struct cul_buf text = {0};
  size_t i = 0;
  while (i < made->n && !mlirTypeEqual(made->types[i], type))
    i++;
  if (i < made->n)
    return i;
  made->types = cul_xreallocarray(made->types, i + 1, sizeof *made->types);
  made->types[made->n++] = type;
  add_function(ir, type, i, &text);
  append_text(ir, cul_buf_str(&text));
  cul_buf_release(&text);
  return i;
}

void cul_show(struct cul_ir *ir, struct cul_shown *made, MlirValue value,
              size_t number, MlirOperation before) {
  MlirType index = mlirIndexTypeGet(ir->context);
  size_t function = function_of(ir, made, mlirValueGetType(value));
  char *name = cul_xasprintf("culprit_show_%zu", function);
  MlirValue operands[2] = {value};
  MlirOperation op = cul_ir_create(
      ir, &(struct cul_ir_new){"arith.constant", NULL, 0, &index, 1}, before);
  mlirOperationSetInherentAttributeByName(
      op, cul_ir_str("value"), mlirIntegerAttrGet(index, (int64_t)number));
  operands[1] = mlirOperationGetResult(op, 0);
  op = cul_ir_create(
      ir, &(struct cul_ir_new){"func.call", operands, 2, NULL, 0}, before);
  mlirOperationSetInherentAttributeByName(
      op, cul_ir_str("callee"),
      mlirFlatSymbolRefAttrGet(ir->context, cul_ir_str(name)));
  free(name);
}
