/* A hash map from pointers: open addressing, linear probing, no deletion. */
#include "mlir_map.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/buf.h"

static size_t slot(const struct cul_map *map, const void *key) {
  uint64_t h = (uint64_t)(uintptr_t)key * UINT64_C(0x9E3779B97F4A7C15);
  size_t at = (size_t)(h >> 20) & (map->cap - 1);
  while (map->keys[at] && map->keys[at] != key)
    at = (at + 1) & (map->cap - 1);
  return at;
}

static void grow(struct cul_map *map) {
  struct cul_map bigger = {.cap = map->cap ? 2 * map->cap : 64};
  bigger.keys = cul_xcalloc(bigger.cap, sizeof *bigger.keys);
  bigger.values = cul_xcalloc(bigger.cap, sizeof *bigger.values);
  for (size_t i = 0; i < map->cap; i++)
    if (map->keys[i]) {
      size_t at = slot(&bigger, map->keys[i]);
      bigger.keys[at] = map->keys[i];
      bigger.values[at] = map->values[i];
    }
  bigger.n = map->n;
  cul_map_release(map);
  *map = bigger;
}

uint64_t *cul_map_get(const struct cul_map *map, const void *key) {
  size_t at;
  if (!map->cap || !key)
    return NULL;
  at = slot(map, key);
  return map->keys[at] ? &map->values[at] : NULL;
}

void cul_map_put(struct cul_map *map, const void *key, uint64_t value) {
  size_t at;
  if (4 * (map->n + 1) > 3 * map->cap)
    grow(map);
  at = slot(map, key);
  map->n += !map->keys[at];
  map->keys[at] = key;
  map->values[at] = value;
}

void *cul_map_get_ptr(const struct cul_map *map, const void *key) {
  uint64_t *value = cul_map_get(map, key);
  return value ? (void *)(uintptr_t)*value : NULL;
}

void cul_map_put_ptr(struct cul_map *map, const void *key, void *value) {
  cul_map_put(map, key, (uint64_t)(uintptr_t)value);
}

void cul_map_release(struct cul_map *map) {
  free(map->keys);
  free(map->values);
  memset(map, 0, sizeof *map);
}
