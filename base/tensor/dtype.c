/* Element types: see dtype.h. */
#include "dtype.h"

#include <string.h>
#include <strings.h>

#define FLOAT(text, n, e, m, b, t, id)                                         \
  {.name = text,                                                               \
   .kind = CUL_IS_FLOAT,                                                       \
   .bits = (n),                                                                \
   .is_signed = true,                                                          \
   .size = (n) / 8,                                                            \
   .exp = (e),                                                                 \
   .man = (m),                                                                 \
   .bias = (b),                                                                \
   .top = CUL_TOP_##t,                                                         \
   .part = (id)}
#define INT(text, n, sign, less, id)                                           \
  {.name = text,                                                               \
   .kind = CUL_IS_INT,                                                         \
   .bits = (n),                                                                \
   .is_signed = (sign),                                                        \
   .signless = (less),                                                         \
   .size = (n) < 8 ? 1 : (n) / 8,                                              \
   .part = (id)}
#define COMPLEX(text, id)                                                      \
  {.name = text,                                                               \
   .kind = CUL_IS_COMPLEX,                                                     \
   .bits = (id) == CUL_F32 ? 32 : 64,                                          \
   .is_signed = true,                                                          \
   .size = (id) == CUL_F32 ? 8 : 16,                                           \
   .part = (id)}

static const struct cul_dtype_info infos[CUL_N_DTYPES] = {
    [CUL_F64] = FLOAT("f64", 64, 11, 52, 1023, IEEE, CUL_F64),
    [CUL_F32] = FLOAT("f32", 32, 8, 23, 127, IEEE, CUL_F32),
    [CUL_F16] = FLOAT("f16", 16, 5, 10, 15, IEEE, CUL_F16),
    [CUL_BF16] = FLOAT("bf16", 16, 8, 7, 127, IEEE, CUL_BF16),
    [CUL_F8E4M3FN] = FLOAT("f8E4M3FN", 8, 4, 3, 7, FN, CUL_F8E4M3FN),
    [CUL_F8E5M2] = FLOAT("f8E5M2", 8, 5, 2, 15, IEEE, CUL_F8E5M2),
    [CUL_F8E4M3FNUZ] = FLOAT("f8E4M3FNUZ", 8, 4, 3, 8, FNUZ, CUL_F8E4M3FNUZ),
    [CUL_F8E5M2FNUZ] = FLOAT("f8E5M2FNUZ", 8, 5, 2, 16, FNUZ, CUL_F8E5M2FNUZ),
    [CUL_I1] = INT("i1", 1, false, true, CUL_I1),
    [CUL_I2] = INT("i2", 2, true, true, CUL_I2),
    [CUL_I4] = INT("i4", 4, true, true, CUL_I4),
    [CUL_I8] = INT("i8", 8, true, true, CUL_I8),
    [CUL_I16] = INT("i16", 16, true, true, CUL_I16),
    [CUL_I32] = INT("i32", 32, true, true, CUL_I32),
    [CUL_I64] = INT("i64", 64, true, true, CUL_I64),
    [CUL_SI2] = INT("si2", 2, true, false, CUL_SI2),
    [CUL_SI4] = INT("si4", 4, true, false, CUL_SI4),
    [CUL_SI8] = INT("si8", 8, true, false, CUL_SI8),
    [CUL_SI16] = INT("si16", 16, true, false, CUL_SI16),
    [CUL_SI32] = INT("si32", 32, true, false, CUL_SI32),
    [CUL_SI64] = INT("si64", 64, true, false, CUL_SI64),
    [CUL_UI1] = INT("ui1", 1, false, false, CUL_UI1),
    [CUL_UI2] = INT("ui2", 2, false, false, CUL_UI2),
    [CUL_UI4] = INT("ui4", 4, false, false, CUL_UI4),
    [CUL_UI8] = INT("ui8", 8, false, false, CUL_UI8),
    [CUL_UI16] = INT("ui16", 16, false, false, CUL_UI16),
    [CUL_UI32] = INT("ui32", 32, false, false, CUL_UI32),
    [CUL_UI64] = INT("ui64", 64, false, false, CUL_UI64),
    [CUL_INDEX] = INT("index", 64, true, true, CUL_INDEX),
    [CUL_C64] = COMPLEX("complex<f32>", CUL_F32),
    [CUL_C128] = COMPLEX("complex<f64>", CUL_F64),
};

const struct cul_dtype_info *cul_dtype_info(enum cul_dtype dtype) {
  return &infos[dtype];
}

/* Type names other than MLIR's. Case does not matter. */
static const struct {
  const char *name;
  enum cul_dtype dtype;
} aliases[] = {
    {"float64", CUL_F64},
    {"double", CUL_F64},
    {"float32", CUL_F32},
    {"float", CUL_F32},
    {"float16", CUL_F16},
    {"half", CUL_F16},
    {"bfloat16", CUL_BF16},
    {"float8_e4m3fn", CUL_F8E4M3FN},
    {"f8_e4m3", CUL_F8E4M3FN},
    {"float8_e5m2", CUL_F8E5M2},
    {"f8_e5m2", CUL_F8E5M2},
    {"float8_e4m3fnuz", CUL_F8E4M3FNUZ},
    {"f8_e4m3fnuz", CUL_F8E4M3FNUZ},
    {"float8_e5m2fnuz", CUL_F8E5M2FNUZ},
    {"f8_e5m2fnuz", CUL_F8E5M2FNUZ},
    {"bool", CUL_I1},
    {"pred", CUL_I1},
    {"int2", CUL_SI2},
    {"int4", CUL_SI4},
    {"int8", CUL_SI8},
    {"int16", CUL_SI16},
    {"int32", CUL_SI32},
    {"int64", CUL_SI64},
    {"s8", CUL_SI8},
    {"s16", CUL_SI16},
    {"s32", CUL_SI32},
    {"s64", CUL_SI64},
    {"uint2", CUL_UI2},
    {"uint4", CUL_UI4},
    {"uint8", CUL_UI8},
    {"uint16", CUL_UI16},
    {"uint32", CUL_UI32},
    {"uint64", CUL_UI64},
    {"u8", CUL_UI8},
    {"u16", CUL_UI16},
    {"u32", CUL_UI32},
    {"u64", CUL_UI64},
    {"complex64", CUL_C64},
    {"c64", CUL_C64},
    {"complex128", CUL_C128},
    {"c128", CUL_C128},
};

bool cul_dtype_parse(const char *name, size_t len, enum cul_dtype *out) {
  for (int i = 0; i < CUL_N_DTYPES; i++)
    if (strlen(infos[i].name) == len &&
        strncasecmp(infos[i].name, name, len) == 0)
      return *out = (enum cul_dtype)i, true;
  for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
    if (strlen(aliases[i].name) == len &&
        strncasecmp(aliases[i].name, name, len) == 0)
      return *out = aliases[i].dtype, true;
  return false;
}
