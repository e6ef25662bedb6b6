/* Shared steps of the oracles: see settle.h. */
#include "settle.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

const char *cul_answer_name(enum cul_answer answer) {
  switch (answer) {
  case CUL_SAME:
    return "same failure";
  case CUL_PASSES:
    return "passes";
  case CUL_OTHER:
    return "other failure";
  case CUL_UNRESOLVED:
    return "unresolved";
  case CUL_INVALID:
    return "invalid";
  case CUL_BROKEN:
    return "broken";
  }
  return "unknown";
}

void cul_verdict_set(struct cul_verdict *verdict, enum cul_answer answer,
                     double confidence, const char *fmt, ...) {
  va_list args;
  verdict->answer = answer;
  verdict->confidence = confidence;
  va_start(args, fmt);
  cul_vphrase(verdict->why, sizeof verdict->why, fmt, args);
  va_end(args);
}

static bool is_of_a_crash(int signal) {
  return signal == SIGSEGV || signal == SIGABRT || signal == SIGFPE ||
         signal == SIGBUS || signal == SIGILL;
}

int cul_record_signal(const struct cul_record *record) {
  if (record->end == CUL_SIGNALED || record->end == CUL_LIMIT)
    return record->status;
  if (record->end == CUL_EXITED && record->status > 128 &&
      record->status <= 128 + SIGSYS)
    return record->status - 128;
  if (record->end == CUL_EXITED && is_of_a_crash(256 - record->status))
    return 256 - record->status;
  return 0;
}

bool cul_settle_run(const struct cul_record *record,
                    struct cul_verdict *verdict) {
  struct cul_bytes why = cul_record_why(record),
                   first = cul_buf_bytes(&record->err);
  first.len = strcspn(cul_buf_str(&record->err), "\n");
  switch (record->end) {
  case CUL_EXITED:
  case CUL_SIGNALED:
    return false;
  case CUL_DEADLINE:
    cul_verdict_set(verdict, CUL_UNRESOLVED, 1, "deadline");
    return true;
  case CUL_LIMIT:
    cul_verdict_set(verdict, CUL_UNRESOLVED, 1,
                    "stopped by a limit of culprit (%s)",
                    record->limit == CUL_LIMIT_MEMORY ? "memory: --max-memory"
                    : record->limit == CUL_LIMIT_PROCESSES
                        ? "number of processes"
                        : cul_signal_name(record->status));
    return true;
  case CUL_NOT_STARTED:
    cul_verdict_set(verdict, CUL_BROKEN, 1, "did not start: %s%s%.*s",
                    strerror(record->status), record->err.len ? ": " : "",
                    (int)first.len, first.data);
    return true;
  case CUL_MACHINE:
    if (record->status == ECHILD) {
      cul_verdict_set(verdict, CUL_UNRESOLVED, 1,
                      "lost: its supervisor was killed");
      return true;
    }
    cul_verdict_set(verdict, CUL_BROKEN, 1,
                    "the machine could not run it%s%.*s", why.len ? ": " : "",
                    (int)why.len, why.data);
    return true;
  }
  return false;
}

void cul_learn_by(cul_classify *classify, const void *self,
                  const struct cul_record *records, size_t n,
                  struct cul_wants *more, struct cul_verdict *verdict) {
  size_t votes[CUL_BROKEN + 1] = {0};
  size_t best = 0;
  more->n = 0;
  classify(self, &records[0], verdict);
  if (verdict->answer == CUL_BROKEN)
    return;
  for (size_t i = 0; i < n; i++) {
    classify(self, &records[i], verdict);
    if (++votes[verdict->answer] > votes[best])
      best = verdict->answer;
  }
  if (n >= 2 && votes[best] == n)
    return;
  while (n + more->n < (n == 1 ? 2 : CUL_LEARN_RUNS))
    more->want[more->n] = (struct cul_want){.attempt = (uint32_t)(n + more->n)},
    more->n++;
  if (votes[best] < n)
    cul_verdict_set(verdict, CUL_UNRESOLVED, (double)votes[best] / (double)n,
                    "%zu of %zu run%s %s '%s'", votes[best], n, cul_s(n),
                    votes[best] == 1 ? "says" : "say",
                    cul_answer_name((enum cul_answer)best));
}
