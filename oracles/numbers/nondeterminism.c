/* A command that says another thing on the same input: its standard output or
 * the files under @{out} differ from run to run.
 *
 * Runs are taken in pairs, none in two: whether a pair differs is then a matter
 * of one probability, and the test of rate.h holds with the bounds given there.
 * A pair that differs in another way than those of the input does not count:
 * an order that changes is not to become a number that does.  Standard error
 * is not looked at.  The runs have addresses of chance (CUL_RUN_RANDOMIZE):
 * what orders by pointers would otherwise never show. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/outputs.h"
#include "../common/pattern.h"
#include "../common/settle.h"
#include "rate.h"
#include "varied.h"

enum {
  CERTAIN_PAIRS = 10, /* of the input all differ: enough to know the rate */
  SILENT_PAIRS = 30,  /* none differs: none will */
  MOST_PAIRS = 100,
};

struct nondeterminism {
  const struct cul_oracle_conf *conf;
  struct cul_pattern *ignore[2]; /* what may differ */
  size_t n_ignore;
  bool learnt;
  int status;           /* with which the input's runs end */
  uint32_t ways;        /* bits: the enum cul_varied of the input's pairs */
  struct cul_rate rate; /* of its pairs */
  struct cul_sprt test;
};

/* What all pairs so far say. */
struct pairs {
  struct cul_rate rate; /* that differ in a way that counts */
  uint32_t ways, other; /* bits: ways that count, and that do not */
  const char *where;    /* of the first that counts: a file's name, or NULL */
};

static bool nondeterminism_wanted(const struct cul_oracle_conf *conf) {
  return conf->nondeterminism.wanted;
}

static void nondeterminism_close(void *self) {
  struct nondeterminism *it = self;
  for (size_t i = 0; i < it->n_ignore; i++)
    cul_pattern_free(it->ignore[i]);
  free(it);
}

static int nondeterminism_open(const struct cul_oracle_conf *conf, void **self,
                               struct cul_err *err) {
  struct nondeterminism *it = cul_xcalloc(1, sizeof *it);
  const char *text;
  int rc = 0;
  it->conf = conf;
  while (rc == 0 &&
         (text = cul_varied_ignored(conf->nondeterminism.ignore, it->n_ignore)))
    rc = cul_pattern_new("ignore", text, &it->ignore[it->n_ignore++], err);
  if (rc < 0)
    nondeterminism_close(it);
  else
    *self = it;
  return rc;
}

/* text without what may differ; false: an expression needs too many steps. */
static bool normalise(const struct nondeterminism *it, struct cul_bytes text,
                      struct cul_buf *out) {
  bool known = true;
  cul_buf_clear(out);
  cul_buf_add(out, text.data, text.len);
  for (size_t i = 0; i < it->n_ignore && known; i++) {
    struct cul_buf next = {0};
    known = cul_pattern_replace(it->ignore[i], cul_buf_bytes(out), "?", &next);
    cul_buf_release(out);
    *out = next;
  }
  return known;
}

static enum cul_varied compare_texts(const struct nondeterminism *it,
                                     struct cul_bytes a, struct cul_bytes b) {
  struct cul_buf x = {0}, y = {0};
  enum cul_varied how = CUL_VARIED_NOT;
  if (a.len != b.len || (a.len && memcmp(a.data, b.data, a.len) != 0)) {
    if (!normalise(it, a, &x) || !normalise(it, b, &y))
      how = CUL_VARIED_TEXT;
    else
      how = cul_varied_texts(cul_buf_bytes(&x), cul_buf_bytes(&y));
  }
  cul_buf_release(&x);
  cul_buf_release(&y);
  return how;
}

/* The first difference of two runs; *where: the file's name, borrowed. */
static enum cul_varied compare_runs(const struct nondeterminism *it,
                                    const struct cul_record *a,
                                    const struct cul_record *b,
                                    const char **where) {
  struct cul_bytes x = cul_buf_bytes(&a->outputs);
  struct cul_bytes y = cul_buf_bytes(&b->outputs);
  size_t at = 0, to = 0;
  struct cul_output_file left, right;
  enum cul_varied how =
      compare_texts(it, cul_buf_bytes(&a->out), cul_buf_bytes(&b->out));
  *where = NULL;
  while (how == CUL_VARIED_NOT) {
    bool more = cul_outputs_next(x, &at, &left);
    if (cul_outputs_next(y, &to, &right) != more)
      return CUL_VARIED_FILES;
    if (!more)
      return CUL_VARIED_NOT;
    if (strcmp(left.name, right.name) != 0)
      return CUL_VARIED_FILES;
    *where = left.name;
    how = compare_texts(it, left.bytes, right.bytes);
  }
  return how;
}

/* True where all runs can be compared; else verdict says why not. */
static bool all_end(const struct nondeterminism *it,
                    const struct cul_record *records, size_t n,
                    struct cul_verdict *verdict) {
  for (size_t i = 0; i < n; i++) {
    const struct cul_record *record = &records[i];
    if (cul_settle_run(record, verdict))
      return false;
    if (record->truncated) {
      cul_verdict_set(verdict, CUL_UNRESOLVED, 1,
                      "the command writes more than is kept: have it write "
                      "less");
      return false;
    }
    if (record->end == CUL_EXITED && record->status == it->status)
      continue;
    cul_signature_read(it->conf->rules, record, &verdict->sig);
    cul_verdict_set(verdict,
                    verdict->sig.kind == CUL_KIND_NONE ? CUL_PASSES : CUL_OTHER,
                    1, "it ends otherwise: %.150s", verdict->sig.title);
    return false;
  }
  return true;
}

/* Everything but text is a way of its own; where text itself was seen, any
 * way is one of several. */
static bool counts(const struct nondeterminism *it, enum cul_varied how) {
  return !it->learnt || it->conf->any_class ||
         (it->ways & (UINT32_C(1) << how)) ||
         (it->ways & (UINT32_C(1) << CUL_VARIED_TEXT));
}

static void compare_all(const struct nondeterminism *it,
                        const struct cul_record *records, size_t n,
                        struct pairs *pairs) {
  *pairs = (struct pairs){0};
  for (size_t i = 0; i + 1 < n; i += 2) {
    const char *where;
    enum cul_varied how =
        compare_runs(it, &records[i], &records[i + 1], &where);
    pairs->rate.runs++;
    if (how == CUL_VARIED_NOT)
      continue;
    if (!counts(it, how)) {
      pairs->other |= UINT32_C(1) << how;
      continue;
    }
    if (pairs->rate.fails++ == 0)
      pairs->where = where;
    pairs->ways |= UINT32_C(1) << how;
  }
}

static void add_ways(uint32_t ways, struct cul_buf *out) {
  bool any = false;
  for (int how = CUL_VARIED_ORDER; how <= CUL_VARIED_FILES; how++)
    if (ways & (UINT32_C(1) << how)) {
      cul_buf_addf(out, "%s%s", any ? ", " : "",
                   cul_varied_words((enum cul_varied)how));
      any = true;
    }
}

/* "standard output differs in 9 of 10 pairs of runs: the order of lines" */
static void say(const struct pairs *pairs, enum cul_answer answer,
                struct cul_verdict *verdict) {
  struct cul_buf what = {0};
  if (pairs->rate.fails == 0) {
    cul_buf_addf(&what, "the same output in %u runs", 2 * pairs->rate.runs);
  } else {
    cul_buf_addf(&what, "%.60s differs in %u of %u pair%s of runs: ",
                 pairs->where ? pairs->where : "standard output",
                 pairs->rate.fails, pairs->rate.runs, cul_s(pairs->rate.runs));
    add_ways(pairs->ways, &what);
  }
  verdict->sig = (struct cul_signature){.kind = CUL_KIND_NONE};
  if (answer == CUL_SAME) {
    verdict->sig.kind = CUL_KIND_NONDETERMINISM;
    snprintf(verdict->sig.title, sizeof verdict->sig.title,
             "nondeterminism: %.220s", cul_buf_str(&what));
  }
  if (pairs->other) {
    cul_buf_adds(&what, "; in another way: ");
    add_ways(pairs->other, &what);
  }
  cul_verdict_set(verdict, answer, 1, "%.190s", cul_buf_str(&what));
  cul_buf_release(&what);
}

static void ask(size_t have, size_t pairs, struct cul_wants *more) {
  for (more->n = 0; have < 2 * pairs && more->n < CUL_MAX_WANTS; have++)
    more->want[more->n++] = (struct cul_want){.attempt = (uint32_t)have};
}

/* Has the input been run often enough?  In pairs; where nothing differs, the
 * time counts too, as for any failure that may be flaky. */
static bool learnt_enough(const struct nondeterminism *it,
                          const struct cul_record *records, size_t n,
                          struct cul_rate rate) {
  uint64_t spent_us = 0;
  if (it->conf->repeat.runs)
    return n >= it->conf->repeat.runs && rate.runs > 0;
  if (rate.fails == rate.runs)
    return rate.runs >= CERTAIN_PAIRS;
  if (rate.fails > 0)
    return rate.fails >= CUL_RATE_FAILS || rate.runs >= MOST_PAIRS;
  for (size_t i = 0; i < n; i++)
    spent_us += records[i].wall_us;
  return rate.runs >= SILENT_PAIRS || spent_us >= it->conf->timeout_ms * 1000;
}

static void settle(struct nondeterminism *it, const struct pairs *pairs,
                   struct cul_verdict *verdict) {
  if (pairs->rate.fails == 0) {
    say(pairs, CUL_PASSES, verdict);
    return;
  }
  if (pairs->rate.fails < CUL_RATE_LEAST) {
    cul_verdict_set(verdict, CUL_UNRESOLVED, 1,
                    "%u of %u pair%s of runs %s, too few to tell a "
                    "candidate that varies from one that does not",
                    pairs->rate.fails, pairs->rate.runs,
                    cul_s(pairs->rate.runs),
                    pairs->rate.fails == 1 ? "differs" : "differ");
    return;
  }
  it->learnt = true;
  it->ways = pairs->ways;
  it->rate = pairs->rate;
  cul_sprt_init(&it->test, it->rate);
  say(pairs, CUL_SAME, verdict);
}

static int nondeterminism_learn(void *self, const struct cul_record *records,
                                size_t n, struct cul_wants *more,
                                struct cul_verdict *verdict,
                                struct cul_err *err) {
  struct nondeterminism *it = self;
  struct pairs pairs;
  (void)err;
  more->n = 0;
  it->learnt = false;
  it->status = records[0].status;
  if (!all_end(it, records, n, verdict))
    return 0;
  compare_all(it, records, n, &pairs);
  if (learnt_enough(it, records, n, pairs.rate))
    settle(it, &pairs, verdict);
  else
    ask(n, n / 2 + (it->conf->repeat.runs ? 1 : CUL_MAX_WANTS / 2), more);
  return 0;
}

static int nondeterminism_judge(const void *self,
                                const struct cul_record *records, size_t n,
                                struct cul_wants *more,
                                struct cul_verdict *verdict,
                                struct cul_err *err) {
  const struct nondeterminism *it = self;
  struct pairs pairs;
  uint32_t least = 0;
  (void)err;
  more->n = 0;
  if (!all_end(it, records, n, verdict))
    return 0;
  compare_all(it, records, n, &pairs);
  switch (cul_sprt_decide(&it->test, pairs.rate, &least)) {
  case CUL_SPRT_MORE:
    ask(n, pairs.rate.runs + least, more);
    break;
  case CUL_SPRT_ACCEPT:
    say(&pairs, CUL_SAME, verdict);
    break;
  case CUL_SPRT_REJECT: /* one that varies, if rarely, passes nothing */
    say(&pairs, pairs.rate.fails || pairs.other ? CUL_UNRESOLVED : CUL_PASSES,
        verdict);
    break;
  }
  return 0;
}

static void nondeterminism_describe(const void *self, struct cul_buf *out) {
  const struct nondeterminism *it = self;
  double low, high;
  cul_buf_adds(out, "outputs that differ from run to run");
  if (!it->learnt)
    return;
  cul_buf_adds(out, " in ");
  if (it->conf->any_class || (it->ways & (UINT32_C(1) << CUL_VARIED_TEXT)))
    cul_buf_adds(out, "any way");
  else
    add_ways(it->ways, out);
  cul_rate_interval(it->rate, &low, &high);
  cul_buf_addf(out,
               ", in about as many pairs of runs as now: %u of %u (%.0f to "
               "%.0f %% at 95 %% confidence)",
               it->rate.fails, it->rate.runs, 100 * low, 100 * high);
}

const struct cul_oracle cul_oracle_nondeterminism = {
    .abi = CUL_ORACLE_ABI,
    .name = "nondeterminism",
    .summary = "another output from run to run on the same input",
    .wanted = nondeterminism_wanted,
    .open = nondeterminism_open,
    .learn = nondeterminism_learn,
    .judge = nondeterminism_judge,
    .describe = nondeterminism_describe,
    .close = nondeterminism_close,
    .whole = true,
};
