/* An interestingness script: exit 0 = the failure shows, 1 to 124 = it does
 * not, 125 = cannot tell; 126, 127, a signal or no start = the script itself
 * is broken (the contract of git bisect run and of the reducers' testers). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "settle.h"

static bool script_wanted(const struct cul_oracle_conf *conf) {
  return conf->script;
}

static int script_open(const struct cul_oracle_conf *conf, void **self,
                       struct cul_err *err) {
  (void)conf;
  (void)err;
  *self = NULL;
  return 0;
}

static void script_broken(const struct cul_record *record, const char *how,
                          struct cul_verdict *verdict) {
  const char *text = cul_buf_str(&record->err);
  int len = (int)strcspn(text, "\n");
  cul_verdict_set(verdict, CUL_BROKEN, 1, "the script %s%s%.*s", how,
                  len ? ": " : "", len < 140 ? len : 140, text);
}

static void script_classify(const void *self, const struct cul_record *record,
                            struct cul_verdict *verdict) {
  char how[64];
  int number = cul_record_signal(record);
  (void)self;
  if (cul_settle_run(record, verdict))
    return;
  if (number) {
    snprintf(how, sizeof how, "died of %s", cul_signal_name(number));
    script_broken(record, how, verdict);
  } else if (record->status == 0) {
    cul_verdict_set(verdict, CUL_SAME, 1, "the script says yes");
  } else if (record->status < 125) {
    cul_verdict_set(verdict, CUL_PASSES, 1, "the script says no (%d)",
                    record->status);
  } else if (record->status == 125) {
    cul_verdict_set(verdict, CUL_UNRESOLVED, 1, "the script cannot tell");
  } else {
    snprintf(how, sizeof how, "ended with status %d", record->status);
    script_broken(record, how, verdict);
  }
}

static int script_learn(void *self, const struct cul_record *records, size_t n,
                        struct cul_wants *more, struct cul_verdict *verdict,
                        struct cul_err *err) {
  (void)err;
  cul_learn_by(script_classify, self, records, n, more, verdict);
  return 0;
}

static int script_judge(const void *self, const struct cul_record *records,
                        size_t n, struct cul_wants *more,
                        struct cul_verdict *verdict, struct cul_err *err) {
  (void)err;
  more->n = 0;
  script_classify(self, &records[n - 1], verdict);
  return 0;
}

static void script_describe(const void *self, struct cul_buf *out) {
  (void)self;
  cul_buf_adds(out, "the script's exit status 0");
}

static void script_close(void *self) { (void)self; }

const struct cul_oracle cul_oracle_script = {
    .abi = CUL_ORACLE_ABI,
    .name = "script",
    .summary = "a script that exits 0 where the failure shows",
    .wanted = script_wanted,
    .open = script_open,
    .learn = script_learn,
    .judge = script_judge,
    .describe = script_describe,
    .close = script_close,
};
