/* The match oracle: a regular expression on the output of the tool, at any exit
 * status; --exit and --signal must hold too if they are given. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/pattern.h"
#include "common/settle.h"

struct match {
  const struct cul_rules *rules;
  const char *text; /* borrowed */
  struct cul_pattern *pattern;
  int exit_code, signal; /* as in the configuration */
};

static bool match_wanted(const struct cul_oracle_conf *conf) {
  return conf->match != NULL;
}

static void match_close(void *self) {
  struct match *match = self;
  if (!match)
    return;
  cul_pattern_free(match->pattern);
  free(match);
}

static int match_open(const struct cul_oracle_conf *conf, void **self,
                      struct cul_err *err) {
  struct match *match;
  struct cul_pattern *pattern = NULL;
  int rc = cul_pattern_new("match", conf->match, &pattern, err);
  if (rc < 0)
    return rc;
  match = cul_xcalloc(1, sizeof *match);
  match->rules = conf->rules;
  match->text = conf->match;
  match->pattern = pattern;
  match->exit_code = conf->exit_code;
  match->signal = conf->signal;
  *self = match;
  return 0;
}

static bool end_fits(const struct match *match,
                     const struct cul_record *record) {
  if (match->signal && cul_record_signal(record) != match->signal)
    return false;
  return match->exit_code < 0 ||
         (record->end == CUL_EXITED && record->status == match->exit_code);
}

/* May the message be another one than the lines that match?  A crash is told by
 * more than a message. */
static bool may_be_another(const struct cul_signature *sig,
                           struct cul_bytes lines) {
  bool told = sig->kind == CUL_KIND_NONE || sig->kind == CUL_KIND_EXIT ||
              sig->kind == CUL_KIND_DIAGNOSTIC;
  return told && !(sig->raw[0] &&
                   memmem(lines.data, lines.len, sig->raw, strlen(sig->raw)));
}

/* Let the signature tell what matched, where a rule, or a guess, has another
 * message of the same run. */
static void tell_match(const struct match *match,
                       const struct cul_record *record, struct cul_bytes lines,
                       struct cul_signature *sig) {
  struct cul_record only = *record;
  if (!may_be_another(sig, lines))
    return;
  only.out = (struct cul_buf){0};
  only.err = (struct cul_buf){0};
  cul_buf_add(&only.err, lines.data, lines.len);
  cul_signature_read(match->rules, &only, sig);
  if (!sig->raw[0]) {
    const char *text = cul_buf_str(&only.err);
    snprintf(sig->title, sizeof sig->title, "output: %.*s",
             (int)strcspn(text, "\n"), text);
    snprintf(sig->raw, sizeof sig->raw, "%s", text);
    snprintf(sig->printed, sizeof sig->printed, "%s", text);
  }
  cul_buf_release(&only.err);
}

static void match_classify(const void *self, const struct cul_record *record,
                           struct cul_verdict *verdict) {
  const struct match *match = self;
  struct cul_bytes lines = {0};
  int out =
      cul_pattern_find(match->pattern, cul_buf_bytes(&record->out), &lines);
  int err =
      cul_pattern_find(match->pattern, cul_buf_bytes(&record->err), &lines);
  bool found = out > 0 || err > 0;
  if (record->end == CUL_NOT_STARTED || record->end == CUL_MACHINE ||
      (!found && cul_settle_run(record, verdict))) {
    (void)cul_settle_run(record, verdict);
    return;
  }
  cul_signature_read(match->rules, record, &verdict->sig);
  if (found)
    tell_match(match, record, lines, &verdict->sig);
  if (found && end_fits(match, record))
    cul_verdict_set(verdict, CUL_SAME, 1, "the expression matches");
  else if (!found && (out < 0 || err < 0))
    cul_verdict_set(verdict, CUL_UNRESOLVED, 1,
                    "the expression needs too many steps on this output");
  else if (found)
    cul_verdict_set(verdict, CUL_OTHER, 1,
                    "the expression matches, but not --exit or --signal");
  else if (verdict->sig.kind == CUL_KIND_NONE)
    cul_verdict_set(verdict, CUL_PASSES, 1, "the expression does not match");
  else
    cul_verdict_set(verdict, CUL_OTHER, 1,
                    "the expression does not match: %.120s",
                    verdict->sig.title);
}

static int match_learn(void *self, const struct cul_record *records, size_t n,
                       struct cul_wants *more, struct cul_verdict *verdict,
                       struct cul_err *err) {
  (void)err;
  cul_learn_by(match_classify, self, records, n, more, verdict);
  return 0;
}

static int match_judge(const void *self, const struct cul_record *records,
                       size_t n, struct cul_wants *more,
                       struct cul_verdict *verdict, struct cul_err *err) {
  (void)err;
  more->n = 0;
  match_classify(self, &records[n - 1], verdict);
  return 0;
}

static void match_describe(const void *self, struct cul_buf *out) {
  const struct match *match = self;
  cul_buf_addf(out, "output that matches '%s'", match->text);
  if (match->exit_code >= 0)
    cul_buf_addf(out, " and exit status %d", match->exit_code);
  if (match->signal)
    cul_buf_addf(out, " and %s", cul_signal_name(match->signal));
}

const struct cul_oracle cul_oracle_match = {
    .abi = CUL_ORACLE_ABI,
    .name = "match",
    .summary = "output that matches a regular expression",
    .wanted = match_wanted,
    .open = match_open,
    .learn = match_learn,
    .judge = match_judge,
    .describe = match_describe,
    .close = match_close,
};
