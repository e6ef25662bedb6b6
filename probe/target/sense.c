/* The sense of a script, found out: what does its exit status say?
 *
 * Reducers disagree (mlir-reduce: other than 0 = interesting; most others: 0).
 * On an empty subject, which every tool accepts, the failure does not show:
 * what the script says there means "not interesting". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "target.h"

enum says { ZERO, NONZERO, MIXED, UNCLEAR };

static enum says record_says(const struct cul_record *record) {
  if (record->end != CUL_EXITED ||
      (record->status >= 125 && record->status <= 127))
    return UNCLEAR;
  return record->status ? NONZERO : ZERO;
}

/* What all runs say; MIXED where clear ones disagree. */
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

/* The smallest legal text of the input's language. */
static struct cul_bytes empty_subject(const struct cul_target *target) {
  const char *dot = strrchr(target->conf->input, '.');
  const char *text =
      dot && strncmp(dot, ".mlir", 5) == 0 ? "module {\n}\n" : "\n";
  return (struct cul_bytes){text, strlen(text)};
}

int cul_target_fail_blind(struct cul_err *err) {
  return cul_fail(err, CUL_EUSAGE,
                  "let it exit 0 only when the failure shows, 1 otherwise, and "
                  "try it by hand on an empty file",
                  "the script says \"interesting\" of an empty subject too: it "
                  "does not test for the failure");
}

/* The records are judged anew, and more are wanted where they disagree. */
static int learn_with(struct cul_target *target, enum cul_sense sense,
                      struct cul_err *err) {
  target->oracle_conf.script.sense = sense;
  return cul_target_learn_anew(target, err);
}

/* Other than 0 is interesting. */
static int turn_round(struct cul_target *target, struct cul_err *err) {
  target->found = cul_xasprintf(
      "the script exits %d on the input and 0 on an empty one, so other than "
      "0 is taken for interesting, as by mlir-reduce",
      other_status(&target->original));
  return learn_with(target, CUL_SENSE_NONZERO, err);
}

int cul_target_find_sense(struct cul_target *target, struct cul_err *err) {
  struct cul_judged *original = &target->original;
  enum says says = judged_says(original), of_empty;
  bool blind;
  struct cul_judged empty = {0};
  int rc;
  if (says == UNCLEAR)
    return 0; /* the verdict says why */
  cul_target_seal(target);
  rc = cul_target_judge(target, empty_subject(target), false, &empty, err);
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
    rc = learn_with(target, CUL_SENSE_ZERO, err);
  if (rc == 0 && says == NONZERO && of_empty == NONZERO &&
      original->verdict.answer == CUL_PASSES)
    snprintf(original->verdict.why, sizeof original->verdict.why,
             "the script says the same of it (exit status %d) as of an empty "
             "subject",
             original->records[0].status);
  return rc;
}
