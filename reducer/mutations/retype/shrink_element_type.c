/* shrink-element-type: make an element or scalar type narrower, or f32, in all
 * types to which it is tied; literals follow. */
#include "retype.h"
#include "rules/rules.h"

static int64_t number(MlirType type) { return (int64_t)(intptr_t)type.ptr; }

static MlirType integer(const struct cul_retype *g, MlirType like,
                        unsigned width) {
  MlirContext context = g->ir->context;
  if (g->torch && width > 1 && mlirIntegerTypeIsSigned(like))
    return mlirIntegerTypeSignedGet(context, width);
  if (g->torch && width > 1 && mlirIntegerTypeIsUnsigned(like))
    return mlirIntegerTypeUnsignedGet(context, width);
  return mlirIntegerTypeGet(context, width);
}

static size_t integers(const struct cul_retype *g, MlirType type,
                       int64_t *out) {
  static const unsigned widths[] = {1, 8, 16, 32};
  unsigned width = mlirIntegerTypeGetWidth(type);
  size_t n = 0;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(widths) && widths[i] < width; i++)
    out[n++] = number(integer(g, type, widths[i]));
  /* signed and unsigned types are longer to write */
  if (!mlirIntegerTypeIsSignless(type) && !g->torch)
    out[n++] = number(mlirIntegerTypeGet(g->ir->context, width));
  return n;
}

static size_t floats(const struct cul_retype *g, MlirType type, int64_t *out) {
  MlirType single = mlirF32TypeGet(g->ir->context);
  size_t n = 0;
  if (!mlirTypeEqual(type, single) && !mlirTypeIsAF16(type))
    out[n++] = number(single);
  if (mlirFloatTypeGetWidth(type) > 16)
    out[n++] = number(mlirF16TypeGet(g->ir->context));
  return n;
}

static size_t targets(const struct cul_retype *g, int64_t value, int64_t *out) {
  MlirType type = {(void *)(intptr_t)value};
  if (mlirTypeIsAInteger(type))
    return integers(g, type, out);
  if (mlirTypeIsAFloat(type))
    return floats(g, type, out);
  if (mlirTypeIsAComplex(type)) {
    out[0] = number(mlirComplexTypeGetElementType(type));
    return 1;
  }
  return 0;
}

const struct cul_retype_edit cul_mutation_shrink_element_type = {
    .part = CUL_RETYPE_ELEMENT, .targets = targets};
