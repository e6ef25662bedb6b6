/* Hashes of everything that the cached text of an operation depends on: see
 * cache.h. */
#include "cache.h"

static uint64_t mix(uint64_t hash, uint64_t more) {
  hash = (hash ^ more) * UINT64_C(0x9E3779B97F4A7C15);
  return hash ^ hash >> 29;
}

static uint64_t mix_ptr(uint64_t hash, const void *more) {
  return mix(hash, (uint64_t)(uintptr_t)more);
}

static uint64_t mix_arguments(uint64_t hash, MlirBlock block) {
  intptr_t n = mlirBlockGetNumArguments(block);
  hash = mix(hash, (uint64_t)n);
  for (intptr_t i = 0; i < n; i++) {
    MlirValue value = mlirBlockGetArgument(block, i);
    hash = mix_ptr(mix_ptr(hash, value.ptr), mlirValueGetType(value).ptr);
  }
  return hash;
}

bool cul_print_is_plain(const struct cul_ir *ir, MlirOperation op) {
  return ir->form != CUL_FORM_NATIVE || op.ptr == ir->root.ptr ||
         cul_ir_is_function(op);
}

/* Mix in the properties of a region on which the text of op depends.  A custom
 * printer (not plain) may also look at the first operations and the
 * terminator. */
static uint64_t mix_region(uint64_t hash, MlirRegion region, bool plain) {
  MlirBlock block = mlirRegionGetFirstBlock(region);
  MlirOperation op, end;
  if (!block.ptr)
    return mix(hash, 1);
  hash = mix_arguments(hash, block);
  hash = mix(hash, cul_ir_next_block(block).ptr != NULL);
  if (plain)
    return hash;
  op = mlirBlockGetFirstOperation(block);
  for (int i = 0; i < 3 && op.ptr; i++, op = cul_ir_next_op(op))
    hash = mix_ptr(hash, mlirOperationGetName(op).ptr);
  end = mlirBlockGetTerminator(block);
  return end.ptr ? mix(hash, cul_compat_hash(end)) : hash;
}

/* Mix in everything that an operation refers to, except values. */
static uint64_t mix_inside(const struct cul_ir *ir, uint64_t hash,
                           MlirOperation op) {
  intptr_t n = mlirOperationGetNumSuccessors(op);
  bool plain;
  for (intptr_t i = 0; i < n; i++)
    hash = mix_ptr(hash, mlirOperationGetSuccessor(op, i).ptr);
  n = mlirOperationGetNumRegions(op);
  plain = n && cul_print_is_plain(ir, op);
  for (intptr_t i = 0; i < n; i++)
    hash = mix_region(hash, mlirOperationGetRegion(op, i), plain);
  return hash;
}

static uint64_t mix_op(const struct cul_ir *ir, uint64_t hash,
                       MlirOperation op) {
  intptr_t n = mlirOperationGetNumOperands(op);
  hash = mix_ptr(mix(hash, cul_compat_hash(op)), op.ptr);
  for (intptr_t i = 0; i < n; i++) {
    MlirValue value = mlirOperationGetOperand(op, i);
    /* cul_compat_hash does not depend on the order of commutative operands */
    hash = mix_ptr(mix_ptr(hash, value.ptr),
                   value.ptr ? mlirValueGetType(value).ptr : NULL);
  }
  return mix_inside(ir, hash, op);
}

static uint64_t mix_tree(const struct cul_ir *ir, uint64_t hash,
                         MlirOperation op);

static uint64_t mix_regions(const struct cul_ir *ir, uint64_t hash,
                            MlirOperation op) {
  intptr_t n = mlirOperationGetNumRegions(op);
  for (intptr_t i = 0; i < n; i++) {
    hash = mix(hash, 2);
    CUL_IR_EACH_BLOCK(block, mlirOperationGetRegion(op, i)) {
      hash = mix_arguments(mix_ptr(hash, block.ptr), block);
      CUL_IR_EACH_OP(inner, block) hash = mix_tree(ir, hash, inner);
    }
  }
  return hash;
}

static uint64_t mix_tree(const struct cul_ir *ir, uint64_t hash,
                         MlirOperation op) {
  return mix_regions(ir, mix_op(ir, hash, op), op);
}

uint64_t cul_print_hash(const struct cul_ir *ir, MlirOperation op, bool whole) {
  return whole ? mix_tree(ir, 3, op) : mix_op(ir, 0, op);
}

static uint64_t mix_attributes(uint64_t hash, MlirOperation op) {
  intptr_t n = mlirOperationGetNumAttributes(op);
  for (intptr_t i = 0; i < n; i++) {
    MlirNamedAttribute named = mlirOperationGetAttribute(op, i);
    hash = mix_ptr(mix_ptr(hash, named.name.ptr), named.attribute.ptr);
  }
  return hash;
}

/* 0 for unregistered operations: their properties cannot be listed cheaply. */
uint64_t cul_print_attributes(MlirOperation op) {
  return cul_compat_is_registered(op) ? mix_attributes(7, op) | 1 : 0;
}

/* Hash everything that the text depends on, except which values the operands
 * are. */
static uint64_t hash_frame(const struct cul_ir *ir, MlirOperation op,
                           bool whole) {
  uint64_t hash = mix_ptr(5, mlirOperationGetName(op).ptr);
  intptr_t n = mlirOperationGetNumOperands(op);
  hash = mix(mix_attributes(hash, op), (uint64_t)n);
  for (intptr_t i = 0; i < n; i++) {
    MlirValue value = mlirOperationGetOperand(op, i);
    hash = mix_ptr(hash, value.ptr ? mlirValueGetType(value).ptr : NULL);
  }
  n = mlirOperationGetNumResults(op);
  for (intptr_t i = 0; i < n; i++)
    hash = mix_ptr(hash, mlirValueGetType(mlirOperationGetResult(op, i)).ptr);
  hash = mix_inside(ir, hash, op);
  return whole ? mix_regions(ir, hash, op) : hash;
}

uint64_t cul_print_frame(const struct cul_ir *ir, MlirOperation op,
                         const struct cul_entry *entry) {
  if (entry->heavy || entry->fleeting || entry->rigid ||
      mlirOperationGetNumOperands(op) == 0 || !cul_compat_is_registered(op))
    return 0;
  return hash_frame(ir, op, entry->whole) | 1;
}

bool cul_print_is_rewired(const struct cul_ir *ir, MlirOperation op,
                          const struct cul_entry *entry) {
  return entry->frame && entry->frame == cul_print_frame(ir, op, entry);
}
