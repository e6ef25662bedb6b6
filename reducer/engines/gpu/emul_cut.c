/* Cut kernels out of a module: see emul.h.
 *
 * A gpu.func becomes a func.func with the same body: ids, barriers and
 * exchanges between threads become calls of the runtime, attributions become
 * arguments, memory spaces are dropped.  The host's side keeps its launches,
 * and empty kernels.  When the kernels are in the LLVM dialect, a call is
 * inserted before each access to memory; the operation that the message names
 * is the one that had the same location before. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../subject/ir/compat.h"
#include "../engine.h"
#include "emul.h"

/* The name of an operation before it was lowered, and its location. */
struct origin {
  MlirLocation place;
  char *op;
};

struct cutter {
  struct cul_ir *ir;
  struct cul_emul_kernels *out;
  MlirModule module;      /* the kernels, still with memory spaces */
  struct cul_buf helpers; /* the text of functions that kernels call */
  size_t n_helpers;
  struct origin *origins;
  size_t n_origins;
  struct cul_err *err;
};

static bool is(MlirOperation op, const char *name) {
  return cul_ir_str_is(mlirIdentifierStr(mlirOperationGetName(op)), name);
}

static MlirAttribute attr(MlirOperation op, const char *name) {
  return mlirOperationGetAttributeByName(op, cul_ir_str(name));
}

static MlirAttribute text_attr(const struct cutter *c, const char *text) {
  return mlirStringAttrGet(c->ir->context, cul_ir_str(text));
}

static char *text_of(MlirStringRef text) {
  return cul_xstrndup(text.data, text.length);
}

/* Operations below root, root first, whose names begin with prefix. */
struct found {
  MlirOperation *items;
  size_t n;
  const char *prefix;
};

static MlirWalkResult collect(MlirOperation op, void *arg) {
  struct found *found = arg;
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  size_t len = strlen(found->prefix);
  if (name.length < len || memcmp(name.data, found->prefix, len) != 0)
    return MlirWalkResultAdvance;
  found->items =
      cul_xreallocarray(found->items, found->n + 1, sizeof *found->items);
  found->items[found->n++] = op;
  return MlirWalkResultAdvance;
}

static struct found find(MlirOperation root, const char *prefix) {
  struct found found = {.prefix = prefix};
  mlirOperationWalk(root, collect, &found, MlirWalkPreOrder);
  return found;
}

/* ---- names ---- */

/* @mod::@k at a launch becomes @mod::@mod__k. */
static void rename_launch(const struct cutter *c, MlirOperation launch) {
  MlirAttribute kernel = attr(launch, "kernel"), leaf;
  char *module, *name, *whole;
  if (!kernel.ptr || mlirSymbolRefAttrGetNumNestedReferences(kernel) != 1)
    return;
  module = text_of(mlirSymbolRefAttrGetRootReference(kernel));
  leaf = mlirSymbolRefAttrGetNestedReference(kernel, 0);
  name = text_of(mlirSymbolRefAttrGetLeafReference(leaf));
  whole = cul_xasprintf("%s__%s", module, name);
  leaf = mlirFlatSymbolRefAttrGet(c->ir->context, cul_ir_str(whole));
  cul_edit_set_attribute(
      launch, cul_ir_str("kernel"),
      mlirSymbolRefAttrGet(c->ir->context, cul_ir_str(module), 1, &leaf));
  free(module);
  free(name);
  free(whole);
}

static char *unique_name(MlirOperation module, MlirOperation kernel) {
  char *a = text_of(mlirStringAttrGetValue(attr(module, "sym_name")));
  char *b = text_of(mlirStringAttrGetValue(attr(kernel, "sym_name")));
  char *whole = cul_xasprintf("%s__%s", a, b);
  free(a);
  free(b);
  return whole;
}

/* ---- sites ---- */

/* The number of a site for the operation: its name or `name`, and its place. */
static int64_t add_site(const struct cutter *c, MlirOperation op,
                        const char *name) {
  struct cul_emul_kernels *out = c->out;
  MlirLocation at = mlirOperationGetLocation(op);
  struct cul_buf place = {0};
  if (!out->n_sites)
    out->n_sites = 1; /* 0: none */
  out->sites =
      cul_xreallocarray(out->sites, out->n_sites + 1, sizeof *out->sites);
  out->sites[0] = (struct cul_emul_site){.op = NULL};
  if (!mlirLocationEqual(at, c->ir->unknown))
    cul_passes_place(at, &place);
  out->sites[out->n_sites] = (struct cul_emul_site){
      .op = name ? cul_xstrdup(name)
                 : text_of(mlirIdentifierStr(mlirOperationGetName(op))),
      .place = cul_xstrdup(cul_buf_str(&place))};
  cul_buf_release(&place);
  return (int64_t)out->n_sites++;
}

/* ---- bodies ---- */

static void replace(MlirOperation op, MlirOperation by) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    cul_edit_replace_uses(mlirOperationGetResult(op, i),
                          mlirOperationGetResult(by, i));
  cul_edit_destroy(op);
}

/* Call `name` before op; what: a func.call. */
static MlirOperation call(const struct cutter *c, MlirOperation op,
                          const char *name, const struct cul_ir_new *what) {
  MlirOperation made = cul_ir_create(c->ir, what, op);
  cul_ir_set(c->ir, made, "callee",
             mlirFlatSymbolRefAttrGet(c->ir->context, cul_ir_str(name)));
  return made;
}

static MlirValue number(const struct cutter *c, MlirOperation op, MlirType type,
                        int64_t value) {
  struct cul_ir_new what = {"arith.constant", NULL, 0, &type, 1};
  MlirOperation made = cul_ir_create(c->ir, &what, op);
  cul_ir_set(c->ir, made, "value", mlirIntegerAttrGet(type, value));
  return mlirOperationGetResult(made, 0);
}

/* Replace op by a call with its operands and then these numbers. */
static void call_instead(const struct cutter *c, MlirOperation op,
                         const char *name, const int64_t *numbers, size_t n) {
  enum { MOST = 8 };
  MlirValue operands[MOST];
  MlirType results[MOST], index = mlirIndexTypeGet(c->ir->context);
  size_t n_operands = 0, n_results = 0;
  struct cul_ir_new what = {"func.call", operands, 0, results, 0};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    operands[n_operands++] = mlirOperationGetOperand(op, i);
  for (size_t i = 0; i < n; i++) {
    operands[n_operands++] = number(c, op, index, numbers[i]);
  }
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    results[n_results++] = mlirValueGetType(mlirOperationGetResult(op, i));
  what.n_operands = n_operands;
  what.n_results = n_results;
  replace(op, call(c, op, name, &what));
}

/* ---- ids ---- */

/* "#gpu<dim x>" -> 'x'. */
static char dimension_of(const struct cutter *c, MlirOperation op) {
  MlirAttribute dimension = attr(op, "dimension");
  const char *text =
      dimension.ptr ? cul_ir_attr_text(c->ir, dimension) : "#gpu<dim x>";
  const char *at = strstr(text, "dim ");
  return at ? at[4] : 'x';
}

/* The runtime's function without arguments for op; NULL: there is none. Caller
 * frees. */
static char *id_name(const struct cutter *c, MlirOperation op) {
  static const char *const ids[] = {"gpu.thread_id", "gpu.block_id",
                                    "gpu.block_dim", "gpu.grid_dim",
                                    "gpu.global_id"};
  static const char *const plain[] = {"gpu.lane_id", "gpu.subgroup_id",
                                      "gpu.num_subgroups", "gpu.subgroup_size"};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(ids); i++)
    if (is(op, ids[i]))
      return cul_xasprintf("cul_emul_%s_%c", ids[i] + 4, dimension_of(c, op));
  for (size_t i = 0; i < CUL_ARRAY_SIZE(plain); i++)
    if (is(op, plain[i]))
      return cul_xasprintf("cul_emul_%s", plain[i] + 4);
  return NULL;
}

/* ---- exchanges between threads ---- */

static int64_t count_of(MlirOperation op, const char *name, int64_t otherwise) {
  MlirAttribute value = attr(op, name);
  return value.ptr && mlirAttributeIsAInteger(value)
             ? mlirIntegerAttrGetValueInt(value)
             : otherwise;
}

static size_t bits_of_element(MlirType type) {
  if (mlirTypeIsAFloat(type))
    return mlirFloatTypeGetWidth(type);
  if (mlirTypeIsAInteger(type))
    return mlirIntegerTypeGetWidth(type);
  return mlirTypeIsAIndex(type) ? 64 : 0;
}

/* The bytes that a load of a number, or of a vector of them, reads; 0: of
 * another type.  The elements of a vector have no padding. */
static size_t bytes_of(MlirType type) {
  size_t bits;
  if (!mlirTypeIsAVector(type))
    return (bits_of_element(type) + 7) / 8;
  bits = bits_of_element(mlirShapedTypeGetElementType(type));
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(type); d++)
    bits *= (size_t)mlirShapedTypeGetDimSize(type, d);
  return (bits + 7) / 8;
}

/* The distance between two values of the type in memory: a number, and the
 * innermost dimension of a vector, is padded to a power of two. */
static size_t stride_of(MlirType type) {
  bool vector = mlirTypeIsAVector(type);
  intptr_t rank = vector ? mlirShapedTypeGetRank(type) : 0;
  size_t bits = bits_of_element(vector ? mlirShapedTypeGetElementType(type)
                                       : type),
         stride = 1;
  if (!bits)
    return 0;
  if (rank)
    bits *= (size_t)mlirShapedTypeGetDimSize(type, rank - 1);
  while (8 * stride < bits)
    stride *= 2;
  for (intptr_t d = 0; d + 1 < rank; d++)
    stride *= (size_t)mlirShapedTypeGetDimSize(type, d);
  return stride;
}

/* Begin a private function that hands a value to the runtime, in a buffer %m of
 * one element with the address %p. */
static void begin_helper(struct cutter *c, const char *name, const char *more,
                         const char *type, const char *results) {
  cul_buf_addf(&c->helpers,
               "func.func private @%s(%%v: %s%s) -> %s {\n"
               "  %%c0 = arith.constant 0 : index\n"
               "  %%c1 = arith.constant 1 : index\n"
               "  %%m = memref.alloca() : memref<1x%s>\n"
               "  memref.store %%v, %%m[%%c0] : memref<1x%s>\n"
               "  %%p = memref.extract_aligned_pointer_as_index %%m : "
               "memref<1x%s> -> index\n",
               name, type, more, results, type, type, type);
}

/* gpu.shuffle, rotate and subgroup_broadcast: a function (value, offset, width,
 * numbers) -> (value, whether it is valid). */
static void make_shuffle(struct cutter *c, const char *name, const char *type,
                         size_t bytes) {
  char *results = cul_xasprintf("(%s, i1)", type);
  begin_helper(c, name, ", %o: i32, %w: i32, %mode: index, %site: index", type,
               results);
  cul_buf_addf(
      &c->helpers,
      "  %%n = arith.constant %zu : index\n"
      "  %%oi = arith.index_cast %%o : i32 to index\n"
      "  %%wi = arith.index_cast %%w : i32 to index\n"
      "  %%ok = func.call @cul_emul_shuffle(%%p, %%n, %%oi, %%wi, %%mode, "
      "%%site) : (index, index, index, index, index, index) -> index\n"
      "  %%r = memref.load %%m[%%c0] : memref<1x%s>\n"
      "  %%b = arith.cmpi ne, %%ok, %%c0 : index\n"
      "  func.return %%r, %%b : %s, i1\n}\n",
      bytes, type, type);
  free(results);
}

/* gpu.all_reduce and subgroup_reduce: a function (value, numbers) -> value that
 * folds the values of all threads by `fold`. */
static void make_reduce(struct cutter *c, const char *name, const char *fold,
                        const char *type, size_t bytes) {
  begin_helper(c, name,
               ", %whole: index, %size: index, %stride: index, %site: index",
               type, type);
  cul_buf_addf(
      &c->helpers,
      "  %%n = arith.constant %zu : index\n"
      "  %%k = func.call @cul_emul_gather(%%p, %%n, %%whole, %%size, "
      "%%stride, %%site) : (index, index, index, index, index, index) -> "
      "index\n"
      "  func.call @cul_emul_piece(%%p, %%c0) : (index, index) -> ()\n"
      "  %%f = memref.load %%m[%%c0] : memref<1x%s>\n"
      "  %%r = scf.for %%i = %%c1 to %%k step %%c1 iter_args(%%a = %%f) -> "
      "(%s) {\n"
      "    func.call @cul_emul_piece(%%p, %%i) : (index, index) -> ()\n"
      "    %%x = memref.load %%m[%%c0] : memref<1x%s>\n"
      "    %%y = func.call @%s(%%a, %%x) : (%s, %s) -> %s\n"
      "    scf.yield %%y : %s\n  }\n"
      "  func.return %%r : %s\n}\n",
      bytes, type, type, type, fold, type, type, type, type, type);
}

/* "#gpu<all_reduce_op minsi>" -> "arith.minsi". */
static char *fold_name(const struct cutter *c, MlirOperation op, bool floats) {
  static const char *const both[] = {"add", "mul"};
  static const char *const bits[] = {"and", "or", "xor"};
  const char *text = cul_ir_attr_text(c->ir, attr(op, "op"));
  const char *at = strrchr(text, ' ');
  int len = (int)strcspn(at ? at + 1 : "", ">");
  const char *suffix = "";
  for (size_t i = 0; at && i < CUL_ARRAY_SIZE(both); i++)
    if (strncmp(at + 1, both[i], (size_t)len) == 0)
      suffix = floats ? "f" : "i";
  for (size_t i = 0; at && i < CUL_ARRAY_SIZE(bits); i++)
    if (strncmp(at + 1, bits[i], (size_t)len) == 0)
      suffix = "i";
  return cul_xasprintf("arith.%.*s%s", len, at ? at + 1 : "", suffix);
}

/* The function that folds two values: from the operation's kind. */
static void make_fold(struct cutter *c, MlirOperation op, const char *name,
                      const char *type, bool floats) {
  char *fold = fold_name(c, op, floats);
  cul_buf_addf(&c->helpers,
               "func.func private @%s(%%a: %s, %%b: %s) -> %s {\n"
               "  %%r = %s %%a, %%b : %s\n"
               "  func.return %%r : %s\n}\n",
               name, type, type, type, fold, type, type);
  free(fold);
}

/* ... or from its region, which moves there. */
static void take_fold(const struct cutter *c, MlirOperation op,
                      MlirOperation function) {
  MlirRegion body = mlirOperationGetRegion(function, 0);
  cul_edit_take_body(body, mlirOperationGetRegion(op, 0));
  cul_edit_append(mlirModuleGetBody(c->module), function);
  CUL_IR_EACH_BLOCK(block, body) {
    MlirOperation end = mlirBlockGetTerminator(block);
    MlirValue value;
    struct cul_ir_new what = {"func.return", &value, 1, NULL, 0};
    if (!is(end, "gpu.yield") || mlirOperationGetNumOperands(end) != 1)
      continue;
    value = mlirOperationGetOperand(end, 0);
    cul_ir_create(c->ir, &what, end);
    cul_edit_destroy(end);
  }
}

static MlirOperation make_function(const struct cutter *c, const char *name,
                                   const MlirType *types, intptr_t n,
                                   intptr_t n_results);

/* False: it cannot be emulated. */
static bool reduce_instead(struct cutter *c, MlirOperation op) {
  bool whole = is(op, "gpu.all_reduce");
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  MlirType both[] = {type, type, type};
  char *shown = cul_xstrdup(cul_ir_type_text(c->ir, type));
  char *name = cul_xasprintf("cul_emul_reduce_%zu", c->n_helpers);
  char *fold = cul_xasprintf("cul_emul_fold_%zu", c->n_helpers++);
  size_t bytes = bytes_of(type);
  int64_t numbers[] = {whole, count_of(op, "cluster_size", 0),
                       count_of(op, "cluster_stride", 1),
                       add_site(c, op, NULL)};
  MlirType element =
      mlirTypeIsAVector(type) ? mlirShapedTypeGetElementType(type) : type;
  bool done = bytes && bytes <= CUL_EMUL_MAX_VALUE;
  if (done) {
    make_reduce(c, name, fold, shown, bytes);
    if (attr(op, "op").ptr)
      make_fold(c, op, fold, shown, mlirTypeIsAFloat(element));
    else
      take_fold(c, op, make_function(c, fold, both, 2, 1));
    call_instead(c, op, name, numbers, CUL_ARRAY_SIZE(numbers));
  }
  free(shown);
  free(name);
  free(fold);
  return done;
}

/* How a lane is chosen; emul_run.c has the same numbers. */
enum shuffle_mode { XOR, UP, DOWN, INDEX, ROTATE };

static enum shuffle_mode mode_of(const struct cutter *c, MlirOperation op) {
  static const char *const names[] = {" xor>", " up>", " down>", " idx>"};
  const char *text = cul_ir_attr_text(c->ir, attr(op, "mode"));
  for (size_t i = 0; i < CUL_ARRAY_SIZE(names); i++)
    if (strstr(text, names[i]))
      return (enum shuffle_mode)i;
  return XOR;
}

/* False: it cannot be emulated. */
static bool shuffle_instead(struct cutter *c, MlirOperation op) {
  MlirType index = mlirIndexTypeGet(c->ir->context),
           i32 = mlirIntegerTypeGet(c->ir->context, 32);
  MlirValue v = mlirOperationGetOperand(op, 0), operands[5] = {v};
  struct cul_ir_new what = {"func.call", operands, 5, NULL, 2};
  MlirType results[] = {mlirValueGetType(v),
                        mlirIntegerTypeGet(c->ir->context, 1)};
  char *shown = cul_xstrdup(cul_ir_type_text(c->ir, results[0]));
  char *name = cul_xasprintf("cul_emul_shuffle_%zu", c->n_helpers++);
  enum shuffle_mode mode = INDEX;
  size_t bytes = bytes_of(results[0]);
  bool done = bytes && bytes <= CUL_EMUL_MAX_VALUE;
  what.results = results;
  if (done)
    make_shuffle(c, name, shown, bytes);
  if (is(op, "gpu.shuffle")) {
    mode = mode_of(c, op);
    operands[1] = mlirOperationGetOperand(op, 1);
    operands[2] = mlirOperationGetOperand(op, 2);
  } else if (is(op, "gpu.rotate")) {
    mode = ROTATE;
    operands[1] = number(c, op, i32, count_of(op, "offset", 0));
    operands[2] = number(c, op, i32, count_of(op, "width", 32));
  } else { /* gpu.subgroup_broadcast */
    operands[1] = mlirOperationGetNumOperands(op) > 1
                      ? mlirOperationGetOperand(op, 1)
                      : number(c, op, i32, 0);
    operands[2] = number(c, op, i32, c->out->warp);
  }
  operands[3] = number(c, op, index, mode);
  operands[4] = number(c, op, index, add_site(c, op, NULL));
  if (done)
    replace(op, call(c, op, name, &what));
  free(shown);
  free(name);
  return done;
}

/* ---- operations of a body ---- */

static void return_instead(const struct cutter *c, MlirOperation op) {
  struct cul_ir_new what = {"func.return", NULL, 0, NULL, 0};
  replace(op, cul_ir_create(c->ir, &what, op));
}

/* False: op cannot be emulated. */
static bool rewrite(struct cutter *c, MlirOperation op) {
  char *id = id_name(c, op);
  bool known = true;
  if (id) {
    call_instead(c, op, id, NULL, 0);
  } else if (is(op, "gpu.barrier")) {
    int64_t site = add_site(c, op, NULL);
    call_instead(c, op, "cul_emul_barrier", &site, 1);
  } else if (is(op, "gpu.return")) {
    return_instead(c, op);
  } else if (is(op, "gpu.shuffle") || is(op, "gpu.rotate") ||
             is(op, "gpu.subgroup_broadcast")) {
    known = shuffle_instead(c, op);
  } else if (is(op, "gpu.all_reduce") || is(op, "gpu.subgroup_reduce")) {
    known = reduce_instead(c, op);
  } else if (is(op, "gpu.printf")) {
    cul_edit_destroy(op);
  } else {
    known = false;
  }
  free(id);
  return known;
}

static bool is_workgroup(const struct cutter *c, MlirType type) {
  const char *text = cul_ir_type_text(c->ir, type);
  size_t len = strlen(text);
  return strstr(text, "#gpu.address_space<workgroup>") ||
         (len > 4 && strcmp(text + len - 4, ", 3>") == 0);
}

/* Refuse a function with a global in workgroup memory.  In a kernel, these have
 * become arguments: see add_named_buffers. */
static int refuse_workgroup(const struct cutter *c, MlirOperation function) {
  struct found ops = find(function, "memref.get_global");
  bool any = false;
  for (size_t i = 0; i < ops.n; i++)
    any |= is_workgroup(
        c, mlirValueGetType(mlirOperationGetResult(ops.items[i], 0)));
  free(ops.items);
  if (!any)
    return 0;
  return cul_fail(c->err, CUL_EUSAGE, "inline the function, or pass the buffer",
                  "a function that a kernel calls uses a global in workgroup "
                  "memory: it cannot be emulated");
}

static int rewrite_body(struct cutter *c, MlirOperation function) {
  struct found ops = find(function, "gpu.");
  size_t n = 0;
  int rc = refuse_workgroup(c, function);
  for (size_t i = 0; i < ops.n; i++) /* take_fold replaces yields */
    if (!is(ops.items[i], "gpu.yield"))
      ops.items[n++] = ops.items[i];
  for (size_t i = 0; i < n && rc == 0; i++) {
    char *name = text_of(mlirIdentifierStr(mlirOperationGetName(ops.items[i])));
    if (!rewrite(c, ops.items[i]))
      rc = cul_fail(c->err, CUL_EUSAGE,
                    "run it on a device, or lower the operation first",
                    "%s cannot be emulated", name);
    free(name);
  }
  free(ops.items);
  return rc;
}

/* ---- a kernel ---- */

static int add_buffer(const struct cutter *c, struct cul_emul_kernel *kernel,
                      MlirType type, bool is_private) {
  struct cul_emul_buffer *b = &kernel->buffers[kernel->n_buffers];
  bool fits = kernel->n_buffers < CUL_EMUL_MAX_BUFFERS &&
              mlirTypeIsAMemRef(type) && mlirShapedTypeGetRank(type) <= 8;
  bool dynamic = fits && !mlirShapedTypeHasStaticShape(type);
  if (fits && (!dynamic || mlirShapedTypeGetRank(type) == 1)) {
    *b = (struct cul_emul_buffer){
        .is_private = is_private,
        .dynamic = dynamic,
        .rank = (size_t)mlirShapedTypeGetRank(type),
        .bytes = stride_of(mlirShapedTypeGetElementType(type))};
    for (size_t d = 0; d < b->rank && !dynamic; d++) {
      b->dims[d] = mlirShapedTypeGetDimSize(type, (intptr_t)d);
      b->bytes *= (size_t)b->dims[d];
    }
    kernel->n_buffers++;
    if (b->bytes || (!dynamic && b->rank && b->dims[0] == 0))
      return 0;
  }
  return cul_fail(c->err, CUL_EUSAGE, "give its shape in full",
                  "a kernel's buffer of type %s cannot be emulated",
                  cul_ir_type_text(c->ir, type));
}

/* func.func NAME of these types of arguments, then results, with an empty
 * region. */
static MlirOperation make_function(const struct cutter *c, const char *name,
                                   const MlirType *types, intptr_t n,
                                   intptr_t n_results) {
  MlirOperationState state =
      mlirOperationStateGet(cul_ir_str("func.func"), c->ir->unknown);
  MlirContext context = c->ir->context;
  MlirRegion region = mlirRegionCreate();
  MlirType type = mlirFunctionTypeGet(context, n, types, n_results, types + n);
  MlirNamedAttribute attrs[] = {
      mlirNamedAttributeGet(mlirIdentifierGet(context, cul_ir_str("sym_name")),
                            text_attr(c, name)),
      mlirNamedAttributeGet(
          mlirIdentifierGet(context, cul_ir_str("function_type")),
          mlirTypeAttrGet(type))};
  mlirOperationStateAddAttributes(&state, 2, attrs);
  mlirOperationStateAddOwnedRegions(&state, 1, &region);
  return mlirOperationCreate(&state);
}

/* Give the kernel a body that returns at once. */
static void stub(const struct cutter *c, MlirOperation kernel,
                 const MlirType *types, intptr_t n) {
  MlirLocation *places = cul_xcalloc((size_t)n + 1, sizeof *places);
  MlirOperationState state =
      mlirOperationStateGet(cul_ir_str("gpu.return"), c->ir->unknown);
  MlirBlock block;
  for (intptr_t i = 0; i < n; i++)
    places[i] = c->ir->unknown;
  block = mlirBlockCreate(n, types, places);
  cul_edit_append(block, mlirOperationCreate(&state));
  cul_edit_append_block(mlirOperationGetRegion(kernel, 0), block);
  free(places);
}

/* Memory of a block that the body names becomes an argument: dynamic shared
 * memory, and each global in workgroup memory. */
static void add_named_buffers(const struct cutter *c, MlirOperation kernel,
                              MlirBlock entry) {
  struct found ops = find(kernel, "");
  for (size_t i = 0; i < ops.n; i++) {
    bool dynamic = is(ops.items[i], "gpu.dynamic_shared_memory");
    MlirAttribute name = attr(ops.items[i], "name");
    MlirValue argument;
    if (!dynamic && !is(ops.items[i], "memref.get_global"))
      continue;
    argument = mlirOperationGetResult(ops.items[i], 0);
    if (!dynamic && !is_workgroup(c, mlirValueGetType(argument)))
      continue;
    argument = cul_edit_add_argument(entry, mlirValueGetType(argument),
                                     mlirOperationGetLocation(ops.items[i]));
    for (size_t j = ops.n; j-- > i;) { /* the others name the same memory */
      MlirOperation op = ops.items[j];
      if (!is(op,
              dynamic ? "gpu.dynamic_shared_memory" : "memref.get_global") ||
          (!dynamic && !mlirAttributeEqual(name, attr(op, "name"))))
        continue;
      cul_edit_replace_uses(mlirOperationGetResult(op, 0), argument);
      cul_edit_destroy(op);
      memmove(&ops.items[j], &ops.items[j + 1],
              (--ops.n - j) * sizeof *ops.items);
    }
    i--;
  }
  free(ops.items);
}

static int cut_kernel(struct cutter *c, MlirOperation gpu_module,
                      MlirOperation kernel) {
  MlirRegion region = mlirOperationGetRegion(kernel, 0);
  MlirBlock entry = mlirRegionGetFirstBlock(region);
  intptr_t n_stub = mlirBlockGetNumArguments(entry), n;
  MlirType own = mlirTypeAttrGetValue(attr(kernel, "function_type"));
  intptr_t passed = mlirFunctionTypeGetNumInputs(own);
  int64_t shared = count_of(kernel, "workgroup_attributions", n_stub - passed);
  struct cul_emul_kernel *out;
  MlirOperation function;
  MlirType *types;
  int rc = 0;
  c->out->items =
      cul_xreallocarray(c->out->items, c->out->n + 1, sizeof *c->out->items);
  out = &c->out->items[c->out->n++];
  *out = (struct cul_emul_kernel){
      .name = unique_name(gpu_module, kernel),
      .shown = text_of(mlirStringAttrGetValue(attr(kernel, "sym_name")))};
  add_named_buffers(c, kernel, entry);
  n = mlirBlockGetNumArguments(entry);
  types = cul_xcalloc((size_t)n + 1, sizeof *types);
  for (intptr_t i = 0; i < n; i++)
    types[i] = mlirValueGetType(mlirBlockGetArgument(entry, i));
  for (intptr_t i = passed; i < n && rc == 0; i++)
    rc = add_buffer(c, out, types[i], i - passed >= shared && i < n_stub);
  function = make_function(c, out->name, types, n, 0);
  cul_edit_take_body(mlirOperationGetRegion(function, 0), region);
  cul_edit_append(mlirModuleGetBody(c->module), function);
  stub(c, kernel, types, n_stub);
  cul_edit_set_attribute(kernel, cul_ir_str("sym_name"),
                         text_attr(c, out->name));
  free(types);
  return rc ? rc : rewrite_body(c, function);
}

/* Move a function or global of the gpu.module to the kernels.  The empty
 * kernels that stay need none. */
static int move_beside(struct cutter *c, MlirOperation op) {
  cul_edit_unlink(op);
  cul_edit_append(mlirModuleGetBody(c->module), op);
  return is(op, "func.func") ? rewrite_body(c, op) : 0;
}

/* Cut out a gpu.func that is called by kernels. */
static int cut_function(struct cutter *c, MlirOperation op) {
  MlirType type = mlirTypeAttrGetValue(attr(op, "function_type"));
  char *name = text_of(mlirStringAttrGetValue(attr(op, "sym_name")));
  MlirType types[32];
  intptr_t n = mlirFunctionTypeGetNumInputs(type),
           n_results = mlirFunctionTypeGetNumResults(type);
  MlirOperation function;
  if (n + n_results > (intptr_t)CUL_ARRAY_SIZE(types) ||
      mlirBlockGetNumArguments(
          mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0))) != n) {
    free(name);
    return cul_fail(c->err, CUL_EUSAGE, "run it on a device",
                    "a gpu.func that is not a kernel cannot be emulated if it "
                    "has buffers of its own");
  }
  for (intptr_t i = 0; i < n + n_results; i++)
    types[i] = i < n ? mlirFunctionTypeGetInput(type, i)
                     : mlirFunctionTypeGetResult(type, i - n);
  function = make_function(c, name, types, n, n_results);
  free(name);
  cul_edit_take_body(mlirOperationGetRegion(function, 0),
                     mlirOperationGetRegion(op, 0));
  cul_edit_append(mlirModuleGetBody(c->module), function);
  cul_edit_destroy(op);
  return rewrite_body(c, function);
}

static int cut_module(struct cutter *c, MlirOperation gpu_module) {
  MlirBlock body =
      mlirRegionGetFirstBlock(mlirOperationGetRegion(gpu_module, 0));
  int rc = 0;
  CUL_IR_EACH_OP(op, body) {
    if (is(op, "gpu.func") && attr(op, "gpu.kernel").ptr)
      rc = cut_kernel(c, gpu_module, op);
    else if (is(op, "gpu.func"))
      rc = cut_function(c, op);
    else
      rc = move_beside(c, op);
    if (rc < 0)
      return rc;
  }
  return 0;
}

/* ---- the module of kernels ---- */

static void declare_runtime(struct cutter *c) {
  static const struct {
    const char *name, *type;
  } others[] = {
      {"cul_emul_barrier", "index) -> ()"},
      {"cul_emul_shuffle",
       "index, index, index, index, index, index) -> index"},
      {"cul_emul_gather", "index, index, index, index, index, index) -> index"},
      {"cul_emul_piece", "index, index) -> ()"},
      {"cul_emul_assert", "i1, index) -> ()"},
      {"cul_emul_access", "i64, i64, i64) -> ()"},
      {"cul_emul_masked", "i64, i64, i64, i64) -> ()"},
      {"cul_emul_copy", "i64, i64, i64, i64, i64) -> ()"},
      {"cul_emul_global", "i64, i64) -> ()"}};
  for (const struct cul_jit_symbol *s = cul_emul_kernel_symbols; s->name; s++) {
    const char *type = ") -> index";
    for (size_t i = 0; i < CUL_ARRAY_SIZE(others); i++)
      if (strcmp(s->name, others[i].name) == 0)
        type = others[i].type;
    cul_buf_addf(&c->helpers, "func.func private @%s(%s\n", s->name, type);
  }
}

/* The end of the memref type whose text begins after "memref<". */
static const char *end_of_type(const char *at) {
  for (int depth = 1; *at; at++) {
    if (at[0] == '-' && at[1] == '>')
      at++;
    else if (*at == '<' || *at == '(')
      depth++;
    else if ((*at == '>' || *at == ')') && --depth == 0)
      return at;
  }
  return at;
}

/* The length of ", 3" or ", #gpu.address_space<workgroup>" before end; 0: there
 * is none. */
static size_t space_before(const char *from, const char *end) {
  static const char gpu[] = ", #gpu.address_space<";
  const char *at = end;
  while (at > from && *at != ',')
    at--;
  if (strncmp(at, gpu, sizeof gpu - 1) == 0)
    return (size_t)(end - at);
  if (*at != ',' || at[1] != ' ' || at + 2 == end ||
      strspn(at + 2, "0123456789") != strcspn(at + 2, ": >"))
    return 0;
  return (size_t)(end - at);
}

/* Drop the memory space of each memref: the CPU has one memory. */
static void drop_spaces(const char *text, struct cul_buf *out) {
  static const char mark[] = "memref<";
  const char *at;
  while ((at = strstr(text, mark))) {
    const char *from = at + sizeof mark - 1, *end = end_of_type(from);
    cul_buf_add(out, text, (size_t)(end - text) - space_before(from, end));
    text = end;
  }
  cul_buf_adds(out, text);
}

/* Parse the kernels and the functions that they call again, without memory
 * spaces but with their locations. */
static int reparse(struct cutter *c) {
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  struct cul_buf text = {0}, plain = {0};
  MlirBlock body = mlirModuleGetBody(c->module);
  mlirOpPrintingFlagsPrintGenericOpForm(flags);
  mlirOpPrintingFlagsUseLocalScope(flags);
  mlirOpPrintingFlagsEnableDebugInfo(flags, true, false);
  cul_buf_addf(&text, "module {\n%s", cul_buf_str(&c->helpers));
  CUL_IR_EACH_OP(op, body) {
    mlirOperationPrintWithFlags(op, flags, cul_compat_append, &text);
    cul_buf_addc(&text, '\n');
  }
  cul_buf_adds(&text, "}\n");
  mlirOpPrintingFlagsDestroy(flags);
  drop_spaces(cul_buf_str(&text), &plain);
  c->out->module =
      mlirModuleCreateParse(c->ir->context, cul_ir_str(cul_buf_str(&plain)));
  cul_buf_release(&text);
  cul_buf_release(&plain);
  if (c->out->module.ptr)
    return 0;
  return cul_fail(c->err, CUL_EUSAGE, "run it on a device",
                  "its kernels cannot be emulated");
}

static int cut(struct cutter *c) {
  struct found modules = find(c->ir->root, "gpu.module");
  struct found launches = find(c->ir->root, "gpu.launch_func");
  int rc = 0;
  c->module = mlirModuleCreateEmpty(c->ir->unknown);
  for (size_t i = 0; i < launches.n; i++)
    rename_launch(c, launches.items[i]);
  for (size_t i = 0; i < modules.n && rc == 0; i++)
    rc = cut_module(c, modules.items[i]);
  if (rc == 0 && modules.n) {
    declare_runtime(c);
    rc = reparse(c);
  }
  free(modules.items);
  free(launches.items);
  cul_edit_destroy_module(c->module);
  return rc;
}

/* ---- checks of bounds ---- */

#define AFFINE "builtin.module(lower-affine)"
#define BOUNDS "builtin.module(generate-runtime-verification)"

/* Replace each assertion of runtime verification by a call of the runtime,
 * which identifies the thread.  Its text is not freed: the code contains its
 * address. */
static void watch_asserts(const struct cutter *c) {
  MlirType index = mlirIndexTypeGet(c->ir->context);
  struct found asserts =
      find(mlirModuleGetOperation(c->out->module), "cf.assert");
  for (size_t i = 0; i < asserts.n; i++) {
    MlirOperation op = asserts.items[i];
    MlirValue operands[2] = {mlirOperationGetOperand(op, 0)};
    struct cul_ir_new what = {"func.call", operands, 2, NULL, 0};
    char *text = text_of(mlirStringAttrGetValue(attr(op, "msg")));
    operands[1] = number(c, op, index, (int64_t)(uintptr_t)text);
    call(c, op, "cul_emul_assert", &what);
    cul_edit_destroy(op);
  }
  free(asserts.items);
}

static int check_bounds(struct cutter *c, const struct cul_passes_warm *warm) {
  MlirOperation module = mlirModuleGetOperation(c->out->module);
  int rc = cul_passes_run(c->ir, module, AFFINE, warm);
  if (rc == 0)
    rc = cul_passes_run(c->ir, module, BOUNDS, warm);
  if (rc == 0)
    watch_asserts(c);
  return rc;
}

/* ---- checks of accesses ---- */

/* Remember the operations and their locations, before all become loads and
 * stores. */
static MlirWalkResult remember(MlirOperation op, void *arg) {
  static const char *const dialects[] = {"memref.", "vector.", "affine.",
                                         "linalg."};
  struct cutter *c = arg;
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  MlirLocation at = mlirOperationGetLocation(op);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(dialects); i++) {
    size_t len = strlen(dialects[i]);
    if (name.length < len || memcmp(name.data, dialects[i], len) != 0 ||
        mlirLocationEqual(at, c->ir->unknown))
      continue;
    c->origins =
        cul_xreallocarray(c->origins, c->n_origins + 1, sizeof *c->origins);
    c->origins[c->n_origins++] = (struct origin){at, text_of(name)};
  }
  return MlirWalkResultAdvance;
}

static const char *origin_of(const struct cutter *c, MlirOperation op) {
  MlirLocation at = mlirOperationGetLocation(op);
  for (size_t i = 0; i < c->n_origins; i++)
    if (mlirLocationEqual(at, c->origins[i].place))
      return c->origins[i].op;
  if (is(op, "llvm.load"))
    return "memref.load";
  return is(op, "llvm.store") ? "memref.store" : NULL;
}

/* How to call the runtime before an operation of the LLVM dialect. */
struct watcher {
  struct cutter *c;
  MlirOperation op;
  MlirType i64;
};

static MlirValue make(const struct watcher *w, const char *name, MlirType type,
                      const MlirValue *operands, size_t n) {
  struct cul_ir_new what = {name, operands, n, &type, 1};
  return mlirOperationGetResult(cul_ir_create(w->c->ir, &what, w->op), 0);
}

static MlirValue i64_of(const struct watcher *w, int64_t value) {
  MlirValue made = make(w, "llvm.mlir.constant", w->i64, NULL, 0);
  cul_ir_set(w->c->ir, mlirOpResultGetOwner(made), "value",
             mlirIntegerAttrGet(w->i64, value));
  return made;
}

static void call_runtime(const struct watcher *w, const char *name,
                         const MlirValue *operands, size_t n) {
  MlirOperationState state = mlirOperationStateGet(
      cul_ir_str("llvm.call"), mlirOperationGetLocation(w->op));
  MlirContext context = w->c->ir->context;
  char *text = cul_xasprintf("{callee = @%s, operandSegmentSizes = array<i32: "
                             "%zu, 0>, op_bundle_sizes = array<i32>}",
                             name, n);
  MlirAttribute all = mlirAttributeParseGet(context, cul_ir_str(text));
  for (intptr_t i = 0; i < mlirDictionaryAttrGetNumElements(all); i++) {
    MlirNamedAttribute one = mlirDictionaryAttrGetElement(all, i);
    mlirOperationStateAddAttributes(&state, 1, &one);
  }
  mlirOperationStateAddOperands(&state, (intptr_t)n, operands);
  cul_edit_insert_before(mlirOperationGetBlock(w->op), w->op,
                         mlirOperationCreate(&state));
  free(text);
}

static MlirValue address(const struct watcher *w, MlirValue pointer) {
  return make(w, "llvm.ptrtoint", w->i64, &pointer, 1);
}

/* The size of a type: the address of element 1 of an array of it at 0. */
static MlirValue size_of(const struct watcher *w, MlirType type) {
  MlirContext context = w->c->ir->context;
  MlirType pointer = mlirTypeParseGet(context, cul_ir_str("!llvm.ptr"));
  size_t bytes = bytes_of(type);
  const int32_t one = 1;
  MlirValue null, made;
  if (bytes)
    return i64_of(w, (int64_t)bytes);
  null = make(w, "llvm.mlir.zero", pointer, NULL, 0);
  {
    MlirOperationState state = mlirOperationStateGet(
        cul_ir_str("llvm.getelementptr"), mlirOperationGetLocation(w->op));
    MlirNamedAttribute attrs[] = {
        mlirNamedAttributeGet(
            mlirIdentifierGet(context, cul_ir_str("elem_type")),
            mlirTypeAttrGet(type)),
        mlirNamedAttributeGet(
            mlirIdentifierGet(context, cul_ir_str("rawConstantIndices")),
            mlirDenseI32ArrayGet(context, 1, &one))};
    MlirOperation op;
    mlirOperationStateAddAttributes(&state, 2, attrs);
    mlirOperationStateAddOperands(&state, 1, &null);
    mlirOperationStateAddResults(&state, 1, &pointer);
    op = mlirOperationCreate(&state);
    cul_edit_insert_before(mlirOperationGetBlock(w->op), w->op, op);
    made = mlirOperationGetResult(op, 0);
  }
  return address(w, made);
}

static MlirValue site_of(const struct watcher *w, enum cul_emul_access kind) {
  int64_t site = add_site(w->c, w->op, origin_of(w->c, w->op));
  return i64_of(w, site * CUL_EMUL_KINDS + (int64_t)kind);
}

/* An access of the type at the operand number `at`. */
static void watch_access(const struct watcher *w, intptr_t at, MlirType type,
                         enum cul_emul_access kind) {
  MlirValue operands[] = {address(w, mlirOperationGetOperand(w->op, at)),
                          size_of(w, type), site_of(w, kind)};
  call_runtime(w, "cul_emul_access", operands, 3);
}

/* The number of bytes of a copy or a memset: operand number 2. */
static MlirValue bytes_of_block(const struct watcher *w) {
  MlirValue bytes = mlirOperationGetOperand(w->op, 2);
  return mlirTypeEqual(mlirValueGetType(bytes), w->i64)
             ? bytes
             : make(w, "llvm.zext", w->i64, &bytes, 1);
}

static void watch_copy(const struct watcher *w) {
  MlirValue operands[] = {address(w, mlirOperationGetOperand(w->op, 0)),
                          address(w, mlirOperationGetOperand(w->op, 1)),
                          bytes_of_block(w), site_of(w, CUL_EMUL_WRITE),
                          site_of(w, CUL_EMUL_READ)};
  call_runtime(w, "cul_emul_copy", operands, 5);
}

static void watch_set(const struct watcher *w) {
  MlirValue operands[] = {address(w, mlirOperationGetOperand(w->op, 0)),
                          bytes_of_block(w), site_of(w, CUL_EMUL_WRITE)};
  call_runtime(w, "cul_emul_access", operands, 3);
}

/* The lanes of a vector that the mask, operand number `mask`, selects. */
static void watch_masked(const struct watcher *w, intptr_t at, intptr_t mask,
                         MlirType type, enum cul_emul_access kind) {
  MlirValue lanes = mlirOperationGetOperand(w->op, mask), bits, operands[4];
  int64_t n = mlirShapedTypeGetDimSize(type, 0);
  size_t bytes = bytes_of(mlirShapedTypeGetElementType(type));
  if (n > 64 || !bytes)
    return;
  bits = make(w, "llvm.bitcast",
              mlirIntegerTypeGet(w->c->ir->context, (unsigned)n), &lanes, 1);
  operands[0] = address(w, mlirOperationGetOperand(w->op, at));
  operands[1] = i64_of(w, (int64_t)bytes);
  operands[2] = n == 64 ? bits : make(w, "llvm.zext", w->i64, &bits, 1);
  operands[3] = site_of(w, kind);
  call_runtime(w, "cul_emul_masked", operands, 4);
}

/* The kind of an atomic access.  Orderings below acquire, in LLVM's
 * enumeration, are relaxed. */
static enum cul_emul_access kind_of_atomic(const struct watcher *w,
                                           const char *name) {
  enum { ACQUIRE = 4 };
  if (count_of(w->op, name, 0) < ACQUIRE)
    return CUL_EMUL_RELAXED;
  return cul_ir_has_result_uses(w->op) ? CUL_EMUL_ACQUIRE : CUL_EMUL_ATOMIC;
}

/* Is this the load at the begin of a loop around a cmpxchg, for the same
 * operation: has one of the exchanges its location? */
static bool is_of_exchange(MlirOperation op, const struct found *exchanges) {
  for (size_t i = 0; i < exchanges->n; i++)
    if (mlirLocationEqual(mlirOperationGetLocation(op),
                          mlirOperationGetLocation(exchanges->items[i])))
      return true;
  return false;
}

/* Is op reported to the runtime?  Without checks, only atomic operations are,
 * where a thread may wait for others and must let them run. */
static bool is_watched(const struct watcher *w) {
  return w->c->out->checked || is(w->op, "llvm.atomicrmw") ||
         is(w->op, "llvm.cmpxchg") ||
         (is(w->op, "llvm.load") && count_of(w->op, "ordering", 0));
}

static void watch_op(const struct watcher *w, const struct found *exchanges) {
  MlirOperation op = w->op;
  MlirType result = {NULL};
  if (!is_watched(w))
    return;
  if (mlirOperationGetNumResults(op))
    result = mlirValueGetType(mlirOperationGetResult(op, 0));
  if (is(op, "llvm.load")) {
    if (count_of(op, "ordering", 0))
      watch_access(w, 0, result, kind_of_atomic(w, "ordering"));
    else if (!is_of_exchange(op, exchanges) || !exchanges->n)
      watch_access(w, 0, result, CUL_EMUL_READ);
  } else if (is(op, "llvm.store")) {
    watch_access(w, 1, mlirValueGetType(mlirOperationGetOperand(op, 0)),
                 !count_of(op, "ordering", 0)      ? CUL_EMUL_WRITE
                 : count_of(op, "ordering", 0) < 4 ? CUL_EMUL_RELAXED
                                                   : CUL_EMUL_ATOMIC);
  } else if (is(op, "llvm.atomicrmw")) {
    watch_access(w, 0, result, kind_of_atomic(w, "ordering"));
  } else if (is(op, "llvm.cmpxchg")) {
    watch_access(w, 0, mlirValueGetType(mlirOperationGetOperand(op, 1)),
                 kind_of_atomic(w, "success_ordering"));
  } else if (is(op, "llvm.intr.memcpy") || is(op, "llvm.intr.memmove")) {
    watch_copy(w);
  } else if (is(op, "llvm.intr.memset")) {
    watch_set(w);
  } else if (is(op, "llvm.intr.masked.load")) {
    watch_masked(w, 0, 1, result, CUL_EMUL_READ);
  } else if (is(op, "llvm.intr.masked.store")) {
    watch_masked(w, 1, 2, mlirValueGetType(mlirOperationGetOperand(op, 0)),
                 CUL_EMUL_WRITE);
  }
}

/* Tell the runtime where a global is, when its address is taken. */
static void watch_global(struct watcher *w, MlirOperation module) {
  MlirAttribute name = attr(w->op, "global_name");
  CUL_IR_EACH_OP(op,
                 mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0))) {
    struct watcher after = *w;
    MlirValue operands[2];
    if (!is(op, "llvm.mlir.global") ||
        !mlirStringRefEqual(mlirFlatSymbolRefAttrGetValue(name),
                            mlirStringAttrGetValue(attr(op, "sym_name"))))
      continue;
    after.op = mlirOperationGetNextInBlock(w->op);
    operands[0] = address(&after, mlirOperationGetResult(w->op, 0));
    operands[1] =
        size_of(&after, mlirTypeAttrGetValue(attr(op, "global_type")));
    call_runtime(&after, "cul_emul_global", operands, 2);
  }
}

static void watch_accesses(struct cutter *c) {
  static const char own[] = "cul_emul_";
  MlirOperation module = mlirModuleGetOperation(c->out->module);
  struct watcher w = {.c = c, .i64 = mlirIntegerTypeGet(c->ir->context, 64)};
  MlirBlock body = mlirModuleGetBody(c->out->module);
  CUL_IR_EACH_OP(function, body) {
    struct found ops = find(function, "llvm."),
                 exchanges = find(function, "llvm.cmpxchg");
    MlirStringRef name = {"", 0};
    if (is(function, "llvm.func"))
      name = mlirStringAttrGetValue(attr(function, "sym_name"));
    if (name.length >= sizeof own - 1 &&
        memcmp(name.data, own, sizeof own - 1) == 0)
      ops.n = 0;
    for (size_t i = 0; i < ops.n && name.length; i++) {
      w.op = ops.items[i];
      if (is(w.op, "llvm.mlir.addressof") && c->out->checked)
        watch_global(&w, module);
      else
        watch_op(&w, &exchanges);
    }
    free(ops.items);
    free(exchanges.items);
  }
}

/* ---- the host's globals ---- */

/* Tell the runtime where the host's globals are, when it takes their address;
 * the host's module still has memrefs. */
static void watch_host(const struct cutter *c) {
  MlirType index = mlirIndexTypeGet(c->ir->context);
  MlirType types[] = {index, index};
  struct found gets = find(c->ir->root, "memref.get_global");
  MlirOperation told;
  if (gets.n) {
    told = make_function(c, "cul_emul_know", types, 2, 0);
    cul_ir_set(c->ir, told, "sym_visibility", text_attr(c, "private"));
    cul_edit_append(
        mlirRegionGetFirstBlock(mlirOperationGetRegion(c->ir->root, 0)), told);
  }
  for (size_t i = 0; i < gets.n; i++) {
    MlirValue memref = mlirOperationGetResult(gets.items[i], 0), operands[2];
    MlirType type = mlirValueGetType(memref);
    MlirOperation next = mlirOperationGetNextInBlock(gets.items[i]);
    struct cul_ir_new at = {"memref.extract_aligned_pointer_as_index", &memref,
                            1, &index, 1},
                      what = {"func.call", operands, 2, NULL, 0};
    size_t bytes = stride_of(mlirShapedTypeGetElementType(type));
    for (intptr_t d = 0; d < mlirShapedTypeGetRank(type); d++)
      bytes *= (size_t)mlirShapedTypeGetDimSize(type, d);
    operands[0] = mlirOperationGetResult(cul_ir_create(c->ir, &at, next), 0);
    operands[1] = number(c, next, index, (int64_t)bytes);
    call(c, next, "cul_emul_know", &what);
  }
  free(gets.items);
}

/* ---- all ---- */

bool cul_emul_has_kernels(struct cul_ir *ir) {
  struct found launches = find(ir->root, "gpu.launch");
  bool has = launches.n > 0; /* gpu.launch_func too */
  free(launches.items);
  return has;
}

static int lower(struct cutter *c, const struct cul_passes_warm *warm) {
  MlirOperation module = mlirModuleGetOperation(c->out->module);
  bool checked = c->out->checked;
  int rc = 0;
  if (checked) {
    mlirOperationWalk(module, remember, c, MlirWalkPreOrder);
    rc = check_bounds(c, warm);
  }
  if (rc == 0)
    rc = cul_passes_run(c->ir, module, CUL_LOWER, warm);
  if (rc == 0)
    watch_accesses(c);
  return rc;
}

int cul_emul_make(struct cul_ir *ir, const struct cul_passes_warm *warm,
                  struct cul_emul_kernels *kernels, struct cul_err *err) {
  struct cutter c = {.ir = ir, .out = kernels, .err = err};
  int rc = cut(&c);
  cul_buf_release(&c.helpers);
  if (rc == 0 && kernels->module.ptr)
    rc = lower(&c, warm);
  if (rc == 0 && kernels->module.ptr && kernels->checked)
    watch_host(&c);
  for (size_t i = 0; i < c.n_origins; i++)
    free(c.origins[i].op);
  free(c.origins);
  return rc;
}
