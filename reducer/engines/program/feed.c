/* Read values from memory of the module: see program.h. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../base/files/file.h"
#include "../plan/inputs.h"
#include "program.h"

struct feed {
  struct cul_ir *ir;
  const struct cul_feed_conf *conf;
  struct cul_buf globals, body, types, results;
};

/* The element type and the shape of a type; dynamic sizes are conf->extent. */
static int shape_of(const struct feed *f, MlirType type, enum cul_dtype *dtype,
                    size_t *rank, uint64_t *dims, struct cul_err *err) {
  bool shaped = mlirTypeIsAShaped(type);
  const char *element = cul_ir_type_text(
      f->ir, shaped ? mlirShapedTypeGetElementType(type) : type);
  *rank = 0;
  if (!cul_dtype_parse(element, strlen(element), dtype) ||
      (shaped && !mlirShapedTypeHasRank(type)) ||
      (shaped && mlirShapedTypeGetRank(type) > CUL_TENSOR_MAX_RANK))
    return cul_fail(err, CUL_EUSAGE,
                    "give numbers, and tensors and memrefs of them",
                    "a value of type %s cannot come from outside",
                    cul_ir_type_text(f->ir, type));
  for (; shaped && *rank < (size_t)mlirShapedTypeGetRank(type); ++*rank)
    dims[*rank] =
        mlirShapedTypeIsDynamicDim(type, (intptr_t)*rank)
            ? f->conf->extent
            : (uint64_t)mlirShapedTypeGetDimSize(type, (intptr_t)*rank);
  return 0;
}

static int generate(const struct feed *f, const char *name, MlirType type,
                    struct cul_tensors *out, struct cul_err *err) {
  unsigned long number = strtoul(name + 3, NULL, 10);
  uint64_t dims[CUL_TENSOR_MAX_RANK];
  struct cul_tensor *tensor;
  enum cul_dtype dtype;
  size_t rank;
  if (shape_of(f, type, &dtype, &rank, dims, err) < 0 ||
      cul_tensors_add(out, "", dtype, rank, dims, &tensor, err) < 0)
    return err->code;
  cul_inputs_fill((enum cul_input_kind)f->conf->kind, f->conf->seed, number,
                  tensor);
  if (!mlirTypeIsAShaped(type) && dtype == CUL_INDEX)
    cul_tensor_set(tensor, 0, 0, (cul_number)f->conf->extent);
  return 0;
}

/* Load a recorded value and keep only its bits: NumPy has no signless integers,
 * and no small float types of its own. */
static int load(const struct feed *f, const char *path, MlirType type,
                struct cul_tensors *out, struct cul_err *err) {
  uint64_t dims[CUL_TENSOR_MAX_RANK];
  enum cul_dtype dtype;
  size_t rank;
  int rc = cul_tensors_load(path, NULL, out, err);
  if (rc == 0)
    rc = shape_of(f, type, &dtype, &rank, dims, err);
  if (rc == 0 && (out->n != 1 || cul_dtype_info(out->items[0].dtype)->size !=
                                     cul_dtype_info(dtype)->size))
    rc = cul_fail(err, CUL_EUSAGE, "give what was recorded of this value",
                  "%s does not hold a %s", path, cul_ir_type_text(f->ir, type));
  if (rc == 0)
    out->items[0].dtype = dtype;
  return rc;
}

/* Find the recorded value or generate it; write a copy to conf->to. */
static int find_data(const struct feed *f, const struct cul_fed *fed,
                     struct cul_tensors *out, struct cul_err *err) {
  struct cul_buf npy = {0};
  char *path = f->conf->from
                   ? cul_xasprintf("%s/%s.npy", f->conf->from, fed->name)
                   : NULL;
  int rc;
  if (strncmp(fed->name, "arg", 3) == 0 && (!path || access(path, R_OK) < 0))
    rc = generate(f, fed->name, mlirValueGetType(fed->value), out, err);
  else if (!path)
    rc = cul_fail(err, CUL_EUSAGE, "give --from DIR", "no directory has %s.npy",
                  fed->name);
  else
    rc = load(f, path, mlirValueGetType(fed->value), out, err);
  free(path);
  if (rc == 0 && f->conf->to) {
    path = cul_xasprintf("%s/%s.npy", f->conf->to, fed->name);
    cul_tensor_write_npy(&out->items[0], &npy);
    rc = cul_file_replace(path, npy.data, npy.len, 0666, err);
    free(path);
    cul_buf_release(&npy);
  }
  return rc;
}

/* Append the elements of i1, which cannot be written as bytes. */
static void add_bits(const struct cul_tensor *tensor, size_t d, uint64_t *at,
                     struct cul_buf *out) {
  if (d == tensor->rank) {
    cul_buf_adds(out, tensor->data[(*at)++] & 1 ? "true" : "false");
    return;
  }
  cul_buf_addc(out, '[');
  for (uint64_t i = 0; i < tensor->dims[d]; i++) {
    cul_buf_adds(out, i ? ", " : "");
    add_bits(tensor, d + 1, at, out);
  }
  cul_buf_addc(out, ']');
}

static void add_dense(const struct cul_tensor *tensor, struct cul_buf *out) {
  size_t size = cul_dtype_info(tensor->dtype)->size;
  uint64_t at = 0;
  cul_buf_adds(out, "dense<");
  if (tensor->n && tensor->dtype == CUL_I1) {
    add_bits(tensor, 0, &at, out);
  } else if (tensor->n) {
    cul_buf_adds(out, "\"0x");
    for (uint64_t i = 0; i < tensor->n * size; i++)
      cul_buf_addf(out, "%02X", tensor->data[i]);
    cul_buf_addc(out, '"');
  }
  cul_buf_addc(out, '>');
}

/* Append "2x3xf32"; flat: "6xf32". */
static void add_shape(const struct cul_tensor *tensor, bool flat,
                      struct cul_buf *out) {
  for (size_t d = 0; !flat && d < tensor->rank; d++)
    cul_buf_addf(out, "%llux", (unsigned long long)tensor->dims[d]);
  if (flat)
    cul_buf_addf(out, "%llux", (unsigned long long)tensor->n);
  cul_buf_adds(out, cul_dtype_info(tensor->dtype)->name);
}

/* Cast value number i to the type if that is less specific than the type of the
 * value; else use the value directly. */
static void add_cast(struct feed *f, const char *op, const char *from,
                     const char *have, size_t i, MlirType type) {
  const char *want = cul_ir_type_text(f->ir, type);
  bool same = strcmp(have, want) == 0;
  if (!same)
    cul_buf_addf(&f->body, "%%v%zu = %s %%%s%zu : %s to %s\n", i, op, from, i,
                 have, want);
  cul_buf_addf(&f->results, "%s%%%s%zu", i ? ", " : "", same ? from : "v", i);
}

/* Make the value from %m, a memref of this shape of the global. */
static void add_read(struct feed *f, MlirType type, size_t i,
                     const char *shape) {
  bool vector = mlirTypeIsAVector(type), memref = mlirTypeIsAMemRef(type);
  char *have = cul_xasprintf("%s<%s>",
                             vector   ? "vector"
                             : memref ? "memref"
                                      : "tensor",
                             shape);
  if (memref) {
    add_cast(f, "memref.cast", "m", have, i, type);
  } else if (vector) {
    cul_buf_addf(&f->body,
                 "%%l%zu = vector.load %%m%zu[%%zero] : memref<%s>, %s\n", i, i,
                 shape, have);
    add_cast(f, "vector.shape_cast", "l", have, i, type);
  } else if (mlirTypeIsAShaped(type)) {
    cul_buf_addf(&f->body,
                 "%%t%zu = bufferization.to_tensor %%m%zu restrict : "
                 "memref<%s> to %s\n",
                 i, i, shape, have);
    add_cast(f, "tensor.cast", "t", have, i, type);
  } else {
    cul_buf_addf(&f->body, "%%v%zu = memref.load %%m%zu[] : memref<%s>\n", i, i,
                 shape);
    cul_buf_addf(&f->results, "%s%%v%zu", i ? ", " : "", i);
  }
  free(have);
}

static void add_one(struct feed *f, MlirType type, size_t i,
                    const struct cul_tensor *tensor) {
  struct cul_buf shape = {0};
  add_shape(tensor, mlirTypeIsAVector(type), &shape);
  cul_buf_addf(&f->globals,
               "memref.global \"private\" @culprit_in_%zu : memref<%s> = ", i,
               cul_buf_str(&shape));
  add_dense(tensor, &f->globals);
  cul_buf_addc(&f->globals, '\n');
  cul_buf_addf(&f->body,
               "%%m%zu = memref.get_global @culprit_in_%zu : memref<%s>\n", i,
               i, cul_buf_str(&shape));
  add_read(f, type, i, cul_buf_str(&shape));
  cul_buf_addf(&f->types, "%s%s", i ? ", " : "", cul_ir_type_text(f->ir, type));
  cul_buf_release(&shape);
}

/* Insert the body of the function in `text` before `before`, and the globals
 * into the module; replace the values by the operands of the function's
 * return. */
static int place(struct cul_ir *ir, const char *text,
                 const struct cul_fed *values, MlirOperation before,
                 struct cul_err *err) {
  MlirModule module;
  MlirBlock from, to = mlirModuleGetBody(ir->module), body;
  cul_buf_clear(&ir->diagnostic);
  module = mlirModuleCreateParse(ir->context, cul_ir_str(text));
  if (!module.ptr)
    return cul_fail(err, CUL_EUSAGE, "", "recorded values do not fit: %s",
                    cul_buf_str(&ir->diagnostic));
  from = mlirModuleGetBody(module);
  CUL_IR_EACH_OP(op, from) {
    cul_edit_unlink(op);
    if (!cul_ir_is(op, "func.func")) {
      cul_edit_insert_at(to, 0, op);
      continue;
    }
    body = cul_ir_entry(op);
    CUL_IR_EACH_OP(inner, body) {
      bool last = cul_ir_is(inner, "func.return");
      for (intptr_t i = 0; last && i < mlirOperationGetNumOperands(inner); i++)
        cul_ir_replace_uses(values[i].value, mlirOperationGetOperand(inner, i));
      if (last)
        break;
      cul_edit_unlink(inner);
      cul_edit_insert_before(mlirOperationGetBlock(before), before, inner);
    }
  }
  return 0;
}

int cul_feed(struct cul_ir *ir, const struct cul_feed_conf *conf,
             const struct cul_fed *values, size_t n, MlirOperation before,
             struct cul_err *err) {
  struct feed f = {.ir = ir, .conf = conf};
  int rc = 0;
  for (size_t i = 0; i < n && rc == 0; i++) {
    struct cul_tensors data = {0};
    rc = find_data(&f, &values[i], &data, err);
    if (rc == 0)
      add_one(&f, mlirValueGetType(values[i].value), i, &data.items[0]);
    cul_tensors_release(&data);
  }
  if (rc == 0 && n) {
    cul_buf_addf(&f.globals,
                 "func.func @culprit_in() -> (%s) {\n"
                 "%%zero = arith.constant 0 : index\n%sreturn %s : %s\n}\n",
                 cul_buf_str(&f.types), cul_buf_str(&f.body),
                 cul_buf_str(&f.results), cul_buf_str(&f.types));
    rc = place(ir, cul_buf_str(&f.globals), values, before, err);
  }
  cul_buf_release(&f.globals);
  cul_buf_release(&f.body);
  cul_buf_release(&f.types);
  cul_buf_release(&f.results);
  return rc;
}
