/* Flaky failures of any oracle: see repeat.h. */
#include "repeat.h"

#include <stdlib.h>

#include "common/settle.h"

enum {
  MAX_LOST = 2, /* deadlines met before a candidate is unresolved */
  QUICK_US = 10 * 1000 * 1000, /* longer runs without a failure: fewer do */
};

struct repeat {
  const struct cul_oracle *inner;
  void *inner_self;
  const struct cul_oracle_conf *conf; /* borrowed */
  uint32_t asked;                     /* --repeat N; 0 = auto */
  uint32_t silent;      /* this many runs without a failure are enough */
  uint64_t patience_us; /* total time for runs without a failure */
  bool doubted, flaky;
  enum cul_repeat_demand demand;
  uint32_t measure;     /* number of fails to count; 0: judge */
  struct cul_rate rate; /* of the original */
  struct cul_sprt test;
};

/* The answers of the inner oracle on single runs. */
struct tally {
  size_t runs;            /* runs of the command under test */
  struct cul_wants wants; /* runs of other commands that are needed first */
  struct cul_rate rate;   /* runs with an answer */
  size_t lost;            /* runs without an answer: deadlines */
  size_t first_fail;      /* its number, from 1; 0: none */
  struct cul_verdict fail, other, broken; /* the first of each */
  bool is_other, is_broken;
};

void *cul_repeat_new(const struct cul_oracle *inner, void *inner_self,
                     const struct cul_oracle_conf *conf) {
  struct repeat *repeat = cul_xcalloc(1, sizeof *repeat);
  repeat->inner = inner;
  repeat->inner_self = inner_self;
  repeat->conf = conf;
  repeat->asked = conf->repeat.runs;
  repeat->silent = conf->repeat.silent     ? conf->repeat.silent
                   : conf->mismatch.wanted ? CUL_RATE_NUMBERS
                                           : CUL_RATE_SILENT;
  repeat->patience_us = conf->timeout_ms * 1000;
  return repeat;
}

const void *cul_repeat_inner(const void *self) {
  return ((const struct repeat *)self)->inner_self;
}

bool cul_repeat_flaky(const void *self, struct cul_rate *rate) {
  const struct repeat *repeat = self;
  if (rate)
    *rate = repeat->rate;
  return repeat->flaky;
}

bool cul_repeat_by_first(const void *self) {
  const struct repeat *repeat = self;
  return repeat->flaky && repeat->demand == CUL_DEMAND_ENOUGH &&
         cul_rate_often(repeat->rate);
}

void cul_repeat_demand(void *self, enum cul_repeat_demand demand) {
  struct repeat *repeat = self;
  repeat->demand = demand;
}

bool cul_repeat_takes_more(const void *self) {
  return ((const struct repeat *)self)->inner->take;
}

void cul_repeat_take(void *self, const struct cul_signature *sig) {
  struct repeat *repeat = self;
  repeat->inner->take(repeat->inner_self, sig);
}

void cul_repeat_contrast(void *self, const struct cul_record *record) {
  struct repeat *repeat = self;
  if (repeat->inner->contrast)
    repeat->inner->contrast(repeat->inner_self, record);
}

void cul_repeat_doubt(void *self) {
  struct repeat *repeat = self;
  repeat->doubted = true;
}

void cul_repeat_measure(void *self, uint32_t fails) {
  struct repeat *repeat = self;
  repeat->measure = fails;
}

static bool repeat_wanted(const struct cul_oracle_conf *conf) {
  (void)conf;
  return false;
}

static int repeat_open(const struct cul_oracle_conf *conf, void **self,
                       struct cul_err *err) {
  (void)conf;
  *self = NULL;
  return cul_fail(err, CUL_EINTERNAL, "", "the decorator has nothing inside");
}

/* One run of the command under test with all runs of other commands, which are
 * the same for every such run. */
struct sample {
  struct cul_record records[1 + CUL_MAX_WANTS]; /* contents borrowed */
  size_t n;
};

static int count_run(const struct repeat *repeat, const struct sample *sample,
                     struct tally *tally, struct cul_err *err) {
  struct cul_verdict verdict = {0};
  struct cul_wants more = {0};
  int rc = repeat->inner->judge(repeat->inner_self, sample->records, sample->n,
                                &more, &verdict, err);
  /* A timeout to be confirmed counts as a fail here. */
  bool fails = verdict.answer == CUL_SAME || more.n > 0;
  tally->runs++;
  if (rc < 0)
    return rc;
  if (more.n > 0 && more.want[0].role != CUL_ROLE_SUSPECT) {
    tally->wants = more;
    return 0;
  }
  if (fails && tally->rate.fails++ == 0)
    tally->fail = verdict, tally->first_fail = tally->runs;
  if (verdict.answer == CUL_OTHER && !tally->is_other)
    tally->other = verdict, tally->is_other = true;
  if (verdict.answer == CUL_BROKEN && !tally->is_broken)
    tally->broken = verdict, tally->is_broken = true;
  if (fails || verdict.answer == CUL_PASSES || verdict.answer == CUL_OTHER)
    tally->rate.runs++;
  else
    tally->lost++;
  return 0;
}

static int count_runs(const struct repeat *repeat,
                      const struct cul_record *records, size_t n,
                      struct tally *tally, struct cul_err *err) {
  struct sample sample = {.n = 1};
  int rc = 0;
  *tally = (struct tally){0};
  for (size_t i = 0; i < n; i++)
    if (records[i].role != CUL_ROLE_SUSPECT &&
        sample.n < CUL_ARRAY_SIZE(sample.records))
      sample.records[sample.n++] = records[i];
  for (size_t i = 0; i < n && rc == 0; i++) {
    sample.records[0] = records[i];
    if (records[i].role == CUL_ROLE_SUSPECT)
      rc = count_run(repeat, &sample, tally, err);
  }
  return rc;
}

static void want(struct cul_wants *more, size_t first, size_t n) {
  for (more->n = 0; more->n < n && more->n < CUL_MAX_WANTS; more->n++)
    more->want[more->n] =
        (struct cul_want){.attempt = (uint32_t)(first + more->n)};
}

/* Did only the first run fail? It may have left something behind. */
static bool only_first(const struct tally *tally) {
  return tally->rate.fails == 1 && tally->first_fail == 1;
}

static uint64_t spent_us(const struct cul_record *records, size_t n) {
  uint64_t sum = 0;
  for (size_t i = 0; i < n; i++)
    sum += records[i].wall_us;
  return sum;
}

/* The number of runs without a failure that is enough; smaller if they take
 * long. */
static size_t silent_runs(const struct repeat *repeat, uint64_t spent_us) {
  bool few = spent_us >= QUICK_US && repeat->silent > CUL_RATE_FEW;
  return few ? CUL_RATE_FEW : repeat->silent;
}

/* Has the original been run often enough? If nothing fails, the time counts
 * too: up to the limit of the first run. */
static bool learnt_enough(const struct repeat *repeat,
                          const struct cul_record *records, size_t n_records,
                          const struct tally *tally) {
  uint64_t spent = spent_us(records, n_records);
  size_t n = tally->runs;
  if (repeat->asked && !repeat->doubted)
    return n >= repeat->asked;
  if (tally->rate.fails == n && !repeat->doubted)
    return true;
  if (only_first(tally) && !repeat->doubted && n > repeat->silent)
    return true;
  if (tally->rate.fails > 0)
    return cul_rate_measured(tally->rate) || n >= CUL_RATE_RUNS;
  return repeat->conf->repeat.brief || n >= silent_runs(repeat, spent) ||
         spent >= repeat->patience_us;
}

/* The number of runs of the original to request next. */
static size_t next_runs(const struct repeat *repeat,
                        const struct cul_record *records, size_t n_records,
                        const struct tally *tally) {
  size_t n = tally->runs;
  size_t left = CUL_MAX_WANTS;
  if (tally->rate.fails < CUL_RATE_OFTEN)
    left = CUL_RATE_OFTEN - tally->rate.fails;
  if (repeat->asked > n)
    return left < repeat->asked - n ? left : repeat->asked - n;
  if (tally->rate.fails == 0)
    n = silent_runs(repeat, spent_us(records, n_records)) - n;
  return tally->rate.fails == 0 && n < left ? n : left;
}

/* The number of runs of this length that would follow the first n if none
 * fails. */
static uint64_t follow(const struct repeat *repeat, size_t n,
                       uint64_t each_us) {
  struct cul_record all = {0};
  struct tally tally = {.runs = n};
  for (;;) {
    size_t next;
    all.wall_us = each_us * tally.runs;
    if (learnt_enough(repeat, &all, 1, &tally))
      return tally.runs - n;
    next = next_runs(repeat, &all, 1, &tally);
    tally.runs += next < CUL_MAX_WANTS ? next : CUL_MAX_WANTS;
  }
}

uint64_t cul_repeat_may_follow(const void *self,
                               const struct cul_record *records, size_t n,
                               uint64_t *each_us) {
  const struct repeat *repeat = self;
  struct tally tally;
  if (count_runs(repeat, records, n, &tally, &(struct cul_err){0}) < 0 ||
      tally.rate.fails > 0 || tally.rate.runs < 2 || repeat->doubted)
    return 0;
  *each_us = spent_us(records, n) / tally.runs;
  return follow(repeat, tally.runs, *each_us);
}

/* Decide about the original after all its runs. */
static void settle(struct repeat *repeat, const struct tally *tally,
                   const struct cul_record *first, size_t n,
                   struct cul_verdict *verdict) {
  struct cul_rate rate = tally->rate;
  /* Keep the inner oracle's answer, unless that is UNRESOLVED although each run
   * shows one failure by its test of candidates. */
  if (rate.fails == n && !repeat->doubted) {
    if (verdict->answer == CUL_UNRESOLVED)
      *verdict = tally->fail;
    return;
  }
  if (rate.fails == 0 && tally->is_other)
    *verdict = tally->other;
  if (rate.fails == 0 && (tally->is_other || verdict->answer == CUL_PASSES))
    return;
  if (rate.fails == 0) {
    cul_verdict_set(verdict, CUL_PASSES, 1, "exit status %d", first->status);
    return;
  }
  *verdict = tally->fail;
  if (only_first(tally) && rate.runs > repeat->silent) {
    cul_verdict_set(verdict, CUL_UNRESOLVED, 1.0 / (double)n,
                    "only the first of %u runs fails: does it leave something "
                    "behind (a cache, a file) that makes the others pass?",
                    rate.runs);
    return;
  }
  if (rate.fails < CUL_RATE_LEAST) {
    cul_verdict_set(verdict, CUL_UNRESOLVED, (double)rate.fails / (double)n,
                    "%u of %u run%s %s, too few to tell a candidate that "
                    "fails from one that does not",
                    rate.fails, rate.runs, cul_s(rate.runs),
                    rate.fails == 1 ? "fails" : "fail");
    return;
  }
  repeat->flaky = true;
  repeat->rate = rate;
  cul_sprt_init(&repeat->test, rate);
  cul_verdict_set(verdict, CUL_SAME, (double)rate.fails / (double)n,
                  "fails in %u of %u run%s", rate.fails, rate.runs,
                  cul_s(rate.runs));
}

static int repeat_learn(void *self, const struct cul_record *records, size_t n,
                        struct cul_wants *more, struct cul_verdict *verdict,
                        struct cul_err *err) {
  struct repeat *repeat = self;
  struct tally tally;
  size_t runs = 0;
  int rc =
      repeat->inner->learn(repeat->inner_self, records, n, more, verdict, err);
  for (size_t i = 0; i < n; i++)
    runs += records[i].role == CUL_ROLE_SUSPECT;
  if (rc < 0 || more->n > 0 || verdict->answer == CUL_BROKEN ||
      repeat->inner->whole)
    return rc;
  /* A limit or a slow tool is not a matter of chance. The sense of a script
   * must be found first. */
  if ((verdict->answer == CUL_UNRESOLVED && runs < CUL_LEARN_RUNS) ||
      (repeat->conf->script.wanted &&
       repeat->conf->script.sense == CUL_SENSE_UNKNOWN))
    return 0;
  rc = count_runs(repeat, records, n, &tally, err);
  *more = tally.wants;
  if (rc < 0 || more->n > 0)
    return rc;
  if (learnt_enough(repeat, records, n, &tally))
    settle(repeat, &tally, records, tally.runs, verdict);
  else
    want(more, tally.runs, next_runs(repeat, records, n, &tally));
  return 0;
}

static void say_rate(const struct repeat *repeat, const struct tally *tally,
                     enum cul_answer answer, struct cul_verdict *verdict) {
  struct cul_rate rate = tally->rate;
  cul_verdict_set(verdict, answer, 0.99,
                  "fails in %u of %u run%s (the original: %.0f %%)", rate.fails,
                  rate.runs, cul_s(rate.runs),
                  100 * cul_rate_share(repeat->rate));
}

/* Count fails for cul_repeat_measure. */
static void measure(const struct repeat *repeat, const struct tally *tally,
                    size_t n, struct cul_wants *more,
                    struct cul_verdict *verdict) {
  struct cul_rate rate = {tally->rate.fails, (uint32_t)n};
  uint32_t left = repeat->measure - rate.fails;
  if (rate.fails < CUL_RATE_OFTEN && left > CUL_RATE_OFTEN - rate.fails)
    left = CUL_RATE_OFTEN - rate.fails;
  if (rate.fails < repeat->measure && !cul_rate_measured(rate))
    want(more, n, left < CUL_RATE_RUNS - n ? left : CUL_RATE_RUNS - n);
  cul_verdict_set(verdict, rate.fails ? CUL_SAME : CUL_PASSES,
                  cul_rate_share(rate), "fails in %u of %u run%s", rate.fails,
                  rate.runs, cul_s(rate.runs));
}

/* A candidate that fails, even rarely, does not pass. */
static enum cul_answer answer_of_no(const struct tally *tally) {
  if (tally->rate.fails)
    return CUL_UNRESOLVED;
  return tally->is_other ? CUL_OTHER : CUL_PASSES;
}

/* Decide if the original fails often: one failure is enough. */
static void decide_by_first(const struct repeat *repeat,
                            const struct tally *tally, size_t n,
                            struct cul_wants *more,
                            struct cul_verdict *verdict) {
  uint32_t rest = cul_rate_rest(repeat->rate);
  if (tally->rate.fails > 0) {
    say_rate(repeat, tally, CUL_SAME, verdict);
  } else if (tally->rate.runs >= rest) {
    say_rate(repeat, tally, answer_of_no(tally), verdict);
  } else {
    say_rate(repeat, tally, CUL_UNRESOLVED, verdict);
    want(more, n, 1);
  }
}

/* Decide if a candidate must always fail.  Most of those that fail by chance
 * pass in the first runs: the rest is made when these have failed. */
static void decide_always(const struct repeat *repeat,
                          const struct tally *tally, size_t n,
                          struct cul_wants *more, struct cul_verdict *verdict) {
  enum { FIRST = 3 };
  uint32_t fails = tally->rate.fails;
  if (fails < tally->rate.runs) {
    say_rate(repeat, tally, answer_of_no(tally), verdict);
  } else if (fails >= CUL_RATE_OFTEN) {
    say_rate(repeat, tally, CUL_SAME, verdict);
  } else {
    say_rate(repeat, tally, CUL_UNRESOLVED, verdict);
    want(more, n, (fails < FIRST ? FIRST : CUL_RATE_OFTEN) - fails);
  }
}

/* Decide by the sequential test. */
static void decide(const struct repeat *repeat, const struct tally *tally,
                   size_t n, struct cul_wants *more,
                   struct cul_verdict *verdict) {
  uint32_t least = 0;
  switch (cul_sprt_decide(&repeat->test, tally->rate, &least)) {
  case CUL_SPRT_MORE:
    say_rate(repeat, tally, CUL_UNRESOLVED, verdict);
    want(more, n, tally->lost && least > 1 ? 1 : least);
    break;
  case CUL_SPRT_ACCEPT:
    say_rate(repeat, tally, CUL_SAME, verdict);
    break;
  case CUL_SPRT_REJECT:
    say_rate(repeat, tally, answer_of_no(tally), verdict);
    break;
  }
}

static int repeat_judge(const void *self, const struct cul_record *records,
                        size_t n, struct cul_wants *more,
                        struct cul_verdict *verdict, struct cul_err *err) {
  const struct repeat *repeat = self;
  struct tally tally;
  int rc;
  if (repeat->inner->whole || (!repeat->flaky && !repeat->measure))
    return repeat->inner->judge(repeat->inner_self, records, n, more, verdict,
                                err);
  rc = count_runs(repeat, records, n, &tally, err);
  *more = tally.wants;
  if (rc < 0 || more->n > 0)
    return rc;
  *verdict = tally.rate.fails ? tally.fail : tally.other;
  if (tally.is_broken) {
    *verdict = tally.broken;
    return 0;
  }
  if (repeat->measure)
    measure(repeat, &tally, tally.runs, more, verdict);
  else if (tally.lost > MAX_LOST)
    cul_verdict_set(verdict, CUL_UNRESOLVED, 1, "deadline, %zu time%s",
                    tally.lost, cul_s(tally.lost));
  else if (repeat->demand == CUL_DEMAND_ALWAYS)
    decide_always(repeat, &tally, tally.runs, more, verdict);
  else if (cul_repeat_by_first(repeat))
    decide_by_first(repeat, &tally, tally.runs, more, verdict);
  else
    decide(repeat, &tally, tally.runs, more, verdict);
  return 0;
}

static void repeat_describe(const void *self, struct cul_buf *out) {
  const struct repeat *repeat = self;
  double low, high;
  repeat->inner->describe(repeat->inner_self, out);
  if (!repeat->flaky)
    return;
  cul_rate_interval(repeat->rate, &low, &high);
  cul_buf_addf(out,
               ", in about as many runs as now: %u of %u (%.0f to %.0f %% at "
               "95 %% confidence)",
               repeat->rate.fails, repeat->rate.runs, 100 * low, 100 * high);
}

static void repeat_close(void *self) {
  struct repeat *repeat = self;
  if (repeat->inner_self)
    repeat->inner->close(repeat->inner_self);
  free(repeat);
}

const struct cul_oracle cul_repeat = {
    .abi = CUL_ORACLE_ABI,
    .name = "repeat",
    .summary = "any of the others, where the failure shows only sometimes",
    .wanted = repeat_wanted,
    .open = repeat_open,
    .learn = repeat_learn,
    .judge = repeat_judge,
    .describe = repeat_describe,
    .close = repeat_close,
};
