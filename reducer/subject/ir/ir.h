/* MLIR modules as subjects, and the functions with which mutations edit them.
 *
 * Everything uses the C API of libMLIR inside a worker process.  A process
 * holds one parsed module; a candidate is a fork of it, so edits are made in
 * place, once, and never undone.  There are two kinds of modules, distinguished
 * by head.bits:
 *
 *   native   all upstream dialects; the verifier judges a candidate;
 *   opaque   only dialect builtin, generic text; operations, types and
 *            attributes of other dialects are names, text and structure;
 *            check.c judges a candidate by facts learnt from the input.
 *
 * Rules that allow edits to be combined:
 *
 * - Nothing is freed.  cul_ir_discard unlinks an operation; pointers to it
 *   stay valid and cul_ir_alive returns false.  Sites whose place is no longer
 *   alive are skipped.
 * - Never destroy an operation, remove an inherent attribute, or set one
 *   without cul_ir_set: the C API crashes in some of these cases (compat.h).
 * - Lists are in pre-order of the module, never in use-list order.
 * - A cul_ir_* function that returns false or a null handle has changed
 *   nothing, unless its comment says otherwise.
 * - Call cul_ir_commit at the end of every apply.
 * - Edit with cul_ir_* or cul_edit_* (edits.h); report changed blocks and
 *   symbols with cul_ir_tell, because others keep data about them.
 *
 * Sections name the files that have their functions.  Headers of their own:
 * walk.h loops over lists; replacement.h values in place of others; numbers.h
 * lists of numbers and affine maps; foreign.h types and attributes of other
 * dialects, in text; mangle.h what no opaque context can represent; compat.h
 * versions of the C API;
 * ../edit/ control flow, regions, positions; ../mlir/ open, verify, write, LLVM
 * IR in and out; ../print/ printing with a cache. */
#ifndef CUL_REDUCER_SUBJECT_IR_IR_H
#define CUL_REDUCER_SUBJECT_IR_IR_H

#include "../subject.h"
#include "edits.h"
#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>
#include <mlir-c/IR.h>

struct cul_ir;
struct cul_ir_facts;    /* facts about operation names; facts.h */
struct cul_ir_memo;     /* remembered texts and replacements; private.h */
struct cul_ir_doms;     /* dominator trees; dom.c */
struct cul_ir_calls;    /* functions with pending arguments; calls.c */
struct cul_print_cache; /* printed operations; print/cache.h */
struct cul_ir_scope;    /* symbols by name; symbols.c */
struct cul_llvm;        /* exported LLVM IR; llvm.h */
struct cul_model;       /* what operations require; opmodel/ */

/* Changes that make data about a module out of date. */
enum cul_ir_event {
  CUL_IR_BLOCKS = 1,  /* blocks, successors or terminators changed */
  CUL_IR_SYMBOLS = 2, /* a symbol or a reference was added or renamed */
  CUL_IR_FREED = 4,   /* operations were freed, as by passes */
  CUL_IR_CLOSED = 8   /* the subject is closed: free your data about it */
};
/* An owner of data about a module: `told` is called after each of these
 * events. */
struct cul_ir_watcher {
  unsigned events; /* enum cul_ir_event */
  void (*told)(struct cul_ir *ir, enum cul_ir_event event);
};
enum { CUL_IR_WATCHERS = 8 };

/* A function that is entered from outside. */
struct cul_ir_entry {
  char *name; /* heap */
  intptr_t n_arguments;
  bool returns; /* results */
  char *types; /* heap: of the arguments that it is called with, "2x3xf32", with
                  commas between; NULL = unknown */
};

/* The subject of kind "mlir"; mutations receive it as struct cul_subject *. */
struct cul_ir {
  struct cul_subject_head head;
  enum cul_form form;
  bool check;   /* false: candidates are not verified, except in form llvm */
  bool located; /* locations are printed */
  MlirContext context;
  MlirModule module;
  MlirOperation root; /* the module's operation */
  MlirLocation unknown;
  struct cul_buf resources;  /* the file's {-# #-} section, cut out */
  struct cul_buf diagnostic; /* first error since it was last cleared */
  struct cul_ir_facts *facts;
  struct cul_ir_memo *memo;
  struct cul_ir_doms *doms;
  struct cul_ir_calls *calls;
  struct cul_ir_scope *scope;
  struct cul_print_cache *prints; /* NULL: no cache is used */
  MlirAsmState numbering;         /* numbering before the edit; null: none */
  const struct cul_ir_watcher *watchers[CUL_IR_WATCHERS]; /* NULL ends */
  struct cul_ir_entry *entries;                           /* entry points */
  size_t n_entries;
  struct cul_llvm *llvm;   /* form llvm; else NULL */
  struct cul_model *model; /* NULL: no questions yet */
};
/* The module of a subject of this kind; the same pointer. */
static inline struct cul_ir *cul_ir_of(struct cul_subject *subject) {
  return (struct cul_ir *)subject;
}
/* Is it a module without dialects? */
static inline bool cul_ir_is_opaque(const struct cul_ir *ir) {
  return ir->head.bits == CUL_SUBJECT_OPAQUE;
}

/* ---- events: ir.c ---- */

/* Call watcher from now on; calling this again has no effect. */
void cul_ir_watch(struct cul_ir *ir, const struct cul_ir_watcher *watcher);
/* Call the watchers of an event. */
void cul_ir_tell(struct cul_ir *ir, enum cul_ir_event event);

/* ---- names, printed texts, types: ir.c ---- */

/* A reference to a text, which is borrowed. */
MlirStringRef cul_ir_str(const char *text);
/* Is it this text? */
bool cul_ir_str_is(MlirStringRef a, const char *text);
/* Is it one of these words, with a space on both sides of each? */
bool cul_ir_str_is_word(MlirStringRef a, const char *words);
/* Does it start with this text? */
bool cul_ir_str_starts(MlirStringRef a, const char *with);
/* Does it end with this text? */
bool cul_ir_str_ends(MlirStringRef a, const char *with);

/* The printed form in local scope; borrowed for the life of the subject. */
const char *cul_ir_type_text(struct cul_ir *ir, MlirType type);
const char *cul_ir_attr_text(struct cul_ir *ir, MlirAttribute attr);
/* Parse, without diagnostics; null: the text is NULL or does not parse. */
MlirType cul_ir_type_parse(struct cul_ir *ir, const char *text);
MlirAttribute cul_ir_attr_parse(struct cul_ir *ir, const char *text);

/* Is it the type of a tensor, memref or vector with a rank? */
bool cul_ir_is_ranked(MlirType type);
/* Its rank; -1: it has none. */
intptr_t cul_ir_rank(MlirType type);
/* The bits of an integer or a float, or of the elements of a shaped type; 0: it
 * is neither. */
unsigned cul_ir_width(MlirType type);
/* Is the layout of a memref null or the identity? */
bool cul_ir_is_default_layout(MlirAttribute layout);

/* The flags with which this subject is printed; caller destroys. */
MlirOpPrintingFlags cul_ir_print_flags(const struct cul_ir *ir);

/* ---- lists and loops: ir.c ---- */

/* An operation of a list in pre-order.  size: operations in its subtree, itself
 * included; parent: index of the enclosing operation, UINT32_MAX for the first;
 * block: number of its block, unique in the list. */
struct cul_ir_item {
  MlirOperation op;
  uint32_t size, parent, block;
};
struct cul_ir_list {
  struct cul_ir_item *items;
  size_t n, cap;
};
/* List all operations of the subtree, root first.  out: {0}. */
void cul_ir_list(MlirOperation root, struct cul_ir_list *out);
/* Free what it owns; {0} is fine. */
void cul_ir_list_release(struct cul_ir_list *list);
/* The number of operations in the subtree, root included. */
uint32_t cul_ir_count(MlirOperation root);

/* Loops over the blocks of a region, and over the operations of a block; _OF:
 * over the blocks in all regions of an operation, and CHILD over the operations
 * in these.  The body may discard or move the current one, but not the next
 * one.  The operation is evaluated at each step. */
#define CUL_IR_EACH_BLOCK(block, region)                                       \
  for (MlirBlock block = mlirRegionGetFirstBlock(region),                      \
                 block##_next = cul_ir_next_block(block);                      \
       block.ptr;                                                              \
       block = block##_next, block##_next = cul_ir_next_block(block))
#define CUL_IR_EACH_OP(op, block)                                              \
  for (MlirOperation op = mlirBlockGetFirstOperation(block),                   \
                     op##_next = cul_ir_next_op(op);                           \
       op.ptr; op = op##_next, op##_next = cul_ir_next_op(op))
#define CUL_IR_EACH_BLOCK_OF(block, op)                                        \
  for (MlirBlock block = cul_ir_next_block_of(op, (MlirBlock){NULL}),          \
                 block##_next = cul_ir_next_block_of(op, block);               \
       block.ptr;                                                              \
       block = block##_next, block##_next = cul_ir_next_block_of(op, block))
#define CUL_IR_EACH_CHILD(child, op)                                           \
  for (MlirOperation child = cul_ir_next_child(op, (MlirOperation){NULL}),     \
                     child##_next = cul_ir_next_child(op, child);              \
       child.ptr;                                                              \
       child = child##_next, child##_next = cul_ir_next_child(op, child))
/* Loops over the results of an operation, and over the arguments of a block. */
#define CUL_IR_EACH_RESULT(result, op)                                         \
  for (MlirValue result = cul_ir_result(op, 0); result.ptr;                    \
       result = cul_ir_next_value(result))
#define CUL_IR_EACH_ARGUMENT(argument, block)                                  \
  for (MlirValue argument = cul_ir_argument(block, 0); argument.ptr;           \
       argument = cul_ir_next_value(argument))
/* The next one; null after the last one, and for null. */
MlirBlock cul_ir_next_block(MlirBlock block);
MlirOperation cul_ir_next_op(MlirOperation op);
/* The next one in op; for null the first one. */
MlirBlock cul_ir_next_block_of(MlirOperation op, MlirBlock block);
MlirOperation cul_ir_next_child(MlirOperation op, MlirOperation child);
/* The next result of the same operation, or argument of the same block; null:
 * there is none. */
MlirValue cul_ir_next_value(MlirValue value);
/* An operand, a result, an argument of a block (may be null); null: there is
 * none of this number. */
MlirValue cul_ir_operand(MlirOperation op, intptr_t at);
MlirValue cul_ir_result(MlirOperation op, intptr_t at);
MlirValue cul_ir_argument(MlirBlock block, intptr_t at);
/* The last operation of a block; null: the block is empty. */
MlirOperation cul_ir_last_op(MlirBlock block);

/* Growing arrays of handles; {0} is empty. */
struct cul_ir_ops {
  MlirOperation *items;
  size_t n, cap;
};
struct cul_ir_values {
  MlirValue *items;
  size_t n, cap;
};
/* Append a handle; release: free the array and leave {0}. */
void cul_ir_ops_add(struct cul_ir_ops *ops, MlirOperation op);
void cul_ir_ops_release(struct cul_ir_ops *ops);
void cul_ir_values_add(struct cul_ir_values *values, MlirValue value);
void cul_ir_values_release(struct cul_ir_values *values);
/* Their types; heap. */
MlirType *cul_ir_values_types(const struct cul_ir_values *values);

/* ---- operations and values, their places: ir.c, traits.c ---- */

/* The full name, borrowed from the context: "arith.addi". */
MlirStringRef cul_ir_name(MlirOperation op);
/* Is this its full name? */
bool cul_ir_is(MlirOperation op, const char *name);
/* Is its full name one of these? */
bool cul_ir_is_among(MlirOperation op, const char *const *names, size_t n);
/* Is op of this dialect, written with its dot: "arith."? */
bool cul_ir_is_of(MlirOperation op, const char *dialect);
/* Is op still inside the module? */
bool cul_ir_alive(const struct cul_ir *ir, MlirOperation op);
/* op itself, or the operation that cul_ir_rebuild has replaced it by. */
MlirOperation cul_ir_current(const struct cul_ir *ir, MlirOperation op);
/* Is op the terminator of its block?  (opaque: by names learnt) */
bool cul_ir_is_terminator(const struct cul_ir *ir, MlirOperation op);
/* May op, or operations inside it, become operations of dialect func?  A tool
 * with its own dialects may not know func (Triton does not); it is assumed to
 * if the input uses func or other upstream functions. */
bool cul_ir_may_be_func(const struct cul_ir *ir, MlirOperation op);
/* Do its regions use no value from outside?  True for functions, modules, and
 * names of a table; opaque: also by names learnt from the input. */
bool cul_ir_is_isolated(const struct cul_ir *ir, MlirOperation op);
/* Is op in the subtree of root (or root itself)? */
bool cul_ir_inside(MlirOperation op, MlirOperation root);
/* The member of a set that is op, or the nearest one around op; null: none.
 * set: maps its members to numbers other than 0. */
struct cul_map;
MlirOperation cul_ir_member_around(const struct cul_map *set, MlirOperation op);
/* Is value used by an operation that is neither a member nor inside one? */
bool cul_ir_used_outside(const struct cul_map *set, MlirValue value);

/* The operation around op; null: there is none. */
MlirOperation cul_ir_parent(MlirOperation op);
/* The operation of which value is a result; null: value is null, or an argument
 * of a block. */
MlirOperation cul_ir_defining_op(MlirValue value);
/* That of an operand, which may be missing. */
static inline MlirOperation cul_ir_maker(MlirOperation op, intptr_t operand) {
  return cul_ir_defining_op(cul_ir_operand(op, operand));
}
/* Is the value an argument of this block? */
bool cul_ir_is_argument_of(MlirValue value, MlirBlock block);
/* The block that contains the definition of value, or has it as an argument. */
MlirBlock cul_ir_defining_block(MlirValue value);
/* Is the value an operand of any operation? */
bool cul_ir_has_uses(MlirValue value);
/* The same for any result of op. */
bool cul_ir_has_result_uses(MlirOperation op);
/* Values used in the subtree of op, defined outside; first use first. */
void cul_ir_live_ins(MlirOperation op, struct cul_ir_values *out);

/* ---- attributes: attributes.c ---- */

/* Get an inherent or discardable attribute; null: there is none.  Works for
 * properties of unregistered operations. */
MlirAttribute cul_ir_get(MlirOperation op, const char *name);
/* Set an attribute: the inherent one of this name if op has it, else a
 * discardable one.  False: the operation does not accept this kind of
 * attribute, and keeps the old value. */
bool cul_ir_set(struct cul_ir *ir, MlirOperation op, const char *name,
                MlirAttribute attr);
/* The same for a string. */
bool cul_ir_set_string(struct cul_ir *ir, MlirOperation op, const char *name,
                       const char *text);
/* Remove a discardable attribute.  Inherent ones: cul_ir_rebuild. */
bool cul_ir_remove_discardable(MlirOperation op, const char *name);

/* All attributes of an operation, inherent ones first, each kind sorted by
 * name.  name: borrowed from the context. */
struct cul_ir_attr {
  MlirStringRef name;
  MlirAttribute attr;
  bool inherent;
};
struct cul_ir_attrs {
  struct cul_ir_attr *items;
  size_t n, cap;
};
/* out: {0}. */
void cul_ir_attrs(struct cul_ir *ir, MlirOperation op,
                  struct cul_ir_attrs *out);
/* Free what it owns; {0} is fine. */
void cul_ir_attrs_release(struct cul_ir_attrs *attrs);

/* Opaque only: do all operations of op's name have this attribute, in an input
 * that has several of them? */
bool cul_ir_is_common(const struct cul_ir *ir, MlirOperation op,
                      MlirStringRef name);
/* The number of entries of an array; 0: attr is null, or none. */
intptr_t cul_ir_array_size(MlirAttribute attr);

/* Copy op with everything inside it; the copy is in no block.  Properties of
 * unregistered operations are copied too. */
MlirOperation cul_ir_clone(MlirOperation op);

/* Rebuild attr with fn applied to every attribute inside it, innermost first:
 * elements of arrays and dictionaries; attr itself last.  fn returns its
 * argument or a replacement. */
typedef MlirAttribute cul_ir_attr_fn(struct cul_ir *ir, MlirAttribute attr,
                                     void *arg);
MlirAttribute cul_ir_attr_map(struct cul_ir *ir, MlirAttribute attr,
                              cul_ir_attr_fn *fn, void *arg);

/* The array or dictionary with entry number `at` replaced, or removed if with
 * is null; of a string, its word, which exists, can only be removed. */
MlirAttribute cul_ir_entry_with(struct cul_ir *ir, MlirAttribute array,
                                intptr_t at, MlirAttribute with);
/* The same for the results of a map. */
MlirAttribute cul_ir_map_with(struct cul_ir *ir, MlirAffineMap map, intptr_t at,
                              MlirAffineExpr with);
/* Word number k of a string attribute; words are separated by white space and
 * any of ",;|".  False: there is none. */
bool cul_ir_word(MlirAttribute string, size_t k, MlirStringRef *out);
/* Remove entry number `at` from a list attribute of op, with entries per
 * operand, result, case, ...: an array, numbers, a tensor or vector, the
 * results of an affine map, or the words of a string.  True also if op has no
 * such list. */
bool cul_ir_drop_entry(struct cul_ir *ir, MlirOperation op, const char *name,
                       size_t at);

/* ---- dominance: dom.c ---- */

/* May op use value: does its definition dominate op, with no isolated operation
 * between them? */
bool cul_ir_dominates(struct cul_ir *ir, MlirValue value, MlirOperation op);
/* Find a value of this type that op may use, never a result of op itself: block
 * arguments before results of earlier operations, both outermost level first,
 * in order.  avoid: not this value; may be null.  Null: there is none. */
MlirValue cul_ir_find_value(struct cul_ir *ir, MlirType type, MlirOperation op,
                            MlirValue avoid);

/* ---- constants: constants.c, literal.c ---- */

enum cul_ir_constant {
  CUL_IR_ZERO,   /* 0, 0.0, false, null pointer, splat of it, empty tensor */
  CUL_IR_ONE,    /* 1, 1.0, true, splat */
  CUL_IR_POISON, /* ub.poison: any type */
  /* builtin.unrealized_conversion_cast without operands: any type, any tool */
  CUL_IR_CAST,
};
/* Insert a constant before op, in a dialect that fits the place: that of
 * constants in the input (opaque), llvm.mlir.* in LLVM functions, else arith.
 * Null: the type has no such constant (memref). */
MlirValue cul_ir_constant(struct cul_ir *ir, MlirType type,
                          enum cul_ir_constant which, MlirOperation op);
/* The attribute of such a constant: 0 : i32, dense<0.0> : tensor<..>. */
MlirAttribute cul_ir_constant_attr(struct cul_ir *ir, MlirType type,
                                   enum cul_ir_constant which);
/* A literal with another type; null: it cannot have that type. */
MlirAttribute cul_ir_literal_as(struct cul_ir *ir, MlirAttribute old,
                                MlirType type);
/* Is op a constant of any dialect: no operands, one result, an attribute
 * "value"? */
bool cul_ir_is_constant(MlirOperation op);
/* Is op a constant that LLVM IR writes into the instructions that use it?  A
 * replacement by another value would not be simpler. */
bool cul_ir_is_free_constant(const struct cul_ir *ir, MlirOperation op);

/* Must values of this type be made by a constant (!tosa.shape)?  They are never
 * function arguments. */
bool cul_ir_is_constant_type(struct cul_ir *ir, MlirType type);

/* ---- uses: replacement.c, replacement.h ---- */

/* Replace all uses of old. */
void cul_ir_replace_uses(MlirValue old, MlirValue with);
/* The same for the uses in op and everything inside it. */
void cul_ir_replace_inside(MlirOperation op, MlirValue old, MlirValue with);
/* Replace each used result from CUL_IR_FROM_VALUES, then cul_ir_discard. */
bool cul_ir_erase(struct cul_ir *ir, MlirOperation op);

/* ---- removal: discard.c ---- */

/* Unlink op with everything inside it, and drop its operands.  False: its
 * results are used.  Discard a terminator only with its block. */
bool cul_ir_discard(struct cul_ir *ir, MlirOperation op);
/* The same for several operations, which may use each other's results. */
bool cul_ir_discard_all(struct cul_ir *ir, const struct cul_ir_ops *ops);
/* Discard op if it is dead, then the producers of its operands that became
 * dead, and so on.  Dead are unused operations without regions, with at least
 * one result, that are not terminators or symbols.  Returns the number of
 * discarded operations. */
size_t cul_ir_sweep(struct cul_ir *ir, MlirOperation op);
/* cul_ir_discard_all, then cul_ir_sweep for the producers of the operands. */
bool cul_ir_discard_sweep(struct cul_ir *ir, const struct cul_ir_ops *ops);
/* Unlink a block with its operations.  False: a terminator still names it, or
 * its values are used outside. */
bool cul_ir_discard_block(struct cul_ir *ir, MlirBlock block);
/* Keep the operations in whole with their contents, the operations around them,
 * the symbols that they reference directly or indirectly, and terminators;
 * discard the rest of the module. */
void cul_ir_prune(struct cul_ir *ir, const struct cul_ir_ops *whole);

/* ---- functions and calls: functions.c, calls.c ---- */

/* Is op a function: does it have a symbol name, function_type and one region?
 * func.func, llvm.func, gpu.func, spirv.func, tt.func, util.func ... */
bool cul_ir_is_function(MlirOperation op);
/* Does the function have a block, or is it a declaration? */
bool cul_ir_has_body(MlirOperation function);
/* Is it a kernel, which returns nothing? */
bool cul_ir_is_kernel(MlirOperation function);
/* Is op a function that is entered from outside? */
bool cul_ir_is_entry(const struct cul_ir *ir, MlirOperation op);
MlirBlock cul_ir_entry(MlirOperation function); /* null: declaration */
/* The innermost function around op; null: none, or another isolated operation
 * is between them. */
MlirOperation cul_ir_function_of(const struct cul_ir *ir, MlirOperation op);
/* Make end, a terminator of a function, return these values.  Returns end, or
 * its replacement: some dialects have different names for returns with and
 * without values.  Null: the context cannot make it. */
MlirOperation cul_ir_return_values(struct cul_ir *ir, MlirOperation end,
                                   const struct cul_ir_values *values);

struct cul_ir_signature {
  MlirType *inputs, *results;
  size_t n_inputs, n_results;
  bool llvm;     /* a !llvm.func<> type: at most 1 result */
  bool variadic; /* llvm only */
};
/* Read function_type; false: it is not understood. */
bool cul_ir_signature_get(struct cul_ir *ir, MlirOperation function,
                          struct cul_ir_signature *out);
/* Write function_type, also as the type of constants that name the function;
 * cut arg_attrs and res_attrs to as many entries, or fill them up with {}. */
bool cul_ir_signature_set(struct cul_ir *ir, MlirOperation function,
                          const struct cul_ir_signature *signature);
/* Free what it owns; {0} is fine. */
void cul_ir_signature_release(struct cul_ir_signature *signature);
/* May the function's type contain this type?  That of an llvm.func contains no
 * builtin index, tensor, memref, complex or function types. */
bool cul_ir_function_takes(MlirOperation function, MlirType type);

/* An operation that calls a function. */
struct cul_ir_call {
  MlirOperation op;
  size_t first, n_args; /* operands [first, first + n_args) are arguments */
  size_t segment;       /* entry of operandSegmentSizes, or SIZE_MAX */
};
/* All uses of the function's symbol as calls, also through a constant, in
 * pre-order of the uses; heap.  False: some use is not a call (its address is
 * taken, it is exported), so the signature must not change. */
bool cul_ir_function_calls(struct cul_ir *ir, MlirOperation function,
                           struct cul_ir_call **out, size_t *n);

/* Add an argument after the inputs of the function's body.  cul_ir_commit
 * changes the type and the calls, which pass a dominating value, zero, or a
 * cast.  Null: the function cannot change. */
MlirValue cul_ir_add_argument(struct cul_ir *ir, MlirOperation function,
                              MlirType type);
/* Complete the changes that cul_ir_add_argument began. */
void cul_ir_commit(struct cul_ir *ir);

/* ---- symbols: symbols.c ---- */

struct cul_ir_symbol {
  MlirOperation op;
  MlirStringRef name;
  MlirOperation table; /* the operation that contains it */
  uint32_t uses;       /* references to it, also from its own body */
};
struct cul_ir_symbol_use {
  MlirOperation user;
  uint32_t symbol; /* index into symbols, or UINT32_MAX: unresolved */
  /* the SymbolRefAttr, or the attribute with the reference in its text */
  MlirAttribute ref;
  MlirStringRef attr; /* name of the user's attribute with the reference */
};
struct cul_ir_symbols {
  struct cul_ir_symbol *items;    /* pre-order */
  struct cul_ir_symbol_use *uses; /* pre-order of users */
  size_t n, cap, n_uses, cap_uses;
};
/* List every symbol below root and every reference, at any depth of attributes
 * (also in types and in the text of opaque ones). */
void cul_ir_symbols(struct cul_ir *ir, MlirOperation root,
                    struct cul_ir_symbols *out);
/* Free what it owns; {0} is fine. */
void cul_ir_symbols_release(struct cul_ir_symbols *symbols);
/* The same for the whole module, remembered; borrowed until CUL_IR_SYMBOLS is
 * told.  Its operations may have been discarded or replaced since: use
 * cul_ir_current and cul_ir_alive. */
const struct cul_ir_symbols *cul_ir_all_symbols(struct cul_ir *ir);
/* Get sym_name; false: op is no symbol. */
bool cul_ir_symbol_name(MlirOperation op, MlirStringRef *out);
/* The symbol that a SymbolRefAttr in op's attributes names; null: none. */
MlirOperation cul_ir_resolve(struct cul_ir *ir, MlirOperation op,
                             MlirAttribute ref);
/* Replace old by name in the references in the attributes of root's subtree, as
 * the root or the leaf of a reference. */
void cul_ir_rename_uses(struct cul_ir *ir, MlirOperation root,
                        MlirStringRef old, MlirStringRef name);
/* Make references to the symbol op refer to name instead: all references in the
 * module if no other symbol has op's name, else those in the surrounding scope.
 * op's own name stays. */
void cul_ir_redirect_symbol(struct cul_ir *ir, MlirOperation op,
                            const char *name);
/* Does anything outside the symbol op refer to it or to a symbol in it? */
bool cul_ir_is_named_outside(struct cul_ir *ir, MlirOperation op);
/* A name that no symbol under table has: hint, hint_0, hint_1 ...; caller
 * frees. */
char *cul_ir_fresh_name(MlirOperation table, const char *hint);

/* ---- making operations, and their parts: rebuild.c, attributes.c, traits.c
 * ---- */

/* A new operation.  Attributes are set later with cul_ir_set; opaque: as
 * discardable ones, which every tool reads. */
struct cul_ir_new {
  const char *name;
  const MlirValue *operands;
  size_t n_operands;
  const MlirType *results;
  size_t n_results;
};
/* Make it before `before` (null: in no block).  Null: the context cannot. */
MlirOperation cul_ir_create(struct cul_ir *ir, const struct cul_ir_new *what,
                            MlirOperation before);

/* Changes of an operation; NULL or 0: none.  keep_*: one entry per part of the
 * old operation.  Segment sizes are adjusted. */
struct cul_ir_change {
  const char *name; /* another operation name */
  const bool *keep_operands, *keep_results, *keep_regions;
  const bool *keep_successors;
  const char *drop_attr;         /* one attribute, inherent or not */
  const char *const *drop_attrs; /* more; NULL ends */
  const MlirType *result_types;  /* of all old results */
  const MlirType *new_results;   /* after the old ones */
  size_t n_new_results;
};
/* Replace op by a new operation with its attributes, regions (moved) and kept
 * parts.  Kept results take over their uses; dropped ones must be unused.  op
 * is discarded.  Null: it cannot be done. */
MlirOperation cul_ir_rebuild(struct cul_ir *ir, MlirOperation op,
                             const struct cul_ir_change *change);
/* Keep only these operands in place; segment sizes are adjusted. */
bool cul_ir_keep_operands(struct cul_ir *ir, MlirOperation op,
                          const bool *keep);
/* The operands [*first, *first + *n) of one entry of operandSegmentSizes;
 * false: there is none. */
bool cul_ir_segment_range(MlirOperation op, size_t segment, size_t *first,
                          size_t *n);
/* The operands of op, then its results: their number, and number i. */
size_t cul_ir_n_values(MlirOperation op);
MlirValue cul_ir_value(MlirOperation op, size_t i);
/* The number of entries of operandSegmentSizes; 0: op has none. */
size_t cul_ir_n_segments(MlirOperation op);
/* The operands [*first, *first + *n) of a terminator that are passed to the
 * arguments of its successor number `successor`.  False: not known. */
bool cul_ir_successor_operands(const struct cul_ir *ir,
                               MlirOperation terminator, size_t successor,
                               size_t *first, size_t *n);
#endif
