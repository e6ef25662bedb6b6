/* Generated values: see inputs.h. */
#include "inputs.h"

#include <string.h>

bool cul_input_kind_parse(const char *name, enum cul_input_kind *out) {
  static const char *const names[] = {"integers", "reals", "positive"};
  for (int i = 0; i < 3; i++)
    if (strcmp(name, names[i]) == 0)
      return *out = (enum cul_input_kind)i, true;
  return false;
}

uint64_t cul_inputs_mix(uint64_t x) {
  x += UINT64_C(0x9E3779B97F4A7C15);
  x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
  return x ^ x >> 31;
}

static cul_number whole(const struct cul_dtype_info *info, bool positive,
                        uint64_t hash) {
  bool is_float = info->kind != CUL_IS_INT;
  int eighth = (int)(hash >> 61);
  if (info->bits == 1)
    return eighth & 1;
  if (positive || (!is_float && !info->is_signed))
    return is_float || info->bits >= 4 ? eighth + 1 : 1;
  if (info->bits == 2)
    return eighth & 1 ? 1 : -1;
  return eighth < 4 ? eighth - 4 : eighth - 3;
}

static cul_number draw(enum cul_input_kind kind,
                       const struct cul_dtype_info *info, uint64_t hash) {
  cul_number unit = (cul_number)(hash >> 11) / (UINT64_C(1) << 53);
  if (kind == CUL_INPUTS_INTEGERS || info->kind == CUL_IS_INT)
    return whole(info, kind == CUL_INPUTS_POSITIVE, hash);
  return kind == CUL_INPUTS_REALS ? 2 * unit - 1 : unit + 0.5L;
}

void cul_inputs_fill(enum cul_input_kind kind, uint64_t seed, uint64_t argument,
                     struct cul_tensor *tensor) {
  const struct cul_dtype_info *info = cul_dtype_info(tensor->dtype);
  uint64_t start = cul_inputs_mix(cul_inputs_mix(seed) ^ argument),
           index[CUL_TENSOR_MAX_RANK];
  for (uint64_t i = 0; i < tensor->n; i++) {
    uint64_t hash = start;
    cul_tensor_index(tensor, i, index);
    for (size_t d = 0; d < tensor->rank; d++)
      hash = cul_inputs_mix(hash ^ index[d]);
    for (unsigned part = 0; part < cul_tensor_parts(tensor); part++)
      cul_tensor_set(tensor, i, part,
                     draw(kind, info, cul_inputs_mix(hash ^ part)));
  }
}
