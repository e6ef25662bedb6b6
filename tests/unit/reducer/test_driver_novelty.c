/* reducer/driver/novelty: how often an edit is tried that leaves what others
 * failed with. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "../../../reducer/driver/driver.h"
#include "../../../reducer/mutations/mutation.h"

enum { N = 6 };

/* Six sites: the first is ordinary, four leave the same, one that and more. */
static struct cul_listed listed[N] = {
    {.novel = {{CUL_NOVEL_ALONE}}},
    {.novel = {{7, 0}}},
    {.novel = {{7, 0}}},
    {.novel = {{7, 0}}},
    {.novel = {{7, 0}}},
    {.novel = {{7, 9}}},
};
static const struct cul_listing list = {.sites = listed, .n_sites = N};

static void expect(const struct cul_novelty_history *history, uint32_t flags,
                   bool every, const char *want) {
  bool *worth = cul_novelty_worth(history, &list, flags, every);
  for (size_t i = 0; i < N; i++)
    assert_int_equal(worth[i], want[i] == '1');
  free(worth);
}

static void test_few(void **state) {
  struct cul_novelty_history history = {0};
  (void)state;
  expect(&history, 0, false, "100111"); /* the last two of a kind */
  expect(&history, 0, true, "111111");
  expect(&history, CUL_MUT_RANGE, false, "111111");
  cul_novelty_failed(&history, &listed[1].novel);
  expect(&history, 0, false, "100011");
  cul_novelty_failed(&history, &listed[1].novel);
  expect(&history, 0, false, "100000"); /* and with it what holds it */
  expect(&history, 0, true, "100111");
  cul_novelty_failed(&history, &listed[1].novel);
  cul_novelty_failed(&history, &listed[1].novel);
  expect(&history, 0, true, "100000");
  cul_novelty_release(&history);
}

/* Of two, neither is to blame alone. */
static void test_together(void **state) {
  struct cul_novelty_history history = {0};
  (void)state;
  for (int i = 0; i < 4; i++)
    cul_novelty_failed(&history, &listed[5].novel);
  expect(&history, 0, true, "111110");
  cul_novelty_failed(&history, &listed[0].novel);
  expect(&history, 0, true, "111110");
  cul_novelty_release(&history);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_few),
      cmocka_unit_test(test_together),
  };
  return cmocka_run_group_tests_name("reduce_strange", tests, NULL, NULL);
}
