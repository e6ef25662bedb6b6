/* Cut kernels out of a module: see emul.h.
 *
 * A gpu.func becomes a func.func with the same body: ids and barriers become
 * calls of the runtime, attributions become arguments, memory spaces are
 * dropped.  The host's side keeps its launches, and empty kernels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../subject/ir/compat.h"
#include "emul.h"

struct cutter {
  struct cul_ir *ir;
  struct cul_emul_kernels *out;
  MlirModule module; /* the kernels, still with memory spaces */
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

/* Operations below root, root first, of any dialect. */
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

/* ---- bodies ---- */

/* "#gpu<dim x>" -> 'x'. */
static char dimension_of(const struct cutter *c, MlirOperation op) {
  MlirAttribute dimension = attr(op, "dimension");
  const char *text =
      dimension.ptr ? cul_ir_attr_text(c->ir, dimension) : "#gpu<dim x>";
  const char *at = strstr(text, "dim ");
  return at ? at[4] : 'x';
}

/* The runtime's function for op, NULL where there is none.  Caller frees. */
static char *runtime_name(const struct cutter *c, MlirOperation op) {
  static const char *const ids[] = {"gpu.thread_id", "gpu.block_id",
                                    "gpu.block_dim", "gpu.grid_dim",
                                    "gpu.global_id"};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(ids); i++)
    if (is(op, ids[i]))
      return cul_xasprintf("cul_emul_%s_%c", ids[i] + 4, dimension_of(c, op));
  return is(op, "gpu.barrier") ? cul_xstrdup("cul_emul_barrier") : NULL;
}

static void replace(MlirOperation op, MlirOperation by) {
  cul_edit_insert_before(mlirOperationGetBlock(op), op, by);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    cul_edit_replace_uses(mlirOperationGetResult(op, i),
                          mlirOperationGetResult(by, i));
  cul_edit_destroy(op);
}

static void call_instead(const struct cutter *c, MlirOperation op,
                         const char *name) {
  MlirOperationState state =
      mlirOperationStateGet(cul_ir_str("func.call"), c->ir->unknown);
  MlirNamedAttribute callee = mlirNamedAttributeGet(
      mlirIdentifierGet(c->ir->context, cul_ir_str("callee")),
      mlirFlatSymbolRefAttrGet(c->ir->context, cul_ir_str(name)));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
    MlirType type = mlirValueGetType(mlirOperationGetResult(op, i));
    mlirOperationStateAddResults(&state, 1, &type);
  }
  mlirOperationStateAddAttributes(&state, 1, &callee);
  replace(op, mlirOperationCreate(&state));
}

static void return_instead(const struct cutter *c, MlirOperation op) {
  MlirOperationState state =
      mlirOperationStateGet(cul_ir_str("func.return"), c->ir->unknown);
  replace(op, mlirOperationCreate(&state));
}

static int rewrite_body(const struct cutter *c, MlirOperation function) {
  struct found ops = find(function, "gpu.");
  int rc = 0;
  for (size_t i = 0; i < ops.n && rc == 0; i++) {
    char *name = runtime_name(c, ops.items[i]);
    MlirStringRef text = mlirIdentifierStr(mlirOperationGetName(ops.items[i]));
    if (name)
      call_instead(c, ops.items[i], name);
    else if (is(ops.items[i], "gpu.return"))
      return_instead(c, ops.items[i]);
    else
      rc = cul_fail(c->err, CUL_EUSAGE,
                    "run it on a device, or lower the operation first",
                    "%.*s cannot be emulated", (int)text.length, text.data);
    free(name);
  }
  free(ops.items);
  return rc;
}

/* ---- a kernel ---- */

static int64_t count_of(MlirOperation op, const char *name, int64_t otherwise) {
  MlirAttribute value = attr(op, name);
  return value.ptr && mlirAttributeIsAInteger(value)
             ? mlirIntegerAttrGetValueInt(value)
             : otherwise;
}

static size_t bytes_of_element(MlirType type) {
  if (mlirTypeIsAFloat(type))
    return (size_t)mlirFloatTypeGetWidth(type) / 8;
  if (mlirTypeIsAInteger(type))
    return ((size_t)mlirIntegerTypeGetWidth(type) + 7) / 8;
  return mlirTypeIsAIndex(type) ? 8 : 0;
}

static int add_buffer(const struct cutter *c, struct cul_emul_kernel *kernel,
                      MlirType type, bool is_private) {
  struct cul_emul_buffer *b = &kernel->buffers[kernel->n_buffers];
  bool fits = kernel->n_buffers < CUL_EMUL_MAX_BUFFERS &&
              mlirTypeIsAMemRef(type) && mlirShapedTypeHasStaticShape(type) &&
              mlirShapedTypeGetRank(type) <= 8;
  if (fits) {
    *b = (struct cul_emul_buffer){
        .is_private = is_private,
        .rank = (size_t)mlirShapedTypeGetRank(type),
        .bytes = bytes_of_element(mlirShapedTypeGetElementType(type))};
    for (size_t d = 0; d < b->rank; d++) {
      b->dims[d] = mlirShapedTypeGetDimSize(type, (intptr_t)d);
      b->bytes *= (size_t)b->dims[d];
    }
    kernel->n_buffers++;
  }
  if (fits && b->bytes)
    return 0;
  return cul_fail(c->err, CUL_EUSAGE, "give its shape in full",
                  "a kernel's buffer of type %s cannot be emulated",
                  cul_ir_type_text(c->ir, type));
}

/* func.func NAME of these argument types, with an empty region. */
static MlirOperation make_function(const struct cutter *c, const char *name,
                                   const MlirType *types, intptr_t n) {
  MlirOperationState state =
      mlirOperationStateGet(cul_ir_str("func.func"), c->ir->unknown);
  MlirContext context = c->ir->context;
  MlirRegion region = mlirRegionCreate();
  MlirNamedAttribute attrs[] = {
      mlirNamedAttributeGet(mlirIdentifierGet(context, cul_ir_str("sym_name")),
                            text_attr(c, name)),
      mlirNamedAttributeGet(
          mlirIdentifierGet(context, cul_ir_str("function_type")),
          mlirTypeAttrGet(mlirFunctionTypeGet(context, n, types, 0, NULL)))};
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

static int cut_kernel(struct cutter *c, MlirOperation gpu_module,
                      MlirOperation kernel) {
  MlirRegion region = mlirOperationGetRegion(kernel, 0);
  MlirBlock entry = mlirRegionGetFirstBlock(region);
  intptr_t n = mlirBlockGetNumArguments(entry);
  MlirType *types = cul_xcalloc((size_t)n + 1, sizeof *types);
  MlirType own = mlirTypeAttrGetValue(attr(kernel, "function_type"));
  intptr_t passed = mlirFunctionTypeGetNumInputs(own);
  int64_t shared = count_of(kernel, "workgroup_attributions", n - passed);
  struct cul_emul_kernel *out;
  MlirOperation function;
  int rc = 0;
  c->out->items =
      cul_xreallocarray(c->out->items, c->out->n + 1, sizeof *c->out->items);
  out = &c->out->items[c->out->n++];
  *out = (struct cul_emul_kernel){.name = unique_name(gpu_module, kernel)};
  for (intptr_t i = 0; i < n; i++)
    types[i] = mlirValueGetType(mlirBlockGetArgument(entry, i));
  for (intptr_t i = passed; i < n && rc == 0; i++)
    rc = add_buffer(c, out, types[i], i - passed >= shared);
  function = make_function(c, out->name, types, n);
  cul_edit_take_body(mlirOperationGetRegion(function, 0), region);
  cul_edit_append(mlirModuleGetBody(c->module), function);
  stub(c, kernel, types, n);
  cul_edit_set_attribute(kernel, cul_ir_str("sym_name"),
                         text_attr(c, out->name));
  free(types);
  return rc ? rc : rewrite_body(c, function);
}

/* Move a function or global of the gpu.module; the empty kernels need none. */
static void move_beside(const struct cutter *c, MlirOperation op) {
  cul_edit_unlink(op);
  cul_edit_append(mlirModuleGetBody(c->module), op);
}

static int cut_module(struct cutter *c, MlirOperation gpu_module) {
  MlirBlock body =
      mlirRegionGetFirstBlock(mlirOperationGetRegion(gpu_module, 0));
  CUL_IR_EACH_OP(op, body) {
    if (is(op, "gpu.func")) {
      if (cut_kernel(c, gpu_module, op) < 0)
        return c->err->code;
    } else {
      move_beside(c, op);
    }
  }
  return 0;
}

/* ---- all of them ---- */

static void declare_runtime(const struct cutter *c) {
  for (const struct cul_jit_symbol *s = cul_emul_kernel_symbols; s->name; s++) {
    bool id = strcmp(s->name, "cul_emul_barrier") != 0;
    char *text = cul_xasprintf("func.func private @%s()%s", s->name,
                               id ? " -> index" : "");
    cul_edit_append(mlirModuleGetBody(c->module),
                    mlirOperationCreateParse(c->ir->context, cul_ir_str(text),
                                             cul_ir_str("runtime")));
    free(text);
  }
}

/* Drop ", #gpu.address_space<...>": the CPU has one memory. */
static void drop_spaces(const char *text, struct cul_buf *out) {
  static const char space[] = ", #gpu.address_space<";
  const char *at;
  while ((at = strstr(text, space))) {
    const char *end = strchr(at, '>');
    cul_buf_add(out, text, (size_t)(at - text));
    text = end ? end + 1 : at + sizeof space - 1;
  }
  cul_buf_adds(out, text);
}

static int reparse(struct cutter *c) {
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  struct cul_buf text = {0}, plain = {0};
  mlirOpPrintingFlagsPrintGenericOpForm(flags);
  mlirOpPrintingFlagsUseLocalScope(flags);
  mlirOperationPrintWithFlags(mlirModuleGetOperation(c->module), flags,
                              cul_compat_append, &text);
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

int cul_emul_cut(struct cul_ir *ir, struct cul_emul_kernels *out,
                 struct cul_err *err) {
  struct cutter c = {.ir = ir, .out = out, .err = err};
  struct found modules = find(ir->root, "gpu.module");
  struct found launches = find(ir->root, "gpu.launch_func");
  int rc = 0;
  *out = (struct cul_emul_kernels){.n = 0};
  c.module = mlirModuleCreateEmpty(ir->unknown);
  for (size_t i = 0; i < launches.n; i++)
    rename_launch(&c, launches.items[i]);
  for (size_t i = 0; i < modules.n && rc == 0; i++)
    rc = cut_module(&c, modules.items[i]);
  if (rc == 0 && modules.n) {
    declare_runtime(&c);
    rc = reparse(&c);
  }
  free(modules.items);
  free(launches.items);
  cul_edit_destroy_module(c.module);
  return rc;
}
