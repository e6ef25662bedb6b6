/* Positions that go one by one: see position.h. */
#include "../frame/cfg.h"
#include "../frame/each.h"
#include "position.h"

/* Drop a result of an operation with regions, and with it what the regions
 * yield for it; where it is carried around a loop, its init and its block
 * arguments too. */
const struct cul_mutation cul_mutation_drop_region_result = {
    .name = "drop-region-result",
    .summary = "drop a result of a loop or conditional, with what yields it",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_position_frame,
    .how = &cul_position_results,
};

/* Drop an operand that enters the regions of an operation as a block argument
 * in each of them; what is carried around a loop goes with its result. */
const struct cul_mutation cul_mutation_drop_region_argument = {
    .name = "drop-region-argument",
    .summary = "drop an operand that enters regions as a block argument",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_position_frame,
    .how = &cul_position_entering,
};

/* An input of linalg.generic or linalg.map goes, with its
 * map and the argument it is in the body. */
const struct cul_mutation cul_mutation_drop_linalg_input = {
    .name = "drop-linalg-input",
    .summary = "drop an input of linalg.generic with its map and argument",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_position_frame,
    .how = &cul_position_inputs,
};

/* Drop one case of a switch: its value, and the successor or region it leads
 * to.  The default stays. */
const struct cul_mutation cul_mutation_drop_cases = {
    .name = "drop-cases",
    .summary = "drop one case of a switch",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_position_frame,
    .how = &cul_position_cases,
};

/* An affine map or integer set loses a dimension or symbol that
 * it does not use, and the operation the operand for it. */
const struct cul_mutation cul_mutation_drop_map_input = {
    .name = "drop-map-input",
    .summary = "a dimension or symbol that an affine map does not use goes, "
               "with its operand",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_FINE,
    .frame = &cul_position_frame,
    .how = &cul_position_map_inputs,
};

/* Drop an argument of a block, with what every edge hands to it. */
static void add_sites(struct cul_ir *ir, MlirBlock block,
                      struct cul_sites *out) {
  (void)ir;
  if (cul_cfg_same(block, cul_cfg_entry(block)))
    return;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++)
    cul_sites_add(out, block.ptr, (uint64_t)i, 1);
}

static bool drop(struct cul_ir *ir, MlirBlock block, uint64_t detail) {
  struct cul_position position = {0};
  bool done =
      cul_position_block_argument(ir, block, (intptr_t)detail, &position) &&
      cul_position_drop(ir, &position);
  cul_position_release(&position);
  return done;
}

const struct cul_mutation cul_mutation_drop_block_arguments = {
    .name = "drop-block-arguments",
    .summary = "drop a block's argument and what branches hand to it",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_each_frame,
    .how = &(const struct cul_each){.blocks = add_sites,
                                    .edit_block = drop,
                                    .order = CUL_EACH_BACKWARDS},
};
