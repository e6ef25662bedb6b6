/* The kinds of subject in this worker. */
#include "../subject/subject.h"

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

#define ENTRY(name)                                                            \
  extern const struct cul_subject_kind cul_subject_kind_##name;
#include "list.h"
#undef ENTRY

#define ENTRY(name) &cul_subject_kind_##name,
const struct cul_subject_kind *const cul_subject_kinds[] = {
#include "list.h"
    NULL};

const struct cul_subject_kind *cul_subject_kind_for(enum cul_form form) {
  for (size_t i = 0; cul_subject_kinds[i]; i++)
    if (cul_subject_kinds[i]->bits & cul_form_bits(form))
      return cul_subject_kinds[i];
  return NULL;
}
