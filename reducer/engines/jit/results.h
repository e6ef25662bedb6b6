/* Results as text, and their noise: how far they move when the inputs or
 * numbers of a module in f64 stray, which shows the effect of rounding. */
#ifndef CUL_REDUCER_ENGINES_JIT_RESULTS_H
#define CUL_REDUCER_ENGINES_JIT_RESULTS_H

#include "../../../base/tensor/tensor.h"

/* Append the tensors to text, one per line as cul_tensors_parse_text reads
 * them: "result[PREFIX0SUFFIX]: 4xf32=...". */
void cul_results_print(const struct cul_tensors *tensors, const char *prefix,
                       const char *suffix, struct cul_buf *text);

/* Append a tensor of zeros in f64 for each result.  Errors: EUSAGE (above the
 * limits of tensors). */
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
