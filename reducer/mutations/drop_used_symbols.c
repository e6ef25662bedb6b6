/* Drop symbols together with the operations that refer to them: functions
 * with their calls, globals with their accesses. */
#include "symbols.h"

/* One that nothing refers to is drop-symbols'. */
static bool is_used(struct cul_ir *ir, const struct cul_ir_symbol *symbol) {
  (void)ir;
  return symbol->uses > 0;
}

const struct cul_mutation cul_mutation_drop_used_symbols = {
    .name = "drop-used-symbols",
    .summary = "drop functions with their calls, globals with their accesses",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_symbols_frame,
    .how =
        &(const struct cul_symbols_how){.filter = is_used, .with_users = true},
};
