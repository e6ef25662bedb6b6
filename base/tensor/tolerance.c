/* Tolerances: the user's, and those used by tests of other projects. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"

struct per_type {
  enum cul_dtype dtype;
  double rtol, atol;
};

struct preset {
  const char *name;
  enum cul_tolerance_rule rule;
  bool nan_equal, inf_equal;
  double rtol, atol;           /* for floats without a row */
  bool others_exact;           /* ... are compared exactly instead */
  const struct per_type *rows; /* ends at rtol < 0; or NULL */
};

#define END {CUL_F64, -1, 0}
static const struct per_type torch_rows[] = {{CUL_F16, 1e-3, 1e-5},
                                             {CUL_BF16, 1.6e-2, 1e-5},
                                             {CUL_F32, 1.3e-6, 1e-5},
                                             {CUL_F64, 1e-7, 1e-7},
                                             END};
static const struct per_type jax_rows[] = {{CUL_F64, 1e-15, 1e-15},
                                           {CUL_F32, 1e-6, 1e-6},
                                           {CUL_F16, 1e-3, 1e-3},
                                           {CUL_BF16, 1e-2, 1e-2},
                                           {CUL_F8E4M3FN, 0.1, 0.1},
                                           {CUL_F8E5M2, 0.1, 0.1},
                                           {CUL_F8E4M3FNUZ, 0.1, 0.1},
                                           {CUL_F8E5M2FNUZ, 0.1, 0.1},
                                           END};
static const struct per_type iree_rows[] = {{CUL_F16, 1e-5, 1e-3},
                                            {CUL_F32, 1e-5, 1e-4},
                                            {CUL_F64, 1e-5, 1e-4},
                                            {CUL_BF16, 1e-5, 1e-2},
                                            END};

static const struct preset presets[] = {
    /* numpy.isclose */
    {"numpy", CUL_TOL_SUM, false, true, 1e-5, 1e-8, false, NULL},
    /* numpy.testing.assert_allclose */
    {"numpy-testing", CUL_TOL_SUM, true, true, 1e-7, 0, false, NULL},
    /* torch.testing.assert_close */
    {"torch", CUL_TOL_SUM, false, true, 0, 0, true, torch_rows},
    /* jax._src.public_test_util */
    {"jax", CUL_TOL_SUM, true, true, 1e-6, 1e-6, true, jax_rows},
    /* ONNX's backend tests */
    {"onnx", CUL_TOL_SUM, true, true, 1e-3, 1e-7, false, NULL},
    /* iree-run-module --expected_output */
    {"iree", CUL_TOL_SUM, true, true, 0, 0, true, iree_rows},
    /* XLA's ErrorSpec(1e-3, 1e-3) of run_hlo_module */
    {"xla", CUL_TOL_EITHER, true, true, 1e-3, 1e-3, false, NULL},
    /* polygraphy run, elementwise */
    {"polygraphy", CUL_TOL_EITHER, false, false, 1e-5, 1e-5, false, NULL},
};

static const struct preset *find(const char *name) {
  for (size_t i = 0; name && i < CUL_ARRAY_SIZE(presets); i++)
    if (strcmp(presets[i].name, name) == 0)
      return &presets[i];
  return NULL;
}

static bool is_given(double tolerance) { return !(tolerance < 0); }

int cul_tolerance_check(const struct cul_tolerance_conf *conf,
                        struct cul_err *err) {
  if (conf->preset && !find(conf->preset))
    return cul_fail(err, CUL_EUSAGE,
                    "one of numpy, numpy-testing, torch, jax, onnx, iree, xla, "
                    "polygraphy",
                    "--preset: unknown tolerance \"%.40s\"", conf->preset);
  if (!isfinite(conf->rtol) || !isfinite(conf->atol))
    return cul_fail(err, CUL_EUSAGE, "give a finite number, 0 or more",
                    "a tolerance of NaN or infinity accepts every result");
  if (conf->ulps >= 0 &&
      (conf->preset || is_given(conf->rtol) || is_given(conf->atol)))
    return cul_fail(err, CUL_EUSAGE, "give --ulp, or the others",
                    "--ulp excludes --rtol, --atol and --preset");
  return 0;
}

static void by_preset(const struct preset *preset, enum cul_dtype dtype,
                      struct cul_tolerance *out) {
  const struct per_type *row = preset->rows;
  enum cul_dtype part = cul_dtype_info(dtype)->part;
  out->rule = preset->rule;
  out->nan_equal = preset->nan_equal;
  out->inf_equal = preset->inf_equal;
  out->rtol = preset->rtol;
  out->atol = preset->atol;
  while (row && row->rtol >= 0 && row->dtype != part)
    row++;
  if (row && row->rtol >= 0) {
    out->rtol = row->rtol;
    out->atol = row->atol;
  } else if (preset->others_exact) {
    out->rule = CUL_TOL_EXACT;
  }
}

static struct cul_tolerance distance_for(const struct cul_tolerance_conf *conf,
                                         enum cul_dtype dtype) {
  struct cul_tolerance out = {.nan_equal = true, .inf_equal = true};
  const struct preset *preset = find(conf->preset);
  bool whole = cul_dtype_info(dtype)->kind == CUL_IS_INT;
  if (preset && whole && preset->rows)
    return out;
  if (preset)
    by_preset(preset, dtype, &out);
  if (conf->ulps >= 0 && !whole) {
    out.rule = CUL_TOL_ULPS;
    out.ulps = (uint64_t)conf->ulps;
  }
  if (!is_given(conf->rtol) && !is_given(conf->atol))
    return out;
  if (out.rule == CUL_TOL_EXACT)
    out = (struct cul_tolerance){.rule = CUL_TOL_SUM, .inf_equal = true};
  if (is_given(conf->rtol))
    out.rtol = conf->rtol;
  if (is_given(conf->atol))
    out.atol = conf->atol;
  return out;
}

struct cul_tolerance cul_tolerance_for(const struct cul_tolerance_conf *conf,
                                       enum cul_dtype dtype) {
  struct cul_tolerance out = distance_for(conf, dtype);
  out.signed_zero = conf->signed_zero;
  out.denormals_are_zero = conf->flush_denormals;
  return out;
}

bool cul_tolerance_is_given(const struct cul_tolerance_conf *conf) {
  return conf->preset || conf->ulps >= 0 || is_given(conf->rtol) ||
         is_given(conf->atol);
}

static bool is_whole(const struct cul_tensor *tensor) {
  bool whole = true;
  for (uint64_t i = 0; i < tensor->n && whole; i++)
    for (unsigned part = 0; part < cul_tensor_parts(tensor); part++) {
      cul_number value = cul_tensor_get(tensor, i, part);
      whole = whole && value == rintl(value) && fabsl(value) < 1e6L;
    }
  return whole;
}

/* The fewest digits of a print in which numbers of a type were rounded; 0: none
 * is.  Prints have six digits at least, and leave out zeros at the end. */
static unsigned printed_digits(const struct cul_tensor *got,
                               const struct cul_tensor *want) {
  const struct cul_tensor *const both[] = {got, want};
  const unsigned least = 6;
  unsigned n = 0;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(both); i++) {
    unsigned own = both[i]->digits > least ? both[i]->digits : least;
    if (both[i]->digits && (n == 0 || own < n))
      n = own;
  }
  return n;
}

struct cul_tolerance cul_tolerance_of(const struct cul_tolerance_conf *conf,
                                      const struct cul_tensor *got,
                                      const struct cul_tensor *want) {
  /* A reordered sum of some 10,000 terms stays within 64 roundoffs of the
   * largest value if nothing cancels; a print has six digits. */
  const double factor = 64, printed = 2e-5;
  /* A difference of half the number is never rounding, whatever the type: 16
   * times this, the least severity of a wrong number. */
  const double steep = 1. / 32;
  struct cul_tolerance out = cul_tolerance_for(conf, got->dtype);
  double got_u = cul_dtype_roundoff(cul_dtype_info(got->dtype)->part);
  double want_u = cul_dtype_roundoff(cul_dtype_info(want->dtype)->part);
  bool print = got->untyped || want->untyped;
  unsigned digits = printed_digits(got, want);
  if (!conf->rounding || cul_tolerance_is_given(conf) ||
      cul_dtype_info(got->dtype)->kind == CUL_IS_INT ||
      (print && is_whole(got) && is_whole(want)))
    return out;
  out.rule = CUL_TOL_SUM;
  out.rtol = factor * fmax(conf->roundoff, fmax(got_u, want_u));
  if (print && out.rtol < printed)
    out.rtol = printed;
  if (!print && digits && !(is_whole(got) && is_whole(want)))
    out.digits = digits;
  out.steep = steep;
  out.atol = (double)cul_dtype_tiny(cul_dtype_info(got->dtype)->part);
  return out;
}

void cul_tolerance_describe(const struct cul_tolerance *tolerance,
                            const char *preset, struct cul_buf *out) {
  switch (tolerance->rule) {
  case CUL_TOL_EXACT:
    cul_buf_adds(out, "exact");
    break;
  case CUL_TOL_SUM:
    cul_buf_addf(out, "|got-want| <= %g + %g*|want|", tolerance->atol,
                 tolerance->rtol);
    break;
  case CUL_TOL_EITHER:
    cul_buf_addf(out, "|got-want| <= %g or <= %g*|want|", tolerance->atol,
                 tolerance->rtol);
    break;
  case CUL_TOL_ULPS:
    cul_buf_addf(out, "%llu ULP apart at most",
                 (unsigned long long)tolerance->ulps);
    break;
  }
  if (tolerance->digits)
    cul_buf_addf(out, ", and a unit of digit %u", tolerance->digits);
  if (preset)
    cul_buf_addf(out, " (%s)", preset);
  if (tolerance->signed_zero)
    cul_buf_adds(out, ", and -0 is not 0");
  if (tolerance->denormals_are_zero)
    cul_buf_adds(out, ", and denormal numbers are 0");
}
