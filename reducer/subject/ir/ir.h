/* MLIR modules as subjects, and the helpers that mutations edit them with.
 *
 * Everything goes through the C API of libMLIR, inside a worker process.
 * One parsed module per process; a candidate is a fork of it, so editing is
 * in place, once, never undone.  Two worlds, told apart by head.bits:
 *
 *   native   all upstream dialects; the verifier judges a candidate;
 *   opaque   no dialect but builtin, generic text; operations, types and
 *            attributes of other dialects are names, text and structure;
 *            facts.c judges, by facts learnt from the input.
 *
 * Rules that keep edits composable:
 *  - Nothing is freed.  cul_ir_discard unlinks an operation; pointers to it
 *    stay safe and cul_ir_alive says no.  A site whose place is not alive any
 *    more is skipped.
 *  - Never destroy an operation, remove an inherent attribute or set one
 *    without cul_ir_set: each of them crashes somewhere (compat.h).
 *  - Lists are in pre-order of the module, never in use-list order.
 *  - A call of cul_ir_* that returns false or a null handle changed nothing.
 *  - Call cul_ir_commit at the end of every apply.
 *  - Edit by cul_ir_* or cul_edit_* (edits.h); tell of blocks and symbols that
 *    changed (cul_ir_tell): those who remember something of them listen.
 *
 * Files: ir.c lists, names, attributes, symbols, signatures; dom.c dominance
 * and finding values; facts.c facts learnt from the input, and the opaque
 * checks; edits.h edits and events; compat.c versions of the C API; ../edit/
 * erasing, rebuilding, constants, functions and calls; ../mlir/ open, verify,
 * write, LLVM IR in and out. */
#ifndef CUL_REDUCER_SUBJECT_IR_IR_H
#define CUL_REDUCER_SUBJECT_IR_IR_H

#include "../subject.h"
#include "edits.h"
#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>
#include <mlir-c/IR.h>

struct cul_ir;
struct cul_ir_facts;    /* learnt from the input; facts.c */
struct cul_ir_memo;     /* printed types and attributes; ir.c */
struct cul_ir_doms;     /* dominator trees; dom.c */
struct cul_ir_calls;    /* functions with pending arguments; edit.c */
struct cul_print_cache; /* printed operations; cache.c */
struct cul_ir_scope;    /* symbols by name; ir.c */
struct cul_llvm;        /* exported LLVM IR; mlir.c */
struct cul_model;       /* what operations require; opmodel/ */

/* What an edit may make out of date. */
enum cul_ir_event {
  CUL_IR_BLOCKS = 1,  /* blocks, successors or terminators changed */
  CUL_IR_SYMBOLS = 2, /* a symbol or a reference came or has another name */
  CUL_IR_FREED = 4,   /* operations were freed, as passes do */
  CUL_IR_CLOSED = 8   /* the subject goes: free what it has of yours */
};
/* Who keeps something about a module.  `told` is called after each of the
 * events that it waits for. */
struct cul_ir_watcher {
  unsigned events; /* enum cul_ir_event */
  void (*told)(struct cul_ir *ir, enum cul_ir_event event);
};
enum { CUL_IR_WATCHERS = 8 };

/* The subject kind "mlir".  Mutations get it as struct cul_subject *. */
struct cul_ir {
  struct cul_subject_head head;
  enum cul_form form;
  bool check;   /* false: every candidate is valid */
  bool located; /* locations are printed */
  MlirContext context;
  MlirModule module;
  MlirOperation root; /* the module's operation */
  MlirLocation unknown;
  struct cul_buf resources;  /* the file's {-# #-} section, cut off */
  struct cul_buf diagnostic; /* first error since it was last cleared */
  struct cul_ir_facts *facts;
  struct cul_ir_memo *memo;
  struct cul_ir_doms *doms;
  struct cul_ir_calls *calls;
  struct cul_ir_scope *scope;
  struct cul_print_cache *prints; /* NULL: all is printed each time */
  MlirAsmState numbering; /* of the module before the edit; null: none */
  const struct cul_ir_watcher *watchers[CUL_IR_WATCHERS]; /* NULL ends */
  struct cul_llvm *llvm;   /* form llvm; else NULL */
  struct cul_model *model; /* NULL: nothing was asked */
};
static inline struct cul_ir *cul_ir_of(struct cul_subject *subject) {
  return (struct cul_ir *)subject;
}
static inline bool cul_ir_is_opaque(const struct cul_ir *ir) {
  return ir->head.bits == CUL_SUBJECT_OPAQUE;
}

/* From now on watcher is told; no more than once, however often it asks. */
void cul_ir_watch(struct cul_ir *ir, const struct cul_ir_watcher *watcher);
/* One event has happened. */
void cul_ir_tell(struct cul_ir *ir, enum cul_ir_event event);

MlirStringRef cul_ir_str(const char *text);
bool cul_ir_str_is(MlirStringRef a, const char *text);
/* Is it one of n? */
bool cul_ir_str_among(MlirStringRef a, const char *const *names, size_t n);
bool cul_ir_str_starts(MlirStringRef a, const char *with);

/* Printed form, local scope; borrowed, lives as long as the subject. */
const char *cul_ir_type_text(struct cul_ir *ir, MlirType type);
const char *cul_ir_attr_text(struct cul_ir *ir, MlirAttribute attr);
/* The reverse; silent.  Null when it does not parse. */
MlirType cul_ir_type_parse(struct cul_ir *ir, const char *text);
MlirAttribute cul_ir_attr_parse(struct cul_ir *ir, const char *text);

/* Text of opaque operations as their tool reads it: what such a context cannot
 * hold is wrapped in it, and is put back. */
void cul_ir_unmangle(struct cul_bytes text, struct cul_buf *out);

/* How this subject is printed; caller destroys. */
MlirOpPrintingFlags cul_ir_print_flags(const struct cul_ir *ir);

/* Operations in pre-order.  size: subtree with the operation itself; parent:
 * index of the enclosing operation, UINT32_MAX for the first; block: number
 * of the block that holds it, unique in the list. */
struct cul_ir_item {
  MlirOperation op;
  uint32_t size, parent, block;
};
struct cul_ir_list {
  struct cul_ir_item *items;
  size_t n, cap;
};
/* All operations of the subtree, root first.  out: initialised to {0}. */
void cul_ir_list(MlirOperation root, struct cul_ir_list *out);
void cul_ir_list_release(struct cul_ir_list *list);
/* Operations in the subtree, root included. */
uint32_t cul_ir_count(MlirOperation root);

/* for (...) over the blocks of a region, the operations of a block.  The body
 * may discard or move the current one. */
#define CUL_IR_EACH_BLOCK(block, region)                                       \
  for (MlirBlock block = mlirRegionGetFirstBlock(region),                      \
                 block##_next = cul_ir_next_block(block);                      \
       block.ptr;                                                              \
       block = block##_next, block##_next = cul_ir_next_block(block))
#define CUL_IR_EACH_OP(op, block)                                              \
  for (MlirOperation op = mlirBlockGetFirstOperation(block),                   \
                     op##_next = cul_ir_next_op(op);                           \
       op.ptr; op = op##_next, op##_next = cul_ir_next_op(op))
/* Null after the last one, and of null. */
MlirBlock cul_ir_next_block(MlirBlock block);
MlirOperation cul_ir_next_op(MlirOperation op);

/* Growing arrays of handles, for whoever collects some. */
struct cul_ir_ops {
  MlirOperation *items;
  size_t n, cap;
};
struct cul_ir_values {
  MlirValue *items;
  size_t n, cap;
};
void cul_ir_ops_add(struct cul_ir_ops *ops, MlirOperation op);
void cul_ir_ops_release(struct cul_ir_ops *ops);
void cul_ir_values_add(struct cul_ir_values *values, MlirValue value);
void cul_ir_values_release(struct cul_ir_values *values);

/* The full name, borrowed from the context: "arith.addi". */
MlirStringRef cul_ir_name(MlirOperation op);
bool cul_ir_is(MlirOperation op, const char *name);
bool cul_ir_is_among(MlirOperation op, const char *const *names, size_t n);
/* Of a dialect, with its dot: "arith.". */
bool cul_ir_is_of(MlirOperation op, const char *dialect);
/* Still inside the module? */
bool cul_ir_alive(const struct cul_ir *ir, MlirOperation op);
/* op itself, or what cul_ir_rebuild made of it since. */
MlirOperation cul_ir_current(const struct cul_ir *ir, MlirOperation op);
/* Is it the terminator of its block?  (opaque: by names learnt) */
bool cul_ir_is_terminator(const struct cul_ir *ir, MlirOperation op);
/* May op, or what it holds, become operations of dialect func?  A tool of
 * foreign dialects need not know it (Triton does not); those whose input uses
 * func, or other functions of upstream's, are taken to do. */
bool cul_ir_may_be_func(const struct cul_ir *ir, MlirOperation op);
/* Do its regions see no value from outside?  Functions, modules, and by a
 * table of names; opaque: also learnt from the input. */
bool cul_ir_is_isolated(const struct cul_ir *ir, MlirOperation op);
/* Is op in the subtree of root (or root itself)? */
bool cul_ir_inside(MlirOperation op, MlirOperation root);
/* A set of operations: those that have a number there, and not 0.  The member
 * that is op, or the nearest around it; null: none. */
struct cul_map;
MlirOperation cul_ir_member_around(const struct cul_map *set, MlirOperation op);
/* Is value used by what is no member, and not inside of one? */
bool cul_ir_used_outside(const struct cul_map *set, MlirValue value);

/* Null when there is none. */
MlirOperation cul_ir_parent(MlirOperation op);
MlirOperation cul_ir_defining_op(MlirValue value); /* null: block argument */
MlirBlock cul_ir_defining_block(MlirValue value);  /* of either kind */
bool cul_ir_has_uses(MlirValue value);
bool cul_ir_has_result_uses(MlirOperation op);
/* The users of value, in pre-order, each once. */
void cul_ir_users(struct cul_ir *ir, MlirValue value, struct cul_ir_ops *out);
/* Values used in the subtree of op, defined outside; first use first. */
void cul_ir_live_ins(MlirOperation op, struct cul_ir_values *out);

/* Inherent or discardable; null when absent.  Works for properties of
 * unregistered operations. */
MlirAttribute cul_ir_get(MlirOperation op, const char *name);
/* Set, as inherent where the operation has it so.  False, and the old value
 * put back, when the operation does not take this kind of attribute. */
bool cul_ir_set(struct cul_ir *ir, MlirOperation op, const char *name,
                MlirAttribute attr);
/* Remove a discardable attribute.  Inherent ones: cul_ir_rebuild. */
bool cul_ir_remove_discardable(MlirOperation op, const char *name);

/* All attributes of an operation, sorted by name within each kind, inherent
 * ones first.  name: borrowed from the context. */
struct cul_ir_attr {
  MlirStringRef name;
  MlirAttribute attr;
  bool inherent;
};
struct cul_ir_attrs {
  struct cul_ir_attr *items;
  size_t n, cap;
};
void cul_ir_attrs(struct cul_ir *ir, MlirOperation op,
                  struct cul_ir_attrs *out);
void cul_ir_attrs_release(struct cul_ir_attrs *attrs);

/* A copy of op and all in it, that stands nowhere yet; properties of
 * unregistered operations are copied, too. */
MlirOperation cul_ir_clone(MlirOperation op);

/* Rebuild attr with fn applied to every attribute inside it, innermost first
 * (elements of arrays and dictionaries; the attribute itself last).  fn
 * returns its argument, or what stands for it. */
typedef MlirAttribute cul_ir_attr_fn(struct cul_ir *ir, MlirAttribute attr,
                                     void *arg);
MlirAttribute cul_ir_attr_map(struct cul_ir *ir, MlirAttribute attr,
                              cul_ir_attr_fn *fn, void *arg);

/* The array with another entry number at, or without it where with is null. */
MlirAttribute cul_ir_array_with(struct cul_ir *ir, MlirAttribute array,
                                intptr_t at, MlirAttribute with);
/* The same of the results of a map. */
MlirAttribute cul_ir_map_with(struct cul_ir *ir, MlirAffineMap map, intptr_t at,
                              MlirAffineExpr with);
/* A list attribute of op (entries per operand, result, case, ...: an array,
 * numbers, a tensor or vector, the results of an affine map) without entry
 * number at.  True also where op has no such list. */
bool cul_ir_drop_entry(struct cul_ir *ir, MlirOperation op, const char *name,
                       size_t at);

/* May op use value: does its definition dominate op, no isolated operation
 * between them? */
bool cul_ir_dominates(struct cul_ir *ir, MlirValue value, MlirOperation op);
/* A value of this type that op may use, never a result of op itself: block
 * arguments first, then results of earlier operations, both outermost level
 * first, in their order.  avoid: may be null; not this value.  Null when
 * there is none. */
MlirValue cul_ir_find_value(struct cul_ir *ir, MlirType type, MlirOperation op,
                            MlirValue avoid);

enum cul_ir_constant {
  CUL_IR_ZERO,   /* 0, 0.0, false, null pointer, splat of it, empty tensor */
  CUL_IR_ONE,    /* 1, 1.0, true, splat */
  CUL_IR_POISON, /* ub.poison: any type */
  CUL_IR_CAST,   /* builtin.unrealized_conversion_cast from nothing: any type,
                    any tool */
};
/* A new constant just before op, with what dialect fits the place: that of
 * constants in the input (opaque), llvm.mlir.* in LLVM functions, arith
 * elsewhere.  Null when the type has no such constant (memref). */
MlirValue cul_ir_constant(struct cul_ir *ir, MlirType type,
                          enum cul_ir_constant which, MlirOperation op);
/* The attribute of such a constant: 0 : i32, dense<0.0> : tensor<..>. */
MlirAttribute cul_ir_constant_attr(struct cul_ir *ir, MlirType type,
                                   enum cul_ir_constant which);
/* No operands, one result, "value" attribute: a constant of any dialect. */
bool cul_ir_is_constant(MlirOperation op);
/* A constant that costs nothing: LLVM IR writes it into the instructions that
 * use it.  Another value in its place would be less simple. */
bool cul_ir_is_free_constant(const struct cul_ir *ir, MlirOperation op);

/* Must values of this type come from a constant (!tosa.shape)?  They are no
 * function arguments. */
bool cul_ir_is_constant_type(struct cul_ir *ir, MlirType type);

void cul_ir_replace_uses(MlirValue old, MlirValue with);

/* Unlink op with all inside it.  Its results must be unused (else false);
 * its operands' uses end.  A terminator may go only with its block. */
bool cul_ir_discard(struct cul_ir *ir, MlirOperation op);
/* The same for several at once that may use each other's results. */
bool cul_ir_discard_all(struct cul_ir *ir, const struct cul_ir_ops *ops);
/* cul_ir_discard after each used result was replaced, from CUL_IR_FROM_VALUES.
 */
bool cul_ir_erase(struct cul_ir *ir, MlirOperation op);
/* Discard op if nothing uses it and it is no terminator or symbol; then the
 * producers of its operands, as far as they were alive only for it. Only
 * operations without regions and with at least one result count as dead.
 * Returns how many went. */
size_t cul_ir_sweep(struct cul_ir *ir, MlirOperation op);
/* cul_ir_discard_all, then cul_ir_sweep for the producers of the operands. */
bool cul_ir_discard_sweep(struct cul_ir *ir, const struct cul_ir_ops *ops);
/* Unlink a block that no terminator names any more (uses of its values must
 * be gone); its operations go with it. */
bool cul_ir_discard_block(struct cul_ir *ir, MlirBlock block);

/* Symbol name, function_type, one region: func.func, llvm.func, gpu.func,
 * spirv.func, tt.func, util.func ... */
bool cul_ir_is_function(MlirOperation op);
bool cul_ir_has_body(MlirOperation function);
MlirBlock cul_ir_entry(MlirOperation function); /* null: declaration */
/* Innermost function around op, when no other isolated operation stands
 * between them; else null. */
MlirOperation cul_ir_function_of(const struct cul_ir *ir, MlirOperation op);
/* Terminators of the body's blocks without successors, in block order. */
void cul_ir_returns(struct cul_ir *ir, MlirOperation function,
                    struct cul_ir_ops *out);
/* end, which ends a function, returns these.  end, or what stands in its place:
 * another operation where returns with a value have a name of their own; null
 * when the context cannot make that. */
MlirOperation cul_ir_return_values(struct cul_ir *ir, MlirOperation end,
                                   const struct cul_ir_values *values);

struct cul_ir_signature {
  MlirType *inputs, *results;
  size_t n_inputs, n_results;
  bool llvm;     /* written as !llvm.func<> : results at most 1 */
  bool variadic; /* llvm only */
};
/* Read function_type.  False where it is not understood. */
bool cul_ir_signature_get(struct cul_ir *ir, MlirOperation function,
                          struct cul_ir_signature *out);
/* Write function_type; arg_attrs and res_attrs are cut or filled up with {} to
 * as many entries. */
bool cul_ir_signature_set(struct cul_ir *ir, MlirOperation function,
                          const struct cul_ir_signature *signature);
void cul_ir_signature_release(struct cul_ir_signature *signature);
/* May the function's type hold type?  An llvm.func takes none of the builtin
 * index, tensor, memref, complex and function types. */
bool cul_ir_function_takes(MlirOperation function, MlirType type);

/* How an operation calls a function. */
struct cul_ir_call {
  MlirOperation op;
  size_t first, n_args; /* operands [first, first + n_args) are arguments */
  size_t segment;       /* entry of operandSegmentSizes, or SIZE_MAX */
};
/* All uses of the function's symbol as calls, in pre-order.  False when some
 * use is none (address taken, exported list): the signature must stay. */
bool cul_ir_function_calls(struct cul_ir *ir, MlirOperation function,
                           struct cul_ir_call **out, size_t *n);

/* Add an argument at the end of the function's body.  Type and calls follow
 * in cul_ir_commit: callers pass a dominating value, zero, or a cast.
 * Null where the function cannot change. */
MlirValue cul_ir_add_argument(struct cul_ir *ir, MlirOperation function,
                              MlirType type);
/* Finish what cul_ir_add_argument began. */
void cul_ir_commit(struct cul_ir *ir);

struct cul_ir_symbol {
  MlirOperation op;
  MlirStringRef name;
  MlirOperation table; /* the operation around it */
  uint32_t uses;       /* references that resolve to it, own body included */
};
struct cul_ir_symbol_use {
  MlirOperation user;
  uint32_t symbol;    /* index into symbols, or UINT32_MAX: unresolved */
  MlirAttribute ref;  /* the SymbolRefAttr, or the attribute that has it as
                         text */
  MlirStringRef attr; /* name of the user's attribute it stands in */
};
struct cul_ir_symbols {
  struct cul_ir_symbol *items;    /* pre-order */
  struct cul_ir_symbol_use *uses; /* pre-order of users */
  size_t n, cap, n_uses, cap_uses;
};
/* Every symbol below root and every reference, at any depth of attributes
 * (also in types and in the text of opaque ones). */
void cul_ir_symbols(struct cul_ir *ir, MlirOperation root,
                    struct cul_ir_symbols *out);
void cul_ir_symbols_release(struct cul_ir_symbols *symbols);
/* The same for the whole module, remembered; borrowed until
 * CUL_IR_SYMBOLS is told.  Operations in it may be discarded or replaced
 * since: ask cul_ir_current and cul_ir_alive. */
const struct cul_ir_symbols *cul_ir_all_symbols(struct cul_ir *ir);
/* sym_name; false when op is no symbol. */
bool cul_ir_symbol_name(MlirOperation op, MlirStringRef *out);
/* What @name (a SymbolRefAttr) in op's attributes names; null: nothing. */
MlirOperation cul_ir_resolve(struct cul_ir *ir, MlirOperation op,
                             MlirAttribute ref);
/* In the attributes of everything in root's subtree: references whose root
 * or leaf is old become name. */
void cul_ir_rename_uses(struct cul_ir *ir, MlirOperation root,
                        MlirStringRef old, MlirStringRef name);
/* A name not used by any symbol under table: hint, hint_0, hint_1 ... ;
 * caller frees. */
char *cul_ir_fresh_name(MlirOperation table, const char *hint);
/* Keep what is in whole, the operations around, symbols that these name, at
 * any remove, and terminators; discard the rest of the module. */
void cul_ir_prune(struct cul_ir *ir, const struct cul_ir_ops *whole);

/* What to change; NULL or 0 = as it is.  keep_*: one entry per part of the
 * old operation.  Segment sizes follow. */
struct cul_ir_change {
  const char *name; /* another operation name */
  const bool *keep_operands, *keep_results, *keep_regions;
  const bool *keep_successors;
  const char *drop_attr;         /* one attribute, inherent or not */
  const char *const *drop_attrs; /* more; NULL ends */
  const MlirType *result_types;  /* of all old results */
};
/* Replace op by a new one with its attributes, regions (moved) and kept
 * parts; kept results take over their uses, dropped ones must be unused.
 * op is discarded.  Null when it cannot be done. */
MlirOperation cul_ir_rebuild(struct cul_ir *ir, MlirOperation op,
                             const struct cul_ir_change *change);
/* Do all operations of op's name have this attribute, as far as the input
 * shows, which has several of them?  Opaque forms only. */
bool cul_ir_is_common(const struct cul_ir *ir, MlirOperation op,
                      MlirStringRef name);
/* Keep only these operands in place (segment sizes follow). */
bool cul_ir_keep_operands(struct cul_ir *ir, MlirOperation op,
                          const bool *keep);
/* Operands [*first, *first + *n) of one entry of operandSegmentSizes;
 * false: there is none. */
bool cul_ir_segment_range(MlirOperation op, size_t segment, size_t *first,
                          size_t *n);
/* Operands of op, then its results: how many, and number i. */
size_t cul_ir_n_values(MlirOperation op);
MlirValue cul_ir_value(MlirOperation op, size_t i);
/* How many segments it has; 0: none. */
size_t cul_ir_n_segments(MlirOperation op);
/* Which operands of a terminator go to arguments of its successor number
 * `successor`: [*first, *first + *n).  False where it cannot be known. */
bool cul_ir_successor_operands(const struct cul_ir *ir,
                               MlirOperation terminator, size_t successor,
                               size_t *first, size_t *n);
/* A new operation: name, operands, result types.  Attributes are set later, by
 * cul_ir_set; opaque: as discardable ones, which every tool reads. */
struct cul_ir_new {
  const char *name;
  const MlirValue *operands;
  size_t n_operands;
  const MlirType *results;
  size_t n_results;
};
/* Make it, in front of `before` (null: in no block yet).  Null when the
 * context cannot. */
MlirOperation cul_ir_create(struct cul_ir *ir, const struct cul_ir_new *what,
                            MlirOperation before);

#endif
