/* Comparison of two tensors: see compare.h. */
#include "compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../status.h"

const char *cul_error_class_name(enum cul_error_class class) {
  static const char *const names[] = {"none",      "shape",    "value",
                                      "nonfinite", "all-zero", "unwritten"};
  return names[class];
}

/* Two tensors under comparison. */
struct pair {
  const struct cul_tensor *got, *want;
  const struct cul_tolerance *tolerance;
  enum cul_dtype part; /* element type of the real or imaginary parts if both
                          have the same */
  bool same_part, whole;
  struct cul_difference *out;
};

static bool types_agree(const struct cul_tensor *a,
                        const struct cul_tensor *b) {
  const struct cul_dtype_info *x = cul_dtype_info(a->dtype);
  const struct cul_dtype_info *y = cul_dtype_info(b->dtype);
  if (a->dtype == b->dtype)
    return true;
  if ((x->kind == CUL_IS_COMPLEX) != (y->kind == CUL_IS_COMPLEX))
    return false;
  if (a->untyped || b->untyped || x->kind == CUL_IS_COMPLEX)
    return true;
  if (x->kind != y->kind)
    return false;
  return x->kind == CUL_IS_FLOAT ||
         (x->bits == y->bits && (x->signless || y->signless));
}

static bool shapes_agree(const struct cul_tensor *a,
                         const struct cul_tensor *b) {
  return a->rank == b->rank &&
         (a->rank == 0 ||
          memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0);
}

/* Are the texts the same?  Else they are moved to where they differ.  White
 * space does not count: how arrays are padded and where their lines break
 * depends on the digits of their numbers. */
static bool same_words(const char **a, const char **b) {
  for (;; ++*a, ++*b) {
    *a += strspn(*a, " \t\n");
    *b += strspn(*b, " \t\n");
    if (!**a || **a != **b)
      return **a == **b;
  }
}

/* Do type, shape and text allow a comparison? If not, out->why says so. */
static bool comparable(const struct pair *pair) {
  struct cul_buf a = {0}, b = {0};
  const struct cul_tensor *got = pair->got, *want = pair->want;
  const char *words = got->text ? got->text : "";
  const char *others = want->text ? want->text : "";
  bool fits = types_agree(got, want) && shapes_agree(got, want);
  if (!fits) {
    cul_tensor_type(got, &a);
    cul_tensor_type(want, &b);
    snprintf(pair->out->why, sizeof pair->out->why, "%.60s, and not %.60s",
             cul_buf_str(&a), cul_buf_str(&b));
  } else if (got->text && want->text && !same_words(&words, &others)) {
    snprintf(pair->out->why, sizeof pair->out->why,
             "other text around the numbers: \"%.40s\", not \"%.40s\"", words,
             others);
    fits = false;
  }
  cul_buf_release(&a);
  cul_buf_release(&b);
  return fits;
}

/* A signless integer is read with the signedness of the other tensor. */
static cul_number load(const struct cul_tensor *tensor,
                       const struct cul_tensor *other, uint64_t i,
                       unsigned part) {
  const struct cul_dtype_info *mine = cul_dtype_info(tensor->dtype);
  const struct cul_dtype_info *theirs = cul_dtype_info(other->dtype);
  if (mine->signless && theirs->kind == CUL_IS_INT && !theirs->signless &&
      mine->bits == theirs->bits)
    return cul_dtype_load(other->dtype, tensor->data + i * mine->size);
  return cul_tensor_get(tensor, i, part);
}

static uint64_t ulps_of(const struct pair *pair, uint64_t i, unsigned part) {
  size_t size = cul_dtype_info(pair->got->dtype)->size;
  size_t at = i * size + part * (size_t)cul_dtype_info(pair->part)->size;
  return cul_dtype_ulps(pair->part, pair->got->data + at,
                        pair->want->data + at);
}

/* The extra tolerance of element i from its noise; none if the noise is NaN. */
static cul_number noise_at(const struct pair *pair, uint64_t i, unsigned part) {
  const struct cul_tensor *noise = pair->tolerance->noise;
  cul_number own = noise && i < noise->n && part < cul_tensor_parts(noise)
                       ? cul_tensor_get(noise, i, part)
                       : 0;
  return own > 0 ? CUL_NOISE_FACTOR * own : 0;
}

/* The least normal number of a tensor's type, of printed numbers that of f32.
 */
static cul_number least_normal(const struct cul_tensor *tensor) {
  enum cul_dtype type = cul_dtype_info(tensor->dtype)->part;
  if (cul_dtype_info(type)->kind != CUL_IS_FLOAT)
    return 0;
  return cul_dtype_normal(tensor->untyped ? CUL_F32 : type);
}

/* Replace both numbers by zeros of their sign if both are denormal or zero. */
static void flush(const struct pair *pair, cul_number *a, cul_number *b) {
  cul_number least = fmaxl(least_normal(pair->got), least_normal(pair->want));
  if (!pair->tolerance->denormals_are_zero || !(fabsl(*a) < least) ||
      !(fabsl(*b) < least))
    return;
  *a = copysignl(0, *a);
  *b = copysignl(0, *b);
}

/* Are both zero, but of different sign, and does the tolerance distinguish
 * them? */
static bool other_zero(const struct pair *pair, cul_number a, cul_number b) {
  return pair->tolerance->signed_zero && a == 0 && b == 0 &&
         !signbit(a) != !signbit(b);
}

/* The bound of element i. False: none is known. */
static bool bound_at(const struct pair *pair, uint64_t i, unsigned part,
                     cul_number *out) {
  const struct cul_tensor *bound = pair->tolerance->bound;
  if (!bound || i >= bound->n || part >= cul_tensor_parts(bound))
    return false;
  *out = cul_tensor_get(bound, i, part);
  return !isnan(*out);
}

/* |a-b| without what the rounding of the print explains: half a unit of the
 * last digit on each side. */
static cul_number apart(const struct pair *pair, cul_number a, cul_number b) {
  cul_number d = fabsl(a - b), size = fmaxl(fabsl(a), fabsl(b));
  unsigned digits = pair->tolerance->digits;
  if (digits == 0 || d == 0 || !isfinite(d))
    return d;
  d -= powl(10, floorl(log10l(size)) - digits + 1);
  return d > 0 ? d : 0;
}

/* Is a within the tolerance of b, plus `noise`? *share: |a-b| divided by the
 * allowed difference. */
static bool within(const struct pair *pair, cul_number a, cul_number b,
                   cul_number noise, double *share) {
  const struct cul_tolerance *tol = pair->tolerance;
  cul_number d = apart(pair, a, b), size = fabsl(b), allowed = 0;
  *share = INFINITY;
  if (isnan(a) && isnan(b))
    return tol->nan_equal;
  if (isinf(a) && a == b)
    return tol->inf_equal;
  if (isnan(a) || isnan(b) || isinf(a) || isinf(b) || other_zero(pair, a, b))
    return false;
  if (d == 0)
    return *share = 0, true;
  switch (tol->rule) {
  case CUL_TOL_EXACT:
  case CUL_TOL_SUM:
    allowed = (cul_number)tol->atol + (cul_number)tol->rtol * size;
    break;
  case CUL_TOL_EITHER:
    allowed = fmaxl((cul_number)tol->atol, (cul_number)tol->rtol * size);
    break;
  case CUL_TOL_ULPS: /* handled by within_ulps */
    break;
  }
  allowed += noise;
  *share = allowed > 0 ? (double)(d / allowed) : INFINITY;
  if (d > allowed && tol->steep > 0 && tol->steep < tol->rtol)
    *share =
        (double)(d / (allowed -
                      ((cul_number)tol->rtol - (cul_number)tol->steep) * size));
  return d <= allowed;
}

/* The same with the allowed difference of this element (tolerance.bound). */
static bool within_bound(const struct pair *pair, cul_number a, cul_number b,
                         cul_number bound, double *share) {
  cul_number d = apart(pair, a, b);
  cul_number most = bound + (cul_number)pair->tolerance->atol;
  *share = most > 0 ? (double)(d / most) : INFINITY;
  return d <= most;
}

static bool within_ulps(const struct pair *pair, uint64_t ulps, double *share) {
  uint64_t allowed = pair->tolerance->ulps;
  *share = allowed ? (double)ulps / (double)allowed : INFINITY;
  return ulps <= allowed;
}

static void note_worst(const struct pair *pair, cul_number d, bool fails,
                       uint64_t i, cul_number *worst) {
  struct cul_difference *out = pair->out;
  cul_number size = isnan(d) ? (cul_number)INFINITY : d;
  bool first_fail = fails && out->n_fail == 1;
  if (!first_fail && !(size > *worst && (fails || out->n_fail == 0)))
    return;
  *worst = size;
  out->worst = i;
}

/* Compare one part of one element; update counts and maxima. */
static bool look_at(const struct pair *pair, uint64_t i, unsigned part,
                    cul_number *distance) {
  struct cul_difference *out = pair->out;
  cul_number a = load(pair->got, pair->want, i, part);
  cul_number b = load(pair->want, pair->got, i, part), bound;
  bool finite = isfinite(a) && isfinite(b), fits;
  uint64_t ulps = out->has_ulps ? ulps_of(pair, i, part) : 0;
  double share;
  flush(pair, &a, &b);
  fits = within(pair, a, b, noise_at(pair, i, part), &share);
  if (finite && a != b && bound_at(pair, i, part, &bound))
    fits = within_bound(pair, a, b, bound, &share);
  if (!fits && a != b && finite && pair->tolerance->rule == CUL_TOL_ULPS &&
      out->has_ulps)
    fits = within_ulps(pair, ulps, &share);
  out->got_nan += isnan(a) != 0;
  out->got_inf += isinf(a) != 0; /* isinf(-inf) is -1 */
  out->want_nan += isnan(b) != 0;
  out->want_inf += isinf(b) != 0;
  if ((isnan(a) && isnan(b)) || a == b) {
    if (!fits)
      out->severity = INFINITY;
    if (!fits && finite)
      out->graded = INFINITY;
    return fits;
  }
  *distance = fmaxl(*distance, finite ? fabsl(a - b) : (cul_number)INFINITY);
  if (share > out->severity)
    out->severity = share;
  if (!finite)
    return fits;
  if (share > out->graded)
    out->graded = share;
  out->max_abs = fmaxl(out->max_abs, fabsl(a - b));
  out->max_rel =
      fmaxl(out->max_rel, b != 0 ? fabsl((a - b) / b) : (cul_number)INFINITY);
  if (ulps > out->max_ulps)
    out->max_ulps = ulps;
  return fits;
}

static bool is_ignored(const struct pair *pair, uint64_t i) {
  const struct cul_tensor *ignore = pair->tolerance->ignore;
  return ignore && i < ignore->n && cul_tensor_get(ignore, i, 0) != 0;
}

static void look_at_all(const struct pair *pair) {
  struct cul_difference *out = pair->out;
  unsigned parts = cul_tensor_parts(pair->got);
  cul_number worst = -1;
  for (uint64_t i = 0; i < out->n; i++) {
    cul_status_pass(i);
    cul_number distance = 0;
    bool fits = true, differs;
    if (is_ignored(pair, i))
      continue;
    for (unsigned part = 0; part < parts; part++)
      fits = look_at(pair, i, part, &distance) && fits;
    differs = distance > 0 || !fits;
    if (!fits && !out->off)
      out->off = cul_xcalloc(out->n, 1);
    if (!fits)
      out->off[i] = 1;
    if (!fits && out->n_fail == 0)
      out->first = i;
    else if (differs && out->n_differ == 0)
      out->first = i;
    out->n_fail += !fits;
    out->n_differ += differs;
    if (differs)
      note_worst(pair, distance, !fits, i, &worst);
  }
}

/* Are all numbers of got zero, but not all of want? */
static bool is_zero(const struct pair *pair) {
  const struct cul_tensor *tensor = pair->got;
  bool numbers = false;
  for (uint64_t i = 0; i < tensor->n; i++) {
    cul_status_pass(i);
    for (unsigned part = 0; part < cul_tensor_parts(tensor); part++) {
      if (cul_tensor_get(tensor, i, part) != 0 && !is_ignored(pair, i))
        return false;
      numbers = numbers ||
                (pair->out->off[i] && cul_tensor_get(pair->want, i, part) != 0);
    }
  }
  return numbers;
}

/* Is every mismatch NaN or infinite on one side? */
static bool only_nonfinite(const struct pair *pair) {
  for (uint64_t i = 0; i < pair->out->n; i++) {
    cul_status_pass(i);
    for (unsigned p = 0; p < cul_tensor_parts(pair->got); p++)
      if (pair->out->off[i] && isfinite(load(pair->got, pair->want, i, p)) &&
          isfinite(load(pair->want, pair->got, i, p)))
        return false;
  }
  return true;
}

static bool only_fill(const struct pair *pair) {
  const struct cul_tensor *got = pair->got;
  size_t size = cul_dtype_info(got->dtype)->size;
  for (uint64_t i = 0; i < got->n; i++) {
    cul_status_pass(i);
    if (pair->out->off[i] &&
        !cul_number_is_fill(got->dtype, got->data + i * size, got->untyped))
      return false;
  }
  return true;
}

static enum cul_error_class classify(const struct pair *pair) {
  if (!pair->out->n_fail)
    return CUL_ERR_NONE;
  if (only_fill(pair))
    return CUL_ERR_UNWRITTEN;
  if (only_nonfinite(pair))
    return CUL_ERR_NONFINITE;
  if (is_zero(pair))
    return CUL_ERR_ALL_ZERO;
  return CUL_ERR_VALUE;
}

/* Begin a comparison; false: type, shape and text do not allow it. */
static bool begin(const struct cul_tensor *got, const struct cul_tensor *want,
                  const struct cul_tolerance *tolerance, struct pair *pair,
                  struct cul_difference *out) {
  const struct cul_dtype_info *info = cul_dtype_info(got->dtype);
  *pair = (struct pair){.got = got,
                        .want = want,
                        .tolerance = tolerance,
                        .part = info->part,
                        .same_part = got->dtype == want->dtype,
                        .out = out};
  *out = (struct cul_difference){.n = want->n};
  out->has_ulps = pair->same_part && !got->untyped && !want->untyped &&
                  info->kind != CUL_IS_INT;
  return comparable(pair);
}

bool cul_tensor_agrees(const struct cul_tensor *got,
                       const struct cul_tensor *want,
                       const struct cul_tolerance *tolerance) {
  struct pair pair;
  struct cul_difference difference;
  unsigned parts = cul_tensor_parts(got);
  bool fits = begin(got, want, tolerance, &pair, &difference);
  cul_number distance = 0;
  for (uint64_t i = 0; i < want->n && fits; i++) {
    cul_status_pass(i);
    for (unsigned part = 0; part < parts && !is_ignored(&pair, i); part++)
      fits = look_at(&pair, i, part, &distance) && fits;
  }
  return fits;
}

void cul_tensor_compare(const struct cul_tensor *got,
                        const struct cul_tensor *want,
                        const struct cul_tolerance *tolerance,
                        struct cul_difference *out) {
  struct pair pair;
  if (!begin(got, want, tolerance, &pair, out)) {
    out->class = CUL_ERR_SHAPE;
    out->has_ulps = false;
    out->n_fail = out->n_differ = want->n ? want->n : 1;
    out->severity = INFINITY;
    return;
  }
  look_at_all(&pair);
  out->class = classify(&pair);
}

struct cul_apart cul_tensor_apart(const struct cul_tensor *got,
                                  const struct cul_tensor *want,
                                  const struct cul_difference *difference,
                                  uint64_t i) {
  const struct pair pair = {
      .got = got, .want = want, .part = cul_dtype_info(got->dtype)->part};
  struct cul_apart out = {.finite = true};
  for (unsigned part = 0; part < cul_tensor_parts(got); part++) {
    cul_number a = load(got, want, i, part), b = load(want, got, i, part);
    uint64_t ulps;
    if (a == b || (isnan(a) && isnan(b)))
      continue;
    out.differs = true;
    out.finite = out.finite && isfinite(a) && isfinite(b);
    if (!out.finite)
      continue;
    ulps = difference->has_ulps ? ulps_of(&pair, i, part) : 0;
    out.ulps = ulps > out.ulps ? ulps : out.ulps;
    out.abs = fmaxl(out.abs, fabsl(a - b));
    out.rel =
        fmaxl(out.rel, b != 0 ? fabsl((a - b) / b) : (cul_number)INFINITY);
  }
  return out;
}

void cul_difference_release(struct cul_difference *difference) {
  free(difference->off);
  difference->off = NULL;
}

uint64_t cul_tensor_unsteady(const struct cul_tensor *const *runs, size_t n) {
  size_t size = cul_dtype_info(runs[0]->dtype)->size;
  uint64_t count = 0;
  for (uint64_t i = 0; i < runs[0]->n; i++) {
    cul_status_pass(i);
    bool same = true;
    for (size_t k = 1; k < n && same; k++)
      same =
          runs[k]->dtype == runs[0]->dtype && runs[k]->n == runs[0]->n &&
          memcmp(runs[k]->data + i * size, runs[0]->data + i * size, size) == 0;
    count += !same;
  }
  return count;
}

/* The float of this type whose bytes are all `byte`. */
static cul_number filled(enum cul_dtype dtype, int byte) {
  unsigned char bytes[8];
  memset(bytes, byte, sizeof bytes);
  return cul_dtype_load(dtype, bytes);
}

static bool printed_is_fill(cul_number value) {
  static const enum cul_dtype types[] = {CUL_F32, CUL_F64};
  for (size_t t = 0; t < CUL_ARRAY_SIZE(types); t++)
    for (int byte = 1; byte < 255; byte++) {
      cul_number fill = filled(types[t], byte);
      if (isfinite(fill) && fabsl(value - fill) <= 1e-5L * fabsl(fill))
        return true;
    }
  return false;
}

bool cul_number_is_fill(enum cul_dtype dtype, const void *bytes, bool printed) {
  const struct cul_dtype_info *info = cul_dtype_info(dtype);
  const unsigned char *b = bytes;
  if (printed && info->kind == CUL_IS_FLOAT)
    return printed_is_fill(cul_dtype_load(dtype, bytes));
  /* Integers 0 and -1 also repeat one byte, but are real values. */
  if (info->size < 2 || b[0] == 0 || b[0] == 255)
    return false;
  for (unsigned i = 1; i < info->size; i++)
    if (b[i] != b[0])
      return false;
  return true;
}
