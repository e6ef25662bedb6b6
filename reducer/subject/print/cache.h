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
 * before the edit (the reference): its names only tell which value is which.
 *
 * A printing (cache.c) first gives all values their names (numbering.c), then
 * writes the entries, row by row.  names.c asks the printer for names; holes.c
 * cuts a printed text into an entry; entry.c keeps entries up to date and
 * writes them; rows.c walks through blocks; touched.c and hash.c tell what an
 * edit changed. */
#ifndef CUL_REDUCER_SUBJECT_PRINT_CACHE_H
#define CUL_REDUCER_SUBJECT_PRINT_CACHE_H

#include "../ir/facts.h"
#include "../ir/private.h"
#include "print.h"

enum cul_hole_kind {
  CUL_HOLE_VALUE,  /* %3, %3#1 */
  CUL_HOLE_GROUP,  /* the same at its definition: without #0 */
  CUL_HOLE_BLOCK,  /* ^bb1 */
  CUL_HOLE_LINE,   /* a newline and the indentation */
  CUL_HOLE_REGION, /* { ... } */
  CUL_HOLE_DIALECT /* "arith.": left out where the region implies it */
};
struct cul_hole {
  uint32_t at, kind; /* at: offset in the text; kind: enum cul_hole_kind */
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

/* The base of a wished name. */
struct cul_base {
  uint64_t hash;
  char *text;
  size_t len;
};
#define CUL_BASE_NUMBER 0
#define CUL_BASE_ARGUMENT 1

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

/* The printer's counters; regions inside continue from those around them. */
struct cul_counts {
  uint64_t values, arguments, conflicts;
};

/* Names of values by the printer. */
struct cul_ref {
  MlirAsmState state;    /* null: no numbering yet */
  struct cul_map values; /* value -> its name: offset << 16 | length */
  struct cul_buf names;
};

/* The name of a value in this printing; {0}: none yet. */
struct cul_name {
  uint32_t base; /* 1 + base; with CUL_NAME_NUMBERED, _number follows */
  uint32_t number;
};
#define CUL_NAME_NUMBERED UINT32_C(0x80000000)

/* The dialect that the printer leaves out at the top level. */
#define CUL_PRINT_DIALECT ((struct cul_bytes){"builtin", 7})

/* One printing of a module with a cache. */
struct cul_print_pass {
  struct cul_ir *ir;
  struct cul_print_cache *cache;
  struct cul_ref ref; /* the reference */
  /* ref numbers this module, not the one before the edit */
  bool fresh;
  /* numbering of this module with regions; null until needed */
  MlirAsmState full;
  struct cul_ref *by;     /* source of names; NULL: own numbering */
  struct cul_map blocks;  /* block -> 1 + its number in the region */
  struct cul_name *names; /* by slot */
  size_t cap_names;
  struct cul_counts counts;
  struct cul_map used; /* hash of a name -> number of scopes with it */
  /* array of uint64_t: hashes of the names of all open scopes */
  struct cul_buf scope;
  struct cul_buf *out;
  struct cul_bytes dialect; /* dialect left out of names here */
  bool rows;                /* the rows may be used */
  bool failed;
};

/* ---- hashes: hash.c ---- */

/* Hash of everything that the operation's text depends on, except names. */
uint64_t cul_print_hash(const struct cul_ir *ir, MlirOperation op, bool whole);
/* Hash of all attributes, inherent ones included; 0: unknown. */
uint64_t cul_print_attributes(MlirOperation op);
/* The frame hash of an entry; 0: the entry cannot be rewired. */
uint64_t cul_print_frame(const struct cul_ir *ir, MlirOperation op,
                         const struct cul_entry *entry);
/* Does the printer of op print every region in full? */
bool cul_print_is_plain(const struct cul_ir *ir, MlirOperation op);
/* Did only the operands change?  They can then be put into the entry. */
bool cul_print_is_rewired(const struct cul_ir *ir, MlirOperation op,
                          const struct cul_entry *entry);

/* ---- rows: rows.c ---- */

struct cul_note;
/* Apply the notes to the rows of the cache. */
void cul_rows_edit(struct cul_ir *ir, const struct cul_note *notes, size_t n);
/* Do the rows, with the notes applied to them, describe the module as it is? */
bool cul_rows_hold(const struct cul_ir *ir);
/* Make new rows for all blocks inside root.  Entries of other operations get no
 * row. */
void cul_rows_renew(struct cul_rows *rows, struct cul_print_cache *cache,
                    MlirOperation root);
/* Set the entry of a row, borrowed; NULL: it has none now. */
void cul_row_fill(struct cul_row *row, struct cul_entry *entry);
/* Free the rows and leave {0}: they are out of date. */
void cul_rows_release(struct cul_rows *rows);

/* A walk through a block. */
struct cul_cursor {
  MlirBlock block;
  MlirOperation last;
  struct cul_row *at, *end;
  bool tail, walk;
};
/* Begin at the first operation; holds: the rows may be used. */
struct cul_cursor cul_rows_begin(const struct cul_rows *rows, bool holds,
                                 MlirBlock block);
/* The next operation; null: there are no more.  *row: its row, or NULL. */
MlirOperation cul_rows_next(struct cul_cursor *cursor, struct cul_row **row);

/* ---- names: names.c, numbering.c ---- */

/* Number everything in root, to print operations or only their headers; caller
 * releases out. */
void cul_ref_make(const struct cul_ir *ir, MlirOperation root, bool headers,
                  struct cul_ref *out);
/* Also frees the numbering. */
void cul_ref_release(struct cul_ref *ref);
/* The printer's name of value; borrowed until the next call. */
struct cul_bytes cul_ref_name(struct cul_ref *ref, MlirValue value);
/* Make the current module the reference. */
void cul_print_refer(struct cul_ir *ir, struct cul_print_cache *cache);

/* The index of a value's slot, old or new. */
uint32_t cul_print_slot(struct cul_print_cache *cache, MlirValue value);
/* Set the names that op wants for its values.  old: its former entry, or NULL.
 */
void cul_print_wish(struct cul_print_pass *p, MlirOperation op,
                    struct cul_entry *entry, const struct cul_entry *old);
/* Name the values in the regions of op, the last region first.  The order
 * matters in generic form, where no name is given twice. */
void cul_print_number(struct cul_print_pass *p, MlirOperation op);
/* Append the name of a value.  group: at the definition of its group.  A value
 * without a name makes the pass fail. */
void cul_print_name(struct cul_print_pass *p, uint32_t slot, bool group);

/* Write n in decimal at the end of room; returns where it starts. */
static inline size_t cul_print_digits(char room[20], uint64_t n) {
  size_t at = 20;
  do
    room[--at] = (char)('0' + n % 10);
  while (n /= 10);
  return at;
}
/* Append n in decimal. */
static inline void cul_print_decimal(struct cul_buf *out, uint64_t n) {
  char room[20];
  size_t at = cul_print_digits(room, n);
  cul_buf_add(out, room + at, sizeof room - at);
}
/* A hash of a name goes on with more text (FNV-1a), and is the key of a map. */
static inline uint64_t cul_hash_text(uint64_t hash, const char *text,
                                     size_t n) {
  for (size_t i = 0; i < n; i++)
    hash = (hash ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
  return hash;
}
/* The key of a map for such a hash; never NULL. */
static inline const void *cul_hash_key(uint64_t hash) {
  return (const void *)(uintptr_t)(hash | 1);
}

/* ---- entries: entry.c, holes.c ---- */

/* The up-to-date entry of op; borrowed from the cache until the next call for
 * op. */
struct cul_entry *cul_print_entry(struct cul_print_pass *p, MlirOperation op);
/* Append op, indented by `indent` columns. */
void cul_print_emit(struct cul_print_pass *p, MlirOperation op,
                    struct cul_entry *entry, unsigned indent);
/* Set the text and the holes of an entry, whose dialect is set, from what the
 * printer wrote for op with the reference; false, and nothing is set: it cannot
 * be cut. */
bool cul_print_cut(struct cul_print_pass *p, MlirOperation op,
                   struct cul_buf *text, struct cul_entry *entry);
void cul_entry_free(struct cul_entry *entry); /* NULL is fine */

#endif
