/* The mutations that this worker was built with. */
#include <string.h>

#include "mutation.h"

#ifdef CUL_WORKER_TEXT
#define TEXT(...) ROW(cul_text_each, cul_text_frame, NULL, __VA_ARGS__)
#else
#define TEXT(...)
#endif
#ifdef CUL_WORKER_MLIR
#include "retype/rules/rules.h"
#define EACH(...) ROW(cul_each, cul_each_frame, NULL, __VA_ARGS__)
#define OUTLINE(...) ROW(cul_outline, cul_outline_frame, NULL, __VA_ARGS__)
#define SYMBOLS(...)                                                           \
  ROW(cul_drop_symbols, cul_drop_symbols_frame, NULL, __VA_ARGS__)
#define POSITION(...) ROW(cul_positions, cul_position_frame, NULL, __VA_ARGS__)
#define RETYPE(...)                                                            \
  ROW(cul_retype_edit, cul_retype_frame, cul_retype_is_unruled, __VA_ARGS__)
#define PASS(...) ROW(cul_run_pass, cul_run_pass_frame, NULL, __VA_ARGS__)
#else
#define EACH(...)
#define OUTLINE(...)
#define SYMBOLS(...)
#define POSITION(...)
#define RETYPE(...)
#define PASS(...)
#endif

#define ROW(type, frame, wanted, id, ...)                                      \
  extern const struct cul_mutation_frame frame;                                \
  extern const struct type cul_mutation_##id;
#include "list.h"
#undef ROW

#define ROW(type, frame_, wanted_, id, name_, kinds_, phase_, flags_, what)    \
  &(const struct cul_mutation){.name = name_,                                  \
                               .summary = what,                                \
                               .kinds = CUL_SUBJECT_##kinds_,                  \
                               .phase = CUL_PHASE_##phase_,                    \
                               .flags = flags_,                                \
                               .frame = &frame_,                               \
                               .how = &cul_mutation_##id,                      \
                               .wanted = wanted_},
const struct cul_mutation *const cul_mutations[] = {
#include "list.h"
    NULL};

const struct cul_mutation *cul_mutation_find(const char *name) {
  for (size_t i = 0; cul_mutations[i]; i++)
    if (strcmp(cul_mutations[i]->name, name) == 0)
      return cul_mutations[i];
  return NULL;
}
