/* Distances, tolerances and classes of error. */
#include "tensor_helper.h"

#include <math.h>

#include "../../../base/tensor/compare.h"

static const struct cul_tolerance_conf exact = {
    .rtol = -1, .atol = -1, .ulps = -1};

/* A tensor of these numbers, one dimension. */
static struct cul_tensor *make(struct cul_tensors *into, enum cul_dtype dtype,
                               const double *values, uint64_t n) {
  struct cul_tensor *tensor;
  struct cul_err err;
  assert_int_equal(cul_tensors_add(into, "", dtype, 1, &n, &tensor, &err), 0);
  for (uint64_t i = 0; i < n; i++)
    cul_tensor_set(tensor, i, 0, values[i]);
  return tensor;
}

static struct cul_difference compare(enum cul_dtype dtype, const double *got,
                                     const double *want, uint64_t n,
                                     const struct cul_tolerance_conf *conf) {
  struct cul_tensors a = {0}, b = {0};
  struct cul_difference out;
  struct cul_tolerance tolerance = cul_tolerance_for(conf, dtype);
  make(&a, dtype, got, n);
  make(&b, dtype, want, n);
  cul_tensor_compare(&a.items[0], &b.items[0], &tolerance, &out);
  cul_tensors_release(&a);
  cul_tensors_release(&b);
  cul_difference_release(&out);
  out.off = NULL;
  return out;
}

static void test_figures(void **state) {
  static const double got[] = {1, 2.5, 3, 0, -4}, want[] = {1, 2, 3, -0.0, -8};
  struct cul_difference d = compare(CUL_F32, got, want, 5, &exact);
  (void)state;
  assert_int_equal(d.n_differ, 2);
  assert_int_equal(d.n_fail, 2);
  assert_int_equal(d.first, 1);
  assert_int_equal(d.worst, 4);
  assert_true(d.max_abs == 4 && d.max_rel == 0.5);
  assert_true(d.has_ulps && d.max_ulps == 1 << 23);
  assert_int_equal(d.class, CUL_ERR_VALUE);
}

/* One element: what the difference has for all of them. */
static void test_apart(void **state) {
  static const double got[] = {1, 2.5, NAN, NAN, 3, INFINITY};
  static const double want[] = {1, 2, NAN, 1, 0, INFINITY};
  static const double signless[] = {-1}, whole[] = {255};
  const struct cul_difference how = {.has_ulps = true}, none = {0};
  struct cul_tensors a = {0}, b = {0};
  struct cul_apart apart;
  (void)state;
  make(&a, CUL_F32, got, 6);
  make(&b, CUL_F32, want, 6);
  assert_false(cul_tensor_apart(&a.items[0], &b.items[0], &how, 0).differs);
  assert_false(cul_tensor_apart(&a.items[0], &b.items[0], &how, 2).differs);
  assert_false(cul_tensor_apart(&a.items[0], &b.items[0], &how, 5).differs);
  apart = cul_tensor_apart(&a.items[0], &b.items[0], &how, 1);
  assert_true(apart.differs && apart.finite && apart.abs == 0.5);
  assert_true(apart.rel == 0.25 && apart.ulps == 1 << 21);
  apart = cul_tensor_apart(&a.items[0], &b.items[0], &how, 3);
  assert_true(apart.differs && !apart.finite);
  apart = cul_tensor_apart(&a.items[0], &b.items[0], &how, 4);
  assert_true(apart.abs == 3 && isinf(apart.rel));
  cul_tensors_release(&a);
  cul_tensors_release(&b);
  make(&a, CUL_I8, signless, 1);
  make(&b, CUL_UI8, whole, 1);
  assert_false(cul_tensor_apart(&a.items[0], &b.items[0], &none, 0).differs);
  cul_tensors_release(&a);
  cul_tensors_release(&b);
}

/* An output without elements is missing as any other is. */
static void test_missing(void **state) {
  static const uint64_t sizes[] = {0, 3};
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(sizes); i++) {
    const double values[3] = {1, 2, 3};
    struct cul_tensors got = {0}, want = {0};
    struct cul_outputs outputs;
    make(&want, CUL_F32, values, sizes[i]);
    cul_tensors_compare(&got, &want, &exact, &outputs);
    assert_int_equal(outputs.n_fail, 1);
    assert_int_equal(outputs.class, CUL_ERR_SHAPE);
    assert_int_equal(outputs.items[0].difference.n_fail,
                     sizes[i] ? sizes[i] : 1);
    cul_outputs_release(&outputs);
    cul_tensors_release(&want);
  }
}

/* One NaN against a number fails by every tolerance there is, also where it
 * is what is wanted. */
static void test_nan_never_passes(void **state) {
  static const char *const presets[] = {NULL,    "numpy", "numpy-testing",
                                        "torch", "jax",   "onnx",
                                        "iree",  "xla",   "polygraphy"};
  static const double nan_first[] = {NAN, 1}, plain[] = {1, 1};
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(presets); i++) {
    struct cul_tolerance_conf conf = {
        .preset = presets[i], .rtol = i ? -1 : 1e30, .atol = -1, .ulps = -1};
    struct cul_difference d = compare(CUL_F32, nan_first, plain, 2, &conf);
    assert_int_equal(d.n_fail, 1);
    assert_int_equal(d.class, CUL_ERR_NONFINITE);
    assert_true(isinf(d.severity));
    d = compare(CUL_F32, plain, nan_first, 2, &conf);
    assert_int_equal(d.n_fail, 1);
  }
}

static void test_both_nan(void **state) {
  static const double a[] = {NAN, INFINITY}, b[] = {NAN, INFINITY};
  struct cul_tolerance_conf conf = exact;
  struct cul_difference d = compare(CUL_F32, a, b, 2, &conf);
  (void)state;
  assert_int_equal(d.n_fail, 0);
  assert_int_equal(d.got_nan, 1);
  assert_int_equal(d.want_inf, 1);
  conf.preset = "numpy";
  assert_int_equal(compare(CUL_F32, a, b, 2, &conf).n_fail, 1);
  conf.preset = "polygraphy";
  assert_int_equal(compare(CUL_F32, a, b, 2, &conf).n_fail, 2);
  conf.preset = "xla";
  assert_int_equal(compare(CUL_F32, a, b, 2, &conf).n_fail, 0);
}

static void test_infinities(void **state) {
  static const double a[] = {INFINITY, INFINITY}, b[] = {-INFINITY, 1e38};
  struct cul_tolerance_conf conf = {.rtol = 1e30, .atol = 1e30, .ulps = -1};
  (void)state;
  assert_int_equal(compare(CUL_F32, a, b, 2, &conf).n_fail, 2);
}

/* Each preset's formula at its edge. */
static void test_presets(void **state) {
  static const struct {
    const char *preset;
    enum cul_dtype dtype;
    double want, passes, fails; /* got - want */
  } rows[] = {
      {"numpy", CUL_F64, 1000, 0.00999, 0.0101},
      {"numpy-testing", CUL_F64, 1000, 0.99e-4, 1.01e-4},
      {"torch", CUL_F32, 1000, 0.0012, 0.0014},
      {"torch", CUL_F16, 1000, 1, 1.5},
      {"torch", CUL_BF16, 1024, 16, 24},
      {"torch", CUL_F64, 1, 1.9e-7, 2.1e-7},
      {"torch", CUL_SI32, 1000000, 0, 1},
      {"jax", CUL_F8E4M3FN, 16, 0, 2},
      {"onnx", CUL_F32, 1000, 0.99, 1.01},
      {"iree", CUL_F32, 0, 0.99e-4, 1.01e-4},
      {"iree", CUL_SI32, 1000000, 0, 1},
      {"xla", CUL_F64, 0, 0.99e-3, 1.01e-3},
      {"xla", CUL_F64, 1000, 0.99, 1.01},
      {"polygraphy", CUL_F64, 1000, 0.0099, 0.0101},
  };
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(rows); i++) {
    struct cul_tolerance_conf conf = {
        .preset = rows[i].preset, .rtol = -1, .atol = -1, .ulps = -1};
    double got[] = {rows[i].want + rows[i].passes,
                    rows[i].want + rows[i].fails};
    double want[] = {rows[i].want, rows[i].want};
    struct cul_difference d = compare(rows[i].dtype, got, want, 2, &conf);
    if (d.n_fail != 1 || d.first != 1)
      fail_msg("%s row %zu: %d fail", rows[i].preset, i, (int)d.n_fail);
  }
}

static void test_given(void **state) {
  static const double got[] = {1.25, 1 + 0x1p-22, 7}, want[] = {1, 1, 7};
  struct cul_tolerance_conf conf = exact;
  (void)state;
  conf.ulps = 2;
  assert_int_equal(compare(CUL_F32, got, want, 3, &conf).n_fail, 1);
  conf.ulps = 1;
  assert_int_equal(compare(CUL_F32, got, want, 3, &conf).n_fail, 2);
  conf = exact;
  conf.atol = 0.25;
  assert_int_equal(compare(CUL_F32, got, want, 3, &conf).n_fail, 0);
  conf.preset = "torch"; /* what is given wins over the preset */
  conf.atol = 0.2;
  assert_int_equal(compare(CUL_F32, got, want, 3, &conf).n_fail, 1);
}

static void test_checked(void **state) {
  struct cul_tolerance_conf conf = exact;
  struct cul_err err;
  (void)state;
  assert_int_equal(cul_tolerance_check(&conf, &err), 0);
  conf.rtol = NAN;
  assert_int_equal(cul_tolerance_check(&conf, &err), CUL_EUSAGE);
  assert_non_null(strstr(err.what, "a tolerance of NaN"));
  conf = exact;
  conf.atol = INFINITY;
  assert_int_equal(cul_tolerance_check(&conf, &err), CUL_EUSAGE);
  conf = exact;
  conf.preset = "what";
  assert_int_equal(cul_tolerance_check(&conf, &err), CUL_EUSAGE);
  assert_non_null(strstr(err.advice, "polygraphy"));
  conf = exact;
  conf.ulps = conf.rtol = 3;
  assert_int_equal(cul_tolerance_check(&conf, &err), CUL_EUSAGE);
}

static void test_classes(void **state) {
  static const double zeros[] = {0, 0, 0}, want[] = {1, 2, 3},
                      infinite[] = {1, INFINITY, 3}, off[] = {1, 2, 4};
  float fill;
  double filled[] = {1, 0, 3};
  (void)state;
  memset(&fill, 0xaa, sizeof fill);
  filled[1] = fill;
  assert_int_equal(compare(CUL_F32, zeros, want, 3, &exact).class,
                   CUL_ERR_ALL_ZERO);
  assert_int_equal(compare(CUL_F32, infinite, want, 3, &exact).class,
                   CUL_ERR_NONFINITE);
  assert_int_equal(compare(CUL_F32, off, want, 3, &exact).class, CUL_ERR_VALUE);
  assert_int_equal(compare(CUL_F32, filled, want, 3, &exact).class,
                   CUL_ERR_UNWRITTEN);
  assert_int_equal(compare(CUL_F32, want, want, 3, &exact).class, CUL_ERR_NONE);
}

/* A fill that was printed with six digits is still one; a number is none. */
static void test_printed_fill(void **state) {
  double value = -3.03165e-13; /* 0xaaaaaaaa */
  (void)state;
  assert_true(cul_number_is_fill(CUL_F64, &value, true));
  assert_false(cul_number_is_fill(CUL_F64, &value, false));
  value = 2;
  assert_false(cul_number_is_fill(CUL_F64, &value, true));
  value = -1; /* 0xff.. is -1 of an integer */
  assert_false(cul_number_is_fill(CUL_I64, &(int64_t){-1}, false));
}

static enum cul_error_class types(enum cul_dtype a, enum cul_dtype b,
                                  bool untyped) {
  static const double one[] = {1};
  struct cul_tensors x = {0}, y = {0};
  struct cul_difference d;
  struct cul_tolerance tolerance = cul_tolerance_for(&exact, a);
  make(&x, a, one, 1)->untyped = untyped;
  make(&y, b, one, 1);
  cul_tensor_compare(&x.items[0], &y.items[0], &tolerance, &d);
  cul_difference_release(&d);
  cul_tensors_release(&x);
  cul_tensors_release(&y);
  return d.class;
}

static void test_types(void **state) {
  (void)state;
  assert_int_equal(types(CUL_I8, CUL_UI8, false), CUL_ERR_NONE);
  assert_int_equal(types(CUL_SI8, CUL_UI8, false), CUL_ERR_SHAPE);
  assert_int_equal(types(CUL_F16, CUL_F32, false), CUL_ERR_NONE);
  assert_int_equal(types(CUL_F64, CUL_SI32, false), CUL_ERR_SHAPE);
  assert_int_equal(types(CUL_F64, CUL_SI32, true), CUL_ERR_NONE);
  assert_int_equal(types(CUL_C64, CUL_F32, true), CUL_ERR_SHAPE);
}

/* 0xff is -1 or 255: the signless side follows the other. */
static void test_signless(void **state) {
  struct cul_tensors x = {0}, y = {0};
  struct cul_difference d;
  struct cul_tolerance tolerance = cul_tolerance_for(&exact, CUL_I8);
  static const double minus[] = {-1}, plus[] = {255};
  (void)state;
  make(&x, CUL_I8, minus, 1);
  make(&y, CUL_UI8, plus, 1);
  cul_tensor_compare(&x.items[0], &y.items[0], &tolerance, &d);
  assert_int_equal(d.n_fail, 0);
  cul_difference_release(&d);
  cul_tensors_release(&x);
  cul_tensors_release(&y);
}

/* Other words around the same numbers are no match. */
static void test_words(void **state) {
  struct cul_tensors x = {0}, y = {0};
  struct cul_difference d;
  struct cul_err err;
  struct cul_tolerance tolerance = cul_tolerance_for(&exact, CUL_F64);
  (void)state;
  assert_int_equal(
      cul_tensors_parse_text((struct cul_bytes){"a 1", 3}, NULL, &x, &err), 0);
  assert_int_equal(
      cul_tensors_parse_text((struct cul_bytes){"b 1", 3}, NULL, &y, &err), 0);
  cul_tensor_compare(&x.items[0], &y.items[0], &tolerance, &d);
  assert_int_equal(d.class, CUL_ERR_SHAPE);
  assert_non_null(strstr(d.why, "other text"));
  cul_tensors_release(&x);
  cul_tensors_release(&y);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_figures),  cmocka_unit_test(test_apart),
      cmocka_unit_test(test_missing),  cmocka_unit_test(test_nan_never_passes),
      cmocka_unit_test(test_both_nan), cmocka_unit_test(test_infinities),
      cmocka_unit_test(test_presets),  cmocka_unit_test(test_given),
      cmocka_unit_test(test_checked),  cmocka_unit_test(test_classes),
      cmocka_unit_test(test_types),    cmocka_unit_test(test_printed_fill),
      cmocka_unit_test(test_signless), cmocka_unit_test(test_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
