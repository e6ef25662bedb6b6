/* Accepts one exit status, which the user knows to mean the failure. */
#include <stdlib.h>

#include "common/settle.h"

struct exit_status {
  const struct cul_rules *rules;
  int status;
};

static bool exit_wanted(const struct cul_oracle_conf *conf) {
  return conf->exit_code >= 0;
}

static int exit_open(const struct cul_oracle_conf *conf, void **self,
                     struct cul_err *err) {
  struct exit_status *wanted;
  if (conf->exit_code > 255)
    return cul_fail(err, CUL_EUSAGE, "an exit status is a number of 0 to 255",
                    "--exit %d: no program can exit with that",
                    conf->exit_code);
  wanted = cul_xcalloc(1, sizeof *wanted);
  wanted->rules = conf->rules;
  wanted->status = conf->exit_code;
  *self = wanted;
  return 0;
}

static void exit_classify(const void *self, const struct cul_record *record,
                          struct cul_verdict *verdict) {
  const struct exit_status *wanted = self;
  if (cul_settle_run(record, verdict))
    return;
  cul_signature_read(wanted->rules, record, &verdict->sig);
  if (record->end == CUL_EXITED && record->status == wanted->status)
    cul_verdict_set(verdict, CUL_SAME, 1, "exit status %d", record->status);
  else if (record->end == CUL_EXITED && record->status == 0)
    cul_verdict_set(verdict, CUL_PASSES, 1, "exit status 0");
  else if (record->end == CUL_EXITED)
    cul_verdict_set(verdict, CUL_OTHER, 1, "exit status %d, not %d",
                    record->status, wanted->status);
  else
    cul_verdict_set(verdict, CUL_OTHER, 1, "died of %s",
                    cul_signal_name(record->status));
}

static int exit_learn(void *self, const struct cul_record *records, size_t n,
                      struct cul_wants *more, struct cul_verdict *verdict,
                      struct cul_err *err) {
  (void)err;
  cul_learn_by(exit_classify, self, records, n, more, verdict);
  return 0;
}

static int exit_judge(const void *self, const struct cul_record *records,
                      size_t n, struct cul_wants *more,
                      struct cul_verdict *verdict, struct cul_err *err) {
  (void)err;
  more->n = 0;
  exit_classify(self, &records[n - 1], verdict);
  return 0;
}

static void exit_describe(const void *self, struct cul_buf *out) {
  const struct exit_status *wanted = self;
  cul_buf_addf(out, "exit status %d", wanted->status);
}

const struct cul_oracle cul_oracle_exit = {
    .abi = CUL_ORACLE_ABI,
    .name = "exit",
    .summary = "a given exit status",
    .wanted = exit_wanted,
    .open = exit_open,
    .learn = exit_learn,
    .judge = exit_judge,
    .describe = exit_describe,
    .close = free,
};
