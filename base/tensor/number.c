/* Conversion between bits and numbers for every element type: see dtype.h. */
#include <math.h>
#include <string.h>

#include "dtype.h"

static uint64_t load_bits(const struct cul_dtype_info *info,
                          const void *bytes) {
  uint64_t bits = 0;
  memcpy(&bits, bytes,
         info->size); /* little endian, as every supported machine */
  return bits;
}

static void store_bits(const struct cul_dtype_info *info, uint64_t bits,
                       void *bytes) {
  memcpy(bytes, &bits, info->size);
}

static uint64_t mask(unsigned bits) {
  return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

static bool float_is_nan(const struct cul_dtype_info *info, uint64_t bits) {
  uint64_t all = mask(info->exp + info->man);
  uint64_t size = bits & all;
  switch (info->top) {
  case CUL_TOP_IEEE:
    return size > (mask(info->exp) << info->man);
  case CUL_TOP_FN:
    return size == all;
  case CUL_TOP_FNUZ:
    return bits == UINT64_C(1) << (info->bits - 1);
  }
  return false;
}

static cul_number load_float(const struct cul_dtype_info *info, uint64_t bits) {
  uint64_t man = bits & mask(info->man);
  uint64_t exp = bits >> info->man & mask(info->exp);
  bool negative = bits >> (info->bits - 1) & 1;
  cul_number value;
  if (float_is_nan(info, bits))
    return (cul_number)NAN;
  if (info->top == CUL_TOP_IEEE && exp == mask(info->exp))
    value = (cul_number)INFINITY;
  else if (exp == 0)
    value = ldexpl((cul_number)man, 1 - info->bias - (int)info->man);
  else
    value = ldexpl((cul_number)(man | UINT64_C(1) << info->man),
                   (int)exp - info->bias - (int)info->man);
  return negative ? -value : value;
}

static cul_number load_int(const struct cul_dtype_info *info, uint64_t bits) {
  if (info->bits == 1) /* a byte of its own: any but 0 is true, as in NumPy */
    return bits != 0;
  bits &= mask(info->bits);
  if (info->is_signed && bits >> (info->bits - 1) & 1)
    return -(cul_number)(~(bits | ~mask(info->bits))) - 1;
  return (cul_number)bits;
}

cul_number cul_dtype_load(enum cul_dtype dtype, const void *bytes) {
  const struct cul_dtype_info *info = cul_dtype_info(dtype);
  uint64_t bits = load_bits(info, bytes);
  return info->kind == CUL_IS_FLOAT ? load_float(info, bits)
                                    : load_int(info, bits);
}

/* The bits of the largest finite number, without a sign. */
static uint64_t largest_bits(const struct cul_dtype_info *info) {
  uint64_t all = mask(info->exp + info->man);
  if (info->top == CUL_TOP_IEEE)
    return (mask(info->exp) << info->man) - 1;
  return info->top == CUL_TOP_FN ? all - 1 : all;
}

static uint64_t nan_bits(const struct cul_dtype_info *info) {
  if (info->top == CUL_TOP_FNUZ)
    return UINT64_C(1) << (info->bits - 1);
  if (info->top == CUL_TOP_FN)
    return mask(info->exp + info->man);
  return (mask(info->exp) << info->man) | UINT64_C(1) << (info->man - 1);
}

static uint64_t infinity_bits(const struct cul_dtype_info *info) {
  return info->top == CUL_TOP_IEEE ? mask(info->exp) << info->man
                                   : nan_bits(info);
}

/* The bits of a finite magnitude > 0, rounded. */
static uint64_t round_bits(const struct cul_dtype_info *info,
                           cul_number value) {
  int exp, lowest = 1 - info->bias; /* exponent of the smallest normal number */
  cul_number units;
  frexpl(value, &exp);
  exp = exp - 1 < lowest ? lowest : exp - 1;
  if (exp > info->bias + 2)
    return infinity_bits(info);
  units = rintl(ldexpl(value, (int)info->man - exp));
  /* A fraction that rounds up carries into the exponent. */
  uint64_t bits = (uint64_t)units;
  if (bits >> info->man)
    bits += (uint64_t)(exp - lowest) << info->man;
  return bits > largest_bits(info) ? infinity_bits(info) : bits;
}

static void store_float(const struct cul_dtype_info *info, cul_number value,
                        void *bytes) {
  bool negative = signbit(value);
  uint64_t bits = 0;
  if (isnan(value)) {
    store_bits(info, nan_bits(info), bytes);
    return;
  }
  if (isinf(value))
    bits = infinity_bits(info);
  else if (value != 0)
    bits = round_bits(info, fabsl(value));
  if (negative && (info->top != CUL_TOP_FNUZ || bits))
    bits |= UINT64_C(1) << (info->bits - 1);
  store_bits(info, bits, bytes);
}

static void store_int(const struct cul_dtype_info *info, cul_number value,
                      void *bytes) {
  uint64_t top = info->is_signed ? mask(info->bits - 1) : mask(info->bits);
  cul_number lowest = info->is_signed ? -(cul_number)top - 1 : 0;
  uint64_t bits;
  if (isnan(value))
    bits = 0;
  else if (value >= (cul_number)top)
    bits = top;
  else if (value <= lowest)
    bits = info->is_signed ? UINT64_C(1) << (info->bits - 1) : 0;
  else if (value < 0)
    bits = ~(uint64_t)(-truncl(value)) + 1;
  else
    bits = (uint64_t)value;
  store_bits(info, bits & mask(info->bits), bytes);
}

void cul_dtype_store(enum cul_dtype dtype, cul_number value, void *bytes) {
  const struct cul_dtype_info *info = cul_dtype_info(dtype);
  if (info->kind == CUL_IS_FLOAT)
    store_float(info, value, bytes);
  else
    store_int(info, value, bytes);
}

/* The rank of the number among all numbers of its type. */
static int64_t rank_of(const struct cul_dtype_info *info, uint64_t bits) {
  uint64_t size = bits & mask(info->bits - 1);
  bool negative = bits >> (info->bits - 1) & 1;
  return negative ? -(int64_t)size : (int64_t)size;
}

uint64_t cul_dtype_ulps(enum cul_dtype dtype, const void *a, const void *b) {
  const struct cul_dtype_info *info = cul_dtype_info(dtype);
  uint64_t left = load_bits(info, a), right = load_bits(info, b);
  int64_t x, y;
  if (float_is_nan(info, left) || float_is_nan(info, right))
    return float_is_nan(info, left) && float_is_nan(info, right) ? 0
                                                                 : UINT64_MAX;
  x = rank_of(info, left);
  y = rank_of(info, right);
  return x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x;
}

double cul_dtype_roundoff(enum cul_dtype dtype) {
  const struct cul_dtype_info *info = cul_dtype_info(dtype);
  return info->kind == CUL_IS_FLOAT ? ldexp(0.5, -(int)info->man) : 0;
}

cul_number cul_dtype_max(enum cul_dtype dtype) {
  const struct cul_dtype_info *info = cul_dtype_info(dtype);
  if (info->kind == CUL_IS_FLOAT)
    return load_float(info, largest_bits(info));
  return (cul_number)(info->is_signed ? mask(info->bits - 1)
                                      : mask(info->bits));
}

cul_number cul_dtype_tiny(enum cul_dtype dtype) {
  const struct cul_dtype_info *info = cul_dtype_info(dtype);
  return info->kind == CUL_IS_FLOAT ? load_float(info, 1) : 0;
}

cul_number cul_dtype_normal(enum cul_dtype dtype) {
  const struct cul_dtype_info *info = cul_dtype_info(dtype);
  return info->kind == CUL_IS_FLOAT ? load_float(info, UINT64_C(1) << info->man)
                                    : 0;
}
