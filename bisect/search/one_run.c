/* One run, one answer: see one_run.h. */
#include "one_run.h"

static int learn(void *self, const struct cul_record *records, size_t n,
                 struct cul_wants *more, struct cul_verdict *verdict,
                 struct cul_err *err) {
  struct cul_one_run *one = self;
  struct cul_record twice[2] = {records[n - 1], records[n - 1]};
  int rc = one->inner->learn(one->self, twice, 2, more, verdict, err);
  more->n = 0;
  return rc;
}

static int judge(const void *self, const struct cul_record *records, size_t n,
                 struct cul_wants *more, struct cul_verdict *verdict,
                 struct cul_err *err) {
  const struct cul_one_run *one = self;
  int rc = one->inner->judge(one->self, records, n, more, verdict, err);
  if (rc == 0 && more->n == 0 && verdict->answer == CUL_BROKEN)
    verdict->answer = CUL_UNRESOLVED;
  return rc;
}

static void describe(const void *self, struct cul_buf *out) {
  const struct cul_one_run *one = self;
  one->inner->describe(one->self, out);
}

const struct cul_oracle cul_one_run_oracle = {.abi = CUL_ORACLE_ABI,
                                              .name = "one-run",
                                              .summary = "one run, one answer",
                                              .learn = learn,
                                              .judge = judge,
                                              .describe = describe};
