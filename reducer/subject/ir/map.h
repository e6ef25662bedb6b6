/* A hash map from pointers to numbers or pointers, for MLIR handles: pointers
 * that the context keeps unique (types, attributes) or that never move
 * (operations, blocks). */
#ifndef CUL_REDUCER_SUBJECT_IR_MAP_H
#define CUL_REDUCER_SUBJECT_IR_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cul_map_slot {
  const void *key; /* NULL: free */
  uint64_t value;
};

/* {0} is empty and valid. */
struct cul_map {
  struct cul_map_slot *slots;
  size_t n, cap; /* cap: 0 or a power of two */
};

/* The slot of key, or the free one for it; cap > 0. */
static inline struct cul_map_slot *cul_map_find(const struct cul_map *map,
                                                const void *key) {
  uint64_t h = (uint64_t)(uintptr_t)key * UINT64_C(0x9E3779B97F4A7C15);
  size_t at = (size_t)(h >> 20) & (map->cap - 1);
  while (map->slots[at].key && map->slots[at].key != key)
    at = (at + 1) & (map->cap - 1);
  return &map->slots[at];
}

/* The value of key (not NULL), or NULL; valid until the next put. */
static inline uint64_t *cul_map_get(const struct cul_map *map,
                                    const void *key) {
  struct cul_map_slot *slot;
  if (!map->cap || !key)
    return NULL;
  slot = cul_map_find(map, key);
  return slot->key ? &slot->value : NULL;
}
/* Set the value of key, which is not NULL. */
void cul_map_put(struct cul_map *map, const void *key, uint64_t value);
/* Does the map have the key? */
static inline bool cul_map_has(const struct cul_map *map, const void *key) {
  return cul_map_get(map, key) != NULL;
}
/* The same for pointers; NULL: the key is not in the map. */
void *cul_map_get_ptr(const struct cul_map *map, const void *key);
void cul_map_put_ptr(struct cul_map *map, const void *key, void *value);
/* Free what it owns; {0} is fine. */
void cul_map_release(struct cul_map *map);

#endif
