/* One run, one answer: see one_run.h. */
#include "one_run.h"

#include <stdlib.h>

static const struct cul_record *last_suspect(const struct cul_record *records,
                                             size_t n) {
  const struct cul_record *last = records;
  for (size_t i = 0; i < n; i++)
    if (records[i].role == CUL_ROLE_SUSPECT)
      last = &records[i];
  return last;
}

/* The runs of other commands, such as the reference; the suspect has its one
 * run. */
static void keep_others(struct cul_wants *more) {
  size_t kept = 0;
  for (size_t i = 0; i < more->n; i++)
    if (more->want[i].role != CUL_ROLE_SUSPECT)
      more->want[kept++] = more->want[i];
  more->n = kept;
}

static int learn(void *self, const struct cul_record *records, size_t n,
                 struct cul_wants *more, struct cul_verdict *verdict,
                 struct cul_err *err) {
  struct cul_one_run *one = self;
  struct cul_record *twice;
  size_t count = 2;
  int rc;
  if (one->inner->whole) /* it compares runs, and asks for them */
    return one->inner->learn(one->self, records, n, more, verdict, err);
  twice = cul_xcalloc(n + 2, sizeof *twice);
  twice[0] = twice[1] = *last_suspect(records, n);
  for (size_t i = 0; i < n; i++)
    if (records[i].role != CUL_ROLE_SUSPECT)
      twice[count++] = records[i];
  rc = one->inner->learn(one->self, twice, count, more, verdict, err);
  keep_others(more);
  free(twice);
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
