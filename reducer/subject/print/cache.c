/* Printing with a cache, and the life of the cache: see cache.h. */
#include "cache.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- printing ---- */

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
      .ir = ir, .cache = ir->prints, .out = out, .dialect = CUL_PRINT_DIALECT};
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
  cul_print_emit(&p, ir->root, cul_print_entry(&p, ir->root), 0);
  p.cache->looked = false;
  p.ref.state.ptr = NULL; /* owned by the cache */
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

/* ---- from revision to revision ---- */

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
      cul_entry_free(
          (struct cul_entry *)(uintptr_t)cache->entries.slots[i].value);
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

/* Does a new cache print the same as the printer? */
static bool is_faithful(struct cul_ir *ir) {
  MlirOpPrintingFlags flags = cul_ir_print_flags(ir);
  CUL_OWNED(cul_buf) text = {0}, out = {0};
  mlirOperationPrintWithFlags(ir->root, flags, cul_compat_append, &text);
  mlirOpPrintingFlagsDestroy(flags);
  return cul_print_cache_print(ir, &out) && out.len == text.len &&
         memcmp(out.data, text.data, out.len) == 0;
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
      cul_entry_free(entry);
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
    cul_print_refer(ir, ir->prints);
  place_all(ir->prints, ir->root);
  cul_rows_renew(&ir->prints->rows, ir->prints, ir->root);
  if (ir->prints->entries.n > ir->prints->rows.n + 1)
    drop_entries(ir);
  ir->prints->recycled = false;
  if (!ir->prints->looked) /* else touched operations are not printed yet */
    cul_notes_begin(ir->context);
}
