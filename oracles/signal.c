/* Accepts one signal, whatever the tool prints. A shell's exit status 128 + n
 * means signal n. */
#include <stdlib.h>

#include "common/settle.h"

struct signal_sought {
  const struct cul_rules *rules;
  int number;
};

static bool signal_wanted(const struct cul_oracle_conf *conf) {
  return conf->signal != 0;
}

static int signal_open(const struct cul_oracle_conf *conf, void **self,
                       struct cul_err *err) {
  struct signal_sought *sought;
  if (conf->signal < 1 || conf->signal > 64)
    return cul_fail(err, CUL_EUSAGE,
                    "give a number of 1 to 64 or a name such as SIGSEGV",
                    "--signal %d: unknown signal", conf->signal);
  sought = cul_xcalloc(1, sizeof *sought);
  sought->rules = conf->rules;
  sought->number = conf->signal;
  *self = sought;
  return 0;
}

static void signal_classify(const void *self, const struct cul_record *record,
                            struct cul_verdict *verdict) {
  const struct signal_sought *sought = self;
  int number = cul_record_signal(record);
  if (cul_settle_run(record, verdict))
    return;
  cul_signature_read(sought->rules, record, &verdict->sig);
  if (number == sought->number)
    cul_verdict_set(verdict, CUL_SAME, 1, "died of %s",
                    cul_signal_name(number));
  else if (number)
    cul_verdict_set(verdict, CUL_OTHER, 1, "died of %s, not %s",
                    cul_signal_name(number), cul_signal_name(sought->number));
  else if (record->status == 0)
    cul_verdict_set(verdict, CUL_PASSES, 1, "ends without a failure");
  else
    cul_verdict_set(verdict, CUL_OTHER, 1, "exit status %d, no signal",
                    record->status);
}

static int signal_learn(void *self, const struct cul_record *records, size_t n,
                        struct cul_wants *more, struct cul_verdict *verdict,
                        struct cul_err *err) {
  (void)err;
  cul_learn_by(signal_classify, self, records, n, more, verdict);
  return 0;
}

static int signal_judge(const void *self, const struct cul_record *records,
                        size_t n, struct cul_wants *more,
                        struct cul_verdict *verdict, struct cul_err *err) {
  (void)err;
  more->n = 0;
  signal_classify(self, &records[n - 1], verdict);
  return 0;
}

static void signal_describe(const void *self, struct cul_buf *out) {
  const struct signal_sought *sought = self;
  cul_buf_addf(out, "a death by %s", cul_signal_name(sought->number));
}

const struct cul_oracle cul_oracle_signal = {
    .abi = CUL_ORACLE_ABI,
    .name = "signal",
    .summary = "a given signal",
    .wanted = signal_wanted,
    .open = signal_open,
    .learn = signal_learn,
    .judge = signal_judge,
    .describe = signal_describe,
    .close = free,
};
