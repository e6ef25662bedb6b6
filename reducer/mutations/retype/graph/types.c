/* The types that the graph stands for now: see graph.h. */
#include <stdlib.h>

#include "graph.h"

static int64_t now(const struct cul_retype *g, uint32_t node) {
  return g->nodes.now[cul_retype_find(g, node)];
}

bool cul_retype_is_set(const struct cul_retype *g, uint32_t node) {
  return node != CUL_RETYPE_NONE && g->nodes.set[cul_retype_find(g, node)];
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

bool cul_retype_is_touched(const struct cul_retype *g,
                           const struct cul_retype_slot *slot) {
  for (uint32_t i = 0; i < CUL_RETYPE_SIZE + slot->rank; i++)
    if (cul_retype_is_set(g, slot->first + i))
      return true;
  return false;
}

static const struct cul_retype_wrapper *
wrapper_of(const struct cul_retype *g, const struct cul_retype_slot *slot) {
  return slot->wrapper == CUL_RETYPE_NONE ? NULL
                                          : &g->wrappers.items[slot->wrapper];
}

MlirType cul_retype_shaped_now(const struct cul_retype *g, uint32_t index) {
  const struct cul_retype_slot *slot = &g->slots.items[index];
  const struct cul_retype_wrapper *wrapper = wrapper_of(g, slot);
  MlirType element = {(void *)(intptr_t)now(g, slot->first)}, type;
  if (!cul_retype_is_touched(g, slot))
    return slot->shaped;
  if (wrapper)
    element = cul_retype_fill(g->ir, &wrapper->around_element, element);
  if (!element.ptr || !slot->shaped.ptr || !mlirTypeIsAShaped(slot->shaped))
    return element;
  type = shaped_now(g, slot, element);
  return type.ptr ? type : slot->shaped;
}

MlirType cul_retype_type_now(const struct cul_retype *g, uint32_t index) {
  const struct cul_retype_slot *slot = &g->slots.items[index];
  const struct cul_retype_wrapper *wrapper = wrapper_of(g, slot);
  MlirType type;
  if (!cul_retype_is_touched(g, slot))
    return slot->type;
  type = cul_retype_shaped_now(g, index);
  if (wrapper)
    type = cul_retype_fill(g->ir, &wrapper->around, type);
  return type.ptr ? type : slot->type;
}
