/* The mismatch oracle: the command under test computes other numbers than a
 * reference does on the same candidate, and the reference means something.
 *
 * What is looked at, in this order, each only where all before it held: the
 * suspect ran and printed (or wrote) tensors; so did the reference; they are
 * not equal within the tolerance, by more than rounding, in the same kind of
 * wrong as the original; the reference's numbers are finite, are the same
 * whatever fresh memory holds, and the same by the control. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/outputs.h"
#include "settle.h"

/* Largest |got-want| by the tolerance, below which a difference may still be
 * rounding; and the most that is ever asked. */
static const double least_severity = 16, most_severity = 1e4;
static const double kept_share = 0.05; /* of the original's severity */

struct mismatch {
  const struct cul_oracle_conf *conf;
  struct cul_tolerance_conf tolerance;
  bool learnt;
  enum cul_error_class class; /* of the original */
  double floor;               /* least severity */
  bool nonfinite;             /* the original's reference is */
};

/* What one run said, as tensors. */
struct said {
  const struct cul_record *record; /* NULL: it has not run */
  struct cul_tensors tensors;
};

struct scene {
  struct said by[CUL_N_ROLES];
  struct cul_outputs outputs; /* of suspect against reference */
};

static bool mismatch_wanted(const struct cul_oracle_conf *conf) {
  return conf->mismatch;
}

static int mismatch_open(const struct cul_oracle_conf *conf, void **self,
                         struct cul_err *err) {
  struct mismatch *mismatch;
  if (cul_tolerance_check(&conf->tolerance, err) < 0)
    return err->code;
  mismatch = cul_xcalloc(1, sizeof *mismatch);
  mismatch->conf = conf;
  mismatch->tolerance = conf->tolerance;
  mismatch->tolerance.rounding = true;
  /* A tolerance of the user's own says itself where wrong begins. */
  if (!conf->tolerance.preset && conf->tolerance.ulps < 0 &&
      conf->tolerance.rtol < 0 && conf->tolerance.atol < 0)
    mismatch->floor = least_severity;
  *self = mismatch;
  return 0;
}

/* Tensor files where there are any, else what standard output says. */
static int read_tensors(const struct cul_record *record,
                        struct cul_tensors *out, struct cul_err *err) {
  struct cul_bytes files = cul_buf_bytes(&record->outputs);
  struct cul_output_file file;
  size_t at = 0;
  while (cul_outputs_next(files, &at, &file)) {
    struct cul_tensors read = {0};
    if (!cul_tensors_knows(file.name))
      continue;
    if (cul_tensors_parse(file.bytes, file.name, NULL, &read, err) < 0)
      return err->code;
    cul_tensors_move(out, &read, file.name);
  }
  if (out->n)
    return 0;
  return cul_tensors_parse_text(cul_buf_bytes(&record->out), NULL, out, err);
}

/* True where the run's tensors can be judged; else verdict says why not. */
static bool take(const struct mismatch *mismatch, struct said *said,
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
  if (read_tensors(record, &said->tensors, &err) < 0)
    cul_verdict_set(verdict, CUL_UNRESOLVED, 1, "the %s: %.150s", who,
                    err.what);
  else if (said->tensors.n == 0)
    cul_verdict_set(verdict, CUL_UNRESOLVED, 1,
                    "the %s prints no numbers and writes no tensors", who);
  else
    return true;
  return false;
}

/* A reference that fails makes the candidate no other failure. */
static bool take_other(const struct mismatch *mismatch, struct said *said,
                       const char *who, struct cul_verdict *verdict) {
  if (take(mismatch, said, who, verdict))
    return true;
  if (verdict->answer == CUL_OTHER)
    verdict->answer = CUL_UNRESOLVED;
  return false;
}

static void ask(struct cul_wants *more, enum cul_run_role role) {
  more->want[more->n++] = (struct cul_want){.role = role};
}

/* The same numbers exactly, NaN included. */
static bool equal(const struct cul_tensors *a, const struct cul_tensors *b) {
  const struct cul_tolerance_conf exact = {NULL, -1, -1, -1, false};
  struct cul_outputs outputs;
  bool same;
  cul_tensors_compare(a, b, &exact, &outputs);
  same = outputs.n_fail == 0;
  cul_outputs_release(&outputs);
  return same;
}

/* Within the tolerance that the suspect is held to. */
static bool agrees(const struct mismatch *mismatch, const struct cul_tensors *a,
                   const struct cul_tensors *b) {
  struct cul_outputs outputs;
  bool same;
  cul_tensors_compare(a, b, &mismatch->tolerance, &outputs);
  same = outputs.n_fail == 0;
  cul_outputs_release(&outputs);
  return same;
}

static bool is_finite(const struct cul_outputs *outputs) {
  for (size_t i = 0; i < outputs->n; i++)
    if (outputs->items[i].difference.want_nan ||
        outputs->items[i].difference.want_inf)
      return false;
  return true;
}

/* A wrong value that happens to be 0 is a wrong value; the other classes
 * tell another story. */
static bool same_class(const struct mismatch *mismatch,
                       enum cul_error_class class) {
  return !mismatch->learnt || mismatch->conf->any_class ||
         class == mismatch->class ||
         (mismatch->class == CUL_ERR_VALUE && class == CUL_ERR_ALL_ZERO);
}

/* One line: which output, how much of it, in what pattern. */
static void say_what(const struct scene *scene, struct cul_signature *sig) {
  const struct cul_output *worst = NULL;
  struct cul_buf pattern = {0};
  for (size_t i = scene->outputs.n; i-- > 0;)
    if (scene->outputs.items[i].difference.n_fail)
      worst = &scene->outputs.items[i];
  *sig = (struct cul_signature){.kind = CUL_KIND_MISMATCH};
  if (worst->difference.class == CUL_ERR_SHAPE) {
    snprintf(sig->title, sizeof sig->title, "mismatch: %.60s: %.150s",
             worst->name, worst->difference.why);
    return;
  }
  cul_tensor_pattern(worst->got, worst->want, &worst->difference, &pattern);
  snprintf(sig->title, sizeof sig->title,
           "mismatch (%s): %.40s%s%llu of %llu are off%s%.120s",
           cul_error_class_name(worst->difference.class), worst->name,
           *worst->name ? ": " : "",
           (unsigned long long)worst->difference.n_fail,
           (unsigned long long)worst->difference.n, pattern.len ? ", " : "",
           cul_buf_str(&pattern));
  cul_buf_release(&pattern);
}

/* Is the difference one to keep?  False: verdict says what it is instead. */
static bool differs(const struct mismatch *mismatch, struct scene *scene,
                    struct cul_verdict *verdict) {
  struct cul_outputs *outputs = &scene->outputs;
  cul_tensors_compare(&scene->by[CUL_ROLE_SUSPECT].tensors,
                      &scene->by[CUL_ROLE_REFERENCE].tensors,
                      &mismatch->tolerance, outputs);
  verdict->sig = (struct cul_signature){.kind = CUL_KIND_NONE};
  if (outputs->n_fail == 0)
    cul_verdict_set(verdict, CUL_PASSES, 1,
                    "the same numbers as the reference");
  else if (outputs->severity < mismatch->floor)
    cul_verdict_set(verdict, CUL_PASSES, 1,
                    "so near to the reference that it may be rounding");
  else if (mismatch->class != CUL_ERR_UNWRITTEN &&
           !same_class(mismatch, outputs->class))
    cul_verdict_set(verdict, CUL_UNRESOLVED, 1,
                    "wrong in another way: %s, and not %s",
                    cul_error_class_name(outputs->class),
                    cul_error_class_name(mismatch->class));
  else if (!is_finite(outputs) && mismatch->learnt && !mismatch->nonfinite)
    cul_verdict_set(verdict, CUL_UNRESOLVED, 1,
                    "the reference's numbers are not finite");
  else
    return true;
  return false;
}

/* What the suspect computes depends on memory that nobody wrote, and the
 * reference does not: then that is what is wrong with it.  (A suspect that is
 * right by chance tells nothing of memory.) */
static bool reads_unwritten(const struct mismatch *mismatch,
                            struct scene *scene) {
  struct said *poisoned = &scene->by[CUL_ROLE_SUSPECT_POISON];
  struct cul_verdict ignored = {0};
  return take(mismatch, poisoned, "suspect", &ignored) &&
         !equal(&scene->by[CUL_ROLE_SUSPECT].tensors, &poisoned->tensors) &&
         !equal(&scene->by[CUL_ROLE_REFERENCE].tensors, &poisoned->tensors);
}

/* True where the role has run and computed the same as the reference; else it
 * is asked for, or verdict says what is wrong. */
static bool confirms(const struct mismatch *mismatch, struct scene *scene,
                     enum cul_run_role role, struct cul_wants *more,
                     struct cul_verdict *verdict) {
  const struct said *reference = &scene->by[CUL_ROLE_REFERENCE];
  struct said *said = &scene->by[role];
  bool control = role == CUL_ROLE_CONTROL;
  if (!said->record) {
    ask(more, role);
    return false;
  }
  if (!take_other(mismatch, said, control ? "control" : "reference", verdict))
    return false;
  if (control ? agrees(mismatch, &said->tensors, &reference->tensors)
              : equal(&said->tensors, &reference->tensors))
    return true;
  cul_verdict_set(verdict, CUL_UNRESOLVED, 1,
                  control ? "the control disagrees with the reference"
                          : "the reference itself varies: it reads memory "
                            "that nobody wrote, or depends on chance");
  return false;
}

/* Does the reference mean anything? */
static bool is_sane(const struct mismatch *mismatch, struct scene *scene,
                    struct cul_wants *more, struct cul_verdict *verdict) {
  return confirms(mismatch, scene, CUL_ROLE_POISON, more, verdict) &&
         (!mismatch->conf->control ||
          confirms(mismatch, scene, CUL_ROLE_CONTROL, more, verdict));
}

static void conclude(const struct mismatch *mismatch, struct scene *scene,
                     struct cul_wants *more, struct cul_verdict *verdict) {
  if (!scene->by[CUL_ROLE_SUSPECT_POISON].record) {
    ask(more, CUL_ROLE_SUSPECT_POISON);
    return;
  }
  if (reads_unwritten(mismatch, scene))
    scene->outputs.class = CUL_ERR_UNWRITTEN;
  if (!same_class(mismatch, scene->outputs.class)) {
    cul_verdict_set(verdict, CUL_UNRESOLVED, 1, "wrong in another way: %s",
                    cul_error_class_name(scene->outputs.class));
    return;
  }
  say_what(scene, &verdict->sig);
  cul_verdict_set(verdict, CUL_SAME, 1, "%.180s", verdict->sig.title);
}

/* Judge the first suspect of the records; may want other roles. */
static void examine(const struct mismatch *mismatch, struct scene *scene,
                    struct cul_wants *more, struct cul_verdict *verdict) {
  struct said *reference = &scene->by[CUL_ROLE_REFERENCE];
  if (!take(mismatch, &scene->by[CUL_ROLE_SUSPECT], "command", verdict))
    return;
  if (!reference->record) {
    ask(more, CUL_ROLE_REFERENCE);
    return;
  }
  if (take_other(mismatch, reference, "reference", verdict) &&
      differs(mismatch, scene, verdict) &&
      is_sane(mismatch, scene, more, verdict))
    conclude(mismatch, scene, more, verdict);
}

static void release_scene(struct scene *scene) {
  cul_outputs_release(&scene->outputs);
  for (size_t r = 0; r < CUL_N_ROLES; r++)
    cul_tensors_release(&scene->by[r].tensors);
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
  mismatch->learnt = true;
  mismatch->class = scene->outputs.class;
  mismatch->nonfinite = !is_finite(&scene->outputs);
  if (!(floor < most_severity))
    floor = most_severity;
  if (floor > mismatch->floor)
    mismatch->floor = floor;
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
  for (size_t i = 0; i < n && more->n == 0; i++) {
    struct scene scene;
    if (records[i].role != CUL_ROLE_SUSPECT)
      continue;
    scene = set_scene(records, n, &records[i]);
    examine(mismatch, &scene, more, verdict);
    if (more->n == 0 && verdict->answer == CUL_SAME && same++ == 0)
      remember(mismatch, &scene);
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
