/* Element types of tensors: names, sizes, and what their bits mean. */
#ifndef CUL_BASE_TENSOR_DTYPE_H
#define CUL_BASE_TENSOR_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cul_dtype {
  CUL_F64,
  CUL_F32,
  CUL_F16,
  CUL_BF16,
  CUL_F8E4M3FN,
  CUL_F8E5M2,
  CUL_F8E4M3FNUZ,
  CUL_F8E5M2FNUZ,
  CUL_I1, /* signless; read as 0 and 1 */
  CUL_I2, /* signless, from here on read as two's complement */
  CUL_I4,
  CUL_I8,
  CUL_I16,
  CUL_I32,
  CUL_I64,
  CUL_SI2,
  CUL_SI4,
  CUL_SI8,
  CUL_SI16,
  CUL_SI32,
  CUL_SI64,
  CUL_UI1,
  CUL_UI2,
  CUL_UI4,
  CUL_UI8,
  CUL_UI16,
  CUL_UI32,
  CUL_UI64,
  CUL_INDEX, /* 64 bits, two's complement */
  CUL_C64,   /* complex<f32> */
  CUL_C128,  /* complex<f64> */
  CUL_N_DTYPES,
};

enum cul_number_kind { CUL_IS_FLOAT, CUL_IS_INT, CUL_IS_COMPLEX };

/* The meaning of a float's largest exponent. */
enum cul_top {
  CUL_TOP_IEEE, /* infinities and NaNs */
  CUL_TOP_FN,   /* numbers, except one NaN of all ones */
  CUL_TOP_FNUZ, /* numbers; NaN has the code of -0 */
};

struct cul_dtype_info {
  const char *name; /* as MLIR writes it: f32, f8E4M3FN, si8, complex<f32> */
  enum cul_number_kind kind;
  unsigned bits;       /* of one part */
  bool is_signed;      /* integers: read as two's complement */
  bool signless;       /* integers without a defined sign */
  unsigned size;       /* bytes of one element in memory; a power of 2 */
  unsigned exp, man;   /* floats: bits of exponent and of fraction */
  int bias;            /* floats */
  enum cul_top top;    /* floats */
  enum cul_dtype part; /* complex: type of a part; else the type itself */
};

/* Never NULL; static. */
const struct cul_dtype_info *cul_dtype_info(enum cul_dtype dtype);

/* The type that a name denotes: MLIR's (f32, si8, index, complex<f64>), NumPy's
 * and PyTorch's (float32, bfloat16, float8_e4m3fn, uint8, bool), those of
 * safetensors (F32, BF16, F8_E4M3, U8, BOOL) and IREE's (f8E4M3FN).  False
 * where it is none of them. */
bool cul_dtype_parse(const char *name, size_t len, enum cul_dtype *out);

/* Holds a real number of any of these types without loss: 64 bits of
 * fraction. */
typedef long double cul_number;

/* The value of the element (of a complex one: of the part) at `bytes`; dtype:
 * not complex. */
cul_number cul_dtype_load(enum cul_dtype dtype, const void *bytes);
/* Store the nearest element (ties to even; integers: truncated, saturated).
 * Above a float type's largest number: infinity, or NaN where the type has
 * none. */
void cul_dtype_store(enum cul_dtype dtype, cul_number value, void *bytes);

/* Floats: how many representable numbers lie between a and b, -0 and +0 being
 * one; two NaNs are 0 apart, one NaN is UINT64_MAX from everything. */
uint64_t cul_dtype_ulps(enum cul_dtype dtype, const void *a, const void *b);

/* Floats: half the distance of 1 and the next number; integers: 0. */
double cul_dtype_roundoff(enum cul_dtype dtype);
/* Floats: the largest finite number; integers: the largest. */
cul_number cul_dtype_max(enum cul_dtype dtype);
/* Floats: the smallest number above 0; integers: 0. */
cul_number cul_dtype_tiny(enum cul_dtype dtype);
/* Floats: the smallest normal number; integers: 0. */
cul_number cul_dtype_normal(enum cul_dtype dtype);

#endif
