/* Minimal sets: on formulas over many items. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "../../../bisect/search/sets.h"

enum { N = 90 };

/* Fails where some row of these is wholly on, and `against` is not. */
struct formula {
  uint32_t rows[4][4];
  size_t lengths[4], n;
  int against; /* -1: none */
  size_t runs;
  uint64_t hashes[N];
};

static int fails(void *self, const bool *on, bool *out, struct cul_err *err) {
  struct formula *formula = self;
  (void)err;
  formula->runs++;
  *out = false;
  for (size_t r = 0; r < formula->n; r++) {
    bool all = true;
    for (size_t i = 0; i < formula->lengths[r]; i++)
      all &= on[formula->rows[r][i]];
    *out |= all;
  }
  if (formula->against >= 0 && on[formula->against])
    *out = false;
  return 0;
}

static struct cul_sets search(struct formula *formula, size_t most) {
  struct cul_set_space space = {.n = N,
                                .hashes = formula->hashes,
                                .most = most,
                                .self = formula,
                                .fails = fails};
  struct cul_sets sets;
  struct cul_err err = {0};
  uint64_t seed = 12345;
  for (size_t i = 0; i < N; i++) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    formula->hashes[i] = seed >> 8 ^ seed;
  }
  formula->runs = 0;
  assert_int_equal(cul_sets_find(&space, &sets, &err), 0);
  return sets;
}

static bool has_set(const struct cul_sets *sets, const uint32_t *items,
                    size_t n) {
  for (size_t i = 0; i < sets->n; i++)
    if (sets->sets[i].n == n &&
        !memcmp(sets->sets[i].items, items, n * sizeof *items))
      return true;
  return false;
}

static void finds_singles(void **state) {
  (void)state;
  for (uint32_t i = 0; i < N; i++) {
    struct formula one = {.rows = {{i}}, .lengths = {1}, .n = 1, .against = -1};
    struct cul_sets sets = search(&one, 0);
    assert_int_equal(sets.end, CUL_SETS_FOUND);
    assert_true(sets.n == 1 && has_set(&sets, &i, 1) && !sets.crooked);
    assert_true(one.runs <= 2 + 2 * 10 + 4);
    cul_sets_release(&sets);
  }
}

static void finds_several(void **state) {
  struct formula two = {
      .rows = {{7}, {12, 63, 88}}, .lengths = {1, 3}, .n = 2, .against = -1};
  static const uint32_t first[] = {7}, second[] = {12, 63, 88};
  struct cul_sets sets = search(&two, 0);
  (void)state;
  assert_int_equal(sets.end, CUL_SETS_FOUND);
  assert_int_equal(sets.n, 2);
  assert_true(has_set(&sets, first, 1) && has_set(&sets, second, 3));
  assert_true(two.runs <= 80);
  cul_sets_release(&sets);
  sets = search(&two, 1);
  assert_int_equal(sets.end, CUL_SETS_MORE);
  assert_int_equal(sets.n, 1);
  cul_sets_release(&sets);
}

/* Pairs: in few runs, whichever they are. */
static void finds_pairs(void **state) {
  size_t runs = 0, n = 0;
  (void)state;
  for (uint32_t i = 0; i < N; i += 7)
    for (uint32_t k = i + 1; k < N; k += 11, n++) {
      struct formula pair = {
          .rows = {{i, k}}, .lengths = {2}, .n = 1, .against = -1};
      struct cul_sets sets = search(&pair, 0);
      assert_true(sets.n == 1 && has_set(&sets, pair.rows[0], 2));
      runs += pair.runs;
      cul_sets_release(&sets);
    }
  assert_true(runs <= 36 * n);
}

static void says_ends(void **state) {
  struct formula never = {.n = 0, .against = -1};
  struct formula always = {.lengths = {0}, .n = 1, .against = -1};
  struct cul_sets sets = search(&never, 0);
  (void)state;
  assert_int_equal(sets.end, CUL_SETS_NEVER);
  assert_int_equal(sets.n, 0);
  cul_sets_release(&sets);
  sets = search(&always, 0);
  assert_int_equal(sets.end, CUL_SETS_ALWAYS);
  cul_sets_release(&sets);
}

/* An item that hides the failure, but not when all are on. */
struct crooked {
  size_t runs;
};

static int fails_crooked(void *self, const bool *on, bool *out,
                         struct cul_err *err) {
  struct crooked *crooked = self;
  size_t n = 0;
  (void)err;
  crooked->runs++;
  for (size_t i = 0; i < 16; i++)
    n += on[i];
  *out = n == 16 || (on[3] && on[4] && !on[5] && n >= 2 && n <= 3) ||
         (n > 8 && on[9]);
  return 0;
}

static void holds_crooked(void **state) {
  struct crooked crooked = {0};
  uint64_t hashes[16];
  struct cul_set_space space = {.n = 16,
                                .hashes = hashes,
                                .most = 1,
                                .self = &crooked,
                                .fails = fails_crooked};
  struct cul_sets sets;
  struct cul_err err = {0};
  bool on[16] = {false}, is;
  (void)state;
  for (size_t i = 0; i < 16; i++)
    hashes[i] = i;
  assert_int_equal(cul_sets_find(&space, &sets, &err), 0);
  assert_int_equal(sets.n, 1);
  /* Whatever it is: enough, and not without any one of its items. */
  for (size_t i = 0; i < sets.sets[0].n; i++)
    on[sets.sets[0].items[i]] = true;
  (void)fails_crooked(&crooked, on, &is, &err);
  assert_true(is);
  for (size_t i = 0; i < sets.sets[0].n; i++) {
    on[sets.sets[0].items[i]] = false;
    (void)fails_crooked(&crooked, on, &is, &err);
    assert_false(is);
    on[sets.sets[0].items[i]] = true;
  }
  cul_sets_release(&sets);
}

/* Does the pattern match the hash?  As a tool would read it. */
static bool matches(const char *pattern, uint64_t hash) {
  if (!strcmp(pattern, "y") || !strcmp(pattern, "n"))
    return pattern[0] == 'y';
  while (*pattern == '+') {
    size_t n = strspn(pattern + 1, "01");
    bool same = true;
    for (size_t i = 0; i < n; i++)
      same &= (hash >> i & 1) == (uint64_t)(pattern[n - i] - '0');
    if (same)
      return true;
    pattern += 1 + n;
  }
  return false;
}

static void writes_patterns(void **state) {
  uint64_t hashes[40], seed = 99;
  bool on[40];
  (void)state;
  for (int round = 0; round < 200; round++) {
    struct cul_buf pattern = {0};
    for (size_t i = 0; i < 40; i++) {
      seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
      hashes[i] = seed ^ seed >> 33;
      on[i] = (seed >> 40) % 100 < (uint64_t)(round / 2);
    }
    cul_sets_pattern(hashes, on, 40, &pattern);
    for (size_t i = 0; i < 40; i++)
      assert_int_equal(matches(cul_buf_str(&pattern), hashes[i]), on[i]);
    cul_buf_release(&pattern);
  }
}

static void writes_intervals(void **state) {
  bool on[8] = {true, true, true, false, true, false, true, true};
  struct cul_buf text = {0};
  (void)state;
  cul_sets_intervals(on, 8, &text);
  assert_string_equal(cul_buf_str(&text), "0-2:4:6-7");
  cul_buf_release(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finds_singles),    cmocka_unit_test(finds_several),
      cmocka_unit_test(finds_pairs),      cmocka_unit_test(says_ends),
      cmocka_unit_test(holds_crooked),    cmocka_unit_test(writes_patterns),
      cmocka_unit_test(writes_intervals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
