/* Does the failure depend on the input?  See cul_target_demand_cause. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/file.h"
#include "../../pipeline/reproducer.h"
#include "target.h"

/* ---- the subjects ---- */

static bool holds(const struct cul_target *target, const char *text) {
  return memmem(target->subject.text.data, target->subject.text.len, text,
                strlen(text));
}

/* Python that builds a module is none. */
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
  if (!cul_reproducer_find(cul_buf_bytes(&target->subject.text), &repro))
    return;
  cul_buf_addc(text, '\n');
  cul_buf_add(text, repro.section.data, repro.section.len);
  cul_buf_addc(text, '\n');
}

/* ---- what is wrong with the command ---- */

static bool is_path_char(char c) {
  return isalnum((unsigned char)c) || (c && strchr("_./+-", c));
}

/* Does path stand in text by itself, not as a part of another one? */
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

/* What other tools call the file. */
static const char *other_mark(const char *word) {
  static const char *const marks[] = {"{}", "%s", "%", "%f", "{file}", "$1"};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(marks); i++)
    if (strcmp(word, marks[i]) == 0)
      return marks[i];
  return NULL;
}

/* What is wrong with the words of the command; false: nothing that is seen. */
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
      snprintf(out, n, "write @@ where the file's name should stand, not %s",
               mark);
      return true;
    }
  }
  return false;
}

/* The same, or what the tool says of it. */
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
             "put @@ where the file's name should stand (without it the file "
             "goes to standard input); --even-if-empty goes on all the same");
  else
    snprintf(out, n,
             "run the command by hand on an empty file; --match says what to "
             "look for, --even-if-empty goes on all the same");
}

int cul_target_fail_idle(const struct cul_target *target, const char *subject,
                         struct cul_err *err) {
  char advice[sizeof err->advice];
  advise(target, advice, sizeof advice);
  return cul_fail(err, CUL_ENOFAIL, advice,
                  "%s fails the same way: the failure is in the command, not "
                  "in %s",
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

/* A failure that is told by words: does the input's run still say more than
 * this one, which says the same first?  It is learnt by that then. */
static int says_more(struct cul_target *target, const struct cul_judged *judged,
                     bool *more, struct cul_err *err) {
  struct cul_verdict before = target->original.verdict;
  int rc;
  *more = false;
  if (!is_guess(target))
    return 0;
  contrast(target, judged);
  rc = cul_target_learn_anew(target, err);
  *more = rc == 0 && is_guess(target) &&
          target->original.verdict.sig.weight >= before.sig.weight;
  if (!*more)
    target->original.verdict = before;
  return rc;
}

/* A hit of a deadline that is met in a hurry would not be believed. */
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

/* Is it no error that the input does not matter? */
static bool may_be_idle(const struct cul_target *target) {
  char wrong[256];
  return target->conf->even_if_empty ||
         (target->conf->with_command &&
          !find_wrong(target, wrong, sizeof wrong));
}

/* *clear: it passes.  Errors: ENOFAIL where it fails the same. */
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
    rc = cul_target_learn_anew(target, err);
  }
  cul_judged_release(&judged);
  return rc;
}

/* Of a tool that reads no file an empty one is the same as a module without
 * operations; of numbers, and of what many runs measure, it says nothing. */
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
  /* A script's sense was found out on an empty subject, and --want is of the
   * input alone. */
  if (target->script.contract || target->conf->want ||
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
