/* The mismatch oracle: the command under test computes other numbers than a
 * reference does on the same candidate, and the reference means something.
 *
 * What is looked at, in this order, each only where all before it held: the
 * suspect ran and printed (or wrote) tensors; so did the reference; they are
 * not equal; the reference agrees with itself in f64, and the suspect does
 * not, by more than rounding and in the same kind of wrong as the original;
 * the reference's numbers are finite, are the same whatever fresh memory
 * holds, and the same by the control, which raises no floating-point exception
 * that the original does not; nothing that it does is undefined.
 *
 * Where it is proven that nothing is rounded (engines/exact.h), every bit that
 * differs counts.  Elsewhere the bound is 64 times the noise of the reference
 * in f64, whose inputs stray by a roundoff, and 64 roundoffs of the number
 * itself: valid orders of a sum of 512 terms stay within 27. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/settle.h"
#include "mismatch.h"

/* Largest |got-want| by the tolerance, below which a difference may still be
 * rounding; and the most that is ever asked. */
static const double least_severity = 16, most_severity = 1e4;
static const double kept_share = 0.05; /* of the original's severity */

static bool mismatch_wanted(const struct cul_oracle_conf *conf) {
  return conf->mismatch.wanted;
}

static int mismatch_open(const struct cul_oracle_conf *conf, void **self,
                         struct cul_err *err) {
  struct mismatch *mismatch;
  if (cul_tolerance_check(&conf->mismatch.tolerance, err) < 0)
    return err->code;
  mismatch = cul_xcalloc(1, sizeof *mismatch);
  mismatch->conf = conf;
  mismatch->tolerance = conf->mismatch.tolerance;
  mismatch->tolerance.rounding = true;
  /* A tolerance of the user's own says itself where wrong begins. */
  mismatch->fixed =
      conf->mismatch.tolerance.preset || conf->mismatch.tolerance.ulps >= 0 ||
      conf->mismatch.tolerance.rtol >= 0 || conf->mismatch.tolerance.atol >= 0;
  if (!mismatch->fixed)
    mismatch->floor = least_severity;
  *self = mismatch;
  return 0;
}

/* True where the run's tensors can be judged; else verdict says why not. */
bool cul_mismatch_take(const struct mismatch *mismatch, struct said *said,
                       const char *who, struct cul_verdict *verdict) {
  const struct cul_record *record = said->record;
  struct cul_err err = {0};
  if (cul_settle_run(record, verdict))
    return false;
  cul_signature_read(mismatch->conf->rules, record, &verdict->sig);
  if (record->end != CUL_EXITED || record->status != 0) {
    cul_verdict_set(verdict, CUL_OTHER, 1, "the %s fails: %.150s", who,
                    verdict->sig.title);
    return false;
  }
  if (record->truncated) {
    cul_verdict_set(verdict, CUL_UNRESOLVED, 1,
                    "the %s writes more than is kept", who);
    return false;
  }
  if (cul_numbers_read(record, &said->numbers, &err) < 0)
    cul_verdict_set(verdict, CUL_UNRESOLVED, 1, "the %s: %.150s", who,
                    err.what);
  else if (said->numbers.tensors.n == 0)
    cul_verdict_set(verdict, CUL_UNRESOLVED, 1,
                    "the %s prints no numbers and writes no tensors", who);
  else
    return true;
  return false;
}

/* A reference that fails makes the candidate no other failure. */
bool cul_mismatch_take_other(const struct mismatch *mismatch, struct said *said,
                             const char *who, struct cul_verdict *verdict) {
  if (cul_mismatch_take(mismatch, said, who, verdict))
    return true;
  if (verdict->answer == CUL_OTHER)
    verdict->answer = CUL_UNRESOLVED;
  return false;
}

void cul_mismatch_ask(struct cul_wants *more, enum cul_run_role role) {
  more->want[more->n++] = (struct cul_want){.role = role};
}

/* A wrong value that happens to be 0 is a wrong value; the other classes
 * tell another story. */
static bool same_class(const struct mismatch *mismatch,
                       enum cul_error_class class) {
  return !mismatch->learnt || mismatch->conf->any_class ||
         class == mismatch->class ||
         (mismatch->class == CUL_ERR_VALUE && class == CUL_ERR_ALL_ZERO);
}

bool cul_mismatch_within(const struct scene *scene, enum cul_run_role got,
                         enum cul_run_role want,
                         const struct cul_tolerance_conf *bound) {
  struct cul_outputs outputs;
  bool all;
  cul_tensors_compare(cul_mismatch_tensors(scene, got),
                      cul_mismatch_tensors(scene, want), bound, &outputs);
  all = outputs.n_fail == 0;
  cul_outputs_release(&outputs);
  return all;
}

/* Can the run in f64 be held against the reference, element by element? */
static bool take_wide(const struct mismatch *mismatch, struct scene *scene,
                      struct cul_verdict *verdict) {
  if (!cul_mismatch_take_other(mismatch, &scene->by[CUL_ROLE_WIDE],
                               "reference in f64", verdict))
    return false;
  if (cul_mismatch_mark(mismatch, scene))
    return true;
  cul_verdict_set(verdict, CUL_UNRESOLVED, 1,
                  "the reference computes something else in f64");
  return false;
}

/* The suspect against what it is measured by; outputs: what is off. */
static void measure(const struct mismatch *mismatch, struct scene *scene) {
  const struct cul_tolerance_conf exact = {
      .rtol = -1, .atol = -1, .ulps = -1, .ignore = &scene->unsound};
  bool wide = cul_mismatch_is_wide(mismatch, scene);
  struct cul_tolerance_conf bound = cul_mismatch_bound(mismatch, scene);
  double severity;
  bound.ignore = &scene->unsound;
  cul_outputs_release(&scene->outputs);
  cul_tensors_compare(
      cul_mismatch_tensors(scene, CUL_ROLE_SUSPECT),
      cul_mismatch_tensors(scene, wide ? CUL_ROLE_WIDE : CUL_ROLE_REFERENCE),
      &bound, &scene->outputs);
  if (!wide || !scene->by[CUL_ROLE_WIDE].numbers.exact)
    return;
  severity = scene->outputs.severity;
  cul_outputs_release(&scene->outputs);
  cul_tensors_compare(cul_mismatch_tensors(scene, CUL_ROLE_SUSPECT),
                      cul_mismatch_tensors(scene, CUL_ROLE_REFERENCE), &exact,
                      &scene->outputs);
  scene->outputs.severity = severity;
}

static bool is_exact(const struct mismatch *mismatch,
                     const struct scene *scene) {
  return cul_mismatch_is_wide(mismatch, scene) &&
         scene->by[CUL_ROLE_WIDE].numbers.exact;
}

/* Is what is off as little as rounding may be? */
static bool is_little(const struct mismatch *mismatch,
                      const struct scene *scene) {
  return scene->outputs.n_fail == 0 ||
         (!is_exact(mismatch, scene) &&
          scene->outputs.severity < mismatch->floor);
}

/* Measure the sound elements; where nothing else is off in the original, what
 * is no finite number in the reference, nor in f64, is what it is about. */
static void look(const struct mismatch *mismatch, struct scene *scene) {
  scene->nonfinite = mismatch->learnt && mismatch->nonfinite;
  if (scene->nonfinite)
    (void)cul_mismatch_count_nonfinite(scene);
  measure(mismatch, scene);
  if (mismatch->learnt || !is_little(mismatch, scene) ||
      !cul_mismatch_count_nonfinite(scene))
    return;
  measure(mismatch, scene);
  scene->nonfinite = !is_little(mismatch, scene);
}

/* Too little is off: where the reference is unsound it may be more. */
static void say_little(const struct mismatch *mismatch, struct scene *scene,
                       struct cul_verdict *verdict) {
  struct cul_buf unsound = {0};
  if (cul_mismatch_differs_unsound(mismatch, scene, NULL, &unsound))
    cul_verdict_set(verdict, CUL_UNRESOLVED, 1,
                    "%s: %.110s; give inputs or constants that keep numbers "
                    "in range",
                    scene->outputs.n_fail
                        ? "the other differences may be rounding"
                        : "what differs is not sound",
                    cul_buf_str(&unsound));
  else
    cul_verdict_set(verdict, CUL_PASSES, 1,
                    scene->outputs.n_fail
                        ? "so near to the reference that it may be rounding"
                        : "no other numbers than rounding explains");
  cul_buf_release(&unsound);
}

/* Two of three seeds, but no more than the original shows. */
static bool enough_seeds(const struct mismatch *mismatch,
                         const struct cul_outputs *outputs) {
  size_t n, wrong = cul_numbers_wrong_seeds(outputs, &n);
  size_t least = (2 * n + 2) / 3;
  if (!mismatch->learnt)
    return wrong > 0;
  return wrong >= (least < mismatch->seeds ? least : mismatch->seeds);
}

/* Is the difference one to keep?  False: verdict says what it is instead. */
static bool differs(const struct mismatch *mismatch, struct scene *scene,
                    struct cul_verdict *verdict) {
  struct cul_outputs *outputs = &scene->outputs;
  look(mismatch, scene);
  verdict->sig = (struct cul_signature){.kind = CUL_KIND_NONE};
  if (is_little(mismatch, scene))
    say_little(mismatch, scene, verdict);
  else if (!enough_seeds(mismatch, outputs))
    cul_verdict_set(verdict, CUL_UNRESOLVED, 1,
                    "wrong for fewer seeds than the original");
  else if (mismatch->class != CUL_ERR_UNWRITTEN &&
           !same_class(mismatch, outputs->class))
    cul_verdict_set(verdict, CUL_UNRESOLVED, 1,
                    "wrong in another way: %s, and not %s",
                    cul_error_class_name(outputs->class),
                    cul_error_class_name(mismatch->class));
  else
    return true;
  return false;
}

static void conclude(const struct mismatch *mismatch, struct scene *scene,
                     struct cul_wants *more, struct cul_verdict *verdict) {
  if (!scene->by[CUL_ROLE_SUSPECT_POISON].record) {
    cul_mismatch_ask(more, CUL_ROLE_SUSPECT_POISON);
    return;
  }
  if (cul_mismatch_unwritten(mismatch, scene))
    scene->outputs.class = CUL_ERR_UNWRITTEN;
  if (!same_class(mismatch, scene->outputs.class)) {
    cul_verdict_set(verdict, CUL_UNRESOLVED, 1, "wrong in another way: %s",
                    cul_error_class_name(scene->outputs.class));
    return;
  }
  cul_numbers_say(&scene->outputs, &verdict->sig);
  cul_verdict_set(verdict, CUL_SAME, 1, "%.180s", verdict->sig.title);
}

/* Both have run; is there a reference in f64 that comes first? */
static bool compare(const struct mismatch *mismatch, struct scene *scene,
                    struct cul_wants *more, struct cul_verdict *verdict) {
  bool wide = mismatch->conf->mismatch.wide && !mismatch->narrow[0];
  if (cul_numbers_equal(cul_mismatch_tensors(scene, CUL_ROLE_SUSPECT),
                        cul_mismatch_tensors(scene, CUL_ROLE_REFERENCE))) {
    verdict->sig = (struct cul_signature){.kind = CUL_KIND_NONE};
    cul_verdict_set(verdict, CUL_PASSES, 1,
                    "the same numbers as the reference");
    return false;
  }
  if (wide && !mismatch->fixed) {
    if (!scene->by[CUL_ROLE_WIDE].record) {
      cul_mismatch_ask(more, CUL_ROLE_WIDE);
      return false;
    }
    if (!take_wide(mismatch, scene, verdict))
      return false;
  } else {
    if (scene->by[CUL_ROLE_WIDE].record)
      (void)cul_mismatch_take(mismatch, &scene->by[CUL_ROLE_WIDE], "",
                              &(struct cul_verdict){0});
    (void)cul_mismatch_mark(mismatch, scene);
  }
  return differs(mismatch, scene, verdict);
}

/* Judge the first suspect of the records; may want other roles. */
static void examine(const struct mismatch *mismatch, struct scene *scene,
                    struct cul_wants *more, struct cul_verdict *verdict) {
  struct said *reference = &scene->by[CUL_ROLE_REFERENCE];
  if (!cul_mismatch_take(mismatch, &scene->by[CUL_ROLE_SUSPECT], "command",
                         verdict))
    return;
  if (!reference->record) {
    cul_mismatch_ask(more, CUL_ROLE_REFERENCE);
    return;
  }
  if (cul_mismatch_take_other(mismatch, reference, "reference", verdict) &&
      compare(mismatch, scene, more, verdict) &&
      cul_mismatch_sane(mismatch, scene, more, verdict))
    conclude(mismatch, scene, more, verdict);
}

static void release_scene(struct scene *scene) {
  cul_outputs_release(&scene->outputs);
  for (size_t r = 0; r < CUL_N_ROLES; r++)
    cul_numbers_release(&scene->by[r].numbers);
  cul_tensors_release(&scene->unsound);
}

/* The records of a scene: one suspect, and the first of each other role. */
static struct scene set_scene(const struct cul_record *records, size_t n,
                              const struct cul_record *suspect) {
  struct scene scene = {0};
  for (size_t i = n; i-- > 0;)
    scene.by[records[i].role].record = &records[i];
  scene.by[CUL_ROLE_SUSPECT].record = suspect;
  return scene;
}

static int mismatch_judge(const void *self, const struct cul_record *records,
                          size_t n, struct cul_wants *more,
                          struct cul_verdict *verdict, struct cul_err *err) {
  struct scene scene = set_scene(records, n, &records[0]);
  (void)err;
  more->n = 0;
  examine(self, &scene, more, verdict);
  release_scene(&scene);
  return 0;
}

/* The figures of the original that candidates are held to. */
static void remember(struct mismatch *mismatch, const struct scene *scene) {
  double floor = kept_share * scene->outputs.severity;
  struct cul_buf left = {0};
  size_t n;
  mismatch->learnt = true;
  mismatch->class = scene->outputs.class;
  mismatch->nonfinite = scene->nonfinite;
  cul_mismatch_say_left(scene, &left);
  snprintf(mismatch->left, sizeof mismatch->left, "%s", cul_buf_str(&left));
  cul_buf_release(&left);
  mismatch->exact = is_exact(mismatch, scene);
  mismatch->seeds = cul_numbers_wrong_seeds(&scene->outputs, &n);
  cul_mismatch_unchecked(scene, mismatch->unchecked,
                         sizeof mismatch->unchecked);
  snprintf(mismatch->raised, sizeof mismatch->raised, "%s",
           cul_mismatch_raised(scene));
  if (!(floor < most_severity))
    floor = most_severity;
  if (floor > mismatch->floor)
    mismatch->floor = floor;
}

/* Is all that differs a number in the reference, and another one in f64? */
static bool is_elsewise(const struct mismatch *mismatch, struct scene *scene) {
  bool differs[CUL_N_UNSOUND] = {false};
  struct cul_buf ignored = {0};
  measure(mismatch, scene);
  if (is_little(mismatch, scene))
    (void)cul_mismatch_differs_unsound(mismatch, scene, differs, &ignored);
  cul_buf_release(&ignored);
  return differs[CUL_ELSEWISE];
}

/* Of the original: can its reference in f64 be used?  Of a tolerance of the
 * user's own: would the reference keep to it? */
static void try_wide(struct mismatch *mismatch,
                     const struct cul_record *records, size_t n) {
  struct scene scene = set_scene(records, n, &records[0]);
  struct cul_verdict verdict = {0};
  if (scene.by[CUL_ROLE_WIDE].record && scene.by[CUL_ROLE_REFERENCE].record &&
      !mismatch->narrow[0] && !mismatch->warning[0] &&
      cul_mismatch_take(mismatch, &scene.by[CUL_ROLE_SUSPECT], "command",
                        &verdict) &&
      cul_mismatch_take(mismatch, &scene.by[CUL_ROLE_REFERENCE], "reference",
                        &verdict)) {
    if (!take_wide(mismatch, &scene, &verdict))
      snprintf(mismatch->narrow, sizeof mismatch->narrow, "%.110s",
               verdict.why);
    else if (cul_numbers_demoted(
                 cul_mismatch_tensors(&scene, CUL_ROLE_WIDE),
                 cul_mismatch_tensors(&scene, CUL_ROLE_REFERENCE)))
      snprintf(mismatch->narrow, sizeof mismatch->narrow,
               "the reference goes back to a type below it");
    else if (!mismatch->fixed && is_elsewise(mismatch, &scene))
      mismatch->elsewise =
          snprintf(mismatch->narrow, sizeof mismatch->narrow,
                   "the reference computes something else in f64") > 0;
    if (mismatch->fixed && scene.by[CUL_ROLE_WIDE].numbers.tensors.n &&
        !cul_mismatch_within(&scene, CUL_ROLE_REFERENCE, CUL_ROLE_WIDE,
                             &mismatch->tolerance))
      snprintf(mismatch->warning, sizeof mismatch->warning,
               "the reference itself is not within that tolerance of its run "
               "in f64");
  }
  release_scene(&scene);
}

static size_t count_suspects(const struct cul_record *records, size_t n) {
  size_t count = 0;
  for (size_t i = 0; i < n; i++)
    count += records[i].role == CUL_ROLE_SUSPECT;
  return count;
}

/* Two runs of the suspect; where they disagree the decorator goes on. */
static int mismatch_learn(void *self, const struct cul_record *records,
                          size_t n, struct cul_wants *more,
                          struct cul_verdict *verdict, struct cul_err *err) {
  struct mismatch *mismatch = self;
  size_t same = 0, suspects = count_suspects(records, n);
  (void)err;
  more->n = 0;
  try_wide(mismatch, records, n);
  for (size_t i = 0; i < n && more->n == 0; i++) {
    struct scene scene;
    if (records[i].role != CUL_ROLE_SUSPECT)
      continue;
    scene = set_scene(records, n, &records[i]);
    examine(mismatch, &scene, more, verdict);
    if (more->n == 0 && verdict->answer == CUL_SAME && same++ == 0)
      remember(mismatch, &scene);
    if (same && mismatch->fixed && mismatch->conf->mismatch.wide &&
        !scene.by[CUL_ROLE_WIDE].record)
      cul_mismatch_ask(more, CUL_ROLE_WIDE);
    release_scene(&scene);
    if (verdict->answer == CUL_BROKEN)
      return 0;
  }
  if (suspects < 2 && more->n + 1 < CUL_MAX_WANTS)
    more->want[more->n++] = (struct cul_want){.attempt = 1};
  return 0;
}

static void mismatch_describe(const void *self, struct cul_buf *out) {
  const struct mismatch *mismatch = self;
  cul_buf_adds(out, "other numbers than the reference");
  if (mismatch->learnt)
    cul_buf_addf(out, " (%s%s)", cul_error_class_name(mismatch->class),
                 mismatch->conf->any_class ? ", or any other class" : "");
  if (mismatch->nonfinite)
    cul_buf_adds(out, ", the reference's own not being finite");
  if (mismatch->learnt && mismatch->exact)
    cul_buf_adds(out, ", any bit that differs: nothing is rounded in the "
                      "reference, in whatever order");
  else if (mismatch->learnt && mismatch->conf->mismatch.wide &&
           !mismatch->fixed && !mismatch->narrow[0])
    cul_buf_adds(out, ", by more than 64 times what rounding does to a "
                      "reference in f64");
  if (mismatch->narrow[0] && !mismatch->fixed)
    cul_buf_addf(out, "; there is no reference in f64: %s", mismatch->narrow);
  if (mismatch->unchecked[0])
    cul_buf_addf(out, "; undefined behaviour is not looked for: %s",
                 mismatch->unchecked);
  cul_buf_adds(out, mismatch->left);
  if (mismatch->warning[0])
    cul_buf_addf(out, "; warning: %s", mismatch->warning);
}

const struct cul_oracle cul_oracle_mismatch = {
    .abi = CUL_ORACLE_ABI,
    .name = "mismatch",
    .summary = "other numbers than a reference computes",
    .wanted = mismatch_wanted,
    .open = mismatch_open,
    .learn = mismatch_learn,
    .judge = mismatch_judge,
    .describe = mismatch_describe,
    .close = free,
};
