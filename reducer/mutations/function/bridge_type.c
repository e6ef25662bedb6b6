/* bridge-type: replace an operation by an operand of another type.  Either its
 * users take the operand directly, and a function that returned the result
 * returns the new type; or a cast converts the operand. */
#include "../frame/each.h"
#include "../retype/rules/rules.h"
#include "return_value.h"

#define CAST UINT64_C(1) /* detail: operand number, then this bit */

/* The only result that has uses; null if none or several have. */
static MlirValue used_result(MlirOperation op) {
  MlirValue used = {NULL};
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
    MlirValue result = mlirOperationGetResult(op, i);
    if (cul_ir_has_uses(result) && used.ptr)
      return (MlirValue){NULL};
    if (cul_ir_has_uses(result))
      used = result;
  }
  return used;
}

/* Is a cast simpler than the operation?  Not than a single one with one
 * operand. */
static bool cast_gains(const struct cul_ir_item *item) {
  return item->size > 1 || mlirOperationGetNumOperands(item->op) > 1;
}

/* ---- types that users take ---- */

static MlirType element_of(MlirType type) {
  return mlirTypeIsAShaped(type) ? mlirShapedTypeGetElementType(type) : type;
}

/* Have the types the same sizes (with `layouts`: and the same encoding), or is
 * neither shaped? */
static bool is_alike(MlirType a, MlirType b, bool layouts) {
  bool ranked = mlirTypeIsARankedTensor(a) && mlirTypeIsARankedTensor(b);
  if (!mlirTypeIsAShaped(a) && !mlirTypeIsAShaped(b))
    return true;
  if (!ranked || mlirShapedTypeGetRank(a) != mlirShapedTypeGetRank(b))
    return false;
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(a); i++)
    if (mlirShapedTypeGetDimSize(a, i) != mlirShapedTypeGetDimSize(b, i))
      return false;
  return !layouts || mlirAttributeEqual(mlirRankedTensorTypeGetEncoding(a),
                                        mlirRankedTensorTypeGetEncoding(b));
}

static int width_of(MlirType type) {
  return (int)(mlirTypeIsAFloat(type) ? mlirFloatTypeGetWidth(type)
                                      : mlirIntegerTypeGetWidth(type));
}

/* Are both floats, or both integers? */
static bool is_of_kind(MlirType a, MlirType b) {
  return (mlirTypeIsAFloat(a) && mlirTypeIsAFloat(b)) ||
         (mlirTypeIsAInteger(a) && mlirTypeIsAInteger(b));
}

/* Does op convert only the element type, and may it convert `from`? */
static bool casts_from(MlirOperation op, MlirType old, MlirType from) {
  const struct cul_op_word *converts = cul_retype_word(op, "converts");
  bool widens = cul_retype_word(op, "widens");
  MlirType to, a = element_of(from), b;
  if (mlirOperationGetNumResults(op) != 1 ||
      (!converts && !widens && !cul_retype_word(op, "narrows")))
    return false;
  to = mlirValueGetType(mlirOperationGetResult(op, 0));
  b = element_of(to);
  if (!is_alike(from, to, true))
    return false;
  if (converts && converts->n_args > 0)
    return true;
  return is_of_kind(a, element_of(old)) &&
         (converts ||
          (widens ? width_of(b) > width_of(a) : width_of(b) < width_of(a)));
}

static intptr_t rank_of(MlirType type) {
  return mlirTypeIsAShaped(type) && mlirShapedTypeHasRank(type)
             ? (intptr_t)mlirShapedTypeGetRank(type)
             : -1;
}

/* Does the StableHLO operation take operands of almost any type for the same
 * result type? */
static bool takes_any(MlirOperation user) {
  static const char *const names[] = {"stablehlo.bitcast_convert",
                                      "stablehlo.custom_call",
                                      "stablehlo.reshape", "stablehlo.tuple"};
  return cul_ir_is_among(user, names, CUL_ARRAY_SIZE(names));
}

/* May user take a value of this type in place of one of type `old`?  This
 * replaces the verifier that libMLIR lacks for the operation; unknown ones
 * may. */
static bool may_take(MlirOperation user, MlirType old, MlirType type) {
  bool ends = cul_ir_is(user, "tt.return") || cul_ir_is(user, "tt.print");
  if (cul_ir_is_of(user, "ttg.") || cul_ir_is_of(user, "triton_gpu."))
    return is_alike(old, type, false) &&
           mlirTypeEqual(element_of(old), element_of(type)) &&
           mlirTypeIsAShaped(type);
  if (cul_ir_is_of(user, "linalg."))
    return rank_of(old) == rank_of(type);
  if ((cul_ir_is_of(user, "tt.") && !ends) || cul_ir_is_of(user, "ttng.") ||
      cul_ir_is_of(user, "scf.") || cul_retype_is_elementwise(user) ||
      (cul_ir_is_of(user, "stablehlo.") && !takes_any(user)))
    return casts_from(user, old, type);
  return true;
}

/* Does user end a region whose operation determines the types that it
 * yields? */
static bool ends_region(const struct cul_ir *ir, MlirOperation user) {
  return cul_ir_is_opaque(ir) && cul_ir_is_terminator(ir, user) &&
         mlirOperationGetNumSuccessors(user) == 0 &&
         !cul_ir_is_function(cul_ir_parent(user));
}

static bool users_may_take(struct cul_ir *ir, MlirValue result, MlirType type) {
  struct cul_ir_ops users = {0};
  bool may = true;
  cul_ir_users(ir, result, &users);
  for (size_t i = 0; i < users.n; i++)
    may &= !ends_region(ir, users.items[i]) &&
           may_take(users.items[i], mlirValueGetType(result), type);
  cul_ir_ops_release(&users);
  return may;
}

/* ---- sites ---- */

static void add_sites(struct cul_ir *ir, const struct cul_ir_item *item,
                      struct cul_sites *out) {
  MlirOperation op = item->op;
  MlirValue result = used_result(op);
  if (!result.ptr || cul_ir_is_terminator(ir, op) ||
      !cul_each_editable(ir, op) || cul_ir_get(op, "callee").ptr)
    return;
  for (intptr_t k = 0; k < mlirOperationGetNumOperands(op); k++) {
    MlirType type = mlirValueGetType(mlirOperationGetOperand(op, k));
    /* forward replaces results by operands of the same type */
    if (mlirTypeEqual(mlirValueGetType(result), type))
      continue;
    if (users_may_take(ir, result, type))
      cul_each_add(out, op, (uint64_t)k << 1, item->size);
    if (cast_gains(item))
      cul_each_add(out, op, (uint64_t)k << 1 | CAST, item->size);
  }
}

static bool bridge(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  MlirValue result = used_result(op), operand;
  MlirType type;
  MlirOperation cast;
  if (!result.ptr || (intptr_t)(detail >> 1) >= mlirOperationGetNumOperands(op))
    return false;
  operand = mlirOperationGetOperand(op, (intptr_t)(detail >> 1));
  type = mlirValueGetType(result);
  if (detail & CAST) {
    cast =
        cul_ir_create(ir,
                      &(struct cul_ir_new){"builtin.unrealized_conversion_cast",
                                           &operand, 1, &type, 1},
                      op);
    if (!cast.ptr)
      return false;
    cul_ir_replace_uses(result, mlirOperationGetResult(cast, 0));
  } else if (!cul_return_instead(ir, result, operand)) {
    return false;
  }
  return cul_ir_discard(ir, op);
}

const struct cul_each cul_mutation_bridge_type = {.list = add_sites,
                                                  .edit = bridge};
