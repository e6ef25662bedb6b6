/* Identify an operation for another module: by its name, and by the numbers of
 * its operands, results and regions with their ranks. */
#include "ir.h"

#include "private.h"

static uint32_t mix(uint32_t hash, uint64_t more) {
  return (hash ^ (uint32_t)more ^ (uint32_t)(more >> 32)) *
         UINT32_C(0x01000193);
}

static uint32_t mix_type(uint32_t hash, MlirType type) {
  if (!mlirTypeIsAShaped(type))
    return mix(hash, 1);
  return mix(hash, mlirShapedTypeHasRank(type)
                       ? 3 + (uint64_t)mlirShapedTypeGetRank(type)
                       : 2);
}

struct cul_like cul_ir_like(struct cul_subject *subject, void *place) {
  MlirOperation op = cul_ir_current(cul_ir_of(subject), (MlirOperation){place});
  MlirStringRef name = cul_ir_name(op);
  struct cul_like like = {UINT32_C(0x811c9dc5), 0};
  intptr_t n = mlirOperationGetNumOperands(op);
  for (size_t i = 0; i < name.length; i++)
    like.name = mix(like.name, (unsigned char)name.data[i]);
  like.shape = mix(like.name, (uint64_t)mlirOperationGetNumRegions(op));
  like.shape = mix(like.shape, (uint64_t)n);
  for (intptr_t i = 0; i < n; i++)
    like.shape =
        mix_type(like.shape, mlirValueGetType(mlirOperationGetOperand(op, i)));
  n = mlirOperationGetNumResults(op);
  like.shape = mix(like.shape, (uint64_t)n);
  for (intptr_t i = 0; i < n; i++)
    like.shape =
        mix_type(like.shape, mlirValueGetType(mlirOperationGetResult(op, i)));
  return like;
}
