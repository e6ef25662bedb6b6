/* What tests of the mismatch oracle share: records of its runs, judged. */
#ifndef CUL_TESTS_UNIT_ORACLES_MISMATCH_BENCH_H
#define CUL_TESTS_UNIT_ORACLES_MISMATCH_BENCH_H

#include "oracle_helper.h"

extern const struct cul_oracle cul_oracle_mismatch;

enum { MOST = 16 };

struct bench {
  struct cul_oracle_conf conf;
  void *self;
  struct cul_record records[MOST];
  size_t n;
  struct cul_wants more;
  struct cul_verdict verdict;
};

static inline void open_bench(struct bench *b) {
  struct cul_err err;
  *b = (struct bench){.conf = {.exit_code = -1, .mismatch.wanted = true}};
  b->conf.mismatch.tolerance =
      (struct cul_tolerance_conf){.rtol = -1, .atol = -1, .ulps = -1};
  b->conf.rules = make_rules();
  assert_int_equal(cul_oracle_mismatch.open(&b->conf, &b->self, &err), 0);
}

static inline void clear(struct bench *b) {
  for (size_t i = 0; i < b->n; i++)
    cul_record_release(&b->records[i]);
  b->n = 0;
}

static inline void close_bench(struct bench *b) {
  clear(b);
  cul_oracle_mismatch.close(b->self);
  cul_rules_free((struct cul_rules *)b->conf.rules);
}

static inline void ran(struct bench *b, enum cul_run_role role, int status,
                       const char *printed) {
  struct cul_record record = {
      .end = CUL_EXITED, .status = status, .role = role};
  cul_buf_adds(&record.out, printed);
  b->records[b->n++] = record;
}

static inline enum cul_answer judge(struct bench *b) {
  struct cul_err err;
  b->verdict = (struct cul_verdict){0};
  assert_int_equal(cul_oracle_mismatch.judge(b->self, b->records, b->n,
                                             &b->more, &b->verdict, &err),
                   0);
  return b->verdict.answer;
}

/* The suspect prints `bad`, with and without filled memory; the reference
 * `good`, whatever memory holds. */
static inline void all_ran(struct bench *b, const char *bad, const char *good) {
  clear(b);
  ran(b, CUL_ROLE_SUSPECT, 0, bad);
  ran(b, CUL_ROLE_REFERENCE, 0, good);
  ran(b, CUL_ROLE_POISON, 0, good);
  ran(b, CUL_ROLE_SUSPECT_POISON, 0, bad);
}

static inline void learn(struct bench *b, const char *bad, const char *good) {
  struct cul_err err;
  all_ran(b, bad, good);
  ran(b, CUL_ROLE_SUSPECT, 0, bad);
  assert_int_equal(cul_oracle_mismatch.learn(b->self, b->records, b->n,
                                             &b->more, &b->verdict, &err),
                   0);
  assert_int_equal(b->more.n, 0);
  assert_int_equal(b->verdict.answer, CUL_SAME);
}

static inline enum cul_answer candidate(struct bench *b, const char *bad,
                                        const char *good) {
  enum cul_answer answer;
  all_ran(b, bad, good);
  answer = judge(b);
  assert_int_equal(b->more.n, 0);
  return answer;
}

#endif
