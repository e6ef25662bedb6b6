/* Calls through MLIR's C interface: see call.h.
 *
 * A tensor or memref is passed as the address of a descriptor: base, aligned,
 * offset, sizes[rank], strides[rank], 64 bits each.  A single result of this
 * kind is written through an additional first argument; a single scalar is
 * returned; several results form a struct, written through the first argument.
 * A packed call takes the addresses of the arguments ("Target LLVM IR",
 * mlir.llvm.org). */
#include "call.h"

#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../gpu/memory.h"

/* Indices of words of a descriptor. */
enum { BASE, ALIGNED, OFFSET, SIZES };

static size_t descriptor_bytes(size_t rank) {
  return (SIZES + 2 * rank) * sizeof(uint64_t);
}

static size_t bytes_of(const struct cul_jit_value *v) {
  return v->buffer ? descriptor_bytes(v->rank) : cul_dtype_info(v->dtype)->size;
}

static size_t alignment_of(const struct cul_jit_value *v) {
  size_t size = cul_dtype_info(cul_dtype_info(v->dtype)->part)->size;
  return v->buffer ? sizeof(uint64_t) : size;
}

/* ---- types ---- */

static int refuse(struct cul_ir *ir, MlirType type, struct cul_err *err) {
  return cul_fail(err, CUL_EUSAGE,
                  "give numbers, and tensors and memrefs of them",
                  "a value of type %s cannot be handed to compiled code",
                  cul_ir_type_text(ir, type));
}

static int read_type(struct cul_ir *ir, MlirType type, uint64_t extent,
                     struct cul_jit_value *out, struct cul_err *err) {
  bool tensor = mlirTypeIsARankedTensor(type);
  MlirType element = type;
  const char *name;
  *out = (struct cul_jit_value){.memref = mlirTypeIsAMemRef(type)};
  out->buffer = tensor || out->memref;
  if (tensor && mlirRankedTensorTypeGetEncoding(type).ptr &&
      !mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(type)))
    return refuse(ir, type, err);
  if (out->buffer) {
    element = mlirShapedTypeGetElementType(type);
    out->rank = (size_t)mlirShapedTypeGetRank(type);
    if (out->rank > CUL_TENSOR_MAX_RANK)
      return refuse(ir, type, err);
  }
  for (size_t d = 0; d < out->rank; d++)
    out->dims[d] = mlirShapedTypeIsDynamicDim(type, (intptr_t)d)
                       ? extent
                       : (uint64_t)mlirShapedTypeGetDimSize(type, (intptr_t)d);
  name = cul_ir_type_text(ir, element);
  if (!cul_dtype_parse(name, strlen(name), &out->dtype))
    return refuse(ir, type, err);
  out->stored = out->dtype;
  return 0;
}

int cul_jit_call_init(struct cul_ir *ir, MlirType function, uint64_t extent,
                      struct cul_jit_call *out, struct cul_err *err) {
  int rc = 0;
  *out = (struct cul_jit_call){
      .n_args = (size_t)mlirFunctionTypeGetNumInputs(function),
      .n_results = (size_t)mlirFunctionTypeGetNumResults(function)};
  out->args = cul_xcalloc(out->n_args + 1, sizeof *out->args);
  out->results = cul_xcalloc(out->n_results + 1, sizeof *out->results);
  for (size_t i = 0; i < out->n_args && rc == 0; i++)
    rc = read_type(ir, mlirFunctionTypeGetInput(function, (intptr_t)i), extent,
                   &out->args[i], err);
  for (size_t i = 0; i < out->n_results && rc == 0; i++)
    rc = read_type(ir, mlirFunctionTypeGetResult(function, (intptr_t)i), extent,
                   &out->results[i], err);
  return rc;
}

void cul_jit_call_release(struct cul_jit_call *call) {
  free(call->args);
  free(call->results);
  *call = (struct cul_jit_call){0};
}

void cul_jit_call_store_as(struct cul_jit_call *call,
                           const struct cul_jit_call *narrow) {
  for (size_t i = 0; i < call->n_args && i < narrow->n_args; i++)
    call->args[i].stored = narrow->args[i].dtype;
}

/* ---- arguments: never freed, as the process ends with them ---- */

/* The storage of one argument: its number, or its descriptor. */
static void *make_argument(const struct cul_jit_value *v,
                           const struct cul_tensor *tensor) {
  size_t size = cul_dtype_info(v->dtype)->size, stride = 1;
  uint64_t *words;
  void *data = cul_jit_alloc(tensor->n * size);
  if (data && tensor->n)
    memcpy(data, tensor->data, tensor->n * size);
  if (!v->buffer || !data)
    return data;
  words = cul_xcalloc(SIZES + 2 * v->rank, sizeof *words);
  words[BASE] = words[ALIGNED] = (uint64_t)(uintptr_t)data;
  for (size_t d = v->rank; d-- > 0; stride *= v->dims[d]) {
    words[SIZES + d] = v->dims[d];
    words[SIZES + v->rank + d] = stride;
  }
  return words;
}

static bool strays_up(uint64_t stray, size_t argument, uint64_t i) {
  return cul_inputs_mix(cul_inputs_mix(stray ^ argument << 32) ^ i) & 1;
}

/* Set out to the drawn numbers, moved and made magnitudes as inputs ask. */
static void vary(const struct cul_jit_inputs *inputs, size_t argument,
                 enum cul_dtype stored, const struct cul_tensor *drawn,
                 struct cul_tensor *out) {
  double u = cul_dtype_roundoff(cul_dtype_info(stored)->part);
  bool whole = cul_dtype_info(stored)->kind == CUL_IS_INT;
  unsigned parts = cul_tensor_parts(drawn);
  for (uint64_t i = 0; i < drawn->n; i++)
    for (unsigned part = 0; part < parts; part++) {
      cul_number value = cul_tensor_get(drawn, i, part);
      bool up = strays_up(inputs->stray, argument, i * parts + part);
      if (!whole && inputs->stray)
        value += value * (up ? (cul_number)u : -(cul_number)u);
      if (!whole && inputs->magnitudes)
        value = fmaxl(1, fabsl(value));
      cul_tensor_set(out, i, part, value);
    }
}

/* Take the given values of argument `number`. */
static int take_given(const struct cul_tensors *given, size_t number,
                      struct cul_tensor *out, struct cul_err *err) {
  const struct cul_tensor *from =
      number < given->n ? &given->items[number] : NULL;
  bool fits =
      from && from->rank == out->rank && from->n == out->n &&
      cul_dtype_info(from->dtype)->kind == cul_dtype_info(out->dtype)->kind;
  for (size_t d = 0; d < out->rank && fits; d++)
    fits = from->dims[d] == out->dims[d];
  if (!fits)
    return cul_fail(err, CUL_EUSAGE, "give as many, in their own types",
                    "argument %zu has another type than the given value",
                    number);
  for (uint64_t i = 0; i < out->n; i++)
    for (unsigned part = 0; part < cul_tensor_parts(out); part++)
      cul_tensor_set(out, i, part, cul_tensor_get(from, i, part));
  return 0;
}

static int draw(const struct cul_jit_value *v, size_t number,
                const struct cul_jit_inputs *inputs, struct cul_tensors *to,
                struct cul_tensor **out, struct cul_err *err) {
  int rc = cul_tensors_add(to, "", v->stored, v->rank, v->dims, out, err);
  if (rc < 0)
    return rc;
  if (inputs->given)
    return take_given(inputs->given, number, *out, err);
  cul_recipe_fill(&inputs->recipe, inputs->seed, number, *out);
  if (!v->buffer && v->dtype == CUL_INDEX)
    cul_tensor_set(*out, 0, 0, (cul_number)inputs->extent);
  return 0;
}

int cul_jit_call_draw(const struct cul_jit_call *call,
                      const struct cul_jit_inputs *inputs,
                      struct cul_tensors *out, struct cul_err *err) {
  struct cul_tensor *tensor;
  int rc = 0;
  for (size_t i = 0; i < call->n_args && rc == 0; i++)
    rc = draw(&call->args[i], i, inputs, out, &tensor, err);
  return rc;
}

static int make_arguments(const struct cul_jit_call *call,
                          const struct cul_jit_inputs *inputs, void **out,
                          struct cul_err *err) {
  int rc = 0;
  if (inputs->given && inputs->given->n > call->n_args)
    return cul_fail(
        err, CUL_EUSAGE, "give no more",
        "%zu %s given, and the function takes %zu", inputs->given->n,
        inputs->given->n == 1 ? "argument is" : "arguments are", call->n_args);
  for (size_t i = 0; i < call->n_args && rc == 0; i++) {
    const struct cul_jit_value *v = &call->args[i];
    struct cul_tensors drawn = {0}, given = {0};
    struct cul_tensor *tensor, *varied;
    rc = draw(v, i, inputs, &drawn, &tensor, err);
    if (rc == 0)
      rc =
          cul_tensors_add(&given, "", v->dtype, v->rank, v->dims, &varied, err);
    if (rc == 0) {
      vary(inputs, i, v->stored, tensor, varied);
      out[i] = make_argument(v, varied);
      if (!out[i])
        rc = cul_fail(err, CUL_EUSAGE, "make the tensors smaller",
                      "no memory for argument %zu", i);
    }
    cul_tensors_release(&drawn);
    cul_tensors_release(&given);
  }
  return rc;
}

static size_t place_results(const struct cul_jit_call *call, size_t *offsets) {
  size_t at = 0;
  for (size_t i = 0; i < call->n_results; i++) {
    size_t align = alignment_of(&call->results[i]);
    at = (at + align - 1) / align * align;
    offsets[i] = at;
    at += bytes_of(&call->results[i]);
  }
  return at;
}

/* ---- results ---- */

static void print_real(cul_number value, struct cul_buf *out) {
  /* 21 digits distinguish any two numbers with 64 bits of fraction. */
  cul_buf_addf(out, "%.21Lg", value);
}

static void print_tensor(const struct cul_tensor *tensor, struct cul_buf *out) {
  cul_tensor_type(tensor, out);
  cul_buf_addc(out, '=');
  for (uint64_t i = 0; i < tensor->n; i++) {
    cul_buf_adds(out, i ? " " : "");
    if (cul_tensor_parts(tensor) == 1) {
      print_real(cul_tensor_get(tensor, i, 0), out);
      continue;
    }
    cul_buf_addc(out, '(');
    print_real(cul_tensor_get(tensor, i, 0), out);
    cul_buf_addc(out, ',');
    print_real(cul_tensor_get(tensor, i, 1), out);
    cul_buf_addc(out, ')');
  }
  cul_buf_addc(out, '\n');
}

void cul_jit_print(const struct cul_tensors *tensors, const char *prefix,
                   const char *suffix, struct cul_buf *text) {
  for (size_t i = 0; i < tensors->n; i++) {
    cul_buf_addf(text, "result[%s%zu%s]: ", prefix, i, suffix);
    print_tensor(&tensors->items[i], text);
  }
}

/* Copy the elements of a descriptor, row by row. */
static void gather(const uint64_t *words, struct cul_tensor *tensor) {
  size_t size = cul_dtype_info(tensor->dtype)->size, rank = tensor->rank;
  const char *data = (const char *)(uintptr_t)words[ALIGNED];
  uint64_t index[CUL_TENSOR_MAX_RANK];
  for (uint64_t i = 0; i < tensor->n; i++) {
    uint64_t at = words[OFFSET];
    cul_tensor_index(tensor, i, index);
    for (size_t d = 0; d < rank; d++)
      at += index[d] * words[SIZES + rank + d];
    memcpy(tensor->data + i * size, data + at * size, size);
  }
}

static int take_value(const struct cul_jit_value *v, const void *storage,
                      struct cul_tensors *out, struct cul_err *err) {
  struct cul_tensor *tensor;
  const uint64_t *words = storage;
  int rc = cul_tensors_add(out, "", v->dtype, v->rank,
                           v->buffer ? words + SIZES : NULL, &tensor, err);
  if (rc < 0)
    return rc;
  if (v->buffer)
    gather(words, tensor);
  else
    memcpy(tensor->data, storage, cul_dtype_info(v->dtype)->size);
  return 0;
}

static int take_all(const struct cul_jit_call *call, void **args,
                    const char *results, const size_t *offsets,
                    struct cul_tensors *out, struct cul_err *err) {
  int rc = 0;
  for (size_t i = 0; i < call->n_results && rc == 0; i++)
    rc = take_value(&call->results[i], results + offsets[i], out, err);
  for (size_t i = 0; i < call->n_args && rc == 0; i++)
    if (call->args[i].memref)
      rc = take_value(&call->args[i], args[i], out, err);
  return rc;
}

/* ---- the call ---- */

struct storage {
  void **args;     /* storage of each argument */
  char *results;   /* storage of all results */
  size_t *offsets; /* of each result in it */
};

static int invoke(const struct cul_jit_call *call, MlirExecutionEngine jit,
                  const char *name, struct storage *s, struct cul_err *err) {
  bool returned = call->n_results == 1 && !call->results[0].buffer;
  void **packed = cul_xcalloc(call->n_args + 2, sizeof *packed);
  MlirLogicalResult result;
  size_t n = 0;
  if (call->n_results && !returned)
    packed[n++] = &s->results;
  for (size_t i = 0; i < call->n_args; i++)
    packed[n++] = call->args[i].buffer ? (void *)&s->args[i] : s->args[i];
  if (returned)
    packed[n++] = s->results;
  result = mlirExecutionEngineInvokePacked(jit, cul_ir_str(name), packed);
  free(packed);
  return mlirLogicalResultIsSuccess(result)
             ? 0
             : cul_fail(err, CUL_EUSAGE,
                        "keep the function through the passes, under its name",
                        "the compiled module has no function %s", name);
}

int cul_jit_call_run(const struct cul_jit_call *call, MlirExecutionEngine jit,
                     const char *name, const struct cul_jit_inputs *inputs,
                     struct cul_tensors *out, int *raised,
                     struct cul_err *err) {
  struct storage s = {.args = cul_xcalloc(call->n_args + 1, sizeof *s.args),
                      .offsets =
                          cul_xcalloc(call->n_results + 1, sizeof *s.offsets)};
  int rc = make_arguments(call, inputs, s.args, err);
  /* The struct may have padding at its end. */
  s.results = cul_xcalloc(1, place_results(call, s.offsets) + 64);
  feclearexcept(FE_ALL_EXCEPT | CUL_JIT_DENORMAL);
  if (rc == 0)
    rc = invoke(call, jit, name, &s, err);
  if (raised)
    *raised = fetestexcept(FE_ALL_EXCEPT | CUL_JIT_DENORMAL);
  if (rc == 0)
    rc = take_all(call, s.args, s.results, s.offsets, out, err);
  free(s.args);
  free(s.offsets);
  free(s.results);
  return rc;
}
