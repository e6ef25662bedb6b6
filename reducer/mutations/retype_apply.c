/* Write new types into the module: see retype.h. */
#include <stdlib.h>
#include <string.h>

#include "retype_rank.h"

/* ---- types ---- */

static int64_t now(const struct cul_retype *g, uint32_t node) {
  return g->now[cul_retype_find(g, node)];
}

static bool is_set(const struct cul_retype *g, uint32_t node) {
  return node != CUL_RETYPE_NONE && g->set[cul_retype_find(g, node)];
}

int64_t cul_retype_now(const struct cul_retype *g, uint32_t node) {
  return now(g, node);
}

static MlirAttribute attr_now(const struct cul_retype *g, uint32_t node) {
  return (MlirAttribute){(void *)(intptr_t)now(g, node)};
}

/* Returns the rank. */
static intptr_t sizes_now(const struct cul_retype *g,
                          const struct cul_retype_slot *slot, int64_t *sizes,
                          bool *scalable) {
  intptr_t n = 0;
  for (uint32_t i = 0; i < slot->rank; i++) {
    int64_t size = now(g, slot->first + CUL_RETYPE_SIZE + i);
    if (size == CUL_RETYPE_GONE)
      continue;
    scalable[n] = cul_retype_is_scalable(size);
    sizes[n] = scalable[n] ? -size : size;
    if (size == CUL_RETYPE_DYNAMIC)
      sizes[n] = mlirShapedTypeGetDynamicSize();
    n++;
  }
  return n;
}

bool cul_retype_is_default_layout(int64_t layout) {
  MlirAttribute attr = {(void *)(intptr_t)layout};
  return !attr.ptr ||
         (mlirAttributeIsAAffineMap(attr) &&
          mlirAffineMapIsIdentity(mlirAffineMapAttrGetValue(attr)));
}

static MlirAttribute layout_now(const struct cul_retype *g,
                                const struct cul_retype_slot *slot) {
  MlirAttribute layout = attr_now(g, slot->first + CUL_RETYPE_LAYOUT);
  if (cul_retype_is_default_layout((int64_t)(intptr_t)layout.ptr))
    layout.ptr = NULL;
  return layout;
}

static MlirType shaped_now(const struct cul_retype *g,
                           const struct cul_retype_slot *slot,
                           MlirType element) {
  MlirLocation at = g->ir->unknown;
  MlirAttribute layout = layout_now(g, slot);
  MlirAttribute space = attr_now(g, slot->first + CUL_RETYPE_SPACE);
  int64_t *sizes = cul_xcalloc(slot->rank + 1, sizeof *sizes);
  bool *scalable = cul_xcalloc(slot->rank + 1, sizeof *scalable);
  MlirType type = slot->shaped;
  intptr_t n;
  n = sizes_now(g, slot, sizes, scalable);
  if (g->triton && n == 0 && slot->rank > 0)
    type = element;
  else if (mlirTypeIsARankedTensor(type))
    type = mlirRankedTensorTypeGetChecked(at, n, sizes, element, layout);
  else if (mlirTypeIsAMemRef(type))
    type = mlirMemRefTypeGetChecked(at, element, n, sizes, layout, space);
  else if (mlirTypeIsAVector(type))
    type = mlirVectorTypeGetScalableChecked(at, n, sizes, scalable, element);
  else if (mlirTypeIsAUnrankedTensor(type))
    type = mlirUnrankedTensorTypeGet(element);
  else if (mlirTypeIsAUnrankedMemRef(type))
    type = mlirUnrankedMemRefTypeGet(element, space);
  free(sizes);
  free(scalable);
  cul_buf_clear(&g->ir->diagnostic);
  return type;
}

static bool is_touched(const struct cul_retype *g,
                       const struct cul_retype_slot *slot) {
  for (uint32_t i = 0; i < CUL_RETYPE_SIZE + slot->rank; i++)
    if (is_set(g, slot->first + i))
      return true;
  return false;
}

static const struct cul_retype_shell *
shell_of(const struct cul_retype *g, const struct cul_retype_slot *slot) {
  return slot->shell == CUL_RETYPE_NONE ? NULL : &g->shells[slot->shell];
}

MlirType cul_retype_shaped_now(const struct cul_retype *g, uint32_t index) {
  const struct cul_retype_slot *slot = &g->slots[index];
  const struct cul_retype_shell *shell = shell_of(g, slot);
  MlirType element = {(void *)(intptr_t)now(g, slot->first)}, type;
  if (!is_touched(g, slot))
    return slot->shaped;
  if (shell)
    element = cul_retype_fill(g->ir, &shell->around_element, element);
  if (!element.ptr || !slot->shaped.ptr || !mlirTypeIsAShaped(slot->shaped))
    return element;
  type = shaped_now(g, slot, element);
  return type.ptr ? type : slot->shaped;
}

MlirType cul_retype_type_now(const struct cul_retype *g, uint32_t index) {
  const struct cul_retype_slot *slot = &g->slots[index];
  const struct cul_retype_shell *shell = shell_of(g, slot);
  MlirType type;
  if (!is_touched(g, slot))
    return slot->type;
  type = cul_retype_shaped_now(g, index);
  if (shell)
    type = cul_retype_fill(g->ir, &shell->around, type);
  return type.ptr ? type : slot->type;
}

/* ---- signatures, numbers ---- */

static void write_signature(struct cul_retype *g,
                            const struct cul_retype_holder *h) {
  struct cul_ir_signature sig;
  if (!cul_ir_signature_get(g->ir, h->op, &sig))
    return;
  for (uint32_t i = 0; i < h->n_inputs; i++)
    sig.inputs[i] = cul_retype_type_now(g, h->first + i);
  for (uint32_t i = 0; i < h->n_results; i++)
    sig.results[i] = cul_retype_type_now(g, h->first + h->n_inputs + i);
  (void)cul_ir_signature_set(g->ir, h->op, &sig);
  cul_ir_signature_release(&sig);
}

static bool holder_touched(const struct cul_retype *g,
                           const struct cul_retype_holder *h) {
  for (uint32_t i = 0; i < h->n_inputs + h->n_results; i++)
    if (is_touched(g, &g->slots[h->first + i]))
      return true;
  return false;
}

struct change {
  int64_t numbers[CUL_RETYPE_MAX];
  bool *keep; /* operands: those of entries that become static go */
  bool changed, dropped;
};

static void change_numbers(const struct cul_retype *g,
                           const struct cul_retype_binding *b,
                           struct change *c) {
  size_t at = cul_retype_first_dynamic(b->op, b->name);
  for (size_t i = 0; i < b->n; i++) {
    uint32_t node = g->bound[b->first + i];
    bool dynamic = c->numbers[i] == CUL_RETYPE_DYNAMIC;
    if (is_set(g, node) && now(g, node) != CUL_RETYPE_GONE) {
      /* Lists say of a scalable size so many times what. */
      bool scalable = c->numbers[i] > 0 && cul_retype_is_scalable(now(g, node));
      c->numbers[i] = scalable ? -now(g, node) : now(g, node);
      c->changed = true;
      if (dynamic && at != SIZE_MAX) {
        c->keep[at] = false;
        c->dropped = true;
      }
    }
    at += dynamic && at != SIZE_MAX;
  }
}

static void write_binding(struct cul_retype *g,
                          const struct cul_retype_binding *b) {
  MlirAttribute old = cul_ir_get(b->op, b->name);
  size_t n = (size_t)mlirOperationGetNumOperands(b->op);
  struct change c = {.changed = false};
  if (cul_numbers(old, c.numbers) != b->n)
    return;
  c.keep = cul_xcalloc(n + b->n + 1, sizeof *c.keep);
  memset(c.keep, true, n + b->n);
  change_numbers(g, b, &c);
  if (c.changed)
    (void)cul_ir_set(g->ir, b->op, b->name,
                     cul_numbers_replaced(g->ir, old, c.numbers, b->n));
  if (c.dropped)
    (void)cul_ir_keep_operands(g->ir, b->op, c.keep);
  free(c.keep);
}

/* ---- all ---- */

size_t cul_retype_apply(struct cul_retype *g) {
  struct cul_ir_list list = {0};
  size_t n = 0;
  cul_ir_list(g->ir->root, &list);
  for (size_t i = 0; i < g->n_bindings; i++)
    write_binding(g, &g->bindings[i]);
  for (size_t i = 0; i < list.n; i++)
    cul_retype_derive_layout(g, list.items[i].op);
  cul_retype_derive_slices(g);
  for (size_t i = 0; i < list.n; i++)
    cul_retype_mend_attributes(g, list.items[i].op);
  for (uint32_t i = 0; i < g->n_slots; i++) {
    MlirType type = cul_retype_type_now(g, i);
    if (!g->slots[i].value.ptr || mlirTypeEqual(type, g->slots[i].type))
      continue;
    mlirValueSetType(g->slots[i].value, type);
    n++;
  }
  for (size_t i = 0; i < g->n_holders; i++)
    if (holder_touched(g, &g->holders[i]) &&
        !cul_retype_write_global(g, &g->holders[i]))
      write_signature(g, &g->holders[i]);
  for (size_t i = 0; i < list.n; i++)
    cul_retype_mend(g, list.items[i].op);
  for (size_t i = 0; i < list.n; i++)
    cul_retype_mend_cast(g, list.items[i].op);
  cul_ir_list_release(&list);
  return n;
}
