/* What programs print: IREE, memref prints, vector.print, and other lines. */
#include "tensor_helper.h"

#include <math.h>

#include "../../../base/tensor/compare.h"

static void read_text(const char *text, struct cul_tensors *out) {
  struct cul_err err = {0};
  *out = (struct cul_tensors){0};
  if (cul_tensors_parse_text((struct cul_bytes){text, strlen(text)}, NULL, out,
                             &err) < 0)
    fail_msg("%s: %s", text, err.what);
}

static void test_iree(void **state) {
  static const double matrix[] = {1, 2, 3, 4, 5, -6.5}, ints[] = {1, 2},
                      splat[] = {4, 4, 4, 4}, pair[] = {1, -2, 0, 3};
  struct cul_tensors got;
  (void)state;
  read_text("EXEC @main\n"
            "result[0]: hal.buffer_view\n"
            "2x3xf32=[1 2 3][4 5 -6.5]\n"
            "result[1]: hal.buffer_view\n2xi32=1 2\n"
            "result[2]: i64=9223372036854775807\n"
            "2x2xui8=4\n"
            "2xcomplex<f32>=1-2j 0+3j\n"
            "3xf16=[nan -inf 0x1p3]\n",
            &got);
  assert_int_equal(got.n, 6);
  assert_string_equal(got.items[0].name, "result[0]");
  check_values(&got.items[0], "2x3xf32", matrix);
  check_values(&got.items[1], "2xi32", ints);
  assert_string_equal(got.items[2].name, "result[2]");
  assert_true(cul_tensor_get(&got.items[2], 0, 0) == INT64_MAX);
  check_values(&got.items[3], "2x2xui8", splat);
  check_values(&got.items[4], "2xcomplex<f32>", pair);
  assert_true(isnan(cul_tensor_get(&got.items[5], 0, 0)));
  assert_true(isinf(cul_tensor_get(&got.items[5], 1, 0)));
  assert_true(cul_tensor_get(&got.items[5], 2, 0) == 8);
  cul_tensors_release(&got);
}

static void test_memref(void **state) {
  static const double matrix[] = {1, 2.5, 3, 4}, scalar[] = {7},
                      complex[] = {1, 2, 3, 4};
  struct cul_tensors got;
  (void)state;
  read_text("Unranked Memref base@ = 0x55d0c8 rank = 2 offset = 0 sizes = "
            "[2, 2] strides = [2, 1] data = \n[[1,   2.5], \n [3,   4]]\n"
            "Unranked Memref base@ = 0x55d0c9 rank = 0 offset = 0 sizes = [] "
            "strides = [] data = \n[7]\n"
            "Memref base@ = 0x1 rank = 1 offset = 0 sizes = [2] strides = [1] "
            "data = \n[(1,2),  (3,4)]\n",
            &got);
  assert_int_equal(got.n, 3);
  check_values(&got.items[0], "2x2xf64", matrix);
  assert_true(got.items[0].untyped);
  check_values(&got.items[1], "f64", scalar);
  check_values(&got.items[2], "2xcomplex<f64>", complex);
  cul_tensors_release(&got);
}

static void test_vector_and_lines(void **state) {
  static const double matrix[] = {1, 2, 3, 4}, lines[] = {9, -11.5, 3, 7};
  struct cul_tensors got;
  (void)state;
  read_text("( ( 1, 2 ), ( 3, 4 ) )\n9\nno numbers here\n-11.5\n"
            "loss f32 at 0xdeadbeef: 3 of 7\n( 1, 2 )\n",
            &got);
  assert_int_equal(got.n, 3);
  check_values(&got.items[0], "2x2xf64", matrix);
  check_values(&got.items[1], "4xf64", lines);
  assert_string_equal(got.items[1].text, "#\n#\nloss f32 at X: # of #\n");
  assert_string_equal(got.items[2].name, "print[1]");
  cul_tensors_release(&got);
  read_text("9007199254740993\n", &got);
  check_type(&got.items[0], "1xi64");
  cul_tensors_release(&got);
  read_text("words only\n", &got);
  assert_int_equal(got.n, 0);
  cul_tensors_release(&got);
}

static void test_refused(void **state) {
  static const struct {
    const char *text, *what;
  } rows[] = {
      {"2x3xf32=[1 2 3][4 5]\n", "5 values are printed, but its shape has 6"},
      {"4xf32=1 2 ...\n", "left out"},
      {"4xf32=@x.npy\n", "a number is missing"},
      {"2xcomplex<f32>=1+2j 3\n", "lacks its imaginary part"},
      {"Unranked Memref base@ = 0x5 rank = 1 offset = 0 sizes = [3] strides = "
       "[1] data = \n[1, 2",
       "ends too early"},
      {"Unranked Memref base@ = 0x5 rank = 1 offset = 0 sizes = [3] strides = "
       "[1] data = \n[1, 2]",
       "2 values are printed, but its shape has 3"},
      {"Unranked Memref base@ = 0x5 rank = 1 offset = 0", "without sizes"},
      {"Unranked Memref base@ = 0x5 sizes = [-3] data = [1]",
       "sizes are not numbers"},
      {"only words", "a text without numbers"},
  };
  struct cul_buf file = {0};
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(rows); i++) {
    cul_buf_adds(&file, rows[i].text);
    refused(&file, "x.txt", NULL, rows[i].what);
  }
}

/* An IREE file of one tensor needs no name; --type wins over a guess. */
static void test_file(void **state) {
  static const double values[] = {1, 2};
  struct cul_buf file = {0};
  struct cul_tensors got;
  (void)state;
  cul_buf_adds(&file, "2xf32=1 2");
  read_well(&file, "golden", NULL, &got);
  assert_string_equal(got.items[0].name, "");
  check_values(&got.items[0], "2xf32", values);
  cul_tensors_release(&got);
  cul_buf_adds(&file, "Unranked Memref base@ = 0x5 rank = 1 offset = 0 sizes "
                      "= [2] strides = [1] data = \n[1, 2]\n");
  read_well(&file, "x.out", "f32", &got);
  check_values(&got.items[0], "2xf32", values);
  assert_false(got.items[0].untyped);
  cul_tensors_release(&got);
}

/* How many elements of two prints differ by more than rounding? */
static uint64_t n_off(const char *got, const char *want) {
  static const struct cul_tolerance_conf rounding = {
      .rtol = -1, .atol = -1, .ulps = -1, .rounding = true};
  struct cul_tensors a, b;
  struct cul_difference d;
  struct cul_tolerance tolerance;
  read_text(got, &a);
  read_text(want, &b);
  tolerance = cul_tolerance_of(&rounding, &a.items[0], &b.items[0]);
  cul_tensor_compare(&a.items[0], &b.items[0], &tolerance, &d);
  cul_difference_release(&d);
  cul_tensors_release(&a);
  cul_tensors_release(&b);
  return d.n_fail;
}

/* A unit of the last printed digit is no difference, also where the type is
 * known; two are, and so are whole numbers, which are printed exactly. */
static void test_digits(void **state) {
  (void)state;
  assert_int_equal(n_off("2xf32=0.0254008 1", "2xf32=0.0254007 1"), 0);
  assert_int_equal(n_off("2xf32=0.0254009 1", "2xf32=0.0254007 1"), 1);
  assert_int_equal(n_off("2xf64=2.71828 0.5", "2xf64=2.71829 0.5"), 0);
  assert_int_equal(n_off("2xf64=2.71828 0.5", "2xf64=2.7183 0.5"), 1);
  assert_int_equal(n_off("f64=2.718281828459", "f64=2.718281828460"), 0);
  assert_int_equal(n_off("f64=2.718281828459", "f64=2.718281828469"), 1);
  assert_int_equal(n_off("f64=9.99999", "f64=10"), 0);
  assert_int_equal(n_off("f64=-1.5e+30", "f64=-1.50001e+30"), 0);
  assert_int_equal(n_off("2xf64=0x1p3 1.5", "2xf64=0x1.00001p3 1.5"), 1);
  assert_int_equal(n_off("complex<f64>=1-2.00001j", "complex<f64>=1-2j"), 0);
  assert_int_equal(n_off("2xf32=123456 2", "2xf32=123457 2"), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_iree),
      cmocka_unit_test(test_memref),
      cmocka_unit_test(test_vector_and_lines),
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_file),
      cmocka_unit_test(test_digits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
