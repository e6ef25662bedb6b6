/* Give all values of a module their names, by the rules of MLIR's printer.
 *
 * The values of a region are named before those of the regions inside it.  Each
 * inner region continues counting where the outer one ended; in generic form,
 * where the region that was named before it ended.  First come the arguments
 * for which the operation around has names; then, block by block, the other
 * arguments (arg0, arg1 ... in the first block, numbers in others) and the
 * results.  A name that is taken gets the next free _N.  The names that an
 * operation wants are obtained from the printer by numbering that operation
 * alone. */
#include <stdlib.h>
#include <string.h>

#include "cache.h"

static uint64_t hash_number(uint64_t hash, uint64_t n) {
  char room[20];
  size_t at = cul_print_digits(room, n);
  return cul_hash_text(hash, room + at, sizeof room - at);
}

static bool is_used(const struct cul_print_pass *p, uint64_t hash) {
  const uint64_t *n = cul_map_get(&p->used, cul_hash_key(hash));
  return n && *n;
}

static void use(struct cul_print_pass *p, uint64_t hash) {
  const uint64_t *n = cul_map_get(&p->used, cul_hash_key(hash));
  cul_map_put(&p->used, cul_hash_key(hash), n ? *n + 1 : 1);
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
    uint64_t stem = cul_hash_text(hash, "_", 1);
    name.base |= CUL_NAME_NUMBERED;
    do {
      name.number = (uint32_t)p->counts.conflicts++;
      hash = hash_number(stem, name.number);
    } while (is_used(p, hash));
  }
  use(p, hash);
  *name_of(p, wish->slot) = name;
}

/* Name the results of op; row: its row, or NULL. */
static void give_results(struct cul_print_pass *p, MlirOperation op,
                         const struct cul_row *row) {
  const struct cul_entry *own;
  if (row && !row->changed && row->n_results < 2) {
    if (row->n_results)
      give(p, &row->wish);
    return;
  }
  own = cul_print_entry(p, op);
  for (uint32_t i = 0; i < own->n_results; i++)
    give(p, &own->wishes[i]);
}

/* Name the values of a block; append operations with regions to around. */
static void enter_block(struct cul_print_pass *p, MlirBlock block, bool entry,
                        struct cul_ir_ops *around) {
  intptr_t n = mlirBlockGetNumArguments(block);
  struct cul_cursor cursor;
  struct cul_row *row;
  MlirOperation op;
  for (intptr_t i = 0; i < n; i++) {
    uint32_t slot = cul_print_slot(p->cache, mlirBlockGetArgument(block, i));
    if (name_of(p, slot)->base)
      continue;
    if (entry)
      give_argument(p, slot);
    else
      give_number(p, slot);
  }
  cursor = cul_rows_begin(&p->cache->rows, p->rows, block);
  while ((op = cul_rows_next(&cursor, &row)).ptr) {
    give_results(p, op, row);
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
    --*cul_map_get(&p->used, cul_hash_key(hashes[i / sizeof *hashes - 1]));
  p->scope.len = scope;
}

static void number_region(struct cul_print_pass *p, MlirRegion region,
                          const struct cul_entry *owner, uint32_t index) {
  struct cul_counts counts = p->counts;
  size_t scope = p->scope.len;
  CUL_OWNED(cul_ir_ops) ops = {0};
  enter(p, region, owner, index, &ops);
  for (size_t i = ops.n; i-- > 0;)
    cul_print_number(p, ops.items[i]);
  names_leave(p, scope);
  if (p->ir->form == CUL_FORM_NATIVE)
    p->counts = counts;
}

void cul_print_number(struct cul_print_pass *p, MlirOperation op) {
  const struct cul_entry *own = cul_print_entry(p, op);
  if (own->whole && p->ir->form == CUL_FORM_NATIVE)
    return;
  for (intptr_t i = mlirOperationGetNumRegions(op); i-- > 0;)
    number_region(p, mlirOperationGetRegion(op, i), own, (uint32_t)i);
}
