/* Declarations that only the files of this subject kind share: subject/ir,
 * edit, mlir, print. */
#ifndef CUL_REDUCER_SUBJECT_IR_PRIVATE_H
#define CUL_REDUCER_SUBJECT_IR_PRIVATE_H

#include "compat.h"
#include "ir.h"
#include "map.h"

struct cul_ir_memo {
  struct cul_map texts;    /* type or attribute -> char * */
  struct cul_map symbolic; /* attribute -> how it may name symbols (ir.c) */
  struct cul_map replaced; /* operation -> the one that replaced it */
  MlirBlock grave;         /* see ../edit/edit.c */
  /* for printing one operation without numbering the module again */
  MlirAsmState state;
  /* a cache was made, and its text differed from the printer's */
  bool no_print_cache;
};
/* Heap; freed when the subject is closed. */
struct cul_ir_memo *cul_ir_memo_new(struct cul_ir *ir);

/* Learn facts about operation names when the subject is opened; heap. */
struct cul_ir_facts *cul_ir_facts_learn(struct cul_ir *ir);
void cul_ir_facts_free(struct cul_ir_facts *facts);
bool cul_ir_facts_terminator(const struct cul_ir_facts *facts,
                             MlirOperation op);
bool cul_ir_facts_isolated(const struct cul_ir_facts *facts, MlirOperation op);
/* The name of an operation of the input that is a constant with a value
 * attribute of this class of type; NULL: none. */
enum cul_ir_class { CUL_IR_SCALAR, CUL_IR_VECTOR, CUL_IR_TENSOR };
#define CUL_IR_N_CLASSES 3
const char *cul_ir_facts_constant(const struct cul_ir_facts *facts,
                                  enum cul_ir_class class);
/* Check one subtree of an opaque module; false: invalid, and why gets the first
 * reason. */
bool cul_ir_check_tree(struct cul_ir *ir, MlirOperation root, char *why,
                       size_t n);

/* Keep the text of every operation (../print/cache.h), or, if it is kept
 * already, make the current module the base for the next edits.  Does nothing
 * if the cache's text would differ from the printer's. */
void cul_print_cache_keep(struct cul_ir *ir);
/* List the operations to verify after an edit: those directly in functions that
 * were changed, themselves or inside.  False: everything must be verified. The
 * next print uses the states set here, so the module must not be changed before
 * it. */
bool cul_print_cache_touched(struct cul_ir *ir, struct cul_ir_ops *out);
/* The number of operations of the module, root included. */
size_t cul_print_cache_count(const struct cul_ir *ir);
/* Append the printed module; false: it cannot be printed, and nothing was
 * appended. */
bool cul_print_cache_print(struct cul_ir *ir, struct cul_buf *out);

/* cul_subject_kind.origins. */
void cul_ir_origins(struct cul_subject *subject, struct cul_buf *out);
/* The location for an operation that is made for the sake of op. */
MlirLocation cul_ir_made_for(struct cul_ir *ir, MlirOperation op);
/* like.c */
struct cul_like cul_ir_like(struct cul_subject *subject, void *place);

/* Append `more` entries {} to the attribute arg_attrs (name), if op has it. */
bool cul_ir_add_entry_attrs(struct cul_ir *ir, MlirOperation op,
                            const char *name, size_t more);

/* Wrap types that an opaque context cannot represent; cul_ir_unmangle undoes
 * this (mangle.c). */
void cul_ir_mangle(struct cul_bytes text, struct cul_buf *out);
/* The position of the first of four characters from `at` on, or the end of the
 * text. */
static inline size_t cul_ir_plain_end(struct cul_bytes text, size_t at,
                                      const char marks[4]) {
  const char a = marks[0], b = marks[1], c = marks[2], d = marks[3];
  for (; at < text.len; at++) {
    char here = text.data[at];
    if (here == a || here == b || here == c || here == d)
      break;
  }
  return at;
}

/* Append the text with all aliases of attributes and types expanded
 * (../mlir/alias.c). */
void cul_ir_expand_aliases(struct cul_bytes text, struct cul_buf *out);

/* The {-# #-} section (../mlir/resources.c).  cut: append the text without the
 * section to rest, with all line numbers kept, and the section to section.
 * add: append the section's entries that the text names to the text. */
void cul_ir_resources_cut(struct cul_bytes text, struct cul_buf *rest,
                          struct cul_buf *section);
void cul_ir_resources_add(struct cul_bytes section, struct cul_buf *text);

#endif
