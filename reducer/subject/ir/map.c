/* A hash map from pointers: open addressing, linear probing, no deletion. */
#include "map.h"

#include <stdlib.h>
#include <string.h>

#include "../../../base/buf.h"

static void grow(struct cul_map *map) {
  struct cul_map bigger = {.cap = map->cap ? 2 * map->cap : 64};
  bigger.slots = cul_xcalloc(bigger.cap, sizeof *bigger.slots);
  for (size_t i = 0; i < map->cap; i++)
    if (map->slots[i].key)
      *cul_map_find(&bigger, map->slots[i].key) = map->slots[i];
  bigger.n = map->n;
  cul_map_release(map);
  *map = bigger;
}

void cul_map_put(struct cul_map *map, const void *key, uint64_t value) {
  struct cul_map_slot *slot;
  if (4 * (map->n + 1) > 3 * map->cap)
    grow(map);
  slot = cul_map_find(map, key);
  map->n += !slot->key;
  *slot = (struct cul_map_slot){key, value};
}

void *cul_map_get_ptr(const struct cul_map *map, const void *key) {
  uint64_t *value = cul_map_get(map, key);
  return value ? (void *)(uintptr_t)*value : NULL;
}

void cul_map_put_ptr(struct cul_map *map, const void *key, void *value) {
  cul_map_put(map, key, (uint64_t)(uintptr_t)value);
}

void cul_map_release(struct cul_map *map) {
  free(map->slots);
  memset(map, 0, sizeof *map);
}
