/* A cache of the text of every operation, kept from revision to revision, so
 * that printing a candidate prints only what an edit changed.
 *
 * An entry is the printed operation with holes for names of values and blocks,
 * ends of lines, and regions.  Values are numbered anew for each printing, by
 * the rules of MLIR's printer, so the combined text is exactly what the printer
 * would print in local scope.  An entry is valid as long as the operation's
 * hash is the same.  If an operation's printer shows its regions in its own
 * way, the entry is the text with everything inside.  A new cache is compared
 * with the printer; where they differ, no cache is used.
 *
 * A changed operation is printed with the printer's numbering of the revision
 * before the edit (the reference): its names only tell which value is which. */
#ifndef CUL_REDUCER_SUBJECT_PRINT_CACHE_H
#define CUL_REDUCER_SUBJECT_PRINT_CACHE_H

#include "../ir/facts.h"
#include "../ir/private.h"

struct cul_hole {
  uint32_t at, kind; /* at: offset in the text */
  const void *what;  /* the value or the block */
  uint32_t slot;     /* of a value */
  uint32_t operand;  /* its operand number; UINT32_MAX: no operand */
};

/* The name that an operation wants for the values of a group of results, or for
 * an argument of its regions; base 0: a number. */
struct cul_wish {
  uint32_t slot, base, region;
};

/* Set by cul_print_cache_touched: the operation is the same, has only other
 * operands, or is changed otherwise. */
enum cul_entry_state { CUL_ENTRY_SAME, CUL_ENTRY_REWIRED, CUL_ENTRY_CHANGED };

struct cul_entry {
  uint64_t hash;
  /* hash of everything except which values the operands are; 0: unknown */
  uint64_t frame;
  uint64_t attributes; /* hash of the attributes; 0: unknown */
  uint32_t row;        /* 1 + row of op; 0: it has none */
  uint64_t order;      /* ascending within a block */
  const void *block;   /* the block that contains op */
  /* number of blocks in all regions, and of operations directly in these */
  uint32_t blocks, inside;
  struct cul_bytes text;
  struct cul_bytes dialect; /* "arith", if the printer may leave it out */
  struct cul_hole *holes;
  size_t n_holes;
  struct cul_wish *wishes; /* of results, then of arguments */
  uint32_t n_results, n_arguments;
  uint32_t shown_labels; /* per region (bit): ^bb0(...): is printed */
  uint32_t no_labels;    /* per region (bit): there was no label to print */
  uint32_t hidden_ends;  /* per region (bit): the terminator is not printed */
  uint32_t own_dialect;  /* per region (bit): op's dialect is left out in it */
  bool whole;            /* the text contains the regions */
  bool heavy;            /* the text is too long to keep: printed each time */
  /* the text cannot be cut into holes: printed each time */
  bool fleeting;
  bool symbols; /* op may reference symbols */
  /* two operands are the same value: cannot be rewired */
  bool rigid;
  enum cul_entry_state state;
};

/* Rows: the operations of each block, in the order that they had when the cache
 * was last correct, with the data that each printing needs, so that a walk
 * reads neither the operations nor a map.  cul_rows_edit marks the places where
 * the module has changed since (ir/edits.h). */
struct cul_row {
  MlirOperation op;
  struct cul_entry *entry; /* NULL: none yet */
  struct cul_wish wish;    /* the first wish */
  uint8_t n_results;       /* results with wishes; 2: two or more */
  bool regions;            /* op has regions */
  bool whole;              /* the entry's text contains them */
  bool changed;            /* entry may be out of date */
  bool gone;               /* op is no longer here */
  bool meets;              /* operations without a row may be just before it */
};
struct cul_span {
  uint32_t first, n; /* range of rows */
  bool tail;         /* operations without a row are at the end */
  bool walk;         /* the rows are incomplete: walk the block */
};
struct cul_rows {
  struct cul_row *items;
  size_t n, cap;
  struct cul_span *spans; /* by number of the block */
  size_t n_spans, cap_spans;
  struct cul_map span_of; /* block -> 1 + number */
  /* 1 + number of notes applied to the rows; 0: they are out of date */
  size_t holds;
};

/* A value: the first of its group of results, and its number in the group. */
struct cul_slot {
  uint32_t head, number; /* number: UINT32_MAX if the group has one value */
};

struct cul_print_cache {
  struct cul_map entries; /* operation -> struct cul_entry * */
  struct cul_map slots;   /* value -> 1 + index into slot */
  struct cul_slot *slot;
  size_t n_slots, cap_slots;
  struct cul_map base_of; /* hash -> index into bases */
  struct cul_base *bases; /* the first two: no name, and "arg" */
  size_t n_bases, cap_bases;
  MlirAsmState ref;      /* the reference, for headers; null: none */
  MlirAsmState before;   /* the reference before ref; a child never frees it */
  struct cul_map blocks; /* block -> 1 + its number in the reference */
  struct cul_rows rows;
  size_t length; /* of the text when the cache was made */
  bool recycled; /* entries may belong to operations that were freed */
  bool looked;   /* all states are set; until the next print */
};

/* The base of a wished name. */
struct cul_base {
  uint64_t hash;
  char *text;
  size_t len;
};

/* The printer's counters; regions inside continue from those around them. */
struct cul_counts {
  uint64_t values, arguments, conflicts;
};

/* Hash of everything that the operation's text depends on, except names. */
uint64_t cul_print_hash(const struct cul_ir *ir, MlirOperation op, bool whole);
/* Hash of all attributes, inherent ones included; 0: unknown. */
uint64_t cul_print_attributes(MlirOperation op);
/* Did only the operands change?  They can then be put into the entry. */
bool cul_print_is_rewired(const struct cul_ir *ir, MlirOperation op,
                          const struct cul_entry *entry);

struct cul_note;
/* Apply the notes to the rows of the cache. */
void cul_rows_edit(struct cul_ir *ir, const struct cul_note *notes, size_t n);

#endif
