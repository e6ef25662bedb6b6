/* Shared by the mlir_*.c files and nobody else. */
#ifndef CUL_REDUCER_SUBJECT_IR_PRIVATE_H
#define CUL_REDUCER_SUBJECT_IR_PRIVATE_H

#include "compat.h"
#include "ir.h"
#include "map.h"

struct cul_ir_memo {
  struct cul_map texts;    /* type or attribute -> char * */
  struct cul_map symbolic; /* attribute -> 1 + does it name symbols? */
  struct cul_map replaced; /* operation -> the one that took its place */
  MlirBlock grave;         /* see erase.c */
  MlirAsmState state;      /* prints one operation without numbering anew */
  bool no_print_cache;     /* one was tried, and was not what is printed */
};
/* Heap; goes when the subject is closed. */
struct cul_ir_memo *cul_ir_memo_new(struct cul_ir *ir);

/* What was learnt of operation names when the subject was opened. */
struct cul_ir_facts *cul_ir_facts_learn(struct cul_ir *ir);
void cul_ir_facts_free(struct cul_ir_facts *facts);
bool cul_ir_facts_terminator(const struct cul_ir_facts *facts,
                             MlirOperation op);
bool cul_ir_facts_isolated(const struct cul_ir_facts *facts, MlirOperation op);
/* Name of the constant operation seen in the input with a value attribute of
 * this class of type, NULL: none. */
enum cul_ir_class { CUL_IR_SCALAR, CUL_IR_VECTOR, CUL_IR_TENSOR };
#define CUL_IR_N_CLASSES 3
const char *cul_ir_facts_constant(const struct cul_ir_facts *facts,
                                  enum cul_ir_class class);
/* The opaque check of one subtree; false: why has the first reason. */
bool cul_ir_check_tree(struct cul_ir *ir, MlirOperation root, char *why,
                       size_t n);

/* Keep the text of every operation (cache.h), or, where it is kept, take
 * the module as it is for what the next edits change; without effect where that
 * does not give what the printer gives. */
void cul_print_cache_keep(struct cul_ir *ir);
/* What must be verified: operations directly in functions that an edit changed
 * or changed something in.  False: all must be.  Until the next print, which
 * relies on it, nothing may change. */
bool cul_print_cache_touched(struct cul_ir *ir, struct cul_ir_ops *out);
/* Operations of the module, root included. */
size_t cul_print_cache_count(const struct cul_ir *ir);
/* Append the module; false: it cannot, and nothing was appended. */
bool cul_print_cache_print(struct cul_ir *ir, struct cul_buf *out);

/* The origins of struct cul_subject_kind. */
void cul_ir_origins(struct cul_subject *subject, struct cul_buf *out);
/* The location of what is made for the sake of op, in front of it. */
MlirLocation cul_ir_made_for(struct cul_ir *ir, MlirOperation op);
/* like.c */
struct cul_like cul_ir_like(struct cul_subject *subject, void *place);
/* Null: empty. */
MlirOperation cul_ir_last_op(MlirBlock block);

/* Append `more` entries {} to arg_attrs (name) where op has it. */
bool cul_ir_add_entry_attrs(struct cul_ir *ir, MlirOperation op,
                            const char *name, size_t more);

/* Wrap what an opaque context cannot hold; the way back is cul_ir_unmangle
 * (mangle.c). */
void cul_ir_mangle(struct cul_bytes text, struct cul_buf *out);

/* Text without aliases of attributes and types (alias.c). */
void cul_ir_expand_aliases(struct cul_bytes text, struct cul_buf *out);

/* The {-# #-} section (resources.c).  cut: text without it, every line
 * kept in place, section into out.  add: section with only what text names. */
void cul_ir_resources_cut(struct cul_bytes text, struct cul_buf *rest,
                          struct cul_buf *section);
void cul_ir_resources_add(struct cul_bytes section, struct cul_buf *text);

#endif
