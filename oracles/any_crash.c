/* Accepts any crash: signals, assertions, fatal errors, sanitizer reports. For
 * users who look for a class of defects rather than for one defect. */
#include <stdlib.h>

#include "common/settle.h"

struct any_crash {
  const struct cul_rules *rules;
};

static bool any_crash_wanted(const struct cul_oracle_conf *conf) {
  return conf->any_crash;
}

static int any_crash_open(const struct cul_oracle_conf *conf, void **self,
                          struct cul_err *err) {
  struct any_crash *any = cul_xcalloc(1, sizeof *any);
  (void)err;
  any->rules = conf->rules;
  *self = any;
  return 0;
}

static bool is_crash(enum cul_kind kind) {
  switch (kind) {
  case CUL_KIND_SIGNAL:
  case CUL_KIND_ASSERTION:
  case CUL_KIND_FATAL:
  case CUL_KIND_ABORT:
  case CUL_KIND_UNREACHABLE:
  case CUL_KIND_SANITIZER:
    return true;
  case CUL_KIND_NONE:
  case CUL_KIND_VERIFIER:
  case CUL_KIND_DIAGNOSTIC:
  case CUL_KIND_EXCEPTION:
  case CUL_KIND_DEVICE:
  case CUL_KIND_TIMEOUT:
  case CUL_KIND_MEMORY:
  case CUL_KIND_EXIT:
  case CUL_KIND_MISMATCH:
  case CUL_KIND_NONDETERMINISM:
  case CUL_KIND_SLOWER:
  case CUL_KIND_LARGER:
  case CUL_KIND_INFRASTRUCTURE:
    return false;
  }
  return false;
}

static void any_crash_classify(const void *self,
                               const struct cul_record *record,
                               struct cul_verdict *verdict) {
  const struct any_crash *any = self;
  struct cul_signature *sig = &verdict->sig;
  if (cul_settle_run(record, verdict))
    return;
  cul_signature_read(any->rules, record, sig);
  if (cul_record_signal(record) || is_crash(sig->kind))
    cul_verdict_set(verdict, CUL_SAME, 1, "%.180s", sig->title);
  else if (sig->kind == CUL_KIND_NONE)
    cul_verdict_set(verdict, CUL_PASSES, 1, "ends without a failure");
  else
    cul_verdict_set(verdict, CUL_OTHER, 1, "no crash: %.160s", sig->title);
}

static int any_crash_learn(void *self, const struct cul_record *records,
                           size_t n, struct cul_wants *more,
                           struct cul_verdict *verdict, struct cul_err *err) {
  (void)err;
  cul_learn_by(any_crash_classify, self, records, n, more, verdict);
  return 0;
}

static int any_crash_judge(const void *self, const struct cul_record *records,
                           size_t n, struct cul_wants *more,
                           struct cul_verdict *verdict, struct cul_err *err) {
  (void)err;
  more->n = 0;
  any_crash_classify(self, &records[n - 1], verdict);
  return 0;
}

static void any_crash_describe(const void *self, struct cul_buf *out) {
  (void)self;
  cul_buf_adds(out, "any crash, assertion, fatal error or sanitizer report");
}

const struct cul_oracle cul_oracle_any_crash = {
    .abi = CUL_ORACLE_ABI,
    .name = "any-crash",
    .summary = "any crash, assertion, fatal error or sanitizer report",
    .wanted = any_crash_wanted,
    .open = any_crash_open,
    .learn = any_crash_learn,
    .judge = any_crash_judge,
    .describe = any_crash_describe,
    .close = free,
};
