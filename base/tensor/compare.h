/* Comparison of two tensors: distance, tolerance, and the pattern of
 * mismatches.
 *
 * A number that is not within the tolerance is a mismatch, and so is a NaN.
 * Where both are NaN, the tolerance's nan_equal decides, and the counts show
 * it. */
#ifndef CUL_BASE_TENSOR_COMPARE_H
#define CUL_BASE_TENSOR_COMPARE_H

#include "tensor.h"

/* How rtol and atol combine; a = got, b = want. */
enum cul_tolerance_rule {
  CUL_TOL_EXACT,  /* equal numbers */
  CUL_TOL_SUM,    /* |a-b| <= atol + rtol*|b| */
  CUL_TOL_EITHER, /* |a-b| <= atol or |a-b|/|b| <= rtol */
  CUL_TOL_ULPS,   /* at most `ulps` representable numbers apart */
};

/* An element may differ by this many times its noise. */
enum { CUL_NOISE_FACTOR = 64 };

struct cul_tolerance {
  enum cul_tolerance_rule rule;
  double rtol, atol;
  double steep; /* rtol used for the severity if smaller; 0: use rtol */
  uint64_t ulps;
  /* The numbers are printed with so many digits: a difference of a unit of the
   * last one is none, in rule SUM and with bound.  0: all bits are known. */
  unsigned digits;
  bool nan_equal;          /* both NaN is no mismatch */
  bool inf_equal;          /* both the same infinity is no mismatch */
  bool signed_zero;        /* -0 is not +0 */
  bool denormals_are_zero; /* denormal numbers are zeros of their sign */
  /* How much each element changes if its inputs change by one roundoff;
   * CUL_NOISE_FACTOR times that is allowed in addition to any rule.  NULL:
   * unknown. */
  const struct cul_tensor *noise;
  /* The allowed difference of each element, instead of rtol and noise.  NULL:
   * unknown. */
  const struct cul_tensor *bound;
  /* Elements that are not 0 here are not compared.  NULL: all are compared. */
  const struct cul_tensor *ignore;
};

/* The tolerance that a user asks for.  Nothing set: exact. */
struct cul_tolerance_conf {
  const char *preset; /* numpy, torch, ...; or NULL */
  double rtol, atol;  /* < 0: not given */
  int64_t ulps;       /* < 0: not given */
  bool signed_zero;   /* zeros of different sign differ, in any tolerance */
  /* a denormal number is a zero, on both sides; printed numbers without a type
   * are taken for f32 */
  bool flush_denormals;
  bool rounding; /* where nothing else is given: allow what another order of
                    rounding explains, instead of exact */
  /* rounding: roundoff of the narrowest type used in the computation, where it
   * is larger than that of the outputs */
  double roundoff;
  const struct cul_tensors *noise;  /* rounding: of the outputs, by name; or
                                       NULL */
  const struct cul_tensors *bounds; /* rounding: the same in place of roundoff
                                       and noise; or NULL */
  const struct cul_tensors *ignore; /* elements of the outputs that are not
                                       compared, by name; or NULL */
};

/* Errors: EUSAGE for an unknown preset, NaN or infinite tolerances, and for
 * ulps together with others. */
CUL_MUST_CHECK int cul_tolerance_check(const struct cul_tolerance_conf *conf,
                                       struct cul_err *err);
/* Does the user give a tolerance, by a preset or by numbers? */
bool cul_tolerance_is_given(const struct cul_tolerance_conf *conf);
/* The tolerance for a type; integers and i1 are exact unless a preset allows
 * more. */
struct cul_tolerance cul_tolerance_for(const struct cul_tolerance_conf *conf,
                                       enum cul_dtype dtype);
/* The tolerance for two tensors.  For printed numbers it includes the rounding
 * of the print; whole numbers are printed exactly. */
struct cul_tolerance cul_tolerance_of(const struct cul_tolerance_conf *conf,
                                      const struct cul_tensor *got,
                                      const struct cul_tensor *want);
/* "exact", "|got-want| <= 1e-05 + 1.3e-06*|want| (torch)" ... appended. */
void cul_tolerance_describe(const struct cul_tolerance *tolerance,
                            const char *preset, struct cul_buf *out);

/* Kinds of mismatch. */
enum cul_error_class {
  CUL_ERR_NONE,  /* no mismatch */
  CUL_ERR_SHAPE, /* different shape, type or words, or one tensor is missing */
  CUL_ERR_VALUE, /* wrong numbers */
  CUL_ERR_NONFINITE, /* NaN or infinity where the other has a number */
  CUL_ERR_ALL_ZERO,  /* only zeros, but the other tensor has none or few */
  CUL_ERR_UNWRITTEN, /* the bytes that fill fresh memory */
};
const char *cul_error_class_name(enum cul_error_class class);

/* Counts are of elements; a complex one is off where a part is. */
struct cul_difference {
  enum cul_error_class class;
  char why[160];     /* SHAPE: the difference */
  uint64_t n;        /* elements, including those that are not compared */
  uint64_t n_differ; /* not the same number */
  uint64_t n_fail;   /* not within the tolerance */
  uint64_t first;    /* index of the first that fails, or, if none fails, that
                        differs */
  /* index of the largest |got-want| of those that fail, or differ */
  uint64_t worst;
  cul_number max_abs, max_rel; /* of finite pairs; rel: relative to |want| */
  double severity;   /* largest |got-want| divided by what is allowed; infinite
                        where nothing is allowed, or a number is not finite */
  double graded;     /* the same of the elements that are numbers on both
                        sides */
  uint64_t max_ulps; /* of floats of the same type, finite pairs */
  bool has_ulps;
  uint64_t got_nan, got_inf, want_nan, want_inf;
  /* heap; n: 1 for each element that fails; NULL: none fails */
  unsigned char *off;
};

/* Compare two tensors.  These types are comparable: signless integers with
 * signed and unsigned ones of their width, printed numbers with any type, and
 * floats with floats of another width (by value).  Other types differ. */
void cul_tensor_compare(const struct cul_tensor *got,
                        const struct cul_tensor *want,
                        const struct cul_tolerance *tolerance,
                        struct cul_difference *out);
void cul_difference_release(struct cul_difference *difference);
/* Does that comparison find no mismatch?  It ends at the first one. */
bool cul_tensor_agrees(const struct cul_tensor *got,
                       const struct cul_tensor *want,
                       const struct cul_tolerance *tolerance);

/* The distance of one element; for complex numbers, of the part that is farther
 * apart. */
struct cul_apart {
  bool differs;        /* not the same number */
  bool finite;         /* both are finite; else the members below are not set */
  cul_number abs, rel; /* |got-want|; the same relative to |want|, infinite
                          where that is 0 */
  uint64_t ulps;       /* where the difference has_ulps */
};
/* got and want must have been compared and agree in shape. */
struct cul_apart cul_tensor_apart(const struct cul_tensor *got,
                                  const struct cul_tensor *want,
                                  const struct cul_difference *difference,
                                  uint64_t i);

/* One output of both sides; one of the two may be missing (NULL). */
struct cul_output {
  const char *name; /* borrowed */
  const struct cul_tensor *got, *want;
  struct cul_tolerance tolerance;
  struct cul_difference difference;
};
struct cul_outputs {
  struct cul_output *items; /* heap */
  size_t n;
  size_t n_fail;              /* outputs with a mismatch */
  enum cul_error_class class; /* of the first of them, or SHAPE if one has it */
  double severity, graded;    /* the largest */
};
/* Compare all outputs, matched by name; if each side has only one, names do not
 * matter.  got and want are borrowed until release. */
void cul_tensors_compare(const struct cul_tensors *got,
                         const struct cul_tensors *want,
                         const struct cul_tolerance_conf *tolerance,
                         struct cul_outputs *out);
void cul_outputs_release(struct cul_outputs *outputs);
/* Append a sentence if this output, one of `outputs` and off, equals another
 * one: "result[0] and result[1] are swapped", "result[1] is result[0] of the
 * reference".  A single number or a constant may equal another by chance: then
 * only a swap is reported. */
void cul_outputs_place(const struct cul_outputs *outputs,
                       const struct cul_output *output, struct cul_buf *out);

/* Append the pattern of the mismatches in words; nothing where there is none.
 * Example: "the last 4 of 20 along dimension 1 (a tail): all zero". */
void cul_tensor_pattern(const struct cul_tensor *got,
                        const struct cul_tensor *want,
                        const struct cul_difference *difference,
                        struct cul_buf *out);
/* The number of elements whose bits are not the same in all n runs. */
uint64_t cul_tensor_unsteady(const struct cul_tensor *const *runs, size_t n);

/* Is this number the fill of fresh memory, one repeated byte?  printed: the
 * number was read from text and may be of any float type. */
bool cul_number_is_fill(enum cul_dtype dtype, const void *bytes, bool printed);

/* Append an image of the mismatches as PNG or SVG; dimensions before the last
 * are rows.  At most 1024 x 1024 cells. */
void cul_heatmap_png(const struct cul_tensor *want,
                     const struct cul_difference *difference,
                     struct cul_buf *out);
void cul_heatmap_svg(const struct cul_tensor *want,
                     const struct cul_difference *difference,
                     struct cul_buf *out);

/* ---- noise: how far results move when the numbers of a computation in f64
 * stray, which shows the effect of rounding ---- */

/* Append a tensor of zeros in f64, of the same name, for each result.  Errors:
 * EUSAGE (above the limits of tensors). */
CUL_MUST_CHECK int cul_noise_add(const struct cul_tensors *results,
                                 struct cul_tensors *noise,
                                 struct cul_err *err);
/* The noise of an element is the largest distance between its value and those
 * of the strayed results; infinite if one of them is not a number, or is
 * missing. */
void cul_noise_spread(const struct cul_tensors *results,
                      const struct cul_tensors *strayed,
                      struct cul_tensors *noise);

#endif
