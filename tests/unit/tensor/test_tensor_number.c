/* Bits and numbers of every element type. */
#include "tensor_helper.h"

#include <math.h>

static cul_number load(enum cul_dtype dtype, uint64_t bits) {
  return cul_dtype_load(dtype, &bits);
}

static uint64_t store(enum cul_dtype dtype, cul_number value) {
  uint64_t bits = 0;
  cul_dtype_store(dtype, value, &bits);
  return bits;
}

/* Every 8 and 16 bit float: what is loaded stores to the same bits, and the
 * numbers between two neighbours round to the nearer one, ties to even. */
static void check_small_float(enum cul_dtype dtype) {
  unsigned bits = cul_dtype_info(dtype)->bits;
  uint64_t half = UINT64_C(1) << (bits - 1);
  for (uint64_t b = 0; b < 2 * half; b++) {
    cul_number value = load(dtype, b), next = load(dtype, b + 1);
    if (isnan(value)) {
      assert_true(isnan(load(dtype, store(dtype, value))));
      continue;
    }
    assert_int_equal(store(dtype, value), b);
    if (b + 1 >= half || isnan(next) || isinf(next))
      continue;
    assert_true(next > value);
    assert_int_equal(store(dtype, (3 * value + next) / 4), b);
    assert_int_equal(store(dtype, (value + 3 * next) / 4), b + 1);
    assert_int_equal(store(dtype, (value + next) / 2), b + (b & 1));
  }
}

static void test_small_floats(void **state) {
  (void)state;
  check_small_float(CUL_F16);
  check_small_float(CUL_BF16);
  check_small_float(CUL_F8E4M3FN);
  check_small_float(CUL_F8E5M2);
  check_small_float(CUL_F8E4M3FNUZ);
  check_small_float(CUL_F8E5M2FNUZ);
}

/* The largest, the smallest and the roundoff that the formats' papers say. */
static void test_limits(void **state) {
  static const struct {
    enum cul_dtype dtype;
    double max, tiny, roundoff;
  } rows[] = {{CUL_F16, 65504, 0x1p-24, 0x1p-11},
              {CUL_BF16, 0x1.fep127, 0x1p-133, 0x1p-8},
              {CUL_F32, 0x1.fffffep127, 0x1p-149, 0x1p-24},
              {CUL_F64, 0x1.fffffffffffffp1023, 0x1p-1074, 0x1p-53},
              {CUL_F8E4M3FN, 448, 0x1p-9, 0x1p-4},
              {CUL_F8E5M2, 57344, 0x1p-16, 0x1p-3},
              {CUL_F8E4M3FNUZ, 240, 0x1p-10, 0x1p-4},
              {CUL_F8E5M2FNUZ, 57344, 0x1p-17, 0x1p-3}};
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(rows); i++) {
    assert_true(cul_dtype_max(rows[i].dtype) == rows[i].max);
    assert_true(cul_dtype_tiny(rows[i].dtype) == rows[i].tiny);
    assert_true(cul_dtype_roundoff(rows[i].dtype) == rows[i].roundoff);
  }
}

static void test_specials(void **state) {
  (void)state;
  assert_true(isinf(load(CUL_F16, 0x7c00)));
  assert_true(isnan(load(CUL_F16, 0x7c01)));
  assert_true(isnan(load(CUL_F8E4M3FN, 0x7f)));
  assert_true(load(CUL_F8E4M3FN, 0x7e) == 448);
  assert_true(isnan(load(CUL_F8E4M3FNUZ, 0x80)));
  assert_int_equal(store(CUL_F8E4M3FNUZ, -0.0L), 0); /* it has no -0 */
  assert_int_equal(store(CUL_F16, -0.0L), 0x8000);
  assert_true(isinf(load(CUL_F16, store(CUL_F16, 70000))));
  assert_true(isnan(load(CUL_F8E4M3FN, store(CUL_F8E4M3FN, 500))));
  assert_int_equal(store(CUL_F32, 1.5L), 0x3fc00000);
  assert_true(store(CUL_F64, -2.5L) == UINT64_C(0xc004000000000000));
}

static void test_integers(void **state) {
  (void)state;
  assert_true(load(CUL_I8, 0xff) == -1 && load(CUL_UI8, 0xff) == 255);
  assert_true(load(CUL_I1, 1) == 1 && load(CUL_I4, 0xf) == -1);
  assert_true(load(CUL_I64, UINT64_C(1) << 63) == -0x1p63L);
  assert_true(load(CUL_UI64, UINT64_MAX) == 0x1p64L - 1);
  assert_int_equal(store(CUL_I8, -3), 0xfd);
  assert_int_equal(store(CUL_SI8, -500), 0x80);
  assert_int_equal(store(CUL_UI8, 500), 255);
  assert_int_equal(store(CUL_UI8, -5), 0);
  assert_true(store(CUL_I64, -0x1p63L) == UINT64_C(1) << 63);
  assert_true(store(CUL_I64, INT64_MAX) == INT64_MAX);
}

static uint64_t ulps(enum cul_dtype dtype, cul_number a, cul_number b) {
  uint64_t x = store(dtype, a), y = store(dtype, b);
  return cul_dtype_ulps(dtype, &x, &y);
}

static void test_ulps(void **state) {
  (void)state;
  assert_int_equal(ulps(CUL_F32, 1, 1 + 0x1p-23L), 1);
  assert_int_equal(ulps(CUL_F32, 1, 1 - 0x1p-24L), 1);
  assert_int_equal(ulps(CUL_F32, 0, -0.0L), 0);
  assert_int_equal(ulps(CUL_F32, 0x1p-149L, -0x1p-149L), 2);
  assert_int_equal(ulps(CUL_F16, 65504, (cul_number)INFINITY), 1);
  assert_int_equal(ulps(CUL_F32, (cul_number)NAN, (cul_number)NAN), 0);
  assert_true(ulps(CUL_F32, (cul_number)NAN, 1) == UINT64_MAX);
  assert_true(ulps(CUL_F64, -(cul_number)INFINITY, (cul_number)INFINITY) ==
              2 * UINT64_C(0x7ff0000000000000));
}

static void test_names(void **state) {
  static const struct {
    const char *name;
    enum cul_dtype dtype;
  } rows[] = {{"f32", CUL_F32},
              {"float16", CUL_F16},
              {"BF16", CUL_BF16},
              {"F8_E4M3", CUL_F8E4M3FN},
              {"f8E5M2", CUL_F8E5M2},
              {"si8", CUL_SI8},
              {"uint8", CUL_UI8},
              {"index", CUL_INDEX},
              {"bool", CUL_I1},
              {"complex<f32>", CUL_C64},
              {"float8_e4m3fnuz", CUL_F8E4M3FNUZ}};
  enum cul_dtype dtype;
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(rows); i++) {
    assert_true(cul_dtype_parse(rows[i].name, strlen(rows[i].name), &dtype));
    assert_int_equal(dtype, rows[i].dtype);
  }
  assert_false(cul_dtype_parse("i7", 2, &dtype));
  assert_false(cul_dtype_parse("f3", 2, &dtype));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_small_floats), cmocka_unit_test(test_limits),
      cmocka_unit_test(test_specials),     cmocka_unit_test(test_integers),
      cmocka_unit_test(test_ulps),         cmocka_unit_test(test_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
