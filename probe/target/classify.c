/* Classification of the input: see cul_target_classify. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/files/file.h"
#include "../../pipeline/reproducer.h"
#include "target.h"

void cul_target_hurry(struct cul_target *target, bool on) {
  const struct cul_signature *sig = &target->original.verdict.sig;
  target->probe.deadline.provisional = on;
  target->probe.deadline.spinning = on && strcmp(sig->text, "spinning") == 0;
  target->oracle_conf.hang.provisional = on;
}

/* The input ends, but late: a candidate that takes a third of its time counts
 * as a timeout too. */
static void take_late_end(struct cul_target *target, uint64_t late_us) {
  uint64_t third_ms = late_us / 3000;
  if (target->oracle_conf.hang.limit_ms > third_ms)
    target->oracle_conf.hang.limit_ms = third_ms;
  memset(target->probe.deadline.slowest_us, 0,
         sizeof target->probe.deadline.slowest_us);
  free(target->found);
  target->found = cul_xasprintf(
      "it ended well, after %.1f s; to count as a hang, it must compute for "
      "more than %.1f s (--timeout SECONDS sets another limit)",
      (double)late_us / 1e6, (double)target->oracle_conf.hang.limit_ms / 1e3);
}

/* A timeout that is sought has a deadline of its own: fixed, and shorter
 * than that of an unknown first run. */
static void fix_deadline(struct cul_target *target) {
  uint64_t late_us;
  if (target->original.verdict.sig.kind != CUL_KIND_TIMEOUT)
    return;
  late_us = cul_late_us(&target->oracle_conf, &target->original.records[0]);
  if (late_us)
    take_late_end(target, late_us);
  target->probe.deadline.fixed = true;
  target->probe.request.wall_ms = target->oracle_conf.hang.limit_ms;
  target->probe.early.stay.n = 0;
  for (size_t i = 0; i < target->original.n; i++)
    cul_early_hangs_note(&target->probe.early, &target->original.records[i]);
  cul_target_hurry(target, target->oracle_conf.hang.limit_ms >
                                   CUL_SHORTEST_DEADLINE_MS &&
                               !cul_target_flaky(target, NULL));
}

/* If no run fails, may the input be run again with random addresses? */
static bool may_come_by_chance(const struct cul_target *target) {
  return !target->script.contract && !target->engine.argv &&
         !cul_target_whole(target) &&
         !(target->probe.request.flags & CUL_RUN_RANDOMIZE);
}

static int target_find_sense(struct cul_target *target, struct cul_err *err);

/* Use one worker if runs write a file of one name and read it back: at the same
 * time they would read each other's. */
static void keep_apart(struct cul_target *target) {
  const struct cul_sandbox *sandbox =
      cul_environment_sandbox(target->tool.environment);
  if (!sandbox || sandbox->shared.n == 0 || target->probe.workers == 1)
    return;
  target->probe.workers = 1;
  free(target->found);
  target->found = cul_xasprintf(
      "runs follow each other, because each writes %s and reads it again%s; "
      "a name below $TMPDIR or @{out} lets them run at the same time",
      sandbox->shared.items[0],
      sandbox->shared.n > 1 ? ", and other files" : "");
}

/* Learn the failure: trace the tool if it is unknown, make the runs that the
 * oracle wants, and compare with a run outside the sandbox. */
static int learn(struct cul_target *target, struct cul_err *err) {
  struct cul_placed placed = {0};
  bool left = false;
  int rc = cul_target_place(target, CUL_SLOT_ORIGINAL, &placed, err);
  if (rc == 0)
    rc = cul_placed_fill(&placed, cul_target_subject_given(&target->subject),
                         err);
  placed.art.cmd = &target->tool.command;
  target->probe.learning.outside_wanted = cul_target_wants_outside(target);
  if (rc == 0 && !target->tool.recalled && target->original.n == 0 &&
      !(target->probe.request.flags & CUL_RUN_WHERE))
    rc = cul_target_trace(target, &placed, err);
  if (rc == 0)
    rc = cul_target_know_roles(target, &placed, err);
  keep_apart(target);
  if (rc == 0)
    rc = cul_probe_judge(&target->probe, &placed.art, true, &target->original,
                         err);
  target->probe.learning.outside_wanted = false;
  if (rc == 0)
    rc = cul_target_compare_outside(target, &placed, &left, err);
  if (rc == 0 && left) {
    cul_judged_release(&target->original);
    rc = cul_probe_judge(&target->probe, &placed.art, true, &target->original,
                         err);
  }
  if (rc == 0 && target->script.contract &&
      target->oracle_conf.script.sense == CUL_SENSE_UNKNOWN)
    rc = target_find_sense(target, err);
  target->classified = rc == 0;
  if (rc == 0)
    fix_deadline(target);
  cul_placed_release(&placed);
  return rc;
}

/* Classify again, from the records of the runs made so far. */
static int target_learn_anew(struct cul_target *target, struct cul_err *err) {
  struct cul_placed placed = {0};
  int rc = cul_target_place(target, CUL_SLOT_ORIGINAL, &placed, err);
  if (rc == 0)
    rc = cul_placed_fill(&placed, cul_target_subject_given(&target->subject),
                         err);
  placed.art.cmd = &target->tool.command;
  if (rc == 0)
    rc = cul_probe_judge(&target->probe, &placed.art, true, &target->original,
                         err);
  cul_placed_release(&placed);
  return rc;
}

/* Is the failure a fault with nothing but a signal?  Any other fault would
 * match it. */
static bool is_mute(const struct cul_target *target) {
  const struct cul_signature *sig = &target->original.verdict.sig;
  return target->original.verdict.answer == CUL_SAME &&
         sig->kind == CUL_KIND_SIGNAL && sig->n_frames == 0 && !sig->text[0] &&
         strcmp(target->oracle->name, "crash") == 0 &&
         !cul_target_flaky(target, NULL);
}

static int learn_with(struct cul_target *target, uint32_t flags,
                      struct cul_err *err) {
  target->probe.request.flags = flags;
  cul_judged_release(&target->original);
  return learn(target, err);
}

/* No run failed, and addresses were the same in all. */
static bool shows_nothing(const struct cul_target *target) {
  return target->original.verdict.answer == CUL_PASSES &&
         may_come_by_chance(target);
}

/* The input fails in some runs with random addresses.  Find out whether more
 * runs with fixed addresses fail as well; if so (*fails), the addresses are not
 * the reason, and later runs have fixed ones. */
static int compare_fixed(struct cul_target *target, uint32_t flags, bool *fails,
                         struct cul_err *err) {
  struct cul_judged random = target->original;
  int rc;
  target->original = (struct cul_judged){0};
  rc = learn_with(target, flags, err);
  *fails = rc == 0 && target->original.verdict.answer != CUL_PASSES;
  if (rc < 0 || *fails) {
    cul_judged_release(&random);
    return rc;
  }
  cul_judged_release(&target->original);
  target->original = random;
  target->probe.request.flags = flags | CUL_RUN_RANDOMIZE;
  return target_learn_anew(target, err);
}

/* Try random addresses, as the kernel gives them to the user: a tool that reads
 * stray memory may fail only there.  If no run fails, later runs have fixed
 * addresses. */
static int learn_by_chance(struct cul_target *target, uint32_t flags,
                           struct cul_err *err) {
  bool fails = false;
  int rc = learn_with(target, flags | CUL_RUN_RANDOMIZE, err);
  if (rc < 0 || target->original.verdict.answer == CUL_PASSES) {
    target->probe.request.flags = flags;
    return rc;
  }
  if (cul_target_flaky(target, NULL))
    rc = compare_fixed(target, flags, &fails, err);
  if (rc == 0 && !fails) {
    free(target->found);
    target->found = cul_xasprintf("it fails only at some memory addresses, and "
                                  "each run gets random ones");
  }
  return rc;
}

/* Learn from the first runs, with fixed addresses.  If they pass, few are
 * enough, since runs with random addresses follow. */
static int learn_first(struct cul_target *target, struct cul_err *err) {
  int rc;
  target->oracle_conf.repeat.brief = may_come_by_chance(target);
  rc = learn(target, err);
  target->oracle_conf.repeat.brief = false;
  return rc;
}

static int classify(struct cul_target *target, struct cul_err *err) {
  uint32_t flags = target->probe.request.flags;
  int rc = learn_first(target, err);
  if (rc == 0 && shows_nothing(target)) {
    rc = learn_by_chance(target, flags, err);
    flags = target->probe.request.flags;
  }
  if (rc < 0 || !is_mute(target))
    return rc;
  rc = learn_with(target, flags | CUL_RUN_WHERE, err);
  if (rc == 0 && (target->original.verdict.answer != CUL_SAME ||
                  target->original.verdict.sig.n_frames == 0))
    rc = learn_with(target, flags, err);
  return rc;
}

int cul_target_classify(struct cul_target *target, struct cul_err *err) {
  int rc = classify(target, err);
  const struct cul_learnt learnt = {&target->original, &target->tool.command,
                                    target->probe.oracle,
                                    target->probe.oracle_self};
  return rc == 0 && !cul_target_flaky(target, NULL)
             ? cul_target_compare_in_place(target, &learnt, err)
             : rc;
}

/* May the first run be ended before its time limit?  Not if the oracle counts
 * or measures runs, nor if the user gave a shorter limit. */
static bool may_be_hasty(const struct cul_target *target) {
  return strcmp(target->oracle->name, "crash") == 0 &&
         target->oracle_conf.repeat.runs == 0 &&
         target->oracle_conf.timeout_ms > target->oracle_conf.hang.limit_ms;
}

int cul_target_classify_soon(struct cul_target *target, struct cul_err *err) {
  struct cul_request *request = &target->probe.request;
  struct cul_oracle_conf *conf = &target->oracle_conf;
  uint64_t whole_ms = request->wall_ms;
  int rc;
  if (!may_be_hasty(target))
    return cul_target_classify(target, err);
  conf->hang.hasty = true;
  request->wall_ms = conf->hang.limit_ms;
  rc = learn(target, err);
  if (rc < 0 || target->probe.deadline.fixed)
    return rc;
  conf->hang.hasty = false;
  request->wall_ms = whole_ms;
  if (target->original.n > 0 &&
      target->original.records[0].end == CUL_DEADLINE) {
    conf->hang.waited = target->original.records[0].pace == CUL_PACE_WAITING;
    cul_judged_release(&target->original);
  }
  return cul_target_classify(target, err);
}

int cul_target_classify_again(struct cul_target *target, struct cul_err *err) {
  cul_target_hurry(target, false);
  target->oracle_conf.hang.hasty = false;
  target->oracle_conf.hang.waited = false;
  target->probe.deadline.fixed = false;
  target->probe.request.wall_ms = target->oracle_conf.timeout_ms;
  cul_judged_release(&target->original);
  return cul_target_classify(target, err);
}

int cul_target_doubt(struct cul_target *target, struct cul_err *err) {
  cul_repeat_doubt(target->probe.oracle_self);
  target->oracle_conf.crash.layouts = 0;
  return learn(target, err);
}

/* ---- sense ---- */

/* The sense of a script: which exit status means "interesting"?
 *
 * Reducers disagree: for mlir-reduce it is any status other than 0, for most
 * others 0.  An empty subject, which every tool accepts, does not show the
 * failure, so the script's status on it means "not interesting". */

enum says { ZERO, NONZERO, MIXED, UNCLEAR };

static enum says record_says(const struct cul_record *record) {
  if (record->end != CUL_EXITED ||
      (record->status >= 125 && record->status <= 127))
    return UNCLEAR;
  return record->status ? NONZERO : ZERO;
}

/* The common answer of all runs; UNCLEAR if one of them is unclear, MIXED if
 * they disagree. */
static enum says judged_says(const struct cul_judged *judged) {
  enum says first = record_says(&judged->records[0]), all = first;
  for (size_t i = 1; i < judged->n; i++) {
    enum says says = record_says(&judged->records[i]);
    if (says == UNCLEAR)
      return UNCLEAR;
    if (says != first)
      all = MIXED;
  }
  return first == UNCLEAR ? UNCLEAR : all;
}

/* The first status other than 0. */
static int other_status(const struct cul_judged *judged) {
  for (size_t i = 0; i < judged->n; i++)
    if (judged->records[i].status)
      return judged->records[i].status;
  return 0;
}

struct cul_bytes cul_target_empty_subject(const struct cul_target *target) {
  const char *dot = strrchr(target->conf->input, '.');
  const char *text =
      dot && strncmp(dot, ".mlir", 5) == 0 ? "module {\n}\n" : "\n";
  return (struct cul_bytes){text, strlen(text)};
}

int cul_target_fail_blind(struct cul_err *err) {
  return cul_fail(err, CUL_EUSAGE,
                  "it must exit with 0 only if the failure shows, and with 1 "
                  "otherwise; try it by hand on an empty file",
                  "the script finds an empty file interesting, too: it does "
                  "not test for the failure");
}

/* Set the sense and judge the records again, with more runs if they disagree.
 */
static int sense_learn_with(struct cul_target *target, enum cul_sense sense,
                            struct cul_err *err) {
  target->oracle_conf.script.sense = sense;
  return target_learn_anew(target, err);
}

/* Use the sense of mlir-reduce: statuses other than 0 are interesting. */
static int turn_round(struct cul_target *target, struct cul_err *err) {
  target->found = cul_xasprintf(
      "the script exits %d on the input and 0 on an empty one, so other than "
      "0 is taken for interesting, as by mlir-reduce",
      other_status(&target->original));
  return sense_learn_with(target, CUL_SENSE_NONZERO, err);
}

/* Learn from a run that was traced although its tool is known (cul_samples). */
static int take_sample(void *self, enum cul_run_role role,
                       const struct cul_record *record, struct cul_err *err) {
  struct cul_target *target = self;
  const bool own = role == CUL_ROLE_SUSPECT;
  const struct cul_command *command =
      own ? &target->tool.command : target->probe.roles[role].cmd;
  struct cul_identity *identity =
      own ? &target->tool.identity : &target->roles.of[role].identity;
  const size_t had = identity->beyond.len;
  struct cul_identity more = {0};
  int rc = cul_identity_widen(target->cache, command, identity, record,
                              target->dir, err);
  if (rc == 0 && identity->beyond.len > had) {
    cul_buf_adds(&more.beyond, cul_buf_str(&identity->beyond) + had);
    cul_stamps_add(&target->stamps, command, &more);
    cul_identity_release(&more);
  }
  return rc;
}

/* Trace some runs from here on, if the job wants it: the input's runs are
 * over.  Not runs on other machines, by culprit's own engine, or that are
 * measured, nor where none can be traced. */
static void begin_samples(struct cul_target *target) {
  struct cul_samples *samples = &target->probe.traced.samples;
  const struct cul_identity *identity = &target->tool.identity;
  if (!samples->wanted || samples->told)
    return;
  samples->self = target;
  samples->told = take_sample;
  samples->on = !target->tool.hosts && !target->engine.argv &&
                !target->conf->elsewhere && !cul_target_whole(target) &&
                identity->calls.len && !cul_digest_is_zero(&identity->first);
}

/* A step of cul_target_classify: a script of unknown sense has run on the
 * original, judged as CUL_SENSE_ZERO; run it on an empty subject too, set the
 * sense and classify again.  Errors: EUSAGE where the empty subject is as
 * interesting as the original; EENV where the script cannot run on it. */
static int target_find_sense(struct cul_target *target, struct cul_err *err) {
  struct cul_judged *original = &target->original;
  enum says says = judged_says(original), of_empty;
  bool blind;
  struct cul_judged empty = {0};
  int rc;
  if (says == UNCLEAR)
    return 0; /* the verdict says why */
  cul_target_seal(target);
  begin_samples(target);
  rc = cul_target_judge(target, cul_target_empty_subject(target), false, &empty,
                        err);
  of_empty = rc == 0 ? judged_says(&empty) : UNCLEAR;
  blind = empty.verdict.answer == CUL_SAME;
  cul_judged_release(&empty);
  if (rc < 0)
    return cul_fail_in(err, "on an empty subject");
  target->oracle_conf.script.sense = CUL_SENSE_ZERO;
  if (says == ZERO && blind && !target->conf->even_if_empty)
    return cul_target_fail_blind(err);
  if (says != ZERO && of_empty == ZERO)
    return turn_round(target, err);
  if (says != ZERO)
    rc = sense_learn_with(target, CUL_SENSE_ZERO, err);
  if (rc == 0 && says == NONZERO && of_empty == NONZERO &&
      original->verdict.answer == CUL_PASSES)
    snprintf(original->verdict.why, sizeof original->verdict.why,
             "the script answers the same (exit status %d) for an empty file",
             original->records[0].status);
  return rc;
}

/* ---- cause ---- */

/* Does the failure depend on the input? See cul_target_demand_cause. */

/* ---- the subjects ---- */

static bool holds(const struct cul_target *target, const char *text) {
  return memmem(target->subject.text.bytes.data, target->subject.text.bytes.len,
                text, strlen(text));
}

/* Is the input a module of MLIR?  A Python program that contains one is not. */
static bool is_mlir(const struct cul_target *target) {
  const char *dot = strrchr(cul_basename(target->conf->input), '.');
  if (target->engine.argv || (dot && strncmp(dot, ".mlir", 5) == 0))
    return true;
  return (!dot || strcmp(dot, ".py") != 0) &&
         (holds(target, "\"builtin.module\"(") || holds(target, "\nmodule {") ||
          holds(target, "\nmodule @") || holds(target, "module attributes {"));
}

void cul_target_add_section(const struct cul_target *target,
                            struct cul_buf *text) {
  struct cul_reproducer repro;
  if (!cul_reproducer_find(target->subject.text.bytes, &repro))
    return;
  cul_buf_addc(text, '\n');
  cul_buf_add(text, repro.section.data, repro.section.len);
  cul_buf_addc(text, '\n');
}

/* ---- what is wrong with the command ---- */

static bool is_path_char(char c) {
  return isalnum((unsigned char)c) || (c && strchr("_./+-", c));
}

/* Is the path in the text by itself, not as a part of a longer one? */
static bool names(const char *text, const char *path) {
  size_t len = strlen(path);
  for (const char *at = strstr(text, path); at; at = strstr(at + 1, path))
    if ((at == text || !is_path_char(at[-1])) && !is_path_char(at[len]))
      return true;
  return false;
}

static bool names_input(const struct cul_target *target, const char *word) {
  char *real = realpath(word, NULL);
  bool same = real && strcmp(real, target->subject.path) == 0;
  free(real);
  return same || names(word, target->conf->input) ||
         names(word, target->subject.path);
}

/* The placeholder of another tool for the file; NULL: the word is none. */
static const char *other_mark(const char *word) {
  static const char *const marks[] = {"{}", "%s", "%",     "%f",
                                      "@",  "$1", "{file}"};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(marks); i++)
    if (strcmp(word, marks[i]) == 0)
      return marks[i];
  return NULL;
}

/* Describe a mistake in the words of the command; false: none is seen. */
static bool find_wrong_word(const struct cul_target *target, char *out,
                            size_t n) {
  const char *const *argv = target->conf->argv;
  for (; !target->engine.argv && argv && *argv; argv++) {
    const char *mark = other_mark(*argv);
    if (names_input(target, *argv)) {
      snprintf(out, n,
               "the command names the file itself; write @@ in its place: "
               "\"%.120s\"",
               *argv);
      return true;
    }
    if (mark && target->tool.command.delivery != CUL_BY_PLACEHOLDER) {
      snprintf(out, n, "write @@ for the file's name, not %s", mark);
      return true;
    }
  }
  return false;
}

/* Describe a mistake in the command, as seen here or as the tool reports it. */
static bool find_wrong(const struct cul_target *target, char *out, size_t n) {
  char line[200] = "";
  if (find_wrong_word(target, out, n))
    return true;
  for (size_t i = 0; i < target->original.n && !line[0]; i++)
    (void)cul_rejection_read(target->rules, &target->original.records[i], line,
                             sizeof line);
  if (line[0])
    snprintf(out, n, "the tool refuses its command line: \"%s\"", line);
  return line[0];
}

static void advise(const struct cul_target *target, char *out, size_t n) {
  if (find_wrong(target, out, n))
    return;
  if (target->tool.command.delivery == CUL_BY_STDIN)
    snprintf(out, n,
             "put @@ in place of the file's name (without it the file "
             "goes to standard input); --even-if-empty continues anyway");
  else
    snprintf(out, n,
             "run the command by hand on an empty file; --match gives the text "
             "to look for, --even-if-empty continues anyway");
}

int cul_target_fail_idle(const struct cul_target *target, const char *subject,
                         struct cul_err *err) {
  char advice[sizeof err->advice];
  if (target->original.verdict.sig.kind == CUL_KIND_TIMEOUT &&
      !find_wrong(target, advice, sizeof advice))
    return cul_fail(err, CUL_ENOFAIL,
                    "give it more time: --timeout SECONDS; --even-if-empty "
                    "continues anyway",
                    "%s also reaches the deadline of %g s: the command needs "
                    "more time, or the failure is in the command",
                    subject, (double)target->oracle_conf.hang.limit_ms / 1e3);
  advise(target, advice, sizeof advice);
  return cul_fail(
      err, CUL_ENOFAIL, advice,
      "%s fails in the same way: the failure is in the command, not in %s",
      subject, target->conf->input);
}

/* ---- asking ---- */

static bool is_guess(const struct cul_target *target) {
  return target->original.verdict.sig.words &&
         strcmp(target->oracle->name, "crash") == 0;
}

bool cul_target_guesses(const struct cul_target *target) {
  return target->original.verdict.answer == CUL_SAME && is_guess(target);
}

static void contrast(struct cul_target *target,
                     const struct cul_judged *judged) {
  for (size_t i = 0; i < judged->n; i++)
    if (judged->records[i].role == CUL_ROLE_SUSPECT)
      cul_repeat_contrast(target->probe.oracle_self, &judged->records[i]);
}

/* The failure is told by words, and these runs print the same words.  Do the
 * input's runs print more?  If so, learn the failure by the rest (*more). */
static int says_more(struct cul_target *target, const struct cul_judged *judged,
                     bool *more, struct cul_err *err) {
  struct cul_verdict before = target->original.verdict;
  int rc;
  *more = false;
  if (!is_guess(target))
    return 0;
  contrast(target, judged);
  rc = target_learn_anew(target, err);
  *more = rc == 0 && is_guess(target) &&
          target->original.verdict.sig.weight >= before.sig.weight;
  if (!*more)
    target->original.verdict = before;
  return rc;
}

/* Judge with whole deadlines: a timeout under a shortened one is no proof. */
static int judge_calmly(struct cul_target *target, struct cul_bytes text,
                        struct cul_judged *out, struct cul_err *err) {
  bool hurried = target->probe.deadline.provisional;
  int rc;
  if (hurried)
    cul_target_hurry(target, false);
  rc = cul_target_judge(target, text, false, out, err);
  if (hurried)
    cul_target_hurry(target, true);
  return rc;
}

/* Is it acceptable that the failure does not depend on the input? */
static bool may_be_idle(const struct cul_target *target) {
  char wrong[256];
  return target->conf->even_if_empty ||
         (target->conf->with_command &&
          !find_wrong(target, wrong, sizeof wrong));
}

/* Check that this subject does not show the failure.  *clear: it passes.
 * Errors: ENOFAIL: it fails in the same way. */
static int ask(struct cul_target *target, struct cul_bytes text,
               const char *subject, bool *clear, struct cul_err *err) {
  struct cul_judged judged = {0};
  bool more = false;
  int rc = judge_calmly(target, text, &judged, err);
  enum cul_answer answer = judged.verdict.answer;
  *clear = rc == 0 && answer == CUL_PASSES;
  if (rc == 0 && answer == CUL_SAME && !may_be_idle(target)) {
    rc = says_more(target, &judged, &more, err);
    if (rc == 0 && !more)
      rc = cul_target_fail_idle(target, subject, err);
  } else if (rc == 0 && (answer == CUL_PASSES || answer == CUL_OTHER) &&
             is_guess(target)) {
    contrast(target, &judged);
    rc = target_learn_anew(target, err);
  }
  cul_judged_release(&judged);
  return rc;
}

/* Can an empty file tell whether the failure depends on the input?  Not for the
 * engine, for numbers, nor for measurements over many runs. */
static bool takes_empty(const struct cul_target *target) {
  return !target->engine.argv && !target->oracle_conf.mismatch.wanted &&
         !cul_target_whole(target);
}

int cul_target_demand_cause(struct cul_target *target, struct cul_err *err) {
  bool mlir = is_mlir(target), clear = false;
  struct cul_buf least = {0};
  struct cul_err same = {0};
  int rc;
  cul_target_seal(target);
  begin_samples(target);
  /* A script has already run on an empty subject, and --want applies to the
   * input alone. */
  if (target->script.contract || target->conf->ref.want ||
      (target->conf->even_if_empty && !cul_target_guesses(target)))
    return 0;
  cul_buf_adds(&least, mlir ? "module {\n}\n" : "\n");
  if (mlir)
    cul_target_add_section(target, &least);
  rc = ask(target, cul_buf_bytes(&least),
           mlir ? "even a module without operations" : "an empty line", &clear,
           &same);
  cul_buf_release(&least);
  if (rc == 0 || rc == CUL_ENOFAIL) {
    int rc_empty = 0;
    if (!clear && takes_empty(target))
      rc_empty =
          ask(target, (struct cul_bytes){"", 0}, "an empty file", &clear, err);
    if (rc_empty < 0)
      return rc_empty;
  }
  *err = same;
  return rc ? rc : cul_target_demand_failure(target, err);
}
