/* bisect/dag, evidence, broken: random histories against plain reckoning. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../base/buf.h"
#include "../../../bisect/history/repo.h"
#include "../../../bisect/search/bisector.h"
#include "../../../bisect/search/broken.h"

enum { MOST = 700 };

static uint64_t draw(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return *state >> 33;
}

/* A graph of n points; chance of a second parent in percent. */
struct graph {
  uint32_t n, first[MOST + 1], parents[3 * MOST];
};

static void make_graph(struct graph *g, uint32_t n, unsigned merges,
                       uint64_t seed) {
  uint32_t edges = 0;
  g->n = n;
  for (uint32_t c = 0; c < n; c++) {
    g->first[c] = edges;
    if (c > 0 && draw(&seed) % 100 != 0) /* else another root */
      g->parents[edges++] = c - 1 - (uint32_t)(draw(&seed) % (c < 5 ? c : 5));
    while (c > 1 && draw(&seed) % 100 < merges && edges < g->first[c] + 3)
      g->parents[edges++] = (uint32_t)(draw(&seed) % c);
  }
  g->first[n] = edges;
}

static void reach(const struct graph *g, uint32_t c, bool *marks) {
  memset(marks, 0, g->n);
  marks[c] = true;
  for (uint32_t i = c + 1; i-- > 0;)
    for (uint32_t k = g->first[i]; marks[i] && k < g->first[i + 1]; k++)
      marks[g->parents[k]] = true;
}

static void check_between(const struct graph *g, uint32_t good) {
  bool of_bad[MOST], of_good[MOST], seen[MOST] = {false};
  struct cul_dag dag;
  uint32_t *points, n = 0;
  reach(g, g->n - 1, of_bad);
  reach(g, good, of_good);
  assert_true(cul_dag_between(&(struct cul_graph){g->n, g->first, g->parents},
                              g->n - 1, &good, 1, &dag, &points));
  for (uint32_t c = 0; c < g->n; c++)
    n += of_bad[c] && !of_good[c];
  assert_int_equal(dag.n, n);
  assert_int_equal(points[dag.n - 1], g->n - 1);
  assert_int_equal(points[dag.n], good);
  for (uint32_t c = 0; c < dag.n; c++) {
    uint32_t p = points[c], all = g->first[p + 1] - g->first[p];
    assert_true(of_bad[p] && !of_good[p] && !seen[p]);
    seen[p] = true;
    assert_int_equal(dag.first[c + 1] - dag.first[c], all);
    for (uint32_t i = 0; i < all; i++) {
      uint32_t parent = dag.parents[dag.first[c] + i];
      assert_int_equal(points[parent], g->parents[g->first[p] + i]);
      assert_true(parent < c || (parent >= dag.n && of_good[points[parent]]));
    }
  }
  cul_dag_release(&dag);
  free(points);
}

static void check_masses(const struct graph *g, uint64_t seed) {
  uint32_t good = 0, *points;
  struct cul_dag dag;
  struct cul_dag_chains chains;
  double weight[MOST], mass[MOST];
  bool marks[MOST];
  assert_true(cul_dag_between(&(struct cul_graph){g->n, g->first, g->parents},
                              g->n - 1, &good, 1, &dag, &points));
  cul_dag_chains_find(&dag, &chains);
  for (uint32_t c = 0; c < dag.n; c++)
    weight[c] = draw(&seed) % 3 ? (double)(draw(&seed) % 1000) : 0;
  cul_dag_masses(&dag, &chains, weight, mass);
  for (uint32_t c = 0; c < dag.n; c++) {
    double sum = 0;
    cul_dag_ancestors(&dag, c, marks);
    for (uint32_t i = 0; i < dag.n; i++)
      sum += marks[i] ? weight[i] : 0;
    assert_true(sum == mass[c]);
  }
  cul_dag_chains_release(&chains);
  cul_dag_release(&dag);
  free(points);
}

static void test_random_graphs(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 60; seed++) {
    struct graph g;
    make_graph(&g, 2 + (uint32_t)(seed * 37 % (MOST - 2)),
               (unsigned)(seed % 5) * 15, seed);
    check_between(&g, (uint32_t)(seed * 11 % (g.n - 1)));
    check_masses(&g, seed);
  }
}

static void test_more_blocks_than_one(void **state) {
  struct graph g;
  (void)state;
  make_graph(&g, MOST, 60, 99); /* more than 512 chains */
  check_masses(&g, 5);
}

static void test_swapped_ends(void **state) {
  static const uint32_t first[] = {0, 0, 1, 2}, parents[] = {0, 1};
  struct cul_dag dag;
  uint32_t *points, good = 2;
  (void)state;
  assert_false(cul_dag_between(&(struct cul_graph){3, first, parents}, 0, &good,
                               1, &dag, &points));
  assert_null(points);
}

/* ---- evidence ---- */

static void test_posterior(void **state) {
  struct cul_dag line;
  struct cul_evidence e;
  double sum = 0;
  (void)state;
  cul_dag_line(10, &line);
  cul_evidence_init(&e, &line, NULL, false);
  cul_evidence_add(&e, 9, (struct cul_bisect_runs){3, 0});
  cul_evidence_add(&e, 10, (struct cul_bisect_runs){0, 3});
  cul_evidence_add(&e, 4, (struct cul_bisect_runs){2, 0});
  cul_evidence_update(&e);
  for (uint32_t c = 0; c < 10; c++)
    sum += e.posterior[c];
  assert_true(fabs(sum - 1) < 1e-12);
  assert_false(e.flaky);
  for (uint32_t c = 1; c < 5; c++) /* 0..4 alike, 5..9 hardly */
    assert_true(fabs(e.posterior[c] - e.posterior[0]) < 1e-12);
  assert_true(e.posterior[5] < e.posterior[4] / 10);
  cul_evidence_release(&e);
  cul_dag_release(&line);
}

static void test_contradiction(void **state) {
  struct cul_dag line;
  struct cul_evidence e;
  (void)state;
  cul_dag_line(10, &line);
  cul_evidence_init(&e, &line, NULL, false);
  cul_evidence_add(&e, 3, (struct cul_bisect_runs){1, 0});
  cul_evidence_add(&e, 6, (struct cul_bisect_runs){0, 1});
  cul_evidence_update(&e); /* failed before it passed: no culprit explains it */
  assert_true(e.flaky);
  cul_evidence_release(&e);
  cul_dag_release(&line);
}

/* Rates of 1/2 on both sides: Jeffreys' marginal is that of the arcsine law. */
static void test_marginal(void **state) {
  struct cul_dag line;
  struct cul_evidence e;
  (void)state;
  cul_dag_line(2, &line);
  cul_evidence_init(&e, &line, NULL, false);
  cul_evidence_add(&e, 0, (struct cul_bisect_runs){1, 1});
  cul_evidence_add(&e, 1, (struct cul_bisect_runs){2, 0});
  cul_evidence_update(&e);
  /* culprit 0: {3,1} with, {0,0} without: J = 15/384 ... B(3.5,1.5)/B(.5,.5)
   * culprit 1: {2,0} with, {1,1} without: 3/8 * 1/8 */
  assert_true(fabs(e.posterior[0] / e.posterior[1] -
                   (5.0 / 128) / (3.0 / 8 / 8)) < 1e-9);
  cul_evidence_release(&e);
  cul_dag_release(&line);
}

/* ---- broken points ---- */

static void test_broken_runs(void **state) {
  uint8_t known[101] = {[50] = CUL_BROKEN_POINT, [52] = CUL_BROKEN_POINT,
                        [20] = CUL_WORKS,        [80] = CUL_WORKS,
                        [99] = CUL_WORKS,        [100] = CUL_WORKS};
  double works[100];
  struct cul_dag line;
  (void)state;
  cul_dag_line(100, &line);
  cul_broken_chances(&line, known, works);
  assert_true(works[50] == 0 && works[20] == 1);
  assert_true(works[51] < works[53] && works[53] < works[60]);
  assert_true(works[60] < works[79] && works[79] <= 1);
  cul_dag_release(&line);
}

/* Common ancestors that are no ancestors of other common ones. */
static void test_bases(void **state) {
  static struct graph g;
  static bool of[2][MOST], above[MOST][MOST];
  uint64_t random = 5;
  (void)state;
  for (uint64_t seed = 1; seed <= 40; seed++) {
    struct cul_history h;
    make_graph(&g, 60, 40, seed);
    h = (struct cul_history){.n = g.n, .first = g.first, .parents = g.parents};
    for (uint32_t c = 0; c < g.n; c++)
      reach(&g, c, above[c]);
    for (int k = 0; k < 20; k++) {
      uint32_t a = (uint32_t)(draw(&random) % g.n);
      uint32_t b = (uint32_t)(draw(&random) % g.n), *bases;
      size_t n = cul_history_bases(&h, a, b, &bases), i = 0;
      reach(&g, a, of[0]);
      reach(&g, b, of[1]);
      for (uint32_t c = 0; c < g.n; c++) {
        bool best = of[0][c] && of[1][c];
        for (uint32_t d = 0; d < g.n && best; d++)
          best = d == c || !(of[0][d] && of[1][d] && above[d][c]);
        if (best)
          assert_true(i < n && bases[i++] == c);
      }
      assert_int_equal(i, n);
      free(bases);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_graphs),
      cmocka_unit_test(test_more_blocks_than_one),
      cmocka_unit_test(test_swapped_ends),
      cmocka_unit_test(test_posterior),
      cmocka_unit_test(test_contradiction),
      cmocka_unit_test(test_marginal),
      cmocka_unit_test(test_broken_runs),
      cmocka_unit_test(test_bases),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
