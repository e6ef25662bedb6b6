/* Steps of two runs are paired by their values, in a number of comparisons that
 * follows the number of steps, and while patience lasts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../systems/trace.h"

enum { STEPS = 200, ELEMENTS = 64 };

static const struct cul_tolerance_conf by_rounding = {
    .rtol = -1, .atol = -1, .ulps = -1, .rounding = true};

/* A patience that counts how often it is asked, and ends at `most`. */
struct asked {
  size_t n, most;
};

static int ask(const void *self, struct cul_err *err) {
  struct asked *asked = (void *)(uintptr_t)self;
  return ++asked->n > asked->most ? cul_fail(err, CUL_EINTR, "", "asked enough")
                                  : 0;
}

/* Append a tensor of numbers that `seed` chooses, each moved by `off`. */
static void add(struct cul_tensors *to, unsigned seed, double off) {
  const uint64_t n = ELEMENTS;
  struct cul_tensor *tensor;
  struct cul_err err;
  assert_int_equal(cul_tensors_add(to, "", CUL_F32, 1, &n, &tensor, &err), 0);
  for (uint64_t i = 0; i < n; i++) {
    seed = seed * 1664525 + 1013904223;
    cul_tensor_set(tensor, i, 0, (seed >> 8) / 16777216.0 + off);
  }
}

/* A run whose every step reads the result of the step before and one tensor
 * that all read; off: of each value but that one.  Steps are called by their
 * number or, in another version, all alike. */
static struct cul_trace run(double off, bool numbered, size_t wrong) {
  struct cul_trace out = {0};
  for (unsigned i = 0; i < STEPS; i++) {
    struct cul_trace_event *step;
    char name[24];
    snprintf(name, sizeof name, numbered ? "step_%u" : "step", i);
    step = cul_trace_add(&out, name, strlen(name));
    add(&step->inputs, i ? i + 1 : 0, off);
    add(&step->inputs, 100000, off * 2);
    add(&step->outputs, i == wrong ? 7777 : i + 2, off);
  }
  return out;
}

static void pair(const struct cul_trace *got, const struct cul_trace *want,
                 size_t wrong) {
  struct asked asked = {.most = SIZE_MAX};
  const struct cul_patience patience = {ask, &asked};
  struct cul_trace_pairs pairs;
  struct cul_err err = {0};
  assert_int_equal(
      cul_trace_pair(got, want, &by_rounding, &patience, &pairs, &err), 0);
  assert_int_equal(pairs.first, wrong);
  assert_int_equal(pairs.n_wrong, 1);
  for (size_t i = 0; i < pairs.n; i++) {
    assert_int_equal(pairs.steps[i].want, i);
    assert_int_equal(pairs.steps[i].state,
                     i == wrong ? CUL_STEP_WRONG : CUL_STEP_SAME);
  }
  /* The first input is compared with one of each step of the other run that
   * has no partner yet, and the step that is wrong with all. */
  assert_in_range(asked.n, STEPS, 12 * STEPS);
  cul_trace_pairs_release(&pairs);
}

/* Values of the two runs differ by rounding. */
static void test_names_agree(void **state) {
  struct cul_trace got = run(1e-7, true, 150), want = run(0, true, SIZE_MAX);
  (void)state;
  pair(&got, &want, 150);
  cul_trace_release(&got);
  cul_trace_release(&want);
}

static void test_names_differ(void **state) {
  struct cul_trace got = run(1e-7, false, 150), want = run(0, true, SIZE_MAX);
  (void)state;
  pair(&got, &want, 150);
  cul_trace_release(&got);
  cul_trace_release(&want);
}

enum { ROW = 16, COLUMNS = STEPS / ROW + 1, DISTINCT = 2 * ROW + COLUMNS };

/* A run of steps that all read other pairs of a few values. */
static struct cul_trace grid(double off, const char *names, bool backwards) {
  struct cul_trace out = {0};
  for (unsigned i = 0; i < STEPS; i++) {
    unsigned at = backwards ? STEPS - 1 - i : i;
    struct cul_trace_event *step;
    char name[24];
    snprintf(name, sizeof name, "%s_%u", names, at);
    step = cul_trace_add(&out, name, strlen(name));
    add(&step->inputs, at % ROW, off);
    add(&step->inputs, 1000 + at / ROW, off);
    add(&step->outputs, 2000 + at % ROW, off);
  }
  return out;
}

/* Most steps are asked before the partner, but two values only once. */
static void test_values_are_compared_once(void **state) {
  struct asked asked = {.most = SIZE_MAX};
  const struct cul_patience patience = {ask, &asked};
  struct cul_trace got = grid(1e-7, "a", false), want = grid(0, "b", true);
  struct cul_trace_pairs pairs;
  struct cul_err err = {0};
  (void)state;
  assert_int_equal(
      cul_trace_pair(&got, &want, &by_rounding, &patience, &pairs, &err), 0);
  for (size_t i = 0; i < pairs.n; i++) {
    assert_int_equal(pairs.steps[i].want, STEPS - 1 - i);
    assert_int_equal(pairs.steps[i].state, CUL_STEP_SAME);
  }
  assert_in_range(asked.n, DISTINCT, DISTINCT * DISTINCT);
  cul_trace_pairs_release(&pairs);
  cul_trace_release(&got);
  cul_trace_release(&want);
}

static void test_pairing_is_interrupted(void **state) {
  struct asked asked = {.most = 5};
  const struct cul_patience patience = {ask, &asked};
  struct cul_trace got = run(1e-7, true, 3), want = run(0, true, SIZE_MAX);
  struct cul_trace_pairs pairs;
  struct cul_err err = {0};
  (void)state;
  assert_int_equal(
      cul_trace_pair(&got, &want, &by_rounding, &patience, &pairs, &err),
      CUL_EINTR);
  assert_int_equal(asked.n, 6);
  assert_string_equal(err.what, "asked enough");
  cul_trace_pairs_release(&pairs);
  cul_trace_release(&got);
  cul_trace_release(&want);
}

static void test_reading_is_interrupted(void **state) {
  struct asked asked = {.most = 20};
  const struct cul_patience patience = {ask, &asked};
  char path[] = "/tmp/culprit-trace-XXXXXX";
  FILE *file = fdopen(mkstemp(path), "w");
  struct cul_trace trace;
  struct cul_err err = {0};
  bool found = false;
  (void)state;
  assert_non_null(file);
  for (int i = 0; i < STEPS; i++)
    fprintf(file,
            "=== a::b_%d inputs ===\n2xf32=1 2\n\n"
            "=== a::b_%d outputs ===\n2xf32=3 4\n\n",
            i, i);
  fclose(file);
  assert_int_equal(cul_trace_load(path, &patience, &trace, &found, &err),
                   CUL_EINTR);
  assert_int_equal(asked.n, 21);
  cul_trace_release(&trace);
  asked = (struct asked){.most = SIZE_MAX};
  assert_int_equal(cul_trace_load(path, &patience, &trace, &found, &err), 0);
  assert_int_equal(trace.n, STEPS);
  cul_trace_release(&trace);
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names_agree),
      cmocka_unit_test(test_names_differ),
      cmocka_unit_test(test_values_are_compared_once),
      cmocka_unit_test(test_pairing_is_interrupted),
      cmocka_unit_test(test_reading_is_interrupted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
