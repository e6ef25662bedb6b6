/* Runs of whole schedules on adversarial subjects, against the best fixed order
 * of their mutations that is known, and against plain delta debugging.
 *
 *   bench-schedule [SUBJECTS [ORDERS [WORKERS [FIRST]]]]
 *
 * The defaults are 200, 40, 1 and 1.  FIRST is the number of the first subject:
 * with 600 40 1 1001, subjects that no rule was chosen on.
 *
 * Each subject (tests/unit/reducer/schedule_space.h) makes some of 16 classes
 * of mutations useless, and others useful for one site at a time only.  A fixed
 * order runs every class to its end, knows which classes work one at a time,
 * and starts again until nothing changes.  The best of ORDERS is compared: that
 * from what the classes are, coarse useful ones first, and others by chance.
 * Plain delta debugging is CDD over all operations by one class; compared is
 * what the schedule took until as few operations were left.
 *
 * One line for each subject that misses a bar, then a summary; the exit status
 * is 1 where one misses: 2.5 times the runs of the best order, and twice those
 * of CDD.  Both orders know which classes are useless; to learn that takes one
 * run for each class at least, so 16 runs are not counted. */
#include "../tests/unit/reducer/schedule_space.h"

static const double most_order = 2.5, most_plain = 2;
static const uint64_t slack = 16;

static struct schedule subject;

static bool better(const struct schedule *s, uint32_t a, uint32_t b) {
  static const int worth[] = {[BY_RANGE] = 0, [BY_FUNCTION] = 1, [BY_END] = 2,
                              [BY_START] = 2, [BY_REGION] = 4,   [BY_PAIR] = 6,
                              [BY_OP] = 5,    [BY_ATTRIBUTE] = 7};
  const struct schedule_class *x = &schedule_classes[a],
                              *y = &schedule_classes[b];
  if (s->mode[a] != s->mode[b])
    return s->mode[a] < s->mode[b];
  if (x->strict != y->strict && x->sites >= BY_REGION && y->sites >= BY_REGION)
    return !x->strict;
  return worth[x->sites] < worth[y->sites];
}

/* The first order is that by worth; the others swap classes by chance, every
 * other one keeps useless classes at the end. */
static void make_order(const struct schedule *s, size_t number,
                       uint32_t *order) {
  uint64_t seed = number * 77 + 5;
  for (uint32_t i = 0; i < SCHEDULE_CLASSES; i++) {
    size_t k = i;
    order[i] = i;
    for (; k > 0 && better(s, i, order[k - 1]); k--)
      order[k] = order[k - 1];
    order[k] = i;
  }
  for (size_t i = SCHEDULE_CLASSES; number > 0 && i > 1; i--) {
    size_t k = next_random(&seed) % i;
    uint32_t swap = order[i - 1];
    if (number % 2 && s->mode[order[k]] != s->mode[order[i - 1]])
      continue;
    order[i - 1] = order[k];
    order[k] = swap;
  }
}

static const char *fixed_rule(const struct schedule *s, uint32_t m) {
  if (schedule_classes[m].phase == CUL_PHASE_CUT)
    return cul_rounds_rule(&s->rounds, m);
  return s->mode[m] == SINGLY ? "minimal" : "halve";
}

static uint64_t run_order(uint64_t number, const uint32_t *order,
                          uint64_t most) {
  struct schedule *s = &subject;
  struct cul_turn turns[2 * SCHEDULE_CLASSES];
  struct cul_err err = {0};
  bool changed = true;
  size_t n = 0;
  int rc = 0;
  uint64_t runs;
  schedule_init(s, number, 1, 0);
  s->most_runs = most;
  for (size_t i = 0; i < SCHEDULE_CLASSES; i++)
    turns[n++] = (struct cul_turn){.mutation = order[i],
                                   .rule = fixed_rule(s, order[i]),
                                   .kind = CUL_TURN_DELTA};
  for (size_t i = 0; i < SCHEDULE_CLASSES; i++)
    if (!(schedule_classes[order[i]].flags & (CUL_MUT_RANGE | CUL_MUT_CHAIN)))
      turns[n++] = (struct cul_turn){
          .mutation = order[i], .rule = "minimal", .kind = CUL_TURN_MINIMAL};
  while (changed && rc == 0) {
    changed = false;
    rc = cul_rounds_run(&s->rounds, turns, SCHEDULE_CLASSES, &changed, &err);
    if (rc == 0 && !changed)
      rc = cul_rounds_run(&s->rounds, turns + SCHEDULE_CLASSES,
                          n - SCHEDULE_CLASSES, &changed, &err);
  }
  runs = rc ? UINT64_MAX : s->runs;
  schedule_release(s);
  return runs;
}

static uint64_t best_order(uint64_t number, size_t orders) {
  uint64_t best = 0;
  for (size_t i = 0; i < orders; i++) {
    uint32_t order[SCHEDULE_CLASSES];
    uint64_t runs;
    schedule_init(&subject, number, 1, 0);
    make_order(&subject, i, order);
    schedule_release(&subject);
    runs = run_order(number, order, best);
    best = runs == UINT64_MAX ? best : runs;
  }
  return best;
}

/* *ops: what it leaves. */
static uint64_t run_plain(uint64_t number, size_t *ops) {
  const struct cul_turn turn = {
      .mutation = SCHEDULE_ERASE, .rule = "cdd", .kind = CUL_TURN_DELTA};
  struct cul_err err = {0};
  bool changed = false;
  uint64_t runs;
  schedule_init(&subject, number, 1, 0);
  if (cul_rounds_run(&subject.rounds, &turn, 1, &changed, &err) < 0)
    cul_bug("CDD failed: %s", err.what);
  *ops = schedule_ops(&subject, subject.revision);
  runs = subject.runs;
  schedule_release(&subject);
  return runs;
}

static double above_slack(uint64_t runs) {
  return runs > slack ? (double)(runs - slack) : 0;
}

static int compare_double(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static void print_modes(void) {
  for (size_t m = 0; m < SCHEDULE_CLASSES; m++)
    printf("%c", "+1-"[subject.mode[m]]);
}

static void print_sums(const char *name, double *ratios, size_t n,
                       size_t missed, double bar) {
  qsort(ratios, n, sizeof *ratios, compare_double);
  printf("%-16s median %.2f, 95%% %.2f, most %.2f; %zu of %zu above %.1f\n",
         name, ratios[n / 2], ratios[n * 95 / 100], ratios[n - 1], missed, n,
         bar);
}

int main(int argc, char **argv) {
  size_t n = argc > 1 ? (size_t)atoi(argv[1]) : 200;
  size_t orders = argc > 2 ? (size_t)atoi(argv[2]) : 40;
  size_t workers = argc > 3 ? (size_t)atoi(argv[3]) : 1;
  uint64_t first = argc > 4 ? strtoull(argv[4], NULL, 10) : 1;
  double *by_order = cul_xcalloc(n + 1, sizeof *by_order);
  double *by_plain = cul_xcalloc(n + 1, sizeof *by_plain);
  size_t missed_order = 0, missed_plain = 0;
  uint64_t sum = 0, sum_best = 0;
  for (uint64_t number = first; number < first + n; number++) {
    uint64_t best = best_order(number, orders), plain, ours;
    size_t ops, left;
    bool bad_order, bad_plain;
    plain = run_plain(number, &ops);
    schedule_init(&subject, number, workers, number);
    if (schedule_reduce(&subject) < 0)
      cul_bug("the rounds failed");
    ours = ops < subject.n_ops ? subject.runs_at[ops] : 0;
    left = schedule_ops(&subject, subject.revision);
    sum += subject.runs;
    sum_best += best;
    by_order[number - first] = above_slack(subject.runs) / (double)best;
    by_plain[number - first] = above_slack(ours) / (double)plain;
    bad_order = by_order[number - first] > most_order;
    bad_plain = by_plain[number - first] > most_plain;
    missed_order += bad_order;
    missed_plain += bad_plain;
    if (bad_order || bad_plain) {
      printf("%4llu ", (unsigned long long)number);
      print_modes();
      printf(" %5zu operations, %zu left: %llu runs, best order %llu; "
             "until %zu were left %llu, CDD %llu%s%s\n",
             subject.n_ops, left, (unsigned long long)subject.runs,
             (unsigned long long)best, ops, (unsigned long long)ours,
             (unsigned long long)plain, bad_order ? " ORDER" : "",
             bad_plain ? " PLAIN" : "");
    }
    schedule_release(&subject);
  }
  printf("runs             %llu; best orders %llu\n", (unsigned long long)sum,
         (unsigned long long)sum_best);
  print_sums("best order", by_order, n, missed_order, most_order);
  print_sums("plain CDD", by_plain, n, missed_plain, most_plain);
  free(by_order);
  free(by_plain);
  return missed_order + missed_plain > 0;
}
