/* Calls of functions, and new arguments with all their calls: see ir.h. */
#include <stdlib.h>
#include <string.h>

#include "private.h"
#include "walk.h"

/* Is this use of a function's name independent of the function's type? */
static bool is_harmless(MlirOperation user) {
  static const char *const names[] = {"llvm.mlir.addressof", "spirv.EntryPoint",
                                      "spirv.ExecutionMode"};
  return cul_ir_is_among(user, names, CUL_ARRAY_SIZE(names));
}

/* The segment of op's operands that contains the arguments. */
static size_t argument_segment(MlirOperation op, size_t n_inputs) {
  size_t n = cul_ir_n_segments(op), found = SIZE_MAX, first, count;
  if (cul_ir_is(op, "llvm.call") || cul_ir_is(op, "llvm.invoke"))
    return 0;
  if (cul_ir_is(op, "gpu.launch_func"))
    return n >= 2 ? n - 2 : SIZE_MAX;
  for (size_t i = 0; i < n; i++)
    if (cul_ir_segment_range(op, i, &first, &count) && count == n_inputs) {
      if (found != SIZE_MAX)
        return SIZE_MAX;
      found = i;
    }
  return found;
}

static bool as_call(MlirOperation op, MlirStringRef attr, size_t n_inputs,
                    struct cul_ir_call *out) {
  *out = (struct cul_ir_call){.op = op, .segment = SIZE_MAX};
  if (!cul_ir_str_is(attr, "callee") && !cul_ir_str_is(attr, "kernel"))
    return false;
  if (cul_ir_n_segments(op) == 0) {
    out->n_args = (size_t)mlirOperationGetNumOperands(op);
    return out->n_args == n_inputs;
  }
  out->segment = argument_segment(op, n_inputs);
  return out->segment != SIZE_MAX &&
         cul_ir_segment_range(op, out->segment, &out->first, &out->n_args) &&
         out->n_args == n_inputs;
}

static void add_call(struct cul_ir_call call, struct cul_ir_call **out,
                     size_t *n) {
  *out = cul_xreallocarray(*out, *n + 1, sizeof **out);
  (*out)[(*n)++] = call;
}

/* Is it a constant whose value is a function of this type? */
static bool is_constant(MlirOperation op, MlirType type) {
  return mlirOperationGetNumOperands(op) == 0 &&
         mlirOperationGetNumResults(op) == 1 &&
         mlirTypeEqual(mlirValueGetType(mlirOperationGetResult(op, 0)), type);
}

/* Add the calls through such a constant: their first operand is the function.
 * False: it is used otherwise, too. */
static bool add_indirect(struct cul_ir *ir, MlirOperation constant,
                         size_t n_inputs, struct cul_ir_call **out, size_t *n) {
  MlirValue callee = mlirOperationGetResult(constant, 0);
  intptr_t n_results = mlirFunctionTypeGetNumResults(mlirValueGetType(callee));
  CUL_IR_EACH_USER(user, ir, callee) {
    intptr_t n_operands = mlirOperationGetNumOperands(user.op);
    if ((size_t)n_operands != n_inputs + 1 || cul_ir_n_segments(user.op) ||
        mlirOperationGetNumResults(user.op) != n_results ||
        !mlirOperationGetNextInBlock(user.op).ptr) /* a terminator */
      return false;
    for (intptr_t i = 1; i < n_operands; i++)
      if (mlirValueEqual(mlirOperationGetOperand(user.op, i), callee))
        return false;
    add_call(
        (struct cul_ir_call){
            .op = user.op, .first = 1, .n_args = n_inputs, .segment = SIZE_MAX},
        out, n);
  }
  return true;
}

bool cul_ir_function_calls(struct cul_ir *ir, MlirOperation function,
                           struct cul_ir_call **out, size_t *n) {
  const struct cul_ir_symbols *symbols = cul_ir_all_symbols(ir);
  struct cul_ir_signature sig;
  size_t n_inputs;
  MlirType type;
  *out = NULL;
  *n = 0;
  if (!cul_ir_signature_get(ir, function, &sig))
    return false;
  type = mlirTypeAttrGetValue(cul_ir_get(function, "function_type"));
  n_inputs = sig.n_inputs;
  cul_ir_signature_release(&sig);
  for (size_t i = 0; i < symbols->n_uses; i++) {
    const struct cul_ir_symbol_use *use = &symbols->uses[i];
    MlirOperation user = cul_ir_current(ir, use->user);
    struct cul_ir_call call;
    bool direct;
    if (use->symbol == UINT32_MAX ||
        cul_ir_current(ir, symbols->items[use->symbol].op).ptr !=
            function.ptr ||
        !cul_ir_alive(ir, user) || is_harmless(user))
      continue;
    direct = as_call(user, use->attr, n_inputs, &call);
    if (direct) {
      add_call(call, out, n);
    } else if (!is_constant(user, type) ||
               !add_indirect(ir, user, n_inputs, out, n)) {
      free(*out);
      *out = NULL;
      *n = 0;
      return false;
    }
  }
  return true;
}

/* ---- new arguments ---- */

/* A function that gets new arguments at the next commit. */
struct pending {
  MlirOperation function;
  bool refused;    /* its signature cannot be changed */
  size_t n_inputs; /* before the new ones */
  MlirType *added;
  size_t n, cap;
};

struct cul_ir_calls {
  struct pending *items;
  size_t n, cap;
  struct cul_map index; /* function -> index into items */
};

static void tell_calls(struct cul_ir *ir, enum cul_ir_event event) {
  struct cul_ir_calls *calls = ir->calls;
  (void)event;
  if (!calls)
    return;
  for (size_t i = 0; i < calls->n; i++)
    free(calls->items[i].added);
  free(calls->items);
  cul_map_release(&calls->index);
  free(calls);
  ir->calls = NULL;
}

static struct pending *pending_of(struct cul_ir *ir, MlirOperation function) {
  static const struct cul_ir_watcher watcher = {CUL_IR_FREED | CUL_IR_CLOSED,
                                                tell_calls};
  struct cul_ir_calls *calls = ir->calls;
  struct cul_ir_signature sig;
  struct cul_ir_call *list;
  struct pending p = {.function = function};
  uint64_t *at;
  size_t n;
  if (!calls) {
    calls = ir->calls = cul_xcalloc(1, sizeof *calls);
    cul_ir_watch(ir, &watcher);
  }
  at = cul_map_get(&calls->index, function.ptr);
  if (at)
    return &calls->items[*at];
  p.refused = !cul_ir_has_body(function) ||
              !cul_ir_function_calls(ir, function, &list, &n);
  if (!p.refused) {
    free(list);
    p.refused = !cul_ir_signature_get(ir, function, &sig) || sig.variadic;
    p.n_inputs = sig.n_inputs;
    cul_ir_signature_release(&sig);
  }
  p.refused |= !p.refused && mlirBlockGetNumArguments(cul_ir_entry(function)) <
                                 (intptr_t)p.n_inputs;
  calls->items =
      cul_xgrow(calls->items, calls->n, &calls->cap, sizeof *calls->items);
  cul_map_put(&calls->index, function.ptr, calls->n);
  calls->items[calls->n] = p;
  return &calls->items[calls->n++];
}

MlirValue cul_ir_add_argument(struct cul_ir *ir, MlirOperation function,
                              MlirType type) {
  struct pending *p = pending_of(ir, function);
  if (p->refused || !cul_ir_function_takes(function, type) ||
      cul_ir_is_constant_type(ir, type))
    return (MlirValue){NULL};
  p->added = cul_xgrow(p->added, p->n, &p->cap, sizeof *p->added);
  p->added[p->n] = type;
  /* After the inputs, before the memory attributions of a gpu.func. */
  return cul_edit_insert_argument(cul_ir_entry(function),
                                  (intptr_t)(p->n_inputs + p->n++), type,
                                  ir->unknown);
}

static void grow_signature(struct cul_ir *ir, const struct pending *p) {
  CUL_OWNED(cul_ir_signature) sig = {0};
  if (!cul_ir_signature_get(ir, p->function, &sig))
    return;
  sig.inputs = cul_xreallocarray(sig.inputs, sig.n_inputs + p->n + 1,
                                 sizeof *sig.inputs);
  for (size_t i = 0; i < p->n; i++)
    sig.inputs[sig.n_inputs++] = p->added[i];
  (void)cul_ir_signature_set(ir, p->function, &sig);
}

/* The value that a call passes for a new argument: inside the function itself,
 * its own new argument; elsewhere an earlier value, zero, or a cast. */
static MlirValue value_to_pass(struct cul_ir *ir, const struct pending *p,
                               size_t i, MlirOperation call) {
  MlirValue own = mlirBlockGetArgument(cul_ir_entry(p->function),
                                       (intptr_t)(p->n_inputs + i));
  MlirValue found;
  MlirType type;
  if (cul_ir_inside(call, p->function))
    return own;
  type = mlirValueGetType(own);
  found = cul_ir_find_value(ir, type, call, own);
  if (!found.ptr)
    found = cul_ir_constant(ir, type, CUL_IR_ZERO, call);
  return found.ptr ? found : cul_ir_constant(ir, type, CUL_IR_CAST, call);
}

static void grow_call(struct cul_ir *ir, const struct pending *p,
                      const struct cul_ir_call *call) {
  CUL_HEAP MlirValue *values = cul_xcalloc(p->n + 1, sizeof *values);
  size_t n_attrs = (size_t)cul_ir_array_size(cul_ir_get(call->op, "arg_attrs"));
  for (size_t i = 0; i < p->n; i++)
    values[i] = value_to_pass(ir, p, i, call->op);
  (void)cul_ir_insert_operands(ir, call->op, call->first + call->n_args,
                               call->segment, values, p->n);
  cul_ir_fit_entries(ir, call->op, "arg_attrs", n_attrs + p->n);
}

void cul_ir_commit(struct cul_ir *ir) {
  struct cul_ir_calls *calls = ir->calls;
  for (size_t i = 0; calls && i < calls->n; i++) {
    const struct pending *p = &calls->items[i];
    CUL_HEAP struct cul_ir_call *list = NULL;
    size_t n;
    if (p->refused || p->n == 0 || !cul_ir_alive(ir, p->function))
      continue;
    (void)cul_ir_function_calls(ir, p->function, &list, &n);
    for (size_t k = 0; k < n; k++)
      grow_call(ir, p, &list[k]);
    grow_signature(ir, p);
  }
  tell_calls(ir, CUL_IR_FREED);
}

/* ---- returns ---- */

/* SPIR-V has different names for returns with and without a value. */
static const char *other_return(MlirOperation end, size_t n) {
  if (cul_ir_is(end, "spirv.ReturnValue") && n == 0)
    return "spirv.Return";
  return cul_ir_is(end, "spirv.Return") && n > 0 ? "spirv.ReturnValue" : NULL;
}

MlirOperation cul_ir_return_values(struct cul_ir *ir, MlirOperation end,
                                   const struct cul_ir_values *values) {
  const char *name = other_return(end, values->n);
  MlirOperation made;
  if (!name) {
    cul_edit_set_operands(end, (intptr_t)values->n, values->items);
    return end;
  }
  made = cul_ir_create(
      ir, &(struct cul_ir_new){name, values->items, values->n, NULL, 0}, end);
  if (made.ptr)
    cul_ir_discard(ir, end);
  return made;
}
