/* Names of values: those of the printer, and those that operations want.
 *
 * An operation is asked for the names that it wants by numbering it alone with
 * the printer: that shows its names before any conflict with others. */
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

/* ---- slots and wishes ---- */

static const uint32_t alone = UINT32_MAX; /* the only value of its group */

uint32_t cul_print_slot(struct cul_print_cache *cache, MlirValue value) {
  const uint64_t *known = cul_map_get(&cache->slots, value.ptr);
  uint32_t slot = (uint32_t)cache->n_slots;
  if (known)
    return (uint32_t)*known - 1;
  CUL_XADD(cache->slot, cache->n_slots, cache->cap_slots) =
      (struct cul_slot){slot, alone};
  cul_map_put(&cache->slots, value.ptr, slot + 1);
  return slot;
}

static uint32_t intern(struct cul_print_cache *cache, struct cul_bytes name) {
  uint64_t hash =
      cul_hash_text(UINT64_C(14695981039346656037), name.data, name.len);
  const uint64_t *known = cul_map_get(&cache->base_of, cul_hash_key(hash));
  if (known)
    return (uint32_t)*known;
  cache->bases = cul_xgrow(cache->bases, cache->n_bases, &cache->cap_bases,
                           sizeof *cache->bases);
  cache->bases[cache->n_bases] =
      (struct cul_base){hash, cul_xstrndup(name.data, name.len), name.len};
  cul_map_put(&cache->base_of, cul_hash_key(hash), cache->n_bases);
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
  name = cul_ref_name(&p->ref, mlirOperationGetResult(op, 0));
  return p->fresh && name.len > 1 && isdigit((unsigned char)name.data[1]);
}

/* May op name its arguments in its own way?  Functions do not. */
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
  CUL_OWNED(cul_buf) wishes = {0};
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
  cul_ref_release(&ref);
}

/* ---- names given ---- */

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
