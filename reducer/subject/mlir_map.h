/* A hash map from pointers to numbers or pointers: MLIR handles are pointers
 * that the context keeps unique (types, attributes) or that never move
 * (operations, blocks). */
#ifndef CUL_REDUCER_SUBJECT_MLIR_MAP_H
#define CUL_REDUCER_SUBJECT_MLIR_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* {0} is empty and valid. */
struct cul_map {
  const void **keys;
  uint64_t *values;
  size_t n, cap; /* cap: 0 or a power of two */
};

/* The value of key (not NULL), or NULL; valid until the next put. */
uint64_t *cul_map_get(const struct cul_map *map, const void *key);
/* Set it. */
void cul_map_put(struct cul_map *map, const void *key, uint64_t value);
static inline bool cul_map_has(const struct cul_map *map, const void *key) {
  return cul_map_get(map, key) != NULL;
}
/* The same for pointers: NULL where there is none. */
void *cul_map_get_ptr(const struct cul_map *map, const void *key);
void cul_map_put_ptr(struct cul_map *map, const void *key, void *value);
void cul_map_release(struct cul_map *map);

#endif
