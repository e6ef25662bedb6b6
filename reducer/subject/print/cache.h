/* The text of every operation, kept from revision to revision, so that a
 * candidate prints only what an edit changed.
 *
 * An entry is the printed operation with holes: names of values and blocks,
 * ends of lines, and regions.  Values are numbered anew each time, by the rules
 * of the printer (names.c), so what is put together is exactly what the
 * printer would have printed, in local scope.  An entry holds as long as the
 * operation's hash is the same.  Where an operation's printer shows its regions
 * in a way of its own, the entry is the text with all inside it.  When a cache
 * is made it is compared with the printer; where they differ there is none.
 *
 * A changed operation is printed with the printer's numbering of the revision
 * before the edit (the reference): its names only say which value is which. */
#ifndef CUL_REDUCER_SUBJECT_PRINT_CACHE_H
#define CUL_REDUCER_SUBJECT_PRINT_CACHE_H

#include "../ir/facts.h"
#include "../ir/private.h"

struct cul_hole {
  uint32_t at, kind; /* at: where in the text it stands */
  const void *what;  /* block */
  uint32_t slot;     /* of the value */
  uint32_t operand;  /* that it is; UINT32_MAX: another value */
};

/* What an operation wants the values of one group of results, or one argument
 * of its regions, to be called; base 0: a number. */
struct cul_wish {
  uint32_t slot, base, region;
};

/* Known since the check: the operation is as it was, has other operands and
 * is else as it was, is changed. */
enum cul_entry_state { CUL_ENTRY_SAME, CUL_ENTRY_REWIRED, CUL_ENTRY_CHANGED };

struct cul_entry {
  uint64_t hash;
  uint64_t frame;          /* hash of all but which operands; 0: unknown */
  uint64_t attributes;     /* hash of these; 0: unknown */
  uint32_t row;            /* 1 + that of op; 0: it has none */
  uint64_t order;          /* ascending within a block */
  const void *block;       /* that it stands in */
  uint32_t blocks, inside; /* of all regions; operations in these blocks */
  struct cul_bytes text;
  struct cul_bytes dialect; /* "arith", where that may be left out */
  struct cul_hole *holes;
  size_t n_holes;
  struct cul_wish *wishes; /* of results, then of arguments */
  uint32_t n_results, n_arguments;
  uint32_t shown_labels; /* per region (bit): ^bb0(...): is printed */
  uint32_t no_labels;    /* per region (bit): there was none to print */
  uint32_t hidden_ends;  /* per region (bit): the terminator is not */
  uint32_t own_dialect;  /* per region (bit): that of op is left out in it */
  bool whole;            /* regions are in the text */
  bool heavy;            /* text too long to keep: made each time */
  bool fleeting;         /* cannot be cut: printed each time */
  bool symbols;          /* it may name some */
  bool rigid;            /* an operand is there twice: cannot be rewired */
  enum cul_entry_state state;
};

/* The operations of each block in order, as they were when the cache was last
 * right, and what is asked of each in turn: going through them touches neither
 * the operations nor a map.  Notes (ir/edits.h) say where that is not so. */
struct cul_row {
  MlirOperation op;
  struct cul_entry *entry; /* NULL: none yet */
  struct cul_wish wish;    /* the first */
  uint8_t n_results;       /* that are wished for; 2: two and more */
  bool regions;            /* it has some */
  bool whole;              /* they are in the text */
  bool changed;            /* entry is to be looked at */
  bool gone;               /* it stands here no more */
  bool meets;              /* others stand before it that have no row here */
};
struct cul_span {
  uint32_t first, n; /* of rows */
  bool tail;         /* operations without a row stand at the end */
  bool walk;         /* the rows are of no use */
};
struct cul_rows {
  struct cul_row *items;
  size_t n, cap;
  struct cul_span *spans; /* per block */
  size_t n_spans, cap_spans;
  struct cul_map span_of; /* block -> 1 + number */
  size_t holds;           /* 1 + how many notes are in the rows; 0: no use */
};

/* A value: the first of its group of results, and its number in that. */
struct cul_slot {
  uint32_t head, number; /* number: UINT32_MAX where the group has one */
};

struct cul_print_cache {
  struct cul_map entries; /* operation -> struct cul_entry * */
  struct cul_map slots;   /* value -> 1 + index into slot */
  struct cul_slot *slot;
  size_t n_slots, cap_slots;
  struct cul_map base_of; /* hash -> index into bases */
  struct cul_base *bases; /* the first: none, and "arg" */
  size_t n_bases, cap_bases;
  MlirAsmState ref;      /* the reference, for headers; null: none now */
  MlirAsmState before;   /* to be freed: not by a child that ends soon */
  struct cul_map blocks; /* block -> 1 + its number in the reference */
  struct cul_rows rows;
  size_t length; /* of the text when it was made */
  bool recycled; /* entries may be of operations freed since */
  bool looked;   /* the check set all states; until printed */
};

/* A wished name. */
struct cul_base {
  uint64_t hash;
  char *text;
  size_t len;
};

/* What the printer counts; regions inside go on from where theirs ended. */
struct cul_counts {
  uint64_t values, arguments, conflicts;
};

/* Hash of all that the operation's text depends on but names. */
uint64_t cul_print_hash(const struct cul_ir *ir, MlirOperation op, bool whole);
/* Hash of its attributes, inherent ones too; 0: unknown. */
uint64_t cul_print_attributes(MlirOperation op);
/* Are the operands all that changed?  They can be put into the entry. */
bool cul_print_is_rewired(const struct cul_ir *ir, MlirOperation op,
                          const struct cul_entry *entry);

struct cul_note;
/* Bring the edits into the rows of the cache. */
void cul_rows_edit(struct cul_ir *ir, const struct cul_note *notes, size_t n);

#endif
