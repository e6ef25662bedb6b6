/* The crash oracle: learns the signature of the original's failure; a candidate
 * shows the same failure if its signature is the same.  Handles every failure
 * that a record shows: signals, assertions, diagnostics, exceptions, timeouts,
 * bare exit codes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/settle.h"
#include "rules/rules.h"

enum {
  MAX_PLACES = 8, /* places in which one failure may occur */
  MAX_STATUSES =
      3, /* statuses of one message; if there are more, any status counts */
};

struct crash {
  const struct cul_oracle_conf *conf;
  const struct cul_rules *rules;
  uint64_t timeout_ms;
  bool learnt;
  uint64_t late_us; /* processor time of the original if it ended well after a
                       long time */
  bool wordless;    /* its message differs from run to run */
  bool paceless;    /* it computes in one run and waits in another */
  /* output of runs without this failure; or NULL */
  struct cul_prints *contrast;
  int statuses[MAX_STATUSES]; /* statuses with the same message; empty if */
  size_t n_statuses; /* there is only one; larger than the array if too many */
  struct cul_signature sig;                    /* signature of the original */
  struct cul_signature others[MAX_PLACES - 1]; /* signatures at other places */
  size_t n_others;
};

static bool crash_wanted(const struct cul_oracle_conf *conf) {
  (void)conf;
  return true;
}

static int crash_open(const struct cul_oracle_conf *conf, void **self,
                      struct cul_err *err) {
  struct crash *crash = cul_xcalloc(1, sizeof *crash);
  (void)err;
  crash->conf = conf;
  crash->rules = conf->rules;
  crash->timeout_ms = conf->timeout_ms;
  *self = crash;
  return 0;
}

static void crash_close(void *self) {
  struct crash *crash = self;
  cul_prints_free(crash->contrast);
  free(crash);
}

static void crash_contrast(void *self, const struct cul_record *record) {
  struct crash *crash = self;
  if (!crash->contrast)
    crash->contrast = cul_prints_new();
  cul_prints_add(crash->rules, crash->contrast, record);
  crash->wordless = false;
}

/* After a hasty first run, further runs may take as long as a normal first
 * run. */
static double factor_of(const struct crash *crash, bool confirm) {
  const struct cul_oracle_conf *conf = crash->conf;
  if (confirm)
    return 2;
  return conf->hang.hasty
             ? (double)conf->timeout_ms / (double)conf->hang.limit_ms
             : 0;
}

static void want(const struct crash *crash, struct cul_wants *more,
                 size_t first, size_t n, bool confirm) {
  for (more->n = 0; more->n < n; more->n++)
    more->want[more->n] = (struct cul_want){
        .attempt = (uint32_t)(first + more->n),
        .flags = confirm ? CUL_RUN_ALONE : 0,
        .wall_factor = factor_of(crash, confirm),
    };
}

/* Does a message explain the exit? */
static bool tells(const struct cul_signature *sig) {
  return !sig->signal && sig->kind != CUL_KIND_SIGNAL && sig->text[0];
}

/* Is status one that the original ends with by chance? */
static bool is_by_chance(const struct crash *crash, int status) {
  for (size_t i = 0; i < crash->n_statuses && i < MAX_STATUSES; i++)
    if (crash->statuses[i] == status)
      return true;
  return crash->n_statuses > MAX_STATUSES;
}

static void set_status(const struct crash *crash, int status,
                       struct cul_signature *sig) {
  sig->status = status;
  cul_signature_seal(crash->rules, sig);
}

/* Functions of the candidate, a script, that only called the failing code are
 * no part of the failure: edits replace such a call by what it calls. */
static void pass_own_callers(const char *candidate, struct cul_signature *sig) {
  bool inside = false;
  for (size_t i = 0; i < sig->n_frames; i++) {
    struct cul_frame *frame = &sig->frames[i];
    if (frame->role == CUL_FRAME_RELEVANT && inside &&
        !strcmp(frame->module, candidate))
      frame->role = CUL_FRAME_OUTER;
    inside = inside || frame->role == CUL_FRAME_RELEVANT;
  }
}

/* Read the signature as cul_signature_read does, but without a line number in
 * the candidate's own text, or a caller there, which its edits change. */
static void read_signature(const struct crash *crash,
                           const struct cul_record *record,
                           struct cul_signature *sig) {
  struct cul_record mixed = *record;
  mixed.pace = CUL_PACE_MIXED;
  cul_signature_read_beside(crash->rules, crash->paceless ? &mixed : record,
                            crash->contrast, sig);
  if (crash->conf->crash.candidate &&
      !strcmp(sig->file, crash->conf->crash.candidate))
    sig->line = 0;
  if (crash->wordless && sig->words)
    sig->text[0] = '\0';
  if (tells(sig) && is_by_chance(crash, sig->status))
    set_status(crash, crash->statuses[0], sig);
  if (crash->conf->crash.candidate)
    pass_own_callers(crash->conf->crash.candidate, sig);
}

/* The time that a successful run took: the smaller of processor time and wall
 * time; 0: the run failed. */
static uint64_t end_us(const struct cul_record *record) {
  bool well = record->end == CUL_EXITED && record->status == 0;
  uint64_t cpu = record->cpu_us, wall = record->wall_us;
  return !well ? 0 : cpu < wall ? cpu : wall;
}

uint64_t cul_late_us(const struct cul_oracle_conf *conf,
                     const struct cul_record *first) {
  uint64_t end = end_us(first);
  return conf->timeout_ms > conf->hang.limit_ms && conf->hang.limit_ms > 0 &&
                 end >= conf->hang.limit_ms * 1000
             ? end
             : 0;
}

/* Read the signature of a run of the original; a successful run that took too
 * long counts as a timeout. */
static void read_original(const struct crash *crash,
                          const struct cul_record *record,
                          struct cul_signature *sig) {
  struct cul_record late = *record;
  read_signature(crash, record, sig);
  if (sig->kind != CUL_KIND_NONE || !cul_late_us(crash->conf, record))
    return;
  late.end = CUL_DEADLINE;
  late.pace = CUL_PACE_SPINNING;
  read_signature(crash, &late, sig);
}

/* The signature that most others agree with; *count: how many agree. A failure
 * takes precedence: "no failure" is the result only if no run fails. */
static size_t majority(const struct cul_signature *sigs, size_t n,
                       size_t *count) {
  size_t best = 0;
  *count = 0;
  for (size_t i = 0; i < n; i++) {
    size_t same = 0;
    for (size_t j = 0; j < n; j++)
      same += cul_signature_same(&sigs[i], &sigs[j], NULL, 0);
    if (sigs[best].kind == CUL_KIND_NONE
            ? *count == 0 || sigs[i].kind != CUL_KIND_NONE
            : sigs[i].kind != CUL_KIND_NONE && same > *count) {
      best = i;
      *count = same;
    }
  }
  return best;
}

/* A shell's status for "no such program" and "not executable". */
static bool is_shell_refusal(const struct cul_record *record,
                             const struct cul_signature *sig) {
  return record->end == CUL_EXITED && sig->kind == CUL_KIND_EXIT &&
         (record->status == 126 || record->status == 127);
}

/* The runs agree: store the failure of the original. */
static void settle_original(struct crash *crash, const struct cul_record *last,
                            struct cul_verdict *verdict) {
  crash->sig = verdict->sig;
  crash->learnt = true;
  if (verdict->sig.kind == CUL_KIND_TIMEOUT)
    crash->late_us = end_us(last);
  if (last->end == CUL_LIMIT)
    (void)cul_settle_run(last, verdict);
  else if (verdict->sig.kind == CUL_KIND_NONE)
    cul_verdict_set(verdict, CUL_PASSES, 1, "ends without a failure");
  else if (is_shell_refusal(last, &verdict->sig))
    cul_verdict_set(verdict, CUL_BROKEN, 1, "exit status %d: %.*s",
                    last->status, (int)strcspn(cul_buf_str(&last->err), "\n"),
                    cul_buf_str(&last->err));
  else
    cul_verdict_set(verdict, CUL_SAME, 1, "%.180s", verdict->sig.title);
}

/* The first run met the deadline. Did the second, with twice the time, end so
 * late that the tool is slow rather than flaky? */
static bool is_slow(const struct crash *crash, const struct cul_record *records,
                    size_t n) {
  return n > 1 && records[0].end == CUL_DEADLINE &&
         records[1].end != CUL_DEADLINE &&
         records[1].wall_us > crash->timeout_ms * 1000 / 2;
}

static void settle_slow(struct cul_verdict *verdict,
                        const struct crash *crash) {
  cul_verdict_set(verdict, CUL_UNRESOLVED, 0.5,
                  "met the deadline of %.1f s but ends within twice that: "
                  "give it more time",
                  (double)crash->timeout_ms / 1000);
}

/* Does the first run alone prove a hang? It has more time than any other run:
 * if it computed until its deadline, or until it ended late, it confirms
 * itself. A process may wait by chance, but not both in this run and in the
 * hasty run before. */
static bool is_long_hang(const struct crash *crash,
                         const struct cul_record *first,
                         const struct cul_signature *sig) {
  if (first->end != CUL_DEADLINE)
    return sig->kind == CUL_KIND_TIMEOUT;
  if (first->pace == CUL_PACE_WAITING && crash->conf->hang.waited)
    return true;
  return first->pace == CUL_PACE_SPINNING && crash->conf->hang.limit_ms > 0 &&
         (crash->conf->hang.hasty ||
          crash->timeout_ms >= 2 * crash->conf->hang.limit_ms);
}

/* If the runs agree except for the exit status, the status is chance. */
static size_t majority_of_ends(struct crash *crash, struct cul_signature *sigs,
                               size_t n, size_t *count) {
  size_t best = majority(sigs, n, count);
  int first = sigs[best].status;
  if (*count == n || !tells(&sigs[best]))
    return best;
  crash->statuses[0] = first;
  crash->n_statuses = 1;
  for (size_t i = 0; i < n; i++) {
    int status = sigs[i].status;
    if (!tells(&sigs[i]))
      continue;
    set_status(crash, first, &sigs[i]);
    if (!cul_signature_same(&sigs[best], &sigs[i], NULL, 0))
      set_status(crash, status, &sigs[i]);
    else if (!is_by_chance(crash, status) && crash->n_statuses++ < MAX_STATUSES)
      crash->statuses[crash->n_statuses - 1] = status;
  }
  return majority(sigs, n, count);
}

/* If all runs meet the deadline, they agree: whether they computed or waited is
 * chance. */
static size_t majority_of_hangs(struct crash *crash,
                                const struct cul_record *records,
                                struct cul_signature *sigs, size_t n,
                                size_t *count) {
  size_t best = majority_of_ends(crash, sigs, n, count);
  bool hang = *count < n;
  for (size_t i = 0; i < n; i++)
    hang = hang && records[i].end == CUL_DEADLINE;
  if (!hang)
    return best;
  crash->paceless = true;
  for (size_t i = 0; i < n; i++)
    read_original(crash, &records[i], &sigs[i]);
  return majority(sigs, n, count);
}

/* A message may contain random parts that no rule removes: if the runs agree
 * without these words, the words are ignored. */
static size_t majority_of_words(struct crash *crash,
                                const struct cul_record *records,
                                struct cul_signature *sigs, size_t n,
                                size_t *count) {
  size_t best = majority_of_hangs(crash, records, sigs, n, count);
  if (*count == n || !sigs[best].words)
    return best;
  crash->wordless = true;
  for (size_t i = 0; i < n; i++)
    read_original(crash, &records[i], &sigs[i]);
  return majority(sigs, n, count);
}

static int crash_learn(void *self, const struct cul_record *records, size_t n,
                       struct cul_wants *more, struct cul_verdict *verdict,
                       struct cul_err *err) {
  struct crash *crash = self;
  struct cul_signature *sigs;
  bool late = records[0].end == CUL_DEADLINE;
  size_t best, count;
  (void)err;
  more->n = 0;
  for (size_t i = 0; i < n; i++)
    if (records[i].end == CUL_NOT_STARTED || records[i].end == CUL_MACHINE)
      return (void)cul_settle_run(&records[i], verdict), 0;
  sigs = cul_xcalloc(n, sizeof *sigs);
  crash->n_statuses = 0;
  for (size_t i = 0; i < n; i++)
    read_original(crash, &records[i], &sigs[i]);
  best = majority_of_words(crash, records, sigs, n, &count);
  verdict->sig = sigs[best];
  if (n == 1 && late && crash->conf->hang.hasty &&
      !is_long_hang(crash, &records[0], &sigs[0])) {
    cul_verdict_set(verdict, CUL_UNRESOLVED, 0.5, "does not compute on");
  } else if (n == 1 && !is_long_hang(crash, &records[0], &sigs[0])) {
    want(crash, more, 1, 1, late);
    cul_verdict_set(verdict, CUL_UNRESOLVED, 0.5, "run once so far");
  } else if (crash->n_statuses > 1 && n < CUL_LEARN_RUNS) {
    want(crash, more, n, CUL_LEARN_RUNS - n, false);
    cul_verdict_set(verdict, CUL_UNRESOLVED, 0.5,
                    "prints the same with %zu different exit statuses",
                    crash->n_statuses);
  } else if (count == n) {
    settle_original(crash, &records[n - 1], verdict);
  } else if (is_slow(crash, records, n)) {
    settle_slow(verdict, crash);
  } else {
    if (n < CUL_LEARN_RUNS)
      want(crash, more, n, CUL_LEARN_RUNS - n, false);
    crash->sig = sigs[best];
    crash->learnt = true;
    cul_verdict_set(verdict, CUL_UNRESOLVED, (double)count / (double)n,
                    "%zu of %zu run%s %s on: %.120s", count, n, cul_s(n),
                    count == 1 ? "agrees" : "agree", sigs[best].title);
  }
  free(sigs);
  return 0;
}

/* Judge a run if the failure is a timeout: a hit is repeated once, alone, with
 * twice the time. Computing and waiting are different failures; a deadline met
 * because of load is neither. */
static void judge_timeout(const struct crash *crash,
                          const struct cul_record *records, size_t n,
                          struct cul_wants *more, struct cul_verdict *verdict) {
  char why[160];
  if (records[n - 1].pace == CUL_PACE_UNKNOWN && crash->sig.text[0]) {
    cul_verdict_set(verdict, CUL_UNRESOLVED, 1, "deadline, on a busy machine");
    return;
  }
  cul_signature_read(crash->rules, &records[n - 1], &verdict->sig);
  if (!cul_signature_same(&crash->sig, &verdict->sig, why, sizeof why)) {
    cul_verdict_set(verdict, CUL_OTHER, 1, "%s", why);
  } else if (crash->conf->hang.provisional) {
    cul_verdict_set(verdict, CUL_SAME, 0.5, "deadline, not confirmed");
  } else if (n == 1) {
    want(crash, more, 1, 1, true);
    cul_verdict_set(verdict, CUL_UNRESOLVED, 0.5, "deadline, not confirmed");
  } else {
    cul_verdict_set(verdict, CUL_SAME, 1,
                    "deadline, and again with twice the time");
  }
}

/* Does the stack have no relevant frame? Memory was destroyed, and the place
 * where it shows is chance: only the signal identifies the failure. */
static bool is_wild(const struct cul_signature *sig) {
  return sig->kind == CUL_KIND_SIGNAL && sig->n_frames > 0 && !sig->text[0] &&
         !cul_signature_tells_place(sig);
}

static bool shows_elsewhere(const struct crash *crash,
                            const struct cul_signature *sig) {
  for (size_t i = 0; i < crash->n_others; i++)
    if (cul_signature_same(&crash->others[i], sig, NULL, 0))
      return true;
  return false;
}

static void crash_take(void *self, const struct cul_signature *sig) {
  struct crash *crash = self;
  if (crash->n_others < CUL_ARRAY_SIZE(crash->others))
    crash->others[crash->n_others++] = *sig;
}

/* Is it the same message at another line of a file that never changes? */
static bool is_elsewhere(const struct crash *crash,
                         const struct cul_signature *sig, char *why, size_t n) {
  const char *sought = crash->sig.spot;
  size_t len = strcspn(sought, ":");
  if (!sought[0] || !sig->spot[0] || strcmp(sought, sig->spot) == 0)
    return false;
  for (const char *const *file = crash->conf->crash.fixed; file && *file;
       file++)
    if (strlen(*file) == len && !memcmp(*file, sought, len) &&
        !memcmp(sought, sig->spot, len + 1)) {
      snprintf(why, n, "line: '%.60s', not '%.60s'", sig->spot, sought);
      return true;
    }
  return false;
}

static bool is_same(const struct crash *crash, const struct cul_signature *sig,
                    char *why, size_t n) {
  if (shows_elsewhere(crash, sig))
    return true;
  if (is_wild(&crash->sig) && sig->kind == CUL_KIND_SIGNAL &&
      sig->status == crash->sig.status)
    return true;
  if (is_elsewhere(crash, sig, why, n))
    return false;
  if (crash->conf->crash.across)
    return cul_signature_same_across(&crash->sig, sig, why, n);
  return cul_signature_same(&crash->sig, sig, why, n);
}

/* Judge one run. */
static void judge_run(const struct crash *crash,
                      const struct cul_record *record,
                      struct cul_verdict *verdict) {
  char why[160];
  if (cul_settle_run(record, verdict))
    return;
  read_signature(crash, record, &verdict->sig);
  /* Two thirds of the original's time: a deadline is a third of it, and a
   * timeout is confirmed with twice the deadline. */
  if (crash->late_us && end_us(record) >= crash->late_us / 3 * 2)
    cul_verdict_set(verdict, CUL_SAME, 1,
                    "succeeds, but is as slow as the original");
  else if (verdict->sig.kind == CUL_KIND_NONE)
    cul_verdict_set(verdict, CUL_PASSES, 1, "ends without a failure");
  else if (is_same(crash, &verdict->sig, why, sizeof why))
    cul_verdict_set(verdict, CUL_SAME, 1, "the same failure");
  else
    cul_verdict_set(verdict, CUL_OTHER, 1, "%s", why);
}

/* Judge further runs, one in each heap layout, until one shows the failure; if
 * none does, the plain run counts. */
static void judge_layouts(const struct crash *crash,
                          const struct cul_record *records, size_t n,
                          struct cul_wants *more, struct cul_verdict *verdict) {
  struct cul_verdict other = {0};
  uint32_t left = crash->conf->crash.layouts;
  if (verdict->answer != CUL_PASSES && verdict->answer != CUL_OTHER)
    return;
  if (n > 1)
    judge_run(crash, &records[n - 1], &other);
  if (n > 1 && other.answer == CUL_SAME) {
    *verdict = other;
    cul_verdict_set(verdict, CUL_SAME, 1, "the same failure, in a fixed heap");
    return;
  }
  for (size_t i = 1; i < n; i++)
    left &= left - 1;
  if (!left)
    return;
  want(crash, more, 0, 1, false);
  more->want[0].flags = left & ~(left - 1);
  cul_verdict_set(verdict, CUL_UNRESOLVED, 0.5, "not in a plain run");
}

static int crash_judge(const void *self, const struct cul_record *records,
                       size_t n, struct cul_wants *more,
                       struct cul_verdict *verdict, struct cul_err *err) {
  const struct crash *crash = self;
  bool heaps = crash->conf->crash.layouts != 0;
  more->n = 0;
  if (!crash->learnt)
    return cul_fail(err, CUL_EINTERNAL, "",
                    "crash oracle: asked to judge before it has learnt");
  if (records[n - 1].end == CUL_DEADLINE &&
      crash->sig.kind == CUL_KIND_TIMEOUT) {
    judge_timeout(crash, records, n, more, verdict);
    return 0;
  }
  judge_run(crash, &records[heaps ? 0 : n - 1], verdict);
  if (heaps)
    judge_layouts(crash, records, n, more, verdict);
  return 0;
}

static void describe_sought(const struct cul_signature *sig,
                            struct cul_buf *out) {
  const struct cul_error_line *lead = cul_signature_lead(sig);
  cul_buf_addf(out, "the same failure: %s", sig->title);
  if (lead)
    cul_buf_addf(out, ", after: %s", lead->text);
}

static void crash_describe(const void *self, struct cul_buf *out) {
  const struct crash *crash = self;
  if (crash->learnt)
    describe_sought(&crash->sig, out);
  else
    cul_buf_adds(out, "the failure that the first run shows");
}

const struct cul_oracle cul_oracle_crash = {
    .abi = CUL_ORACLE_ABI,
    .name = "crash",
    .summary = "the same crash, assertion, error, exception or timeout",
    .wanted = crash_wanted,
    .open = crash_open,
    .learn = crash_learn,
    .judge = crash_judge,
    .describe = crash_describe,
    .take = crash_take,
    .contrast = crash_contrast,
    .close = crash_close,
};
