/* Entries: the text of one operation, kept, brought up to date, and written
 * with the names and regions of a printing in its holes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache.h"

#define INDENT 2
/* Longer texts (weights) are not kept. */
static const size_t most_text = (size_t)64 << 10;

static struct cul_entry *print_make(struct cul_print_pass *p, MlirOperation op,
                                    const struct cul_entry *old);

/* ---- names ---- */

static void emit_name(struct cul_print_pass *p, const void *value,
                      uint32_t slot, bool group) {
  struct cul_bytes name;
  if (!p->by) {
    cul_print_name(p, slot, group);
    return;
  }
  name = cul_ref_name(p->by, (MlirValue){value});
  if (group && name.len > 2 && name.data[name.len - 2] == '#')
    name.len -= 2;
  cul_buf_add(p->out, name.data, name.len);
}

static void emit_block_name(struct cul_print_pass *p, const void *block) {
  const uint64_t *number = cul_map_get(&p->blocks, block);
  p->failed |= !number;
  cul_buf_add(p->out, "^bb", 3);
  cul_print_decimal(p->out, number ? *number - 1 : 0);
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
  CUL_HEAP uint64_t *numbers = cul_xcalloc(n, sizeof *numbers);
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
}

static void emit_label(struct cul_print_pass *p, MlirBlock block, bool entry,
                       unsigned indent) {
  intptr_t n = mlirBlockGetNumArguments(block);
  emit_spaces(p, indent);
  emit_block_name(p, block.ptr);
  for (intptr_t i = 0; i < n; i++) {
    MlirValue value = mlirBlockGetArgument(block, i);
    cul_buf_adds(p->out, i ? ", " : "(");
    emit_name(p, value.ptr, cul_print_slot(p->cache, value), false);
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

/* row: the row of op, or NULL. */
static struct cul_entry *entry_at(struct cul_print_pass *p, MlirOperation op,
                                  const struct cul_row *row) {
  return row && !row->changed ? row->entry : cul_print_entry(p, op);
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
    cursor = cul_rows_begin(&p->cache->rows, p->rows, block);
    while ((op = cul_rows_next(&cursor, &row)).ptr) {
      if (entry->hidden_ends & bit && !cul_ir_next_op(op).ptr)
        continue;
      cul_print_emit(p, op, entry_at(p, op, row), indent + INDENT);
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
  CUL_OWNED(cul_buf) text = {0};
  struct cul_ref all;
  const char *at, *end;
  if (!p->by && !p->full.ptr) {
    cul_ref_make(p->ir, p->ir->root, false, &all);
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
}

void cul_print_emit(struct cul_print_pass *p, MlirOperation op,
                    struct cul_entry *entry, unsigned indent) {
  struct cul_entry *whole;
  if (entry->fleeting) {
    emit_fleeting(p, op, indent);
  } else if (entry->heavy) {
    whole = print_make(p, op, entry);
    emit_entry(p, op, whole, indent);
    cul_entry_free(whole);
  } else {
    emit_entry(p, op, entry, indent);
  }
}

/* ---- up to date ---- */

/* Free the text of an entry. */
static void print_strip(struct cul_entry *entry) {
  free((char *)entry->text.data);
  free(entry->holes);
  entry->text = (struct cul_bytes){NULL, 0};
  entry->holes = NULL;
  entry->n_holes = 0;
}

void cul_entry_free(struct cul_entry *entry) {
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
    cul_row_fill(&cache->rows.items[entry->row - 1], entry);
}

static void print_rewire(struct cul_print_pass *p, MlirOperation op,
                         struct cul_entry *entry) {
  for (size_t i = 0; i < entry->n_holes; i++) {
    struct cul_hole *hole = &entry->holes[i];
    MlirValue value;
    if (hole->operand == UINT32_MAX)
      continue;
    value = mlirOperationGetOperand(op, hole->operand);
    hole->what = value.ptr;
    hole->slot = cul_print_slot(p->cache, value);
  }
  entry->hash = cul_print_hash(p->ir, op, entry->whole);
  entry->state = CUL_ENTRY_SAME;
}

struct cul_entry *cul_print_entry(struct cul_print_pass *p, MlirOperation op) {
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
  cul_entry_free(old);
  return entry;
}

/* ---- regions ---- */

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
  struct cul_buf *outer = p->out;
  CUL_OWNED(cul_buf) own = {0};
  struct cul_bytes dialect = p->dialect;
  size_t from = 0, region = 0;
  bool ok = true;
  p->out = &own;
  p->dialect = CUL_PRINT_DIALECT;
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
  return ok;
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
  CUL_OWNED(cul_buf) text = {0};
  bool ok;
  cul_ref_make(p->ir, op, false, &ref);
  mlirOperationPrintWithState(op, ref.state, cul_compat_append, &text);
  p->by = &ref;
  ok = print_fit(p, op, entry, cul_buf_bytes(&text));
  p->by = outer;
  cul_ref_release(&ref);
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
      !cul_print_is_plain(p->ir, op))
    return fit(p, op, entry);
  entry->shown_labels = old->shown_labels;
  entry->no_labels = old->no_labels;
  entry->hidden_ends = old->hidden_ends;
  entry->own_dialect = old->own_dialect;
  return true;
}

/* ---- making ---- */

/* "arith" of arith.addi, if the printer may leave it out; else empty. */
static struct cul_bytes dialect_of(MlirOperation op) {
  MlirStringRef name = cul_ir_name(op);
  const char *dot = memchr(name.data, '.', name.length);
  size_t rest = dot ? name.length - (size_t)(dot + 1 - name.data) : 0;
  if (!dot || memchr(dot + 1, '.', rest))
    return (struct cul_bytes){"", 0};
  return (struct cul_bytes){name.data, (size_t)(dot - name.data)};
}

/* Fill the entry; false: the text cannot be cut with this reference. */
static bool fill(struct cul_print_pass *p, MlirOperation op,
                 const struct cul_entry *old, struct cul_entry *entry) {
  bool regions = mlirOperationGetNumRegions(op) > 0;
  CUL_OWNED(cul_buf) text = {0};
  bool ok;
  mlirOperationPrintWithState(op, p->ref.state, cul_compat_append, &text);
  ok = cul_print_cut(p, op, &text, entry);
  if (ok && regions)
    ok = settle_regions(p, op, old, entry);
  entry->heavy = ok && !regions && entry->text.len > most_text;
  return ok;
}

/* Make the current module the reference from now on. */
static void refer_anew(struct cul_print_pass *p) {
  cul_print_refer(p->ir, p->cache);
  p->ref.state.ptr = NULL;
  cul_ref_release(&p->ref);
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
  cul_print_wish(p, op, entry, old);
  entry->hash = cul_print_hash(p->ir, op, entry->whole);
  entry->frame = cul_print_frame(p->ir, op, entry);
  entry->attributes = cul_print_attributes(op);
  return entry;
}
