/* Printing with a cache: see cache.h. */
#include "cache.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../ir/edits.h"
#include "../ir/facts.h"
#include "../ir/private.h"

enum cul_hole_kind {
  CUL_HOLE_VALUE,  /* %3, %3#1 */
  CUL_HOLE_GROUP,  /* the same at its definition: without #0 */
  CUL_HOLE_BLOCK,  /* ^bb1 */
  CUL_HOLE_LINE,   /* a newline and the indentation */
  CUL_HOLE_REGION, /* { ... } */
  CUL_HOLE_DIALECT /* "arith.": left out where the region implies it */
};
#define CUL_BASE_NUMBER 0
#define CUL_BASE_ARGUMENT 1

/* Names of values by the printer. */
struct cul_ref {
  MlirAsmState state;
  struct cul_map values; /* value -> its name: offset << 16 | length */
  struct cul_buf names;
};

/* The name of a value in this printing; {0}: none yet. */
struct cul_name {
  uint32_t base; /* 1 + base; with CUL_NAME_NUMBERED, _number follows */
  uint32_t number;
};
#define CUL_NAME_NUMBERED UINT32_C(0x80000000)

static void rows_release(struct cul_rows *rows);
struct cul_print_pass;
static void print_number(struct cul_print_pass *p, MlirOperation op);
static struct cul_entry *print_entry(struct cul_print_pass *p,
                                     MlirOperation op);
static void print_rewire(struct cul_print_pass *p, MlirOperation op,
                         struct cul_entry *entry);
static struct cul_entry *print_make(struct cul_print_pass *p, MlirOperation op,
                                    const struct cul_entry *old);

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

struct cul_cursor {
  MlirBlock block;
  MlirOperation last;
  struct cul_row *at, *end;
  bool tail, walk;
};

/* ---- rows ---- */

/* ---- laying ---- */

/* Set the entry of a row. */
static void row_fill(struct cul_row *row, struct cul_entry *entry) {
  row->entry = entry;
  row->changed = !entry || entry->state != CUL_ENTRY_SAME;
  if (!entry)
    return;
  row->whole = entry->whole;
  row->n_results = entry->n_results > 1 ? 2 : (uint8_t)entry->n_results;
  if (entry->n_results)
    row->wish = entry->wishes[0];
}

static void add_row(struct cul_rows *rows, struct cul_print_cache *cache,
                    MlirOperation op) {
  struct cul_entry *entry = cul_map_get_ptr(&cache->entries, op.ptr);
  struct cul_row *row;
  rows->items =
      cul_xgrow(rows->items, rows->n, &rows->cap, sizeof *rows->items);
  row = &rows->items[rows->n++];
  *row =
      (struct cul_row){.op = op, .regions = mlirOperationGetNumRegions(op) > 0};
  row_fill(row, entry);
  if (entry)
    entry->row = (uint32_t)rows->n;
}

static void lay(struct cul_rows *rows, struct cul_print_cache *cache,
                MlirOperation root);

static void lay_block(struct cul_rows *rows, struct cul_print_cache *cache,
                      MlirBlock block) {
  struct cul_span span = {.first = (uint32_t)rows->n};
  CUL_IR_EACH_OP(op, block) add_row(rows, cache, op);
  span.n = (uint32_t)rows->n - span.first;
  rows->spans = cul_xgrow(rows->spans, rows->n_spans, &rows->cap_spans,
                          sizeof *rows->spans);
  rows->spans[rows->n_spans++] = span;
  cul_map_put(&rows->span_of, block.ptr, rows->n_spans);
  for (uint32_t i = span.first; i < span.first + span.n; i++)
    if (rows->items[i].regions)
      lay(rows, cache, rows->items[i].op);
}

static void lay(struct cul_rows *rows, struct cul_print_cache *cache,
                MlirOperation root) {
  CUL_IR_EACH_BLOCK_OF(block, root) lay_block(rows, cache, block);
}

/* Make new rows for all blocks inside root.  Entries of other operations get no
 * row. */
static void rows_renew(struct cul_rows *rows, struct cul_print_cache *cache,
                       MlirOperation root) {
  for (size_t i = 0; i < cache->entries.cap; i++) {
    const void *op = cache->entries.slots[i].key;
    struct cul_entry *entry = cul_map_get_ptr(&cache->entries, op);
    if (entry)
      entry->row = 0;
  }
  rows_release(rows);
  lay(rows, cache, root);
}

static void rows_release(struct cul_rows *rows) {
  free(rows->items);
  free(rows->spans);
  cul_map_release(&rows->span_of);
  memset(rows, 0, sizeof *rows);
}

/* ---- edits ---- */

static struct cul_span *span_of(const struct cul_rows *rows, MlirBlock block) {
  const uint64_t *known = cul_map_get(&rows->span_of, block.ptr);
  return known ? &rows->spans[*known - 1] : NULL;
}

/* The row of op; NULL: it has none. */
static struct cul_row *row_of(const struct cul_print_cache *cache,
                              MlirOperation op) {
  const struct cul_entry *entry = cul_map_get_ptr(&cache->entries, op.ptr);
  struct cul_row *row;
  if (!entry || !entry->row)
    return NULL;
  row = &cache->rows.items[entry->row - 1];
  return row->op.ptr == op.ptr ? row : NULL;
}

static bool is_in(const struct cul_rows *rows, const struct cul_span *span,
                  const struct cul_row *row) {
  size_t at = (size_t)(row - rows->items);
  return at >= span->first && at - span->first < span->n;
}

static void leave(struct cul_print_cache *cache, const struct cul_note *note) {
  struct cul_span *span = span_of(&cache->rows, note->block);
  struct cul_row *row = row_of(cache, note->op);
  if (row)
    row->gone = true;
  else if (span)
    span->walk = true;
}

/* Mark the next row after op, so that the walk through the rows consults the
 * block there. */
static void arrive(struct cul_print_cache *cache, MlirOperation op) {
  struct cul_span *span = span_of(&cache->rows, mlirOperationGetBlock(op));
  if (!span)
    return;
  while ((op = mlirOperationGetNextInBlock(op)).ptr) {
    struct cul_row *row = row_of(cache, op);
    if (!row || row->gone || !is_in(&cache->rows, span, row))
      continue;
    row->meets = true;
    return;
  }
  span->tail = true;
}

void cul_rows_edit(struct cul_ir *ir, const struct cul_note *notes, size_t n) {
  struct cul_print_cache *cache = ir->prints;
  for (size_t i = 0; i < n; i++)
    if (notes[i].kind == CUL_NOTE_LEFT)
      leave(cache, &notes[i]);
  for (size_t i = 0; i < n; i++)
    if (notes[i].kind == CUL_NOTE_PLACED && cul_ir_alive(ir, notes[i].op))
      arrive(cache, notes[i].op);
  cache->rows.holds = 1 + n;
}

/* Do the rows, with the notes applied to them, describe the module as it is? */
static bool rows_hold(const struct cul_ir *ir) {
  const struct cul_note *notes;
  size_t n;
  return ir->prints && ir->prints->rows.holds &&
         cul_notes_get(ir->context, &notes, &n) &&
         ir->prints->rows.holds == 1 + n;
}

/* ---- going through a block ---- */

/* Walk through a block, by its rows if they may be used. */
static struct cul_cursor rows_begin(const struct cul_rows *rows, bool holds,
                                    MlirBlock block) {
  const struct cul_span *span = holds ? span_of(rows, block) : NULL;
  struct cul_cursor cursor = {.block = block};
  if (!span || span->walk) {
    cursor.walk = true;
    return cursor;
  }
  cursor.at = rows->items + span->first;
  cursor.end = cursor.at + span->n;
  cursor.tail = span->tail;
  return cursor;
}

static MlirOperation step(struct cul_cursor *cursor) {
  cursor->last = cursor->last.ptr ? mlirOperationGetNextInBlock(cursor->last)
                                  : mlirBlockGetFirstOperation(cursor->block);
  return cursor->last;
}

/* The next operation; null: there are no more.  *row: its row, or NULL. */
static MlirOperation rows_next(struct cul_cursor *cursor,
                               struct cul_row **row) {
  *row = NULL;
  while (cursor->at < cursor->end && cursor->at->gone)
    cursor->at++;
  if (cursor->at == cursor->end)
    return cursor->walk || cursor->tail ? step(cursor) : (MlirOperation){NULL};
  if (!cursor->at->meets || step(cursor).ptr == cursor->at->op.ptr) {
    *row = cursor->at++;
    cursor->last = (*row)->op;
  }
  return cursor->last;
}

static size_t count_in(const struct cul_rows *rows, MlirOperation op) {
  size_t count = 1;
  CUL_IR_EACH_BLOCK_OF(block, op) {
    struct cul_cursor cursor = rows_begin(rows, true, block);
    struct cul_row *row;
    MlirOperation inner;
    while ((inner = rows_next(&cursor, &row)).ptr)
      count += row && !row->regions ? 1 : count_in(rows, inner);
  }
  return count;
}

size_t cul_print_cache_count(const struct cul_ir *ir) {
  return rows_hold(ir) ? count_in(&ir->prints->rows, ir->root)
                       : cul_ir_count(ir->root);
}

/* ---- hash ---- */

/* Hashes of everything that the cached text of an operation depends on. */

static uint64_t mix(uint64_t hash, uint64_t more) {
  hash = (hash ^ more) * UINT64_C(0x9E3779B97F4A7C15);
  return hash ^ hash >> 29;
}

static uint64_t mix_ptr(uint64_t hash, const void *more) {
  return mix(hash, (uint64_t)(uintptr_t)more);
}

static uint64_t mix_arguments(uint64_t hash, MlirBlock block) {
  intptr_t n = mlirBlockGetNumArguments(block);
  hash = mix(hash, (uint64_t)n);
  for (intptr_t i = 0; i < n; i++) {
    MlirValue value = mlirBlockGetArgument(block, i);
    hash = mix_ptr(mix_ptr(hash, value.ptr), mlirValueGetType(value).ptr);
  }
  return hash;
}

/* Does the printer of op print every region in full? */
static bool print_is_plain(const struct cul_ir *ir, MlirOperation op) {
  return ir->form != CUL_FORM_NATIVE || op.ptr == ir->root.ptr ||
         cul_ir_is_function(op);
}

/* Mix in the properties of a region on which the text of op depends.  A custom
 * printer (not plain) may also look at the first operations and the
 * terminator. */
static uint64_t mix_region(uint64_t hash, MlirRegion region, bool plain) {
  MlirBlock block = mlirRegionGetFirstBlock(region);
  MlirOperation op, end;
  if (!block.ptr)
    return mix(hash, 1);
  hash = mix_arguments(hash, block);
  hash = mix(hash, cul_ir_next_block(block).ptr != NULL);
  if (plain)
    return hash;
  op = mlirBlockGetFirstOperation(block);
  for (int i = 0; i < 3 && op.ptr; i++, op = cul_ir_next_op(op))
    hash = mix_ptr(hash, mlirOperationGetName(op).ptr);
  end = mlirBlockGetTerminator(block);
  return end.ptr ? mix(hash, cul_compat_hash(end)) : hash;
}

/* Mix in everything that an operation refers to, except values. */
static uint64_t mix_inside(const struct cul_ir *ir, uint64_t hash,
                           MlirOperation op) {
  intptr_t n = mlirOperationGetNumSuccessors(op);
  bool plain;
  for (intptr_t i = 0; i < n; i++)
    hash = mix_ptr(hash, mlirOperationGetSuccessor(op, i).ptr);
  n = mlirOperationGetNumRegions(op);
  plain = n && print_is_plain(ir, op);
  for (intptr_t i = 0; i < n; i++)
    hash = mix_region(hash, mlirOperationGetRegion(op, i), plain);
  return hash;
}

static uint64_t mix_op(const struct cul_ir *ir, uint64_t hash,
                       MlirOperation op) {
  intptr_t n = mlirOperationGetNumOperands(op);
  hash = mix_ptr(mix(hash, cul_compat_hash(op)), op.ptr);
  for (intptr_t i = 0; i < n; i++) {
    MlirValue value = mlirOperationGetOperand(op, i);
    /* cul_compat_hash does not depend on the order of commutative operands */
    hash = mix_ptr(mix_ptr(hash, value.ptr),
                   value.ptr ? mlirValueGetType(value).ptr : NULL);
  }
  return mix_inside(ir, hash, op);
}

static uint64_t mix_tree(const struct cul_ir *ir, uint64_t hash,
                         MlirOperation op);

static uint64_t mix_regions(const struct cul_ir *ir, uint64_t hash,
                            MlirOperation op) {
  intptr_t n = mlirOperationGetNumRegions(op);
  for (intptr_t i = 0; i < n; i++) {
    hash = mix(hash, 2);
    CUL_IR_EACH_BLOCK(block, mlirOperationGetRegion(op, i)) {
      hash = mix_arguments(mix_ptr(hash, block.ptr), block);
      CUL_IR_EACH_OP(inner, block) hash = mix_tree(ir, hash, inner);
    }
  }
  return hash;
}

static uint64_t mix_tree(const struct cul_ir *ir, uint64_t hash,
                         MlirOperation op) {
  return mix_regions(ir, mix_op(ir, hash, op), op);
}

uint64_t cul_print_hash(const struct cul_ir *ir, MlirOperation op, bool whole) {
  return whole ? mix_tree(ir, 3, op) : mix_op(ir, 0, op);
}

static uint64_t mix_attributes(uint64_t hash, MlirOperation op) {
  intptr_t n = mlirOperationGetNumAttributes(op);
  for (intptr_t i = 0; i < n; i++) {
    MlirNamedAttribute named = mlirOperationGetAttribute(op, i);
    hash = mix_ptr(mix_ptr(hash, named.name.ptr), named.attribute.ptr);
  }
  return hash;
}

/* 0 for unregistered operations: their properties cannot be listed cheaply. */
uint64_t cul_print_attributes(MlirOperation op) {
  return cul_compat_is_registered(op) ? mix_attributes(7, op) | 1 : 0;
}

/* Hash everything that the text depends on, except which values the operands
 * are. */
static uint64_t hash_frame(const struct cul_ir *ir, MlirOperation op,
                           bool whole) {
  uint64_t hash = mix_ptr(5, mlirOperationGetName(op).ptr);
  intptr_t n = mlirOperationGetNumOperands(op);
  hash = mix(mix_attributes(hash, op), (uint64_t)n);
  for (intptr_t i = 0; i < n; i++) {
    MlirValue value = mlirOperationGetOperand(op, i);
    hash = mix_ptr(hash, value.ptr ? mlirValueGetType(value).ptr : NULL);
  }
  n = mlirOperationGetNumResults(op);
  for (intptr_t i = 0; i < n; i++)
    hash = mix_ptr(hash, mlirValueGetType(mlirOperationGetResult(op, i)).ptr);
  hash = mix_inside(ir, hash, op);
  return whole ? mix_regions(ir, hash, op) : hash;
}

/* The frame hash of an entry; 0: the entry cannot be rewired. */
static uint64_t print_frame(const struct cul_ir *ir, MlirOperation op,
                            const struct cul_entry *entry) {
  if (entry->heavy || entry->fleeting || entry->rigid ||
      mlirOperationGetNumOperands(op) == 0 || !cul_compat_is_registered(op))
    return 0;
  return hash_frame(ir, op, entry->whole) | 1;
}

bool cul_print_is_rewired(const struct cul_ir *ir, MlirOperation op,
                          const struct cul_entry *entry) {
  return entry->frame && entry->frame == print_frame(ir, op, entry);
}

/* ---- names ---- */

/* Names of values, by the rules of MLIR's printer.
 *
 * The values of a region are named before those of the regions inside it.  Each
 * inner region continues counting where the outer one ended; in generic form,
 * where the region that was named before it ended.  First come the arguments
 * for which the operation around has names; then, block by block, the other
 * arguments (arg0, arg1 ... in the first block, numbers in others) and the
 * results.  A name that is taken gets the next free _N.  The names that an
 * operation wants are obtained from the printer by numbering that operation
 * alone. */

/* ---- the printer's names ---- */

/* Number everything in root, to print operations or only their headers; caller
 * releases out. */
static void ref_make(const struct cul_ir *ir, MlirOperation root, bool headers,
                     struct cul_ref *out) {
  MlirOpPrintingFlags flags = cul_ir_print_flags(ir);
  memset(out, 0, sizeof *out);
  if (headers)
    mlirOpPrintingFlagsSkipRegions(flags);
  out->state = mlirAsmStateCreateForOperation(root, flags);
  mlirOpPrintingFlagsDestroy(flags);
}

/* Also frees the numbering. */
static void ref_release(struct cul_ref *ref) {
  if (ref->state.ptr)
    mlirAsmStateDestroy(ref->state);
  cul_map_release(&ref->values);
  cul_buf_release(&ref->names);
  memset(ref, 0, sizeof *ref);
}

/* The printer's name of value; borrowed until the next call. */
static struct cul_bytes ref_name(struct cul_ref *ref, MlirValue value) {
  const uint64_t *known = cul_map_get(&ref->values, value.ptr);
  size_t at, len;
  if (known) {
    at = *known >> 16, len = *known & 0xffff;
  } else {
    at = ref->names.len;
    mlirValuePrintAsOperand(value, ref->state, cul_compat_append, &ref->names);
    len = (ref->names.len - at) & 0xffff;
    cul_map_put(&ref->values, value.ptr, at << 16 | len);
  }
  return (struct cul_bytes){ref->names.data + at, len};
}

static bool ref_knows(struct cul_bytes name) {
  return name.len > 0 && name.data[0] == '%';
}

/* ---- slots and wishes ---- */

static const uint32_t alone = UINT32_MAX; /* the only value of its group */

static uint32_t print_slot(struct cul_print_cache *cache, MlirValue value) {
  const uint64_t *known = cul_map_get(&cache->slots, value.ptr);
  uint32_t slot = (uint32_t)cache->n_slots;
  if (known)
    return (uint32_t)*known - 1;
  cache->slot = cul_xgrow(cache->slot, cache->n_slots, &cache->cap_slots,
                          sizeof *cache->slot);
  cache->slot[cache->n_slots++] = (struct cul_slot){slot, alone};
  cul_map_put(&cache->slots, value.ptr, slot + 1);
  return slot;
}

static uint64_t hash_more(uint64_t hash, const char *text, size_t n) {
  for (size_t i = 0; i < n; i++)
    hash = (hash ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
  return hash;
}

static const void *as_key(uint64_t hash) {
  return (const void *)(uintptr_t)(hash | 1);
}

static uint32_t intern(struct cul_print_cache *cache, struct cul_bytes name) {
  uint64_t hash =
      hash_more(UINT64_C(14695981039346656037), name.data, name.len);
  const uint64_t *known = cul_map_get(&cache->base_of, as_key(hash));
  if (known)
    return (uint32_t)*known;
  cache->bases = cul_xgrow(cache->bases, cache->n_bases, &cache->cap_bases,
                           sizeof *cache->bases);
  cache->bases[cache->n_bases] =
      (struct cul_base){hash, cul_xstrndup(name.data, name.len), name.len};
  cul_map_put(&cache->base_of, as_key(hash), cache->n_bases);
  return (uint32_t)cache->n_bases++;
}

static void open_bases(struct cul_print_cache *cache) {
  if (cache->n_bases)
    return;
  (void)intern(cache, (struct cul_bytes){"", 0});
  (void)intern(cache, (struct cul_bytes){"arg", 3});
}

/* The name without the _N that it got because other values of the operation
 * want the same name. */
static struct cul_bytes cut_conflict(const struct cul_print_cache *cache,
                                     const struct cul_buf *wishes,
                                     struct cul_bytes name) {
  const struct cul_wish *wish = (const struct cul_wish *)wishes->data;
  size_t stem = name.len;
  while (stem > 0 && isdigit((unsigned char)name.data[stem - 1]))
    stem--;
  if (stem < 2 || stem == name.len || name.data[--stem] != '_')
    return name;
  for (size_t i = 0; i < wishes->len / sizeof *wish; i++) {
    const char *text = cache->bases[wish[i].base].text;
    if (strlen(text) == stem && memcmp(text, name.data, stem) == 0)
      return (struct cul_bytes){name.data, stem};
  }
  return name;
}

/* name: "%cst", "%5", without "#N". */
static void add_wish(struct cul_print_cache *cache, struct cul_buf *wishes,
                     uint32_t slot, uint32_t region, struct cul_bytes name) {
  struct cul_wish wish = {slot, CUL_BASE_NUMBER, region};
  name.data++, name.len--;
  if (name.len && !isdigit((unsigned char)name.data[0]))
    wish.base = intern(cache, cut_conflict(cache, wishes, name));
  cul_buf_add(wishes, &wish, sizeof wish);
}

static void wish_results(struct cul_print_cache *cache, MlirOperation op,
                         struct cul_ref *ref, struct cul_buf *wishes) {
  intptr_t n = mlirOperationGetNumResults(op);
  for (intptr_t i = 0; i < n; i++) {
    MlirValue value = mlirOperationGetResult(op, i);
    uint32_t slot = print_slot(cache, value), number = 0;
    struct cul_bytes name = {"%0", 2};
    const char *hash;
    if (ref->state.ptr)
      name = ref_name(ref, value);
    hash = memchr(name.data, '#', name.len);
    if (hash) {
      number = (uint32_t)strtoul(hash + 1, NULL, 10);
      name.len = (size_t)(hash - name.data);
    }
    cache->slot[slot] = (struct cul_slot){slot, hash ? number : alone};
    if (number)
      cache->slot[slot].head =
          print_slot(cache, mlirOperationGetResult(op, i - number));
    else
      add_wish(cache, wishes, slot, 0, name);
  }
}

/* Is this the name that the printer chooses by itself? */
static bool is_default(struct cul_bytes name, bool entry, uint32_t number) {
  char text[24];
  (void)snprintf(text, sizeof text, "%%arg%u", number);
  if (!entry)
    return name.len > 1 && isdigit((unsigned char)name.data[1]);
  return cul_bytes_is(name, text);
}

static void wish_arguments(struct cul_print_cache *cache, MlirRegion region,
                           uint32_t index, struct cul_ref *ref,
                           struct cul_buf *wishes) {
  bool entry = true;
  uint32_t number = 0;
  CUL_IR_EACH_BLOCK(block, region) {
    intptr_t n = mlirBlockGetNumArguments(block);
    for (intptr_t i = 0; i < n; i++) {
      MlirValue value = mlirBlockGetArgument(block, i);
      struct cul_bytes name = ref_name(ref, value);
      if (is_default(name, entry, number))
        number++;
      else
        add_wish(cache, wishes, print_slot(cache, value), index, name);
    }
    entry = false;
  }
}

static bool has_arguments(MlirOperation op) {
  CUL_IR_EACH_BLOCK_OF(block, op)
  if (mlirBlockGetNumArguments(block) > 0)
    return true;
  return false;
}

/* Are the names of all results numbers in the reference? */
static bool are_numbers(struct cul_print_pass *p, MlirOperation op) {
  struct cul_bytes name;
  intptr_t n = mlirOperationGetNumResults(op);
  if (n == 0)
    return true;
  if (n > 1)
    return false;
  if (p->ir->form != CUL_FORM_NATIVE)
    return true;
  name = ref_name(&p->ref, mlirOperationGetResult(op, 0));
  return p->fresh && name.len > 1 && isdigit((unsigned char)name.data[1]);
}

/* May op name its arguments in its own way?  Functions do not. */
static bool may_name_arguments(struct cul_print_pass *p, MlirOperation op,
                               const struct cul_entry *old) {
  return p->ir->form == CUL_FORM_NATIVE && has_arguments(op) &&
         !(old && old->n_arguments == 0 && cul_ir_is_function(op));
}

/* Learn the names that op wants for its values. */
static void print_wish(struct cul_print_pass *p, MlirOperation op,
                       struct cul_entry *entry, const struct cul_entry *old) {
  intptr_t n = mlirOperationGetNumRegions(op);
  bool arguments = may_name_arguments(p, op, old);
  struct cul_ref ref = {0};
  struct cul_buf wishes = {0};
  open_bases(p->cache);
  if (arguments || !are_numbers(p, op))
    ref_make(p->ir, op, true, &ref);
  wish_results(p->cache, op, &ref, &wishes);
  entry->n_results = (uint32_t)(wishes.len / sizeof(struct cul_wish));
  for (intptr_t i = 0; arguments && i < n; i++)
    wish_arguments(p->cache, mlirOperationGetRegion(op, i), (uint32_t)i, &ref,
                   &wishes);
  entry->n_arguments =
      (uint32_t)(wishes.len / sizeof(struct cul_wish)) - entry->n_results;
  entry->wishes = wishes.len ? (struct cul_wish *)cul_buf_take(&wishes) : NULL;
  cul_buf_release(&wishes);
  ref_release(&ref);
}

/* ---- numbering ---- */

/* Write n in decimal at the end of room; returns where it starts. */
static size_t decimal(char room[20], uint64_t n) {
  size_t at = 20;
  do
    room[--at] = (char)('0' + n % 10);
  while (n /= 10);
  return at;
}

static uint64_t hash_number(uint64_t hash, uint64_t n) {
  char room[20];
  size_t at = decimal(room, n);
  return hash_more(hash, room + at, sizeof room - at);
}

static bool is_used(const struct cul_print_pass *p, uint64_t hash) {
  const uint64_t *n = cul_map_get(&p->used, as_key(hash));
  return n && *n;
}

static void use(struct cul_print_pass *p, uint64_t hash) {
  const uint64_t *n = cul_map_get(&p->used, as_key(hash));
  cul_map_put(&p->used, as_key(hash), n ? *n + 1 : 1);
  cul_buf_add(&p->scope, &hash, sizeof hash);
}

static struct cul_name *name_of(struct cul_print_pass *p, uint32_t slot) {
  if (slot >= p->cap_names) {
    size_t cap = p->cache->n_slots + p->cache->n_slots / 8 + 64;
    p->names = cul_xreallocarray(p->names, cap, sizeof *p->names);
    memset(p->names + p->cap_names, 0, (cap - p->cap_names) * sizeof *p->names);
    p->cap_names = cap;
  }
  return &p->names[slot];
}

static void give_number(struct cul_print_pass *p, uint32_t slot) {
  *name_of(p, slot) =
      (struct cul_name){1 + CUL_BASE_NUMBER, (uint32_t)p->counts.values++};
}

static void give_argument(struct cul_print_pass *p, uint32_t slot) {
  uint32_t number = (uint32_t)p->counts.arguments++;
  uint64_t hash = hash_number(p->cache->bases[CUL_BASE_ARGUMENT].hash, number);
  p->failed |= is_used(p, hash); /* some operation wants a name like arg0 */
  use(p, hash);
  *name_of(p, slot) = (struct cul_name){1 + CUL_BASE_ARGUMENT, number};
}

static void give(struct cul_print_pass *p, const struct cul_wish *wish) {
  struct cul_name name = {1 + wish->base, 0};
  uint64_t hash;
  if (wish->base == CUL_BASE_NUMBER) {
    give_number(p, wish->slot);
    return;
  }
  hash = p->cache->bases[wish->base].hash;
  if (is_used(p, hash)) {
    uint64_t stem = hash_more(hash, "_", 1);
    name.base |= CUL_NAME_NUMBERED;
    do {
      name.number = (uint32_t)p->counts.conflicts++;
      hash = hash_number(stem, name.number);
    } while (is_used(p, hash));
  }
  use(p, hash);
  *name_of(p, wish->slot) = name;
}

/* Name the values of a block; append operations with regions to around. */
static void enter_block(struct cul_print_pass *p, MlirBlock block, bool entry,
                        struct cul_ir_ops *around) {
  intptr_t n = mlirBlockGetNumArguments(block);
  struct cul_cursor cursor;
  struct cul_row *row;
  MlirOperation op;
  for (intptr_t i = 0; i < n; i++) {
    uint32_t slot = print_slot(p->cache, mlirBlockGetArgument(block, i));
    if (name_of(p, slot)->base)
      continue;
    if (entry)
      give_argument(p, slot);
    else
      give_number(p, slot);
  }
  cursor = rows_begin(&p->cache->rows, p->rows, block);
  while ((op = rows_next(&cursor, &row)).ptr) {
    if (row && !row->changed && row->n_results < 2) {
      if (row->n_results)
        give(p, &row->wish);
    } else {
      const struct cul_entry *own = print_entry(p, op);
      for (uint32_t i = 0; i < own->n_results; i++)
        give(p, &own->wishes[i]);
    }
    if (row && !row->changed
            ? row->regions && !(row->whole && p->ir->form == CUL_FORM_NATIVE)
            : mlirOperationGetNumRegions(op) > 0)
      cul_ir_ops_add(around, op);
  }
}

static void enter(struct cul_print_pass *p, MlirRegion region,
                  const struct cul_entry *owner, uint32_t index,
                  struct cul_ir_ops *around) {
  bool entry = true;
  for (uint32_t i = 0; i < owner->n_arguments; i++) {
    const struct cul_wish *wish = &owner->wishes[owner->n_results + i];
    if (wish->region == index)
      give(p, wish);
  }
  CUL_IR_EACH_BLOCK(block, region) {
    enter_block(p, block, entry, around);
    entry = false;
  }
}

/* Free the names given since the scope began. */
static void names_leave(struct cul_print_pass *p, size_t scope) {
  const uint64_t *hashes = (const uint64_t *)p->scope.data;
  for (size_t i = p->scope.len; i > scope; i -= sizeof *hashes)
    --*cul_map_get(&p->used, as_key(hashes[i / sizeof *hashes - 1]));
  p->scope.len = scope;
}

static void number_region(struct cul_print_pass *p, MlirRegion region,
                          const struct cul_entry *owner, uint32_t index) {
  struct cul_counts counts = p->counts;
  size_t scope = p->scope.len;
  struct cul_ir_ops ops = {0};
  enter(p, region, owner, index, &ops);
  for (size_t i = ops.n; i-- > 0;)
    print_number(p, ops.items[i]);
  cul_ir_ops_release(&ops);
  names_leave(p, scope);
  if (p->ir->form == CUL_FORM_NATIVE)
    p->counts = counts;
}

/* Number the regions of op, the last one first.  The order matters in generic
 * form, where no name is given twice. */
static void print_number(struct cul_print_pass *p, MlirOperation op) {
  const struct cul_entry *own = print_entry(p, op);
  if (own->whole && p->ir->form == CUL_FORM_NATIVE)
    return;
  for (intptr_t i = mlirOperationGetNumRegions(op); i-- > 0;)
    number_region(p, mlirOperationGetRegion(op, i), own, (uint32_t)i);
}

/* Append n in decimal. */
static void print_decimal(struct cul_buf *out, uint64_t n) {
  char room[20];
  size_t at = decimal(room, n);
  cul_buf_add(out, room + at, sizeof room - at);
}

/* Append the name of a value.  group: at the definition of its group. */
static void print_name(struct cul_print_pass *p, uint32_t slot, bool group) {
  const struct cul_slot *s = &p->cache->slot[slot];
  struct cul_name name = {0};
  uint32_t base;
  if (s->head < p->cap_names)
    name = p->names[s->head];
  p->failed |= !name.base;
  base = (name.base & ~CUL_NAME_NUMBERED) - 1;
  cul_buf_addc(p->out, '%');
  if (name.base && base)
    cul_buf_add(p->out, p->cache->bases[base].text, p->cache->bases[base].len);
  if (name.base & CUL_NAME_NUMBERED)
    cul_buf_addc(p->out, '_');
  if (base == CUL_BASE_NUMBER || base == CUL_BASE_ARGUMENT ||
      name.base & CUL_NAME_NUMBERED)
    print_decimal(p->out, name.number);
  if (!group && s->number != alone) {
    cul_buf_addc(p->out, '#');
    print_decimal(p->out, s->number);
  }
}

/* ---- cache ---- */

#define INDENT 2

/* The dialect that the printer leaves out at the top level. */
static const struct cul_bytes initial = {"builtin", 7};

/* ---- names ---- */

static void emit_name(struct cul_print_pass *p, const void *value,
                      uint32_t slot, bool group) {
  struct cul_bytes name;
  if (!p->by) {
    print_name(p, slot, group);
    return;
  }
  name = ref_name(p->by, (MlirValue){value});
  if (group && name.len > 2 && name.data[name.len - 2] == '#')
    name.len -= 2;
  cul_buf_add(p->out, name.data, name.len);
}

static void emit_block_name(struct cul_print_pass *p, const void *block) {
  const uint64_t *number = cul_map_get(&p->blocks, block);
  p->failed |= !number;
  cul_buf_add(p->out, "^bb", 3);
  print_decimal(p->out, number ? *number - 1 : 0);
}

/* ---- blocks ---- */

static void emit_spaces(struct cul_print_pass *p, unsigned n) {
  static const char spaces[] = "                                ";
  while (n > 0) {
    unsigned some = n < sizeof spaces - 1 ? n : (unsigned)sizeof spaces - 1;
    cul_buf_add(p->out, spaces, some);
    n -= some;
  }
}

static int compare_numbers(const void *left, const void *right) {
  const uint64_t *a = left, *b = right;
  return (*a > *b) - (*a < *b);
}

/* Append the comment after a label: " // 2 preds: ^bb1, ^bb2". */
static void emit_predecessors(struct cul_print_pass *p, MlirBlock block,
                              bool entry) {
  size_t n = cul_compat_n_predecessors(block);
  uint64_t *numbers = cul_xcalloc(n, sizeof *numbers);
  for (size_t i = 0; i < n; i++) {
    MlirBlock from = cul_compat_predecessor(block, i);
    const uint64_t *number = cul_map_get(&p->blocks, from.ptr);
    p->failed |= !number;
    numbers[i] = number ? *number - 1 : 0;
  }
  qsort(numbers, n, sizeof *numbers, compare_numbers);
  if (n == 0 && !entry)
    cul_buf_adds(p->out, "  // no predecessors");
  else if (n == 1)
    cul_buf_adds(p->out, "  // pred: ");
  else if (n)
    cul_buf_addf(p->out, "  // %zu preds: ", n);
  for (size_t i = 0; i < n; i++)
    cul_buf_addf(p->out, "%s^bb%llu", i ? ", " : "",
                 (unsigned long long)numbers[i]);
  free(numbers);
}

static void emit_label(struct cul_print_pass *p, MlirBlock block, bool entry,
                       unsigned indent) {
  intptr_t n = mlirBlockGetNumArguments(block);
  emit_spaces(p, indent);
  emit_block_name(p, block.ptr);
  for (intptr_t i = 0; i < n; i++) {
    MlirValue value = mlirBlockGetArgument(block, i);
    cul_buf_adds(p->out, i ? ", " : "(");
    emit_name(p, value.ptr, print_slot(p->cache, value), false);
    cul_buf_adds(p->out, ": ");
    cul_buf_adds(p->out, cul_ir_type_text(p->ir, mlirValueGetType(value)));
  }
  cul_buf_adds(p->out, n ? "):" : ":");
  emit_predecessors(p, block, entry);
  cul_buf_addc(p->out, '\n');
}

/* Is the label of an entry block printed?  It is if it has arguments, and, in
 * generic form, if the block is empty. */
static bool needs_label(const struct cul_ir *ir, MlirBlock entry) {
  return mlirBlockGetNumArguments(entry) > 0 ||
         (ir->form != CUL_FORM_NATIVE && !cul_ir_last_op(entry).ptr);
}

static void emit(struct cul_print_pass *p, MlirOperation op,
                 struct cul_entry *entry, unsigned indent);

/* row: the row of op, or NULL. */
static struct cul_entry *entry_at(struct cul_print_pass *p, MlirOperation op,
                                  const struct cul_row *row) {
  return row && !row->changed ? row->entry : print_entry(p, op);
}

static void emit_region(struct cul_print_pass *p, MlirOperation owner,
                        const struct cul_entry *entry, size_t i,
                        unsigned indent) {
  MlirRegion region = mlirOperationGetRegion(owner, (intptr_t)i);
  struct cul_bytes outer = p->dialect;
  MlirBlock first = mlirRegionGetFirstBlock(region);
  uint32_t bit = CUL_IR_REGION_BIT(i);
  struct cul_cursor cursor;
  struct cul_row *row;
  MlirOperation op;
  uint64_t number = 0;
  cul_buf_adds(p->out, "{\n");
  p->dialect =
      entry->own_dialect & bit ? entry->dialect : (struct cul_bytes){"", 0};
  CUL_IR_EACH_BLOCK(block, region) cul_map_put(&p->blocks, block.ptr, ++number);
  CUL_IR_EACH_BLOCK(block, region) {
    bool entered = block.ptr == first.ptr;
    if (!entered || (entry->shown_labels & bit && needs_label(p->ir, block)))
      emit_label(p, block, entered, indent);
    cursor = rows_begin(&p->cache->rows, p->rows, block);
    while ((op = rows_next(&cursor, &row)).ptr) {
      if (entry->hidden_ends & bit && !cul_ir_next_op(op).ptr)
        continue;
      emit(p, op, entry_at(p, op, row), indent + INDENT);
      cul_buf_addc(p->out, '\n');
    }
  }
  p->dialect = outer;
  emit_spaces(p, indent);
  cul_buf_addc(p->out, '}');
}

/* ---- operations ---- */

static void emit_dialect(struct cul_print_pass *p, struct cul_bytes dialect) {
  if (dialect.len == p->dialect.len &&
      memcmp(dialect.data, p->dialect.data, dialect.len) == 0)
    return;
  cul_buf_add(p->out, dialect.data, dialect.len);
  cul_buf_addc(p->out, '.');
}

static void emit_hole(struct cul_print_pass *p, const struct cul_entry *entry,
                      const struct cul_hole *hole, unsigned indent) {
  switch ((enum cul_hole_kind)hole->kind) {
  case CUL_HOLE_VALUE:
  case CUL_HOLE_GROUP:
    emit_name(p, hole->what, hole->slot, hole->kind == CUL_HOLE_GROUP);
    break;
  case CUL_HOLE_BLOCK:
    emit_block_name(p, hole->what);
    break;
  case CUL_HOLE_LINE:
    cul_buf_addc(p->out, '\n');
    emit_spaces(p, indent);
    break;
  case CUL_HOLE_DIALECT:
    emit_dialect(p, entry->dialect);
    break;
  case CUL_HOLE_REGION:
    break;
  }
}

static void emit_entry(struct cul_print_pass *p, MlirOperation op,
                       const struct cul_entry *entry, unsigned indent) {
  size_t from = 0, region = 0;
  emit_spaces(p, indent);
  for (size_t i = 0; i < entry->n_holes; i++) {
    const struct cul_hole *hole = &entry->holes[i];
    cul_buf_add(p->out, entry->text.data + from, hole->at - from);
    from = hole->at;
    if (hole->kind != CUL_HOLE_REGION)
      emit_hole(p, entry, hole, indent);
    else
      emit_region(p, op, entry, region, indent);
    region += hole->kind == CUL_HOLE_REGION;
  }
  cul_buf_add(p->out, entry->text.data + from, entry->text.len - from);
}

/* Append op as the printer prints it, with every line indented. */
static void emit_fleeting(struct cul_print_pass *p, MlirOperation op,
                          unsigned indent) {
  struct cul_buf text = {0};
  struct cul_ref all;
  const char *at, *end;
  if (!p->by && !p->full.ptr) {
    ref_make(p->ir, p->ir->root, false, &all);
    p->full = all.state;
  }
  mlirOperationPrintWithState(op, p->by ? p->by->state : p->full,
                              cul_compat_append, &text);
  at = cul_buf_str(&text);
  emit_spaces(p, indent);
  while ((end = strchr(at, '\n'))) {
    cul_buf_add(p->out, at, (size_t)(end + 1 - at));
    emit_spaces(p, indent);
    at = end + 1;
  }
  cul_buf_adds(p->out, at);
  cul_buf_release(&text);
}

/* Free the text of an entry. */
static void print_strip(struct cul_entry *entry) {
  free((char *)entry->text.data);
  free(entry->holes);
  entry->text = (struct cul_bytes){NULL, 0};
  entry->holes = NULL;
  entry->n_holes = 0;
}

static void free_entry(struct cul_entry *entry) {
  if (!entry)
    return;
  print_strip(entry);
  free(entry->wishes);
  free(entry);
}

static enum cul_entry_state state_of(struct cul_print_pass *p, MlirOperation op,
                                     const struct cul_entry *entry) {
  if (!entry)
    return CUL_ENTRY_CHANGED;
  if (p->cache->looked)
    return entry->state;
  if (entry->hash == cul_print_hash(p->ir, op, entry->whole))
    return CUL_ENTRY_SAME;
  return cul_print_is_rewired(p->ir, op, entry) ? CUL_ENTRY_REWIRED
                                                : CUL_ENTRY_CHANGED;
}

static void refill(struct cul_print_cache *cache, struct cul_entry *entry) {
  if (entry->row)
    row_fill(&cache->rows.items[entry->row - 1], entry);
}

/* The up-to-date entry of op. */
static struct cul_entry *print_entry(struct cul_print_pass *p,
                                     MlirOperation op) {
  struct cul_entry *old = cul_map_get_ptr(&p->cache->entries, op.ptr), *entry;
  enum cul_entry_state state = state_of(p, op, old);
  if (state == CUL_ENTRY_SAME)
    return old;
  if (state == CUL_ENTRY_REWIRED && !p->cache->recycled) {
    print_rewire(p, op, old);
    refill(p->cache, old);
    return old;
  }
  entry = print_make(p, op, p->cache->recycled ? NULL : old);
  if (entry->heavy)
    print_strip(entry);
  if (old) {
    entry->order = old->order;
    entry->block = old->block;
    entry->row = old->row;
  }
  refill(p->cache, entry);
  cul_map_put_ptr(&p->cache->entries, op.ptr, entry);
  free_entry(old);
  return entry;
}

/* Append op, indented by `indent` columns. */
static void emit(struct cul_print_pass *p, MlirOperation op,
                 struct cul_entry *entry, unsigned indent) {
  struct cul_entry *whole;
  if (entry->fleeting) {
    emit_fleeting(p, op, indent);
  } else if (entry->heavy) {
    whole = print_make(p, op, entry);
    emit_entry(p, op, whole, indent);
    free_entry(whole);
  } else {
    emit_entry(p, op, entry, indent);
  }
}

/* Does region i have a label that may be printed? */
static bool print_has_label(const struct cul_ir *ir, MlirOperation op,
                            size_t i) {
  MlirBlock entry =
      mlirRegionGetFirstBlock(mlirOperationGetRegion(op, (intptr_t)i));
  return entry.ptr && needs_label(ir, entry);
}

/* Append region i as `text` contains it at this offset: try every combination
 * of label, terminator and dialect, printed or not.  False: none fits. */
static bool fit_region(struct cul_print_pass *p, MlirOperation op,
                       struct cul_entry *entry, size_t i,
                       struct cul_bytes text) {
  uint32_t bit = CUL_IR_REGION_BIT(i);
  size_t start = p->out->len;
  for (unsigned way = 0; way < 8; way++) {
    entry->shown_labels = (entry->shown_labels & ~bit) | (way & 1 ? 0 : bit);
    entry->hidden_ends = (entry->hidden_ends & ~bit) | (way & 2 ? bit : 0);
    entry->own_dialect = (entry->own_dialect & ~bit) | (way & 4 ? 0 : bit);
    emit_region(p, op, entry, i, 0);
    if (p->out->len <= text.len &&
        memcmp(p->out->data + start, text.data + start, p->out->len - start) ==
            0) {
      entry->no_labels |= print_has_label(p->ir, op, i) ? 0 : bit;
      return true;
    }
    p->out->len = start;
  }
  return false;
}

/* Does the entry reproduce text, which was printed with p->by?  Sets how its
 * regions are printed. */
static bool print_fit(struct cul_print_pass *p, MlirOperation op,
                      struct cul_entry *entry, struct cul_bytes text) {
  struct cul_buf *outer = p->out, own = {0};
  struct cul_bytes dialect = p->dialect;
  size_t from = 0, region = 0;
  bool ok = true;
  p->out = &own;
  p->dialect = initial;
  for (size_t i = 0; ok && i < entry->n_holes; i++) {
    const struct cul_hole *hole = &entry->holes[i];
    cul_buf_add(p->out, entry->text.data + from, hole->at - from);
    from = hole->at;
    if (hole->kind != CUL_HOLE_REGION)
      emit_hole(p, entry, hole, 0);
    else
      ok = region < 32 && fit_region(p, op, entry, region++, text);
  }
  cul_buf_add(p->out, entry->text.data + from, entry->text.len - from);
  ok = ok && cul_bytes_equal(cul_buf_bytes(&own), text);
  p->out = outer;
  p->dialect = dialect;
  cul_buf_release(&own);
  return ok;
}

/* ---- modules ---- */

static void number_blocks(struct cul_map *blocks, MlirOperation op) {
  intptr_t n = mlirOperationGetNumRegions(op);
  for (intptr_t i = 0; i < n; i++) {
    uint64_t number = 0;
    CUL_IR_EACH_BLOCK(block, mlirOperationGetRegion(op, i)) {
      cul_map_put(blocks, block.ptr, ++number);
      CUL_IR_EACH_OP(inner, block) number_blocks(blocks, inner);
    }
  }
}

/* Make the current module the reference. */
static void print_refer(struct cul_ir *ir, struct cul_print_cache *cache) {
  struct cul_ref ref;
  ref_make(ir, ir->root, true, &ref);
  if (cache->before.ptr)
    mlirAsmStateDestroy(cache->before);
  cache->before = cache->ref;
  ir->numbering = cache->ref = ref.state;
  cul_map_release(&cache->blocks);
  number_blocks(&cache->blocks, ir->root);
}

/* Reserve memory and touch it at once: a forked child has none of these pages,
 * and would fault on each. */
static void reserve(struct cul_buf *out, size_t size) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start, end;
  cul_buf_reserve(out, size);
  start = ((uintptr_t)out->data + out->len + page - 1) & ~(page - 1);
  end = ((uintptr_t)out->data + out->len + size) & ~(page - 1);
  if (start < end)
    (void)madvise((void *)start, end - start, MADV_POPULATE_WRITE);
}

bool cul_print_cache_print(struct cul_ir *ir, struct cul_buf *out) {
  struct cul_print_pass p = {
      .ir = ir, .cache = ir->prints, .out = out, .dialect = initial};
  size_t start = out->len;
  p.rows = rows_hold(ir);
  if (!p.cache->ref.ptr) {
    print_refer(ir, p.cache);
    p.fresh = true;
  }
  p.ref.state = p.cache->ref;
  print_number(&p, ir->root);
  p.cache->looked = true;
  reserve(out, p.cache->length);
  emit(&p, ir->root, print_entry(&p, ir->root), 0);
  p.cache->looked = false;
  p.ref.state.ptr = NULL; /* owned by the cache */
  ref_release(&p.ref);
  if (p.full.ptr)
    mlirAsmStateDestroy(p.full);
  cul_map_release(&p.blocks);
  cul_map_release(&p.used);
  cul_buf_release(&p.scope);
  free(p.names);
  p.cache->length = out->len - start + 1024;
  if (p.failed)
    out->len = start;
  return !p.failed;
}

static void forget_reference(struct cul_ir *ir) {
  struct cul_print_cache *cache = ir->prints;
  if (cache->ref.ptr)
    mlirAsmStateDestroy(cache->ref);
  if (cache->before.ptr)
    mlirAsmStateDestroy(cache->before);
  cache->ref.ptr = cache->before.ptr = NULL;
  ir->numbering.ptr = NULL;
}

static void free_cache(struct cul_ir *ir) {
  struct cul_print_cache *cache = ir->prints;
  for (size_t i = 0; i < cache->entries.cap; i++)
    if (cache->entries.slots[i].key)
      free_entry((struct cul_entry *)(uintptr_t)cache->entries.slots[i].value);
  for (size_t i = 0; i < cache->n_bases; i++)
    free(cache->bases[i].text);
  free(cache->bases);
  free(cache->slot);
  forget_reference(ir);
  rows_release(&cache->rows);
  cul_map_release(&cache->entries);
  cul_map_release(&cache->slots);
  cul_map_release(&cache->base_of);
  cul_map_release(&cache->blocks);
  free(cache);
  ir->prints = NULL;
}

static void tell_cache(struct cul_ir *ir, enum cul_ir_event event) {
  if (event == CUL_IR_CLOSED)
    cul_notes_end(ir->context);
  if (!ir->prints)
    return;
  if (event == CUL_IR_CLOSED) {
    free_cache(ir);
    return;
  }
  forget_reference(ir);
  ir->prints->recycled = true;
}

/* Does a new cache print the same as the printer? */
static bool is_faithful(struct cul_ir *ir) {
  MlirOpPrintingFlags flags = cul_ir_print_flags(ir);
  struct cul_buf text = {0}, out = {0};
  bool same;
  mlirOperationPrintWithFlags(ir->root, flags, cul_compat_append, &text);
  mlirOpPrintingFlagsDestroy(flags);
  same = cul_print_cache_print(ir, &out) && out.len == text.len &&
         memcmp(out.data, text.data, out.len) == 0;
  cul_buf_release(&text);
  cul_buf_release(&out);
  return same;
}

/* Drop the entries of operations that are gone.  A new operation at the same
 * address must not get such an entry, whose row belongs to another operation by
 * now. */
static void drop_entries(struct cul_ir *ir) {
  struct cul_map all = ir->prints->entries, live = {0};
  for (size_t i = 0; i < all.cap; i++) {
    const void *op = all.slots[i].key;
    struct cul_entry *entry = op ? cul_map_get_ptr(&all, op) : NULL;
    if (entry && (entry->row || op == ir->root.ptr))
      cul_map_put_ptr(&live, op, entry);
    else
      free_entry(entry);
  }
  cul_map_release(&all);
  ir->prints->entries = live;
}

static uint32_t count_blocks(MlirOperation op, uint32_t *inside) {
  uint32_t blocks = 0;
  *inside = 0;
  CUL_IR_EACH_BLOCK_OF(block, op) {
    blocks++;
    CUL_IR_EACH_OP(inner, block)++ *inside;
  }
  return blocks;
}

static void place_all(struct cul_print_cache *cache, MlirOperation root);

static void place_block(struct cul_print_cache *cache, MlirBlock block) {
  uint64_t last = 0;
  CUL_IR_EACH_OP(op, block) {
    struct cul_entry *entry = cul_map_get_ptr(&cache->entries, op.ptr);
    if (!entry)
      continue;
    if (entry->block != block.ptr)
      entry->block = block.ptr;
    if (entry->order <= last)
      entry->order = last + 1;
    last = entry->order;
    place_all(cache, op);
  }
}

/* Record the places of all operations, root included. */
static void place_all(struct cul_print_cache *cache, MlirOperation root) {
  intptr_t n = mlirOperationGetNumRegions(root);
  struct cul_entry *entry = cul_map_get_ptr(&cache->entries, root.ptr);
  uint32_t inside, blocks;
  if (n == 0 || !entry)
    return;
  blocks = count_blocks(root, &inside);
  if (entry->blocks != blocks || entry->inside != inside)
    entry->blocks = blocks, entry->inside = inside;
  CUL_IR_EACH_BLOCK_OF(block, root) place_block(cache, block);
}

void cul_print_cache_keep(struct cul_ir *ir) {
  static const struct cul_ir_watcher watcher = {CUL_IR_FREED | CUL_IR_CLOSED,
                                                tell_cache};
  bool new = !ir->prints;
  if (!ir->check || !cul_compat_has_hash() || ir->memo->no_print_cache)
    return;
  if (new) {
    ir->prints = cul_xcalloc(1, sizeof *ir->prints);
    cul_ir_watch(ir, &watcher);
  }
  if (new && !is_faithful(ir)) {
    free_cache(ir);
    ir->memo->no_print_cache = true;
    return;
  }
  if (!new)
    print_refer(ir, ir->prints);
  place_all(ir->prints, ir->root);
  rows_renew(&ir->prints->rows, ir->prints, ir->root);
  if (ir->prints->entries.n > ir->prints->rows.n + 1)
    drop_entries(ir);
  ir->prints->recycled = false;
  if (!ir->prints->looked) /* else touched operations are not printed yet */
    cul_notes_begin(ir->context);
}

/* ---- entry ---- */

/* Entries: an operation's printed text and the places of names in it. */

/* Longer texts (weights) are not kept. */
static const size_t most_text = (size_t)64 << 10;
/* With more values, finding names takes longer than printing. */
static const size_t most_values = 1024;

/* ---- other operands ---- */

static void print_rewire(struct cul_print_pass *p, MlirOperation op,
                         struct cul_entry *entry) {
  for (size_t i = 0; i < entry->n_holes; i++) {
    struct cul_hole *hole = &entry->holes[i];
    MlirValue value;
    if (hole->operand == UINT32_MAX)
      continue;
    value = mlirOperationGetOperand(op, hole->operand);
    hole->what = value.ptr;
    hole->slot = print_slot(p->cache, value);
  }
  entry->hash = cul_print_hash(p->ir, op, entry->whole);
  entry->state = CUL_ENTRY_SAME;
}

/* ---- names to values ---- */

/* The values that the text of one operation can name. */
struct known {
  struct cul_print_pass *p;
  struct cul_ir_values values;
  size_t n_outer;    /* number of operands and results, which come first */
  MlirValue unknown; /* the one value that the reference does not name */
  bool ambiguous;    /* there are several such values */
};

static void know_value(struct known *known, MlirValue value) {
  if (!value.ptr)
    return;
  cul_ir_values_add(&known->values, value);
  if (ref_knows(ref_name(&known->p->ref, value)))
    return;
  known->ambiguous |= known->unknown.ptr && known->unknown.ptr != value.ptr;
  known->unknown = value;
}

static void know(struct known *known, MlirOperation op) {
  intptr_t n = mlirOperationGetNumOperands(op);
  for (intptr_t i = 0; i < n; i++)
    know_value(known, mlirOperationGetOperand(op, i));
  n = mlirOperationGetNumResults(op);
  for (intptr_t i = 0; i < n; i++)
    know_value(known, mlirOperationGetResult(op, i));
  known->n_outer = known->values.n;
  n = mlirOperationGetNumRegions(op);
  for (intptr_t i = 0; i < n; i++) {
    MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
    intptr_t n_args = block.ptr ? mlirBlockGetNumArguments(block) : 0;
    for (intptr_t j = 0; j < n_args; j++)
      know_value(known, mlirBlockGetArgument(block, j));
  }
}

/* The value that text names; null: none, or the reference has the name twice.
 * Arguments of neighbouring regions share names: in a header they have the same
 * number, so this does not matter. */
static MlirValue find_value(struct known *known, struct cul_bytes text,
                            uint32_t *kind) {
  MlirValue found = {NULL};
  for (size_t i = 0; i < known->values.n; i++) {
    MlirValue value = known->values.items[i];
    struct cul_bytes name = ref_name(&known->p->ref, value);
    bool same = name.len == text.len;
    bool group =
        name.len == text.len + 2 && memcmp(name.data + text.len, "#0", 2) == 0;
    if ((!same && !group) || memcmp(name.data, text.data, text.len) != 0 ||
        value.ptr == found.ptr)
      continue;
    if (found.ptr && i < known->n_outer)
      return (MlirValue){NULL};
    if (found.ptr)
      continue;
    found = value;
    *kind = same ? CUL_HOLE_VALUE : CUL_HOLE_GROUP;
  }
  return found;
}

/* The number of block in the reference; ULONG_MAX: unknown. */
static unsigned long number_of(const struct cul_print_pass *p,
                               MlirBlock block) {
  const uint64_t *number = cul_map_get(&p->cache->blocks, block.ptr);
  return number ? (unsigned long)*number - 1 : ULONG_MAX;
}

static MlirBlock find_block(const struct cul_print_pass *p, MlirOperation op,
                            struct cul_bytes text) {
  intptr_t n = mlirOperationGetNumSuccessors(op);
  unsigned long number = strtoul(text.data + 3, NULL, 10);
  MlirBlock found = {NULL};
  for (intptr_t i = 0; i < n; i++) {
    MlirBlock to = mlirOperationGetSuccessor(op, i);
    if (number_of(p, to) != number || to.ptr == found.ptr)
      continue;
    if (found.ptr)
      return (MlirBlock){NULL};
    found = to;
  }
  return found;
}

/* ---- cutting ---- */

struct cutter {
  struct known known;
  MlirOperation op;
  struct cul_bytes text; /* terminated */
  struct cul_buf kept, holes;
  bool rigid; /* one value is several operands */
};

/* The operand number of the value; UINT32_MAX: it is none. */
static uint32_t operand_of(struct cutter *c, const void *value) {
  intptr_t n = mlirOperationGetNumOperands(c->op);
  uint32_t found = UINT32_MAX;
  for (intptr_t i = 0; i < n; i++) {
    if (mlirOperationGetOperand(c->op, i).ptr != value)
      continue;
    c->rigid |= found != UINT32_MAX;
    found = (uint32_t)i;
  }
  return found;
}

static void add_hole(struct cutter *c, uint32_t kind, const void *what) {
  struct cul_hole hole = {(uint32_t)c->kept.len, kind, what, 0, UINT32_MAX};
  if (kind == CUL_HOLE_VALUE || kind == CUL_HOLE_GROUP) {
    hole.slot = print_slot(c->known.p->cache, (MlirValue){what});
    hole.operand = operand_of(c, what);
  }
  cul_buf_add(&c->holes, &hole, sizeof hole);
}

static size_t skip_string(struct cul_bytes text, size_t at) {
  for (at++; at < text.len && text.data[at] != '"'; at++)
    if (text.data[at] == '\\')
      at++;
  return at < text.len ? at + 1 : text.len;
}

static size_t name_end(struct cul_bytes text, size_t at) {
  for (at++; at < text.len; at++)
    if (!isalnum((unsigned char)text.data[at]) &&
        !strchr("_$.-#", text.data[at]))
      break;
  return at;
}

/* The arrow of %0->... is not part of the name. */
static size_t value_end(struct cul_bytes text, size_t at) {
  size_t end = name_end(text, at);
  while (end > at + 1 &&
         (text.data[end - 1] == '-' || text.data[end - 1] == '.'))
    end--;
  return end;
}

static bool cut_value(struct cutter *c, size_t at, size_t end) {
  uint32_t kind = CUL_HOLE_VALUE;
  struct cul_bytes name = {c->text.data + at, end - at};
  MlirValue value = find_value(&c->known, name, &kind);
  if (value.ptr)
    add_hole(c, kind, value.ptr);
  return value.ptr != NULL;
}

/* The printer's name for values that the reference does not have. */
static const char unknown_name[] = "<<UNKNOWN SSA VALUE>>";

static bool cut_unknown(struct cutter *c) {
  MlirValue value = c->known.unknown;
  bool own = value.ptr && cul_ir_defining_op(value).ptr == c->op.ptr;
  if (!value.ptr || c->known.ambiguous)
    return false;
  add_hole(c, own ? CUL_HOLE_GROUP : CUL_HOLE_VALUE, value.ptr);
  return true;
}

static bool cut_block(struct cutter *c, size_t at, size_t end) {
  struct cul_bytes name = {c->text.data + at, end - at};
  MlirBlock block = find_block(c->known.p, c->op, name);
  if (block.ptr)
    add_hole(c, CUL_HOLE_BLOCK, block.ptr);
  return block.ptr != NULL;
}

/* "arith" of arith.addi, if the printer may leave it out; else empty. */
static struct cul_bytes dialect_of(MlirOperation op) {
  MlirStringRef name = cul_ir_name(op);
  const char *dot = memchr(name.data, '.', name.length);
  size_t rest = dot ? name.length - (size_t)(dot + 1 - name.data) : 0;
  if (!dot || memchr(dot + 1, '.', rest))
    return (struct cul_bytes){"", 0};
  return (struct cul_bytes){name.data, (size_t)(dot - name.data)};
}

/* Cut the dialect, which is before the name, out of the text. */
static void cut_dialect(struct cutter *c, size_t *at) {
  struct cul_bytes dialect = dialect_of(c->op);
  const char *here = c->text.data + *at;
  const char *name = cul_ir_name(c->op).data;
  size_t len = cul_ir_name(c->op).length;
  if (!dialect.len)
    return;
  if (strncmp(here, name, len) == 0)
    *at += dialect.len + 1;
  else if (strncmp(here, name + dialect.len + 1, len - dialect.len - 1) != 0)
    return;
  add_hole(c, CUL_HOLE_DIALECT, NULL);
}

static const char skipped[] = "{...}";

/* Cut at one position of the text; false: it cannot be cut. */
static bool cut_at(struct cutter *c, size_t *at) {
  struct cul_bytes text = c->text;
  const char *here = text.data + *at;
  size_t end = *at + 1;
  bool ok = true;
  if (*here == '"') {
    end = skip_string(text, *at);
    cul_buf_add(&c->kept, here, end - *at);
  } else if (*here == '\n') {
    add_hole(c, CUL_HOLE_LINE, NULL);
  } else if (*here == '%' && end < text.len && here[1] != ' ') {
    end = value_end(text, *at);
    ok = cut_value(c, *at, end);
  } else if (strncmp(here, "^bb", 3) == 0) {
    end = name_end(text, *at);
    ok = cut_block(c, *at, end);
  } else if (strncmp(here, unknown_name, strlen(unknown_name)) == 0) {
    end = *at + strlen(unknown_name);
    ok = cut_unknown(c);
  } else if (strncmp(here, skipped, strlen(skipped)) == 0) {
    end = *at + strlen(skipped);
    add_hole(c, CUL_HOLE_REGION, NULL);
  } else {
    cul_buf_addc(&c->kept, *here);
  }
  *at = end;
  return ok;
}

/* Cut text into an entry with holes; false: it cannot be cut. */
static bool cut(struct cul_print_pass *p, MlirOperation op,
                struct cul_buf *text, struct cul_entry *entry) {
  struct cutter c = {.known = {.p = p}, .op = op, .text = cul_buf_bytes(text)};
  const char *equals = strstr(cul_buf_str(text), " = ");
  size_t at = 0, named = 0;
  bool ok;
  if (equals && mlirOperationGetNumResults(op) > 0)
    named = (size_t)(equals + 3 - text->data);
  know(&c.known, op);
  ok = c.known.values.n <= most_values;
  while (ok && at < named)
    ok = cut_at(&c, &at);
  cut_dialect(&c, &at);
  while (ok && at < text->len)
    ok = cut_at(&c, &at);
  cul_ir_values_release(&c.known.values);
  if (!ok) {
    cul_buf_release(&c.kept);
    cul_buf_release(&c.holes);
    return false;
  }
  entry->text.len = c.kept.len;
  entry->text.data = cul_buf_take(&c.kept);
  entry->n_holes = c.holes.len / sizeof *entry->holes;
  entry->holes = (struct cul_hole *)cul_buf_take(&c.holes);
  entry->rigid = c.rigid;
  return true;
}

static size_t count_shown(const struct cul_entry *entry) {
  size_t shown = 0;
  for (size_t i = 0; i < entry->n_holes; i++)
    shown += entry->holes[i].kind == CUL_HOLE_REGION;
  return shown;
}

static size_t count_filled(MlirOperation op) {
  intptr_t n = mlirOperationGetNumRegions(op);
  size_t filled = 0;
  for (intptr_t i = 0; i < n; i++)
    filled +=
        mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i)).ptr != NULL;
  return filled;
}

/* Compare the entry with the printer's own text of op with its regions. */
static bool fit(struct cul_print_pass *p, MlirOperation op,
                struct cul_entry *entry) {
  struct cul_ref ref, *outer = p->by;
  struct cul_buf text = {0};
  bool ok;
  ref_make(p->ir, op, false, &ref);
  mlirOperationPrintWithState(op, ref.state, cul_compat_append, &text);
  p->by = &ref;
  ok = print_fit(p, op, entry, cul_buf_bytes(&text));
  p->by = outer;
  ref_release(&ref);
  cul_buf_release(&text);
  return ok;
}

/* Does a region have a label now that the old entry tells nothing about? */
static bool has_new_label(const struct cul_print_pass *p, MlirOperation op,
                          const struct cul_entry *old) {
  intptr_t n = mlirOperationGetNumRegions(op);
  for (intptr_t i = 0; old->no_labels && i < n; i++)
    if (old->no_labels & CUL_IR_REGION_BIT(i) &&
        print_has_label(p->ir, op, (size_t)i))
      return true;
  return false;
}

/* Find how regions are printed, if the old entry does not tell.  Named linalg
 * operations print none of theirs. */
static bool settle_regions(struct cul_print_pass *p, MlirOperation op,
                           const struct cul_entry *old,
                           struct cul_entry *entry) {
  size_t shown = count_shown(entry), filled = count_filled(op);
  entry->whole = shown == 0 && filled > 0;
  if (entry->whole)
    return true;
  if (shown < filled)
    return false;
  if (!old || old->whole || old->fleeting || has_new_label(p, op, old) ||
      !print_is_plain(p->ir, op))
    return fit(p, op, entry);
  entry->shown_labels = old->shown_labels;
  entry->no_labels = old->no_labels;
  entry->hidden_ends = old->hidden_ends;
  entry->own_dialect = old->own_dialect;
  return true;
}

/* Fill the entry; false: the text cannot be cut with this reference. */
static bool fill(struct cul_print_pass *p, MlirOperation op,
                 const struct cul_entry *old, struct cul_entry *entry) {
  bool regions = mlirOperationGetNumRegions(op) > 0;
  struct cul_buf text = {0};
  bool ok;
  mlirOperationPrintWithState(op, p->ref.state, cul_compat_append, &text);
  ok = cut(p, op, &text, entry);
  if (ok && regions)
    ok = settle_regions(p, op, old, entry);
  entry->heavy = ok && !regions && entry->text.len > most_text;
  cul_buf_release(&text);
  return ok;
}

/* Make the current module the reference from now on. */
static void refer_anew(struct cul_print_pass *p) {
  print_refer(p->ir, p->cache);
  p->ref.state.ptr = NULL;
  ref_release(&p->ref);
  p->ref.state = p->cache->ref;
  p->fresh = true;
}

/* Make an entry for op, whose children have entries.  old: its former entry, or
 * NULL. */
static struct cul_entry *print_make(struct cul_print_pass *p, MlirOperation op,
                                    const struct cul_entry *old) {
  struct cul_entry *entry = cul_xcalloc(1, sizeof *entry);
  bool ok;
  entry->dialect = dialect_of(op);
  ok = fill(p, op, old, entry);
  if (!ok && !p->fresh) {
    print_strip(entry);
    refer_anew(p);
    ok = fill(p, op, old, entry);
  }
  if (!ok)
    print_strip(entry);
  entry->symbols = !ok || memchr(entry->text.data, '@', entry->text.len);
  entry->fleeting = !ok;
  entry->whole |= !ok && mlirOperationGetNumRegions(op) > 0;
  print_wish(p, op, entry, old);
  entry->hash = cul_print_hash(p->ir, op, entry->whole);
  entry->frame = print_frame(p->ir, op, entry);
  entry->attributes = cul_print_attributes(op);
  return entry;
}
