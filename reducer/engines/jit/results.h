/* Results as text. */
#ifndef CUL_REDUCER_ENGINES_JIT_RESULTS_H
#define CUL_REDUCER_ENGINES_JIT_RESULTS_H

#include "../../../base/tensor/tensor.h"

/* Append the tensors to text, one per line as cul_tensors_parse_text reads
 * them: "result[PREFIX0SUFFIX]: 4xf32=...". */
void cul_results_print(const struct cul_tensors *tensors, const char *prefix,
                       const char *suffix, struct cul_buf *text);

#endif
