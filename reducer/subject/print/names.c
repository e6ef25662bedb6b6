/* Names of values: see cache.h.
 *
 * The rules of MLIR's printer.  A region's own values are named before those of
 * regions inside it, which go on counting from where it ended, each for itself
 * (in the generic form: from where the one before ended):
 * first the arguments that the operation around has names for, then, block by
 * block, the other arguments (arg0, arg1 ... in the first block, numbers in
 * others) and the results.  A name that is taken gets the next free _N.  What
 * an operation wants its values to be called is asked of the printer, by
 * numbering that operation alone. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache.h"

/* ---- the printer's names ---- */

void cul_ref_make(const struct cul_ir *ir, MlirOperation root, bool headers,
                  struct cul_ref *out) {
  MlirOpPrintingFlags flags = cul_ir_print_flags(ir);
  memset(out, 0, sizeof *out);
  if (headers)
    mlirOpPrintingFlagsSkipRegions(flags);
  out->state = mlirAsmStateCreateForOperation(root, flags);
  mlirOpPrintingFlagsDestroy(flags);
}

void cul_ref_release(struct cul_ref *ref) {
  if (ref->state.ptr)
    mlirAsmStateDestroy(ref->state);
  cul_map_release(&ref->values);
  cul_buf_release(&ref->names);
  memset(ref, 0, sizeof *ref);
}

struct cul_bytes cul_ref_name(struct cul_ref *ref, MlirValue value) {
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

bool cul_ref_knows(struct cul_bytes name) {
  return name.len > 0 && name.data[0] == '%';
}

/* ---- slots and wishes ---- */

static const uint32_t alone = UINT32_MAX; /* in its group */

uint32_t cul_print_slot(struct cul_print_cache *cache, MlirValue value) {
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

/* Without the _N that a name got because others of the operation wanted the
 * same. */
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

/* name: "%cst", "%5", without #N. */
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
    uint32_t slot = cul_print_slot(cache, value), number = 0;
    struct cul_bytes name = {"%0", 2};
    const char *hash;
    if (ref->state.ptr)
      name = cul_ref_name(ref, value);
    hash = memchr(name.data, '#', name.len);
    if (hash) {
      number = (uint32_t)strtoul(hash + 1, NULL, 10);
      name.len = (size_t)(hash - name.data);
    }
    cache->slot[slot] = (struct cul_slot){slot, hash ? number : alone};
    if (number)
      cache->slot[slot].head =
          cul_print_slot(cache, mlirOperationGetResult(op, i - number));
    else
      add_wish(cache, wishes, slot, 0, name);
  }
}

/* The printer's own choice? */
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
      struct cul_bytes name = cul_ref_name(ref, value);
      if (is_default(name, entry, number))
        number++;
      else
        add_wish(cache, wishes, cul_print_slot(cache, value), index, name);
    }
    entry = false;
  }
}

static bool has_arguments(MlirOperation op) {
  intptr_t n = mlirOperationGetNumRegions(op);
  for (intptr_t i = 0; i < n; i++)
    CUL_IR_EACH_BLOCK(block, mlirOperationGetRegion(op, i))
  if (mlirBlockGetNumArguments(block) > 0)
    return true;
  return false;
}

/* Are the names of all results numbers, as the reference has them? */
static bool are_numbers(struct cul_print_pass *p, MlirOperation op) {
  struct cul_bytes name;
  intptr_t n = mlirOperationGetNumResults(op);
  if (n == 0)
    return true;
  if (n > 1)
    return false;
  if (p->ir->form != CUL_FORM_NATIVE)
    return true;
  name = cul_ref_name(&p->ref, mlirOperationGetResult(op, 0));
  return p->fresh && name.len > 1 && isdigit((unsigned char)name.data[1]);
}

/* Functions call their arguments as ever. */
static bool may_name_arguments(struct cul_print_pass *p, MlirOperation op,
                               const struct cul_entry *old) {
  return p->ir->form == CUL_FORM_NATIVE && has_arguments(op) &&
         !(old && old->n_arguments == 0 && cul_ir_is_function(op));
}

void cul_print_wish(struct cul_print_pass *p, MlirOperation op,
                    struct cul_entry *entry, const struct cul_entry *old) {
  intptr_t n = mlirOperationGetNumRegions(op);
  bool arguments = may_name_arguments(p, op, old);
  struct cul_ref ref = {0};
  struct cul_buf wishes = {0};
  open_bases(p->cache);
  if (arguments || !are_numbers(p, op))
    cul_ref_make(p->ir, op, true, &ref);
  wish_results(p->cache, op, &ref, &wishes);
  entry->n_results = (uint32_t)(wishes.len / sizeof(struct cul_wish));
  for (intptr_t i = 0; arguments && i < n; i++)
    wish_arguments(p->cache, mlirOperationGetRegion(op, i), (uint32_t)i, &ref,
                   &wishes);
  entry->n_arguments =
      (uint32_t)(wishes.len / sizeof(struct cul_wish)) - entry->n_results;
  entry->wishes = wishes.len ? (struct cul_wish *)cul_buf_take(&wishes) : NULL;
  cul_buf_release(&wishes);
  cul_ref_release(&ref);
}

/* ---- numbering ---- */

/* n in decimal at the end of room; returns where it starts. */
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
  p->failed |= is_used(p, hash); /* by an operation that says arg0 itself */
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

/* around: those with regions are added. */
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
    if (row && !row->changed && row->n_results < 2) {
      if (row->n_results)
        give(p, &row->wish);
    } else {
      const struct cul_entry *own = cul_print_entry(p, op);
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

/* Names given since then are free again. */
static void leave(struct cul_print_pass *p, size_t scope) {
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
    cul_print_number(p, ops.items[i]);
  cul_ir_ops_release(&ops);
  leave(p, scope);
  if (p->ir->form == CUL_FORM_NATIVE)
    p->counts = counts;
}

/* The generic form has no name twice: there the order matters, and the last
 * comes first. */
void cul_print_number(struct cul_print_pass *p, MlirOperation op) {
  const struct cul_entry *own = cul_print_entry(p, op);
  if (own->whole && p->ir->form == CUL_FORM_NATIVE)
    return;
  for (intptr_t i = mlirOperationGetNumRegions(op); i-- > 0;)
    number_region(p, mlirOperationGetRegion(op, i), own, (uint32_t)i);
}

void cul_print_decimal(struct cul_buf *out, uint64_t n) {
  char room[20];
  size_t at = decimal(room, n);
  cul_buf_add(out, room + at, sizeof room - at);
}

void cul_print_name(struct cul_print_pass *p, uint32_t slot, bool group) {
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
    cul_print_decimal(p->out, name.number);
  if (!group && s->number != alone) {
    cul_buf_addc(p->out, '#');
    cul_print_decimal(p->out, s->number);
  }
}
