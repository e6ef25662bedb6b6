/* The mismatch oracle: the command under test computes other numbers than a
 * reference on the same candidate, and the reference is meaningful.
 *
 * The conditions, checked in this order, each only if all before it hold: the
 * suspect ran and printed (or wrote) tensors; so did the reference; they are
 * not equal; the reference agrees with itself in f64, and the suspect does not,
 * by more than rounding and in the same error class as the original; the
 * reference's numbers are finite, do not depend on the content of fresh memory,
 * and equal those of the control, which raises no floating-point exception that
 * the original's control does not; the candidate has no undefined behaviour.
 *
 * A run of culprit's own in f64 takes a fraction of the time of a compiler.  If
 * it tells of the original what the reference's runs tell, it comes before them
 * for candidates: where the suspect agrees with it, the reference does not run;
 * where the reference agrees with it, the reference runs neither in f64 nor
 * with other fresh memory, because two programs with different bytes in their
 * fresh memory have computed the same.  Else the reference's own runs decide.
 * If the reference's run in f64 cannot be used, because it fails or computes
 * something else, and culprit's own run agrees with the reference, that is the
 * only run in f64: a candidate counts only where it agrees, too.
 *
 * If it is proven that nothing is rounded (reducer/engines/jit/exact.h), every
 * differing bit counts.  Else the bound is 64 times the noise of the reference
 * in f64, whose inputs vary by a roundoff, and 64 roundoffs of the number
 * itself: valid orders of a sum of 512 terms stay within 27. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/pattern.h"
#include "../common/settle.h"
#include "../oracle.h"
#include "nondeterminism.h"
#include "numbers.h"

/* Why the suspect cannot be compared with an element of the reference. */
enum cul_unsound {
  CUL_SOUND,
  CUL_BOTH,       /* NaN, or the same infinity, on both sides: no difference */
  CUL_NOT_FINITE, /* NaN or infinite, also in f64 (or f64 is unknown) */
  CUL_OVERFLOWS,  /* NaN or infinite, but a number in f64 */
  CUL_ELSEWISE,   /* a number, but a different one in f64 */
  CUL_AT_EDGE,    /* rounding decides whether it overflows, and the suspect's
                     overflows */
  CUL_VARIES,     /* different in another run of the reference */
  CUL_N_UNSOUND
};

struct mismatch {
  const struct cul_oracle_conf *conf;
  struct cul_tolerance_conf tolerance;
  struct cul_pattern *ignore[2]; /* text that is not read for numbers */
  size_t n_ignore;
  bool fixed; /* the tolerance is the user's own */
  bool learnt;
  enum cul_error_class class; /* of the original */
  double floor;               /* least severity */
  bool nonfinite;   /* all differing elements of the original are not finite in
                       the reference, nor in f64 */
  char left[400];   /* elements of the original that are not compared; or "" */
  char raised[120]; /* exceptions raised by the original's control */
  size_t seeds;     /* seeds for which the original is wrong */
  bool exact;       /* the original rounds nothing */
  bool counted;     /* the roundings of the original were counted */
  char narrow[240]; /* the reason why there is no reference in f64; or "" */
  bool elsewise;    /* ... because the reference has another result in f64 */
  bool own;         /* culprit's own run in f64 is believed */
  bool only_own;    /* ... and there is no other reference in f64 (narrow) */
  double own_severity; /* ... and the original's severity by it */
  char warning[120];   /* of the user's tolerance; or "" */
  char unchecked[240]; /* the reason why undefined behaviour of the original is
                          not checked; or "" */
  char outside[160];   /* a read of the original out of bounds, within one
                          allocation; or "" */
  char assumed[160];   /* --assume-defined: the undefined behaviour of the
                          original; or "" */
};

/* The numbers of one run. */
struct said {
  const struct cul_record *record; /* NULL: not run */
  bool read;                       /* numbers were looked for */
  const struct said *suspect;      /* for other roles: the suspect; borrowed */
  bool cut; /* numbers that the suspect ended too early to print were dropped */
  struct cul_numbers numbers;
};

/* The suspect compared with the reference, by one of its runs in f64. */
struct view {
  enum cul_run_role wide; /* WIDE, or OWN: the run in f64 that counts */
  /* one ui8 tensor per output of the reference, which marks the elements that
   * do not count (enum cul_unsound) */
  struct cul_tensors unsound;
  bool nonfinite; /* elements that are NOT_FINITE count nevertheless */
  struct cul_outputs outputs; /* of suspect against reference */
};

static void release_view(struct view *view) {
  cul_outputs_release(&view->outputs);
  cul_tensors_release(&view->unsound);
}

struct scene {
  struct said by[CUL_N_ROLES];
  struct said again; /* the reference, run once more as it is */
  struct view view;  /* what the verdict is about */
};

static const struct cul_tensors *mismatch_tensors(const struct scene *scene,
                                                  enum cul_run_role role) {
  return &scene->by[role].numbers.tensors;
}

/* ---- sound: which elements of the reference can be compared with ---- */

static const struct {
  const char *one, *more;
} words[] = {[CUL_BOTH] = {"is NaN or infinite on both sides",
                           "are NaN or infinite on both sides"},
             [CUL_VARIES] = {"varies from run to run of the reference",
                             "vary from run to run of the reference"},
             [CUL_NOT_FINITE] = {"is NaN or infinite in the reference",
                                 "are NaN or infinite in the reference"},
             [CUL_OVERFLOWS] = {"overflows in the reference",
                                "overflow in the reference"},
             [CUL_ELSEWISE] = {"disagrees with f64", "disagree with f64"},
             [CUL_AT_EDGE] = {"is within rounding of overflow",
                              "are within rounding of overflow"}};

/* Is the suspect compared with the reference's run in f64? */
static bool mismatch_is_wide(const struct mismatch *mismatch,
                             const struct scene *scene,
                             const struct view *view) {
  return scene->by[view->wide].record && !mismatch->fixed &&
         (view->wide == CUL_ROLE_OWN || !mismatch->narrow[0]);
}

/* Every bit counts; the elements that `ignore` marks do not.  Of zeros and
 * denormal numbers the user decides. */
static struct cul_tolerance_conf
mismatch_exact(const struct mismatch *mismatch,
               const struct cul_tensors *ignore) {
  return (struct cul_tolerance_conf){
      .rtol = -1,
      .atol = -1,
      .ulps = -1,
      .signed_zero = mismatch->tolerance.signed_zero,
      .flush_denormals = mismatch->tolerance.flush_denormals,
      .ignore = ignore};
}

/* The tolerance for numbers that were not proven exact; scene is borrowed. */
static struct cul_tolerance_conf mismatch_bound(const struct mismatch *mismatch,
                                                const struct scene *scene,
                                                const struct view *view) {
  const struct cul_numbers *wide = &scene->by[view->wide].numbers;
  struct cul_tolerance_conf bound = mismatch->tolerance;
  if (!mismatch_is_wide(mismatch, scene, view))
    return bound;
  bound.noise = &wide->noise;
  bound.bounds = wide->bounds.n ? &wide->bounds : NULL;
  bound.roundoff = wide->digits ? ldexp(1, -(int)wide->digits) : 0;
  return bound;
}

static bool is_finite(const struct cul_tensor *tensor, uint64_t i) {
  for (unsigned part = 0; part < cul_tensor_parts(tensor); part++)
    if (!isfinite(cul_tensor_get(tensor, i, part)))
      return false;
  return true;
}

/* May rounding bring the value in f64 beyond the largest number of the
 * reference's type? */
static bool is_at_edge(const struct cul_output *wide, uint64_t i) {
  const struct cul_tolerance *tolerance = &wide->tolerance;
  const struct cul_tensor *noise = tolerance->noise;
  enum cul_dtype type = cul_dtype_info(wide->got->dtype)->part;
  bool noisy = noise && i < noise->n;
  if (wide->got->untyped || cul_dtype_info(type)->kind != CUL_IS_FLOAT)
    return false;
  for (unsigned part = 0; part < cul_tensor_parts(wide->want); part++) {
    cul_number size = fabsl(cul_tensor_get(wide->want, i, part));
    cul_number stray = noisy && part < cul_tensor_parts(noise)
                           ? CUL_NOISE_FACTOR * cul_tensor_get(noise, i, part)
                           : 0;
    if (!(size * (1 + (cul_number)tolerance->rtol) + stray <=
          cul_dtype_max(type)))
      return true;
  }
  return false;
}

/* Is the element NaN, or the same infinity, in both? */
static bool is_both(const struct cul_tensor *a, const struct cul_tensor *b,
                    uint64_t i) {
  for (unsigned part = 0; part < cul_tensor_parts(a); part++) {
    cul_number x = cul_tensor_get(a, i, part), y = cul_tensor_get(b, i, part);
    if (isfinite(x) ? !isfinite(y) : !(x == y || (isnan(x) && isnan(y))))
      return false;
  }
  return true;
}

static bool is_nan(const struct cul_tensor *tensor, uint64_t i) {
  for (unsigned part = 0; part < cul_tensor_parts(tensor); part++)
    if (isnan(cul_tensor_get(tensor, i, part)))
      return true;
  return false;
}

/* An element that is not finite in the reference, nor in f64, is a difference
 * where the suspect has a number.  Without a run in f64 an infinity may be an
 * overflow that another order of rounding avoids. */
static enum cul_unsound look_at_nonfinite(const struct cul_output *wide,
                                          const struct cul_tensor *suspect,
                                          uint64_t i) {
  bool beside = suspect && i < suspect->n &&
                cul_tensor_parts(suspect) == cul_tensor_parts(wide->got);
  if (beside && is_both(wide->got, suspect, i))
    return CUL_BOTH;
  if (beside && is_finite(suspect, i) &&
      (wide->want != wide->got || is_nan(wide->got, i)))
    return CUL_SOUND;
  return CUL_NOT_FINITE;
}

/* Classify element i. wide: the reference compared with its run in f64 (or
 * itself, if there is none); suspect: the output of that name, or NULL. */
static enum cul_unsound look_at(const struct cul_output *wide,
                                const struct cul_tensor *suspect, uint64_t i) {
  const struct cul_difference *d = &wide->difference;
  bool finite = is_finite(wide->got, i);
  if (!finite && is_finite(wide->want, i))
    return CUL_OVERFLOWS;
  if (!finite)
    return look_at_nonfinite(wide, suspect, i);
  if (d->off && d->off[i])
    return CUL_ELSEWISE;
  if (suspect && i < suspect->n && !is_finite(suspect, i) &&
      is_at_edge(wide, i))
    return CUL_AT_EDGE;
  return CUL_SOUND;
}

static void mark(const struct cul_output *wide,
                 const struct cul_tensor *suspect, struct cul_tensors *out) {
  struct cul_err ignored = {0};
  struct cul_tensor *made;
  const struct cul_tensor *got = wide->got;
  if (cul_tensors_add(out, got->name, CUL_UI8, got->rank, got->dims, &made,
                      &ignored) < 0)
    return; /* cannot happen: got is within the limits too */
  for (uint64_t i = 0; i < got->n; i++)
    cul_tensor_set(made, i, 0, look_at(wide, suspect, i));
}

/* Compare the reference with `wide`, element by element; false: wide has other
 * outputs. */
static bool mark_by(const struct mismatch *mismatch, const struct scene *scene,
                    struct view *view, const struct cul_tensors *wide) {
  const struct cul_tensors *suspect = mismatch_tensors(scene, CUL_ROLE_SUSPECT);
  const struct cul_tolerance_conf exact = mismatch_exact(mismatch, NULL);
  struct cul_tolerance_conf bound = mismatch_bound(mismatch, scene, view);
  struct cul_outputs outputs;
  bool fits = true;
  cul_tensors_release(&view->unsound);
  cul_tensors_compare(mismatch_tensors(scene, CUL_ROLE_REFERENCE), wide,
                      scene->by[view->wide].numbers.exact ? &exact : &bound,
                      &outputs);
  for (size_t i = 0; i < outputs.n; i++)
    fits = fits && outputs.items[i].difference.class != CUL_ERR_SHAPE;
  for (size_t i = 0; i < outputs.n && fits; i++) {
    const struct cul_output *output = &outputs.items[i];
    mark(output,
         suspect->n == 1 && outputs.n == 1
             ? &suspect->items[0]
             : cul_tensors_find(suspect, output->got->name),
         &view->unsound);
  }
  cul_outputs_release(&outputs);
  return fits;
}

/* Mark the elements that are unsound for this reason as sound. */
static bool clear(struct view *view, enum cul_unsound why) {
  bool found = false;
  for (size_t t = 0; t < view->unsound.n; t++) {
    struct cul_tensor *tensor = &view->unsound.items[t];
    for (uint64_t i = 0; i < tensor->n; i++)
      if (tensor->data[i] == why) {
        tensor->data[i] = CUL_SOUND;
        found = true;
      }
  }
  return found;
}

/* Mark the elements that are off. */
static void mark_off(const struct cul_output *output,
                     struct cul_tensor *unsound) {
  const unsigned char *off = output->difference.off;
  for (uint64_t i = 0; off && i < unsound->n && i < output->got->n; i++)
    if (off[i])
      unsound->data[i] = CUL_VARIES;
}

/* Mark the elements that another run of the reference computes differently. */
static void mark_varying(const struct mismatch *mismatch,
                         const struct scene *scene, struct view *view) {
  const struct cul_tensors *again = &scene->again.numbers.tensors;
  const struct cul_tolerance_conf exact = mismatch_exact(mismatch, NULL);
  struct cul_outputs outputs;
  if (!again->n)
    return;
  cul_tensors_compare(mismatch_tensors(scene, CUL_ROLE_REFERENCE), again,
                      &exact, &outputs);
  for (size_t t = 0; t < outputs.n; t++)
    for (size_t u = 0; u < view->unsound.n; u++)
      if (outputs.items[t].got &&
          !strcmp(view->unsound.items[u].name, outputs.items[t].got->name))
        mark_off(&outputs.items[t], &view->unsound.items[u]);
  cul_outputs_release(&outputs);
}

/* Fill view->unsound by the run in f64. False: it has other outputs. */
static bool mark_sound(const struct mismatch *mismatch,
                       const struct scene *scene, struct view *view) {
  const struct cul_tensors *wide = mismatch_tensors(scene, view->wide);
  if (mismatch_is_wide(mismatch, scene, view))
    return mark_by(mismatch, scene, view, wide);
  /* With a user's tolerance, f64 shows only overflows. */
  if (wide->n && !mismatch->narrow[0] && mark_by(mismatch, scene, view, wide)) {
    (void)clear(view, CUL_ELSEWISE);
    return true;
  }
  return mark_by(mismatch, scene, view,
                 mismatch_tensors(scene, CUL_ROLE_REFERENCE));
}

/* Fill view->unsound. False: the run in f64 has other outputs. */
static bool mismatch_mark(const struct mismatch *mismatch,
                          const struct scene *scene, struct view *view) {
  bool fits = mark_sound(mismatch, scene, view);
  mark_varying(mismatch, scene, view);
  return fits;
}

/* Compare elements that are NOT_FINITE from now on; false: there are none. */
static bool mismatch_count_nonfinite(struct view *view) {
  return clear(view, CUL_NOT_FINITE);
}

/* The number of elements among `off` (NULL: all) that are unsound for this
 * reason. */
static uint64_t count(const struct cul_tensor *unsound,
                      const unsigned char *off, enum cul_unsound why) {
  uint64_t n = 0;
  for (uint64_t i = 0; i < unsound->n; i++)
    n += unsound->data[i] == why && (!off || off[i]);
  return n;
}

/* Append the first of these elements, " ([0], [2], ...)". */
static void add_which(const struct cul_tensor *unsound, enum cul_unsound why,
                      struct cul_buf *out) {
  enum { MOST = 3 };
  size_t n = 0;
  for (uint64_t i = 0; i < unsound->n && n <= MOST; i++) {
    if (unsound->data[i] != why)
      continue;
    cul_buf_adds(out, n == 0 ? " (" : ", ");
    if (n++ < MOST)
      cul_tensor_add_index(unsound, i, out);
    else
      cul_buf_adds(out, "...");
  }
  cul_buf_adds(out, n ? ")" : "");
}

static void say(const struct cul_tensor *unsound, uint64_t n,
                enum cul_unsound why, struct cul_buf *out) {
  cul_buf_addf(out, "%llu of %llu elements%s%.40s", (unsigned long long)n,
               (unsigned long long)unsound->n, *unsound->name ? " of " : "",
               unsound->name);
  if (why == CUL_VARIES && unsound->n > 1)
    add_which(unsound, why, out);
  cul_buf_addf(out, " %s", n == 1 ? words[why].one : words[why].more);
}

static bool mismatch_unwritten(const struct mismatch *mismatch,
                               struct scene *scene, struct cul_wants *more);
static const char *mismatch_raised(const struct scene *scene);
static const char *read_outside(const struct scene *scene);
static const char *undefined_in(const struct cul_record *record, int *len);
static char *undefined_kind(const char *what, int len);
static void mismatch_unchecked(const struct scene *scene, char *out,
                               size_t size);
static bool mismatch_sane(const struct mismatch *mismatch, struct scene *scene,
                          struct cul_wants *more, struct cul_verdict *verdict);

/* Does the suspect differ where the reference is unsound? differs: by reason,
 * or NULL; out: appended, "3 of 12 elements of lines[0] overflow in the
 * reference". */
static bool mismatch_differs_unsound(const struct mismatch *mismatch,
                                     const struct scene *scene,
                                     bool differs[CUL_N_UNSOUND],
                                     struct cul_buf *out) {
  struct cul_tolerance_conf bound =
      mismatch_bound(mismatch, scene, &scene->view);
  struct cul_outputs outputs;
  bool found = false;
  cul_tensors_compare(mismatch_tensors(scene, CUL_ROLE_SUSPECT),
                      mismatch_tensors(scene, CUL_ROLE_REFERENCE), &bound,
                      &outputs);
  for (size_t t = 0; t < outputs.n; t++) {
    const struct cul_output *output = &outputs.items[t];
    const unsigned char *off = output->difference.off;
    const struct cul_tensor *unsound =
        off ? cul_tensors_find(&scene->view.unsound, output->want->name) : NULL;
    /* what is NaN on both sides differs only by a user's tolerance */
    for (int why = CUL_BOTH + 1; why < CUL_N_UNSOUND && unsound; why++) {
      uint64_t n = count(unsound, off, (enum cul_unsound)why);
      if (n && !found)
        say(unsound, n, (enum cul_unsound)why, out);
      if (n && differs)
        differs[why] = true;
      found = found || n;
    }
  }
  cul_outputs_release(&outputs);
  return found;
}

/* Append all unsound elements, each kind with "; " before it and "and are not
 * compared" after it. */
static void mismatch_say_left(const struct scene *scene, struct cul_buf *out) {
  enum { MOST = 3 };
  size_t said = 0;
  for (size_t t = 0; t < scene->view.unsound.n; t++)
    for (int why = CUL_SOUND + 1; why < CUL_N_UNSOUND; why++) {
      const struct cul_tensor *unsound = &scene->view.unsound.items[t];
      uint64_t n = count(unsound, NULL, (enum cul_unsound)why);
      if (n && said++ < MOST) {
        cul_buf_adds(out, "; ");
        say(unsound, n, (enum cul_unsound)why, out);
        cul_buf_addf(out, " and %s not compared", n == 1 ? "is" : "are");
      }
    }
  if (said > MOST)
    cul_buf_adds(out, "; nor are elements of other outputs");
}

/* ---- mismatch ---- */

/* The least and the largest bound on |got-want| divided by the tolerance: below
 * the least a difference may be rounding. */
static const double least_severity = 16, most_severity = 1e4;
static const double kept_share = 0.05; /* of the original's severity */

static bool mismatch_wanted(const struct cul_oracle_conf *conf) {
  return conf->mismatch.wanted;
}

static void mismatch_close(void *self) {
  struct mismatch *mismatch = self;
  for (size_t i = 0; i < mismatch->n_ignore; i++)
    cul_pattern_free(mismatch->ignore[i]);
  free(mismatch);
}

static int open_ignored(struct mismatch *mismatch, struct cul_err *err) {
  const char *text;
  int rc = 0;
  while (rc == 0 && (text = cul_varied_ignored(mismatch->conf->mismatch.ignore,
                                               mismatch->n_ignore)))
    rc = cul_pattern_new("ignore", text,
                         &mismatch->ignore[mismatch->n_ignore++], err);
  return rc;
}

static int mismatch_open(const struct cul_oracle_conf *conf, void **self,
                         struct cul_err *err) {
  struct mismatch *mismatch;
  if (cul_tolerance_check(&conf->mismatch.tolerance, err) < 0)
    return err->code;
  mismatch = cul_xcalloc(1, sizeof *mismatch);
  mismatch->conf = conf;
  if (open_ignored(mismatch, err) < 0) {
    mismatch_close(mismatch);
    return err->code;
  }
  mismatch->tolerance = conf->mismatch.tolerance;
  mismatch->tolerance.rounding = true;
  /* A tolerance of the user defines by itself what is wrong. */
  mismatch->fixed = cul_tolerance_is_given(&conf->mismatch.tolerance);
  *self = mismatch;
  return 0;
}

/* The length of the output that counts.  If a signal ended the process, the
 * last line may end within a number, so only whole lines count; all of the
 * output does if it has none. */
static size_t whole_lines(const struct cul_record *record) {
  const char *text = cul_buf_str(&record->out),
             *last = cul_record_signal(record) ? strrchr(text, '\n') : NULL;
  return last ? (size_t)(last + 1 - text) : record->out.len;
}

/* Read the numbers of the run, without the text that --ignore removes. */
static int read_numbers(const struct mismatch *mismatch, struct said *said,
                        struct cul_err *err) {
  struct cul_record record = *said->record;
  struct cul_buf kept = {0};
  int rc = 0;
  record.out.len = whole_lines(&record);
  for (size_t i = 0; i < mismatch->n_ignore && rc == 0; i++) {
    struct cul_buf next = {0};
    if (!cul_pattern_replace(mismatch->ignore[i], cul_buf_bytes(&record.out),
                             "", &next))
      rc = cul_fail(err, CUL_EUSAGE, "simplify the expression",
                    "--ignore needs too many steps on its output");
    cul_buf_release(&kept);
    record.out = kept = next;
  }
  if (rc == 0)
    rc = cul_numbers_read(&record, &said->numbers, err);
  cul_buf_release(&kept);
  return rc;
}

/* ---- heads: the output of a command before it ends with an error ---- */

/* End the text after as many lines as `printed` has. */
static void keep_lines(const char *printed, char *text) {
  for (; *printed && *text; printed++)
    if (*printed == '\n') {
      text += strcspn(text, "\n");
      text += *text == '\n';
    }
  *text = '\0';
}

/* Shorten the tensor to the rows of `head`, if that has fewer rows and the same
 * shape otherwise.  False: it has not. */
static bool keep_head(const struct cul_tensor *head,
                      struct cul_tensor *tensor) {
  if (tensor->rank == 0 || head->rank != tensor->rank ||
      head->dims[0] >= tensor->dims[0] ||
      memcmp(head->dims + 1, tensor->dims + 1,
             (tensor->rank - 1) * sizeof *tensor->dims) != 0)
    return false;
  tensor->n = tensor->n / tensor->dims[0] * head->dims[0];
  tensor->dims[0] = head->dims[0];
  if (head->text && tensor->text)
    keep_lines(head->text, tensor->text);
  return true;
}

/* Keep only the tensors and rows that `heads` have.  True: something was left
 * out. */
static bool keep_heads(const struct cul_tensors *heads,
                       struct cul_tensors *tensors) {
  bool cut = false, single = heads->n == 1 && tensors->n == 1;
  struct cul_tensors kept = {
      .items = cul_xcalloc(tensors->n + 1, sizeof *kept.items)};
  if (heads->n == 0)
    return cul_tensors_release(&kept), false;
  for (size_t i = 0; i < tensors->n; i++) {
    struct cul_tensor *tensor = &tensors->items[i];
    const struct cul_tensor *head =
        single ? &heads->items[0] : cul_tensors_find(heads, tensor->name);
    cut = cut || !head || head->n < tensor->n;
    if (!head)
      continue;
    keep_head(head, tensor);
    kept.items[kept.n++] = *tensor;
    *tensor = (struct cul_tensor){0};
  }
  cul_tensors_release(tensors);
  *tensors = kept;
  return cut;
}

/* ---- which runs are judged ---- */

/* Do --exit or --signal demand that the command under test ends with an error?
 */
static bool wants_error(const struct mismatch *mismatch) {
  return mismatch->conf->exit_code > 0 || mismatch->conf->signal;
}

/* Did the run end so that it can be judged?  --exit and --signal define this
 * for the command under test; other runs must exit with 0. */
static bool ended_well(const struct mismatch *mismatch,
                       const struct cul_record *record, const char *who) {
  bool suspect = strcmp(who, "command") == 0 || strcmp(who, "suspect") == 0;
  if (suspect && mismatch->conf->signal)
    return cul_record_signal(record) == mismatch->conf->signal;
  return record->end == CUL_EXITED &&
         record->status == (suspect && mismatch->conf->exit_code >= 0
                                ? mismatch->conf->exit_code
                                : 0);
}

/* For the original: could the error be the end of a run that is judged?  Then
 * its numbers are compared, or, with --prints-nothing, it has none. */
static bool may_be_judged(const struct mismatch *mismatch,
                          const struct cul_record *record) {
  struct said said = {.record = record};
  struct cul_err ignored = {0};
  bool any;
  if (mismatch->learnt || (record->end == CUL_EXITED && record->status == 0) ||
      record->truncated || mismatch->conf->exit_code >= 0 ||
      mismatch->conf->signal)
    return false;
  any = read_numbers(mismatch, &said, &ignored) == 0 &&
        said.numbers.tensors.n > 0;
  cul_numbers_release(&said.numbers);
  return any != mismatch->conf->mismatch.silent;
}

/* What to do about a program that prints into a buffer, and dies before it
 * writes it out; "" if that is not what happened. */
static const char *unflushed(const struct cul_record *record) {
  return cul_record_signal(record) && record->out.len == 0
             ? "; to see what it printed before, run stdbuf -oL CMD"
             : "";
}

static void say_failure(const struct mismatch *mismatch,
                        const struct cul_record *record, const char *who,
                        struct cul_verdict *verdict) {
  const char *then = mismatch->conf->mismatch.silent
                         ? "makes that part of the failure"
                         : "compares its numbers nevertheless";
  int number = cul_record_signal(record);
  char advice[80] = "";
  if (strcmp(who, "command") != 0)
    ;
  else if (!may_be_judged(mismatch, record))
    snprintf(advice, sizeof advice, "%s",
             mismatch->learnt ? "" : unflushed(record));
  else if (number)
    snprintf(advice, sizeof advice, "; --signal %s %s", cul_signal_name(number),
             then);
  else
    snprintf(advice, sizeof advice, "; --exit %d %s", record->status, then);
  cul_verdict_set(
      verdict, CUL_OTHER, 1, "the %s fails: %.*s%s", who, *advice ? 110 : 150,
      record->end == CUL_EXITED && record->status == 0 ? "it exits 0"
                                                       : verdict->sig.title,
      advice);
}

/* True if the tensors of the run can be judged; else verdict contains the
 * reason. */
static bool mismatch_take(const struct mismatch *mismatch, struct said *said,
                          const char *who, struct cul_verdict *verdict) {
  const struct cul_record *record = said->record;
  struct cul_err err = {0};
  if (cul_settle_run(record, verdict))
    return false;
  cul_signature_read(mismatch->conf->rules, record, &verdict->sig);
  if (!ended_well(mismatch, record, who)) {
    say_failure(mismatch, record, who, verdict);
    return false;
  }
  if (record->truncated) {
    cul_verdict_set(verdict, CUL_UNRESOLVED, 1,
                    "the %s writes more than is kept", who);
    return false;
  }
  if (read_numbers(mismatch, said, &err) < 0) {
    cul_verdict_set(verdict, CUL_UNRESOLVED, 1, "the %s: %.150s", who,
                    err.what);
    return false;
  }
  said->read = true;
  if (said->numbers.tensors.n) {
    if (said->suspect && wants_error(mismatch))
      said->cut =
          keep_heads(&said->suspect->numbers.tensors, &said->numbers.tensors);
    return true;
  }
  cul_verdict_set(verdict, CUL_UNRESOLVED, 1,
                  "the %s prints no numbers and writes no tensors%s%s", who,
                  strcmp(who, "command") == 0
                      ? "; --prints-nothing makes that the failure"
                      : "",
                  unflushed(record));
  return false;
}

/* Was the run read without finding numbers? */
static bool is_silent(const struct said *said) {
  return said->read && said->numbers.tensors.n == 0;
}

static void say_silent(const struct scene *scene, struct cul_verdict *verdict) {
  const struct cul_tensors *want = mismatch_tensors(scene, CUL_ROLE_REFERENCE);
  unsigned long long n = 0;
  for (size_t i = 0; i < want->n; i++)
    n += want->items[i].n;
  verdict->sig = (struct cul_signature){.kind = CUL_KIND_MISMATCH};
  snprintf(verdict->sig.title, sizeof verdict->sig.title,
           "mismatch: the command prints no numbers, where the reference "
           "prints %llu",
           n);
  cul_verdict_set(verdict, CUL_SAME, 1, "%.180s", verdict->sig.title);
}

/* The same for a run of a reference, whose failure is not another failure of
 * the candidate. */
static bool mismatch_take_other(const struct mismatch *mismatch,
                                struct said *said, const char *who,
                                struct cul_verdict *verdict) {
  if (mismatch_take(mismatch, said, who, verdict))
    return true;
  if (verdict->answer == CUL_OTHER)
    verdict->answer = CUL_UNRESOLVED;
  return false;
}

static void mismatch_ask(struct cul_wants *more, enum cul_run_role role) {
  more->want[more->n++] = (struct cul_want){.role = role};
}

/* Is a single number wrong, and is it 0? */
static bool is_lone_zero(const struct cul_outputs *outputs) {
  uint64_t n = 0;
  for (size_t i = 0; i < outputs->n; i++)
    n += outputs->items[i].difference.n_fail;
  return outputs->class == CUL_ERR_ALL_ZERO && n == 1;
}

/* Is it the error class of the original? A single wrong value may happen to be
 * 0; other classes are other defects. */
static bool same_class(const struct mismatch *mismatch,
                       const struct cul_outputs *outputs) {
  return !mismatch->learnt || mismatch->conf->any_class ||
         outputs->class == mismatch->class ||
         (mismatch->class == CUL_ERR_VALUE && is_lone_zero(outputs));
}

/* Is every tensor of `got` within the bound of that of `want`? */
static bool mismatch_within(const struct scene *scene, enum cul_run_role got,
                            enum cul_run_role want,
                            const struct cul_tolerance_conf *bound) {
  struct cul_outputs outputs;
  bool all;
  cul_tensors_compare(mismatch_tensors(scene, got),
                      mismatch_tensors(scene, want), bound, &outputs);
  all = outputs.n_fail == 0;
  cul_outputs_release(&outputs);
  return all;
}

/* Can the reference's run in f64 be compared with it, element by element? */
static bool take_wide(const struct mismatch *mismatch, struct scene *scene,
                      struct cul_verdict *verdict) {
  if (!mismatch_take_other(mismatch, &scene->by[CUL_ROLE_WIDE],
                           "reference in f64", verdict))
    return false;
  if (mismatch_mark(mismatch, scene, &scene->view))
    return true;
  cul_verdict_set(verdict, CUL_UNRESOLVED, 1,
                  "the reference computes a different result in f64");
  return false;
}

/* Compare the suspect with the reference, or with its run in f64;
 * view->outputs: the differences. */
static void measure(const struct mismatch *mismatch, const struct scene *scene,
                    struct view *view) {
  const struct cul_tolerance_conf exact =
      mismatch_exact(mismatch, &view->unsound);
  bool wide = mismatch_is_wide(mismatch, scene, view);
  struct cul_tolerance_conf bound = mismatch_bound(mismatch, scene, view);
  double severity;
  bound.ignore = &view->unsound;
  cul_outputs_release(&view->outputs);
  cul_tensors_compare(
      mismatch_tensors(scene, CUL_ROLE_SUSPECT),
      mismatch_tensors(scene, wide ? view->wide : CUL_ROLE_REFERENCE), &bound,
      &view->outputs);
  if (!wide || !scene->by[view->wide].numbers.exact)
    return;
  severity = view->outputs.severity;
  cul_outputs_release(&view->outputs);
  cul_tensors_compare(mismatch_tensors(scene, CUL_ROLE_SUSPECT),
                      mismatch_tensors(scene, CUL_ROLE_REFERENCE), &exact,
                      &view->outputs);
  view->outputs.severity = severity;
}

static bool is_exact(const struct mismatch *mismatch, const struct scene *scene,
                     const struct view *view) {
  return mismatch_is_wide(mismatch, scene, view) &&
         scene->by[view->wide].numbers.exact;
}

/* The least severity that counts. Where roundings were counted their bound
 * holds as it is. */
static double least(const struct mismatch *mismatch, const struct scene *scene,
                    const struct view *view) {
  bool counted = mismatch_is_wide(mismatch, scene, view) &&
                 scene->by[view->wide].numbers.bounds.n > 0;
  double floor = mismatch->fixed ? 0 : counted ? 1 : least_severity;
  return mismatch->floor > floor ? mismatch->floor : floor;
}

/* Are the differences so small that they may be rounding? */
static bool is_little(const struct mismatch *mismatch,
                      const struct scene *scene, const struct view *view) {
  return view->outputs.n_fail == 0 ||
         (!is_exact(mismatch, scene, view) &&
          view->outputs.severity < least(mismatch, scene, view));
}

/* Are all elements that are off not finite in what is wanted? */
static bool only_wanted_nonfinite(const struct cul_outputs *outputs) {
  for (size_t t = 0; t < outputs->n; t++) {
    const struct cul_output *output = &outputs->items[t];
    const unsigned char *off = output->difference.off;
    for (uint64_t i = 0; off && i < output->want->n; i++)
      if (off[i] && is_finite(output->want, i))
        return false;
    if (!off && output->difference.n_fail)
      return false;
  }
  return true;
}

/* Compare the sound elements. If only elements differ in the original that are
 * not finite in the reference and in f64, those are the failure. */
static void look(const struct mismatch *mismatch, const struct scene *scene,
                 struct view *view) {
  if (mismatch->learnt && mismatch->nonfinite)
    (void)mismatch_count_nonfinite(view);
  measure(mismatch, scene, view);
  if (!mismatch->learnt && is_little(mismatch, scene, view) &&
      mismatch_count_nonfinite(view))
    measure(mismatch, scene, view);
  view->nonfinite = !is_little(mismatch, scene, view) &&
                    only_wanted_nonfinite(&view->outputs);
}

/* The differences are too small: report whether the suspect differs where the
 * reference is unsound. */
static void say_little(const struct mismatch *mismatch, struct scene *scene,
                       struct cul_verdict *verdict) {
  struct cul_buf unsound = {0};
  if (mismatch_differs_unsound(mismatch, scene, NULL, &unsound))
    cul_verdict_set(verdict, CUL_UNRESOLVED, 1,
                    "%s: %.110s; give inputs or constants that keep numbers "
                    "in range",
                    scene->view.outputs.n_fail
                        ? "the other differences may be rounding"
                        : "the reference is not sound where numbers differ",
                    cul_buf_str(&unsound));
  else if (scene->view.outputs.n_fail)
    cul_verdict_set(
        verdict, CUL_PASSES, 1,
        "the differences are so small that they may be rounding: "
        "%.3g times the bound, where %.3g are needed%s",
        scene->view.outputs.severity, least(mismatch, scene, &scene->view),
        mismatch->learnt ? ""
                         : "; --rtol, --atol or --ulp set a bound of your own");
  else
    cul_verdict_set(verdict, CUL_PASSES, 1,
                    "rounding explains all differences");
  cul_buf_release(&unsound);
}

/* The number of seeds with a mismatch; *n: all seeds.  "result[0/1]" belongs to
 * the second seed; other names belong to the only seed. */
static size_t count_wrong_seeds(const struct cul_outputs *outputs, size_t *n) {
  enum { MOST = 64 };
  bool seen[MOST] = {false}, wrong[MOST] = {false};
  size_t count = 0;
  for (size_t i = 0; i < outputs->n; i++) {
    const struct cul_output *output = &outputs->items[i];
    const char *slash = strrchr(output->name, '/');
    size_t seed = slash && strncmp(output->name, "result[", 7) == 0
                      ? strtoul(slash + 1, NULL, 10) % MOST
                      : 0;
    seen[seed] = true;
    wrong[seed] = wrong[seed] || output->difference.n_fail > 0;
  }
  *n = 0;
  for (size_t s = 0; s < MOST; s++)
    *n += seen[s], count += wrong[s];
  return count;
}

/* Are two of three seeds wrong, or as many as in the original if those are
 * fewer? */
static bool enough_seeds(const struct mismatch *mismatch,
                         const struct cul_outputs *outputs) {
  size_t n, wrong = count_wrong_seeds(outputs, &n);
  size_t least = (2 * n + 2) / 3;
  if (!mismatch->learnt)
    return wrong > 0;
  return wrong >= (least < mismatch->seeds ? least : mismatch->seeds);
}

/* Is it a difference as in the original? False: verdict contains what it is
 * instead. */
static bool differs(const struct mismatch *mismatch, struct scene *scene,
                    struct cul_verdict *verdict) {
  struct cul_outputs *outputs = &scene->view.outputs;
  look(mismatch, scene, &scene->view);
  verdict->sig = (struct cul_signature){.kind = CUL_KIND_NONE};
  if (is_little(mismatch, scene, &scene->view))
    say_little(mismatch, scene, verdict);
  else if (!enough_seeds(mismatch, outputs))
    cul_verdict_set(verdict, CUL_UNRESOLVED, 1,
                    "wrong for fewer seeds than the original");
  else if (mismatch->class != CUL_ERR_UNWRITTEN &&
           !same_class(mismatch, outputs))
    cul_verdict_set(verdict, CUL_UNRESOLVED, 1,
                    "wrong in another way: %s, and not %s",
                    cul_error_class_name(outputs->class),
                    cul_error_class_name(mismatch->class));
  else
    return true;
  return false;
}

/* Append the first element that is off, on both sides: "; got 3, want 2 at
 * [1]". */
static void add_first(const struct cul_output *output,
                      const struct cul_tensors *reference,
                      struct cul_buf *out) {
  const struct cul_difference *d = &output->difference;
  const struct cul_tensor *want =
      reference->n == 1 ? &reference->items[0]
                        : cul_tensors_find(reference, output->want->name);
  if (!want || d->first >= want->n)
    want = output->want;
  cul_buf_adds(out, "; ");
  cul_tensor_add_pair(output->got, want, d->first, out);
  if (want->n == 1)
    return;
  cul_buf_adds(out, " at ");
  cul_tensor_add_index(want, d->first, out);
}

/* Append a description of the elements that are off: ", PATTERN; got 3, want
 * 2". */
static void add_words(const struct cul_outputs *outputs,
                      const struct cul_output *output,
                      const struct cul_tensors *reference,
                      struct cul_buf *out) {
  struct cul_buf where = {0};
  cul_outputs_place(outputs, output, &where);
  /* contents of unwritten memory have no pattern */
  if (!where.len && outputs->class != CUL_ERR_UNWRITTEN)
    cul_tensor_pattern(output->got, output->want, &output->difference, &where);
  if (where.len)
    cul_buf_addf(out, ", %.110s", cul_buf_str(&where));
  add_first(output, reference, out);
  cul_buf_release(&where);
}

/* Describe the mismatch as a signature: which output, how many elements, in
 * what pattern, and the first of them on both sides.  reference: its numbers,
 * where the outputs were compared with others (f64). */
static void say_mismatch(const struct cul_outputs *outputs,
                         const struct cul_tensors *reference,
                         struct cul_signature *sig) {
  const struct cul_output *worst = NULL;
  const struct cul_difference *d;
  bool unwritten = outputs->class == CUL_ERR_UNWRITTEN;
  struct cul_buf where = {0};
  for (size_t i = outputs->n; i-- > 0;)
    if (outputs->items[i].difference.n_fail)
      worst = &outputs->items[i];
  if (!worst)
    cul_bug("a mismatch of outputs of which none is off");
  *sig = (struct cul_signature){.kind = CUL_KIND_MISMATCH};
  d = &worst->difference;
  if (d->class == CUL_ERR_SHAPE) {
    snprintf(sig->title, sizeof sig->title, "mismatch: %.60s: %.150s",
             worst->name, d->why);
    return;
  }
  add_words(outputs, worst, reference, &where);
  snprintf(sig->title, sizeof sig->title,
           "mismatch (%s): %.40s%s%llu of %llu are off%s",
           cul_error_class_name(unwritten ? outputs->class : d->class),
           worst->name, *worst->name ? ": " : "", (unsigned long long)d->n_fail,
           (unsigned long long)d->n, cul_buf_str(&where));
  cul_buf_release(&where);
}

static void conclude(const struct mismatch *mismatch, struct scene *scene,
                     struct cul_wants *more, struct cul_verdict *verdict) {
  if (mismatch->conf->mismatch.silent) {
    say_silent(scene, verdict);
    return;
  }
  if (!scene->by[CUL_ROLE_SUSPECT_POISON].record) {
    mismatch_ask(more, CUL_ROLE_SUSPECT_POISON);
    return;
  }
  if (mismatch_unwritten(mismatch, scene, more))
    scene->view.outputs.class = CUL_ERR_UNWRITTEN;
  if (more->n)
    return;
  if (!same_class(mismatch, &scene->view.outputs)) {
    cul_verdict_set(verdict, CUL_UNRESOLVED, 1, "wrong in another way: %s",
                    cul_error_class_name(scene->view.outputs.class));
    return;
  }
  say_mismatch(&scene->view.outputs,
               mismatch_tensors(scene, CUL_ROLE_REFERENCE), &verdict->sig);
  cul_verdict_set(verdict, CUL_SAME, 1, "%.180s", verdict->sig.title);
}

/* ---- culprit's own run in f64 ---- */

static double severity_of(const struct cul_outputs *outputs) {
  return outputs->class == CUL_ERR_VALUE ? outputs->graded : outputs->severity;
}

/* Does an element of the reference have another value in f64? */
static bool has_elsewise(const struct view *view) {
  for (size_t t = 0; t < view->unsound.n; t++)
    if (count(&view->unsound.items[t], NULL, CUL_ELSEWISE))
      return true;
  return false;
}

/* Is there a run of culprit's own that can serve as the reference in f64? */
static bool take_own(const struct mismatch *mismatch, struct scene *scene) {
  struct said *own = &scene->by[CUL_ROLE_OWN];
  struct cul_verdict ignored = {0};
  if (!own->read && own->record)
    (void)mismatch_take(mismatch, own, "", &ignored);
  return own->read && own->numbers.digits;
}

/* For a candidate: does it agree with the reference in every number that is
 * finite?  Then it serves as the reference in f64 from now on. */
static bool believes_own(const struct mismatch *mismatch, struct scene *scene) {
  struct view own = {.wide = CUL_ROLE_OWN};
  bool agrees = mismatch->own && take_own(mismatch, scene) &&
                mismatch_mark(mismatch, scene, &own) && !has_elsewise(&own);
  release_view(agrees ? &scene->view : &own);
  if (agrees)
    scene->view = own;
  return agrees;
}

/* For a candidate: does the suspect agree with it, so that the reference need
 * not run?  True also while the run is requested: verdict is not complete.  If
 * not, the reference is requested, and the scene is made anew with it. */
static bool is_settled_by_own(const struct mismatch *mismatch,
                              struct scene *scene, struct cul_wants *more,
                              struct cul_verdict *verdict) {
  bool settled = false;
  if (!mismatch->own || scene->by[CUL_ROLE_REFERENCE].record)
    return false;
  if (!scene->by[CUL_ROLE_OWN].record) {
    mismatch_ask(more, CUL_ROLE_OWN);
    return true;
  }
  if (take_own(mismatch, scene)) {
    const struct view own = {.wide = CUL_ROLE_OWN};
    const struct cul_tolerance_conf exact = mismatch_exact(mismatch, NULL);
    struct cul_tolerance_conf bound = mismatch_bound(mismatch, scene, &own);
    settled = mismatch_within(scene, CUL_ROLE_SUSPECT, CUL_ROLE_OWN,
                              scene->by[CUL_ROLE_OWN].numbers.exact ? &exact
                                                                    : &bound);
  }
  if (settled) {
    verdict->sig = (struct cul_signature){.kind = CUL_KIND_NONE};
    cul_verdict_set(verdict, CUL_PASSES, 1,
                    "the same numbers as culprit's own run in f64");
  }
  return settled;
}

/* For the original, once it shows a mismatch: believe culprit's own run if it
 * tells the same.  Without another run in f64 the scene is then judged by it.
 */
static void try_own(struct mismatch *mismatch, struct scene *scene) {
  const struct cul_outputs *other = &scene->view.outputs;
  struct view own = {.wide = CUL_ROLE_OWN};
  if (take_own(mismatch, scene) && mismatch_mark(mismatch, scene, &own) &&
      !has_elsewise(&own)) {
    look(mismatch, scene, &own);
    mismatch->own = !is_little(mismatch, scene, &own) &&
                    own.outputs.class == other->class &&
                    own.outputs.n_fail == other->n_fail;
    mismatch->own_severity = severity_of(&own.outputs);
  }
  mismatch->only_own = mismatch->own && mismatch->narrow[0];
  release_view(mismatch->only_own ? &scene->view : &own);
  if (mismatch->only_own)
    scene->view = own;
}

/* For the original: can culprit's own run serve, beside the reference's run in
 * f64 or in its place? */
static bool may_serve(const struct mismatch *mismatch,
                      const struct scene *scene) {
  return mismatch->conf->mismatch.own && !mismatch->fixed &&
         scene->view.wide != CUL_ROLE_OWN &&
         (mismatch->narrow[0] ||
          mismatch_is_wide(mismatch, scene, &scene->view));
}

/* Compare after both have run; may request the run in f64 first. */
static bool compare(const struct mismatch *mismatch, struct scene *scene,
                    struct cul_wants *more, struct cul_verdict *verdict) {
  bool wide = mismatch->conf->mismatch.wide &&
              (!mismatch->narrow[0] || mismatch->only_own);
  const struct cul_tolerance_conf exact = mismatch_exact(mismatch, NULL);
  if (mismatch_within(scene, CUL_ROLE_SUSPECT, CUL_ROLE_REFERENCE, &exact)) {
    verdict->sig = (struct cul_signature){.kind = CUL_KIND_NONE};
    cul_verdict_set(verdict, CUL_PASSES, 1,
                    "the same numbers as the reference%s",
                    scene->by[CUL_ROLE_REFERENCE].cut
                        ? ", as far as the command prints them"
                        : "");
    return false;
  }
  if (wide && !mismatch->fixed && believes_own(mismatch, scene))
    return differs(mismatch, scene, verdict);
  if (mismatch->only_own) {
    cul_verdict_set(verdict, CUL_UNRESOLVED, 1,
                    "culprit's own run in f64, the only one, does not agree "
                    "with the reference");
    return false;
  }
  if (wide && !mismatch->fixed) {
    if (!scene->by[CUL_ROLE_WIDE].record) {
      mismatch_ask(more, CUL_ROLE_WIDE);
      return false;
    }
    if (!take_wide(mismatch, scene, verdict))
      return false;
  } else {
    if (scene->by[CUL_ROLE_WIDE].record)
      (void)mismatch_take(mismatch, &scene->by[CUL_ROLE_WIDE], "",
                          &(struct cul_verdict){0});
    (void)mismatch_mark(mismatch, scene, &scene->view);
  }
  return differs(mismatch, scene, verdict);
}

/* Has the suspect what can be judged: numbers, or, with --prints-nothing, none?
 * False: verdict contains the reason. */
static bool take_suspect(const struct mismatch *mismatch, struct scene *scene,
                         struct cul_verdict *verdict) {
  struct said *suspect = &scene->by[CUL_ROLE_SUSPECT];
  bool silent = mismatch->conf->mismatch.silent;
  bool taken = mismatch_take(mismatch, suspect, "command", verdict);
  if (!silent || verdict->answer == CUL_OTHER)
    return taken;
  if (taken)
    cul_verdict_set(verdict, CUL_PASSES, 1, "the command prints numbers");
  return !taken && is_silent(suspect);
}

/* Judge the first suspect of the records; may request other roles. */
static void examine(const struct mismatch *mismatch, struct scene *scene,
                    struct cul_wants *more, struct cul_verdict *verdict) {
  struct said *reference = &scene->by[CUL_ROLE_REFERENCE];
  bool silent = mismatch->conf->mismatch.silent;
  verdict->answer = CUL_UNRESOLVED;
  if (!take_suspect(mismatch, scene, verdict) ||
      is_settled_by_own(mismatch, scene, more, verdict))
    return;
  if (!reference->record) {
    mismatch_ask(more, CUL_ROLE_REFERENCE);
    return;
  }
  if (scene->again.record)
    (void)mismatch_take(mismatch, &scene->again, "",
                        &(struct cul_verdict){.answer = CUL_UNRESOLVED});
  if (mismatch_take_other(mismatch, reference, "reference", verdict) &&
      (silent || compare(mismatch, scene, more, verdict)) &&
      mismatch_sane(mismatch, scene, more, verdict))
    conclude(mismatch, scene, more, verdict);
}

static void release_scene(struct scene *scene) {
  release_view(&scene->view);
  cul_numbers_release(&scene->again.numbers);
  for (size_t r = 0; r < CUL_N_ROLES; r++)
    cul_numbers_release(&scene->by[r].numbers);
}

/* A scene of the records: one suspect, the first record of each other role, and
 * the second one of the reference. */
static void set_scene(struct scene *scene, const struct cul_record *records,
                      size_t n, const struct cul_record *suspect) {
  *scene = (struct scene){.view = {.wide = CUL_ROLE_WIDE}};
  for (size_t i = n; i-- > 0;) {
    if (records[i].role == CUL_ROLE_REFERENCE)
      scene->again.record = scene->by[CUL_ROLE_REFERENCE].record;
    scene->by[records[i].role].record = &records[i];
  }
  for (int role = CUL_ROLE_SUSPECT + 1; role < CUL_N_ROLES; role++)
    scene->by[role].suspect = &scene->by[CUL_ROLE_SUSPECT];
  scene->again.suspect = &scene->by[CUL_ROLE_SUSPECT];
  scene->by[CUL_ROLE_SUSPECT].record = suspect;
}

static int mismatch_judge(const void *self, const struct cul_record *records,
                          size_t n, struct cul_wants *more,
                          struct cul_verdict *verdict, struct cul_err *err) {
  struct scene scene;
  (void)err;
  more->n = 0;
  set_scene(&scene, records, n, &records[0]);
  examine(self, &scene, more, verdict);
  release_scene(&scene);
  return 0;
}

/* Store the kind of undefined behaviour that the original shows and the user
 * accepts. */
static void remember_undefined(struct mismatch *mismatch,
                               const struct scene *scene) {
  static const enum cul_run_role roles[] = {CUL_ROLE_CHECKED, CUL_ROLE_CONTROL};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(roles); i++) {
    const struct cul_record *record = scene->by[roles[i]].record;
    int len;
    const char *what = record ? undefined_in(record, &len) : NULL;
    char *kind = what ? undefined_kind(what, len) : NULL;
    if (kind)
      snprintf(mismatch->assumed, sizeof mismatch->assumed, "%s", kind);
    free(kind);
  }
}

/* Store the measures of the original, which candidates must meet. */
static void remember(struct mismatch *mismatch, const struct scene *scene) {
  double severity = severity_of(&scene->view.outputs), floor;
  struct cul_buf left = {0};
  size_t n;
  if (mismatch->own && mismatch->own_severity < severity)
    severity = mismatch->own_severity;
  floor = kept_share * severity;
  mismatch->learnt = true;
  mismatch->class = scene->view.outputs.class;
  mismatch->nonfinite = scene->view.nonfinite;
  mismatch_say_left(scene, &left);
  if (scene->by[CUL_ROLE_REFERENCE].cut)
    cul_buf_adds(&left, "; what the command does not print before it ends is "
                        "not compared");
  snprintf(mismatch->left, sizeof mismatch->left, "%s", cul_buf_str(&left));
  cul_buf_release(&left);
  mismatch->exact = is_exact(mismatch, scene, &scene->view);
  mismatch->counted = mismatch_is_wide(mismatch, scene, &scene->view) &&
                      scene->by[scene->view.wide].numbers.bounds.n > 0;
  mismatch->seeds = count_wrong_seeds(&scene->view.outputs, &n);
  mismatch_unchecked(scene, mismatch->unchecked, sizeof mismatch->unchecked);
  remember_undefined(mismatch, scene);
  snprintf(mismatch->outside, sizeof mismatch->outside, "%s",
           read_outside(scene));
  snprintf(mismatch->raised, sizeof mismatch->raised, "%s",
           mismatch_raised(scene));
  if (!(floor < most_severity))
    floor = most_severity;
  if (floor > mismatch->floor)
    mismatch->floor = floor;
}

/* Do only elements differ that are numbers in the reference and other numbers
 * in f64? */
static bool is_elsewise(const struct mismatch *mismatch, struct scene *scene) {
  bool differs[CUL_N_UNSOUND] = {false};
  struct cul_buf ignored = {0};
  measure(mismatch, scene, &scene->view);
  if (is_little(mismatch, scene, &scene->view))
    (void)mismatch_differs_unsound(mismatch, scene, differs, &ignored);
  cul_buf_release(&ignored);
  return differs[CUL_ELSEWISE];
}

/* Does the run in f64 have an output of a narrower float type where the
 * reference has the same type?  Then the tool demoted it (as iree-compile
 * demotes f64 to f32). */
static bool is_demoted(const struct cul_tensors *wide,
                       const struct cul_tensors *reference) {
  for (size_t i = 0; i < wide->n && i < reference->n; i++) {
    const struct cul_tensor *tensor = &wide->items[i];
    if (!tensor->untyped && tensor->dtype != CUL_F64 &&
        cul_dtype_info(tensor->dtype)->kind == CUL_IS_FLOAT &&
        tensor->dtype == reference->items[i].dtype)
      return true;
  }
  return false;
}

/* For the original: find out whether its run in f64 can be used, or, with a
 * user's tolerance, whether the reference itself is within it. */
static void try_wide(struct mismatch *mismatch,
                     const struct cul_record *records, size_t n) {
  struct scene scene;
  struct cul_verdict verdict = {0};
  set_scene(&scene, records, n, &records[0]);
  if (scene.by[CUL_ROLE_WIDE].record && scene.by[CUL_ROLE_REFERENCE].record &&
      !mismatch->narrow[0] && !mismatch->warning[0] &&
      mismatch_take(mismatch, &scene.by[CUL_ROLE_SUSPECT], "command",
                    &verdict) &&
      mismatch_take(mismatch, &scene.by[CUL_ROLE_REFERENCE], "reference",
                    &verdict)) {
    if (!take_wide(mismatch, &scene, &verdict))
      snprintf(mismatch->narrow, sizeof mismatch->narrow, "%.230s",
               verdict.why);
    else if (scene.by[CUL_ROLE_WIDE].numbers.unchanged[0])
      snprintf(mismatch->narrow, sizeof mismatch->narrow, "%s",
               scene.by[CUL_ROLE_WIDE].numbers.unchanged);
    else if (is_demoted(mismatch_tensors(&scene, CUL_ROLE_WIDE),
                        mismatch_tensors(&scene, CUL_ROLE_REFERENCE)))
      snprintf(mismatch->narrow, sizeof mismatch->narrow,
               "the reference converts back to a narrower type");
    else if (!mismatch->fixed && is_elsewise(mismatch, &scene))
      mismatch->elsewise =
          snprintf(mismatch->narrow, sizeof mismatch->narrow,
                   "the reference computes a different result in f64") > 0;
    if (mismatch->fixed && scene.by[CUL_ROLE_WIDE].numbers.tensors.n &&
        !mismatch_within(&scene, CUL_ROLE_REFERENCE, CUL_ROLE_WIDE,
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

/* Learn from two runs of the suspect; if they disagree, the decorator requests
 * more. */
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
    set_scene(&scene, records, n, &records[i]);
    examine(mismatch, &scene, more, verdict);
    if (more->n == 0 && verdict->answer == CUL_SAME && !same &&
        may_serve(mismatch, &scene)) {
      if (!scene.by[CUL_ROLE_OWN].record)
        mismatch_ask(more, CUL_ROLE_OWN);
      else
        try_own(mismatch, &scene);
    }
    if (more->n == 0 && verdict->answer == CUL_SAME && same++ == 0)
      remember(mismatch, &scene);
    if (same && mismatch->fixed && mismatch->conf->mismatch.wide &&
        !scene.by[CUL_ROLE_WIDE].record)
      mismatch_ask(more, CUL_ROLE_WIDE);
    release_scene(&scene);
    if (verdict->answer == CUL_BROKEN)
      return 0;
  }
  if (suspects < 2 && more->n + 1 < CUL_MAX_WANTS)
    more->want[more->n++] = (struct cul_want){.attempt = 1};
  return 0;
}

/* Describe which numbers count as different, and which are not compared. */
static void describe_tolerance(const struct mismatch *mismatch,
                               struct cul_buf *out) {
  const struct cul_mismatch_conf *conf = &mismatch->conf->mismatch;
  if (conf->tolerance.signed_zero)
    cul_buf_adds(out, "; -0 is not 0");
  if (conf->tolerance.flush_denormals)
    cul_buf_adds(out, "; denormal numbers are 0");
  if (mismatch->learnt && mismatch->exact)
    cul_buf_adds(
        out, ", in any bit: nothing is rounded in the reference, in any order");
  else if (mismatch->learnt && conf->wide && !conf->silent &&
           !mismatch->fixed && (!mismatch->narrow[0] || mismatch->only_own))
    cul_buf_adds(out,
                 mismatch->counted
                     ? ", by more than the rounding errors of the operations "
                       "behind each number, counted in an f64 reference"
                     : ", by more than 64 times the effect of rounding, "
                       "measured with an f64 reference");
  if (mismatch->only_own)
    cul_buf_addf(out, "; culprit's own run is the f64 reference: %s",
                 mismatch->narrow);
  else if (mismatch->narrow[0] && !mismatch->fixed)
    cul_buf_addf(out, "; there is no reference in f64: %s", mismatch->narrow);
  if (mismatch->unchecked[0])
    cul_buf_addf(out,
                 "; undefined behaviour is checked only in candidates that "
                 "culprit can run, not in the input: %s; --control 'CMD @@' "
                 "gives another check",
                 mismatch->unchecked);
}

static void mismatch_describe(const void *self, struct cul_buf *out) {
  const struct mismatch *mismatch = self;
  bool silent = mismatch->conf->mismatch.silent;
  cul_buf_adds(out, silent ? "no numbers, where the reference prints some"
                           : "other numbers than the reference");
  if (mismatch->learnt && !silent)
    cul_buf_addf(out, " (%s%s)", cul_error_class_name(mismatch->class),
                 mismatch->conf->any_class ? ", or any other class" : "");
  if (mismatch->conf->exit_code > 0)
    cul_buf_addf(out, ", and exit status %d", mismatch->conf->exit_code);
  if (mismatch->conf->signal)
    cul_buf_addf(out, ", and death by %s",
                 cul_signal_name(mismatch->conf->signal));
  if (mismatch->nonfinite)
    cul_buf_adds(out, ", where the reference's are not finite");
  describe_tolerance(mismatch, out);
  if (mismatch->assumed[0])
    cul_buf_addf(out,
                 "; undefined behaviour that the input shows is accepted (%s), "
                 "and no other",
                 mismatch->assumed);
  if (mismatch->outside[0])
    cul_buf_addf(out,
                 "; warning: the reference reads within one allocation, but "
                 "out of bounds: %s",
                 mismatch->outside);
  cul_buf_adds(out, mismatch->left);
  if (mismatch->warning[0])
    cul_buf_addf(out, "; warning: %s", mismatch->warning);
  if (mismatch->conf->mismatch.unguarded && mismatch->learnt && !silent)
    cul_buf_adds(out, "; undefined behaviour is not checked for, but by runs "
                      "with other fresh memory, stack and addresses: a "
                      "--control with sanitizers finds more");
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
    .close = mismatch_close,
};

/* ---- sane: is the reference meaningful? ---- */

/* Does the suspect with filled memory (role) compute something else? */
static bool differs_filled(const struct mismatch *mismatch, struct scene *scene,
                           enum cul_run_role role, enum cul_run_role than) {
  const struct cul_tolerance_conf exact =
      mismatch_exact(mismatch, &scene->view.unsound);
  struct cul_verdict ignored = {0};
  return mismatch_take(mismatch, &scene->by[role], "suspect", &ignored) &&
         !mismatch_within(scene, than, role, &exact);
}

/* Does the result of the suspect depend on memory that was never written, while
 * the reference does not? Then that is the defect. (A suspect that is right by
 * chance shows nothing about memory.)  To fill memory also moves it, and the
 * result of some compilers depends on where their data lie; so another byte in
 * the same places must change the result again.  more: that run. */
static bool mismatch_unwritten(const struct mismatch *mismatch,
                               struct scene *scene, struct cul_wants *more) {
  if (!differs_filled(mismatch, scene, CUL_ROLE_SUSPECT_POISON,
                      CUL_ROLE_SUSPECT) ||
      !differs_filled(mismatch, scene, CUL_ROLE_SUSPECT_POISON,
                      CUL_ROLE_REFERENCE))
    return false;
  if (!scene->by[CUL_ROLE_SUSPECT_REFILLED].record) {
    mismatch_ask(more, CUL_ROLE_SUSPECT_REFILLED);
    return false;
  }
  return differs_filled(mismatch, scene, CUL_ROLE_SUSPECT_REFILLED,
                        CUL_ROLE_SUSPECT_POISON);
}

/* The message of a check in compiled code that ended the run; NULL: none. *len:
 * the length of its line. */
static const char *undefined_in(const struct cul_record *record, int *len) {
  const char *found = strstr(cul_buf_str(&record->err), "error: undefined ");
  if (record->end != CUL_EXITED || record->status == 0 || !found)
    return NULL;
  found += strlen("error: ");
  *len = (int)strcspn(found, "\n");
  return found;
}

/* The kind of undefined behaviour: the message without the operands and the
 * place, which a candidate changes. Heap. */
static char *undefined_kind(const char *what, int len) {
  static const char *const ends[] = {" of ", ": ", ", at "};
  static const char mark[] = "undefined behaviour: ";
  const char *from =
      strncmp(what, mark, sizeof mark - 1) == 0 ? what + sizeof mark - 1 : what;
  size_t least = (size_t)(what + len - from);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(ends); i++) {
    const char *found = strstr(from, ends[i]);
    if (found && (size_t)(found - from) < least)
      least = (size_t)(found - from);
  }
  return cul_xstrndup(from, least);
}

/* --assume-defined: is it the undefined behaviour of the original, or, while
 * that is learnt or if it could not be checked, any? */
static bool is_assumed(const struct mismatch *mismatch, const char *what,
                       int len) {
  char *kind;
  bool same;
  if (!mismatch->conf->mismatch.assume_defined)
    return false;
  if (!mismatch->learnt || mismatch->unchecked[0])
    return true;
  kind = undefined_kind(what, len);
  same = strcmp(kind, mismatch->assumed) == 0;
  free(kind);
  return same;
}

/* True if undefined behaviour ended the run, and counts; verdict reports it. */
static bool is_undefined(const struct mismatch *mismatch,
                         const struct cul_record *record,
                         struct cul_verdict *verdict) {
  int len;
  const char *what = undefined_in(record, &len);
  if (!what || is_assumed(mismatch, what, len))
    return false;
  cul_verdict_set(verdict, CUL_UNRESOLVED, 1,
                  "the reference is meaningless: %.*s%s", len > 120 ? 120 : len,
                  what,
                  mismatch->learnt ? "" : "; --assume-defined accepts it");
  return true;
}

/* Append the elements, "2 of 12 elements of result[0]", in which another run of
 * the reference differs; false: in something else. */
static bool say_varying(const struct mismatch *mismatch,
                        const struct scene *scene, struct cul_buf *out) {
  const struct cul_tolerance_conf exact =
      mismatch_exact(mismatch, &scene->view.unsound);
  struct cul_outputs outputs;
  bool found = false;
  cul_tensors_compare(mismatch_tensors(scene, CUL_ROLE_POISON),
                      mismatch_tensors(scene, CUL_ROLE_REFERENCE), &exact,
                      &outputs);
  for (size_t t = 0; t < outputs.n && !found; t++) {
    const struct cul_output *output = &outputs.items[t];
    found = output->difference.off != NULL;
    if (found)
      cul_buf_addf(out, "%llu of %llu elements%s%.40s",
                   (unsigned long long)output->difference.n_fail,
                   (unsigned long long)output->difference.n,
                   *output->name ? " of " : "", output->name);
  }
  cul_outputs_release(&outputs);
  return found;
}

/* Report how two runs differ, which is not by chance alone. */
static void refuse_varying(const struct mismatch *mismatch,
                           const struct scene *scene,
                           struct cul_verdict *verdict) {
  struct cul_buf where = {0};
  if (say_varying(mismatch, scene, &where))
    cul_verdict_set(verdict, CUL_UNRESOLVED, 1,
                    "the reference itself varies in %s: it reads uninitialized "
                    "memory, or depends on addresses or chance; --ignore "
                    "excludes what may vary",
                    cul_buf_str(&where));
  else
    cul_verdict_set(verdict, CUL_UNRESOLVED, 1,
                    "the reference itself varies in what it prints beside "
                    "numbers, or in how many; --ignore excludes what may vary");
  cul_buf_release(&where);
}

/* Does the reference compute the same whatever fresh memory contains? If not,
 * it is run once more as it is: elements that vary by themselves are left out,
 * if others differ, and elements that depend on memory mean nothing. */
static bool is_steady(const struct mismatch *mismatch, struct scene *scene,
                      struct cul_wants *more, struct cul_verdict *verdict) {
  const struct cul_tolerance_conf exact =
      mismatch_exact(mismatch, &scene->view.unsound);
  struct said *poison = &scene->by[CUL_ROLE_POISON];
  if (scene->view.wide == CUL_ROLE_OWN)
    return true;
  if (!poison->record) {
    mismatch_ask(more, CUL_ROLE_POISON);
    return false;
  }
  if (!mismatch_take_other(mismatch, poison, "reference", verdict))
    return false;
  if (mismatch_within(scene, CUL_ROLE_POISON, CUL_ROLE_REFERENCE, &exact))
    return true;
  if (!scene->again.record)
    more->want[more->n++] =
        (struct cul_want){.role = CUL_ROLE_REFERENCE, .attempt = 1};
  else
    refuse_varying(mismatch, scene, verdict);
  return false;
}

/* True if the control has run and computed the same as the reference; else it
 * is requested, or verdict contains the reason. */
static bool is_confirmed(const struct mismatch *mismatch, struct scene *scene,
                         struct cul_wants *more, struct cul_verdict *verdict) {
  struct said *control = &scene->by[CUL_ROLE_CONTROL];
  struct cul_tolerance_conf tolerance = mismatch->tolerance;
  int len;
  if (!control->record) {
    mismatch_ask(more, CUL_ROLE_CONTROL);
    return false;
  }
  if (undefined_in(control->record, &len))
    return !is_undefined(mismatch, control->record, verdict);
  if (!mismatch_take_other(mismatch, control, "control", verdict))
    return false;
  tolerance.ignore = &scene->view.unsound;
  if (mismatch_within(scene, CUL_ROLE_CONTROL, CUL_ROLE_REFERENCE, &tolerance))
    return true;
  cul_verdict_set(verdict, CUL_UNRESOLVED, 1,
                  "the control disagrees with the reference");
  return false;
}

/* The floating-point exceptions of the reference, as words separated by ",
 * ". */
static const char *mismatch_raised(const struct scene *scene) {
  const char *raised = scene->by[CUL_ROLE_CONTROL].numbers.raised;
  return *raised ? raised : scene->by[CUL_ROLE_CHECKED].numbers.raised;
}

/* A read of the reference out of bounds, within one allocation; "" where there
 * is none. */
static const char *read_outside(const struct scene *scene) {
  const char *outside = scene->by[CUL_ROLE_CONTROL].numbers.outside;
  return *outside ? outside : scene->by[CUL_ROLE_CHECKED].numbers.outside;
}

/* Does the reference read out of bounds, and the original does not? */
static bool leaves(const struct mismatch *mismatch, const struct scene *scene,
                   struct cul_verdict *verdict) {
  const char *outside = read_outside(scene);
  if (!mismatch->learnt || mismatch->outside[0] || !*outside)
    return false;
  cul_verdict_set(
      verdict, CUL_UNRESOLVED, 1,
      "the reference is meaningless: %.120s, unlike that of the input",
      outside);
  return true;
}

/* Append the exceptions that a candidate may raise. With a run in f64 as the
 * measure, an overflow and later operations on infinities affect only elements
 * that are not compared; a division by zero is one in f64 too. */
static void add_allowed(const struct mismatch *mismatch,
                        const struct scene *scene, struct cul_buf *out) {
  bool overflows = strstr(mismatch_raised(scene), "overflow") != NULL;
  cul_buf_adds(out, mismatch->raised);
  if (overflows && mismatch_is_wide(mismatch, scene, &scene->view))
    cul_buf_addf(out, "%soverflow, an operation without a result",
                 out->len ? ", " : "");
}

/* For the original: does the reference disagree with f64 where numbers differ,
 * perhaps because of an overflow? */
static bool overflows_on_the_way(const struct mismatch *mismatch,
                                 const struct scene *scene,
                                 struct cul_verdict *verdict) {
  if (mismatch->learnt || !mismatch->elsewise || mismatch->fixed ||
      !strstr(mismatch_raised(scene), "overflow"))
    return false;
  cul_verdict_set(
      verdict, CUL_UNRESOLVED, 1,
      "an intermediate value of the reference overflows: f64 computes a "
      "different result where numbers differ; give smaller inputs or "
      "constants, or a tolerance (--rtol), which needs no f64");
  return true;
}

/* Is the name in the list? */
static bool is_among(const char *name, size_t len, const char *list) {
  while (*list) {
    size_t own = strcspn(list, ",");
    if (own == len && memcmp(list, name, len) == 0)
      return true;
    list += own;
    list += strspn(list, ", ");
  }
  return false;
}

/* The first exception that a raises and b does not; NULL: none.  *len: of its
 * name. */
static const char *first_only_in(const char *a, const char *b, size_t *len) {
  while (*a) {
    *len = strcspn(a, ",");
    if (!is_among(a, *len, b))
      return a;
    a += *len;
    a += strspn(a, ", ");
  }
  return NULL;
}

/* Does the reference raise an exception that the original's does not? */
static bool raises(const struct mismatch *mismatch, const struct scene *scene,
                   struct cul_verdict *verdict) {
  struct cul_buf allowed = {0};
  size_t len = 0;
  const char *other = NULL;
  add_allowed(mismatch, scene, &allowed);
  if (mismatch->learnt)
    other = first_only_in(mismatch_raised(scene), cul_buf_str(&allowed), &len);
  if (other)
    cul_verdict_set(verdict, CUL_UNRESOLVED, 1, "the reference meets %.*s",
                    (int)len, other);
  cul_buf_release(&allowed);
  return other != NULL;
}

static bool ran_well(const struct cul_record *record) {
  return record->end == CUL_EXITED && record->status == 0;
}

/* For the original: why undefined behaviour cannot be checked; "" if it can. */
static void mismatch_unchecked(const struct scene *scene, char *out,
                               size_t size) {
  const struct cul_record *record = scene->by[CUL_ROLE_CHECKED].record;
  const char *text = record ? cul_buf_str(&record->err) : "";
  const char *error = strstr(text, "error: ");
  int len;
  if (!record || ran_well(record) || undefined_in(record, &len))
    return;
  if (error)
    text = error + strlen("error: ");
  snprintf(out, size, "%.*s", (int)strcspn(text, "\n"), text);
  if (!out[0])
    snprintf(out, size, "the run with checks fails");
}

/* Does the module run with checks, and none fails?  If the original could not
 * run with checks, a candidate need not either, but one that can must pass
 * them: it may have lost the operation that prevented them. */
static bool is_defined(const struct mismatch *mismatch, struct scene *scene,
                       struct cul_wants *more, struct cul_verdict *verdict) {
  const struct cul_record *record = scene->by[CUL_ROLE_CHECKED].record;
  struct cul_verdict ignored = {0};
  int len;
  if (!mismatch->conf->mismatch.checked)
    return true;
  if (!record) {
    mismatch_ask(more, CUL_ROLE_CHECKED);
    return false;
  }
  if (undefined_in(record, &len))
    return !is_undefined(mismatch, record, verdict);
  if (ran_well(record)) /* read the exceptions that it raised */
    (void)mismatch_take(mismatch, &scene->by[CUL_ROLE_CHECKED], "", &ignored);
  if (!mismatch->learnt || mismatch->unchecked[0] || ran_well(record))
    return true;
  cul_verdict_set(verdict, CUL_UNRESOLVED, 1,
                  "it is unknown whether the reference is meaningful");
  return false;
}

/* Is the reference meaningful? False: a run is requested first, or verdict
 * contains the reason. */
static bool mismatch_sane(const struct mismatch *mismatch, struct scene *scene,
                          struct cul_wants *more, struct cul_verdict *verdict) {
  /* Check this first: undefined behaviour is reported by its name, rather than
   * as elements that vary. */
  return is_defined(mismatch, scene, more, verdict) &&
         is_steady(mismatch, scene, more, verdict) &&
         (!mismatch->conf->mismatch.control ||
          is_confirmed(mismatch, scene, more, verdict)) &&
         !leaves(mismatch, scene, verdict) &&
         !overflows_on_the_way(mismatch, scene, verdict) &&
         !raises(mismatch, scene, verdict);
}
