/* Outlining: keep only a run of sibling operations, from the first to the last
 * id.
 *
 * Inside a function the run becomes the body of the only remaining function:
 * values that it uses from outside become arguments; values that it computes
 * for others, or that nothing uses, become results if the kind of function can
 * have some.  At module level the run remains with the symbols to which it
 * refers. */

#include <string.h>

#include "../../subject/edit/cfg.h"
#include "../frame/each.h"

enum cul_outline_flags {
  CUL_OUTLINE_TO_FUNC = 1 << 0,   /* into a new func.func of the module */
  CUL_OUTLINE_CONSTANTS = 1 << 1, /* constants go with their users instead of
                                     becoming arguments */
  CUL_OUTLINE_SPLATS = 1 << 2,    /* tensors and vectors from outside become
                                     splats of scalar arguments */
};

/* Sites are ranges of the operations to which weight gives a weight; no run
 * includes a terminator. */
struct cul_outline {
  cul_each_weight_fn *weight;
  bool (*may)(struct cul_ir *ir); /* are there sites at all?  NULL: yes */
  uint32_t flags;                 /* enum cul_outline_flags */
};

#define CUL_OUTLINE(id, ...) CUL_MUTATION(cul_outline, id, __VA_ARGS__)

struct segment {
  struct cul_ir *ir;
  uint32_t flags;
  struct cul_ir_ops ops;
  struct cul_map members; /* the same, as a set */
  struct cul_ir_values ins, outs;
  const char *splat; /* name of the splat operation; NULL: no splats */
};

static void segment_release(struct segment *s) {
  cul_ir_ops_release(&s->ops);
  cul_map_release(&s->members);
  cul_ir_values_release(&s->ins);
  cul_ir_values_release(&s->outs);
}

/* Collect the run from first to last, except for a terminator; false without a
 * run. */
static bool collect(struct segment *s, MlirOperation first,
                    MlirOperation last) {
  for (MlirOperation op = first; op.ptr; op = cul_ir_next_op(op)) {
    if (!cul_ir_is_terminator(s->ir, op)) {
      cul_ir_ops_add(&s->ops, op);
      cul_map_put(&s->members, op.ptr, 1);
    }
    if (op.ptr == last.ptr)
      return s->ops.n > 0;
  }
  return false;
}

static bool defined_inside(const struct segment *s, MlirValue value) {
  MlirOperation def = cul_ir_defining_op(value);
  if (!def.ptr)
    def = mlirBlockGetParentOperation(cul_ir_defining_block(value));
  return cul_ir_member_around(&s->members, def).ptr;
}

static void add_ins(struct segment *s, MlirOperation op, struct cul_map *seen) {
  CUL_IR_EACH_LIVE_IN(walk, op) {
    if (cul_map_has(seen, walk.value.ptr) || defined_inside(s, walk.value))
      continue;
    cul_map_put(seen, walk.value.ptr, 1);
    cul_ir_values_add(&s->ins, walk.value);
  }
}

static void add_outs(struct segment *s, MlirOperation op) {
  CUL_IR_EACH_RESULT(value, op) {
    if (!cul_ir_has_uses(value) || cul_ir_used_outside(&s->members, value))
      cul_ir_values_add(&s->outs, value);
  }
}

/* ---- constants that are copied ---- */

static bool is_constant(MlirValue value) {
  MlirOperation def = cul_ir_defining_op(value);
  return def.ptr && mlirOperationGetNumOperands(def) == 0 &&
         mlirOperationGetNumResults(def) == 1 &&
         mlirOperationGetNumRegions(def) == 0;
}

/* Copy constants into the block for the run: all of them if that is wanted or
 * costs nothing (LLVM IR), else those whose type cannot be that of an
 * argument. */
static void copy_constants(struct segment *s, MlirBlock block) {
  bool all = s->flags & CUL_OUTLINE_CONSTANTS || s->ir->llvm;
  size_t kept = 0;
  for (size_t i = 0; i < s->ins.n; i++) {
    MlirValue value = s->ins.items[i];
    MlirOperation copy;
    if (!is_constant(value) ||
        (!all && !cul_ir_is_constant_type(s->ir, mlirValueGetType(value)))) {
      s->ins.items[kept++] = value;
      continue;
    }
    copy = cul_ir_clone(cul_ir_defining_op(value));
    cul_edit_append(block, copy);
    for (size_t k = 0; k < s->ops.n; k++)
      cul_ir_replace_inside(s->ops.items[k], value,
                            mlirOperationGetResult(copy, 0));
  }
  s->ins.n = kept;
}

/* ---- the new body ---- */

/* Replace the live-ins by arguments of block in op and the operations in it. */
static void bind(MlirOperation op, const struct cul_map *numbers,
                 MlirBlock block) {
  intptr_t n = mlirOperationGetNumOperands(op);
  for (intptr_t i = 0; i < n; i++) {
    MlirValue value = mlirOperationGetOperand(op, i);
    uint64_t *number = cul_map_get(numbers, value.ptr);
    if (number)
      cul_edit_set_operand(op, i,
                           mlirBlockGetArgument(block, (intptr_t)*number));
  }
  CUL_IR_EACH_CHILD(inner, op) bind(inner, numbers, block);
}

static MlirBlock make_body(struct segment *s) {
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  CUL_OWNED(cul_map) numbers = {0};
  copy_constants(s, block);
  for (size_t i = 0; i < s->ins.n; i++) {
    MlirValue value = s->ins.items[i];
    cul_edit_add_argument(block, mlirValueGetType(value), s->ir->unknown);
    cul_map_put(&numbers, value.ptr, i);
  }
  for (size_t i = 0; i < s->ops.n; i++) {
    bind(s->ops.items[i], &numbers, block);
    cul_edit_unlink(s->ops.items[i]);
    cul_edit_append(block, s->ops.items[i]);
  }
  return block;
}

/* ---- the function ---- */

/* The most results that the function can have. */
static size_t max_results(MlirOperation function,
                          const struct cul_ir_signature *signature) {
  if (signature->llvm || cul_ir_is(function, "spirv.func"))
    return 1;
  if (cul_ir_is_kernel(function))
    return 0;
  if (cul_ir_is(function, "func.func") || cul_ir_is(function, "gpu.func"))
    return SIZE_MAX;
  return signature->n_results > 0 ? SIZE_MAX : 0;
}

/* Can an LLVM function return the type?  This is an approximation. */
static bool is_llvm_type(struct cul_ir *ir, MlirType type) {
  return mlirTypeIsAInteger(type) || mlirTypeIsAFloat(type) ||
         mlirTypeIsAVector(type) ||
         strncmp(cul_ir_type_text(ir, type), "!llvm.", 6) == 0;
}

static void keep_llvm_outs(struct segment *s) {
  size_t kept = 0;
  for (size_t i = 0; i < s->outs.n; i++)
    if (is_llvm_type(s->ir, mlirValueGetType(s->outs.items[i])))
      s->outs.items[kept++] = s->outs.items[i];
  s->outs.n = kept;
}

/* Keep the last `max` values, which tend to depend on the others. */
static void limit_outs(struct segment *s, size_t max) {
  size_t skip = s->outs.n > max ? s->outs.n - max : 0;
  s->outs.n -= skip;
  if (skip)
    memmove(s->outs.items, s->outs.items + skip,
            s->outs.n * sizeof *s->outs.items);
}

static const char *return_name(MlirOperation function, size_t n_outs) {
  static const char *const names[][2] = {{"llvm.func", "llvm.return"},
                                         {"gpu.func", "gpu.return"},
                                         {"emitc.func", "emitc.return"}};
  if (cul_ir_is(function, "spirv.func"))
    return n_outs ? "spirv.ReturnValue" : "spirv.Return";
  for (size_t i = 0; i < CUL_ARRAY_SIZE(names); i++)
    if (cul_ir_is(function, names[i][0]))
      return names[i][1];
  return "func.return";
}

static MlirOperation new_return(struct segment *s, const char *name) {
  struct cul_ir_new what = {
      .name = name, .operands = s->outs.items, .n_operands = s->outs.n};
  return cul_ir_create(s->ir, &what, (MlirOperation){NULL});
}

/* The terminator for the new body: one of the function's own, or a new one. */
static MlirOperation make_return(struct segment *s, MlirOperation function) {
  const char *name = return_name(function, s->outs.n);
  CUL_IR_EACH_RETURN(old, s->ir, function) {
    if (cul_ir_function_of(s->ir, old.op).ptr != function.ptr ||
        (cul_ir_is(function, "spirv.func") && !cul_ir_is(old.op, name)) ||
        cul_ir_is(old.op, "llvm.unreachable"))
      continue;
    cul_edit_unlink(old.op);
    cul_edit_set_operands(old.op, (intptr_t)s->outs.n, s->outs.items);
    return old.op;
  }
  return new_return(s, name);
}

static void empty_body(struct cul_ir *ir, MlirOperation function) {
  CUL_OWNED(cul_ir_ops) ops = {0};
  CUL_IR_EACH_CHILD(op, function) cul_ir_ops_add(&ops, op);
  /* bind has replaced the uses in the segment, so only these use each other. */
  (void)cul_ir_discard_all(ir, &ops);
  CUL_IR_EACH_BLOCK_OF(block, function) cul_edit_detach_block(block);
  cul_ir_tell(ir, CUL_IR_BLOCKS);
}

/* Drop attributes that belong to the old signature, or hide the function. */
static MlirOperation clean_attributes(struct cul_ir *ir,
                                      MlirOperation function) {
  static const char *const names[] = {"arg_attrs",
                                      "res_attrs",
                                      "workgroup_attrib_attrs",
                                      "private_attrib_attrs",
                                      "workgroup_attributions",
                                      "sym_visibility",
                                      NULL};
  MlirOperation made = cul_ir_rebuild(
      ir, function, &(struct cul_ir_change){.drop_attrs = names});
  return made.ptr ? made : function;
}

/* Does op make a tensor or vector of one scalar, as tt.splat does? */
static bool outline_is_splat(MlirOperation op) {
  MlirType from, to;
  if (mlirOperationGetNumOperands(op) != 1 ||
      mlirOperationGetNumResults(op) != 1 || mlirOperationGetNumRegions(op))
    return false;
  from = mlirValueGetType(mlirOperationGetOperand(op, 0));
  to = mlirValueGetType(mlirOperationGetResult(op, 0));
  return (mlirTypeIsARankedTensor(to) || mlirTypeIsAVector(to)) &&
         mlirTypeEqual(mlirShapedTypeGetElementType(to), from) &&
         mlirOperationGetNumAttributes(op) == 0;
}

/* The name of such an operation inside op; NULL: there is none. */
static const char *find_splat(MlirOperation op) {
  CUL_IR_EACH_ITEM(walk, op) {
    if (outline_is_splat(walk.op))
      return cul_ir_name(walk.op).data;
  }
  return NULL;
}

/* Make arguments that are tensors or vectors scalars, each with a splat. */
static void splat_ins(struct segment *s, MlirBlock body,
                      struct cul_ir_signature *signature) {
  MlirOperation first = mlirBlockGetFirstOperation(body);
  for (size_t i = 0; i < signature->n_inputs; i++) {
    MlirType type = signature->inputs[i];
    MlirValue arg = mlirBlockGetArgument(body, (intptr_t)i);
    struct cul_ir_new what = {.name = s->splat,
                              .operands = &arg,
                              .n_operands = 1,
                              .results = &type,
                              .n_results = 1};
    MlirOperation splat;
    if (!mlirTypeIsARankedTensor(type) && !mlirTypeIsAVector(type))
      continue;
    splat = cul_ir_create(s->ir, &what, first);
    cul_ir_replace_uses(arg, mlirOperationGetResult(splat, 0));
    cul_edit_set_operand(splat, 0, arg);
    signature->inputs[i] = mlirShapedTypeGetElementType(type);
    cul_edit_set_type(arg, signature->inputs[i]);
  }
}

static bool into_same_kind(struct segment *s, MlirOperation function,
                           struct cul_ir_ops *whole) {
  CUL_OWNED(cul_ir_signature) old = {0}, new = {0};
  MlirOperation end;
  MlirBlock body;
  bool ok;
  if (!cul_ir_signature_get(s->ir, function, &old))
    return false;
  if (s->flags & CUL_OUTLINE_SPLATS)
    s->splat = find_splat(function);
  if (old.llvm)
    keep_llvm_outs(s);
  limit_outs(s, max_results(function, &old));
  body = make_body(s);
  new = (struct cul_ir_signature){.inputs = cul_ir_values_types(&s->ins),
                                  .n_inputs = s->ins.n,
                                  .results = cul_ir_values_types(&s->outs),
                                  .n_results = s->outs.n,
                                  .llvm = old.llvm};
  end = make_return(s, function);
  cul_edit_append(body, end);
  empty_body(s->ir, function);
  cul_edit_append_block(mlirOperationGetRegion(function, 0), body);
  if (s->splat)
    splat_ins(s, body, &new);
  function = clean_attributes(s->ir, function);
  ok = cul_ir_signature_set(s->ir, function, &new);
  cul_ir_ops_add(whole, function);
  return ok;
}

/* Make func.func @name(ins) -> outs { body }, in no block yet. */
static MlirOperation make_func(struct segment *s, const char *name,
                               MlirBlock body) {
  struct cul_ir *ir = s->ir;
  CUL_HEAP MlirType *ins = cul_ir_values_types(&s->ins),
                    *outs = cul_ir_values_types(&s->outs);
  MlirRegion region = mlirRegionCreate();
  MlirNamedAttribute attrs[] = {
      mlirNamedAttributeGet(
          mlirIdentifierGet(ir->context, cul_ir_str("function_type")),
          mlirTypeAttrGet(mlirFunctionTypeGet(ir->context, (intptr_t)s->ins.n,
                                              ins, (intptr_t)s->outs.n, outs))),
      mlirNamedAttributeGet(
          mlirIdentifierGet(ir->context, cul_ir_str("sym_name")),
          mlirStringAttrGet(ir->context, cul_ir_str(name)))};
  MlirOperationState state =
      mlirOperationStateGet(cul_ir_str("func.func"), ir->unknown);
  cul_edit_append_block(region, body);
  mlirOperationStateAddAttributes(&state, 2, attrs);
  mlirOperationStateAddOwnedRegions(&state, 1, &region);
  return mlirOperationCreate(&state);
}

static void into_func(struct segment *s, struct cul_ir_ops *whole) {
  MlirOperation function;
  MlirBlock body = make_body(s);
  CUL_HEAP char *name = cul_ir_fresh_name(s->ir->root, "outlined");
  cul_edit_append(body, new_return(s, "func.return"));
  function = make_func(s, name, body);
  cul_edit_append(mlirModuleGetBody(s->ir->module), function);
  cul_ir_ops_add(whole, function);
}

/* ---- the mutation's frame ---- */

static bool outline(struct segment *s, MlirOperation first) {
  MlirOperation function = cul_ir_function_of(s->ir, first);
  CUL_OWNED(cul_map) seen = {0};
  CUL_OWNED(cul_ir_ops) whole = {0};
  bool ok = true;
  for (size_t i = 0; i < s->ops.n; i++) {
    add_ins(s, s->ops.items[i], &seen);
    add_outs(s, s->ops.items[i]);
  }
  if (s->flags & CUL_OUTLINE_TO_FUNC)
    into_func(s, &whole);
  else if (function.ptr)
    ok = into_same_kind(s, function, &whole);
  else if (s->ins.n == 0)
    for (size_t i = 0; i < s->ops.n; i++)
      cul_ir_ops_add(&whole, s->ops.items[i]);
  else
    ok = false;
  /* Copied constants and a new function contain new references. */
  cul_ir_tell(s->ir, CUL_IR_SYMBOLS);
  if (ok)
    cul_ir_prune(s->ir, &whole);
  return ok;
}

static size_t apply(const void *how, struct cul_subject *subject,
                    const struct cul_sites *sites, const uint32_t *ids,
                    size_t n) {
  const struct cul_outline *own = how;
  CUL_OWNED(segment) s = {.ir = cul_ir_of(subject), .flags = own->flags};
  MlirOperation first = cul_each_place(s.ir, sites, ids[0]);
  MlirOperation last = cul_each_place(s.ir, sites, ids[n - 1]);
  bool done = cul_ir_alive(s.ir, first) && collect(&s, first, last) &&
              outline(&s, first);
  cul_ir_tell(s.ir, CUL_IR_SYMBOLS);
  return done;
}

static void sites(const void *how, struct cul_subject *subject,
                  struct cul_sites *out) {
  const struct cul_outline *own = how;
  struct cul_ir *ir = cul_ir_of(subject);
  if (!own->may || own->may(ir))
    cul_each_sites(ir, out, own->weight);
}

const struct cul_mutation_frame cul_outline_frame = {.sites = sites,
                                                     .apply = apply};

/* ---- runs ---- */

/* Would outlining drop the entry functions, because op is in none of them? */
static bool loses_entry(struct cul_ir *ir, MlirOperation op) {
  MlirOperation function = cul_ir_function_of(ir, op);
  return ir->n_entries && function.ptr && !cul_ir_is_entry(ir, function);
}

/* outline-segment: make a run of sibling operations the body of the only
 * remaining function; keep a run of symbols with the symbols to which it
 * refers. */
static uint32_t weigh_segment(struct cul_ir *ir,
                              const struct cul_ir_item *item) {
  return cul_ir_is_terminator(ir, item->op) || loses_entry(ir, item->op)
             ? 0
             : item->size;
}

CUL_OUTLINE(outline_segment, .weight = weigh_segment);

/* outline-constants: as outline-segment, but copy constants instead of making
 * them arguments, for failures that depend on folding. */
static uint32_t weigh_constants(struct cul_ir *ir,
                                const struct cul_ir_item *item) {
  return cul_ir_function_of(ir, item->op).ptr ? weigh_segment(ir, item) : 0;
}

/* outline-segment copies the constants of LLVM IR. */
static bool may_keep_constants(struct cul_ir *ir) { return !ir->llvm; }

CUL_OUTLINE(outline_constants, .weight = weigh_constants,
            .may = may_keep_constants, .flags = CUL_OUTLINE_CONSTANTS);

/* outline-splats: as outline-segment, but make tensors and vectors from outside
 * splats of scalar arguments.  Kernels such as Triton's may take only scalars
 * and pointers.  Unlike constants, such splats do not fold.  It uses the splat
 * operation that the input contains. */
static uint32_t weigh_splats(struct cul_ir *ir,
                             const struct cul_ir_item *item) {
  MlirOperation function = cul_ir_function_of(ir, item->op);
  if (!function.ptr || cul_ir_is_terminator(ir, item->op) ||
      cul_ir_may_be_func(ir, function))
    return 0;
  return item->size;
}

static bool has_splats(struct cul_ir *ir) { return find_splat(ir->root); }

CUL_OUTLINE(outline_splats, .weight = weigh_splats, .may = has_splats,
            .flags = CUL_OUTLINE_SPLATS);

/* outline-to-func: make a run of operations a func.func of the module, out of
 * gpu.func, llvm.func, spirv.func and isolated regions.  Its operations may be
 * valid, and fail, there too. */
static uint32_t weigh_func(struct cul_ir *ir, const struct cul_ir_item *item) {
  MlirOperation function = cul_ir_function_of(ir, item->op);
  MlirOperation parent = cul_ir_parent(item->op);
  MlirStringRef name;
  /* outline-segment handles a func.func of the module */
  if (function.ptr && cul_ir_is(function, "func.func") &&
      cul_ir_parent(function).ptr == ir->root.ptr)
    return 0;
  if (parent.ptr == ir->root.ptr || cul_ir_symbol_name(item->op, &name) ||
      cul_ir_is_terminator(ir, item->op) ||
      !cul_ir_may_be_func(ir, function.ptr ? function : parent))
    return 0;
  return item->size;
}

CUL_OUTLINE(outline_to_func, .weight = weigh_func,
            .flags = CUL_OUTLINE_TO_FUNC);
