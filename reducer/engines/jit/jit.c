/* The engine "jit": lower the module to LLVM, compile it in this process, call
 * a function with generated inputs, and print its results. */
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <math.h>
#include <mlir-c/ExecutionEngine.h>
#include <mlir-c/RegisterEverything.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../../base/err.h"
#include "../../../base/files/fd.h"
#include "../../../base/files/file.h"
#include "../../../base/lives_on.h"
#include "../../../base/options/opt.h"
#include "../../../base/tensor/compare.h"
#include "../../subject/ir/compat.h"
#include "../../subject/ir/ir.h"
#include "../engine.h"
#include "../gpu/device.h"
#include "../gpu/emul.h"
#include "../gpu/gpu.h"
#include "../gpu/memory.h"
#include "../plan/entry.h"
#include "../plan/passes.h"
#include "../plan/recipe.h"
#include "../sound/sound.h"
#include "exact.h"
#include "results.h"
#include "widen.h"

/* A flag besides those of fenv.h: an operand was denormal (x86; 0
 * elsewhere). */
#ifdef __x86_64__
enum { CUL_JIT_DENORMAL = 2 };
#else
enum { CUL_JIT_DENORMAL = 0 };
#endif

/* The type of one argument or result. */
struct cul_jit_value {
  bool buffer; /* a tensor or memref: passed by a descriptor */
  bool memref; /* the caller's memory, so an argument is also an output */
  enum cul_dtype dtype;
  enum cul_dtype stored; /* values of an argument are rounded to this type */
  size_t rank;
  uint64_t dims[CUL_TENSOR_MAX_RANK];
};

struct cul_jit_call {
  struct cul_jit_value *args, *results;
  size_t n_args, n_results;
};

/* The values of the arguments. */
struct cul_jit_inputs {
  struct cul_recipe recipe;
  uint64_t seed;
  uint64_t extent; /* of dynamic dimensions; value of scalar index arguments */
  /* not 0: each float is moved up or down by one roundoff of its stored type;
   * the number selects the directions */
  uint64_t stray;
  double stray_by; /* ... by this share of it instead, if not 0 */
  bool magnitudes; /* replace each float x by max(1, |x|) */
  bool zeros;      /* replace each float by 0 */
  /* these values instead, one tensor per argument; or NULL */
  const struct cul_tensors *given;
};

struct options;
struct cul_jit_wide;
static int call(struct cul_ir *ir, const struct options *options,
                const struct cul_jit_wide *wide, struct cul_err *err);
static int show_inputs(const struct cul_jit_call *call,
                       const struct cul_jit_inputs *inputs,
                       struct cul_err *err);

/* The function that is called, and its module in f64. */
struct cul_jit_wide {
  struct cul_ir *ir;
  struct cul_jit_call *call;
  const char *name;
  const struct cul_jit_inputs *inputs; /* with the first seed */
  uint64_t seeds;
  struct cul_widened widened;
  MlirOperation lowered; /* a copy of the module in the LLVM dialect */
};

/* ---- compile ---- */

/* Compile the LLVM dialect to code in this process. */

/* The runtime: libraries with print functions and the like. */
static const char *const libraries[] = {CULPRIT_C_RUNNER_UTILS,
                                        CULPRIT_RUNNER_UTILS};
enum { N_LIBRARIES = CUL_ARRAY_SIZE(libraries) };

/* Let the code call these functions too.  jit may be null. */
static void jit_register(MlirExecutionEngine jit,
                         const struct cul_jit_symbol *symbols) {
  for (; jit.ptr && symbols->name; symbols++)
    mlirExecutionEngineRegisterSymbol(jit, cul_ir_str(symbols->name),
                                      symbols->address);
}

/* Compile the module; the code can call the runtime's functions and
 * cul_jit_symbols.  level: optimization of the code generator, 0 to 3.  Null if
 * MLIR cannot; the reason is on standard error. */
static MlirExecutionEngine jit_compile(MlirModule module, int level) {
  char *prefix = cul_llvm_prefix(CULPRIT_LLVM_PREFIX);
  char *files[N_LIBRARIES];
  MlirStringRef paths[N_LIBRARIES];
  MlirExecutionEngine jit;
  int n = 0;
  for (size_t i = 0; i < N_LIBRARIES; i++) {
    files[i] = cul_xasprintf("%s/lib/%s", prefix, libraries[i]);
    if (access(files[i], R_OK) == 0)
      paths[n++] = cul_ir_str(files[i]);
  }
  jit = cul_compat_jit(module, level, n, paths);
  for (size_t i = 0; i < N_LIBRARIES; i++)
    free(files[i]);
  free(prefix);
  cul_lives_on(jit.ptr);
  jit_register(jit, cul_jit_symbols);
  return jit;
}

/* ---- call ---- */

/* Calls through MLIR's C interface.
 *
 * A tensor or memref is passed as the address of a descriptor: base, aligned,
 * offset, sizes[rank], strides[rank], 64 bits each.  A single result of this
 * kind is written through an additional first argument; a single scalar is
 * returned; several results form a struct, written through the first argument.
 * A packed call takes the addresses of the arguments ("Target LLVM IR",
 * mlir.llvm.org). */

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

/* Read the types of a function.  Release out, also after an error.  Errors:
 * EUSAGE for a type that cannot be passed. */
static int jit_call_init(struct cul_ir *ir, MlirType function, uint64_t extent,
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

static void jit_call_release(struct cul_jit_call *call) {
  free(call->args);
  free(call->results);
  *call = (struct cul_jit_call){0};
}

/* Round arguments to the types of `narrow`, the same function in narrower
 * types. */
static void jit_call_store_as(struct cul_jit_call *call,
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

/* Set out to the drawn numbers, moved, made magnitudes or zeros as `inputs`
 * asks. */
static void vary(const struct cul_jit_inputs *inputs, size_t argument,
                 enum cul_dtype stored, const struct cul_tensor *drawn,
                 struct cul_tensor *out) {
  double u = inputs->stray_by > 0
                 ? inputs->stray_by
                 : cul_dtype_roundoff(cul_dtype_info(stored)->part);
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
      if (!whole && inputs->zeros)
        value = 0;
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

/* Append the arguments for a call; they have no names.  Errors: EUSAGE (too
 * large; the given values have other types). */
static int jit_call_draw(const struct cul_jit_call *call,
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

/* Call the function `name` and append its outputs: the results, then the
 * memrefs among the arguments; they have no names.  raised: NULL, or set to the
 * floating-point exceptions of the call, as flags of fenv.h.  Errors: EUSAGE
 * (no such function; too large; the given values do not fit). */
static int jit_call_run(const struct cul_jit_call *call,
                        MlirExecutionEngine jit, const char *name,
                        const struct cul_jit_inputs *inputs,
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

/* ---- wide ---- */

/* The output of a run in f64 besides its results: the option --wide of the
 * engine jit. */

/* Discard standard output until unmute. */
static int mute(void) {
  int saved, null = TEMP_FAILURE_RETRY(open("/dev/null", O_WRONLY | O_CLOEXEC));
  fflush(stdout);
  saved = dup(STDOUT_FILENO);
  if (null >= 0)
    dup2(null, STDOUT_FILENO), close(null);
  return saved;
}

static void unmute(int saved) {
  fflush(stdout);
  if (saved >= 0)
    dup2(saved, STDOUT_FILENO), close(saved);
}

/* ---- noise ---- */

/* Measure how far the results move if the inputs move by stray_by; 0: by the
 * roundoff of their types. */
static int measure_noise(const struct cul_jit_wide *wide,
                         MlirExecutionEngine jit, uint64_t seed,
                         double stray_by, struct cul_tensors *noise,
                         struct cul_err *err) {
  enum { RUNS = 4 };
  struct cul_jit_inputs inputs = *wide->inputs;
  struct cul_tensors results = {0};
  int rc;
  inputs.seed += seed;
  inputs.stray_by = stray_by;
  rc = jit_call_run(wide->call, jit, wide->name, &inputs, &results, NULL, err);
  if (rc == 0)
    rc = cul_noise_add(&results, noise, err);
  for (inputs.stray = 1; inputs.stray <= RUNS && rc == 0; inputs.stray++) {
    struct cul_tensors strayed = {0};
    rc =
        jit_call_run(wide->call, jit, wide->name, &inputs, &strayed, NULL, err);
    if (rc == 0)
      cul_noise_spread(&results, &strayed, noise);
    cul_tensors_release(&strayed);
  }
  cul_tensors_release(&results);
  return rc;
}

/* ---- roundings ---- */

/* For types with few digits, the roundings on the way to an element are
 * counted.  k roundings of roundoff u change the element by k*u times the
 * larger of its magnitude and its condition: how far it moves per move of its
 * inputs.  Sums in another order and fused products round differently, so 4
 * times that is allowed. */
enum { FEW_DIGITS = 11 };
static const double allowed = 4;

/* Call the module that counts (exact.h) on zeros; counts: empty if it cannot be
 * made. */
static void count_roundings(const struct cul_jit_wide *wide, uint64_t seed,
                            struct cul_tensors *counts) {
  MlirOperation copy = mlirOperationClone(wide->lowered);
  struct cul_jit_inputs inputs = *wide->inputs;
  struct cul_buf why = {0};
  struct cul_err ignored = {0};
  MlirExecutionEngine jit = {NULL};
  cul_lives_on(copy.ptr);
  inputs.seed += seed;
  inputs.zeros = true;
  if (cul_exact_bound(wide->ir, copy, CUL_EXACT_ROUNDINGS, &why))
    jit = jit_compile(mlirModuleFromOperation(copy), 0);
  if (jit.ptr && jit_call_run(wide->call, jit, wide->name, &inputs, counts,
                              NULL, &ignored) < 0)
    cul_tensors_release(counts);
  cul_buf_release(&why);
}

/* Turn bound, which holds the condition (how far each element moves if its
 * inputs move by stray_by), into the difference that the counted roundings
 * allow. */
static void allow(const struct cul_jit_wide *wide, double stray_by,
                  const struct cul_tensor *result,
                  const struct cul_tensor *count, struct cul_tensor *bound) {
  unsigned parts = cul_tensor_parts(bound);
  for (uint64_t i = 0; i < bound->n * parts; i++) {
    uint64_t at = i / parts;
    unsigned part = (unsigned)(i % parts);
    cul_number moves = cul_tensor_get(bound, at, part) / (cul_number)stray_by;
    cul_number size = fabsl(cul_tensor_get(result, at, part));
    cul_number share =
        cul_tensor_get(count, at, part) * (cul_number)wide->widened.computed +
        (cul_number)wide->widened.converted;
    cul_tensor_set(bound, at, part,
                   (cul_number)allowed * share * fmaxl(moves, size));
  }
}

/* Append the allowed difference of each element, as results named "bound N";
 * nothing if it is not known. */
static int say_bounds(const struct cul_jit_wide *wide, MlirExecutionEngine jit,
                      uint64_t seed, const char *suffix, struct cul_buf *text,
                      struct cul_err *err) {
  const double stray_by = 0x1p-24;
  struct cul_jit_inputs inputs = *wide->inputs;
  struct cul_tensors results = {0}, counts = {0}, bounds = {0};
  int rc = 0;
  inputs.seed += seed;
  if (wide->widened.digits <= FEW_DIGITS)
    count_roundings(wide, seed, &counts);
  if (counts.n)
    rc = measure_noise(wide, jit, seed, stray_by, &bounds, err);
  if (rc == 0 && counts.n)
    rc =
        jit_call_run(wide->call, jit, wide->name, &inputs, &results, NULL, err);
  for (size_t i = 0; rc == 0 && i < bounds.n; i++)
    allow(wide, stray_by, &results.items[i], &counts.items[i],
          &bounds.items[i]);
  if (rc == 0)
    cul_results_print(&bounds, "bound ", suffix, text);
  cul_tensors_release(&results);
  cul_tensors_release(&counts);
  cul_tensors_release(&bounds);
  return rc;
}

/* ---- exactness ---- */

static cul_number largest(const struct cul_tensors *tensors) {
  cul_number most = 0;
  for (size_t t = 0; t < tensors->n; t++) {
    const struct cul_tensor *tensor = &tensors->items[t];
    unsigned parts = cul_tensor_parts(tensor);
    bool whole = cul_dtype_info(tensor->dtype)->kind == CUL_IS_INT;
    for (uint64_t i = 0; !whole && i < tensor->n * parts; i++) {
      cul_number value = cul_tensor_get(tensor, i / parts, i % parts);
      if (!(value <= most))
        most = value;
    }
  }
  return most;
}

/* Are all arguments whole numbers? */
static bool all_whole(const struct cul_jit_wide *wide,
                      const struct cul_jit_inputs *inputs,
                      struct cul_buf *why) {
  struct cul_tensors drawn = {0};
  struct cul_err err = {0};
  bool whole = jit_call_draw(wide->call, inputs, &drawn, &err) == 0;
  for (size_t t = 0; t < drawn.n && whole; t++) {
    const struct cul_tensor *tensor = &drawn.items[t];
    unsigned parts = cul_tensor_parts(tensor);
    for (uint64_t i = 0; i < tensor->n * parts && whole; i++) {
      cul_number value = cul_tensor_get(tensor, i / parts, i % parts);
      whole = value == rintl(value);
    }
    if (!whole)
      cul_buf_addf(why, "argument %zu is not whole", t);
  }
  cul_tensors_release(&drawn);
  return whole;
}

/* The largest bound over all seeds; NaN if there is none, with the reason in
 * why. */
static cul_number bound_all(const struct cul_jit_wide *wide,
                            struct cul_buf *why) {
  struct cul_jit_inputs inputs = *wide->inputs;
  MlirModule module = mlirModuleFromOperation(wide->lowered);
  MlirExecutionEngine jit;
  struct cul_err err = {0};
  cul_number most = 0;
  for (uint64_t s = 0; s < wide->seeds; s++) {
    inputs.seed = wide->inputs->seed + s;
    if (!all_whole(wide, &inputs, why))
      return (cul_number)NAN;
  }
  if (!cul_exact_bound(wide->ir, wide->lowered, CUL_EXACT_SIZES, why))
    return (cul_number)NAN;
  jit = jit_compile(module, 0);
  inputs.magnitudes = true;
  for (uint64_t s = 0; s < wide->seeds && jit.ptr; s++) {
    struct cul_tensors results = {0};
    inputs.seed = wide->inputs->seed + s;
    if (jit_call_run(wide->call, jit, wide->name, &inputs, &results, NULL,
                     &err) == 0)
      most = fmaxl(most, largest(&results));
    else
      most = (cul_number)INFINITY;
    cul_tensors_release(&results);
  }
  return jit.ptr ? most : (cul_number)INFINITY;
}

static void say_exact(const struct cul_jit_wide *wide) {
  struct cul_buf why = {0};
  unsigned digits = wide->widened.digits;
  cul_number bound = bound_all(wide, &why);
  if (!why.len && bound <= ldexpl(1, (int)digits))
    fprintf(stderr, "wide: digits=%u exact=yes: no number above %.0Lf\n",
            digits, bound);
  else
    fprintf(stderr, "wide: digits=%u exact=no: %s\n", digits,
            why.len ? cul_buf_str(&why) : "its numbers may have more digits");
  cul_buf_release(&why);
}

/* Call the function with inputs moved by their roundoff, and print how far each
 * element of a result moves, as results named "noise N", and, in types with few
 * digits, by how much rounding may change it, "bound N".  Then bound all
 * numbers (exact.h) and print one line to standard error: "wide: digits=24
 * exact=yes: ..." or "wide: digits=24 exact=no: WHY".  The output of the
 * function itself is discarded.  Errors: EUSAGE. */
static int jit_wide_run(const struct cul_jit_wide *wide,
                        MlirExecutionEngine jit, struct cul_err *err) {
  struct cul_buf text = {0};
  int rc = 0, saved = mute();
  for (uint64_t s = 0; s < wide->seeds && rc == 0; s++) {
    struct cul_tensors noise = {0};
    char suffix[24] = "";
    if (wide->seeds > 1)
      snprintf(suffix, sizeof suffix, "/%llu", (unsigned long long)s);
    rc = measure_noise(wide, jit, s, 0, &noise, err);
    if (rc == 0)
      cul_results_print(&noise, "noise ", suffix, &text);
    if (rc == 0)
      rc = say_bounds(wide, jit, s, suffix, &text, err);
    cul_tensors_release(&noise);
  }
  if (rc == 0)
    say_exact(wide);
  unmute(saved);
  if (rc == 0)
    fwrite(cul_buf_str(&text), 1, text.len, stdout);
  cul_buf_release(&text);
  return rc;
}

/* Print "raised: division by zero, overflow" to standard error, with the names
 * of those flags among division by zero, invalid operation, overflow and
 * denormal operand; nothing if raised has none of them. */
static void jit_say_raised(int raised) {
  static const struct {
    int flag;
    const char *name;
  } names[] = {{FE_DIVBYZERO, "division by zero"},
               {FE_INVALID, "an operation without a result"},
               {FE_OVERFLOW, "overflow"},
               {CUL_JIT_DENORMAL, "a denormal number"}};
  struct cul_buf text = {0};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(names); i++)
    if (raised & names[i].flag)
      cul_buf_addf(&text, "%s%s", text.len ? ", " : "", names[i].name);
  if (text.len)
    fprintf(stderr, "raised: %s\n", cul_buf_str(&text));
  cul_buf_release(&text);
}

/* ---- checked ---- */

/* Run compiled code with checks (sound.h). */

/* The poison bytes to try: positive and negative numbers, and both ends of the
 * range. */
static const unsigned char choices[] = {0x5b, 0xa4, 0x00, 0xff};

/* Run once(arg), with its standard output captured in memory. */
static int capture(int (*once)(void *arg, struct cul_err *err), void *arg,
                   struct cul_buf *out, struct cul_err *err) {
  off_t size;
  int saved, rc, memory = memfd_create("culprit", MFD_CLOEXEC);
  if (memory < 0)
    return cul_fail(err, CUL_EENV, "free some memory",
                    "no memory for what is printed");
  fflush(stdout);
  saved = dup(STDOUT_FILENO);
  dup2(memory, STDOUT_FILENO);
  rc = once(arg, err);
  fflush(stdout);
  dup2(saved, STDOUT_FILENO);
  close(saved);
  size = lseek(memory, 0, SEEK_END);
  lseek(memory, 0, SEEK_SET);
  cul_buf_reserve(out, (size_t)size);
  if (size > 0 && cul_read_all(memory, out->data, (size_t)size) == 1)
    out->data[out->len = (size_t)size] = '\0';
  close(memory);
  return rc;
}

/* Run once(arg) with its standard output held back.  If it meets poison, run it
 * again with other numbers for poison, and end the process if an output
 * differs: it depends on poison.  Else print the first output.  Returns what
 * once returned.  Errors: also EENV, if the output cannot be held back. */
static int jit_checked(int (*once)(void *arg, struct cul_err *err), void *arg,
                       struct cul_err *err) {
  struct cul_buf first = {0};
  char *met;
  int rc;
  cul_sound_set(choices[0]);
  rc = capture(once, arg, &first, err);
  met = rc == 0 && cul_sound_met() ? cul_xstrdup(cul_sound_met()) : NULL;
  for (size_t i = 1; met && i < CUL_ARRAY_SIZE(choices); i++) {
    struct cul_buf other = {0};
    struct cul_err ignored = {0};
    cul_sound_set(choices[i]);
    if (capture(once, arg, &other, &ignored) != 0 || other.len != first.len ||
        (first.len && memcmp(other.data, first.data, first.len) != 0))
      cul_sound_end(met);
    cul_buf_release(&other);
  }
  if (rc == 0)
    fwrite(cul_buf_str(&first), 1, first.len, stdout);
  free(met);
  cul_buf_release(&first);
  return rc;
}

/* ---- jit ---- */

struct options {
  const char *passes, *entry, *inputs, *arguments, *on;
  struct cul_tensors given; /* parsed from arguments */
  struct cul_device device; /* parsed from on */
  int64_t seed, seeds, extent, optimize, poison;
  double patience;
  bool show_inputs, checks, closed, wide, time_kernels, races;
};

static const struct cul_opt opts[] = {
    {.name = "passes",
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct options, passes),
     .value = "PIPELINE",
     .help = "run these passes first, builtin.module(...); the built-in "
             "pipeline lowers their output"},
    {.name = "entry",
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct options, entry),
     .value = "NAME",
     .help = "the function to call (default: main, else the first public one)"},
    {.name = "inputs",
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct options, inputs),
     .value = "KIND",
     .help = "integers, reals or positive; then the values of single "
             "arguments: integers,0=ones,1=zeros,2=drawn@0-3+9,3=index@7"},
    {.name = "arguments",
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct options, arguments),
     .value = "TEXT",
     .help = "use these instead of generated ones, one per line: "
             "2x2xf32=1 2 3 4; a single number is for all elements; <FILE or "
             "2x2xf32=<FILE reads them"},
    {.name = "show-inputs",
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct options, show_inputs),
     .help = "print the arguments, and call nothing"},
    {.name = "seed",
     .type = CUL_OPT_INT,
     .offset = offsetof(struct options, seed),
     .max = INT64_MAX,
     .value = "N",
     .help = "seed of the inputs"},
    {.name = "seeds",
     .type = CUL_OPT_INT,
     .offset = offsetof(struct options, seeds),
     .min = 1,
     .max = 64,
     .value = "N",
     .help = "call it with the inputs of N seeds, one after the other "
             "(default 1)"},
    {.name = "extent",
     .type = CUL_OPT_INT,
     .offset = offsetof(struct options, extent),
     .min = 1,
     .max = 1 << 20,
     .value = "N",
     .help = "size of dynamic dimensions, and the value of index arguments "
             "(default 4)"},
    {.name = "optimize",
     .type = CUL_OPT_INT,
     .offset = offsetof(struct options, optimize),
     .max = 3,
     .value = "N",
     .help = "level of the code generator (default 0)"},
    {.name = "device",
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct options, on),
     .value = "emul|cuda|hip[:CHIP][,compile]",
     .help = "map the loops to GPU kernels, and run those thread by thread on "
             "the CPU, or on a card (CHIP: sm_90, gfx90a ...), or compile them "
             "only"},
    {.name = "patience",
     .type = CUL_OPT_SECONDS,
     .offset = offsetof(struct options, patience),
     .value = "SECONDS",
     .help = "treat a kernel on a card that takes longer as hanging "
             "(default 10)"},
    {.name = "time-kernels",
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct options, time_kernels),
     .help = "print to standard error the times that events on the card "
             "measure: \"kernel NAME: 12.5 us in 3 launches\", \"kernels: 12.5 "
             "us\""},
    {.name = "poison",
     .type = CUL_OPT_INT,
     .offset = offsetof(struct options, poison),
     .min = 1,
     .max = 255,
     .value = "N",
     .help = "fill fresh memory with this byte"},
    {.name = "checks",
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct options, checks),
     .help = "stop at undefined behaviour: accesses out of bounds, divisions "
             "by zero, results that depend on poison; print the "
             "floating-point exceptions raised"},
    {.name = "races",
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct options, races),
     .help = "in emulated kernels, stop at races, barriers that not all "
             "threads reach, accesses out of bounds, and reads of memory that "
             "nothing has written"},
    {.name = "closed",
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct options, closed),
     .help = "require a @main without arguments, and call it"},
    {.name = "wide",
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct options, wide),
     .help = "change every float to f64; also print how far results move "
             "when inputs move by one roundoff of their own type, and "
             "whether that type would round at all"},
    {.name = NULL}};

#define AFFINE "builtin.module(lower-affine)"
#define CHECKS "builtin.module(generate-runtime-verification)"
/* For a GPU: turn loops into kernels with blocks of 16 by 16 threads; then
 * lower the host's side, whose kernels are empty by then, so that no vendor
 * tool is needed. */
#define TO_KERNELS                                                             \
  "builtin.module(func.func(convert-linalg-to-parallel-loops,"                 \
  "scf-parallel-loop-tiling{parallel-loop-tile-sizes=16,16 "                   \
  "no-min-max-bounds=true},gpu-map-parallel-loops,"                            \
  "convert-parallel-loops-to-gpu,canonicalize,cse),lower-affine,"              \
  "gpu-kernel-outlining,canonicalize)"
#define HOST                                                                   \
  "builtin.module(expand-strided-metadata,lower-affine,"                       \
  "gpu-lower-to-nvvm-pipeline{cubin-chip=sm_60 cubin-format=isa})"

static int usage(const struct cul_err *err) {
  fprintf(stderr, "error: %s\n", err->what);
  return CUL_ENGINE_USAGE;
}

static int missing(const struct cul_err *err) {
  fprintf(stderr, "error: %s; %s\n", err->what, err->advice);
  return CUL_ENGINE_MISSING;
}

/* Read the file of an argument, "2x3xf32=<PATH" or "<PATH". */
static int read_argument(const char *line, const char *path,
                         struct cul_tensors *out, struct cul_err *err) {
  struct cul_tensor_hint hint = {0};
  size_t before = out->n;
  char *type = cul_xstrndup(line, (size_t)(path - line));
  int rc = 0;
  type[strcspn(type, "=<")] = '\0';
  if (*type)
    rc = cul_tensor_hint_parse(type, &hint, err);
  if (rc == 0)
    rc = cul_tensors_load(path, &hint, out, err);
  if (rc == 0 && out->n != before + 1)
    rc = cul_fail(err, CUL_EUSAGE, "name one file per argument",
                  "%s: %zu tensors for one argument", path, out->n - before);
  free(type);
  return rc;
}

/* Read the values of --arguments, a line each. */
static int read_arguments(const char *text, struct cul_tensors *out,
                          struct cul_err *err) {
  int rc = 0;
  if (!strchr(text, '<'))
    return cul_tensors_parse_text((struct cul_bytes){text, strlen(text)}, NULL,
                                  out, err);
  while (*text && rc == 0) {
    size_t len = strcspn(text, "\n");
    char *line = cul_xstrndup(text, len);
    const char *mark = strchr(line, '<');
    rc = mark ? read_argument(line, mark + 1, out, err)
              : cul_tensors_parse_text((struct cul_bytes){line, len}, NULL, out,
                                       err);
    free(line);
    text += len + (text[len] == '\n');
  }
  return rc;
}

static int read_words(int argc, char **argv, struct options *out,
                      struct cul_jit_inputs *inputs, struct cul_err *err) {
  const char *file;
  struct cul_operands operands = {.items = &file, .max = 1};
  *out = (struct options){.seeds = 1, .extent = 4, .patience = 10};
  *inputs = (struct cul_jit_inputs){.seed = 0};
  if (cul_opt_parse(opts, out, argc, argv, &operands, err) < 0)
    return err->code;
  if (out->inputs && !cul_recipe_parse(out->inputs, &inputs->recipe))
    return cul_fail(err, CUL_EUSAGE,
                    "integers, reals or positive; behind it ,0=ones ,1=zeros "
                    ",2=drawn@0-3+9 ,3=index for single arguments",
                    "--inputs: unknown kind \"%s\"", out->inputs);
  if (out->arguments) {
    if (read_arguments(out->arguments, &out->given, err) < 0)
      return err->code;
    inputs->given = &out->given;
  }
  if (out->on && cul_device_parse(out->on, &out->device, err) < 0)
    return err->code;
  if (out->time_kernels && (!out->device.stack || out->device.compile))
    return cul_fail(err, CUL_EUSAGE, "add --device cuda or hip",
                    "--time-kernels: events are a card's");
  inputs->seed = (uint64_t)out->seed;
  inputs->extent = (uint64_t)out->extent;
  return 0;
}

/* ---- the function ---- */

static MlirType type_of(MlirOperation entry) {
  return mlirTypeAttrGetValue(
      mlirOperationGetAttributeByName(entry, cul_ir_str("function_type")));
}

/* Make the entry callable through MLIR's C interface. */
static void expose(struct cul_ir *ir, MlirOperation entry) {
  cul_edit_set_attribute(entry, cul_ir_str("llvm.emit_c_interface"),
                         mlirUnitAttrGet(ir->context));
  if (mlirOperationGetAttributeByName(entry, cul_ir_str("sym_visibility")).ptr)
    cul_edit_set_attribute(
        entry, cul_ir_str("sym_visibility"),
        mlirStringAttrGet(ir->context, cul_ir_str("public")));
}

/* ---- compiling ---- */

/* ... but if the module launches kernels of its own, these are left as they
 * are, and loops stay on the host. */
#define OWN_KERNELS "builtin.module(lower-affine,gpu-kernel-outlining)"

/* Lower to the host's code and *kernels, which are emulated; or, for a card, to
 * both in one module.  own: the module has kernels of its own, and they are
 * emulated. */
static int lower_kernels(struct cul_ir *ir, const struct options *options,
                         bool own, const struct cul_passes_warm *warm,
                         struct cul_emul_kernels *kernels) {
  struct cul_err err = {0};
  int rc = cul_passes_run(ir, ir->root, own ? OWN_KERNELS : TO_KERNELS, warm);
  if (rc)
    return rc;
  if (options->device.stack)
    return cul_device_lower(ir, &options->device, warm);
  kernels->warp = strcmp(options->device.chip, "64") == 0 ? 64 : 32;
  kernels->order = options->on ? CUL_EMUL_REVERSE : CUL_EMUL_FORWARD;
  kernels->checked = options->races || (own && options->checks);
  rc = cul_emul_make(ir, warm, kernels, &err);
  if (rc < 0)
    return usage(&err);
  return rc ? rc : cul_passes_run(ir, ir->root, HOST, warm);
}

/* Add the checks that need bufferized code; affine accesses become memref's
 * first. */
static int add_checks(struct cul_ir *ir, const struct cul_passes_warm *warm) {
  int rc = cul_passes_run(ir, ir->root, AFFINE, warm);
  if (rc)
    return rc;
  cul_sound_check(ir);
  rc = cul_passes_run(ir, ir->root, CHECKS, warm);
  if (rc == 0)
    cul_sound_check(ir); /* runtime verification: loads */
  return rc;
}

/* Insert the checks of --checks and the bytes of --poison. */
static int instrument(struct cul_ir *ir, const struct options *options,
                      const struct cul_passes_warm *warm) {
  if (options->poison || options->checks)
    cul_sound_fill(
        ir, (unsigned char)(options->poison ? options->poison : CUL_JIT_FRESH));
  return options->checks ? add_checks(ir, warm) : 0;
}

/* Lower to the LLVM dialect; emulated kernels go to *kernels.  A module with
 * kernels of its own is always emulated; their checks are those of
 * emul_run.c. */
static int lower(struct cul_ir *ir, const struct options *options,
                 const struct cul_passes_warm *warm,
                 struct cul_emul_kernels *kernels) {
  int rc =
      options->passes ? cul_passes_run(ir, ir->root, options->passes, warm) : 0;
  bool own = rc == 0 && !options->device.stack && cul_emul_has_kernels(ir);
  if (rc == 0 && options->checks && !own)
    cul_sound_check(ir);
  if (rc == 0)
    rc = cul_passes_run(ir, ir->root, CUL_BUFFERIZE, warm);
  if (rc == 0 && !own)
    rc = instrument(ir, options, warm);
  if (rc == 0 && (options->on || own))
    rc = lower_kernels(ir, options, own, warm, kernels);
  return rc ? rc : cul_passes_run(ir, ir->root, CUL_LOWER, warm);
}

/* ---- running ---- */

/* Compile the kernels; the host's code launches them from then on. */
static bool compile_kernels(const struct options *options,
                            struct cul_emul_kernels *kernels) {
  MlirExecutionEngine jit;
  if (!kernels->module.ptr)
    return true;
  jit = jit_compile(kernels->module, (int)options->optimize);
  jit_register(jit, cul_emul_kernel_symbols);
  for (size_t i = 0; jit.ptr && i < kernels->n; i++)
    kernels->items[i].code = (void (*)(void **))mlirExecutionEngineLookupPacked(
        jit, cul_ir_str(kernels->items[i].name));
  cul_emul_serve(kernels);
  return jit.ptr != NULL;
}

/* Print results; with several seeds as "result[0/1]", here of the second. */
static void print_seed(const struct options *options, uint64_t seed,
                       const struct cul_tensors *results, struct cul_buf *out) {
  char suffix[24] = "";
  if (options->seeds > 1)
    snprintf(suffix, sizeof suffix, "/%llu", (unsigned long long)seed);
  cul_results_print(results, "", suffix, out);
}

struct calling {
  const struct options *options;
  const struct cul_jit_wide *wide;
  MlirExecutionEngine jit;
  bool called;
  int raised; /* exceptions of the first call */
};

/* Call the function for every seed; print all results to standard output. */
static int call_all(void *arg, struct cul_err *err) {
  struct calling *c = arg;
  const struct cul_jit_wide *wide = c->wide;
  struct cul_jit_inputs inputs = *wide->inputs;
  struct cul_buf text = {0};
  int rc = 0;
  for (uint64_t s = 0; s < (uint64_t)c->options->seeds && rc == 0; s++) {
    struct cul_tensors results = {0};
    int flags;
    inputs.seed = wide->inputs->seed + s;
    rc = jit_call_run(wide->call, c->jit, wide->name, &inputs, &results, &flags,
                      err);
    if (!c->called)
      c->raised |= flags;
    if (rc == 0)
      print_seed(c->options, s, &results, &text);
    cul_tensors_release(&results);
  }
  c->called = true;
  if (rc == 0)
    fwrite(cul_buf_str(&text), 1, text.len, stdout);
  if (rc == 0 && c->options->time_kernels)
    cul_gpu_say_times();
  cul_buf_release(&text);
  return rc;
}

static int call(struct cul_ir *ir, const struct options *options,
                const struct cul_jit_wide *wide, struct cul_err *err) {
  struct calling c = {.options = options, .wide = wide};
  int rc;
  c.jit = jit_compile(ir->module, (int)options->optimize);
  jit_register(c.jit,
               options->device.stack ? cul_gpu_symbols : cul_emul_host_symbols);
  jit_register(c.jit, cul_sound_symbols);
  if (options->time_kernels)
    cul_gpu_time_kernels();
  if (options->poison)
    cul_jit_poison((unsigned char)options->poison);
  if (!c.jit.ptr)
    return 1;
  rc = options->checks ? jit_checked(call_all, &c, err) : call_all(&c, err);
  if (rc == 0 && options->checks)
    jit_say_raised(c.raised);
  return rc == 0 && options->wide ? jit_wide_run(wide, c.jit, err) : rc;
}

/* Read the signature.  With --wide, change the module to f64, and let arguments
 * be rounded to their original types. */
static int read_signature(struct cul_ir *ir, const struct options *options,
                          MlirOperation entry, struct cul_jit_wide *wide,
                          struct cul_err *err) {
  struct cul_jit_call narrow = {0};
  uint64_t extent = wide->inputs->extent;
  int rc = jit_call_init(ir, type_of(entry), extent, wide->call, err);
  if (rc < 0 || !options->wide)
    return rc;
  narrow = *wide->call;
  *wide->call = (struct cul_jit_call){0};
  rc = cul_widen(ir, 0, &wide->widened, err);
  if (rc < 0)
    rc = CUL_ENGINE_UNABLE;
  else
    rc = jit_call_init(ir, type_of(entry), extent, wide->call, err);
  if (rc == 0)
    jit_call_store_as(wide->call, &narrow);
  jit_call_release(&narrow);
  return rc;
}

/* Lower, compile and call. */
static int build_and_call(struct cul_ir *ir, const struct options *options,
                          struct cul_jit_wide *wide, void *warm,
                          struct cul_err *err) {
  struct cul_emul_kernels kernels = {.n = 0};
  int rc;
  cul_passes_speak(ir->context);
  mlirRegisterAllLLVMTranslations(ir->context);
  rc = lower(ir, options, warm, &kernels);
  if (rc == 0 && options->device.stack &&
      cul_gpu_open(options->device.stack, (uint64_t)(options->patience * 1000),
                   err) < 0)
    return missing(err);
  if (rc == 0 && options->wide)
    wide->lowered = mlirOperationClone(ir->root);
  cul_lives_on(wide->lowered.ptr);
  if (rc == 0 && !compile_kernels(options, &kernels))
    rc = 1;
  return rc ? rc : call(ir, options, wide, err);
}

/* Lower, and make the device's code, but call nothing. */
static int compile_only(struct cul_ir *ir, const struct options *options,
                        const struct cul_passes_warm *warm) {
  int rc;
  cul_passes_speak(ir->context);
  mlirRegisterAllLLVMTranslations(ir->context);
  rc =
      options->passes ? cul_passes_run(ir, ir->root, options->passes, warm) : 0;
  if (rc == 0)
    rc = cul_passes_run(ir, ir->root, CUL_BUFFERIZE, warm);
  return rc ? rc : lower_kernels(ir, options, false, warm, NULL);
}

/* With --closed: is the entry a @main without arguments? */
static int check_closed(const struct options *options, const char *name,
                        const struct cul_jit_call *signature,
                        struct cul_err *err) {
  if (!options->closed || (strcmp(name, "main") == 0 && signature->n_args == 0))
    return 0;
  cul_fail(err, CUL_EUSAGE, "leave --closed out",
           signature->n_args
               ? "@%s takes arguments, and no iree-run-module of the command "
                 "names them with --input=TYPE=VALUES or --input=@FILE"
               : "there is no @main",
           name);
  return CUL_ENGINE_UNABLE;
}

static int show_inputs(const struct cul_jit_call *call,
                       const struct cul_jit_inputs *inputs,
                       struct cul_err *err) {
  struct cul_tensors drawn = {0};
  struct cul_buf text = {0};
  int rc = jit_call_draw(call, inputs, &drawn, err);
  cul_results_print(&drawn, "", "", &text);
  fwrite(cul_buf_str(&text), 1, text.len, stdout);
  cul_buf_release(&text);
  cul_tensors_release(&drawn);
  return rc;
}

static int run(struct cul_subject *subject, void *warm, int argc, char **argv) {
  struct cul_ir *ir = cul_ir_of(subject);
  struct options options;
  struct cul_jit_inputs inputs;
  struct cul_jit_call signature = {0};
  struct cul_jit_wide wide = {.ir = ir, .call = &signature, .inputs = &inputs};
  struct cul_err err = {0};
  char *name = NULL;
  MlirOperation entry = {NULL};
  int rc = read_words(argc, argv, &options, &inputs, &err);
  wide.seeds = (uint64_t)options.seeds;
  if (rc == 0 && options.device.compile)
    return compile_only(ir, &options, warm);
  if (rc == 0)
    entry = cul_entry_find(ir, options.entry, &name, &err);
  if (rc == 0)
    rc =
        entry.ptr ? read_signature(ir, &options, entry, &wide, &err) : err.code;
  if (rc == 0)
    rc = check_closed(&options, name, &signature, &err);
  if (rc == 0 && options.show_inputs) {
    rc = show_inputs(&signature, &inputs, &err);
  } else if (rc == 0) {
    expose(ir, entry);
    wide.name = name;
    rc = build_and_call(ir, &options, &wide, warm, &err);
  }
  if (rc == CUL_ENGINE_UNABLE && err.what[0])
    usage(&err);
  else if (rc < 0)
    rc = usage(&err);
  jit_call_release(&signature);
  free(name);
  return rc;
}

/* Warm the passes, and the code generator, which initializes much at its first
 * use. */
static void *warm_up(struct cul_subject *subject, int argc, char **argv) {
  struct cul_ir *ir = cul_ir_of(subject);
  struct cul_passes_warm *warm = cul_xcalloc(1, sizeof *warm);
  MlirModule empty = mlirModuleCreateEmpty(ir->unknown);
  struct options options;
  struct cul_jit_inputs inputs;
  struct cul_err err = {0};
  mlirRegisterAllLLVMTranslations(ir->context);
  if (read_words(argc, argv, &options, &inputs, &err) == 0 &&
      (!options.passes || cul_passes_warm(ir, options.passes, warm)) &&
      cul_passes_warm(ir, CUL_BUFFERIZE, warm) &&
      cul_passes_warm(ir, AFFINE, warm) && cul_passes_warm(ir, CHECKS, warm) &&
      cul_passes_warm(ir, CUL_LOWER, warm) && jit_compile(empty, 0).ptr)
    return warm;
  free(warm->items);
  free(warm);
  return NULL;
}

const struct cul_engine cul_engine_jit = {
    .name = "jit",
    .summary = "compile the module and call a function of it",
    .opts = opts,
    .run = run,
    .warm = warm_up,
};
