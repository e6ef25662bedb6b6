/* Drop an argument of a block, with what every edge hands to it. */
#include "cfg.h"
#include "each.h"

static void add_sites(struct cul_ir *ir, MlirBlock block,
                      struct cul_sites *out) {
  (void)ir;
  if (cul_cfg_same(block, cul_cfg_entry(block)))
    return;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++)
    cul_sites_add(out, block.ptr, (uint64_t)i, 1);
}

/* The one value that every edge hands over, when it may be used in block. */
static MlirValue common_value(struct cul_ir *ir,
                              const struct cul_cfg_edges *edges,
                              MlirBlock block, MlirValue argument) {
  intptr_t number = mlirBlockArgumentGetArgNumber(argument);
  MlirValue common = {NULL};
  for (size_t i = 0; i < edges->n; i++) {
    struct cul_ir_values values = {0};
    MlirValue value = {NULL};
    if (cul_cfg_edge_values(ir, edges->items[i], &values) &&
        (size_t)number < values.n)
      value = values.items[number];
    cul_ir_values_release(&values);
    if (value.ptr == argument.ptr)
      continue; /* a loop hands it to itself */
    if (!value.ptr || (common.ptr && common.ptr != value.ptr))
      return (MlirValue){NULL};
    common = value;
  }
  if (common.ptr &&
      !cul_ir_dominates(ir, common, mlirBlockGetFirstOperation(block)))
    common.ptr = NULL;
  return common;
}

static bool cut_edge(struct cul_ir *ir, struct cul_cfg_edge edge, size_t at) {
  struct cul_ir_values values = {0};
  bool done = cul_cfg_edge_values(ir, edge, &values) && at < values.n;
  if (done) {
    for (size_t i = at; i + 1 < values.n; i++)
      values.items[i] = values.items[i + 1];
    values.n--;
    done = cul_cfg_set_values(ir, edge, &values);
  }
  cul_ir_values_release(&values);
  return done;
}

static bool all_known(struct cul_ir *ir, const struct cul_cfg_edges *edges,
                      size_t at) {
  bool known = true;
  for (size_t i = 0; i < edges->n && known; i++) {
    struct cul_ir_values values = {0};
    known = cul_cfg_edge_values(ir, edges->items[i], &values) && at < values.n;
    cul_ir_values_release(&values);
  }
  return known;
}

static void replace_uses(struct cul_ir *ir, const struct cul_cfg_edges *edges,
                         MlirBlock block, MlirValue argument) {
  MlirValue with;
  if (!cul_ir_has_uses(argument))
    return;
  with = common_value(ir, edges, block, argument);
  if (!with.ptr)
    with = cul_cfg_substitute(ir, argument, mlirBlockGetFirstOperation(block));
  if (with.ptr)
    cul_ir_replace_uses(argument, with);
}

static bool drop(struct cul_ir *ir, MlirBlock block, uint64_t detail) {
  size_t at = (size_t)detail;
  struct cul_cfg_edges edges = {0};
  bool done = (intptr_t)at < mlirBlockGetNumArguments(block);
  if (!done)
    return false;
  cul_cfg_edges_into(block, &edges);
  done = all_known(ir, &edges, at);
  if (done)
    replace_uses(ir, &edges, block, mlirBlockGetArgument(block, (intptr_t)at));
  for (size_t i = 0; i < edges.n && done; i++)
    done = cut_edge(ir, edges.items[i], at);
  if (done)
    mlirBlockEraseArgument(block, (unsigned)at);
  cul_cfg_edges_release(&edges);
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
