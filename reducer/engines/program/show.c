/* Print values: see program.h. */
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

/* The most elements of a vector, which are printed one by one. */
static const uint64_t most_elements = 4096;

static uint64_t count_elements(MlirType vector) {
  uint64_t n = 1;
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(vector); d++)
    n *= (uint64_t)mlirShapedTypeGetDimSize(vector, d);
  return n;
}

bool cul_show_can(struct cul_ir *ir, MlirType type) {
  enum cul_dtype dtype;
  if (mlirTypeIsAVector(type))
    return dtype_of(ir, type, &dtype) && mlirShapedTypeGetRank(type) > 0 &&
           !strchr(cul_ir_type_text(ir, type), '[') &&
           count_elements(type) <= most_elements;
  if (mlirTypeIsAShaped(type) && !mlirTypeIsARankedTensor(type) &&
      !mlirTypeIsAMemRef(type))
    return false;
  if (mlirTypeIsARankedTensor(type) &&
      !mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(type)))
    return false;
  return dtype_of(ir, type, &dtype);
}

struct printer {
  struct cul_ir *ir;
  enum cul_dtype dtype;
  bool plain;
};

/* Append the print of the number %NAME, or of its bits. */
static void add_print(const struct printer *printer, const char *name,
                      const char *type, struct cul_buf *out) {
  const struct cul_dtype_info *info = cul_dtype_info(printer->dtype);
  if (info->kind != CUL_IS_FLOAT || (printer->plain && info->bits >= 16)) {
    cul_buf_addf(out, "vector.print %%%s : %s\n", name, type);
    return;
  }
  cul_buf_addf(out,
               "%%%s_bits = arith.bitcast %%%s : %s to i%u\n"
               "vector.print %%%s_bits : i%u\n",
               name, name, type, info->bits, name, info->bits);
}

static void add_number(const struct printer *printer, const char *name,
                       uint64_t number, struct cul_buf *out) {
  if (!printer->plain)
    cul_buf_addf(out,
                 "%%%s = arith.constant %llu : index\n"
                 "vector.print %%%s : index\n",
                 name, (unsigned long long)number, name);
}

/* Append the position of element number `at`: "1, 0". */
static void add_position(MlirType type, uint64_t at, struct cul_buf *out) {
  uint64_t below = 1;
  for (intptr_t d = 1; d < mlirShapedTypeGetRank(type); d++)
    below *= (uint64_t)mlirShapedTypeGetDimSize(type, d);
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(type); d++) {
    cul_buf_addf(out, "%s%llu", d ? ", " : "",
                 (unsigned long long)(at / below));
    at %= below;
    if (d + 1 < mlirShapedTypeGetRank(type))
      below /= (uint64_t)mlirShapedTypeGetDimSize(type, d + 1);
  }
}

/* Append prints of the elements of a vector; some lowerings cannot print a
 * whole vector. */
static void add_vector(const struct printer *printer, MlirType type,
                       const char *text, struct cul_buf *out) {
  const char *element = cul_ir_type_text(printer->ir, element_of(type));
  uint64_t n = count_elements(type);
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(type); d++) {
    char name[24];
    snprintf(name, sizeof name, "d%td", (ptrdiff_t)d);
    add_number(printer, name, (uint64_t)mlirShapedTypeGetDimSize(type, d), out);
  }
  for (uint64_t i = 0; i < n; i++) {
    char name[24];
    snprintf(name, sizeof name, "e%llu", (unsigned long long)i);
    cul_buf_addf(out, "%%%s = vector.extract %%v[", name);
    add_position(type, i, out);
    cul_buf_addf(out, "] : %s from %s\n", element, text);
    add_print(printer, name, element, out);
  }
}

/* Append loops that print a tensor or memref. */
static void add_buffer(const struct printer *printer, MlirType type,
                       const char *text, struct cul_buf *out) {
  const char *dialect = mlirTypeIsAMemRef(type) ? "memref" : "tensor";
  intptr_t rank = mlirShapedTypeGetRank(type);
  cul_buf_adds(out, "%zero = arith.constant 0 : index\n"
                    "%one = arith.constant 1 : index\n");
  for (intptr_t d = 0; d < rank; d++)
    cul_buf_addf(out,
                 "%%k%td = arith.constant %td : index\n"
                 "%%d%td = %s.dim %%v, %%k%td : %s\n",
                 d, d, d, dialect, d, text);
  for (intptr_t d = 0; d < rank && !printer->plain; d++)
    cul_buf_addf(out, "vector.print %%d%td : index\n", d);
  for (intptr_t d = 0; d < rank; d++)
    cul_buf_addf(out, "scf.for %%i%td = %%zero to %%d%td step %%one {\n", d, d);
  cul_buf_addf(out, "%%e = %s %%v[",
               mlirTypeIsAMemRef(type) ? "memref.load" : "tensor.extract");
  for (intptr_t d = 0; d < rank; d++)
    cul_buf_addf(out, "%s%%i%td", d ? ", " : "", d);
  cul_buf_addf(out, "] : %s\n", text);
  add_print(printer, "e", cul_ir_type_text(printer->ir, element_of(type)), out);
  for (intptr_t d = 0; d < rank; d++)
    cul_buf_adds(out, "}\n");
}

static void add_head(const struct printer *printer, MlirType type,
                     struct cul_buf *out) {
  bool shaped = mlirTypeIsAShaped(type);
  if (!printer->plain)
    cul_buf_addf(out,
                 "vector.print str \"@out %s\\0A\"\n"
                 "vector.print %%n : index\n",
                 cul_dtype_info(printer->dtype)->name);
  add_number(printer, "rank",
             shaped ? (uint64_t)mlirShapedTypeGetRank(type) : 0, out);
}

static void add_function(const struct printer *printer, MlirType type,
                         size_t number, struct cul_buf *out) {
  const char *text = cul_ir_type_text(printer->ir, type);
  cul_buf_addf(out, "func.func private @culprit_show_%zu(%%v: %s%s) {\n",
               number, text, printer->plain ? "" : ", %n: index");
  add_head(printer, type, out);
  if (mlirTypeIsAVector(type))
    add_vector(printer, type, text, out);
  else if (mlirTypeIsAShaped(type))
    add_buffer(printer, type, text, out);
  else
    add_print(printer, "v", text, out);
  cul_buf_adds(out, "return\n}\n");
}

/* Move the operations of the module in `text` to the end of ir's module. */
static void append_text(struct cul_ir *ir, const char *text) {
  MlirModule module = mlirModuleCreateParse(ir->context, cul_ir_str(text));
  MlirBlock to = mlirModuleGetBody(ir->module), from;
  if (!module.ptr)
    cul_bug("what shows a value does not parse: %s",
            cul_buf_str(&ir->diagnostic));
  from = mlirModuleGetBody(module);
  CUL_IR_EACH_OP(op, from) {
    cul_edit_unlink(op);
    cul_edit_append(to, op);
  }
  cul_edit_destroy_module(module);
}

static size_t function_of(struct cul_ir *ir, struct cul_shown *made,
                          MlirType type) {
  struct printer printer = {.ir = ir, .dtype = CUL_F32, .plain = made->plain};
  struct cul_buf text = {0};
  size_t i = 0;
  while (i < made->n && !mlirTypeEqual(made->types[i], type))
    i++;
  if (i < made->n)
    return i;
  made->types = cul_xreallocarray(made->types, i + 1, sizeof *made->types);
  made->types[made->n++] = type;
  (void)dtype_of(ir, type, &printer.dtype);
  add_function(&printer, type, i, &text);
  append_text(ir, cul_buf_str(&text));
  cul_buf_release(&text);
  return i;
}

static MlirValue make_number(struct cul_ir *ir, size_t number,
                             MlirOperation before) {
  MlirType index = mlirIndexTypeGet(ir->context);
  MlirOperation op = cul_ir_create(
      ir, &(struct cul_ir_new){"arith.constant", NULL, 0, &index, 1}, before);
  cul_edit_set_inherent(op, cul_ir_str("value"),
                        mlirIntegerAttrGet(index, (int64_t)number));
  return mlirOperationGetResult(op, 0);
}

void cul_show(struct cul_ir *ir, struct cul_shown *made, MlirValue value,
              size_t number, MlirOperation before) {
  size_t function = function_of(ir, made, mlirValueGetType(value));
  char *name = cul_xasprintf("culprit_show_%zu", function);
  MlirValue operands[2] = {value};
  MlirOperation op;
  if (!made->plain)
    operands[1] = make_number(ir, number, before);
  op = cul_ir_create(
      ir,
      &(struct cul_ir_new){"func.call", operands, made->plain ? 1 : 2, NULL, 0},
      before);
  cul_edit_set_inherent(
      op, cul_ir_str("callee"),
      mlirFlatSymbolRefAttrGet(ir->context, cul_ir_str(name)));
  free(name);
}
