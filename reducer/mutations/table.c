/* The mutations that this worker was built with. */
#include <string.h>

#include "mutation.h"

#ifdef CUL_WORKER_TEXT
#define TEXT(name) ENTRY(name)
#else
#define TEXT(name)
#endif
#ifdef CUL_WORKER_MLIR
#define MLIR(name) ENTRY(name)
#else
#define MLIR(name)
#endif

#define ENTRY(name) extern const struct cul_mutation cul_mutation_##name;
#include "list.h"
#undef ENTRY

#define ENTRY(name) &cul_mutation_##name,
const struct cul_mutation *const cul_mutations[] = {
#include "list.h"
    NULL};

const struct cul_mutation *cul_mutation_find(const char *name) {
  for (size_t i = 0; cul_mutations[i]; i++)
    if (strcmp(cul_mutations[i]->name, name) == 0)
      return cul_mutations[i];
  return NULL;
}
