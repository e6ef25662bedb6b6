/* Two tensors against each other: how far apart, by which tolerance, and in
 * what pattern.
 *
 * A number that is not within the tolerance is a mismatch, so NaN, of which
 * nothing can be said, is one; where both are NaN the tolerance's own rule
 * decides, and the counts say that it was so. */
#ifndef CUL_BASE_TENSOR_COMPARE_H
#define CUL_BASE_TENSOR_COMPARE_H

#include "tensor.h"

/* How rtol and atol join; a = got, b = want. */
enum cul_tolerance_rule {
  CUL_TOL_EXACT,  /* equal numbers; -0 is +0 */
  CUL_TOL_SUM,    /* |a-b| <= atol + rtol*|b| */
  CUL_TOL_EITHER, /* |a-b| <= atol or |a-b|/|b| <= rtol */
  CUL_TOL_ULPS,   /* at most `ulps` representable numbers apart */
};

/* So many times the noise of an element is allowed. */
enum { CUL_NOISE_FACTOR = 64 };

struct cul_tolerance {
  enum cul_tolerance_rule rule;
  double rtol, atol;
  double steep; /* severity is by this rtol where that is less; 0: by rtol */
  uint64_t ulps;
  bool nan_equal; /* both NaN is no mismatch */
  bool inf_equal; /* both the same infinity is none */
  /* How far each element strays where its inputs do by one roundoff: so many
   * times that is allowed, whatever the rule.  NULL: nothing is known. */
  const struct cul_tensor *noise;
  /* Elements whose number here is not 0 are not compared.  NULL: all are. */
  const struct cul_tensor *ignore;
};

/* What a user asks for.  Nothing set: exact. */
struct cul_tolerance_conf {
  const char *preset; /* numpy, torch, ...; or NULL */
  double rtol, atol;  /* < 0: not given */
  int64_t ulps;       /* < 0: not given */
  bool rounding;      /* where nothing else is given: what rounding in another
                         order explains, instead of exact */
  double roundoff;    /* rounding: of the narrowest type that is computed in,
                         where that is larger than the outputs' */
  const struct cul_tensors *noise;  /* rounding: of the outputs, by name; or
                                       NULL */
  const struct cul_tensors *ignore; /* what is not compared of the outputs, by
                                       name; or NULL */
};

/* Errors: EUSAGE for an unknown preset, NaN or infinite tolerances, and for
 * ulps beside the others. */
CUL_MUST_CHECK int cul_tolerance_check(const struct cul_tolerance_conf *conf,
                                       struct cul_err *err);
/* That of a type; integers and i1 are exact where no preset says more. */
struct cul_tolerance cul_tolerance_for(const struct cul_tolerance_conf *conf,
                                       enum cul_dtype dtype);
/* That of two tensors: of printed numbers, the digits that a print leaves
 * count too; those that are whole are exact. */
struct cul_tolerance cul_tolerance_of(const struct cul_tolerance_conf *conf,
                                      const struct cul_tensor *got,
                                      const struct cul_tensor *want);
/* "exact", "|got-want| <= 1e-05 + 1.3e-06*|want| (torch)" ... appended. */
void cul_tolerance_describe(const struct cul_tolerance *tolerance,
                            const char *preset, struct cul_buf *out);

/* What kind of wrong. */
enum cul_error_class {
  CUL_ERR_NONE,      /* nothing is */
  CUL_ERR_SHAPE,     /* other shape, type, words, or no tensor at all */
  CUL_ERR_VALUE,     /* numbers that are off */
  CUL_ERR_NONFINITE, /* NaN or infinity where the other has a number */
  CUL_ERR_ALL_ZERO,  /* only zeros, where the other has none or few */
  CUL_ERR_UNWRITTEN, /* the bytes that fill fresh memory */
};
const char *cul_error_class_name(enum cul_error_class class);

/* Counts are of elements; a complex one is off where a part is. */
struct cul_difference {
  enum cul_error_class class;
  char why[160];     /* SHAPE: what differs */
  uint64_t n;        /* elements, those that are not compared among them */
  uint64_t n_differ; /* not the same number */
  uint64_t n_fail;   /* not within the tolerance */
  uint64_t first;    /* the first that fails; where none does: that differs */
  uint64_t worst;    /* the largest |got-want| of those that fail, or differ */
  cul_number max_abs, max_rel; /* of finite pairs; rel: to |want| */
  double severity;   /* largest |got-want| by what is allowed; infinite where
                        that is nothing, or a number is not finite */
  uint64_t max_ulps; /* of floats of the same type, finite pairs */
  bool has_ulps;
  uint64_t got_nan, got_inf, want_nan, want_inf;
  unsigned char *off; /* heap; n: 1 where it fails; NULL: none does */
};

/* Compare.  Signless integers are equal to signed and unsigned ones of their
 * width, numbers that were printed to those of any type, floats to floats of
 * another width (each by its number); other types differ. */
void cul_tensor_compare(const struct cul_tensor *got,
                        const struct cul_tensor *want,
                        const struct cul_tolerance *tolerance,
                        struct cul_difference *out);
void cul_difference_release(struct cul_difference *difference);

/* How far apart one element is; of a complex one the part that is farther. */
struct cul_apart {
  bool differs;        /* it is not the same number */
  bool finite;         /* both are; else nothing of the following is known */
  cul_number abs, rel; /* |got-want|; that to |want|, infinite where it is 0 */
  uint64_t ulps;       /* where the difference has them */
};
/* got and want were compared, and agree in shape. */
struct cul_apart cul_tensor_apart(const struct cul_tensor *got,
                                  const struct cul_tensor *want,
                                  const struct cul_difference *difference,
                                  uint64_t i);

/* One output on both sides; one of the two may be missing (NULL). */
struct cul_output {
  const char *name; /* borrowed */
  const struct cul_tensor *got, *want;
  struct cul_tolerance tolerance;
  struct cul_difference difference;
};
struct cul_outputs {
  struct cul_output *items; /* heap */
  size_t n;
  size_t n_fail;              /* outputs with something off */
  enum cul_error_class class; /* of the first of them; shape wins */
  double severity;            /* the largest */
};
/* Compare all outputs, matched by name; the only one on either side needs
 * none.  got and want are borrowed until release. */
void cul_tensors_compare(const struct cul_tensors *got,
                         const struct cul_tensors *want,
                         const struct cul_tolerance_conf *tolerance,
                         struct cul_outputs *out);
void cul_outputs_release(struct cul_outputs *outputs);

/* The pattern of the elements that are off, in words, appended; nothing where
 * there is none.  "the last 4 of 20 along dimension 1 (a tail): all zero". */
void cul_tensor_pattern(const struct cul_tensor *got,
                        const struct cul_tensor *want,
                        const struct cul_difference *difference,
                        struct cul_buf *out);
/* The elements whose bits differ in one of several runs, counted. */
uint64_t cul_tensor_unsteady(const struct cul_tensor *const *runs, size_t n);

/* Is this number what fresh memory is filled with: one byte again and again?
 * printed: the number went through text, and may be of any float type. */
bool cul_number_is_fill(enum cul_dtype dtype, const void *bytes, bool printed);

/* The elements that are off as an image, appended: PNG, or SVG; dimensions
 * before the last are rows.  At most 1024 x 1024 cells. */
void cul_heatmap_png(const struct cul_tensor *want,
                     const struct cul_difference *difference,
                     struct cul_buf *out);
void cul_heatmap_svg(const struct cul_tensor *want,
                     const struct cul_difference *difference,
                     struct cul_buf *out);

#endif
