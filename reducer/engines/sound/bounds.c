/* Checks of vector accesses and of positions in vectors against their
 * bounds: see sound.h.  generate-runtime-verification checks memref's own
 * operations. */
#include <mlir-c/AffineExpr.h>
#include <mlir-c/AffineMap.h>

#include "sound.h"

static const MlirValue none;

static MlirValue operand(const struct cul_sound_at *at, intptr_t i) {
  return mlirOperationGetOperand(at->op, i);
}

static MlirType index_of(const struct cul_sound_at *at) {
  return mlirIndexTypeGet(at->ir->context);
}

static MlirValue size_of(const struct cul_sound_at *at, MlirValue memory,
                         intptr_t dim) {
  MlirValue number = cul_sound_number(at, index_of(at), dim);
  return cul_sound_make(at, "memref.dim", index_of(at),
                        (const MlirValue[3]){memory, number});
}

/* Is one of the `count` elements from `first` on out of bounds? */
static MlirValue leaves(const struct cul_sound_at *at, MlirValue memory,
                        intptr_t dim, MlirValue first, int64_t count) {
  MlirValue size = size_of(at, memory, dim), end, bad;
  end = cul_sound_make(
      at, "arith.addi", index_of(at),
      (const MlirValue[3]){first, cul_sound_number(at, index_of(at), count)});
  bad = cul_sound_compare(at, CUL_SOUND_UGT, end, size);
  return cul_sound_or(at, bad,
                      cul_sound_compare(at, CUL_SOUND_UGT, first, size));
}

/* Find the operand that is the accessed memory; its indices follow it. */
static bool find_memory(const struct cul_sound_at *at, intptr_t *out) {
  for (*out = 0; *out < mlirOperationGetNumOperands(at->op); ++*out) {
    MlirType type = mlirValueGetType(operand(at, *out));
    if (mlirTypeIsAMemRef(type))
      return !mlirTypeIsAVector(mlirShapedTypeGetElementType(type));
  }
  return false;
}

static MlirType vector_of(const struct cul_sound_at *at) {
  return mlirValueGetType(mlirOperationGetNumResults(at->op)
                              ? mlirOperationGetResult(at->op, 0)
                              : operand(at, 0));
}

/* vector.load and vector.store: check the last dimensions of the memory. */
static MlirValue bad_access(const struct cul_sound_at *at) {
  intptr_t memory, rank, own;
  MlirType vector = vector_of(at);
  MlirValue bad = none;
  if (!find_memory(at, &memory) || mlirVectorTypeIsScalable(vector))
    return none;
  rank = mlirShapedTypeGetRank(mlirValueGetType(operand(at, memory)));
  own = mlirShapedTypeGetRank(vector);
  for (intptr_t d = 0; d < rank; d++) {
    intptr_t of = d - (rank - own);
    int64_t count = of < 0 ? 1 : mlirShapedTypeGetDimSize(vector, of);
    bad = cul_sound_or(
        at, bad,
        leaves(at, operand(at, memory), d, operand(at, memory + 1 + d), count));
  }
  return bad;
}

/* vector.transfer_read and _write: check the dimensions declared to be in
 * bounds.  Accesses with a mask are not checked. */
static MlirValue bad_transfer(const struct cul_sound_at *at) {
  MlirAttribute in = cul_ir_get(at->op, "in_bounds"),
                map = cul_ir_get(at->op, "permutation_map"),
                parts = cul_ir_get(at->op, "operandSegmentSizes");
  MlirType vector = vector_of(at);
  MlirValue bad = none;
  intptr_t memory;
  if (!find_memory(at, &memory) || !in.ptr || !map.ptr || !parts.ptr ||
      mlirDenseI32ArrayGetElement(parts, 3) || mlirVectorTypeIsScalable(vector))
    return none;
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(vector); i++) {
    MlirAffineExpr dim =
        mlirAffineMapGetResult(mlirAffineMapAttrGetValue(map), i);
    intptr_t d;
    if (!mlirBoolAttrGetValue(mlirArrayAttrGetElement(in, i)) ||
        !mlirAffineExprIsADim(dim))
      continue;
    d = mlirAffineDimExprGetPosition(dim);
    bad = cul_sound_or(at, bad,
                       leaves(at, operand(at, memory), d,
                              operand(at, memory + 1 + d),
                              mlirShapedTypeGetDimSize(vector, i)));
  }
  return bad;
}

/* Is one of the lanes that the mask selects out of bounds? */
static MlirValue bad_lanes(const struct cul_sound_at *at, MlirValue memory,
                           MlirValue lanes, MlirValue mask) {
  MlirType type = mlirValueGetType(lanes);
  intptr_t last = mlirShapedTypeGetRank(mlirValueGetType(memory)) - 1;
  MlirValue size = size_of(at, memory, last);
  size =
      cul_sound_make(at, "vector.broadcast", type, (const MlirValue[3]){size});
  return cul_sound_and(at, mask,
                       cul_sound_compare(at, CUL_SOUND_UGE, lanes, size));
}

/* vector.maskedload and _store: check the last dimension. */
static MlirValue bad_masked(const struct cul_sound_at *at) {
  static const MlirValue nothing[3];
  intptr_t memory, rank;
  MlirValue first, mask, lanes;
  MlirType type;
  if (!find_memory(at, &memory))
    return none;
  rank = mlirShapedTypeGetRank(mlirValueGetType(operand(at, memory)));
  first = operand(at, memory + rank);
  mask = operand(at, memory + rank + 1);
  if (mlirShapedTypeGetRank(mlirValueGetType(mask)) != 1 ||
      mlirVectorTypeIsScalable(mlirValueGetType(mask)))
    return none;
  type = cul_sound_like(mlirValueGetType(mask), index_of(at));
  lanes = cul_sound_make(at, "vector.step", type, nothing);
  first =
      cul_sound_make(at, "vector.broadcast", type, (const MlirValue[3]){first});
  lanes = cul_sound_make(at, "arith.addi", type,
                         (const MlirValue[3]){lanes, first});
  return bad_lanes(at, operand(at, memory), lanes, mask);
}

/* vector.gather and _scatter: check memory of one dimension. */
static MlirValue bad_gather(const struct cul_sound_at *at) {
  intptr_t memory;
  MlirValue lanes, first, mask;
  MlirType type;
  if (!find_memory(at, &memory) ||
      mlirShapedTypeGetRank(mlirValueGetType(operand(at, memory))) != 1)
    return none;
  lanes = operand(at, memory + 2);
  mask = operand(at, memory + 3);
  if (!cul_sound_bits(mlirValueGetType(lanes)))
    return none;
  type = cul_sound_like(mlirValueGetType(mask), index_of(at));
  if (!mlirTypeEqual(type, mlirValueGetType(lanes)))
    lanes = cul_sound_make(at, "arith.index_cast", type,
                           (const MlirValue[3]){lanes});
  first = cul_sound_make(at, "vector.broadcast", type,
                         (const MlirValue[3]){operand(at, memory + 1)});
  lanes = cul_sound_make(at, "arith.addi", type,
                         (const MlirValue[3]){lanes, first});
  return bad_lanes(at, operand(at, memory), lanes, mask);
}

/* vector.extract and .insert: check the dynamic positions. */
static MlirValue bad_position(const struct cul_sound_at *at, intptr_t vector) {
  MlirAttribute fixed = cul_ir_get(at->op, "static_position");
  MlirType type = mlirValueGetType(operand(at, vector));
  intptr_t next = vector + 1;
  MlirValue bad = none;
  if (!fixed.ptr || mlirVectorTypeIsScalable(type))
    return none;
  for (intptr_t d = 0; d < mlirDenseArrayGetNumElements(fixed); d++) {
    MlirValue size;
    if (mlirDenseI64ArrayGetElement(fixed, d) != INT64_MIN)
      continue;
    size =
        cul_sound_number(at, index_of(at), mlirShapedTypeGetDimSize(type, d));
    bad = cul_sound_or(
        at, bad,
        cul_sound_compare(at, CUL_SOUND_UGE, operand(at, next++), size));
  }
  return bad;
}

static MlirValue bad_extract(const struct cul_sound_at *at) {
  return bad_position(at, 0);
}

static MlirValue bad_insert(const struct cul_sound_at *at) {
  return bad_position(at, 1);
}

/* llvm.extractelement and .insertelement: check the position, the last
 * operand. */
static MlirValue bad_element(const struct cul_sound_at *at) {
  MlirValue position = operand(at, mlirOperationGetNumOperands(at->op) - 1);
  MlirType vector = mlirValueGetType(operand(at, 0));
  if (!mlirTypeIsAVector(vector) || mlirVectorTypeIsScalable(vector) ||
      cul_sound_bits(mlirValueGetType(position)) < 16)
    return none;
  return cul_sound_compare(
      at, CUL_SOUND_UGE, position,
      cul_sound_number(at, mlirValueGetType(position),
                       mlirShapedTypeGetDimSize(vector, 0)));
}

const struct cul_sound_rule cul_sound_bounds[] = {
    {"vector.load", CUL_SOUND_ENDS, bad_access, "is out of bounds", -1},
    {"vector.store", CUL_SOUND_ENDS, bad_access, "is out of bounds", -1},
    {"vector.transfer_read", CUL_SOUND_ENDS, bad_transfer, "is out of bounds",
     -1},
    {"vector.transfer_write", CUL_SOUND_ENDS, bad_transfer, "is out of bounds",
     -1},
    {"vector.maskedload", CUL_SOUND_ENDS, bad_masked, "is out of bounds", -1},
    {"vector.maskedstore", CUL_SOUND_ENDS, bad_masked, "is out of bounds", -1},
    {"vector.gather", CUL_SOUND_ENDS, bad_gather, "is out of bounds", -1},
    {"vector.scatter", CUL_SOUND_ENDS, bad_gather, "is out of bounds", -1},
    {"vector.extract", CUL_SOUND_POISON, bad_extract, "at", 1},
    {"vector.insert", CUL_SOUND_POISON, bad_insert, "at", 2},
    {"llvm.extractelement", CUL_SOUND_POISON, bad_element, "at", 1},
    {"llvm.insertelement", CUL_SOUND_POISON, bad_element, "at", 2},
    {.name = NULL}};
