/* The crash oracle over literal records: what its tests share. */
#ifndef CUL_TESTS_UNIT_ORACLES_ORACLE_CRASH_FIXTURE_H
#define CUL_TESTS_UNIT_ORACLES_ORACLE_CRASH_FIXTURE_H

#include "oracle_helper.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define MESSAGE(op) "a.mlir:1:2: error: '" op "' op is bad\n"

struct fixture {
  struct cul_rules *rules;
  void *self;
  struct cul_wants more;
  struct cul_verdict verdict;
  struct cul_oracle_conf conf;
  struct cul_record records[8];
  size_t n;
};

static inline const struct cul_oracle *oracle(void) {
  const struct cul_oracle_conf conf = {.exit_code = -1};
  return cul_oracle_choose(&conf);
}

static inline int start(void **state) {
  struct fixture *f = cul_xcalloc(1, sizeof *f);
  struct cul_err err;
  f->conf = (struct cul_oracle_conf){.exit_code = -1,
                                     .timeout_ms = 3000,
                                     .hang.limit_ms = 3000,
                                     .crash.candidate = "k.py"};
  f->conf.rules = f->rules = make_rules();
  assert_string_equal(oracle()->name, "crash");
  assert_int_equal(oracle()->open(&f->conf, &f->self, &err), 0);
  *state = f;
  return 0;
}

static inline void forget(struct fixture *f) {
  for (size_t i = 0; i < f->n; i++)
    cul_record_release(&f->records[i]);
  f->n = 0;
}

static inline int stop(void **state) {
  struct fixture *f = *state;
  forget(f);
  oracle()->close(f->self);
  cul_rules_free(f->rules);
  free(f);
  return 0;
}

static inline void add(struct fixture *f, enum cul_end end, int status,
                       const char *text) {
  f->records[f->n++] = make_record(end, status, text);
}

static inline enum cul_answer learn(struct fixture *f) {
  struct cul_err err;
  memset(&f->verdict, 0, sizeof f->verdict);
  assert_int_equal(
      oracle()->learn(f->self, f->records, f->n, &f->more, &f->verdict, &err),
      0);
  return f->verdict.answer;
}

static inline enum cul_answer judge(struct fixture *f) {
  struct cul_err err;
  memset(&f->verdict, 0, sizeof f->verdict);
  assert_int_equal(
      oracle()->judge(f->self, f->records, f->n, &f->more, &f->verdict, &err),
      0);
  return f->verdict.answer;
}

/* Learn a failure that shows twice; leaves no records. */
static inline void learn_twice(struct fixture *f, enum cul_end end, int status,
                               const char *text) {
  add(f, end, status, text);
  add(f, end, status, text);
  assert_int_equal(learn(f), CUL_SAME);
  assert_int_equal(f->more.n, 0);
  forget(f);
}

static inline enum cul_answer judge_one(struct fixture *f, enum cul_end end,
                                        int status, const char *text) {
  enum cul_answer answer;
  add(f, end, status, text);
  answer = judge(f);
  forget(f);
  return answer;
}

#endif
