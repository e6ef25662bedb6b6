/* The engines of this worker; only the MLIR worker has any. */
#include <string.h>

#include "engine.h"

#ifdef CUL_WORKER_MLIR
#define ENGINE(name) extern const struct cul_engine cul_engine_##name;
#include "list.h"
#undef ENGINE
#endif

const struct cul_engine *const cul_engines[] = {
#ifdef CUL_WORKER_MLIR
#define ENGINE(name) &cul_engine_##name,
#include "list.h"
#undef ENGINE
#endif
    NULL};

const struct cul_engine *cul_engine_find(const char *name) {
  for (size_t i = 0; cul_engines[i]; i++)
    if (strcmp(cul_engines[i]->name, name) == 0)
      return cul_engines[i];
  return NULL;
}
