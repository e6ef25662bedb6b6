/* An interestingness script. Its sense (oracle.h) is the exit status that means
 * "the failure shows"; 125 = cannot tell; 126, 127, a signal that killed the
 * script itself, or no start = the script is broken, which is never an answer.
 * A status above 127 is that of the script's last command: an ordinary answer,
 * as in the reducers, but the end of the job in the sense of git bisect run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/settle.h"

static bool script_wanted(const struct cul_oracle_conf *conf) {
  return conf->script.wanted;
}

/* The sense may be determined later: every call reads the configuration. */
static int script_open(const struct cul_oracle_conf *conf, void **self,
                       struct cul_err *err) {
  (void)err;
  *self = (void *)&conf->script;
  return 0;
}

static void script_broken(const struct cul_record *record, const char *how,
                          struct cul_verdict *verdict) {
  const char *text = cul_buf_str(&record->err);
  int len = (int)strcspn(text, "\n");
  cul_verdict_set(verdict, CUL_BROKEN, 1, "the script %s%s%.*s", how,
                  len ? ": " : "", len, text);
}

/* --also-interesting: kept as another failure, one per status. */
static void script_also(int status, struct cul_verdict *verdict) {
  struct cul_signature *sig = &verdict->sig;
  cul_verdict_set(verdict, CUL_OTHER, 1, "also interesting to the script");
  *sig = (struct cul_signature){.kind = CUL_KIND_EXIT, .status = status};
  snprintf(sig->title, sizeof sig->title, "also interesting (exit status %d)",
           status);
  sig->key = cul_digest_of(sig->title, strlen(sig->title));
  sig->key_across = sig->key;
}

static void script_answer(const struct cul_script_conf *conf, int status,
                          struct cul_verdict *verdict) {
  bool nonzero = conf->sense >= CUL_SENSE_NONZERO;
  if ((status != 0) == nonzero)
    cul_verdict_set(verdict, CUL_SAME, 1,
                    "the script exits with %d: interesting", status);
  else
    cul_verdict_set(verdict, CUL_PASSES, 1, "the script exits with %d", status);
}

static void script_classify(const void *self, const struct cul_record *record,
                            struct cul_verdict *verdict) {
  const struct cul_script_conf *conf = self;
  int status = record->status;
  char how[64];
  if (cul_settle_run(record, verdict))
    return;
  if (record->end == CUL_SIGNALED) {
    snprintf(how, sizeof how, "died of %s", cul_signal_name(status));
    script_broken(record, how, verdict);
  } else if (conf->also && status == conf->also) {
    script_also(status, verdict);
  } else if (status == 125) {
    cul_verdict_set(verdict, CUL_UNRESOLVED, 1, "the script cannot tell");
  } else if (status == 126 || status == 127 ||
             (status >= 128 && conf->sense == CUL_SENSE_BISECT)) {
    snprintf(how, sizeof how, "ended with status %d", status);
    script_broken(record, how, verdict);
  } else {
    script_answer(conf, status, verdict);
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
  const struct cul_script_conf *conf = self;
  cul_buf_adds(out, conf->sense >= CUL_SENSE_NONZERO
                        ? "the script's exit status other than 0"
                        : "the script's exit status 0");
}

static void script_close(void *self) { (void)self; }

const struct cul_oracle cul_oracle_script = {
    .abi = CUL_ORACLE_ABI,
    .name = "script",
    .summary = "the exit status of a script",
    .wanted = script_wanted,
    .open = script_open,
    .learn = script_learn,
    .judge = script_judge,
    .describe = script_describe,
    .close = script_close,
};
