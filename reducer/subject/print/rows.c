/* Rows: the operations of each block, with what a printing needs of them, and
 * walks through a block by them: see cache.h. */
#include <stdlib.h>
#include <string.h>

#include "../ir/edits.h"
#include "cache.h"

/* ---- laying ---- */

void cul_row_fill(struct cul_row *row, struct cul_entry *entry) {
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
  cul_row_fill(row, entry);
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
  CUL_XADD(rows->spans, rows->n_spans, rows->cap_spans) = span;
  cul_map_put(&rows->span_of, block.ptr, rows->n_spans);
  for (uint32_t i = span.first; i < span.first + span.n; i++)
    if (rows->items[i].regions)
      lay(rows, cache, rows->items[i].op);
}

static void lay(struct cul_rows *rows, struct cul_print_cache *cache,
                MlirOperation root) {
  CUL_IR_EACH_BLOCK_OF(block, root) lay_block(rows, cache, block);
}

void cul_rows_release(struct cul_rows *rows) {
  free(rows->items);
  free(rows->spans);
  cul_map_release(&rows->span_of);
  memset(rows, 0, sizeof *rows);
}

void cul_rows_renew(struct cul_rows *rows, struct cul_print_cache *cache,
                    MlirOperation root) {
  for (size_t i = 0; i < cache->entries.cap; i++) {
    const void *op = cache->entries.slots[i].key;
    struct cul_entry *entry = cul_map_get_ptr(&cache->entries, op);
    if (entry)
      entry->row = 0;
  }
  cul_rows_release(rows);
  lay(rows, cache, root);
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

bool cul_rows_hold(const struct cul_ir *ir) {
  const struct cul_note *notes;
  size_t n;
  return ir->prints && ir->prints->rows.holds &&
         cul_notes_get(ir->context, &notes, &n) &&
         ir->prints->rows.holds == 1 + n;
}

/* ---- going through a block ---- */

struct cul_cursor cul_rows_begin(const struct cul_rows *rows, bool holds,
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

MlirOperation cul_rows_next(struct cul_cursor *cursor, struct cul_row **row) {
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
    struct cul_cursor cursor = cul_rows_begin(rows, true, block);
    struct cul_row *row;
    MlirOperation inner;
    while ((inner = cul_rows_next(&cursor, &row)).ptr)
      count += row && !row->regions ? 1 : count_in(rows, inner);
  }
  return count;
}

size_t cul_print_cache_count(const struct cul_ir *ir) {
  return cul_rows_hold(ir) ? count_in(&ir->prints->rows, ir->root)
                           : cul_ir_count(ir->root);
}
