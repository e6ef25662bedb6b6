/* Does the reference of a mismatch mean anything?  See mismatch.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../common/settle.h"
#include "mismatch.h"

bool cul_mismatch_unwritten(const struct mismatch *mismatch,
                            struct scene *scene) {
  const struct cul_tolerance_conf exact = {
      .rtol = -1, .atol = -1, .ulps = -1, .ignore = &scene->unsound};
  struct said *poisoned = &scene->by[CUL_ROLE_SUSPECT_POISON];
  struct cul_verdict ignored = {0};
  return cul_mismatch_take(mismatch, poisoned, "suspect", &ignored) &&
         !cul_mismatch_within(scene, CUL_ROLE_SUSPECT, CUL_ROLE_SUSPECT_POISON,
                              &exact) &&
         !cul_mismatch_within(scene, CUL_ROLE_REFERENCE,
                              CUL_ROLE_SUSPECT_POISON, &exact);
}

/* What checks of compiled code say when they end it; NULL: nothing.  *len: of
 * its line. */
static const char *undefined_in(const struct cul_record *record, int *len) {
  const char *found = strstr(cul_buf_str(&record->err), "error: undefined ");
  if (record->end != CUL_EXITED || record->status == 0 || !found)
    return NULL;
  found += strlen("error: ");
  *len = (int)strcspn(found, "\n");
  return found;
}

/* True where that is why the run ended; verdict says so. */
static bool is_undefined(const struct cul_record *record,
                         struct cul_verdict *verdict) {
  int len;
  const char *what = undefined_in(record, &len);
  if (what)
    cul_verdict_set(verdict, CUL_UNRESOLVED, 1,
                    "the reference means nothing: %.*s", len > 160 ? 160 : len,
                    what);
  return what != NULL;
}

/* True where the role has run and computed the same as the reference; else it
 * is asked for, or verdict says what is wrong. */
static bool confirms(const struct mismatch *mismatch, struct scene *scene,
                     enum cul_run_role role, struct cul_wants *more,
                     struct cul_verdict *verdict) {
  struct said *said = &scene->by[role];
  struct cul_tolerance_conf tolerance = mismatch->tolerance;
  bool control = role == CUL_ROLE_CONTROL;
  if (!said->record) {
    cul_mismatch_ask(more, role);
    return false;
  }
  if (control && is_undefined(said->record, verdict))
    return false;
  if (!cul_mismatch_take_other(mismatch, said,
                               control ? "control" : "reference", verdict))
    return false;
  tolerance.ignore = &scene->unsound;
  if (control
          ? cul_mismatch_within(scene, role, CUL_ROLE_REFERENCE, &tolerance)
          : cul_numbers_equal(&said->numbers.tensors,
                              cul_mismatch_tensors(scene, CUL_ROLE_REFERENCE)))
    return true;
  cul_verdict_set(verdict, CUL_UNRESOLVED, 1,
                  control ? "the control disagrees with the reference"
                          : "the reference itself varies: it reads memory "
                            "that nobody wrote, or depends on chance");
  return false;
}

const char *cul_mismatch_raised(const struct scene *scene) {
  const char *raised = scene->by[CUL_ROLE_CONTROL].numbers.raised;
  return *raised ? raised : scene->by[CUL_ROLE_CHECKED].numbers.raised;
}

/* What a candidate may raise.  Where f64 measures, an overflow leads to nothing
 * that differs, nor does what infinities do then; a division by zero is one in
 * f64, too. */
static void add_allowed(const struct mismatch *mismatch,
                        const struct scene *scene, struct cul_buf *out) {
  bool overflows = strstr(cul_mismatch_raised(scene), "overflow") != NULL;
  cul_buf_adds(out, mismatch->raised);
  if (overflows && cul_mismatch_is_wide(mismatch, scene))
    cul_buf_addf(out, "%soverflow, an operation without a result",
                 out->len ? ", " : "");
}

/* Of the original: what differs disagrees with f64, and an overflow may
 * be why. */
static bool overflows_on_the_way(const struct mismatch *mismatch,
                                 const struct scene *scene,
                                 struct cul_verdict *verdict) {
  if (mismatch->learnt || !mismatch->elsewise || mismatch->fixed ||
      !strstr(cul_mismatch_raised(scene), "overflow"))
    return false;
  cul_verdict_set(verdict, CUL_UNRESOLVED, 1,
                  "the reference overflows on the way: f64 computes something "
                  "else where numbers differ; give smaller inputs or "
                  "constants, or a tolerance (--rtol), which asks no f64");
  return true;
}

/* Numbers that are none are met on the way, though not in the original. */
static bool raises(const struct mismatch *mismatch, const struct scene *scene,
                   struct cul_verdict *verdict) {
  struct cul_buf allowed = {0};
  size_t len = 0;
  const char *other = NULL;
  add_allowed(mismatch, scene, &allowed);
  if (mismatch->learnt)
    other = cul_numbers_raises(cul_mismatch_raised(scene),
                               cul_buf_str(&allowed), &len);
  if (other)
    cul_verdict_set(verdict, CUL_UNRESOLVED, 1, "the reference meets %.*s",
                    (int)len, other);
  cul_buf_release(&allowed);
  return other != NULL;
}

static bool ran_well(const struct cul_record *record) {
  return record->end == CUL_EXITED && record->status == 0;
}

void cul_mismatch_unchecked(const struct scene *scene, char *out, size_t size) {
  const struct cul_record *record = scene->by[CUL_ROLE_CHECKED].record;
  const char *text = record ? cul_buf_str(&record->err) : "";
  const char *error = strstr(text, "error: ");
  if (!record || ran_well(record))
    return;
  if (error)
    text = error + strlen("error: ");
  snprintf(out, size, "%.*s", (int)strcspn(text, "\n"), text);
  if (!out[0])
    snprintf(out, size, "the run with checks fails");
}

/* The module runs with checks, and none fails; where that of the original
 * could not be run it is not asked for. */
static bool is_defined(const struct mismatch *mismatch, struct scene *scene,
                       struct cul_wants *more, struct cul_verdict *verdict) {
  const struct cul_record *record = scene->by[CUL_ROLE_CHECKED].record;
  struct cul_verdict ignored = {0};
  if (!mismatch->conf->mismatch.checked || mismatch->unchecked[0])
    return true;
  if (!record) {
    cul_mismatch_ask(more, CUL_ROLE_CHECKED);
    return false;
  }
  if (is_undefined(record, verdict))
    return false;
  if (ran_well(record)) /* what it raised */
    (void)cul_mismatch_take(mismatch, &scene->by[CUL_ROLE_CHECKED], "",
                            &ignored);
  if (!mismatch->learnt || ran_well(record))
    return true;
  cul_verdict_set(verdict, CUL_UNRESOLVED, 1,
                  "whether the reference means anything cannot be told");
  return false;
}

bool cul_mismatch_sane(const struct mismatch *mismatch, struct scene *scene,
                       struct cul_wants *more, struct cul_verdict *verdict) {
  return confirms(mismatch, scene, CUL_ROLE_POISON, more, verdict) &&
         is_defined(mismatch, scene, more, verdict) &&
         (!mismatch->conf->mismatch.control ||
          confirms(mismatch, scene, CUL_ROLE_CONTROL, more, verdict)) &&
         !overflows_on_the_way(mismatch, scene, verdict) &&
         !raises(mismatch, scene, verdict);
}
