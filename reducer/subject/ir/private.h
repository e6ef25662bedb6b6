/* What the files of this folder share of a module besides ir.h: its memo, and
 * lists of operands and attributes.  Private to subject/. */
#ifndef CUL_REDUCER_SUBJECT_IR_PRIVATE_H
#define CUL_REDUCER_SUBJECT_IR_PRIVATE_H

#include "compat.h"
#include "ir.h"
#include "map.h"

struct cul_ir_memo {
  struct cul_map texts;    /* type or attribute -> char * */
  struct cul_map symbolic; /* attribute -> how it may name symbols */
  struct cul_map replaced; /* operation -> the one that replaced it */
  MlirBlock grave;         /* see discard.c */
  /* for printing one operation without numbering the module again */
  MlirAsmState state;
  /* a cache was made, and its text differed from the printer's */
  bool no_print_cache;
};
/* Heap; freed when the subject is closed. */
struct cul_ir_memo *cul_ir_memo_new(struct cul_ir *ir);

/* Cut an array attribute of op, such as arg_attrs, to n entries, or fill it up
 * with {}. */
void cul_ir_fit_entries(struct cul_ir *ir, MlirOperation op, const char *name,
                        size_t n);
/* Insert operands into op's list at position `at`; segment: the entry of
 * operandSegmentSizes that grows, or SIZE_MAX.  False: op has no such entry, or
 * needs one. */
bool cul_ir_insert_operands(struct cul_ir *ir, MlirOperation op, size_t at,
                            size_t segment, const MlirValue *values, size_t n);

#endif
