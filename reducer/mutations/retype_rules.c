/* The table of the retype engine: names of operations to rules. */
#include "retype_rules.h"

#include <string.h>

#include "cfg.h"

/* ---- rules in words: one letter per size ---- */

/* "nhc,ncw>nhw": operands, then results; equal letters are tied, '.' is left
 * alone, a word of another length than the rank too. */
static void tie_words(struct cul_retype *g, MlirOperation op,
                      const char *words) {
  uint32_t seen[128];
  size_t i = 0, n = (size_t)mlirOperationGetNumOperands(op);
  memset(seen, 0xff, sizeof seen);
  for (; *words && i < cul_retype_n_values(op); i++) {
    size_t len = strcspn(words, ",>");
    MlirValue value = cul_retype_value(op, i);
    for (size_t k = 0; len == cul_retype_rank(g, value) && k < len; k++) {
      uint32_t *first = &seen[words[k] & 127];
      uint32_t node = cul_retype_size(g, value, (int64_t)k);
      if (words[k] == '.')
        continue;
      if (*first == CUL_RETYPE_NONE)
        *first = node;
      else
        cul_retype_tie(g, *first, node);
    }
    words += len;
    if (*words == '>')
      i = n - 1;
    words += *words != '\0';
  }
}

/* ---- common rules ---- */

/* A region works on elements: on scalars, or tensors of one. */
static void tie_region_elements(struct cul_retype *g, MlirOperation op,
                                MlirValue value) {
  uint32_t element = cul_retype_node(g, value, CUL_RETYPE_ELEMENT);
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++) {
    MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
    for (intptr_t i = 0; block.ptr && i < mlirBlockGetNumArguments(block); i++)
      cul_retype_tie(g, element,
                     cul_retype_node(g, mlirBlockGetArgument(block, i),
                                     CUL_RETYPE_ELEMENT));
  }
}

/* The layout of the result is not that of the source, equal or not: it follows
 * from it, or is given. */
static bool is_view(MlirOperation op) {
  return cul_ir_is(op, "memref.subview") ||
         cul_ir_is(op, "memref.reinterpret_cast") ||
         cul_ir_is(op, "memref.cast");
}

static void tie_parts(struct cul_retype *g, MlirValue a, MlirValue b,
                      bool layouts) {
  if (layouts) {
    cul_retype_tie_values(g, a, b, CUL_RETYPE_TIE_TYPE);
    return;
  }
  cul_retype_tie(g, cul_retype_node(g, a, CUL_RETYPE_ELEMENT),
                 cul_retype_node(g, b, CUL_RETYPE_ELEMENT));
  cul_retype_tie(g, cul_retype_node(g, a, CUL_RETYPE_SPACE),
                 cul_retype_node(g, b, CUL_RETYPE_SPACE));
}

/* Element types, encodings, spaces: equal ones stay equal. */
static void tie_types(struct cul_retype *g, MlirOperation op) {
  size_t n = cul_retype_n_values(op);
  bool layouts = !is_view(op);
  if (n > CUL_RETYPE_MAX)
    n = CUL_RETYPE_MAX;
  for (size_t i = 1; i < n; i++)
    for (size_t k = 0; k < i; k++)
      tie_parts(g, cul_retype_value(op, i), cul_retype_value(op, k), layouts);
  for (size_t i = 0; i < n; i++)
    tie_region_elements(g, op, cul_retype_value(op, i));
}

/* Elementwise: size by size. */
void cul_retype_rule_same(struct cul_retype *g, MlirOperation op) {
  size_t n = cul_retype_n_values(op);
  if (n > CUL_RETYPE_MAX)
    n = CUL_RETYPE_MAX;
  for (size_t i = 1; i < n; i++)
    for (size_t k = 0; k < i; k++)
      cul_retype_tie_values(g, cul_retype_value(op, i), cul_retype_value(op, k),
                            CUL_RETYPE_TIE_SIZES);
}

/* Sizes have nothing to do with each other. */
static void apart(struct cul_retype *g, MlirOperation op) {
  (void)g;
  (void)op;
}

/* The type stands elsewhere too, with a global, with the cases, in a struct; or
 * the operation has no other. */
static void pinned(struct cul_retype *g, MlirOperation op) {
  for (size_t i = 0; i < cul_retype_n_values(op); i++)
    cul_retype_pin_value(g, cul_retype_value(op, i));
}

/* How many tiles there are follows from the size of one. */
static void pinned_sizes(struct cul_retype *g, MlirOperation op) {
  for (size_t i = 0; i < cul_retype_n_values(op); i++)
    for (size_t k = 0; k < cul_retype_rank(g, cul_retype_value(op, i)); k++)
      cul_retype_pin(g,
                     cul_retype_size(g, cul_retype_value(op, i), (int64_t)k));
}

/* Size by size, but for one; positions are of 32 bits. */
static void along_top(struct cul_retype *g, MlirOperation op) {
  cul_retype_rule_same(g, op);
  for (size_t i = 0; i < cul_retype_n_values(op); i++) {
    uint32_t node =
        cul_retype_node(g, cul_retype_value(op, i), CUL_RETYPE_ELEMENT);
    if (node != CUL_RETYPE_NONE &&
        mlirTypeIsAInteger((MlirType){(void *)(intptr_t)g->value[node]}))
      cul_retype_pin(g, node);
  }
}

static void pinned_first(struct cul_retype *g, MlirOperation op) {
  cul_retype_pin_value(g, cul_retype_value(op, 0));
}

/* An attribute says of what type all that the regions work on is. */
static void pinned_inside(struct cul_retype *g, MlirOperation op) {
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
    CUL_IR_EACH_BLOCK(block, mlirOperationGetRegion(op, r)) {
      MlirOperation end = cul_cfg_terminator(g->ir, block);
      for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++)
        cul_retype_pin_value(g, mlirBlockGetArgument(block, i));
      for (intptr_t i = 0; end.ptr && i < mlirOperationGetNumOperands(end); i++)
        cul_retype_pin_value(g, mlirOperationGetOperand(end, i));
    }
}

/* The result is the destination, operand 1. */
static void into_second(struct cul_retype *g, MlirOperation op) {
  if (mlirOperationGetNumOperands(op) > 1 && mlirOperationGetNumResults(op) > 0)
    cul_retype_tie_values(g, mlirOperationGetOperand(op, 1),
                          mlirOperationGetResult(op, 0), CUL_RETYPE_TIE_ALL);
}

/* Not known: equal sizes stay equal, dynamic ones and 1 place by place. */
void cul_retype_rule_by_size(struct cul_retype *g, MlirOperation op) {
  size_t n = cul_retype_n_values(op), found = 0;
  uint32_t nodes[CUL_RETYPE_MAX];
  cul_retype_rule_same(g, op);
  for (size_t i = 0; i < n; i++) {
    MlirValue value = cul_retype_value(op, i);
    for (size_t k = 0; k < cul_retype_rank(g, value); k++) {
      uint32_t node = cul_retype_size(g, value, (int64_t)k);
      if (g->value[node] <= 1 && !cul_retype_is_scalable(g->value[node]))
        continue;
      for (size_t f = 0; f < found; f++)
        cul_retype_tie(g, nodes[f], node);
      if (found < CUL_RETYPE_MAX)
        nodes[found++] = node;
    }
  }
}

/* ---- the table ---- */

struct rule {
  const char *name; /* ending in '.': all of the dialect */
  cul_retype_rule_fn *fn;
  const char *words;
  bool free; /* types are not tied either */
};

static const struct rule rules[] = {
    {"arith.bitcast", cul_retype_rule_bits, NULL, true},
    {"arith.", cul_retype_rule_same, NULL, false},
    {"math.", cul_retype_rule_same, NULL, false},
    {"complex.", cul_retype_rule_same, NULL, false},
    {"index.", apart, NULL, true},
    {"builtin.unrealized_conversion_cast", apart, NULL, true},
    {"builtin.module", apart, NULL, true},
    {"ub.poison", apart, NULL, true},
    {"omp.declare_reduction", pinned_inside, NULL, true},
    {"omp.private", pinned_inside, NULL, true},
    {"cf.switch", pinned_first, NULL, true},
    {"cf.", apart, NULL, true},
    {"func.", apart, NULL, true},
    {"gpu.launch_func", apart, NULL, true},
    {"gpu.func", apart, NULL, true},
    {"gpu.return", apart, NULL, true},
    {"llvm.func", apart, NULL, true},
    {"llvm.call", apart, NULL, true},
    {"llvm.return", apart, NULL, true},
    {"llvm.bitcast", cul_retype_rule_bits, NULL, true},
    {"llvm.switch", pinned_first, NULL, true},
    {"llvm.insertvalue", pinned, NULL, true},
    {"llvm.extractvalue", pinned, NULL, true},
    {"llvm.cmpxchg", pinned, NULL, true},
    {"llvm.intr.sadd.with.overflow", pinned, NULL, true},
    {"llvm.intr.smul.with.overflow", pinned, NULL, true},
    {"llvm.intr.ssub.with.overflow", pinned, NULL, true},
    {"llvm.intr.uadd.with.overflow", pinned, NULL, true},
    {"llvm.intr.umul.with.overflow", pinned, NULL, true},
    {"llvm.intr.usub.with.overflow", pinned, NULL, true},
    {"scf.", apart, NULL, true},
    {"affine.for", apart, NULL, true},
    {"affine.if", apart, NULL, true},
    {"affine.parallel", apart, NULL, true},
    {"affine.yield", apart, NULL, true},
    {"affine.load", apart, NULL, false},
    {"affine.store", apart, NULL, false},
    {"linalg.yield", apart, NULL, true},
    {"linalg.index", apart, NULL, true},
    {"linalg.", cul_retype_rule_linalg, NULL, true},
    {"memref.get_global", cul_retype_rule_access, NULL, true},
    {"ml_program.global_load", cul_retype_rule_access, NULL, true},
    {"ml_program.global_load_const", cul_retype_rule_access, NULL, true},
    {"ml_program.global_store", cul_retype_rule_access, NULL, true},
    {"util.global.load", cul_retype_rule_access, NULL, true},
    {"util.global.store", cul_retype_rule_access, NULL, true},
    {"memref.load", apart, NULL, false},
    {"memref.store", apart, NULL, false},
    {"memref.dim", apart, NULL, true},
    {"memref.collapse_shape", cul_retype_rule_collapse, NULL, false},
    {"memref.expand_shape", cul_retype_rule_collapse, NULL, false},
    {"memref.subview", cul_retype_rule_slice, NULL, false},
    {"memref.transpose", cul_retype_rule_by_size, NULL, false},
    {"memref.reshape", cul_retype_same_elements, NULL, false},
    {"tensor.empty", apart, NULL, true},
    {"tensor.dim", apart, NULL, true},
    {"tensor.extract", apart, NULL, false},
    {"tensor.insert", into_second, NULL, false},
    {"tensor.splat", apart, NULL, false},
    {"tensor.yield", apart, NULL, true},
    {"tensor.from_elements", cul_retype_rule_count, NULL, false},
    {"tensor.collapse_shape", cul_retype_rule_collapse, NULL, false},
    {"tensor.expand_shape", cul_retype_rule_collapse, NULL, false},
    {"tensor.reshape", cul_retype_same_elements, NULL, false},
    {"tensor.extract_slice", cul_retype_rule_slice, NULL, false},
    {"tensor.insert_slice", cul_retype_rule_insert_slice, NULL, false},
    {"tensor.parallel_insert_slice", cul_retype_rule_insert_slice, NULL, false},
    {"tensor.pad", cul_retype_rule_pad, NULL, false},
    {"tensor.concat", cul_retype_rule_concat, NULL, false},
    {"tosa.const", apart, NULL, true},
    {"tosa.const_shape", apart, NULL, true},
    {"tosa.yield", apart, NULL, true},
    {"tosa.cond_if", apart, NULL, true},
    {"tosa.while_loop", apart, NULL, true},
    {"tosa.mul", cul_retype_rule_tosa_mul, NULL, false},
    {"tosa.matmul", NULL, "nhc,ncw>nhw", false},
    {"tosa.conv2d", cul_retype_rule_tosa_conv, "n..i,o..i,o>n..o", false},
    {"tosa.depthwise_conv2d", cul_retype_rule_tosa_conv, "n..i,..i.,o>n..o",
     false},
    {"tosa.avg_pool2d", cul_retype_rule_tosa_pool, "n..c>n..c", false},
    {"tosa.max_pool2d", cul_retype_rule_tosa_pool, "n..c>n..c", false},
    {"tosa.gather", NULL, "nkc,nw>nwc", false},
    {"tosa.scatter", NULL, "nkc,nw,nwc>nkc", false},
    {"tosa.reshape", cul_retype_rule_reshape, NULL, false},
    {"tosa.transpose", cul_retype_rule_transpose, NULL, false},
    {"tosa.concat", cul_retype_rule_concat, NULL, false},
    {"tosa.argmax", cul_retype_rule_reduce, NULL, false},
    {"tosa.reduce_all", cul_retype_rule_reduce, NULL, false},
    {"tosa.reduce_any", cul_retype_rule_reduce, NULL, false},
    {"tosa.reduce_max", cul_retype_rule_reduce, NULL, false},
    {"tosa.reduce_min", cul_retype_rule_reduce, NULL, false},
    {"tosa.reduce_prod", cul_retype_rule_reduce, NULL, false},
    {"tosa.reduce_product", cul_retype_rule_reduce, NULL, false},
    {"tosa.reduce_sum", cul_retype_rule_reduce, NULL, false},
    {"tosa.pad", cul_retype_rule_tosa_pad, NULL, false},
    {"tosa.slice", cul_retype_rule_tosa_slice, NULL, false},
    {"tosa.tile", cul_retype_rule_tosa_tile, NULL, false},
    {"tosa.resize", cul_retype_rule_by_size, NULL, false},
    {"tosa.", cul_retype_rule_same, NULL, false},
    {"stablehlo.constant", apart, NULL, true},
    {"stablehlo.iota", apart, NULL, true},
    {"stablehlo.return", apart, NULL, true},
    {"stablehlo.broadcast_in_dim", cul_retype_rule_hlo_broadcast, NULL, false},
    {"stablehlo.dynamic_reshape", cul_retype_rule_dynamic_reshape, NULL, false},
    {"stablehlo.real_dynamic_slice", cul_retype_rule_hlo_bounds, NULL, false},
    {"stablehlo.fft", cul_retype_rule_hlo_fft, NULL, false},
    {"stablehlo.optimization_barrier", cul_retype_rule_hlo_each, NULL, true},
    {"stablehlo.all_reduce", cul_retype_rule_hlo_each, NULL, false},
    {"stablehlo.collective_permute", cul_retype_rule_same, NULL, false},
    {"stablehlo.reduce_precision", cul_retype_rule_same, NULL, false},
    {"stablehlo.rng_bit_generator", cul_retype_rule_hlo_bits, NULL, false},
    {"stablehlo.get_dimension_size", cul_retype_rule_hlo_length, NULL, true},
    {"stablehlo.convolution", cul_retype_rule_hlo_convolution, NULL, false},
    {"stablehlo.gather", cul_retype_rule_hlo_gather, NULL, false},
    {"stablehlo.scatter", cul_retype_rule_hlo_scatter, NULL, false},
    {"stablehlo.reduce_window", cul_retype_rule_hlo_window, NULL, false},
    {"stablehlo.sort", cul_retype_rule_same, NULL, false},
    {"stablehlo.map", cul_retype_rule_same, NULL, false},
    {"stablehlo.bitcast_convert", cul_retype_rule_hlo_parts, NULL, false},
    {"stablehlo.concatenate", cul_retype_rule_concat, NULL, false},
    {"stablehlo.dot_general", cul_retype_rule_hlo_dot, NULL, false},
    {"stablehlo.dynamic_slice", cul_retype_rule_hlo_dynamic_slice, NULL, false},
    {"stablehlo.dynamic_update_slice", cul_retype_rule_hlo_update, NULL, false},
    {"stablehlo.pad", cul_retype_rule_hlo_pad, NULL, false},
    {"stablehlo.reduce", cul_retype_rule_hlo_reduce, NULL, false},
    {"stablehlo.reshape", cul_retype_same_elements, NULL, false},
    {"stablehlo.slice", cul_retype_rule_hlo_slice, NULL, false},
    {"stablehlo.transpose", cul_retype_rule_transpose, NULL, false},
    {"stablehlo.abs", cul_retype_rule_hlo_numbers, NULL, false},
    {"stablehlo.add", cul_retype_rule_same, NULL, false},
    {"stablehlo.and", cul_retype_rule_same, NULL, false},
    {"stablehlo.atan2", cul_retype_rule_same, NULL, false},
    {"stablehlo.cbrt", cul_retype_rule_same, NULL, false},
    {"stablehlo.ceil", cul_retype_rule_same, NULL, false},
    {"stablehlo.clamp", cul_retype_rule_same, NULL, false},
    {"stablehlo.compare", cul_retype_rule_same, NULL, false},
    {"stablehlo.complex", cul_retype_rule_hlo_parts, NULL, false},
    {"stablehlo.convert", cul_retype_rule_same, NULL, false},
    {"stablehlo.cosine", cul_retype_rule_same, NULL, false},
    {"stablehlo.count_leading_zeros", cul_retype_rule_hlo_numbers, NULL, false},
    {"stablehlo.divide", cul_retype_rule_hlo_numbers, NULL, false},
    {"stablehlo.exponential", cul_retype_rule_same, NULL, false},
    {"stablehlo.exponential_minus_one", cul_retype_rule_same, NULL, false},
    {"stablehlo.floor", cul_retype_rule_same, NULL, false},
    {"stablehlo.imag", cul_retype_rule_hlo_parts, NULL, false},
    {"stablehlo.is_finite", cul_retype_rule_same, NULL, false},
    {"stablehlo.log", cul_retype_rule_same, NULL, false},
    {"stablehlo.log_plus_one", cul_retype_rule_same, NULL, false},
    {"stablehlo.logistic", cul_retype_rule_same, NULL, false},
    {"stablehlo.maximum", cul_retype_rule_same, NULL, false},
    {"stablehlo.minimum", cul_retype_rule_same, NULL, false},
    {"stablehlo.multiply", cul_retype_rule_same, NULL, false},
    {"stablehlo.negate", cul_retype_rule_hlo_numbers, NULL, false},
    {"stablehlo.not", cul_retype_rule_same, NULL, false},
    {"stablehlo.or", cul_retype_rule_same, NULL, false},
    {"stablehlo.popcnt", cul_retype_rule_hlo_numbers, NULL, false},
    {"stablehlo.power", cul_retype_rule_hlo_numbers, NULL, false},
    {"stablehlo.real", cul_retype_rule_hlo_parts, NULL, false},
    {"stablehlo.remainder", cul_retype_rule_hlo_numbers, NULL, false},
    {"stablehlo.reverse", cul_retype_rule_same, NULL, false},
    {"stablehlo.round_nearest_afz", cul_retype_rule_same, NULL, false},
    {"stablehlo.round_nearest_even", cul_retype_rule_same, NULL, false},
    {"stablehlo.rsqrt", cul_retype_rule_same, NULL, false},
    {"stablehlo.select", cul_retype_rule_same, NULL, false},
    {"stablehlo.shift_left", cul_retype_rule_hlo_numbers, NULL, false},
    {"stablehlo.shift_right_arithmetic", cul_retype_rule_hlo_numbers, NULL,
     false},
    {"stablehlo.shift_right_logical", cul_retype_rule_hlo_numbers, NULL, false},
    {"stablehlo.sign", cul_retype_rule_hlo_numbers, NULL, false},
    {"stablehlo.sine", cul_retype_rule_same, NULL, false},
    {"stablehlo.sqrt", cul_retype_rule_same, NULL, false},
    {"stablehlo.subtract", cul_retype_rule_hlo_numbers, NULL, false},
    {"stablehlo.tan", cul_retype_rule_same, NULL, false},
    {"stablehlo.tanh", cul_retype_rule_same, NULL, false},
    {"stablehlo.xor", cul_retype_rule_same, NULL, false},
    {"stablehlo.select_and_scatter", cul_retype_rule_hlo_window, NULL, false},
    {"chlo.constant", apart, NULL, true},
    {"chlo.top_k", cul_retype_rule_hlo_top_k, NULL, false},
    {"chlo.asin", cul_retype_rule_same, NULL, false},
    {"chlo.erf", cul_retype_rule_same, NULL, false},
    {"chlo.erf_inv", cul_retype_rule_same, NULL, false},
    {"chlo.erfc", cul_retype_rule_same, NULL, false},
    {"chlo.is_inf", cul_retype_rule_same, NULL, false},
    {"chlo.lgamma", cul_retype_rule_same, NULL, false},
    {"chlo.next_after", cul_retype_rule_same, NULL, false},
    {"chlo.sinh", cul_retype_rule_same, NULL, false},
    {"chlo.square", cul_retype_rule_same, NULL, false},
    {"chlo.tan", cul_retype_rule_same, NULL, false},
    {"flow.tensor.reshape", cul_retype_rule_dynamic_reshape, NULL, false},
    {"flow.tensor.clone", cul_retype_rule_same, NULL, false},
    {"flow.tensor.transfer", cul_retype_rule_same, NULL, false},
    {"flow.tensor.barrier", cul_retype_rule_same, NULL, false},
    {"flow.tensor.splat", apart, NULL, false},
    {"flow.dispatch.tensor.load", cul_retype_rule_slice, NULL, false},
    {"flow.dispatch.tensor.store", cul_retype_rule_insert_slice, NULL, false},
    {"iree_tensor_ext.dispatch.tensor.load", cul_retype_rule_slice, NULL,
     false},
    {"iree_tensor_ext.dispatch.tensor.store", cul_retype_rule_insert_slice,
     NULL, false},
    {"iree_linalg_ext.topk", along_top, NULL, false},
    {"iree_linalg_ext.winograd.", pinned_sizes, NULL, false},
    {"hal.interface.binding.subspan", apart, NULL, true},
    {"hal.element_type", pinned, NULL, true},
    {"hal.encoding_type", pinned, NULL, true},
    {"tt.func", apart, NULL, true},
    {"tt.call", apart, NULL, true},
    {"tt.return", apart, NULL, true},
    {"tt.get_program_id", pinned, NULL, true},
    {"tt.get_num_programs", pinned, NULL, true},
    {"tt.make_range", cul_retype_rule_range, NULL, false},
    {"ttg.convert_layout", cul_retype_rule_layout, NULL, true},
    {"triton_gpu.convert_layout", cul_retype_rule_layout, NULL, true},
    {"ttg.local_alloc", cul_retype_rule_same, NULL, false},
    {"ttg.local_load", cul_retype_rule_same, NULL, false},
    {"ttg.local_store", cul_retype_rule_same, NULL, false},
    {"ttg.async_copy_global_to_local", cul_retype_rule_same, NULL, false},
    {"ttg.memdesc_index", cul_retype_rule_memory, NULL, false},
    {"ttg.memdesc_trans", cul_retype_rule_transpose, NULL, false},
    {"ttng.warp_group_dot", cul_retype_rule_warp_dot, NULL, false},
    {"ttng.tc_gen5_mma", cul_retype_rule_dot, NULL, false},
    {"ttng.", cul_retype_rule_machine, NULL, false},
    {"tt.splat", apart, NULL, false},
    {"tt.expand_dims", cul_retype_rule_expand, NULL, false},
    {"tt.broadcast", cul_retype_rule_same, NULL, false},
    {"tt.addptr", cul_retype_rule_address, NULL, true},
    {"tt.bitcast", cul_retype_rule_bits, NULL, true},
    {"tt.int_to_ptr", cul_retype_rule_address, NULL, true},
    {"tt.ptr_to_int", cul_retype_rule_address, NULL, true},
    {"tt.load", cul_retype_rule_same, NULL, false},
    {"tt.store", cul_retype_rule_same, NULL, false},
    {"tt.atomic_rmw", cul_retype_rule_same, NULL, false},
    {"tt.atomic_cas", cul_retype_rule_same, NULL, false},
    {"tt.dot", cul_retype_rule_dot, NULL, false},
    {"tt.trans", cul_retype_rule_transpose, NULL, false},
    {"tt.reshape", cul_retype_rule_view, NULL, false},
    {"tt.reduce", cul_retype_rule_reductions, NULL, false},
    {"tt.reduce.return", apart, NULL, false},
    {"tt.scan", cul_retype_rule_same, NULL, false},
    {"tt.scan.return", apart, NULL, false},
    {"tt.cat", cul_retype_rule_cat, NULL, false},
    {"tt.join", cul_retype_rule_pairs, NULL, false},
    {"tt.split", cul_retype_rule_pairs, NULL, false},
    {"tt.histogram", apart, NULL, true},
    {"tt.make_tensor_descriptor", cul_retype_rule_memory, NULL, true},
    {"tt.descriptor_load", cul_retype_rule_memory, NULL, false},
    {"tt.descriptor_store", cul_retype_rule_memory, NULL, false},
    {"tt.clampf", cul_retype_rule_same, NULL, false},
    {"tt.precise_sqrt", cul_retype_rule_same, NULL, false},
    {"tt.precise_divf", cul_retype_rule_same, NULL, false},
    {"tt.mulhiui", cul_retype_rule_same, NULL, false},
    {"tt.fp_to_fp", cul_retype_rule_same, NULL, false},
    {"tt.extern_elementwise", cul_retype_rule_same, NULL, false},
    {"tt.elementwise_inline_asm", cul_retype_rule_same, NULL, false},
    {"tt.print", cul_retype_rule_same, NULL, false},
    {"tt.assert", cul_retype_rule_same, NULL, false},
    {"torch.", cul_retype_rule_torch, NULL, false},
    {"vector.transfer_read", cul_retype_rule_transfer, NULL, false},
    {"vector.transfer_write", cul_retype_rule_transfer, NULL, false},
    {"vector.contract", cul_retype_rule_contract, NULL, false},
    {"vector.outerproduct", NULL, "m,n,mn>mn", false},
    {"vector.transpose", cul_retype_rule_transpose, NULL, false},
    {"vector.shape_cast", cul_retype_rule_reshape, NULL, false},
    {"vector.broadcast", cul_retype_rule_trailing, NULL, false},
    {"vector.extract", cul_retype_rule_trailing, NULL, false},
    {"vector.insert", cul_retype_rule_trailing, NULL, false},
    {"vector.load", cul_retype_rule_trailing, NULL, false},
    {"vector.store", cul_retype_rule_trailing, NULL, false},
    {"vector.from_elements", cul_retype_rule_count, NULL, false},
    {"vector.to_elements", cul_retype_rule_count, NULL, false},
    {"vector.multi_reduction", cul_retype_rule_reduce, NULL, false},
    {"vector.extract_strided_slice", cul_retype_rule_strided_slice, NULL,
     false},
    {"vector.insert_strided_slice", into_second, NULL, false},
    {"vector.yield", apart, NULL, true},
    {"vector.print", apart, NULL, true},
};

static const struct rule *find(MlirStringRef name) {
  for (size_t i = 0; i < CUL_ARRAY_SIZE(rules); i++) {
    size_t n = strlen(rules[i].name);
    if (cul_ir_str_starts(name, rules[i].name) &&
        (name.length == n || rules[i].name[n - 1] == '.'))
      return &rules[i];
  }
  return NULL;
}

bool cul_retype_is_elementwise(MlirOperation op) {
  const struct rule *rule = find(cul_ir_name(op));
  return (rule && (rule->fn == cul_retype_rule_same ||
                   rule->fn == cul_retype_rule_hlo_numbers ||
                   rule->fn == cul_retype_rule_hlo_parts)) ||
         cul_retype_is_linalg_elementwise(op);
}

bool cul_retype_is_unruled(const void *op) {
  return !find(cul_ir_name((MlirOperation){(void *)(uintptr_t)op}));
}

void cul_retype_rule(struct cul_retype *g, MlirOperation op) {
  const struct rule *rule = find(cul_ir_name(op));
  if (!rule && cul_retype_rule_learnt(g, op))
    return;
  if (!rule || !rule->free)
    tie_types(g, op);
  if (rule && rule->words)
    tie_words(g, op, rule->words);
  if (rule && rule->fn)
    rule->fn(g, op);
  if (cul_ir_is_of(op, "tt."))
    cul_retype_rule_bare(g, op);
  if (cul_ir_is_of(op, "stablehlo."))
    cul_retype_rule_hlo_indices(g, op);
  if (!rule && !cul_ir_is_function(op) && !cul_ir_is_terminator(g->ir, op))
    cul_retype_rule_by_size(g, op);
}
