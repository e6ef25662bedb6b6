/* Generated inputs: a function of seed, argument and index, in range. */
/* cmocka.h wants these first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../../../reducer/engines/plan/recipe.h"

static struct cul_tensor *make(struct cul_tensors *list, enum cul_dtype dtype,
                               size_t rank, const uint64_t *dims) {
  struct cul_tensor *tensor = NULL;
  struct cul_err err = {0};
  assert_int_equal(cul_tensors_add(list, "", dtype, rank, dims, &tensor, &err),
                   0);
  return tensor;
}

static void test_smaller_keeps_values(void **state) {
  const uint64_t large[] = {5, 7}, small[] = {3, 2};
  struct cul_tensors lists[2] = {{0}};
  struct cul_tensor *a = make(&lists[0], CUL_F32, 2, large);
  struct cul_tensor *b = make(&lists[1], CUL_F32, 2, small);
  (void)state;
  cul_inputs_fill(CUL_INPUTS_REALS, 1, 0, a);
  cul_inputs_fill(CUL_INPUTS_REALS, 1, 0, b);
  for (uint64_t i = 0; i < 3; i++)
    for (uint64_t j = 0; j < 2; j++)
      assert_true(cul_tensor_get(a, i * 7 + j, 0) ==
                  cul_tensor_get(b, i * 2 + j, 0));
  cul_tensors_release(&lists[0]);
  cul_tensors_release(&lists[1]);
}

/* How many of 64 elements are equal. */
static int count_equal(uint64_t seed, uint64_t argument) {
  const uint64_t dims[] = {64};
  struct cul_tensors lists[2] = {{0}};
  struct cul_tensor *a = make(&lists[0], CUL_F64, 1, dims);
  struct cul_tensor *b = make(&lists[1], CUL_F64, 1, dims);
  int n = 0;
  cul_inputs_fill(CUL_INPUTS_REALS, 1, 0, a);
  cul_inputs_fill(CUL_INPUTS_REALS, seed, argument, b);
  for (uint64_t i = 0; i < 64; i++)
    n += cul_tensor_get(a, i, 0) == cul_tensor_get(b, i, 0);
  cul_tensors_release(&lists[0]);
  cul_tensors_release(&lists[1]);
  return n;
}

static void test_seed_and_argument_matter(void **state) {
  (void)state;
  assert_int_equal(count_equal(1, 0), 64);
  assert_int_equal(count_equal(2, 0), 0);
  assert_int_equal(count_equal(1, 1), 0);
}

struct range {
  enum cul_input_kind kind;
  enum cul_dtype dtype;
  double least, most;
  bool zero, whole;
};

static void expect_range(const struct range *r) {
  const uint64_t dims[] = {40, 25};
  struct cul_tensors list = {0};
  struct cul_tensor *t = make(&list, r->dtype, 2, dims);
  bool seen_zero = false;
  cul_inputs_fill(r->kind, 7, 3, t);
  for (uint64_t i = 0; i < t->n; i++)
    for (unsigned part = 0; part < cul_tensor_parts(t); part++) {
      cul_number x = cul_tensor_get(t, i, part);
      assert_true(x >= r->least && x <= r->most);
      assert_true(!r->whole || x == (long long)x);
      seen_zero |= x == 0;
    }
  assert_true(r->zero || !seen_zero);
  cul_tensors_release(&list);
}

static void test_ranges(void **state) {
  static const struct range ranges[] = {
      {CUL_INPUTS_INTEGERS, CUL_F32, -4, 4, false, true},
      {CUL_INPUTS_INTEGERS, CUL_F8E4M3FN, -4, 4, false, true},
      {CUL_INPUTS_INTEGERS, CUL_C64, -4, 4, false, true},
      {CUL_INPUTS_INTEGERS, CUL_I32, -4, 4, false, true},
      {CUL_INPUTS_INTEGERS, CUL_UI8, 1, 8, false, true},
      {CUL_INPUTS_INTEGERS, CUL_I1, 0, 1, true, true},
      {CUL_INPUTS_INTEGERS, CUL_I2, -1, 1, false, true},
      {CUL_INPUTS_INTEGERS, CUL_UI2, 1, 1, false, true},
      {CUL_INPUTS_INTEGERS, CUL_I4, -4, 4, false, true},
      {CUL_INPUTS_REALS, CUL_F64, -1, 1, true, false},
      {CUL_INPUTS_REALS, CUL_BF16, -1, 1, true, false},
      {CUL_INPUTS_REALS, CUL_I64, -4, 4, false, true},
      {CUL_INPUTS_POSITIVE, CUL_F16, 0.5, 1.5, false, false},
      {CUL_INPUTS_POSITIVE, CUL_INDEX, 1, 8, false, true},
  };
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(ranges); i++)
    expect_range(&ranges[i]);
}

static void test_names(void **state) {
  enum cul_input_kind kind;
  (void)state;
  assert_true(cul_input_kind_parse("reals", &kind));
  assert_int_equal(kind, CUL_INPUTS_REALS);
  assert_false(cul_input_kind_parse("random", &kind));
}

/* What the recipe makes of argument 1, a row of six. */
static void expect_fill(const char *text, const double expected[6]) {
  const uint64_t dims[] = {2, 3};
  struct cul_tensors list = {0};
  struct cul_tensor *t = make(&list, CUL_F32, 2, dims);
  struct cul_tensor *plain;
  struct cul_recipe recipe;
  assert_true(cul_recipe_parse(text, &recipe));
  cul_recipe_fill(&recipe, 5, 1, t);
  plain = make(&list, CUL_F32, 2, dims);
  t = &list.items[0];
  cul_inputs_fill(recipe.kind, 5, 1, plain);
  for (uint64_t i = 0; i < 6; i++) /* 99: as drawn */
    assert_true(cul_tensor_get(t, i, 0) == (expected[i] == 99
                                                ? cul_tensor_get(plain, i, 0)
                                                : (cul_number)expected[i]));
  cul_recipe_release(&recipe);
  cul_tensors_release(&list);
}

static void test_recipes(void **state) {
  (void)state;
  expect_fill("reals", (double[]){99, 99, 99, 99, 99, 99});
  expect_fill("integers,0=zeros", (double[]){99, 99, 99, 99, 99, 99});
  expect_fill("integers,1=zeros", (double[]){0, 0, 0, 0, 0, 0});
  expect_fill("integers,0=ones,1=ones", (double[]){1, 1, 1, 1, 1, 1});
  expect_fill("positive,1=index", (double[]){1, 2, 3, 4, 5, 6});
  expect_fill("reals,1=drawn@0-1+4", (double[]){99, 99, 0, 0, 99, 0});
  expect_fill("integers,1=index@5", (double[]){0, 0, 0, 0, 0, 6});
  expect_fill("integers,1=ones@2-900", (double[]){0, 0, 1, 1, 1, 1});
}

static void test_no_recipes(void **state) {
  static const char *const texts[] = {
      "",
      "random",
      "integers,",
      "integers,1",
      "integers,1=",
      "integers,1=twos",
      "integers,x=ones",
      "integers,1=ones@",
      "integers,1=ones@3-",
      "integers,1=ones@3-1",
      "integers,1=ones@3+3",
      "integers,1=ones@-3",
      "integers,1=ones 2",
      "integers;1=ones",
  };
  struct cul_recipe recipe;
  (void)state;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    assert_false(cul_recipe_parse(texts[i], &recipe));
    assert_null(recipe.items);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_smaller_keeps_values),
      cmocka_unit_test(test_seed_and_argument_matter),
      cmocka_unit_test(test_ranges),
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_recipes),
      cmocka_unit_test(test_no_recipes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
