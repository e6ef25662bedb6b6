/* Which elements of the reference are a measure?  See mismatch.h. */
#include <math.h>
#include <string.h>

#include "mismatch.h"

static const struct {
  const char *one, *more;
} words[] = {[CUL_NOT_FINITE] = {"is NaN or infinite in the reference",
                                 "are NaN or infinite in the reference"},
             [CUL_OVERFLOWS] = {"overflows in the reference",
                                "overflow in the reference"},
             [CUL_ELSEWISE] = {"disagrees with f64", "disagree with f64"},
             [CUL_AT_EDGE] = {"is within rounding of overflow",
                              "are within rounding of overflow"}};

bool cul_mismatch_is_wide(const struct mismatch *mismatch,
                          const struct scene *scene) {
  return scene->by[CUL_ROLE_WIDE].record && !mismatch->narrow[0] &&
         !mismatch->fixed;
}

struct cul_tolerance_conf cul_mismatch_bound(const struct mismatch *mismatch,
                                             const struct scene *scene) {
  const struct cul_numbers *wide = &scene->by[CUL_ROLE_WIDE].numbers;
  struct cul_tolerance_conf bound = mismatch->tolerance;
  if (!cul_mismatch_is_wide(mismatch, scene))
    return bound;
  bound.noise = &wide->noise;
  bound.roundoff = wide->digits ? ldexp(1, -(int)wide->digits) : 0;
  return bound;
}

static bool is_finite(const struct cul_tensor *tensor, uint64_t i) {
  for (unsigned part = 0; part < cul_tensor_parts(tensor); part++)
    if (!isfinite(cul_tensor_get(tensor, i, part)))
      return false;
  return true;
}

/* May rounding take what f64 computes beyond the largest number of the
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

/* wide: the reference against its run in f64; suspect: its output of that
 * name, or NULL. */
static enum cul_unsound look_at(const struct cul_output *wide,
                                const struct cul_tensor *suspect, uint64_t i) {
  const struct cul_difference *d = &wide->difference;
  bool finite = is_finite(wide->got, i);
  if (!finite && is_finite(wide->want, i))
    return CUL_OVERFLOWS;
  if (d->off && d->off[i])
    return CUL_ELSEWISE;
  if (!finite)
    return CUL_NOT_FINITE;
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
    return; /* no room: a limit that got keeps to with fewer bytes */
  for (uint64_t i = 0; i < got->n; i++)
    cul_tensor_set(made, i, 0, look_at(wide, suspect, i));
}

/* Hold the reference against `wide`, element by element; false: that has other
 * outputs. */
static bool mark_by(const struct mismatch *mismatch, struct scene *scene,
                    const struct cul_tensors *wide) {
  const struct cul_tensors *suspect =
      cul_mismatch_tensors(scene, CUL_ROLE_SUSPECT);
  const struct cul_tolerance_conf exact = {.rtol = -1, .atol = -1, .ulps = -1};
  struct cul_tolerance_conf bound = cul_mismatch_bound(mismatch, scene);
  struct cul_outputs outputs;
  bool fits = true;
  cul_tensors_release(&scene->unsound);
  cul_tensors_compare(cul_mismatch_tensors(scene, CUL_ROLE_REFERENCE), wide,
                      scene->by[CUL_ROLE_WIDE].numbers.exact ? &exact : &bound,
                      &outputs);
  for (size_t i = 0; i < outputs.n; i++)
    fits = fits && outputs.items[i].difference.class != CUL_ERR_SHAPE;
  for (size_t i = 0; i < outputs.n && fits; i++) {
    const struct cul_output *output = &outputs.items[i];
    mark(output,
         suspect->n == 1 && outputs.n == 1
             ? &suspect->items[0]
             : cul_tensors_find(suspect, output->got->name),
         &scene->unsound);
  }
  cul_outputs_release(&outputs);
  return fits;
}

/* Make sound what is marked so. */
static bool clear(struct scene *scene, enum cul_unsound why) {
  bool found = false;
  for (size_t t = 0; t < scene->unsound.n; t++) {
    struct cul_tensor *tensor = &scene->unsound.items[t];
    for (uint64_t i = 0; i < tensor->n; i++)
      if (tensor->data[i] == why) {
        tensor->data[i] = CUL_SOUND;
        found = true;
      }
  }
  return found;
}

bool cul_mismatch_mark(const struct mismatch *mismatch, struct scene *scene) {
  const struct cul_tensors *wide = cul_mismatch_tensors(scene, CUL_ROLE_WIDE);
  if (cul_mismatch_is_wide(mismatch, scene))
    return mark_by(mismatch, scene, wide);
  /* Of a tolerance of the user's own f64 says only what overflows. */
  if (wide->n && !mismatch->narrow[0] && mark_by(mismatch, scene, wide)) {
    (void)clear(scene, CUL_ELSEWISE);
    return true;
  }
  return mark_by(mismatch, scene,
                 cul_mismatch_tensors(scene, CUL_ROLE_REFERENCE));
}

bool cul_mismatch_count_nonfinite(struct scene *scene) {
  return clear(scene, CUL_NOT_FINITE);
}

/* How many elements of `off` (NULL: of all) are unsound so. */
static uint64_t count(const struct cul_tensor *unsound,
                      const unsigned char *off, enum cul_unsound why) {
  uint64_t n = 0;
  for (uint64_t i = 0; i < unsound->n; i++)
    n += unsound->data[i] == why && (!off || off[i]);
  return n;
}

static void say(const struct cul_tensor *unsound, uint64_t n,
                enum cul_unsound why, struct cul_buf *out) {
  cul_buf_addf(out, "%llu of %llu elements%s%.40s %s", (unsigned long long)n,
               (unsigned long long)unsound->n, *unsound->name ? " of " : "",
               unsound->name, n == 1 ? words[why].one : words[why].more);
}

bool cul_mismatch_differs_unsound(const struct mismatch *mismatch,
                                  const struct scene *scene,
                                  bool differs[CUL_N_UNSOUND],
                                  struct cul_buf *out) {
  struct cul_tolerance_conf bound = cul_mismatch_bound(mismatch, scene);
  struct cul_outputs outputs;
  bool found = false;
  cul_tensors_compare(cul_mismatch_tensors(scene, CUL_ROLE_SUSPECT),
                      cul_mismatch_tensors(scene, CUL_ROLE_REFERENCE), &bound,
                      &outputs);
  for (size_t t = 0; t < outputs.n; t++) {
    const struct cul_output *output = &outputs.items[t];
    const unsigned char *off = output->difference.off;
    const struct cul_tensor *unsound =
        off ? cul_tensors_find(&scene->unsound, output->want->name) : NULL;
    for (int why = CUL_SOUND + 1; why < CUL_N_UNSOUND && unsound; why++) {
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

void cul_mismatch_say_left(const struct scene *scene, struct cul_buf *out) {
  enum { MOST = 3 };
  size_t said = 0;
  for (size_t t = 0; t < scene->unsound.n; t++)
    for (int why = CUL_SOUND + 1; why < CUL_N_UNSOUND; why++) {
      const struct cul_tensor *unsound = &scene->unsound.items[t];
      uint64_t n = count(unsound, NULL, (enum cul_unsound)why);
      if (n && said++ < MOST) {
        cul_buf_adds(out, "; ");
        say(unsound, n, (enum cul_unsound)why, out);
        cul_buf_addf(out, " and %s not compared", n == 1 ? "is" : "are");
      }
    }
  if (said > MOST)
    cul_buf_adds(out, "; nor are those of other outputs");
}
