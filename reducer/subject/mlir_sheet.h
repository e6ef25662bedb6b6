/* The text of every operation, kept from revision to revision, so that a
 * candidate prints only what an edit changed.
 *
 * An entry is the printed operation with holes: names of values and blocks,
 * ends of lines, and regions.  Names are asked of a fresh numbering each time,
 * so what is put together is exactly what the printer would have printed, in
 * local scope.  An entry holds as long as the operation's hash is the same.
 * Where an operation's printer shows its regions in a way of its own, the
 * entry is the text with all inside it.  When a sheet is made it is compared
 * with the printer; where they differ there is none. */
#ifndef CUL_REDUCER_SUBJECT_MLIR_SHEET_H
#define CUL_REDUCER_SUBJECT_MLIR_SHEET_H

#include "mlir_facts.h"
#include "mlir_private.h"

enum cul_hole_kind {
  CUL_HOLE_VALUE,  /* %3, %3#1 */
  CUL_HOLE_GROUP,  /* the same where it is defined: without #0 */
  CUL_HOLE_BLOCK,  /* ^bb1 */
  CUL_HOLE_LINE,   /* a new line, indented */
  CUL_HOLE_REGION, /* { ... } */
  CUL_HOLE_DIALECT /* "arith.": left out where the region says so */
};

struct cul_hole {
  uint32_t at, kind; /* at: where in the text it stands */
  const void *what;  /* value or block */
};

struct cul_entry {
  uint64_t hash;
  uint64_t order;          /* ascending within a block */
  const void *block;       /* that it stands in */
  uint32_t blocks, inside; /* of all regions; operations in these blocks */
  struct cul_bytes text;
  struct cul_hole *holes;
  size_t n_holes;
  uint32_t shown_labels; /* per region (bit): ^bb0(...): is printed */
  uint32_t hidden_ends;  /* per region (bit): the terminator is not */
  uint32_t own_dialect;  /* per region (bit): that of op is left out in it */
  bool whole;            /* regions are in the text */
  bool fleeting;         /* cannot be kept: printed each time */
};

struct cul_ir_sheet {
  struct cul_map entries; /* operation -> struct cul_entry * */
};

/* One printing of a module with a sheet. */
struct cul_sheet_print {
  struct cul_ir *ir;
  struct cul_ir_sheet *sheet;
  MlirAsmState state;    /* the numbering */
  MlirAsmState headers;  /* the same, regions left out; null until needed */
  struct cul_map values; /* value -> its name: offset << 16 | length */
  struct cul_map blocks; /* block -> 1 + its number in the region */
  struct cul_buf names;
  struct cul_buf *out;
  struct cul_bytes dialect; /* what names leave out here */
  bool failed;
};

/* Hash of all that the operation's text depends on but names. */
uint64_t cul_sheet_hash(const struct cul_ir *ir, MlirOperation op, bool whole);
/* Note where all operations stand, root included. */
void cul_sheet_place(struct cul_ir_sheet *sheet, MlirOperation root);
/* A new entry for op; its children have theirs.  old: may be NULL. */
struct cul_entry *cul_sheet_make(struct cul_sheet_print *p, MlirOperation op,
                                 const struct cul_entry *old);
/* Append op as it stands `indent` columns in. */
void cul_sheet_emit(struct cul_sheet_print *p, MlirOperation op,
                    unsigned indent);
void cul_sheet_emit_entry(struct cul_sheet_print *p, MlirOperation op,
                          const struct cul_entry *entry, unsigned indent);
/* Does entry, put together, give text?  Sets how regions are shown. */
bool cul_sheet_fit(struct cul_sheet_print *p, MlirOperation op,
                   struct cul_entry *entry, struct cul_bytes text);
/* Borrowed until the next name. */
struct cul_bytes cul_sheet_name(struct cul_sheet_print *p, MlirValue value);

/* "arith" of arith.addi, where that may be left out; else empty. */
struct cul_bytes cul_sheet_dialect(MlirOperation op);

MlirAsmState cul_sheet_number(struct cul_ir *ir, bool skip_regions);

#endif
