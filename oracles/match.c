/* The match oracle: a regular expression over what the tool prints, at any
 * exit status; --exit and --signal given with it must hold too. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "settle.h"

struct match {
  const struct cul_rules *rules;
  char *pattern;
  pcre2_code *code;
  pcre2_match_context *limits;
  int exit_code, signal; /* as in the configuration */
};

static bool match_wanted(const struct cul_oracle_conf *conf) {
  return conf->match != NULL;
}

static void match_close(void *self) {
  struct match *match = self;
  if (!match)
    return;
  free(match->pattern);
  pcre2_code_free(match->code);
  pcre2_match_context_free(match->limits);
  free(match);
}

static int bad_pattern(const char *pattern, int number, size_t offset,
                       struct cul_err *err) {
  char message[160];
  pcre2_get_error_message(number, (PCRE2_UCHAR *)message, sizeof message);
  return cul_fail(err, CUL_EUSAGE,
                  "correct the expression there (Perl syntax); plain text is "
                  "written between \\Q and \\E",
                  "--match '%s': %s at offset %zu, before '%.20s'", pattern,
                  message, offset, pattern + offset);
}

static int match_open(const struct cul_oracle_conf *conf, void **self,
                      struct cul_err *err) {
  struct match *match = cul_xcalloc(1, sizeof *match);
  int number;
  size_t offset;
  match->rules = conf->rules;
  match->pattern = cul_xstrdup(conf->match);
  match->exit_code = conf->exit_code;
  match->signal = conf->signal;
  match->limits = pcre2_match_context_create(NULL);
  match->code = pcre2_compile((PCRE2_SPTR)conf->match, PCRE2_ZERO_TERMINATED,
                              PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C,
                              &number, &offset, NULL);
  if (!match->limits)
    cul_bug("out of memory");
  if (!match->code) {
    match_close(match);
    return bad_pattern(conf->match, number, offset, err);
  }
  pcre2_jit_compile(match->code, PCRE2_JIT_COMPLETE);
  pcre2_set_match_limit(match->limits, 20 * 1000 * 1000);
  *self = match;
  return 0;
}

/* 1 found, 0 not, negative: the expression needs too many steps. */
static int found_in(const struct match *match, const struct cul_buf *text) {
  pcre2_match_data *data = pcre2_match_data_create(1, NULL);
  int n;
  if (!data)
    cul_bug("out of memory");
  n = pcre2_match(match->code, (PCRE2_SPTR)cul_buf_str(text), text->len, 0, 0,
                  data, match->limits);
  pcre2_match_data_free(data);
  return n >= 0 ? 1 : n == PCRE2_ERROR_NOMATCH ? 0 : -1;
}

static bool end_fits(const struct match *match,
                     const struct cul_record *record) {
  if (match->signal && cul_record_signal(record) != match->signal)
    return false;
  return match->exit_code < 0 ||
         (record->end == CUL_EXITED && record->status == match->exit_code);
}

static void match_classify(const void *self, const struct cul_record *record,
                           struct cul_verdict *verdict) {
  const struct match *match = self;
  int out = found_in(match, &record->out), err = found_in(match, &record->err);
  bool found = out > 0 || err > 0;
  if (record->end == CUL_NOT_STARTED || record->end == CUL_MACHINE ||
      (!found && cul_settle_run(record, verdict))) {
    (void)cul_settle_run(record, verdict);
    return;
  }
  cul_signature_read(match->rules, record, &verdict->sig);
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
  cul_buf_addf(out, "output that matches '%s'", match->pattern);
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
