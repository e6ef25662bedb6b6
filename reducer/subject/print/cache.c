/* Printing with a cache: see cache.h. */
#include "cache.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../ir/edits.h"

#define INDENT 2

/* Left out where nothing is around. */
static const struct cul_bytes initial = {"builtin", 7};

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

/* The comment behind a label: "  // 2 preds: ^bb1, ^bb2". */
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
    emit_name(p, value.ptr, cul_print_slot(p->cache, value), false);
    cul_buf_adds(p->out, ": ");
    cul_buf_adds(p->out, cul_ir_type_text(p->ir, mlirValueGetType(value)));
  }
  cul_buf_adds(p->out, n ? "):" : ":");
  emit_predecessors(p, block, entry);
  cul_buf_addc(p->out, '\n');
}

/* An entry block that is shown at all: for its arguments, and, in generic form,
 * where it is empty. */
static bool needs_label(const struct cul_ir *ir, MlirBlock entry) {
  return mlirBlockGetNumArguments(entry) > 0 ||
         (ir->form != CUL_FORM_NATIVE && !cul_ir_last_op(entry).ptr);
}

static void emit(struct cul_print_pass *p, MlirOperation op,
                 struct cul_entry *entry, unsigned indent);

/* row: that of op, or NULL. */
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
  CUL_IR_EACH_BLOCK(block, region)
  cul_map_put(&p->blocks, block.ptr, ++number);
  CUL_IR_EACH_BLOCK(block, region) {
    bool entered = block.ptr == first.ptr;
    if (!entered || (entry->shown_labels & bit && needs_label(p->ir, block)))
      emit_label(p, block, entered, indent);
    cursor = cul_rows_begin(&p->cache->rows, p->rows, block);
    while ((op = cul_rows_next(&cursor, &row)).ptr) {
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

/* The lines behind the first are indented by hand. */
static void emit_fleeting(struct cul_print_pass *p, MlirOperation op,
                          unsigned indent) {
  struct cul_buf text = {0};
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
  cul_buf_release(&text);
}

void cul_print_strip(struct cul_entry *entry) {
  free((char *)entry->text.data);
  free(entry->holes);
  entry->text = (struct cul_bytes){NULL, 0};
  entry->holes = NULL;
  entry->n_holes = 0;
}

static void free_entry(struct cul_entry *entry) {
  if (!entry)
    return;
  cul_print_strip(entry);
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

struct cul_entry *cul_print_entry(struct cul_print_pass *p, MlirOperation op) {
  struct cul_entry *old = cul_map_get_ptr(&p->cache->entries, op.ptr), *entry;
  enum cul_entry_state state = state_of(p, op, old);
  if (state == CUL_ENTRY_SAME)
    return old;
  if (state == CUL_ENTRY_REWIRED && !p->cache->recycled) {
    cul_print_rewire(p, op, old);
    refill(p->cache, old);
    return old;
  }
  entry = cul_print_make(p, op, p->cache->recycled ? NULL : old);
  if (entry->heavy)
    cul_print_strip(entry);
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

/* Append op as it stands `indent` columns in. */
static void emit(struct cul_print_pass *p, MlirOperation op,
                 struct cul_entry *entry, unsigned indent) {
  struct cul_entry *whole;
  if (entry->fleeting) {
    emit_fleeting(p, op, indent);
  } else if (entry->heavy) {
    whole = cul_print_make(p, op, entry);
    emit_entry(p, op, whole, indent);
    free_entry(whole);
  } else {
    emit_entry(p, op, entry, indent);
  }
}

bool cul_print_has_label(const struct cul_ir *ir, MlirOperation op, size_t i) {
  MlirBlock entry =
      mlirRegionGetFirstBlock(mlirOperationGetRegion(op, (intptr_t)i));
  return entry.ptr && needs_label(ir, entry);
}

/* Append region i as text shows it at out->len - start. */
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
      entry->no_labels |= cul_print_has_label(p->ir, op, i) ? 0 : bit;
      return true;
    }
    p->out->len = start;
  }
  return false;
}

bool cul_print_fit(struct cul_print_pass *p, MlirOperation op,
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

void cul_print_refer(struct cul_ir *ir, struct cul_print_cache *cache) {
  struct cul_ref ref;
  cul_ref_make(ir, ir->root, true, &ref);
  if (cache->before.ptr)
    mlirAsmStateDestroy(cache->before);
  cache->before = cache->ref;
  ir->numbering = cache->ref = ref.state;
  cul_map_release(&cache->blocks);
  number_blocks(&cache->blocks, ir->root);
}

/* A child has none of these pages yet: all at once, not one fault at a time. */
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
  p.rows = cul_rows_hold(ir);
  if (!p.cache->ref.ptr) {
    cul_print_refer(ir, p.cache);
    p.fresh = true;
  }
  p.ref.state = p.cache->ref;
  cul_print_number(&p, ir->root);
  p.cache->looked = true;
  reserve(out, p.cache->length);
  emit(&p, ir->root, cul_print_entry(&p, ir->root), 0);
  p.cache->looked = false;
  p.ref.state.ptr = NULL; /* the cache's */
  cul_ref_release(&p.ref);
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
  cul_rows_release(&cache->rows);
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

/* Does a new cache give what the printer gives? */
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

/* Operations that are gone leave entries behind, and a new one may come to
 * stand at the address of one of them: it has none of its own then, and the row
 * that was that one's is another's by now. */
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
    cul_print_refer(ir, ir->prints);
  cul_print_place(ir->prints, ir->root);
  cul_rows_renew(&ir->prints->rows, ir->prints, ir->root);
  if (ir->prints->entries.n > ir->prints->rows.n + 1)
    drop_entries(ir);
  ir->prints->recycled = false;
  if (!ir->prints->looked) /* else what was touched is not printed yet */
    cul_notes_begin(ir->context);
}
