/* bisect/bisector: the search alone, on simulated worlds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "../../../base/buf.h"
#include "../../../bisect/search/bisector.h"

static uint64_t draw(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return *state >> 33;
}

/* Ancestors of each point decide what fails. */
struct world {
  struct cul_dag dag;
  bool *holds;     /* per candidate: the culprit is an ancestor */
  const bool *bad; /* per point: cannot be tested; or NULL */
  unsigned lies;   /* percent of runs that pass though they should fail */
  uint64_t random;
};

static void plant(struct world *w, uint32_t culprit) {
  bool *marks = cul_xcalloc(w->dag.n + 1, sizeof *marks);
  w->holds = cul_xcalloc(w->dag.n + 1, sizeof *w->holds);
  for (uint32_t c = 0; c < w->dag.n; c++) {
    cul_dag_ancestors(&w->dag, c, marks);
    w->holds[c] = marks[culprit];
  }
  free(marks);
}

static enum cul_bisect_outcome run(struct world *w, uint32_t point) {
  if (w->bad && w->bad[point])
    return CUL_BISECT_UNTESTABLE;
  if (point >= w->dag.n || !w->holds[point])
    return CUL_BISECT_PASSES;
  return draw(&w->random) % 100 < w->lies ? CUL_BISECT_PASSES
                                          : CUL_BISECT_FAILS;
}

static struct cul_bisect_tally bisect(struct world *w,
                                      const struct cul_bisect_conf *conf,
                                      struct cul_bisect_answer *answer) {
  struct cul_bisector *b = cul_bisector_new(&w->dag, NULL, conf);
  struct cul_bisect_tally tally;
  struct cul_bisect_step step;
  while (cul_bisector_ask(b, &step))
    for (uint32_t i = 0; i < step.runs; i++) {
      enum cul_bisect_outcome outcome = run(w, step.point);
      cul_bisector_tell(b, step.point, outcome);
      if (outcome == CUL_BISECT_UNTESTABLE)
        break;
    }
  cul_bisector_answer(b, answer);
  cul_bisector_tally(b, &tally);
  cul_bisector_free(b);
  return tally;
}

static void end(struct world *w, struct cul_bisect_answer *answer) {
  free(answer->suspects);
  free(w->holds);
}

/* Without lies: the culprit, in log2 builds and the two ends. */
static void test_every_culprit_of_a_line(void **state) {
  struct cul_bisect_conf conf = CUL_BISECT_DEFAULTS;
  (void)state;
  for (uint32_t culprit = 0; culprit < 64; culprit++) {
    struct world w = {.random = 1};
    struct cul_bisect_answer answer;
    struct cul_bisect_tally tally;
    cul_dag_line(64, &w.dag);
    plant(&w, culprit);
    tally = bisect(&w, &conf, &answer);
    assert_int_equal(answer.end, CUL_BISECT_FOUND);
    assert_int_equal(answer.culprit, culprit);
    assert_int_equal(answer.n_suspects, 1);
    assert_true(answer.posterior > 0.99);
    assert_in_range(tally.builds, 2, 6 + 2);
    assert_false(tally.flaky);
    end(&w, &answer);
    cul_dag_release(&w.dag);
  }
}

static void make_dag(struct cul_dag *dag, uint32_t n, uint64_t seed) {
  uint32_t *first = cul_xcalloc(n + 2, sizeof *first);
  uint32_t *parents = cul_xcalloc(3 * n, sizeof *parents), edges = 0;
  uint32_t *points, good = 0;
  for (uint32_t c = 0; c <= n; c++) {
    first[c] = edges;
    if (c > 0)
      parents[edges++] = c - 1 - (uint32_t)(draw(&seed) % (c < 4 ? c : 4));
    if (c > 1 && draw(&seed) % 4 == 0)
      parents[edges++] = (uint32_t)(draw(&seed) % c);
  }
  first[n + 1] = edges;
  assert_true(cul_dag_between(&(struct cul_graph){n + 1, first, parents}, n,
                              &good, 1, dag, &points));
  free(first);
  free(parents);
  free(points);
}

static void test_random_dags(void **state) {
  struct cul_bisect_conf conf = CUL_BISECT_DEFAULTS;
  (void)state;
  for (uint64_t seed = 1; seed <= 80; seed++) {
    struct world w = {.random = seed};
    struct cul_bisect_answer answer;
    uint32_t culprit;
    make_dag(&w.dag, 120, seed);
    culprit = (uint32_t)(seed * 31 % w.dag.n);
    plant(&w, culprit);
    bisect(&w, &conf, &answer);
    assert_int_equal(answer.end, CUL_BISECT_FOUND);
    assert_int_equal(answer.culprit, culprit);
    end(&w, &answer);
    cul_dag_release(&w.dag);
  }
}

static void test_flaky(void **state) {
  struct cul_bisect_conf conf = CUL_BISECT_DEFAULTS;
  int right = 0;
  (void)state;
  for (uint64_t seed = 1; seed <= 40; seed++) {
    struct world w = {.random = seed, .lies = 30};
    struct cul_bisect_answer answer;
    cul_dag_line(200, &w.dag);
    plant(&w, (uint32_t)(seed * 37 % 200));
    bisect(&w, &conf, &answer);
    right += answer.culprit == seed * 37 % 200;
    end(&w, &answer);
    cul_dag_release(&w.dag);
  }
  assert_in_range(right, 38, 40); /* the seeds are fixed */
}

static void test_broken_run(void **state) {
  struct cul_bisect_conf conf = CUL_BISECT_DEFAULTS;
  bool bad[101] = {false};
  struct world w = {.random = 1, .bad = bad};
  struct cul_bisect_answer answer;
  struct cul_bisect_tally tally;
  (void)state;
  memset(bad + 40, true, 20);
  cul_dag_line(100, &w.dag);
  plant(&w, 47);
  tally = bisect(&w, &conf, &answer);
  assert_int_equal(answer.end, CUL_BISECT_SUSPECTS);
  for (size_t i = 0; i + 1 < answer.n_suspects; i++)
    assert_int_equal(answer.suspects[i] + 1, answer.suspects[i + 1]);
  assert_true(answer.suspects[0] <= 47 &&
              answer.suspects[answer.n_suspects - 1] >= 47);
  assert_true(tally.builds <= 7 + 10 + 2);
  free(answer.suspects);
  conf.exhaust = true; /* to the edges of the run */
  bisect(&w, &conf, &answer);
  assert_int_equal(answer.suspects[0], 40);
  assert_int_equal(answer.n_suspects, 21);
  end(&w, &answer);
  cul_dag_release(&w.dag);
}

static void test_wrong_ends(void **state) {
  struct cul_bisect_conf conf = CUL_BISECT_DEFAULTS;
  bool bad[21] = {false};
  struct world w = {.random = 1, .bad = bad};
  struct cul_bisect_answer answer;
  (void)state;
  cul_dag_line(20, &w.dag);
  w.holds = cul_xcalloc(21, sizeof *w.holds);
  bisect(&w, &conf, &answer);
  assert_int_equal(answer.end, CUL_BISECT_BAD_PASSES);
  free(answer.suspects);
  bad[20] = true;
  bisect(&w, &conf, &answer);
  assert_int_equal(answer.end, CUL_BISECT_END_BROKEN);
  end(&w, &answer);
  cul_dag_release(&w.dag);
}

static void test_budget(void **state) {
  struct cul_bisect_conf conf = CUL_BISECT_DEFAULTS;
  struct world w = {.random = 1};
  struct cul_bisect_answer answer;
  struct cul_bisect_tally tally;
  (void)state;
  conf.max_builds = 5;
  cul_dag_line(100, &w.dag);
  plant(&w, 33);
  tally = bisect(&w, &conf, &answer);
  assert_int_equal(answer.end, CUL_BISECT_BUDGET);
  assert_int_equal(tally.builds, 5);
  assert_true(answer.n_suspects < 20 && answer.mass >= 0.95);
  end(&w, &answer);
  cul_dag_release(&w.dag);
}

/* Several steps at a time: the points divide what is left evenly, and what
 * has nothing to tell any more is given back. */
static void test_parallel(void **state) {
  struct cul_bisect_conf conf = CUL_BISECT_DEFAULTS;
  struct world w = {.random = 1};
  struct cul_bisect_step step;
  struct cul_bisector *b;
  uint32_t asked[3], stale[8];
  (void)state;
  conf.build_cost = 1;
  cul_dag_line(100, &w.dag);
  plant(&w, 80);
  b = cul_bisector_new(&w.dag, NULL, &conf);
  for (int end = 0; end < 2; end++) {
    assert_true(cul_bisector_ask(b, &step));
    for (uint32_t i = 0; i < step.runs; i++)
      cul_bisector_tell(b, step.point, run(&w, step.point));
  }
  for (int i = 0; i < 3; i++) {
    assert_true(cul_bisector_ask(b, &step));
    asked[i] = step.point;
  }
  assert_in_range(asked[0], 48, 51);
  assert_true((asked[1] < 30) != (asked[2] < 30));
  assert_true((asked[1] > 70) != (asked[2] > 70));
  cul_bisector_tell(b, asked[0], CUL_BISECT_PASSES); /* it is above */
  assert_int_equal(cul_bisector_stale(b, stale, 8), 1);
  assert_true(stale[0] < 30);
  cul_bisector_free(b);
  free(w.holds);
  cul_dag_release(&w.dag);
}

/* Commits of which only every eighth changes the binary. */
enum { BINARIES = 8 };
struct builds {
  uint32_t told[16]; /* per binary: 1 + a point that was told of */
  uint32_t runs;
};

static void work_on_binary(struct world *w, struct cul_bisector *b,
                           const struct cul_bisect_step *step,
                           struct builds *builds) {
  /* the good end is before the first one */
  uint32_t binary = step->point < w->dag.n ? step->point / BINARIES + 1 : 0;
  uint32_t told = builds->told[binary];
  if (told && told - 1 != step->point &&
      cul_bisector_same(b, step->point, told - 1))
    return;
  for (uint32_t i = 0; i < step->runs; i++, builds->runs++)
    cul_bisector_tell(b, step->point, run(w, step->point));
  builds->told[binary] = step->point + 1;
}

static void bisect_binaries(struct world *w, struct cul_bisect_answer *answer,
                            struct builds *builds, double *unchanged) {
  struct cul_bisect_conf conf = CUL_BISECT_DEFAULTS;
  struct cul_bisector *b = cul_bisector_new(&w->dag, NULL, &conf);
  struct cul_bisect_step step;
  *builds = (struct builds){.runs = 0};
  while (cul_bisector_ask(b, &step))
    work_on_binary(w, b, &step, builds);
  cul_bisector_answer(b, answer);
  *unchanged = cul_bisector_posterior(b)[answer->culprit + 1];
  cul_bisector_free(b);
}

static void test_same_binaries(void **state) {
  (void)state;
  for (uint32_t culprit = 0; culprit < 96; culprit += BINARIES) {
    struct world w = {.random = 1};
    struct cul_bisect_answer answer;
    struct builds builds;
    double unchanged;
    cul_dag_line(96, &w.dag);
    plant(&w, culprit);
    bisect_binaries(&w, &answer, &builds, &unchanged);
    assert_int_equal(answer.end, CUL_BISECT_FOUND);
    assert_int_equal(answer.culprit, culprit);
    assert_true(unchanged < 1e-9);
    end(&w, &answer);
    cul_dag_release(&w.dag);
  }
}

/* Equal binaries are one coin: a commit that changes nothing is never named,
 * however the runs fall. */
static void test_same_binaries_flaky(void **state) {
  int right = 0;
  (void)state;
  for (uint64_t seed = 1; seed <= 40; seed++) {
    struct world w = {.random = seed, .lies = 30};
    struct cul_bisect_answer answer;
    struct builds builds;
    double unchanged;
    cul_dag_line(96, &w.dag);
    plant(&w, (uint32_t)(seed * 5 % 12 * BINARIES));
    bisect_binaries(&w, &answer, &builds, &unchanged);
    if (answer.end == CUL_BISECT_FOUND)
      assert_int_equal(answer.culprit % BINARIES, 0);
    right += answer.culprit == seed * 5 % 12 * BINARIES;
    end(&w, &answer);
    cul_dag_release(&w.dag);
  }
  assert_in_range(right, 39, 40); /* the seeds are fixed */
}

/* Equal artefacts that cannot be tested may hide what is to blame: a test that
 * gives up early has not read it. */
static void test_same_but_untestable(void **state) {
  struct cul_bisect_conf conf = CUL_BISECT_DEFAULTS;
  struct cul_dag dag;
  struct cul_bisector *b;
  const double *mass;
  (void)state;
  cul_dag_line(20, &dag);
  b = cul_bisector_new(&dag, NULL, &conf);
  cul_bisector_tell(b, 5, CUL_BISECT_UNTESTABLE);
  assert_true(cul_bisector_same(b, 12, 5));
  mass = cul_bisector_posterior(b);
  for (uint32_t c = 6; c <= 12; c++)
    assert_true(mass[c] > 0.04);
  cul_bisector_tell(b, 6, CUL_BISECT_PASSES);
  assert_true(cul_bisector_same(b, 8, 6));
  mass = cul_bisector_posterior(b);
  assert_true(mass[7] < 1e-9 && mass[9] > 0.05);
  cul_bisector_free(b);
  cul_dag_release(&dag);
}

/* A merge that takes one side's files as they are. */
static void test_same_on_a_merge(void **state) {
  /* 0 is the good end; 1-2 and 3-4 are two branches, 5 merges, 6 is bad */
  static const uint32_t first[] = {0, 0, 1, 2, 3, 4, 6, 7},
                        parents[] = {0, 1, 0, 3, 2, 4, 5}, good = 0;
  struct cul_bisect_conf conf = CUL_BISECT_DEFAULTS;
  struct cul_dag dag;
  struct cul_bisector *b;
  uint32_t *points, number[7] = {0};
  const double *mass;
  (void)state;
  assert_true(cul_dag_between(&(struct cul_graph){7, first, parents}, 6, &good,
                              1, &dag, &points));
  for (uint32_t c = 0; c < dag.n; c++)
    number[points[c]] = c;
  b = cul_bisector_new(&dag, NULL, &conf);
  assert_true(cul_bisector_same(b, number[5], number[2]));
  mass = cul_bisector_posterior(b);
  assert_true(mass[number[5]] < 1e-9 && mass[number[3]] < 1e-9);
  assert_true(mass[number[1]] > 0.3 && mass[number[6]] > 0.3);
  /* one commit between: its probability goes to its parent */
  assert_true(cul_bisector_same(b, number[2], number[1]));
  mass = cul_bisector_posterior(b);
  assert_true(mass[number[2]] < 1e-9 && mass[number[1]] > 0.6);
  /* both ends the same: no candidate would be left */
  assert_false(cul_bisector_same(b, dag.n - 1, dag.n));
  assert_true(cul_bisector_posterior(b)[number[1]] > 0.6);
  cul_bisector_free(b);
  free(points);
  cul_dag_release(&dag);
}

/* Unlikely candidates: they are looked at when nothing else is left. */
static void test_prior(void **state) {
  struct cul_bisect_conf conf = CUL_BISECT_DEFAULTS;
  double prior[100];
  (void)state;
  for (uint32_t c = 0; c < 100; c++)
    prior[c] = c % 10 == 0 ? 0.95 / 10 : 0.05 / 90;
  for (uint32_t culprit = 50; culprit < 60; culprit++) {
    struct world w = {.random = 1};
    struct cul_bisect_answer answer;
    struct cul_bisect_step step;
    struct cul_bisector *b;
    struct cul_bisect_tally tally;
    cul_dag_line(100, &w.dag);
    plant(&w, culprit);
    b = cul_bisector_new(&w.dag, prior, &conf);
    while (cul_bisector_ask(b, &step))
      for (uint32_t i = 0; i < step.runs; i++)
        cul_bisector_tell(b, step.point, run(&w, step.point));
    cul_bisector_answer(b, &answer);
    cul_bisector_tally(b, &tally);
    assert_int_equal(answer.end, CUL_BISECT_FOUND);
    assert_int_equal(answer.culprit, culprit);
    assert_in_range(tally.builds, 2, culprit == 50 ? 4 + 1 + 2 : 11);
    cul_bisector_free(b);
    end(&w, &answer);
    cul_dag_release(&w.dag);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_culprit_of_a_line),
      cmocka_unit_test(test_random_dags),
      cmocka_unit_test(test_flaky),
      cmocka_unit_test(test_broken_run),
      cmocka_unit_test(test_wrong_ends),
      cmocka_unit_test(test_budget),
      cmocka_unit_test(test_parallel),
      cmocka_unit_test(test_same_binaries),
      cmocka_unit_test(test_same_binaries_flaky),
      cmocka_unit_test(test_same_but_untestable),
      cmocka_unit_test(test_same_but_untestable),
      cmocka_unit_test(test_same_on_a_merge),
      cmocka_unit_test(test_prior),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
