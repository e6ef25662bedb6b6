/* Mutations of the returned values, and of the start and the end, of functions:
 * return-slice, return-early, start-late, return-operand, print-value,
 * bridge-type. */
#include <string.h>

#include "../../subject/edit/cfg.h"
#include "../../subject/edit/position.h"
#include "../../subject/edit/region.h"
#include "../frame/each.h"
#include "../retype/rules/rules.h"

/* Is op directly in a block of a function, and not a terminator? */
static bool is_statement(const struct cul_ir *ir, MlirOperation op) {
  MlirOperation parent = cul_ir_parent(op);
  return parent.ptr && cul_ir_is_function(parent) &&
         !cul_ir_is_terminator(ir, op);
}

static bool is_link(const struct cul_ir *ir, MlirOperation op,
                    bool with_results, bool backwards) {
  MlirOperation parent = cul_ir_parent(op);
  if (!parent.ptr || !cul_ir_is_function(parent))
    return false;
  if (cul_ir_is_terminator(ir, op))
    return !backwards &&
           (with_results || mlirOperationGetNumSuccessors(op) > 0);
  return !with_results || mlirOperationGetNumResults(op) > 0;
}

/* List the operations of each block of each function as a chain of sites: each
 * is the child of the one before it, from the first to the last (backwards:
 * from the last to the first).  A cut at a site removes that operation and all
 * below it in the chain.  with_results: only operations with results.  Forward
 * chains include terminators (without with_results only branches).  The weight
 * of a site is the number of operations inside it. */
static void chain_sites(struct cul_ir *ir, bool with_results, bool backwards,
                        struct cul_sites *out) {
  CUL_OWNED(cul_map) last = {0}; /* block -> the last site in it */
  CUL_OWNED(cul_ir_list) list = {0};
  cul_ir_list(ir->root, &list);
  for (size_t i = 1; i < list.n; i++) {
    const struct cul_ir_item *item = &list.items[backwards ? list.n - i : i];
    const void *block = mlirOperationGetBlock(item->op).ptr;
    uint64_t *before = cul_map_get(&last, block);
    uint32_t id;
    if (!is_link(ir, item->op, with_results, backwards))
      continue;
    id = cul_each_add_sibling(out, item, 0, item->size);
    if (before)
      out->items[id].parent = (uint32_t)*before;
    cul_map_put(&last, block, id);
  }
}

/* ---- cutting ---- */

/* A copy of the function's first return, not inserted; null: it never
 * returns. */
static MlirOperation copy_return(struct cul_ir *ir, MlirOperation function) {
  CUL_IR_EACH_RETURN(end, ir, function) { return cul_ir_clone(end.op); }
  return (MlirOperation){NULL};
}

/* Replace from and everything after it in its block by the terminator end. */
static void cut_from(struct cul_ir *ir, MlirOperation from, MlirOperation end) {
  MlirBlock block = mlirOperationGetBlock(from);
  MlirRegion region = mlirBlockGetParentRegion(block);
  CUL_OWNED(cul_cfg_reach) before = {0};
  cul_cfg_reach(region, &before);
  for (MlirOperation next; from.ptr; from = next) {
    next = cul_ir_next_op(from);
    cul_cfg_discard(from);
  }
  cul_edit_append(block, end);
  cul_cfg_prune(ir, region, &before);
}

/* ---- the new result ---- */

static bool may_return(MlirOperation function, const MlirType *types,
                       size_t n) {
  bool may = n <= 1 || !(cul_ir_is(function, "llvm.func") ||
                         cul_ir_is(function, "spirv.func"));
  for (size_t i = 0; i < n; i++)
    may &= cul_ir_function_takes(function, types[i]);
  return may;
}

static bool returns_just(struct cul_ir *ir, MlirOperation function,
                         const MlirType *types, size_t n) {
  CUL_OWNED(cul_ir_signature) signature = {0};
  if (!cul_ir_signature_get(ir, function, &signature) ||
      signature.n_results != n)
    return false;
  for (size_t i = 0; i < n; i++)
    if (!mlirTypeEqual(signature.results[i], types[i]))
      return false;
  return true;
}

/* Give results of these types to a function without results, and to its
 * calls. */
static bool set_results(struct cul_ir *ir, MlirOperation function,
                        MlirType *types, size_t n_types) {
  CUL_OWNED(cul_ir_signature) old = {0};
  struct cul_ir_signature new;
  CUL_HEAP struct cul_ir_call *calls = NULL;
  size_t n = 0;
  bool done;
  if (!cul_ir_signature_get(ir, function, &old))
    return false;
  new = old;
  new.results = types;
  new.n_results = n_types;
  done = old.n_results == 0 &&
         cul_ir_function_calls(ir, function, &calls, &n) &&
         cul_ir_signature_set(ir, function, &new);
  for (size_t i = 0; done && i < n; i++)
    done = cul_ir_rebuild(ir, calls[i].op,
                          &(struct cul_ir_change){.new_results = types,
                                                  .n_new_results = n_types})
               .ptr;
  return done;
}

static bool drop_results(struct cul_ir *ir, MlirOperation function) {
  CUL_OWNED(cul_ir_signature) signature = {0};
  if (!cul_ir_signature_get(ir, function, &signature))
    return false;
  for (size_t k = signature.n_results; k-- > 0;)
    if (!cul_position_drop_of_function(ir, function,
                                       CUL_POSITION_RESULT + (intptr_t)k))
      return false;
  return true;
}

/* May the type of the function change?  Not that of a kernel, which cannot
 * return a value, nor of a function with uses other than calls. */
static bool may_change(struct cul_ir *ir, MlirOperation function) {
  CUL_HEAP struct cul_ir_call *calls = NULL;
  size_t n;
  return !cul_ir_is_kernel(function) &&
         cul_ir_function_calls(ir, function, &calls, &n);
}

/* Make all returns of the function return these values; if a value is not
 * available at a return, another one of its type.  only: change this return
 * alone; may be null. */
static bool set_returns(struct cul_ir *ir, MlirOperation function,
                        MlirOperation only,
                        const struct cul_ir_values *values) {
  bool any = false;
  CUL_IR_EACH_RETURN(walk, ir, function) {
    MlirOperation end = walk.op;
    any = true;
    if (only.ptr && end.ptr != only.ptr)
      continue;
    end = cul_ir_return_values(ir, end, values);
    if (!end.ptr)
      return false;
    cul_cfg_fix_up(ir, end);
  }
  return any;
}

/* May return_only be called with a value of this type? */
static bool can_return_type(struct cul_ir *ir, MlirOperation function,
                            MlirType type) {
  return returns_just(ir, function, &type, 1) ||
         (may_return(function, &type, 1) && may_change(ir, function));
}

/* Make the function return these values and nothing else at all its returns.
 * Uses of its former results get another value of their type.  last: the
 * function returns after this operation, and what follows is cut; if the type
 * of the function stays the same, so do its other returns.  last null: nothing
 * is cut.  False: the type would change but must not. */
static bool return_only(struct cul_ir *ir, MlirOperation function,
                        const struct cul_ir_values *values,
                        MlirOperation last) {
  MlirOperation end = {NULL}, only = {NULL};
  CUL_HEAP MlirType *types = cul_ir_values_types(values);
  bool same = returns_just(ir, function, types, values->n);
  if (last.ptr)
    end = copy_return(ir, function);
  if ((last.ptr && !end.ptr) ||
      (!same && !(may_return(function, types, values->n) &&
                  may_change(ir, function) && drop_results(ir, function))))
    return false;
  if (last.ptr) {
    cul_edit_set_operands(end, 0, NULL);
    cut_from(ir, cul_ir_next_op(last), end);
    if (same)
      only = end;
  }
  return set_returns(ir, function, only, values) &&
         (same || set_results(ir, function, types, values->n));
}

/* Return op's results directly after op. */
static bool return_results(struct cul_ir *ir, MlirOperation op) {
  CUL_OWNED(cul_ir_values) values = {0};
  if (!is_statement(ir, op) || mlirOperationGetNumResults(op) == 0)
    return false;
  CUL_IR_EACH_RESULT(result, op) cul_ir_values_add(&values, result);
  return return_only(ir, cul_ir_parent(op), &values, op);
}

static bool return_only_one(struct cul_ir *ir, MlirOperation function,
                            MlirValue value) {
  MlirOperation no_cut = {NULL};
  return return_only(ir, function,
                     &(struct cul_ir_values){.items = &value, .n = 1}, no_cut);
}

/* The function that returns value; null: none does. */
static MlirOperation returned_by(struct cul_ir *ir, MlirValue value) {
  MlirOperation function = {NULL};
  CUL_IR_EACH_USER(user, ir, value) {
    MlirOperation parent = cul_ir_parent(user.op);
    if (cul_ir_is_terminator(ir, user.op) && cul_ir_is_function(parent))
      function = parent;
  }
  return function;
}

/* Replace value by `with` in its users.  A function that returned value now
 * returns only `with`, at all its returns; if `with` does not dominate a
 * return, that one returns another value of its type.  Nothing is erased.
 * False: the function does not allow this. */
static bool return_instead(struct cul_ir *ir, MlirValue value, MlirValue with) {
  MlirOperation function = returned_by(ir, value);
  if (function.ptr && !can_return_type(ir, function, mlirValueGetType(with)))
    return false;
  cul_ir_replace_uses(value, with);
  return !function.ptr || return_only_one(ir, function, with);
}

/* ---- return-early ---- */

/* Return before an operation.  The type of the function stays.  A returned
 * value that is not computed yet is replaced by the last earlier value of its
 * type, preferably one that depends on an argument: otherwise a chain of values
 * would lose its beginning. */
static void list_ends(struct cul_ir *ir, struct cul_sites *out) {
  chain_sites(ir, false, false, out);
}

/* The inputs of a value: none, only constants, or also arguments. */
enum origin { NOTHING, CONSTANTS, ARGUMENTS };

static enum origin origin_of(const struct cul_map *origins, MlirValue value) {
  MlirOperation def = cul_ir_defining_op(value);
  uint64_t *known = def.ptr ? cul_map_get(origins, def.ptr) : NULL;
  /* Defined in another block. */
  return known ? (enum origin) * known : ARGUMENTS;
}

static enum origin measure(const struct cul_map *origins, MlirOperation op) {
  enum origin origin = NOTHING;
  CUL_IR_EACH_LIVE_IN(walk, op) {
    enum origin of = origin_of(origins, walk.value);
    if (of == NOTHING)
      of = CONSTANTS;
    if (of > origin)
      origin = of;
  }
  return origin;
}

/* The last result of this type before op, among those with the highest origin;
 * null: there is none. */
static MlirValue latest(MlirOperation op, MlirType type) {
  MlirOperation at = mlirBlockGetFirstOperation(mlirOperationGetBlock(op));
  CUL_OWNED(cul_map) origins = {0};
  MlirValue found = {NULL};
  enum origin best = NOTHING;
  for (; !mlirOperationEqual(at, op); at = cul_ir_next_op(at)) {
    enum origin origin = measure(&origins, at);
    cul_map_put(&origins, at.ptr, origin);
    if (origin < best)
      continue;
    CUL_IR_EACH_RESULT(result, at) {
      if (!mlirTypeEqual(mlirValueGetType(result), type))
        continue;
      found = result;
      best = origin;
    }
  }
  return found;
}

/* Is the value available before op: defined before it, or in another block? */
static bool is_in_front(MlirValue value, MlirOperation op) {
  MlirOperation def = cul_ir_defining_op(value);
  if (!def.ptr ||
      !mlirBlockEqual(mlirOperationGetBlock(def), mlirOperationGetBlock(op)))
    return true;
  while ((def = cul_ir_next_op(def)).ptr)
    if (def.ptr == op.ptr)
      return true;
  return false;
}

/* Replace the operands of the return end that are not available before op.
 * Call this before anything is erased. */
static void return_latest(MlirOperation end, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(end); i++) {
    MlirValue value = mlirOperationGetOperand(end, i), with;
    if (is_in_front(value, op))
      continue;
    with = latest(op, mlirValueGetType(value));
    if (with.ptr)
      cul_edit_set_operand(end, i, with);
  }
}

static bool end_early(struct cul_ir *ir, MlirOperation op) {
  MlirOperation end = copy_return(ir, cul_ir_parent(op));
  if (!end.ptr)
    return false;
  return_latest(end, op);
  cut_from(ir, op, end);
  cul_cfg_fix_up(ir, end);
  return true;
}

CUL_EACH(return_early, .all = list_ends, .edit_op = end_early);

/* ---- return-slice ---- */

/* Erase all operations of the function on which its terminators do not
 * depend. */
static void discard_rest(struct cul_ir *ir, MlirOperation function) {
  MlirRegion region = mlirOperationGetRegion(function, 0);
  CUL_OWNED(cul_map) needed = {0};
  CUL_OWNED(cul_ir_ops) rest = {0};
  CUL_IR_EACH_BLOCK(block, region) {
    MlirOperation end = cul_cfg_terminator(ir, block);
    if (end.ptr)
      cul_region_needs(function, end, &needed);
  }
  CUL_IR_EACH_BLOCK(block, region)
  CUL_IR_EACH_OP(op, block)
  if (!cul_map_has(&needed, op.ptr))
    cul_ir_ops_add(&rest, op);
  cul_ir_discard_all(ir, &rest);
}

static void list_values(struct cul_ir *ir, struct cul_sites *out) {
  chain_sites(ir, true, false, out);
}

static bool return_slice(struct cul_ir *ir, MlirOperation op) {
  if (!return_results(ir, op))
    return false;
  discard_rest(ir, cul_ir_parent(op));
  return true;
}

/* Return the operation before each of these sites in its chain. */
static size_t return_slices(struct cul_ir *ir, const struct cul_sites *sites,
                            const uint32_t *ids, size_t n) {
  size_t applied = 0;
  for (size_t i = 0; i < n; i++) {
    uint32_t before = sites->items[ids[i]].parent;
    MlirOperation op;
    if (before == CUL_SITE_NONE)
      continue;
    op = cul_each_place(ir, sites, before);
    applied += cul_ir_alive(ir, op) && return_slice(ir, op);
  }
  return applied;
}

CUL_EACH(return_slice, .all = list_values, .edit_all = return_slices);

/* ---- start-late ---- */

/* Start a function after an operation: replace each earlier value by an
 * existing argument of the same type.  The type of the function stays
 * (outline-segment changes it), so this works for functions that are called,
 * and for entry points that a test calls with arguments of its own.  A value
 * for which there is no argument stays, with its operands; so do constants. */
struct start {
  MlirBlock entry;         /* of the function; has its arguments */
  struct cul_map decision; /* operation before the start -> enum decision */
  struct cul_map
      number; /* type -> the number of values of it that arguments replaced */
};

enum decision { KEPT, REMOVED };

static void list_starts(struct cul_ir *ir, struct cul_sites *out) {
  chain_sites(ir, false, true, out);
}

/* Argument number `number` of this type, counted cyclically; null: there is
 * none. */
static MlirValue argument_of(const struct start *start, MlirType type,
                             uint64_t number) {
  MlirValue found = {NULL};
  uint64_t seen = 0;
  do {
    CUL_IR_EACH_ARGUMENT(arg, start->entry) {
      if (!mlirTypeEqual(mlirValueGetType(arg), type))
        continue;
      found = arg;
      if (seen++ == number)
        return found;
    }
  } while (found.ptr);
  return found;
}

static bool must_stay(const struct start *start, MlirOperation op) {
  bool given = mlirOperationGetNumOperands(op) == 0 &&
               mlirOperationGetNumRegions(op) == 0;
  CUL_IR_EACH_RESULT(result, op) {
    if (cul_ir_used_outside(&start->decision, result) &&
        (given || !argument_of(start, mlirValueGetType(result), 0).ptr))
      return true;
  }
  return false;
}

static void give_argument(struct start *start, MlirValue value) {
  MlirType type = mlirValueGetType(value);
  uint64_t *number = cul_map_get(&start->number, type.ptr);
  uint64_t k = number ? *number : 0;
  cul_ir_replace_uses(value, argument_of(start, type, k));
  cul_map_put(&start->number, type.ptr, k + 1);
}

/* Decide from the last operation to the first, so that the users of each result
 * are decided before it. */
static void decide(struct start *start, const struct cul_ir_ops *front) {
  for (size_t i = front->n; i-- > 0;)
    cul_map_put(&start->decision, front->items[i].ptr, REMOVED);
  for (size_t i = front->n; i-- > 0;)
    if (must_stay(start, front->items[i]))
      cul_map_put(&start->decision, front->items[i].ptr, KEPT);
}

static bool discard_front(struct cul_ir *ir, struct start *start,
                          const struct cul_ir_ops *front) {
  CUL_OWNED(cul_ir_ops) gone = {0};
  for (size_t i = front->n; i-- > 0;) {
    MlirOperation op = front->items[i];
    if (*cul_map_get(&start->decision, op.ptr) == KEPT)
      continue;
    CUL_IR_EACH_RESULT(result, op) {
      if (cul_ir_used_outside(&start->decision, result))
        give_argument(start, result);
    }
    cul_ir_ops_add(&gone, op);
  }
  return gone.n > 0 && cul_ir_discard_all(ir, &gone);
}

static bool start_late(struct cul_ir *ir, MlirOperation op) {
  MlirOperation at = mlirBlockGetFirstOperation(mlirOperationGetBlock(op));
  CUL_OWNED(cul_ir_ops) front = {0};
  struct start start = {0};
  bool done;
  if (!is_statement(ir, op))
    return false;
  start.entry = cul_ir_entry(cul_ir_parent(op));
  for (; at.ptr != op.ptr; at = cul_ir_next_op(at))
    cul_ir_ops_add(&front, at);
  cul_ir_ops_add(&front, op);
  decide(&start, &front);
  done = discard_front(ir, &start, &front);
  cul_map_release(&start.decision);
  cul_map_release(&start.number);
  return done;
}

CUL_EACH(start_late, .all = list_starts, .edit_op = start_late);

/* ---- return-operand ---- */

/* Erase an operation and return one of its operands: the operand still has a
 * use, in case that is necessary for the failure. */

/* Not an argument, which exists without a use. */
static bool can_return(struct cul_ir *ir, MlirOperation op, MlirValue operand) {
  return mlirValueIsAOpResult(operand) &&
         can_return_type(ir, cul_ir_parent(op), mlirValueGetType(operand));
}

static void list_operands(struct cul_ir *ir, const struct cul_ir_item *item,
                          struct cul_sites *out) {
  MlirOperation op = item->op;
  intptr_t n = mlirOperationGetNumOperands(op);
  if (!is_statement(ir, op))
    return;
  for (intptr_t k = 0; k < n; k++)
    if (can_return(ir, op, mlirOperationGetOperand(op, k)))
      cul_each_add(out, op, (uint64_t)k, item->size);
}

static bool return_one(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  MlirValue value = cul_ir_operand(op, (intptr_t)detail);
  return value.ptr && is_statement(ir, op) &&
         return_only_one(ir, cul_ir_parent(op), value) && cul_ir_erase(ir, op);
}

CUL_EACH(return_operand, .list = list_operands, .edit = return_one);

/* ---- print-value ---- */

/* In a program that prints its results: print a value directly after its
 * operation and return there.  This removes everything between the origin of a
 * wrong value and the print that shows it. */

/* Types that vector.print accepts on every target: scalars and vectors of
 * them. */
static bool may_print(MlirType type) {
  if (mlirTypeIsAVector(type))
    type = mlirShapedTypeGetElementType(type);
  return mlirTypeIsAIndex(type) || mlirTypeIsAInteger(type) ||
         mlirTypeIsAF32(type) || mlirTypeIsAF64(type);
}

/* The first result that can be printed, or null. */
static MlirValue printable(MlirOperation op) {
  CUL_IR_EACH_RESULT(result, op) {
    if (may_print(mlirValueGetType(result)))
      return result;
  }
  return (MlirValue){NULL};
}

/* Is op a vector.print or the declaration of a printing function of the
 * runner's library, such as printMemrefF32? */
static bool is_print(MlirOperation op) {
  MlirAttribute symbol;
  if (cul_ir_is(op, "vector.print"))
    return true;
  if (!cul_ir_is_function(op) || cul_ir_has_body(op))
    return false;
  symbol = cul_ir_get(op, "sym_name");
  if (!symbol.ptr || !mlirAttributeIsAString(symbol))
    return false;
  return cul_ir_str_starts(mlirStringAttrGetValue(symbol), "print");
}

static bool can_print_after(const struct cul_ir *ir, MlirOperation op) {
  MlirOperation next = cul_ir_next_op(op);
  return is_statement(ir, op) && printable(op).ptr && next.ptr &&
         !cul_ir_is(next, "vector.print");
}

/* Is op in the single block of the region of a statement (a loop,
 * linalg.generic), and can its result be printed after it was hoisted? */
static bool can_hoist(const struct cul_ir *ir, MlirOperation op) {
  MlirOperation around = cul_ir_parent(op);
  return around.ptr && is_statement(ir, around) &&
         !cul_ir_is_function(around) &&
         cul_region_single(mlirBlockGetParentRegion(mlirOperationGetBlock(op)))
             .ptr &&
         !cul_ir_is_terminator(ir, op) && printable(op).ptr;
}

/* Move op and its whole block before the enclosing statement.  Induction
 * variables become 0, elements 1. */
static void hoist(struct cul_ir *ir, MlirOperation op) {
  MlirOperation around = cul_ir_parent(op);
  MlirBlock block = mlirOperationGetBlock(op);
  (void)cul_region_bind_all(ir, around, block, CUL_REGION_TO_ONES);
  cul_region_move_before(ir, block, around);
  cul_ir_tell(ir, CUL_IR_BLOCKS);
}

static void list_printed(struct cul_ir *ir, struct cul_sites *out) {
  bool prints = false;
  CUL_IR_EACH_ITEM(walk, ir->root) { prints |= is_print(walk.op); }
  if (!prints)
    return;
  CUL_IR_EACH_INNER(walk, ir->root) {
    if (can_print_after(ir, walk.op) || can_hoist(ir, walk.op))
      cul_each_add_sibling(out, walk.item, 0, walk.item->size);
  }
}

/* Print the value of the last of these sites only, because everything after it
 * is cut. */
static size_t print(struct cul_ir *ir, const struct cul_sites *sites,
                    const uint32_t *ids, size_t n) {
  MlirOperation op = cul_each_place(ir, sites, ids[n - 1]), next;
  MlirValue value;
  if (!cul_ir_alive(ir, op))
    return 0;
  if (can_hoist(ir, op))
    hoist(ir, op);
  else if (!can_print_after(ir, op))
    return 0;
  value = printable(op);
  next = cul_ir_next_op(op);
  return cul_ir_create(
             ir, &(struct cul_ir_new){"vector.print", &value, 1, NULL, 0}, next)
             .ptr &&
         end_early(ir, next);
}

CUL_EACH(print_value, .all = list_printed, .edit_all = print);

/* ---- bridge-type ---- */

/* Replace an operation by an operand of another type.  Either its users take
 * the operand directly, and a function that returned the result returns the new
 * type; or a cast converts the operand. */

#define CAST UINT64_C(1) /* detail: operand number, then this bit */

/* The only result that has uses; null if none or several have. */
static MlirValue used_result(MlirOperation op) {
  MlirValue used = {NULL};
  CUL_IR_EACH_RESULT(result, op) {
    if (cul_ir_has_uses(result) && used.ptr)
      return (MlirValue){NULL};
    if (cul_ir_has_uses(result))
      used = result;
  }
  return used;
}

/* Is a cast simpler than the operation?  Not than a single one with one
 * operand. */
static bool cast_gains(const struct cul_ir_item *item) {
  return item->size > 1 || mlirOperationGetNumOperands(item->op) > 1;
}

static MlirType element_of(MlirType type) {
  return mlirTypeIsAShaped(type) ? mlirShapedTypeGetElementType(type) : type;
}

/* Have the types the same sizes (with `layouts`: and the same encoding), or is
 * neither shaped? */
static bool is_alike(MlirType a, MlirType b, bool layouts) {
  bool ranked = mlirTypeIsARankedTensor(a) && mlirTypeIsARankedTensor(b);
  if (!mlirTypeIsAShaped(a) && !mlirTypeIsAShaped(b))
    return true;
  if (!ranked || mlirShapedTypeGetRank(a) != mlirShapedTypeGetRank(b))
    return false;
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(a); i++)
    if (mlirShapedTypeGetDimSize(a, i) != mlirShapedTypeGetDimSize(b, i))
      return false;
  return !layouts || mlirAttributeEqual(mlirRankedTensorTypeGetEncoding(a),
                                        mlirRankedTensorTypeGetEncoding(b));
}

/* Are both floats, or both integers? */
static bool is_of_kind(MlirType a, MlirType b) {
  return (mlirTypeIsAFloat(a) && mlirTypeIsAFloat(b)) ||
         (mlirTypeIsAInteger(a) && mlirTypeIsAInteger(b));
}

/* Does op convert only the element type, and may it convert `from`? */
static bool casts_from(MlirOperation op, MlirType old, MlirType from) {
  const struct cul_op_word *converts = cul_retype_word(op, "converts");
  bool widens = cul_retype_word(op, "widens");
  MlirType to, a = element_of(from), b;
  if (mlirOperationGetNumResults(op) != 1 ||
      (!converts && !widens && !cul_retype_word(op, "narrows")))
    return false;
  to = mlirValueGetType(mlirOperationGetResult(op, 0));
  b = element_of(to);
  if (!is_alike(from, to, true))
    return false;
  if (converts && converts->n_args > 0)
    return true;
  return is_of_kind(a, element_of(old)) &&
         (converts || (widens ? cul_ir_width(b) > cul_ir_width(a)
                              : cul_ir_width(b) < cul_ir_width(a)));
}

/* Does the StableHLO operation take operands of almost any type for the same
 * result type? */
static bool takes_any(MlirOperation user) {
  static const char *const names[] = {"stablehlo.bitcast_convert",
                                      "stablehlo.custom_call",
                                      "stablehlo.reshape", "stablehlo.tuple"};
  return cul_ir_is_among(user, names, CUL_ARRAY_SIZE(names));
}

/* May user take a value of this type in place of one of type `old`?  This
 * replaces the verifier that libMLIR lacks for the operation; unknown ones
 * may. */
static bool may_take(MlirOperation user, MlirType old, MlirType type) {
  bool ends = cul_ir_is(user, "tt.return") || cul_ir_is(user, "tt.print");
  if (cul_ir_is_of(user, "ttg.") || cul_ir_is_of(user, "triton_gpu."))
    return is_alike(old, type, false) &&
           mlirTypeEqual(element_of(old), element_of(type)) &&
           mlirTypeIsAShaped(type);
  if (cul_ir_is_of(user, "linalg."))
    return cul_ir_rank(old) == cul_ir_rank(type);
  if ((cul_ir_is_of(user, "tt.") && !ends) || cul_ir_is_of(user, "ttng.") ||
      cul_ir_is_of(user, "scf.") || cul_retype_is_elementwise(user) ||
      (cul_ir_is_of(user, "stablehlo.") && !takes_any(user)))
    return casts_from(user, old, type);
  return true;
}

/* Does user end a region whose operation determines the types that it
 * yields? */
static bool ends_region(const struct cul_ir *ir, MlirOperation user) {
  return cul_ir_is_opaque(ir) && cul_ir_is_terminator(ir, user) &&
         mlirOperationGetNumSuccessors(user) == 0 &&
         !cul_ir_is_function(cul_ir_parent(user));
}

static bool users_may_take(struct cul_ir *ir, MlirValue result, MlirType type) {
  CUL_IR_EACH_USER(user, ir, result) {
    if (ends_region(ir, user.op) ||
        !may_take(user.op, mlirValueGetType(result), type))
      return false;
  }
  return true;
}

static void list_bridges(struct cul_ir *ir, const struct cul_ir_item *item,
                         struct cul_sites *out) {
  MlirOperation op = item->op;
  MlirValue result = used_result(op);
  if (!result.ptr || cul_ir_is_terminator(ir, op) ||
      !cul_each_editable(ir, op) || cul_ir_get(op, "callee").ptr)
    return;
  for (intptr_t k = 0; k < mlirOperationGetNumOperands(op); k++) {
    MlirType type = mlirValueGetType(mlirOperationGetOperand(op, k));
    /* forward replaces results by operands of the same type */
    if (mlirTypeEqual(mlirValueGetType(result), type))
      continue;
    if (users_may_take(ir, result, type))
      cul_each_add(out, op, (uint64_t)k << 1, item->size);
    if (cast_gains(item))
      cul_each_add(out, op, (uint64_t)k << 1 | CAST, item->size);
  }
}

static bool bridge(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  MlirValue result = used_result(op);
  MlirValue operand = cul_ir_operand(op, (intptr_t)(detail >> 1));
  MlirType type;
  MlirOperation cast;
  if (!result.ptr || !operand.ptr)
    return false;
  type = mlirValueGetType(result);
  if (detail & CAST) {
    cast =
        cul_ir_create(ir,
                      &(struct cul_ir_new){"builtin.unrealized_conversion_cast",
                                           &operand, 1, &type, 1},
                      op);
    if (!cast.ptr)
      return false;
    cul_ir_replace_uses(result, mlirOperationGetResult(cast, 0));
  } else if (!return_instead(ir, result, operand)) {
    return false;
  }
  return cul_ir_discard(ir, op);
}

CUL_EACH(bridge_type, .list = list_bridges, .edit = bridge);
