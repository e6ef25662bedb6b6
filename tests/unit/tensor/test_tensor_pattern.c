/* Patterns, each planted in a tensor of no pattern; and heat maps. */
#include "tensor_helper.h"

#include <math.h>

#include "../../../base/tensor/compare.h"

enum { ROWS = 64, COLUMNS = 96 };

/* Numbers of no pattern, the same everywhere; never 0. */
static double noise(uint64_t i) {
  uint64_t x = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
  x ^= x >> 29;
  x *= UINT64_C(0xbf58476d1ce4e5b9);
  x ^= x >> 32;
  return 1 + (double)(x % 1000) / 16;
}

typedef double plant(uint64_t row, uint64_t column, double right);

static struct cul_tensor *fill(struct cul_tensors *into, uint64_t rows,
                               uint64_t columns, plant *f) {
  struct cul_tensor *tensor;
  struct cul_err err;
  uint64_t dims[] = {rows, columns};
  assert_int_equal(cul_tensors_add(into, "", CUL_F32, 2, dims, &tensor, &err),
                   0);
  for (uint64_t i = 0; i < tensor->n; i++)
    cul_tensor_set(tensor, i, 0,
                   f ? f(i / columns, i % columns, noise(i)) : noise(i));
  return tensor;
}

static void pattern_of(uint64_t rows, uint64_t columns, plant *f,
                       struct cul_buf *out) {
  const struct cul_tolerance_conf conf = {.rtol = -1, .atol = -1, .ulps = -1};
  struct cul_tolerance tolerance = cul_tolerance_for(&conf, CUL_F32);
  struct cul_tensors got = {0}, want = {0};
  struct cul_difference d;
  fill(&got, rows, columns, f);
  fill(&want, rows, columns, NULL);
  cul_tensor_compare(&got.items[0], &want.items[0], &tolerance, &d);
  cul_tensor_pattern(&got.items[0], &want.items[0], &d, out);
  cul_difference_release(&d);
  cul_tensors_release(&got);
  cul_tensors_release(&want);
}

static double tail(uint64_t r, uint64_t c, double v) {
  (void)c;
  return r >= 60 ? v + noise(r * 7 + c) : v;
}
static double tail_columns(uint64_t r, uint64_t c, double v) {
  (void)r;
  return c >= 93 ? 0 : v;
}
static double lane(uint64_t r, uint64_t c, double v) {
  return c % 32 == 5 ? v + noise(r * 3 + c) : v;
}
static double every_other(uint64_t r, uint64_t c, double v) {
  return r % 2 == 1 ? v + noise(r + c) : v;
}
static double tiles(uint64_t r, uint64_t c, double v) {
  return (r / 16 == 1 && c / 16 == 2) || (r / 16 == 3 && c / 16 == 4)
             ? v + noise(r * 5 + c)
             : v;
}
static double block(uint64_t r, uint64_t c, double v) {
  return r >= 3 && r < 11 && c >= 5 && c < 14 ? v + noise(r * 5 + c) : v;
}
static double transposed(uint64_t r, uint64_t c, double v) {
  (void)v; /* the memory of the transposed matrix, read in rows */
  uint64_t at = r * COLUMNS + c;
  return noise(at % ROWS * COLUMNS + at / ROWS);
}
static double shifted(uint64_t r, uint64_t c, double v) {
  return c < 2 ? v : noise(r * COLUMNS + c - 2);
}
static double scaled(uint64_t r, uint64_t c, double v) {
  (void)r, (void)c;
  return v * 0.125;
}
static double more(uint64_t r, uint64_t c, double v) {
  (void)r, (void)c;
  return v + 0.5;
}
static double tail_less(uint64_t r, uint64_t c, double v) {
  (void)c;
  return r >= 60 ? v - 3 : v;
}
static double zeros(uint64_t r, uint64_t c, double v) {
  (void)r, (void)c, (void)v;
  return 0;
}
static double nans(uint64_t r, uint64_t c, double v) {
  (void)r, (void)c, (void)v;
  return NAN;
}
static double negated(uint64_t r, uint64_t c, double v) {
  (void)r, (void)c;
  return -v;
}
static double unwritten(uint64_t r, uint64_t c, double v) {
  float poison;
  memset(&poison, 0x55, sizeof poison);
  return r >= 32 ? (double)poison : v + (double)(c - c);
}
static double growing(uint64_t r, uint64_t c, double v) {
  return v + 1e-3 * exp((double)r / 10) * (noise(r * 96 + c) / 60);
}
static double one(uint64_t r, uint64_t c, double v) {
  return r == 7 && c == 9 ? v + 1 : v;
}
static double scattered(uint64_t r, uint64_t c, double v) {
  return fmod(noise(r * 977 + c * 31) * 16, 5) < 1 ? v + noise(r + c) : v;
}
static double rounded(uint64_t r, uint64_t c, double v) {
  unsigned char bits[2];
  (void)r, (void)c;
  cul_dtype_store(CUL_BF16, v, bits);
  return (double)cul_dtype_load(CUL_BF16, bits);
}

static void test_patterns(void **state) {
  static const struct {
    plant *f;
    const char *words;
  } rows[] = {
      {tail, "the last 4 of 64 along dimension 0 (a tail)"},
      {tail_columns, "the last 3 of 96 along dimension 1 (a tail): all zero"},
      {lane, "one lane in 32 along dimension 1 (index % 32 == 5)"},
      {every_other, "one lane in 2 along dimension 0 (index % 2 == 1)"},
      {tiles, "whole tiles of 16x16"},
      {block, "the block [3..10, 5..13]"},
      {transposed, "transposed (dimensions 0 and 1)"},
      {shifted, "shifted by 2 along dimension 1"},
      {scaled, "scaled by the constant 0.125"},
      {more, "every element is 0.5 more"},
      {tail_less,
       "the last 4 of 64 along dimension 0 (a tail): each is 3 less"},
      {zeros, "all zero"},
      {nans, "all NaN"},
      {negated, "with the sign turned"},
      {unwritten, "the last 32 of 64 along dimension 0 (a tail): unwritten "
                  "(the bytes of fresh memory are seen)"},
      {growing, "growing along dimension 0"},
      {one, "one element"},
      {rounded, "rounded to bf16"},
      {scattered, ""},
      {NULL, ""},
  };
  struct cul_buf words = {0};
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(rows); i++) {
    cul_buf_clear(&words);
    pattern_of(ROWS, COLUMNS, rows[i].f, &words);
    /* Where everything is off up to chance, a region may stand before. */
    if (!strstr(cul_buf_str(&words), rows[i].words) ||
        (!rows[i].words[0] && words.len))
      fail_msg("row %zu: \"%s\", wanted \"%s\"", i, cul_buf_str(&words),
               rows[i].words);
  }
  cul_buf_release(&words);
}

static void test_unsteady(void **state) {
  struct cul_tensors runs = {0};
  const struct cul_tensor *all[3];
  (void)state;
  fill(&runs, 4, 5, NULL);
  fill(&runs, 4, 5, NULL);
  fill(&runs, 4, 5, NULL);
  for (size_t i = 0; i < 3; i++)
    all[i] = &runs.items[i];
  assert_int_equal(cul_tensor_unsteady(all, 3), 0);
  cul_tensor_set(&runs.items[1], 3, 0, 0);
  cul_tensor_set(&runs.items[2], 7, 0, 0);
  assert_int_equal(cul_tensor_unsteady(all, 3), 2);
  cul_tensors_release(&runs);
}

static void test_heatmaps(void **state) {
  const struct cul_tolerance_conf conf = {.rtol = -1, .atol = -1, .ulps = -1};
  struct cul_tolerance tolerance = cul_tolerance_for(&conf, CUL_F32);
  struct cul_tensors got = {0}, want = {0};
  struct cul_difference d;
  struct cul_buf png = {0}, svg = {0};
  (void)state;
  fill(&got, 8, 8, one);
  fill(&want, 8, 8, NULL);
  cul_tensor_set(&got.items[0], 10, 0, 0);
  cul_tensor_compare(&got.items[0], &want.items[0], &tolerance, &d);
  cul_heatmap_png(&want.items[0], &d, &png);
  cul_heatmap_svg(&want.items[0], &d, &svg);
  assert_memory_equal(png.data, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0\0\0\1\0",
                      24);
  assert_memory_equal(png.data + png.len - 12, "\0\0\0\0IEND\xae\x42\x60\x82",
                      12);
  assert_non_null(strstr(cul_buf_str(&svg), "row 1, column 2: 100 %"));
  assert_null(strstr(cul_buf_str(&svg), "row 1, column 3"));
  cul_buf_release(&png);
  cul_buf_release(&svg);
  cul_difference_release(&d);
  cul_tensors_release(&got);
  cul_tensors_release(&want);
}

static void add_output(struct cul_tensors *to, const char *name,
                       const double values[3]) {
  struct cul_tensor *tensor;
  struct cul_err err;
  uint64_t dims[] = {3};
  assert_int_equal(cul_tensors_add(to, name, CUL_F32, 1, dims, &tensor, &err),
                   0);
  for (uint64_t i = 0; i < 3; i++)
    cul_tensor_set(tensor, i, 0, values[i]);
}

/* Outputs in the place of others; numbers that are equal by chance are none. */
static void test_place(void **state) {
  static const struct {
    double got[2][3];
    const char *words[2];
  } rows[] = {
      {{{4, 5, 6}, {1, 2, 3}}, {"a and b are swapped", "a and b are swapped"}},
      {{{4, 5, 6}, {4, 5, 6}}, {"a is b of the reference", ""}},
      {{{1, 2, 3}, {1, 2, 3}}, {"", "b is a of the reference"}},
      {{{1, 2, 9}, {4, 5, 6}}, {"", ""}},
      {{{1, 2, 3}, {4, 5, 6}}, {"", ""}},
  };
  const struct cul_tolerance_conf conf = {.rtol = -1, .atol = -1, .ulps = -1};
  const double want[2][3] = {{1, 2, 3}, {4, 5, 6}};
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(rows); i++) {
    struct cul_tensors a = {0}, b = {0};
    struct cul_outputs outputs;
    for (int o = 0; o < 2; o++) {
      add_output(&a, o ? "b" : "a", rows[i].got[o]);
      add_output(&b, o ? "b" : "a", want[o]);
    }
    cul_tensors_compare(&a, &b, &conf, &outputs);
    for (size_t o = 0; o < 2; o++) {
      struct cul_buf words = {0};
      cul_outputs_place(&outputs, &outputs.items[o], &words);
      if (strcmp(cul_buf_str(&words), rows[i].words[o]) != 0)
        fail_msg("row %zu: \"%s\"", i, cul_buf_str(&words));
      cul_buf_release(&words);
    }
    cul_outputs_release(&outputs);
    cul_tensors_release(&a);
    cul_tensors_release(&b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_patterns),
      cmocka_unit_test(test_place),
      cmocka_unit_test(test_unsteady),
      cmocka_unit_test(test_heatmaps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
