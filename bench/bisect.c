/* The bisector on simulated histories, beside the same simulation of
 * `git bisect run`:  bench-bisect [TRIALS [TABLE...]]
 * Tables: flaky calibrated broken inside parallel.  Seeds are fixed: the same
 * numbers on every machine.  parallel:COMMITS: that table of a longer history,
 * up to 32 builds at a time.  choice:DIR times the choice of the next commit in
 * a repository (bench/history writes a large one). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/buf.h"
#include "../base/clock.h"
#include "../base/files/file.h"
#include "../bisect/history/repo.h"
#include "../bisect/search/bisector.h"

enum { POINTS = 1000, MOST_POINTS = 100000 };

/* splitmix64 */
static uint64_t draw(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

static double uniform(uint64_t *state) {
  return (double)(draw(state) >> 11) / 9007199254740992.0;
}

/* One history: a line; points from the culprit on fail at one rate, the ones
 * before at another; some cannot be built. */
struct world {
  uint32_t culprit;
  double with, without;
  uint32_t points;
  bool broken[MOST_POINTS + 1];
  uint64_t random;
};

static void make_long_world(struct world *w, uint32_t points, uint64_t seed,
                            double with, double without) {
  *w = (struct world){
      .with = with, .without = without, .points = points, .random = seed};
  w->culprit = (uint32_t)(uniform(&w->random) * points);
}

static void make_world(struct world *w, uint64_t seed, double with,
                       double without) {
  make_long_world(w, POINTS, seed, with, without);
}

static bool fails(struct world *w, uint32_t point) {
  bool holds = point < w->points && point >= w->culprit;
  return uniform(&w->random) < (holds ? w->with : w->without);
}

/* Runs of broken points: this share, this mean length. */
static void break_points(struct world *w, double share, double length) {
  double leaves = 1 / length, enters = leaves * share / (1 - share);
  bool broken = uniform(&w->random) < share;
  for (uint32_t c = 0; c < POINTS; c++) {
    w->broken[c] = broken;
    broken = uniform(&w->random) < (broken ? 1 - leaves : enters);
  }
  w->broken[POINTS - 1] = w->broken[POINTS] = false;
}

struct result {
  struct cul_bisect_answer answer;
  struct cul_bisect_tally tally;
  bool right, in_set;
};

static void work(struct world *w, struct cul_bisector *b,
                 const struct cul_bisect_step *step) {
  for (uint32_t i = 0; i < step->runs; i++) {
    bool broken = w->broken[step->point];
    enum cul_bisect_outcome outcome = broken ? CUL_BISECT_UNTESTABLE
                                      : fails(w, step->point)
                                          ? CUL_BISECT_FAILS
                                          : CUL_BISECT_PASSES;
    cul_bisector_tell(b, step->point, outcome);
    if (broken)
      return;
  }
}

static void conclude(struct world *w, struct cul_bisector *b,
                     struct result *out) {
  cul_bisector_answer(b, &out->answer);
  cul_bisector_tally(b, &out->tally);
  out->right = out->answer.culprit == w->culprit;
  out->in_set = false;
  for (size_t i = 0; i < out->answer.n_suspects; i++)
    out->in_set |= out->answer.suspects[i] == w->culprit;
  free(out->answer.suspects);
}

static void bisect(struct world *w, const struct cul_bisect_conf *conf,
                   struct result *out) {
  struct cul_dag line;
  struct cul_bisector *b;
  struct cul_bisect_step step;
  cul_dag_line(POINTS, &line);
  b = cul_bisector_new(&line, NULL, conf);
  while (cul_bisector_ask(b, &step))
    work(w, b, &step);
  conclude(w, b, out);
  cul_bisector_free(b);
  cul_dag_release(&line);
}

/* git bisect run: one run a step, every answer believed; a broken point is
 * skipped, the next one taken at a distance drawn as git draws it. */
static bool git_bisect(struct world *w, uint32_t *failed, uint32_t *builds) {
  uint32_t good = 0, bad = POINTS - 1; /* good: first not known to be good */
  bool skipped[POINTS + 1] = {false};
  uint64_t prn = 1;
  while (good < bad) {
    uint32_t middle = good + (bad - good - 1) / 2, at = middle, n = 0;
    uint32_t left[POINTS];
    for (uint32_t c = good; c < bad; c++)
      if (!skipped[c])
        left[n++] = c;
    if (n == 0)
      return false;
    if (skipped[middle]) { /* away from it, biased by a square root */
      prn = prn * 1103515245 + 12345;
      double x = sqrt((double)(prn / 65536 % 32768) / 32768);
      uint32_t near = 0;
      for (uint32_t i = 1; i < n; i++)
        if (abs((int)left[i] - (int)middle) <
            abs((int)left[near] - (int)middle))
          near = i;
      uint32_t away = (uint32_t)((1 - x) * n / 2);
      at = left[draw(&prn) & 1 ? (near + away) % n : (near + n - away) % n];
    }
    ++*builds;
    if (w->broken[at]) {
      skipped[at] = true;
      ++*failed;
    } else if (fails(w, at)) {
      bad = at;
    } else {
      good = at + 1;
    }
  }
  return bad == w->culprit;
}

struct sums {
  double right, in_set, runs, builds, broken, claimed, suspects, git,
      git_broken;
};

static void add(struct sums *s, const struct result *r, int trials) {
  s->right += (double)r->right / trials;
  s->in_set += (double)r->in_set / trials;
  s->runs += (double)r->tally.runs / trials;
  s->builds += (double)(r->tally.builds - 2) / trials;
  s->broken += (double)r->tally.broken / trials;
  s->claimed += r->answer.posterior / trials;
  s->suspects += (double)r->answer.n_suspects / trials;
}

static struct sums flaky(int trials, double with, double without,
                         struct cul_bisect_conf conf) {
  struct sums sums = {0};
  for (int i = 0; i < trials; i++) {
    struct world w;
    struct result result;
    uint32_t failed = 0, builds = 0;
    make_world(&w, (uint64_t)i + 1, with, without);
    bisect(&w, &conf, &result);
    add(&sums, &result, trials);
    make_world(&w, (uint64_t)i + 1, with, without);
    sums.git += (double)git_bisect(&w, &failed, &builds) / trials;
  }
  return sums;
}

static void table_flaky(int trials) {
  static const double rates[] = {0, 0.1, 0.2, 0.3, 0.5, 0.7};
  printf("flaky, %d commits, %d histories; builds without the two ends\n"
         "rates                  right  claimed   runs  builds | git right\n",
         POINTS, trials);
  for (int two = 0; two < 2; two++)
    for (int i = (two ? 0 : 0); i < (two ? 4 : 6); i++) {
      struct cul_bisect_conf conf = CUL_BISECT_DEFAULTS;
      struct sums s;
      conf.one_sided = !two;
      s = flaky(trials, 1 - rates[i], two ? rates[i] : 0, conf);
      printf("%s-sided %3.0f %%      %6.1f %%   %.3f %6.1f  %6.2f | %5.1f %%\n",
             two ? "two" : "one", 100 * rates[i], 100 * s.right, s.claimed,
             s.runs, s.builds, 100 * s.git);
    }
}

/* Rates are drawn anew for each history: nobody knows them. */
static struct sums calibrated(int trials, bool two, double asked) {
  struct sums sums = {0};
  for (int k = 0; k < trials; k++) {
    struct cul_bisect_conf conf = CUL_BISECT_DEFAULTS;
    struct world w;
    struct result result;
    uint64_t seed = (uint64_t)k + 77;
    uint32_t failed = 0, builds = 0;
    double rate = 0.05 + 0.3 * uniform(&seed);
    conf.one_sided = !two;
    conf.confidence = asked;
    make_world(&w, (uint64_t)k + 1, 1 - rate, two ? rate : 0);
    bisect(&w, &conf, &result);
    add(&sums, &result, trials);
    make_world(&w, (uint64_t)k + 1, 1 - rate, two ? rate : 0);
    sums.git += (double)git_bisect(&w, &failed, &builds) / trials;
  }
  return sums;
}

static void table_calibrated(int trials) {
  static const double asked[] = {0.90, 0.95, 0.99};
  printf("calibrated, %d commits, %d histories: 5 to 35 %% of the runs lie\n"
         "asked           claimed   right  points apart   runs | git right\n",
         POINTS, trials);
  for (int two = 0; two < 2; two++)
    for (int i = 0; i < 3; i++) {
      struct sums s = calibrated(trials, two, asked[i]);
      printf("%s-sided %.2f    %.4f  %.4f  %12.2f %6.1f | %5.1f %%\n",
             two ? "two" : "one", asked[i], s.claimed, s.right,
             100 * fabs(s.claimed - s.right), s.runs, 100 * s.git);
      fflush(stdout);
    }
}

static void table_broken(int trials, bool inside) {
  static const struct {
    double share, length;
  } cases[] = {{0.1, 4}, {0.2, 1}, {0.2, 4}, {0.2, 20}, {0.3, 4}, {0.3, 20}};
  printf(
      "%s, %d histories; builds without the two ends\n"
      "broken            in the set  suspects  failed  builds | git failed\n",
      inside ? "culprit inside a broken run" : "broken points", trials);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(cases); i++) {
    struct sums s = {0};
    int done = 0;
    for (uint64_t seed = 1; done < trials; seed++) {
      struct cul_bisect_conf conf = CUL_BISECT_DEFAULTS;
      struct world w;
      struct result result;
      uint32_t failed = 0, builds = 0;
      make_world(&w, seed, 1, 0);
      break_points(&w, cases[i].share, cases[i].length);
      if (inside && !w.broken[w.culprit])
        continue;
      done++;
      bisect(&w, &conf, &result);
      add(&s, &result, trials);
      git_bisect(&w, &failed, &builds);
      s.git_broken += (double)failed / trials;
    }
    printf(
        "%2.0f %% in runs of %2.0f   %6.1f %%    %6.1f  %6.1f  %6.1f | %6.1f\n",
        100 * cases[i].share, cases[i].length, 100 * s.in_set, s.suspects,
        s.broken, s.builds, s.git_broken);
  }
}

/* Builds at a time; each takes a time of mean 1, lognormal. */
struct building {
  struct cul_bisect_step step;
  double ends;
};

static double build_time(uint64_t *random, double cv) {
  double sigma = sqrt(log(1 + cv * cv));
  double u = uniform(random), v = uniform(random);
  double normal = sqrt(-2 * log(1 - u)) * cos(2 * M_PI * v);
  return exp(sigma * normal - sigma * sigma / 2);
}

static double parallel(struct world *w, int k, double cv, uint32_t *started) {
  struct cul_bisect_conf conf = CUL_BISECT_DEFAULTS;
  struct cul_dag line;
  struct cul_bisector *b;
  struct building now[64];
  int n = 0;
  double clock = 0;
  bool *built = cul_xcalloc(w->points + 1, sizeof *built);
  built[w->points - 1] = built[w->points] = true;
  cul_dag_line(w->points, &line);
  b = cul_bisector_new(&line, NULL, &conf);
  for (;;) {
    uint32_t stale[64];
    size_t m = cul_bisector_stale(b, stale, 64);
    int first = 0;
    for (size_t i = 0; i < m; i++)
      for (int j = 0; j < n; j++)
        if (now[j].step.point == stale[i]) {
          cul_bisector_cancelled(b, stale[i]);
          now[j--] = now[--n];
        }
    while (n < k && cul_bisector_ask(b, &now[n].step)) {
      bool fresh = !built[now[n].step.point];
      *started += fresh;
      now[n].ends = clock + (fresh ? build_time(&w->random, cv) : 0);
      n++;
    }
    if (n == 0)
      break;
    for (int j = 1; j < n; j++)
      if (now[j].ends < now[first].ends)
        first = j;
    clock = now[first].ends;
    built[now[first].step.point] = true;
    work(w, b, &now[first].step);
    now[first] = now[--n];
  }
  cul_bisector_free(b);
  cul_dag_release(&line);
  free(built);
  return clock;
}

/* most: 16, or 32. */
static void table_parallel(int trials, uint32_t points, int most) {
  static const int ks[] = {1, 2, 3, 4, 8, 16, 32};
  printf("builds at a time, times of variation 0.5, %d histories of %u\n"
         "k   build times  builds started  formula\n",
         trials, points);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(ks) && ks[i] <= most; i++) {
    double sum = 0;
    uint32_t started = 0;
    for (int t = 0; t < trials; t++) {
      struct world w;
      make_long_world(&w, points, (uint64_t)t + 1, 1, 0);
      sum += parallel(&w, ks[i], 0.5, &started);
    }
    printf("%2d  %10.2f  %14.1f  %7.1f\n", ks[i], sum / trials,
           (double)started / trials, ceil(log(points) / log(ks[i] + 1)));
  }
}

static double seconds_since(uint64_t start_us) {
  return (double)(cul_now_us() - start_us) / 1e6;
}

/* From the newest commit back to a first one. */
static bool read_repository(const char *dir, struct cul_dag *dag) {
  struct cul_repo *repo;
  struct cul_commit_id head;
  struct cul_history h;
  struct cul_err err = {0};
  uint32_t *points, root;
  bool ok;
  if (cul_repo_open(dir, &repo, &err) < 0 ||
      cul_repo_resolve(repo, "HEAD", "HEAD", &head, &err) < 0 ||
      cul_repo_history(repo, &head, 1, false, &h, &err) < 0) {
    fprintf(stderr, "bench-bisect: %s\n", err.what);
    return false;
  }
  for (root = h.n - 1; h.first[root] != h.first[root + 1];)
    root--;
  ok = cul_dag_between(&(struct cul_graph){h.n, h.first, h.parents}, 0, &root,
                       1, dag, &points);
  free(points);
  cul_history_release(&h);
  cul_repo_close(repo);
  return ok;
}

/* The first choice, the ends being known. */
static double choose_once(const struct cul_dag *dag) {
  struct cul_bisect_conf conf = CUL_BISECT_DEFAULTS;
  struct cul_bisector *b = cul_bisector_new(dag, NULL, &conf);
  struct cul_bisect_step step;
  uint64_t start;
  double seconds;
  for (int end = 0; end < 2 && cul_bisector_ask(b, &step); end++)
    for (uint32_t k = 0; k < step.runs; k++)
      cul_bisector_tell(b, step.point,
                        end ? CUL_BISECT_PASSES : CUL_BISECT_FAILS);
  start = cul_now_us();
  cul_bisector_ask(b, &step);
  seconds = seconds_since(start);
  cul_bisector_free(b);
  return seconds;
}

static int time_choice(const char *dir, int trials) {
  double load = INFINITY, choice = INFINITY, all = INFINITY;
  uint32_t n = 0;
  for (int i = 0; i < trials; i++) {
    struct cul_dag dag;
    uint64_t start = cul_now_us();
    if (!read_repository(dir, &dag))
      return 1;
    load = fmin(load, seconds_since(start));
    choice = fmin(choice, choose_once(&dag));
    all = fmin(all, seconds_since(start));
    n = dag.n;
    cul_dag_release(&dag);
  }
  printf(
      "%u commits, best of %d: read %.3f s, choose %.3f s, together %.3f s\n",
      n, trials, load, choice, all);
  return 0;
}

static bool wanted(int argc, char **argv, const char *name) {
  for (int i = 2; i < argc; i++)
    if (strcmp(argv[i], name) == 0)
      return true;
  return argc < 3;
}

int main(int argc, char **argv) {
  int trials = argc > 1 ? atoi(argv[1]) : 300;
  for (int i = 2; i < argc; i++)
    if (strncmp(argv[i], "choice:", 7) == 0)
      return time_choice(argv[i] + 7, trials);
  for (int i = 2; i < argc; i++)
    if (strncmp(argv[i], "parallel:", 9) == 0) {
      long points = atol(argv[i] + 9);
      if (points < 2 || points > MOST_POINTS)
        return 2;
      table_parallel(trials, (uint32_t)points, 32);
      return 0;
    }
  if (wanted(argc, argv, "flaky"))
    table_flaky(trials);
  if (wanted(argc, argv, "calibrated"))
    table_calibrated(trials);
  if (wanted(argc, argv, "broken"))
    table_broken(trials, false);
  if (wanted(argc, argv, "inside"))
    table_broken(trials, true);
  if (wanted(argc, argv, "parallel"))
    table_parallel(trials, POINTS, 16);
  return 0;
}
